//! The tables as one HTML page that needs nothing but a browser: no script, nothing fetched.
//!
//! All text is escaped by the templates; what is not (`PreEscaped`) is the program's own.

mod chart;
mod claims;
mod dots;
mod lines;

use imn::results::RunResult;
use maud::{DOCTYPE, Markup, PreEscaped, html as template};

use super::findings::{Finding, findings};
use super::grid::{Grid, grids};
use super::runs::Runs;
use super::sheet::{Cell, Sheet};
use super::table::{Role, Table};
use super::words;

const STYLE: &str = include_str!("../../../assets/tables.css");
/// The page loads nothing and runs no script, whatever should get into it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";
const TITLE: &str = "The paper's tables from our runs";

/// Tables with charts and with what the paper claims of them, checked, as an HTML page.
#[must_use]
pub fn html(results: &[RunResult], tables: &[Table]) -> String {
    let runs = Runs::new(results);
    let parts: Vec<(Sheet, Vec<Finding>)> = tables
        .iter()
        .map(|&table| (Sheet::new(table, &runs), findings(table, &runs)))
        .collect();
    let page = template! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (TITLE) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (TITLE) }
                    p.hint { "Scores on test sets, in percent. The paper's values are means of " (imn::results::PAPER_RUNS) " runs." }
                    @if runs.repeated() > 0 { p.hint { (words::repeated(runs.repeated())) } }
                }
                main {
                    (overview(&parts))
                    @for (sheet, findings) in &parts { (section(sheet, findings)) }
                }
            }
        }
    };
    page.into_string()
}

/// What became of every claim, and how much of each table there is.
fn overview(parts: &[(Sheet, Vec<Finding>)]) -> Markup {
    template! {
        ul.overview {
            @for (sheet, findings) in parts {
                li {
                    a href={ "#" (sheet.table.name()) } { (sheet.table.title()) }
                    span.hint { " " (words::status(sheet)) }
                    ul {
                        @for finding in findings {
                            li { (claims::verdict(finding.verdict())) " " (finding.claim) }
                        }
                    }
                }
            }
        }
    }
}

fn section(sheet: &Sheet, findings: &[Finding]) -> Markup {
    let table = sheet.table;
    let missing = sheet.missing();
    template! {
        section aria-labelledby=(table.name()) {
            h2 #(table.name()) { (table.title()) }
            p { (table.caption()) }
            (charts(sheet))
            p.hint { (words::legend(table, "*")) }
            @for grid in grids(sheet) { (rows(&grid, table)) }
            p.hint {
                (words::status(sheet))
                @if !missing.is_empty() { " No runs yet: " (missing.join("; ")) "." }
            }
            (claims::claims(sheet, findings))
        }
    }
}

/// F1-I as a picture, a panel a set.
fn charts(sheet: &Sheet) -> Markup {
    template! {
        ul.key {
            li { span.ours aria-hidden="true" { "●" } " our mean of F1-I, with a bar of one standard deviation to each side" }
            li { span.paper aria-hidden="true" { "◇" } " the paper's" }
        }
        div.panels {
            @for set in super::table::SETS {
                figure {
                    figcaption { (set.to_string()) }
                    @match sheet.table {
                        Table::Iterations => (lines::panel(sheet, set)),
                        Table::Main | Table::Ablation | Table::NoOpinion => (dots::panel(sheet, set)),
                    }
                }
            }
        }
    }
}

/// A table that is wider than a phone scrolls by itself, and can be reached by keys.
fn scrolling(label: &str, table: &Markup) -> Markup {
    template! { div.scroll tabindex="0" role="region" aria-label=(label) { (table) } }
}

fn rows(grid: &Grid, table: Table) -> Markup {
    let set = grid.set.map(|set| set.to_string());
    let label = set.clone().unwrap_or_else(|| table.title().to_owned());
    let inner = template! {
        table.scores {
            thead { tr { th scope="col" { "system" } th.number scope="col" { "runs" } @for head in &grid.columns { th.number scope="col" { (head) } } } }
            tbody {
                @for row in &grid.rows {
                    tr.proposed[table.has_baselines() && row.system.role == Role::Proposed] {
                        th scope="row" { (row.system.label) }
                        td.number { (row.runs()) }
                        @for cell in &row.cells { td.number { (score(cell)) } }
                    }
                }
            }
        }
    };
    template! {
        @if let Some(set) = set { h3 { (set) } }
        (scrolling(&label, &inner))
    }
}

fn score(cell: &Cell) -> Markup {
    template! {
        @match cell.summary {
            None => { "–" }
            Some(summary) => {
                @if cell.best { b { (format!("{:.2}", summary.mean)) } } @else { (format!("{:.2}", summary.mean)) }
                @if cell.star { span.star title="significantly above every baseline" { "*" } }
                @if let Some(deviation) = summary.deviation { span.deviation { (format!(" ± {deviation:.2}")) } }
            }
        }
        @if let Some(paper) = cell.paper {
            span.below {
                i { (format!("{paper:.2}")) }
                @if let Some(difference) = cell.difference() { " (" (words::signed(difference)) ")" }
            }
        }
    }
}
