//! The tables as a self-contained HTML page without scripts. Templates escape all text.

mod chart;
mod claims;
mod dots;
mod lines;

use imn::render::page_head;
use maud::{DOCTYPE, Markup, html as template};

use super::findings::{Finding, findings};
use super::grid::{Grid, grids};
use super::other::{self, OtherRuns, other_runs};
use super::runs::Runs;
use super::sheet::{Cell, Sheet};
use super::table::Table;
use super::words;
use crate::recipe::Recipe;
use crate::registry::{Origin, PAPER_RUNS};
use crate::results::RunResult;
use crate::sets::PaperSet;

const STYLE: &str = include_str!("../../../assets/tables.css");

/// Tables of a recipe's runs, charts and the checked claims of the paper, as an HTML page. If all
/// tables are requested, a last section lists the runs that none of them shows.
#[must_use]
pub fn html(recipe: Recipe, results: &[RunResult], tables: &[Table]) -> String {
    let runs = Runs::new(results);
    let title = words::title(recipe);
    let others = match tables == Table::ALL {
        true => other_runs(&runs),
        false => Vec::new(),
    };
    let parts: Vec<(Sheet, Vec<Finding>)> = tables
        .iter()
        .map(|&table| {
            (
                Sheet::new(recipe, table, &runs),
                findings(recipe, table, &runs),
            )
        })
        .collect();
    let page = template! {
        (DOCTYPE)
        html lang="en" {
            (page_head(&title, STYLE, None))
            body {
                header {
                    h1 { (title) }
                    p { (recipe.description()) }
                    p.hint {
                        "Scores on the test sets, in percent. The paper's values are means of "
                        (PAPER_RUNS) " runs."
                    }
                    @if runs.repeated() > 0 { p.hint { (words::repeated(runs.repeated())) } }
                }
                main {
                    (overview(&parts))
                    @for (sheet, findings) in &parts { (section(sheet, findings)) }
                    @if !others.is_empty() { (other_section(&others)) }
                }
            }
        }
    };
    page.into_string()
}

/// The verdict on every claim, and the status of each table.
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
            p.hint { (words::legend(sheet, "*")) }
            @for grid in grids(sheet) { (rows(&grid, sheet)) }
            p.hint {
                (words::status(sheet))
                @if !missing.is_empty() { " No runs yet: " (missing.join("; ")) "." }
            }
            (claims::claims(sheet, findings))
        }
    }
}

/// Runs that no table shows.
fn other_section(others: &[OtherRuns<'_>]) -> Markup {
    let inner = template! {
        table.scores {
            thead { tr { @for head in other::heads() { th.number scope="col" { (head) } } } }
            tbody {
                @for other in others {
                    tr { @for cell in other.cells() { td.number { (cell) } } }
                    @if let Some(values) = other.paper_cells() {
                        tr {
                            td.number { i { "paper" } } td.number { (other.set) } td {}
                            @for value in values { td.number { i { (value) } } }
                            td.number { "–" } td.number { "–" }
                        }
                    }
                }
            }
        }
    };
    template! {
        section aria-labelledby="other" {
            h2 #other { (words::OTHER_RUNS) }
            p { (words::OTHER_CAPTION) }
            (scrolling(words::OTHER_RUNS, &inner))
        }
    }
}

/// F1-I as a chart, one panel per set.
fn charts(sheet: &Sheet) -> Markup {
    template! {
        ul.key {
            li {
                span.ours aria-hidden="true" { "●" }
                " our mean F1-I, with a bar of one standard deviation to each side"
            }
            li { span.paper aria-hidden="true" { "◇" } " the paper's value" }
        }
        div.panels {
            @for set in PaperSet::ALL {
                figure {
                    figcaption { (set.title()) }
                    @if sheet.table == Table::Iterations {
                        (lines::panel(sheet, set))
                    } @else {
                        (dots::panel(sheet, set))
                    }
                }
            }
        }
    }
}

/// Puts a wide table into a container that scrolls and can be focused with the keyboard.
fn scrolling(label: &str, table: &Markup) -> Markup {
    template! { div.scroll tabindex="0" role="region" aria-label=(label) { (table) } }
}

fn rows(grid: &Grid, sheet: &Sheet) -> Markup {
    let set = grid.set.map(|set| set.title());
    let label = set
        .clone()
        .unwrap_or_else(|| sheet.table.title().to_owned());
    let inner = template! {
        table.scores {
            thead {
                tr {
                    th scope="col" { "system" }
                    th.number scope="col" { "runs" }
                    @for head in &grid.columns { th.number scope="col" { (head) } }
                }
            }
            tbody {
                @for row in &grid.rows {
                    tr.proposed[sheet.has_baselines() && row.system.origin == Origin::Proposed] {
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
                @let mean = format!("{:.2}", summary.mean);
                @if cell.best { b { (mean) } } @else { (mean) }
                @if cell.star { span.star title="significantly above every baseline" { "*" } }
                @if let Some(deviation) = summary.deviation {
                    span.deviation { (format!(" ± {deviation:.2}")) }
                }
                @if let Some(few) = words::few_runs(cell) { span.deviation { " (" (few) ")" } }
            }
        }
        @if let Some(paper) = cell.paper {
            span.below {
                i { (format!("{paper:.2}")) }
                @if let Some(difference) = cell.difference() {
                    " (" (words::signed(difference)) ")"
                }
            }
        }
    }
}
