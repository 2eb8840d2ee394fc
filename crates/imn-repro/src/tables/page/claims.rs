//! The checked claims of the paper, as HTML.

use imn::eval::MeanDifference;
use maud::{Markup, html as template};

use super::scrolling;
use crate::sets::PaperSet;
use crate::tables::findings::{Finding, Verdict};
use crate::tables::sheet::Sheet;
use crate::tables::table::Table;
use crate::tables::words;

/// A verdict with a sign, so that it does not depend on colour.
pub(super) fn verdict(verdict: Verdict) -> Markup {
    let sign = match verdict {
        Verdict::Holds => "✓",
        Verdict::Fails => "✗",
        Verdict::Inconclusive => "?",
    };
    template! {
        span.verdict.(verdict.class()) {
            span aria-hidden="true" { (sign) " " }
            (verdict.to_string())
        }
    }
}

/// All claims of a table.
pub(super) fn claims(sheet: &Sheet, findings: &[Finding]) -> Markup {
    template! {
        h3 { "What the paper claims" }
        p.hint { (words::RULE) }
        @for finding in findings { (claim(finding)) }
        @if sheet.table == Table::Main { (against_paper(sheet)) }
    }
}

fn claim(finding: &Finding) -> Markup {
    let inner = template! {
        table.claims {
            thead {
                tr {
                    th scope="col" { "claim" }
                    th scope="col" { "verdict" }
                    th scope="col" { "mean over sets" }
                    th scope="col" { "in the paper" }
                    @for set in PaperSet::ALL { th scope="col" { (set.title()) } }
                }
            }
            tbody {
                @for comparison in &finding.comparisons {
                    tr {
                        @let (better, worse) = (comparison.better.label, comparison.worse.label);
                        th scope="row" { (lines([better.to_owned(), format!("> {worse}")])) }
                        td { (verdict(comparison.verdict())) }
                        td { (difference(comparison.difference)) }
                        td { (paper_means(comparison.paper())) }
                        @for on_set in comparison.sets { td { (difference(on_set)) } }
                    }
                }
            }
        }
    };
    template! {
        details {
            summary { (verdict(finding.verdict())) " " (finding.claim) }
            @if let Some(note) = finding.note { p.hint { (note) } }
            (scrolling(finding.claim, &inner))
        }
    }
}

/// Several lines in one cell.
fn lines(lines: impl IntoIterator<Item = String>) -> Markup {
    template! { @for line in lines { span.line { (line) " " } } }
}

/// The difference, its interval and the number of seeds, each on its own line.
fn difference(difference: Option<MeanDifference>) -> Markup {
    let text = words::difference(difference);
    let (mean, rest) = text.split_once(' ').unwrap_or((&text, ""));
    match rest.split_once("], ") {
        Some((interval, pairs)) => {
            lines([mean.to_owned(), format!("{interval}]"), pairs.to_owned()])
        }
        None => lines([text.clone()]),
    }
}

fn paper_means(means: Option<(f64, f64)>) -> Markup {
    match means {
        None => lines(["–".to_owned()]),
        Some((better, worse)) => {
            let difference = words::signed(better - worse);
            lines([format!("{better:.2}"), format!("{worse:.2}"), difference])
        }
    }
}

fn against_paper(sheet: &Sheet) -> Markup {
    let rows = words::against_paper(sheet);
    let inner = template! {
        table.claims {
            thead {
                tr {
                    th scope="col" { "system" }
                    @for set in PaperSet::ALL { th scope="col" { (set.title()) } }
                }
            }
            tbody {
                @for (label, cells) in &rows {
                    tr {
                        th scope="row" { (label) }
                        @for (cell, against) in cells {
                            td.(against.class()) {
                                @match cell.difference() {
                                    None => { "–" }
                                    Some(difference) => { (words::signed(difference)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    };
    template! {
        details {
            summary { "F1-I minus the paper's value: " (words::against_paper_counts(&rows)) }
            (scrolling("F1-I minus the paper's value", &inner))
        }
    }
}
