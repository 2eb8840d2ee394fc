//! Rows that go through the job together.

use imn::analyze::{Analysis, Explanation};

use crate::journal::Position;
use crate::{Row, RowError};

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
    pub(super) chunk: Chunk,
    pub(super) analyses: Vec<Analysis>,
    /// One a row, or none at all.
    pub(super) explanations: Vec<Explanation>,
}
