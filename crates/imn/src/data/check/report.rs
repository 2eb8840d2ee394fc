//! What checking found, as it is printed and serialized.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::Counts;
use crate::data::{DataFormat, DocumentFormat, Problem, ProblemKind, Sentiment, Severity};

/// What one path holds.
#[derive(Debug, Serialize)]
pub struct SetReport {
    /// The path.
    pub path: PathBuf,
    /// What it is.
    #[serde(flatten)]
    pub content: Content,
}

/// The counts by kind of set.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// Annotated sentences.
    Sentences {
        /// Their format.
        format: DataFormat,
        /// Their counts.
        counts: Counts,
    },
    /// Documents by label.
    Documents {
        /// Their format.
        format: DocumentFormat,
        /// How many of each label.
        labels: BTreeMap<Sentiment, usize>,
    },
}

/// What was found.
#[derive(Debug, Default, Serialize)]
pub struct CheckReport {
    /// Every set.
    pub sets: Vec<SetReport>,
    /// Everything found, by place.
    pub problems: Vec<Problem>,
    /// Files of searched folders that were not read, see [`Found`](super::Found).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<PathBuf>,
}

impl CheckReport {
    /// Whether anything is wrong: a problem worse than a note, of a kind that is not allowed.
    #[must_use]
    pub fn is_wrong(&self, allowed: &[ProblemKind]) -> bool {
        self.problems
            .iter()
            .any(|p| p.severity > Severity::Note && !allowed.contains(&p.kind))
    }
}
