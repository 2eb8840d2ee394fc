//! Report of a check, as printed and serialized.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::Counts;
use crate::data::{DataFormat, DocumentFormat, Problem, ProblemKind, Sentiment, Severity};

/// Contents of one path.
#[derive(Debug, Serialize)]
pub struct SetReport {
    /// Path of the set.
    pub path: PathBuf,
    /// Kind of the set, with counts.
    #[serde(flatten)]
    pub content: Content,
}

/// Kind of a set, with counts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// Annotated sentences.
    Sentences {
        /// Format of the set.
        format: DataFormat,
        /// Size of the set.
        counts: Counts,
    },
    /// Documents.
    Documents {
        /// Format of the set.
        format: DocumentFormat,
        /// Number of documents with each label.
        labels: BTreeMap<Sentiment, usize>,
    },
}

/// Report of a check.
#[derive(Debug, Default, Serialize)]
pub struct CheckReport {
    /// The sets that could be read.
    pub sets: Vec<SetReport>,
    /// All problems, sorted by file and line.
    pub problems: Vec<Problem>,
    /// Files of searched folders that were not read; see [`Found`](super::Found).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<PathBuf>,
}

impl CheckReport {
    /// Whether there is a warning or error whose kind is not allowed.
    #[must_use]
    pub fn is_wrong(&self, allowed: &[ProblemKind]) -> bool {
        self.problems
            .iter()
            .any(|p| p.severity > Severity::Note && !allowed.contains(&p.kind))
    }
}
