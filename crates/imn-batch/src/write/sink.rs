//! The interface of outputs.

use std::io;
use std::path::{Path, PathBuf};

use imn::analyze::AnalyzedReview;

use crate::BatchError;
use crate::journal::Durable;

/// Writes chunks of records in order.
pub(crate) trait Sink: Send {
    /// Writes a chunk.
    fn write(&mut self, reviews: Vec<AnalyzedReview>) -> Result<(), BatchError>;

    /// Syncs the output to disk and returns how much of it is durable.
    fn durable(&mut self) -> Result<Durable, BatchError>;

    /// Gives up an output without any record. A file that it would have replaced stays.
    fn discard(self: Box<Self>) -> Result<(), BatchError> {
        Ok(())
    }

    /// Completes the output. The leftover files must be removed after the journal: until then, a
    /// killed job needs them to resume.
    fn finish(self: Box<Self>) -> Result<LeftOver, BatchError>;
}

/// Files next to an output that are no longer needed once its job is finished.
#[must_use]
pub(crate) struct LeftOver(Option<(PathBuf, Remove)>);

/// Removes the leftover files of an output.
type Remove = fn(&Path) -> io::Result<()>;

impl LeftOver {
    pub(crate) fn nothing() -> Self {
        Self(None)
    }

    #[cfg_attr(
        not(feature = "parquet"),
        expect(dead_code, reason = "only Parquet leaves files")
    )]
    pub(crate) fn new(output: &Path, remove: Remove) -> Self {
        Self(Some((output.to_owned(), remove)))
    }

    pub(crate) fn remove(self) -> Result<(), BatchError> {
        match self.0 {
            None => Ok(()),
            Some((output, remove)) => remove(&output).map_err(BatchError::output(&output)),
        }
    }
}
