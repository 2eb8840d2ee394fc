//! From many analysed reviews to one page: which aspects people speak of, what they say, and how that changes.
//!
//! ```text
//! JSONL ─ pass 1: lines ─→ Survey (counts of every group) ─┐
//! JSONL ─ pass 2: lines ─→ Detail of the largest groups ───┴─→ Report ─ page ─→ HTML
//! ```
//!
//! The input is read twice and never held: a survey has a few numbers a group, and members, opinions, trends and examples are kept for the
//! groups that are shown only, so that the memory does not grow with the number of reviews.
//!
//! ```
//! use imn_report::{Report, Settings, html};
//!
//! let lines = br#"{"schema":1,"row":1,"text":"Batteries last long.","columns":{},"sentiment":null,
//!     "aspects":[{"term":"Batteries","start":0,"end":9,"sentiment":"positive","span_confidence":0.9,
//!     "sentiment_confidence":0.9,"opinions":[{"opinion":0,"weight":1.0}]}],
//!     "opinions":[{"term":"long","start":15,"end":19,"confidence":0.8}]}"#;
//! let line = String::from_utf8_lossy(lines).replace('\n', " ");
//! let source = || Ok(Box::new(std::io::Cursor::new(line.clone())) as Box<dyn std::io::BufRead>);
//! let report = Report::make(&source, &Settings::default())?;
//! assert_eq!(report.groups[0].name, "battery");
//! assert!(html(&report).contains("battery"));
//! # Ok::<(), imn_report::ReportError>(())
//! ```

mod dates;
mod detail;
mod error;
mod example;
pub mod grouping;
mod page;
mod report;
mod review;
mod shorten;
mod survey;
mod tally;

pub use dates::{DateColumn, DateForm, Step};
pub use error::ReportError;
pub use example::{Example, Mark, Segment};
pub use page::{content_security_policy, html};
pub use report::{Group, Report, Settings, Trend, TrendPoint};
pub use review::{BadLine, Source};
pub use survey::{DateCounts, Totals};
pub use tally::Tally;
