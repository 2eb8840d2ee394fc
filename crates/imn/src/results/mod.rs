//! Results of runs: one small file each, and the tables that are made of them.

mod paper;
mod run;
mod table;

pub use paper::{PaperScores, paper_scores};
pub use run::{ResultError, ResultScores, RunResult, read_result, read_results};
pub use table::markdown;
