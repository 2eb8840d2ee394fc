//! Results of runs: one small file each, and the tables that are made of them.

mod paper;
mod run;
mod summary;
mod table;

pub use paper::{PAPER_RUNS, PAPER_SETS, PaperScores, paper_scores};
pub use run::{ResultError, ResultScores, RunResult, read_result, read_results};
pub use summary::Summary;
pub use table::markdown;
