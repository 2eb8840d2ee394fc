//! Rows that go through the job together.

use imn::analyze::AnalyzedReview;

use crate::journal::Position;
use crate::{LanguageVerdict, Row, RowError};

/// Rows on their way to the network.
pub(super) struct Chunk {
    pub(super) rows: Vec<Row>,
    pub(super) errors: Vec<RowError>,
    pub(super) end: Position,
    /// Bytes of all sources that were read up to its end.
    pub(super) bytes: u64,
}

/// A chunk on its way to the output.
pub(super) struct Done {
    pub(super) reviews: Vec<AnalyzedReview>,
    pub(super) errors: Vec<RowError>,
    pub(super) end: Position,
    /// Bytes of all sources that were read up to its end.
    pub(super) bytes: u64,
    /// What the texts look like, with the chunk that decides it.
    pub(super) language: Option<LanguageVerdict>,
}
