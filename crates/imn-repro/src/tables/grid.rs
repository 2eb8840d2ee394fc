//! A filled table as rows and columns, in the order in which it is written.

use imn::eval::Metric;

use super::sheet::{Cell, Sheet};
use super::table::TableEntry;
use crate::sets::PaperSet;

/// One row per system. A table of several metrics has one grid per set; a table of one metric has
/// one grid, whose columns are the sets.
#[derive(Debug, Clone)]
pub(super) struct Grid<'a> {
    /// The set, if all cells are of one set.
    pub(super) set: Option<PaperSet>,
    /// The heads of the columns of cells.
    pub(super) columns: Vec<String>,
    /// One row per system.
    pub(super) rows: Vec<Row<'a>>,
}

/// The cells of a system.
#[derive(Debug, Clone)]
pub(super) struct Row<'a> {
    /// The system.
    pub(super) system: TableEntry,
    /// One cell per column.
    pub(super) cells: Vec<&'a Cell>,
}

impl Row<'_> {
    /// The number of runs, or one number per column if they differ; a dash if there are none.
    pub(super) fn runs(&self) -> String {
        let runs: Vec<usize> = self.cells.iter().map(|cell| cell.scores.len()).collect();
        match runs.first() {
            Some(0) if runs.iter().all(|&n| n == 0) => "–".to_owned(),
            Some(first) if runs.iter().all(|n| n == first) => first.to_string(),
            _ => runs
                .iter()
                .map(usize::to_string)
                .collect::<Vec<_>>()
                .join(", "),
        }
    }
}

/// The grids of a table.
pub(super) fn grids(sheet: &Sheet) -> Vec<Grid<'_>> {
    match sheet.table.metrics() {
        [metric] => {
            let columns = PaperSet::ALL.map(|set| (set.title(), set, *metric));
            vec![grid(sheet, None, &columns)]
        }
        metrics => {
            let of_set = |set: PaperSet| {
                let columns: Vec<(String, PaperSet, Metric)> = metrics
                    .iter()
                    .map(|&metric| (metric.to_string(), set, metric))
                    .collect();
                grid(sheet, Some(set), &columns)
            };
            PaperSet::ALL.into_iter().map(of_set).collect()
        }
    }
}

fn grid<'a>(
    sheet: &'a Sheet,
    set: Option<PaperSet>,
    columns: &[(String, PaperSet, Metric)],
) -> Grid<'a> {
    let row = |&system: &TableEntry| Row {
        system,
        cells: columns
            .iter()
            .filter_map(|(_, set, metric)| sheet.cell(system.name, set.name(), *metric))
            .collect(),
    };
    Grid {
        set,
        columns: columns.iter().map(|(head, ..)| head.clone()).collect(),
        rows: sheet.systems.iter().map(row).collect(),
    }
}
