//! The paper's tables, made of the results of runs.
//!
//! ```text
//! results → Runs ─┬→ Sheet (cells: mean, deviation, the paper's value, bold, star) ─┬→ markdown
//!                 └→ findings (the paper's claims, checked)                        ─┴→ html
//! ```
//!
//! Every number is counted from results, except the paper's values, which are in
//! [`crate::registry`].

mod findings;
mod grid;
mod markdown;
mod other;
mod page;
mod reach;
mod runs;
mod sheet;
mod table;
mod time;
mod words;

#[cfg(test)]
mod tests;

pub use findings::{Comparison, Finding, LEVEL, Verdict, findings};
pub use markdown::markdown;
pub use page::html;
pub use reach::{NEAR, Reach};
pub use runs::Runs;
pub use sheet::{Cell, SIGNIFICANT, Sheet};
pub use table::{Table, TableEntry, UnknownTable};
pub use time::Time;
