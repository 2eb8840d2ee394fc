//! Progress and warnings of a running job.

use serde::{Deserialize, Serialize};

use crate::RowError;
use crate::read::ColumnNote;

/// Counts of what is in the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobTotals {
    /// Analysed reviews.
    pub reviews: u64,
    /// Aspects found in them.
    pub aspects: u64,
    /// Bad rows.
    pub errors: u64,
}

/// An event for the observer of a job.
#[derive(Debug)]
pub enum Event<'a> {
    /// The job starts.
    Started {
        /// The size of the input in bytes, if known.
        bytes: Option<u64>,
        /// Counts of the earlier run that this job resumes.
        done: JobTotals,
        /// Remarks on the text columns of sources, with the names of the sources.
        notes: &'a [(&'a str, &'a ColumnNote)],
    },
    /// A chunk was written.
    Written {
        /// Input bytes read up to the end of the chunk.
        bytes: u64,
        /// Counts of everything in the output.
        totals: JobTotals,
    },
    /// A bad row, in a job without an errors file.
    BadRow {
        /// The name of the source.
        source: &'a str,
        /// The row and what is wrong with it.
        error: &'a RowError,
    },
    /// The texts do not look English. Sent at most once per job.
    NotEnglish {
        /// The share of function words, in percent.
        function_words: u32,
        /// The English name of the language, if the detector is confident.
        language: Option<&'static str>,
    },
}
