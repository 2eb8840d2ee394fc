//! Replaces the Parquet writer in a program without the feature `parquet`: opening is an error.

use std::path::Path;

use super::Context;
use super::sink::{LeftOver, Sink};
use crate::BatchError;
use crate::journal::Durable;

pub(crate) enum ParquetParts {}

impl ParquetParts {
    pub(crate) fn open(path: &Path, _: u64, _: Context) -> Result<Self, BatchError> {
        Err(BatchError::NoParquet {
            path: path.to_owned(),
        })
    }

    pub(crate) fn left_over(_: &Path) -> LeftOver {
        LeftOver::nothing()
    }
}

impl Sink for ParquetParts {
    fn write(&mut self, _: Vec<imn::analyze::AnalyzedReview>) -> Result<(), BatchError> {
        match *self {}
    }

    fn durable(&mut self) -> Result<Durable, BatchError> {
        match *self {}
    }

    fn finish(self: Box<Self>) -> Result<LeftOver, BatchError> {
        match *self {}
    }
}
