//! The report as a self-contained HTML page.
//!
//! Templates escape all text except the program's own style, script and pictures (`PreEscaped`).
//! The page is complete without JavaScript; the script only sorts and searches.

mod bar;
mod chart;
mod group;

use imn::render::{page_head, page_policy};
use maud::{DOCTYPE, Markup, PreEscaped, html as template};

use crate::{Report, Tally, Trend};
use bar::{bar, key};

const STYLE: &str = include_str!("../../assets/report.css");
const SCRIPT: &str = include_str!("../../assets/report.js");
/// The content security policy allows only this script.
const SCRIPT_HASH: &str = "sha256-fkMrshyCXD3udHfkiW5SQhxUq19ifY+gE+phWIDPW+8=";

/// The start of a page. Pages of other commands lack the attribute `data-generator`.
const START: &str = r#"<!DOCTYPE html><html lang="en" data-generator="imn report">"#;

/// Whether a file that starts with this text is a page of [`html`], so that a program can overwrite
/// its own earlier report and no other file. The first 100 characters suffice.
///
/// ```
/// assert!(!imn_report::is_report("<!DOCTYPE html><html lang=\"en\"><head>"));
/// ```
#[must_use]
pub fn is_report(start: &str) -> bool {
    start.starts_with(START)
}

/// The Content-Security-Policy of the page, for a server that sends it.
#[must_use]
pub fn content_security_policy() -> String {
    page_policy(Some(SCRIPT_HASH))
}

