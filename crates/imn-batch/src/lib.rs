//! Batch analysis: reads tables of reviews, writes one record per review.
//!
//! ```text
//! sources ─ read ─→ chunks of rows ─ Analyzer ─→ chunks of records ─ write ─→ file, folder, pipe
//!              └──── bad rows ─────────────────────────────────────────────→ errors
//! ```
//!
//! The three stages run concurrently. A chunk has a bounded number of rows and bytes, and at most a
//! few chunks are in flight, so memory does not grow with the input. Chunks stay in order, so the
//! output has the order of the input. A [journal](Journal) records how much output is durable, so a
//! killed job can be resumed.
//!
//! The feature `parquet` (default) adds Apache Parquet as input and output, and the analysis of
//! Arrow record batches in memory.
//!
//! This crate never prints and never parses arguments.

mod columns;
mod conversion;
mod error;
mod errors_file;
mod events;
mod job;
mod journal;
mod journal_difference;
mod language;
mod model_identity;
pub mod read;
#[cfg(feature = "parquet")]
mod record_batches;
mod row;
pub mod write;

pub use columns::{ColumnType, Columns, TableLayout};
pub use conversion::Conversion;
pub use error::{BatchError, InputError, TextGuess};
pub use events::{Event, JobTotals};
pub use job::{IfExists, Job, Outcome, OutputTarget};
pub use journal::{Fingerprint, Journal, JournalError};
pub use language::{Language, LanguageVerdict};
pub use model_identity::ModelIdentity;
#[cfg(feature = "parquet")]
pub use record_batches::{BatchAnalysis, BatchSettings};
pub use row::{Place, Reason, Row, RowError};
