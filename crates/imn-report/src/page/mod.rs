//! The report as one HTML page that needs nothing but a browser.
//!
//! All text is escaped by the templates; what is not (`PreEscaped`) is the program's own. Without scripts everything is there and opens; the
//! script sorts and searches.

mod bar;
mod chart;
mod group;

use maud::{DOCTYPE, Markup, PreEscaped, html as template};

use crate::{Report, Tally, Trend};
use bar::{bar, key};

const STYLE: &str = include_str!("../../assets/report.css");
const SCRIPT: &str = include_str!("../../assets/report.js");
/// The page fetches nothing, and of scripts it runs this one only, whatever else should get into it.
const SCRIPT_HASH: &str = "sha256-4ZNtlzJBN8Anj0OWitC0B76rysq4m/MQDJVLCOyz+B8=";

/// The Content-Security-Policy of the page: it loads nothing, and runs its own script only. The page
/// states it; a server that sends the page can send the same.
#[must_use]
pub fn content_security_policy() -> String {
    format!("default-src 'none'; style-src 'unsafe-inline'; script-src '{SCRIPT_HASH}'")
}

/// Draws the page.
#[must_use]
pub fn html(report: &Report) -> String {
    let policy = content_security_policy();
    let page = template! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy);
                title { (report.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header { h1 { (report.title) } (subtitle(report)) }
                main {
                    (numbers(report))
                    @if let Some(trend) = &report.trend { (over_time(trend)) }
                    (groups(report))
                }
                footer { p { "Made with imn report. Sentiments and terms were found by a model, which errs; how sure it was stands at each example." } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

fn subtitle(report: &Report) -> Markup {
    let dates = report.trend.as_ref().map(|trend| {
        let day = |point: Option<&crate::TrendPoint>| {
            point
                .map(|point| trend.step.label(point.start))
                .unwrap_or_default()
        };
        (day(trend.points.first()), day(trend.points.last()))
    });
    template! {
        p.subtitle {
            (counted(report.totals.reviews, "review"))
            @if let Some((first, last)) = dates { ", " (first) " to " (last) }
        }
    }
}

fn numbers(report: &Report) -> Markup {
    let totals = &report.totals;
    let cards = [
        (totals.reviews, "reviews"),
        (totals.with_aspects, "with an aspect"),
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

/// What the numbers leave out.
fn notes(report: &Report) -> Markup {
    let totals = &report.totals;
    let without = totals.reviews - totals.texts.total();
    template! {
        ul.notes {
            @if totals.texts.total() > 0 && without > 0 {
                li { (counted(without, "review")) " without a sentiment of the whole text." }
            }
            @if totals.bad_lines > 0 {
                li.warn {
                    (counted(totals.bad_lines, "line")) " of the input skipped, being no analysed review: "
                    @for (i, bad) in totals.first_bad.iter().enumerate() {
                        @if i > 0 { "; " }
                        "line " (bad.line) " (" (bad.reason) ")"
                    }
                    @if totals.bad_lines > totals.first_bad.len() as u64 { "; …" }
                    "."
                }
            }
            @if totals.ungrouped > 0 {
                li.warn { (counted(totals.ungrouped, "aspect")) " in no group, because there were too many different ones." }
            }
        }
    }
}

fn over_time(trend: &Trend) -> Markup {
    let dates = &trend.dates;
    template! {
        section aria-labelledby="trend" {
            h2 #trend { "Over time" }
            p.hint { "Aspects a " (trend.step.name()) " by sentiment, and the share of negative ones below." }
            (chart::chart(trend.step, &trend.points, chart::Size::Large, "all aspects"))
            @if dates.missing + dates.unreadable > 0 {
                ul.notes {
                    @if dates.missing > 0 { li { (counted(dates.missing, "review")) " without a date." } }
                    @if dates.unreadable > 0 {
                        li.warn {
                            (counted(dates.unreadable, "review")) " with a date that cannot be read"
                            @if let Some(example) = &dates.example { ", such as “" (example) "”" }
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
                "Terms are grouped by their head word: “batteries” and “battery life” are in " em { "battery" } ". Open a group for its terms, opinions and sentences. Net is the share of positive aspects less that of negative ones, in points."
            }
            form.tools role="search" {
                label { "Search " input #search type="search" placeholder="aspect or term" autocomplete="off"; }
                label {
                    "Sort by "
                    select #sort {
                        option value="count" { "how often" }
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
                span { "group" } span.wide { "aspects by sentiment" } span.right { "aspects" } span.right { "net" }
            }
            div #list {
                @for group in &report.groups { (group::group(group, largest, step)) }
            }
            @if hidden > 0 {
                p.hint {
                    (counted(hidden, "smaller group")) " with " (counted(report.unshown.total(), "aspect")) " in all not shown."
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

/// A number with a comma between thousands.
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
    use sha2::{Digest as _, Sha256};

    use super::*;

    /// RFC 4648 for a hash of 32 bytes.
    fn base64(bytes: &[u8]) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for three in bytes.chunks(3) {
            let bits = three
                .iter()
                .fold(0, |bits, &byte| bits << 8 | usize::from(byte))
                << (8 * (3 - three.len()));
            for i in 0..4 {
                let letter = char::from(LETTERS[bits >> (18 - 6 * i) & 63]);
                text.push(if i <= three.len() { letter } else { '=' });
            }
        }
        text
    }

    #[test]
    fn the_page_allows_its_own_script() {
        let hash = base64(&Sha256::digest(SCRIPT.as_bytes()));
        assert_eq!(
            SCRIPT_HASH,
            format!("sha256-{hash}"),
            "the script was changed: so is its hash"
        );
        // Neither may end its element.
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