/// Renders the page.
#[must_use]
pub fn html(report: &Report) -> String {
    let page = template! {
        (DOCTYPE)
        html lang="en" data-generator="imn report" {
            (page_head(&report.title, STYLE, Some(SCRIPT_HASH)))
            body {
                header { h1 { (report.title) } (subtitle(report)) }
                main {
                    (numbers(report))
                    @if let Some(trend) = &report.trend { (over_time(trend)) }
                    (groups(report))
                }
                footer {
                    p {
                        "Made with imn report. A model found the terms and sentiments, and it "
                        "makes mistakes. Every example shows the model's confidence."
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

fn subtitle(report: &Report) -> Markup {
    let dates = report.trend.as_ref().map(|trend| trend.range);
    template! {
        p.subtitle {
            (counted(report.totals.reviews, "review"))
            @if let Some((first, last)) = dates { ", " (first) @if last > first { " to " (last) } }
        }
    }
}

fn numbers(report: &Report) -> Markup {
    let totals = &report.totals;
    let cards = [
        (totals.reviews, "reviews"),
        (totals.with_aspects, "reviews with aspects"),
        (totals.aspects.total(), "aspects"),
        (totals.groups, "groups of aspects"),
        (totals.opinions, "opinions"),
    ];
    template! {
        section aria-labelledby="overview" {
            h2 #overview { "Overview" }
            dl.cards {
                @for (number, name) in cards { div { dt { (name) } dd { (thousands(number)) } } }
            }
            (key(totals.aspects))
            div.bars {
                @if totals.texts.total() > 0 { (labelled("Whole texts", totals.texts)) }
                (labelled("Aspects", totals.aspects))
            }
            (notes(report))
        }
    }
}

fn labelled(name: &str, tally: Tally) -> Markup {
    template! {
        div.labelled {
            span.label { (name) }
            (bar(tally, 1.0))
            span.shares { (bar::shares(tally)) }
        }
    }
}

/// Notes on what the numbers leave out.
fn notes(report: &Report) -> Markup {
    let totals = &report.totals;
    let without = totals.reviews - totals.texts.total();
    template! {
        ul.notes {
            @if totals.texts.total() > 0 && without > 0 {
                li {
                    "The sentiment of the whole text is unknown for "
                    (counted(without, "review")) "."
                }
            }
            @if totals.bad_lines > 0 {
                li.warn {
                    "Skipped " (counted(totals.bad_lines, "line"))
                    " that cannot be read as analysed reviews: "
                    @for (i, bad) in totals.first_bad.iter().enumerate() {
                        @if i > 0 { "; " }
                        "line " (bad.line) " (" (bad.reason) ")"
                    }
                    @if totals.bad_lines > totals.first_bad.len() as u64 { "; …" }
                    "."
                }
            }
            @if totals.ungrouped > 0 {
                li.warn {
                    (counted(totals.ungrouped, "aspect"))
                    " in no group, because there were too many groups."
                }
            }
        }
    }
}

fn over_time(trend: &Trend) -> Markup {
    let dates = &trend.dates;
    let example = dates.unread.example.as_ref();
    let example = example.or(dates.unread.missing_day.as_ref());
    template! {
        section aria-labelledby="trend" {
            h2 #trend { "Over time" }
            p.hint {
                "Aspects per " (trend.step.name())
                " by sentiment; below, the share of negative aspects."
            }
            (chart::chart(trend.step, &trend.points, chart::Size::Large, "all aspects"))
            @if dates.missing + dates.unreadable > 0 {
                ul.notes {
                    @if dates.missing > 0 {
                        li { (counted(dates.missing, "review")) " without a date." }
                    }
                    @if dates.unreadable > 0 {
                        li.warn {
                            (counted(dates.unreadable, "review")) " with an unreadable date"
                            @if let Some(example) = example { ", such as “" (example) "”" }
                            "."
                        }
                    }
                }
            }
        }
    }
}

fn groups(report: &Report) -> Markup {
    let largest = report
        .groups
        .first()
        .map_or(1, |group| group.aspects.total())
        .max(1);
    let step = report.trend.as_ref().map(|trend| trend.step);
    let hidden = report.totals.groups - report.groups.len() as u64;
    template! {
        section aria-labelledby="groups" {
            h2 #groups { "Aspects" }
            p.hint {
                "Terms are grouped by their head word: “batteries” and “battery life” are in "
                em { "battery" }
                ". Open a group to see its terms, opinions and example sentences. Net is the share "
                "of positive aspects minus the share of negative ones, in percentage points."
            }
            form.tools role="search" {
                label {
                    "Search "
                    input #search type="search" placeholder="aspect or term" autocomplete="off";
                }
                label {
                    "Sort by "
                    select #sort {
                        option value="count" { "number of aspects" }
                        option value="negative" { "share negative" }
                        option value="worst" { "net sentiment, worst first" }
                        option value="best" { "net sentiment, best first" }
                        option value="name" { "name" }
                    }
                }
                output #shown aria-live="polite" { (counted(report.groups.len() as u64, "group")) }
            }
            @if report.groups.is_empty() { p { "No aspects to show." } }
            div.heads aria-hidden="true" {
                span { "group" }
                span.wide { "aspects by sentiment" }
                span.right { "aspects" }
                span.right { "net" }
            }
            div #list {
                @for group in &report.groups { (group::group(group, largest, step)) }
            }
            @if hidden > 0 {
                p.hint {
                    "Not shown: " (counted(hidden, "smaller group")) " with "
                    (counted(report.unshown.total(), "aspect")) " in total."
                }
            }
        }
    }
}

/// `1 review`, `2,000 reviews`.
fn counted(number: u64, one: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {one}{s}", thousands(number))
}

/// A number with thousands separators.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use imn_testkit::script_hash;

    use super::*;

    #[test]
    fn the_page_allows_its_own_script() {
        let message = "update the hash of the changed script";
        assert_eq!(SCRIPT_HASH, script_hash(SCRIPT), "{message}");
        // Neither may contain the end tag of its element.
        assert!(!SCRIPT.contains("</") && !STYLE.contains("</"));
    }

    #[test]
    fn numbers_are_readable() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(thousands(number), text);
        }
        assert_eq!(
            (counted(1, "line"), counted(2000, "line")),
            ("1 line".into(), "2,000 lines".into())
        );
    }
}
