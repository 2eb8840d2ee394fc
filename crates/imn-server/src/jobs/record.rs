//! What is known about a job: what was asked for, how far it is.

use imn_batch::JobTotals;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::JobOptions;

/// The state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// It waits for its turn.
    Queued,
    /// It is being analysed.
    Running,
    /// Its results are there.
    Finished,
    /// It could not be done; `error` says why.
    Failed,
    /// A client has cancelled it.
    Cancelled,
}

impl JobState {
    /// Every state.
    pub const ALL: [Self; 5] = [
        Self::Queued,
        Self::Running,
        Self::Finished,
        Self::Failed,
        Self::Cancelled,
    ];

    /// Its name in answers and metrics.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether nothing more happens to the job.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Finished | Self::Failed | Self::Cancelled)
    }
}

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Bytes of the upload.
    pub bytes: u64,
    /// Bytes of it that were read.
    pub bytes_read: u64,
    /// Reviews that were analysed.
    pub reviews: u64,
    /// Aspects in them.
    pub aspects: u64,
    /// Rows that could not be read.
    pub errors: u64,
}

impl Progress {
    pub(super) fn count(&mut self, totals: JobTotals) {
        self.reviews = totals.reviews;
        self.aspects = totals.aspects;
        self.errors = totals.errors;
    }
}

/// Everything about a job that clients see; on disk it is `job.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobRecord {
    /// The id of the job.
    pub id: String,
    /// Its state.
    pub state: JobState,
    /// What was asked for.
    pub options: JobOptions,
    /// How far it is.
    pub progress: Progress,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// A remark about the texts, such as that they do not look English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// When it was accepted.
    pub created: Timestamp,
    /// When it was started last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Timestamp>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
}
