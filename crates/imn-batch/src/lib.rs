//! Many reviews: tables in, analyses out.
//!
//! ```text
//! sources ─ read ─→ chunks of rows ─ Analyzer ─→ chunks of records ─ write ─→ file, folder, pipe
//!              └──── rows that cannot be read ─────────────────────────────→ errors
//! ```
//!
//! The three stages run at the same time, a few chunks apart. A chunk is bounded in rows and in bytes,
//! so memory does not grow with the input. Chunks stay in order, so the output is in the order of the
//! input. A [journal](Journal) records what is durable, so a job that was killed can be resumed.
//!
//! The feature `parquet` (default) adds Apache Parquet as input and output.
//!
//! Nothing here prints or parses arguments.

mod columns;
mod conversion;
mod error;
mod errors_file;
mod events;
mod job;
mod journal;
mod language;
pub mod read;
mod row;
pub mod write;

pub use columns::{ColumnType, Columns, Layout};
pub use conversion::Conversion;
pub use error::{BatchError, InputError};
pub use events::{Event, Totals};
pub use job::{IfExists, Job, Outcome, Output};
pub use journal::{Fingerprint, Journal, JournalError};
pub use language::{Language, Verdict};
pub use row::{Place, Reason, Row, RowError};
