//! Results of runs: one small JSON file per run, and the summary of several runs.

mod run;
mod summary;

pub use run::{ResultError, ResultScores, RunResult, read_result, read_results};
pub use summary::Summary;
