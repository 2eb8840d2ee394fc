//! Many reviews: tables in, analyses out.
//!
//! ```text
//! sources ─ read ─→ chunks of rows ─ Analyzer ─→ chunks of analyses ─ write ─→ file, folder, pipe
//!              └──── rows that cannot be read ──────────────────────────────→ errors
//! ```
//!
//! The three stages run at the same time, a few chunks apart. A chunk is bounded in rows and in bytes, so memory does not grow with the
//! input; chunks stay in order, so the output is that of the input; and what is durable is written down in a [journal](Journal), so a job
//! that was killed goes on where it was.
//!
//! Nothing here prints or parses arguments.

mod columns;
mod ending;
mod english;
mod error;
mod errors_file;
mod events;
mod job;
mod journal;
pub mod read;
mod row;
mod threshold;
pub mod write;

pub(crate) use ending::ending;

pub use columns::{Columns, Layout};
pub use english::{Language, Verdict};
pub use error::{BatchError, InputError};
pub use events::{Event, Totals};
pub use job::{Ended, Job, Output, Start};
pub use journal::{Fingerprint, Journal, JournalError};
pub use row::{Place, Reason, Row, RowError};
pub use threshold::keep_sure;
