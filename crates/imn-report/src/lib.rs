//! A report on many analysed reviews as one HTML page: which aspects people mention, what they say
//! about them, and how that changes over time.
//!
//! ```text
//! JSONL ─ pass 1 ─→ Survey (counts of all groups) ──┐
//! JSONL ─ pass 2 ─→ Detail of the largest groups ───┴─→ Report ─ page ─→ HTML
//! ```
//!
//! The input is read twice and never held in memory. The survey keeps a few numbers per group;
//! members, opinions, trends and examples are kept only for groups that are shown. So memory does
//! not grow with the number of reviews.
//!
//! It knows the output record, and neither models nor jobs. It never prints and never parses
//! arguments.
//!
//! ```
//! use imn_report::{Report, ReportSettings, html};
//!
//! let lines = br#"{"schema":1,"row":1,"text":"Batteries last long.","columns":{},"sentiment":null,
//!     "aspects":[{"term":"Batteries","start":0,"end":9,"sentiment":"positive",
//!     "span_confidence":0.9,"sentiment_confidence":0.9,"opinions":[{"opinion":0,"weight":1.0}]}],
//!     "opinions":[{"term":"long","start":15,"end":19,"confidence":0.8}]}"#;
//! let line = String::from_utf8_lossy(lines).replace('\n', " ");
//! let source = || Ok(Box::new(std::io::Cursor::new(line.clone())) as Box<dyn std::io::BufRead>);
//! let report = Report::make(&source, &ReportSettings::default())?;
//! assert_eq!(report.groups[0].name, "battery");
//! assert!(html(&report).contains("battery"));
//! assert!(imn_report::is_report(&html(&report)));
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
mod survey;
mod tally;
mod unread_dates;

pub use dates::{DateColumn, DateFormat, Step};
pub use error::ReportError;
pub use example::{Example, Mark, Segment};
pub use imn::analyze::BadLine;
pub use page::{content_security_policy, html, is_report};
pub use report::{Group, Report, ReportSettings, Trend, TrendPoint};
pub use review::OpenReviews;
pub use survey::{DateCounts, ReportTotals};
pub use tally::Tally;
pub use unread_dates::UnreadDates;
