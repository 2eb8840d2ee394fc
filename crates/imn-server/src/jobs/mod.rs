//! Files that clients upload, analysed in the background.
//!
//! ```text
//! JOBS/.lock                 held by the server that uses the folder
//! JOBS/ID/job.json           options and progress, replaced atomically
//! JOBS/ID/input              the upload
//! JOBS/ID/records.jsonl      the records, with their journal, records.jsonl.journal
//! JOBS/ID/errors.jsonl       rows that could not be read
//! JOBS/ID/result.*           records in other formats, made on request
//! ```
//!
//! A folder gets its id only when its upload is complete and `job.json` is on disk. After a kill,
//! jobs that were queued or running are queued again and resume from their journal
//! ([`imn_batch::Job`]).

mod entry;
mod options;
mod record;
mod results;
mod store;
mod worker;

pub use entry::JobEntry;
pub use options::{JobOptions, boolean};
pub use record::{JobRecord, JobState, Progress};
pub use results::{ResultFile, ResultOptions};
pub use store::{Jobs, JobsError, Upload};
