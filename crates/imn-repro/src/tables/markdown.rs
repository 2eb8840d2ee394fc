//! The tables as Markdown.

use std::fmt::Write as _;

use super::findings::{Finding, findings};
use super::grid::{Grid, grids};
use super::other::{self, OtherRuns, other_runs};
use super::runs::Runs;
use super::sheet::{Cell, Sheet};
use super::table::Table;
use super::words::{self, plural};
use crate::recipe::Recipe;
use crate::results::RunResult;
use crate::sets::PaperSet;

/// Tables of a recipe's runs and the checked claims of the paper, as Markdown. If all tables are
/// requested, a last section lists the runs that none of them shows.
#[must_use]
pub fn markdown(recipe: Recipe, results: &[RunResult], tables: &[Table]) -> String {
    let runs = Runs::new(results);
    let mut out = format!("# {}\n\n{}\n\n", words::title(recipe), recipe.description());
    if runs.repeated() > 0 {
        let _ = writeln!(out, "{}\n", words::repeated(runs.repeated()));
    }
    for (i, &table) in tables.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        section(
            &mut out,
            &Sheet::new(recipe, table, &runs),
            &findings(recipe, table, &runs),
        );
    }
    if tables == Table::ALL {
        write_others(&mut out, &other_runs(&runs));
    }
    out
}

fn section(out: &mut String, sheet: &Sheet, findings: &[Finding]) {
    let table = sheet.table;
    let _ = writeln!(out, "## {}\n\n{}\n", table.title(), table.caption());
    let (legend, status) = (words::legend(sheet, "\\*"), words::status(sheet));
    let _ = writeln!(out, "{legend}\n\n{status}\n");
    for grid in grids(sheet) {
        write_grid(out, &grid);
    }
    let missing = sheet.missing();
    if !missing.is_empty() {
        let _ = writeln!(out, "No runs yet: {}.\n", missing.join("; "));
    }
    out.push_str("### What the paper claims\n\n");
    let _ = writeln!(out, "{}", words::RULE);
    for finding in findings {
        write_finding(out, finding);
    }
    if table == Table::Main {
        write_against_paper(out, sheet);
    }
}

/// Runs that no table shows.
fn write_others(out: &mut String, others: &[OtherRuns<'_>]) {
    if others.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\n## {}\n\n{}\n",
        words::OTHER_RUNS,
        words::OTHER_CAPTION
    );
    heads(out, other::heads().into_iter().map(str::to_owned));
    for other in others {
        line(out, other.cells());
        if let Some(values) = other.paper_cells() {
            let values = values.into_iter().map(|value| match value.as_str() {
                "–" => value,
                _ => format!("*{value}*"),
            });
            let first = ["*paper*", other.set, ""].map(str::to_owned);
            let last = ["–", "–"].map(str::to_owned);
            line(out, first.into_iter().chain(values).chain(last));
        }
    }
}

/// A row of a table.
fn line(out: &mut String, cells: impl IntoIterator<Item = String>) {
    out.push('|');
    for cell in cells {
        let _ = write!(out, " {} |", cell.replace('|', "\\|"));
    }
    out.push('\n');
}

/// The header row of a table and the line below it.
fn heads(out: &mut String, heads: impl IntoIterator<Item = String>) {
    let names: Vec<String> = heads.into_iter().collect();
    let rule = "|---".repeat(names.len());
    line(out, names);
    let _ = writeln!(out, "{rule}|");
}

fn write_grid(out: &mut String, grid: &Grid) {
    if let Some(set) = grid.set {
        let _ = writeln!(out, "### {}\n", set.title());
    }
    let first = ["system", "runs"].map(str::to_owned);
    heads(out, first.into_iter().chain(grid.columns.iter().cloned()));
    for row in &grid.rows {
        let label = [row.system.label.to_owned(), row.runs()];
        line(
            out,
            label
                .into_iter()
                .chain(row.cells.iter().map(|cell| ours(cell))),
        );
        let label = ["*paper*".to_owned(), String::new()];
        line(
            out,
            label
                .into_iter()
                .chain(row.cells.iter().map(|cell| paper(cell))),
        );
    }
    out.push('\n');
}

fn ours(cell: &Cell) -> String {
    let Some(summary) = cell.summary else {
        return "–".to_owned();
    };
    let bold = if cell.best { "**" } else { "" };
    let star = if cell.star { "\\*" } else { "" };
    let few = words::few_runs(cell).map_or_else(String::new, |few| format!(" ({few})"));
    format!("{bold}{summary}{bold}{star}{few}")
}

fn paper(cell: &Cell) -> String {
    match (cell.paper, cell.difference()) {
        (None, _) => "–".to_owned(),
        (Some(paper), None) => format!("*{paper:.2}*"),
        (Some(paper), Some(difference)) => format!("*{paper:.2}* ({})", words::signed(difference)),
    }
}

fn write_finding(out: &mut String, finding: &Finding) {
    let _ = writeln!(out, "\n**{}** – {}.", finding.claim, finding.verdict());
    if let Some(note) = finding.note {
        let _ = writeln!(out, "{note}");
    }
    out.push('\n');
    let first = ["claim", "verdict", "mean over sets", "in the paper"].map(str::to_owned);
    heads(
        out,
        first
            .into_iter()
            .chain(PaperSet::ALL.map(|set| set.title())),
    );
    for comparison in &finding.comparisons {
        let first = [
            words::pair(comparison),
            comparison.verdict().to_string(),
            words::difference(comparison.difference),
            words::paper_means(comparison.paper()),
        ];
        line(
            out,
            first
                .into_iter()
                .chain(comparison.sets.map(words::difference)),
        );
    }
}

fn write_against_paper(out: &mut String, sheet: &Sheet) {
    let rows = words::against_paper(sheet);
    let cells = plural(rows.iter().map(|(_, cells)| cells.len()).sum(), "cell");
    let _ = writeln!(
        out,
        "\n**F1-I minus the paper's value.** Of {cells}: {}.\n",
        words::against_paper_counts(&rows)
    );
    heads(
        out,
        ["system".to_owned()]
            .into_iter()
            .chain(PaperSet::ALL.map(|set| set.title())),
    );
    for (label, cells) in &rows {
        let differences = cells.iter().map(|(cell, _)| match cell.difference() {
            None => "–".to_owned(),
            Some(difference) => words::signed(difference),
        });
        line(out, [(*label).to_owned()].into_iter().chain(differences));
    }
}
