//! The paper's tables, made of the results of runs.
//!
//! ```text
//! results → Runs ─┬→ Sheet (cells: mean, deviation, the paper's value, bold, star) ─┬→ markdown
//!                 └→ findings (the paper's claims, checked)                        ─┴→ html
//! ```
//!
//! Every number is counted from results, but the paper's, which are those of [`imn::results::paper_scores`].

mod findings;
mod grid;
mod markdown;
mod page;
mod reach;
mod runs;
mod sheet;
mod table;
mod time;
mod words;

#[cfg(test)]
mod tests;

pub use findings::{Comparison, Finding, Verdict, findings};
pub use markdown::markdown;
pub use page::html;
pub use reach::{NEAR, Reach};
pub use runs::Runs;
pub use sheet::{Cell, SIGNIFICANT, Sheet};
pub use table::{Role, SETS, Set, System, Table, UnknownTable};
pub use time::Time;
