//! Rows that pass through the stages together.

use imn::analyze::AnalyzedReview;

use crate::journal::Position;
use crate::{LanguageVerdict, Row, RowError};

/// A chunk from the reading stage.
pub(super) struct Chunk {
    pub(super) rows: Vec<Row>,
    pub(super) errors: Vec<RowError>,
    /// The position after the chunk.
    pub(super) end: Position,
    /// Bytes of all sources read up to the end of the chunk.
    pub(super) bytes: u64,
}

/// A chunk from the analysis stage.
pub(super) struct AnalyzedChunk {
    pub(super) reviews: Vec<AnalyzedReview>,
    pub(super) errors: Vec<RowError>,
    /// The position after the chunk.
    pub(super) end: Position,
    /// Bytes of all sources read up to the end of the chunk.
    pub(super) bytes: u64,
    /// The verdict on the language, in the chunk that decides it.
    pub(super) language: Option<LanguageVerdict>,
}
