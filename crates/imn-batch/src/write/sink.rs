//! Where analyses go.

use super::Analysed;
use crate::BatchError;
use crate::journal::Durable;

/// Takes chunks in order.
pub(crate) trait Sink: Send {
    /// Takes a chunk.
    fn write(&mut self, rows: Vec<Analysed>) -> Result<(), BatchError>;

    /// Brings everything so far to the disk and says how much it is.
    fn durable(&mut self) -> Result<Durable, BatchError>;

    /// Nothing more follows.
    fn finish(self: Box<Self>) -> Result<(), BatchError>;
}
