//! Numbers as both pages write them.

use imn::eval::Metric;

use super::findings::Comparison;
use super::reach::Reach;
use super::sheet::{Cell, SIGNIFICANT, Sheet};
use super::table::{SETS, Table};

/// How claims are judged.
pub(super) const RULE: &str =
    "Means of F1-I over the three sets decide; p is of a one-tailed unpaired t-test over runs.";

/// `+0.31` or `−0.31`, with a minus that is as wide as a plus.
pub(super) fn signed(difference: f64) -> String {
    let text = format!("{difference:+.2}");
    match text.as_str() {
        "-0.00" => "+0.00".to_owned(),
        _ => text.replace('-', "−"),
    }
}

/// `66.74 ± 0.47 (5)`: with the number of runs. A dash where there are none.
pub(super) fn counted(cell: &Cell) -> String {
    cell.summary.map_or_else(
        || "–".to_owned(),
        |summary| format!("{summary} ({})", summary.runs),
    )
}

/// `p = 0.012`.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.001 {
        "p < 0.001".to_owned()
    } else {
        format!("p = {p:.3}")
    }
}

/// `3 h 12 min`.
pub(super) fn duration(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as u64;
    match (minutes / 60, minutes % 60) {
        (0, 0) => format!("{seconds:.0} s"),
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// `1 run`, `2 runs`.
pub(super) fn plural(number: usize, one: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {one}{s}")
}

/// That results were left out.
pub(super) fn repeated(number: usize) -> String {
    format!(
        "Left out: {} of the same system, set and seed as an earlier one.",
        plural(number, "result")
    )
}

/// How much of a table there is, and how long it took.
pub(super) fn status(sheet: &Sheet) -> String {
    let cells = plural(sheet.cells.len(), "cell");
    if sheet.runs == 0 {
        return format!("No runs yet: {cells} are empty.");
    }
    let shared = if sheet.table.has_baselines() {
        " (a part of several pipelines counts once)"
    } else {
        ""
    };
    format!(
        "{} of {cells} have runs: {} that took {} of training, {} with one seed{shared}.",
        sheet.filled(),
        plural(sheet.runs, "run"),
        duration(sheet.time.all),
        duration(sheet.time.first_seed)
    )
}

/// What the marks of a table mean; `star` is the star as it is written there.
pub(super) fn legend(table: Table, star: &str) -> String {
    let marks = if table.has_baselines() {
        format!(
            " {star} A proposed system that is above every baseline, and significantly (p < {SIGNIFICANT}, one-tailed unpaired t-test) above \
             each baseline that has two runs or more."
        )
    } else {
        String::new()
    };
    format!(
        "Mean ± standard deviation over runs; below it the paper's value, and ours less the paper's. Bold: the best mean of a column.{marks}"
    )
}

/// F1-I of every system of a table against the paper's, a row a system and a column a set.
pub(super) fn reaches(sheet: &Sheet) -> Vec<(&'static str, Vec<(&Cell, Reach)>)> {
    let of_system = |name| {
        let cells = SETS
            .into_iter()
            .filter_map(move |set| sheet.cell(name, set.name, Metric::F1I));
        cells.map(|cell| (cell, Reach::of(cell))).collect()
    };
    let systems = sheet.table.systems().iter();
    systems
        .map(|system| (system.label, of_system(system.name)))
        .collect()
}

/// `3 at or above, 2 within 2.0 points, …` of all those.
pub(super) fn reach_counts(rows: &[(&str, Vec<(&Cell, Reach)>)]) -> String {
    let count = |wanted| {
        rows.iter()
            .flat_map(|(_, cells)| cells)
            .filter(|(_, reach)| *reach == wanted)
            .count()
    };
    let counts = Reach::ALL
        .into_iter()
        .map(|reach| (reach, count(reach)))
        .filter(|(_, n)| *n > 0);
    counts
        .map(|(reach, n)| format!("{n} {reach}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The test whether one cell is above another, where both have two runs or more.
pub(super) fn test(better: &Cell, worse: &Cell) -> Option<String> {
    better.p_above(worse).map(p_value)
}

/// A pair of systems on one set: both with deviations and runs, and the test where there is one.
pub(super) fn on_set((better, worse): &(Cell, Cell)) -> String {
    let both = format!("{} against {}", counted(better), counted(worse));
    match test(better, worse) {
        None => both,
        Some(test) => format!("{both}, {test}"),
    }
}

/// The means over sets of a pair: both, and how far the first is above. A dash where there are none.
pub(super) fn over_sets(means: Option<(f64, f64)>) -> String {
    let text = |(better, worse): (f64, f64)| {
        format!(
            "{better:.2} against {worse:.2} ({})",
            signed(better - worse)
        )
    };
    means.map_or_else(|| "–".to_owned(), text)
}

/// `IMN > IMN⁻ᵈ`.
pub(super) fn pair(comparison: &Comparison) -> String {
    format!("{} > {}", comparison.better.label, comparison.worse.label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(
            [signed(0.314), signed(-1.5), signed(-0.001)],
            ["+0.31", "−1.50", "+0.00"]
        );
        assert_eq!(
            [p_value(0.0124), p_value(0.00001)],
            ["p = 0.012", "p < 0.001"]
        );
        let texts = [12.4, 29.9, 61.0, 3_600.0, 90_061.0].map(duration);
        assert_eq!(texts, ["12 s", "30 s", "1 min", "1 h 0 min", "25 h 1 min"]);
        assert_eq!([plural(1, "run"), plural(0, "run")], ["1 run", "0 runs"]);
    }
}
