//! The record of a job: its options, state and progress.

use imn_batch::JobTotals;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::JobOptions;

/// The state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// Waiting in the queue.
    Queued,
    /// Being analysed.
    Running,
    /// Finished; its results are available.
    Finished,
    /// Failed; `error` says why.
    Failed,
    /// Cancelled by a client.
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

    /// Whether the job has ended.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Finished | Self::Failed | Self::Cancelled)
    }
}

/// The progress of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Size of the upload in bytes.
    pub bytes: u64,
    /// Number of bytes read.
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

/// The part of a job that clients see, stored as `job.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobRecord {
    /// The id of the job.
    pub id: String,
    /// Its state.
    pub state: JobState,
    /// Its options.
    pub options: JobOptions,
    /// Its progress.
    pub progress: Progress,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// A warning about the texts, for example that they do not look English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// When it was accepted.
    pub created: Timestamp,
    /// When it was last started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Timestamp>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
}
