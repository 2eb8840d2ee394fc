//! Where records go.

use std::io;
use std::path::{Path, PathBuf};

use imn::analyze::AnalyzedReview;

use crate::BatchError;
use crate::journal::Durable;

/// Takes chunks of records in order.
pub(crate) trait Sink: Send {
    /// Takes a chunk.
    fn write(&mut self, reviews: Vec<AnalyzedReview>) -> Result<(), BatchError>;

    /// Brings everything so far to the disk and says how much it is.
    fn durable(&mut self) -> Result<Durable, BatchError>;

    /// Completes the output. What is left over is removed after the journal: until then a job that is
    /// killed needs it.
    fn finish(self: Box<Self>) -> Result<LeftOver, BatchError>;
}

/// Files beside an output that are of no more use once its journal is removed.
#[must_use]
pub(crate) struct LeftOver(Option<(PathBuf, Remove)>);

/// Removes what belongs to an output.
type Remove = fn(&Path) -> io::Result<()>;

impl LeftOver {
    pub(crate) fn nothing() -> Self {
        Self(None)
    }

    #[cfg_attr(
        not(feature = "parquet"),
        expect(dead_code, reason = "parts are Parquet's")
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
