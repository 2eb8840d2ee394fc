//! Texts and number formats that the Markdown and the HTML page share.

use imn::eval::{MeanDifference, Metric};

use super::against_paper::AgainstPaper;
use super::findings::Comparison;
use super::sheet::{Cell, SIGNIFICANT, Sheet};
use crate::recipe::Recipe;
use crate::sets::PaperSet;

/// Cells with fewer runs than this show the number of runs.
const FEW: usize = 3;

/// The heading of the runs that no table shows.
pub(super) const OTHER_RUNS: &str = "Other runs";

/// The caption below this heading.
pub(super) const OTHER_CAPTION: &str =
    "Systems and sets that none of the tables above shows, such as extractors on their own.";

/// The title of a page.
pub(super) fn title(recipe: Recipe) -> String {
    format!("The paper's tables from our runs: recipe {recipe}")
}

/// How claims are judged.
pub(super) const RULE: &str = "\
    Each entry is the mean difference of F1-I between runs with the same seed, its 95 % t interval \
    in brackets, and n, the number of seeds that both systems have. The mean over the three sets \
    decides: a claim holds if its interval is above 0, does not hold if no part of the interval is \
    above 0, and is inconclusive otherwise. Intervals are not corrected for the number of pairs.";

/// `+0.31` or `−0.31`, with a minus sign as wide as the plus sign.
pub(super) fn signed(difference: f64) -> String {
    let text = format!("{difference:+.2}");
    match text.as_str() {
        "-0.00" => "+0.00".to_owned(),
        _ => text.replace('-', "−"),
    }
}

/// `n = 1`, if a cell has few runs.
pub(super) fn few_runs(cell: &Cell) -> Option<String> {
    let runs = cell.summary?.runs;
    (runs < FEW).then(|| format!("n = {runs}"))
}

/// `+0.31 [−0.20, +0.82], n = 5`; a dash without common seeds.
pub(super) fn difference(difference: Option<MeanDifference>) -> String {
    let Some(difference) = difference else {
        return "–".to_owned();
    };
    let interval = difference.interval.map_or_else(String::new, |interval| {
        format!(" [{}, {}]", signed(interval.low), signed(interval.high))
    });
    let (mean, pairs) = (signed(difference.mean), difference.pairs);
    format!("{mean}{interval}, n = {pairs}")
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

/// The note on results that were left out.
pub(super) fn repeated(number: usize) -> String {
    format!(
        "Left out: {} with the same system, set and seed as an earlier one.",
        plural(number, "result")
    )
}

/// How many cells of a table have runs, and the training time.
pub(super) fn status(sheet: &Sheet) -> String {
    let cells = plural(sheet.cells.len(), "cell");
    if sheet.runs == 0 {
        return format!("No runs yet: {cells} are empty.");
    }
    let shared = if sheet.has_baselines() {
        " (a network that several pipelines share counts in each of them)"
    } else {
        ""
    };
    format!(
        "{} of {cells} have runs: {}, {} of training in total, {} with seed 1{shared}.",
        sheet.filled(),
        plural(sheet.runs, "run"),
        duration(sheet.time.all),
        duration(sheet.time.first_seed)
    )
}

/// The legend of a table; `star` is the star as the page writes it.
pub(super) fn legend(sheet: &Sheet, star: &str) -> String {
    let marks = if sheet.has_baselines() {
        format!(
            " {star} A proposed system that is above every baseline, and significantly above each \
             baseline with two or more runs (p < {SIGNIFICANT}, one-tailed unpaired t-test)."
        )
    } else {
        String::new()
    };
    format!(
        "Mean ± standard deviation over runs, with the number of runs n if there are fewer than \
         {FEW}; below, the paper's value and our mean minus it. Bold: the best mean of a \
         column.{marks}"
    )
}

/// F1-I of every system of a table compared with the paper: one row per system, one column per set.
pub(super) fn against_paper(sheet: &Sheet) -> Vec<(&'static str, Vec<(&Cell, AgainstPaper)>)> {
    let of_system = |name| {
        let cells = PaperSet::ALL
            .into_iter()
            .filter_map(move |set| sheet.cell(name, set.name(), Metric::F1I));
        cells.map(|cell| (cell, AgainstPaper::of(cell))).collect()
    };
    sheet
        .systems
        .iter()
        .map(|system| (system.label, of_system(system.name)))
        .collect()
}

/// `3 at or above the paper's value, 2 below it, 28 without runs`.
pub(super) fn against_paper_counts(rows: &[(&str, Vec<(&Cell, AgainstPaper)>)]) -> String {
    let count = |wanted| {
        rows.iter()
            .flat_map(|(_, cells)| cells)
            .filter(|(_, against)| *against == wanted)
            .count()
    };
    let counts: Vec<String> = AgainstPaper::ALL
        .into_iter()
        .map(|against| (against, count(against)))
        .filter(|(_, n)| *n > 0)
        .map(|(against, n)| format!("{n} {against}"))
        .collect();
    counts.join(", ")
}

/// The paper's means over the sets for a pair of systems, and their difference; a dash if there are
/// none.
pub(super) fn paper_means(means: Option<(f64, f64)>) -> String {
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
        let difference = |differences: &[f64]| difference(MeanDifference::of(differences, 0.95));
        assert_eq!(difference(&[]), "–");
        assert_eq!(difference(&[-0.5]), "−0.50, n = 1");
        assert_eq!(difference(&[1.0, 2.0, 3.0]), "+2.00 [−0.48, +4.48], n = 3");
        let texts = [12.4, 29.9, 61.0, 3_600.0, 90_061.0].map(duration);
        assert_eq!(texts, ["12 s", "30 s", "1 min", "1 h 0 min", "25 h 1 min"]);
        assert_eq!([plural(1, "run"), plural(0, "run")], ["1 run", "0 runs"]);
    }
}
