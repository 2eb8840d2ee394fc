//! What a job says while it runs.

use serde::{Deserialize, Serialize};

use crate::RowError;

/// What has been done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobTotals {
    /// Reviews.
    pub reviews: u64,
    /// Aspects in them.
    pub aspects: u64,
    /// Rows that could not be read.
    pub errors: u64,
}

/// Something that a user may want to see.
#[derive(Debug)]
pub enum Event<'a> {
    /// The job begins.
    Started {
        /// Bytes to read, where that is known.
        bytes: Option<u64>,
        /// What an earlier run has done.
        done: JobTotals,
    },
    /// A chunk is in the output.
    Written {
        /// Bytes read up to its end.
        bytes: u64,
        /// All that is in the output.
        totals: JobTotals,
    },
    /// A row cannot be read, and no file takes it.
    BadRow {
        /// The source.
        source: &'a str,
        /// The row.
        error: &'a RowError,
    },
    /// The texts look like something other than English; said once.
    NotEnglish {
        /// The share of function words, in percent.
        function_words: u32,
        /// The language in English, if that is clear.
        language: Option<&'static str>,
    },
}
