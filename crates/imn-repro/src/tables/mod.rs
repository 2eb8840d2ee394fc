//! The paper's tables, filled with the results of runs.
//!
//! ```text
//! results → Runs ─┬→ Sheet (cells: mean, deviation, the paper's value, bold, star) ─┬→ markdown
//!                 └→ findings (the paper's claims, checked)                        ─┴→ html
//! ```
//!
//! Every number is computed from results, except the paper's values, which are in
//! [`crate::registry`].

mod against_paper;
mod findings;
mod grid;
mod markdown;
mod other;
mod page;
mod runs;
mod sheet;
mod table;
mod time;
mod words;

#[cfg(test)]
mod tests;

pub use against_paper::AgainstPaper;
pub use findings::{Comparison, Finding, LEVEL, Verdict, findings};
pub use markdown::markdown;
pub use page::html;
pub use runs::Runs;
pub use sheet::{Cell, SIGNIFICANT, Sheet};
pub use table::{Table, TableEntry, UnknownTable};
pub use time::Time;
