//! The text output of `imn score`.

use std::io::{self, Write};

use imn::data::Sentiment;
use imn::eval::{Metric, Prf, RunsTest, ScoreReport, ScoredRun, ScoredSystem, Variance};
use imn_repro::results::Summary;

pub(super) fn print(
    out: &mut impl Write,
    report: &ScoreReport,
    variance: Variance,
    level: f64,
) -> io::Result<()> {
    print_system(out, &report.system, level)?;
    if let Some(other) = &report.other {
        writeln!(out)?;
        print_system(out, other, level)?;
    }
    if let Some(tests) = &report.paired_test {
        writeln!(
            out,
            "\nfirst minus second: paired test by approximate randomization"
        )?;
        writeln!(
            out,
            "{:<11} {:>10} {:>17} {:>10}",
            "",
            "difference",
            interval_title(level),
            "p"
        )?;
        for test in tests {
            let interval = test
                .interval
                .map(|i| format!("{:+.2} to {:+.2}", i.low, i.high));
            writeln!(
                out,
                "{:<11} {:>+10.2} {:>17} {:>10.4}",
                test.metric,
                test.difference,
                interval.unwrap_or_default(),
                test.p_value
            )?;
        }
    }
    if let Some(tests) = &report.t_test {
        writeln!(
            out,
            "\nfirst minus second: one-tailed unpaired t-test over runs ({})",
            match variance {
                Variance::Welch => "Welch, unequal variances",
                Variance::Pooled => "Student, pooled variance",
            }
        )?;
        writeln!(
            out,
            "{:<11} {:>10} {:>8} {:>8} {:>10}",
            "", "difference", "t", "degrees", "p"
        )?;
        for RunsTest { metric, test } in tests {
            writeln!(
                out,
                "{metric:<11} {:>+10.2} {:>8.3} {:>8.2} {:>10.4}",
                test.difference, test.t, test.degrees, test.p_value
            )?;
        }
    }
    Ok(())
}

fn print_system(out: &mut impl Write, system: &ScoredSystem, level: f64) -> io::Result<()> {
    match system.runs.as_slice() {
        [run] => print_run(out, run, level),
        _ => print_runs(out, system),
    }
}

/// Prints a single run with its intervals and counts.
pub(in crate::commands) fn print_run(
    out: &mut impl Write,
    run: &ScoredRun,
    level: f64,
) -> io::Result<()> {
    let counts = &run.counts;
    writeln!(
        out,
        "{}: {} sentences",
        run.file.display(),
        counts.sentences
    )?;
    writeln!(
        out,
        "{:<11} {:>7} {:>17} {:>10} {:>7} {:>6} {:>10} {:>8}",
        "",
        "score",
        interval_title(level),
        "precision",
        "recall",
        "gold",
        "predicted",
        "correct"
    )?;
    for metric in Metric::ALL {
        let Some(score) = run.scores.get(metric) else {
            writeln!(
                out,
                "{metric:<11} {:>7}   not labelled or not predicted",
                "-"
            )?;
            continue;
        };
        let interval = run
            .intervals
            .get(metric)
            .map(|i| format!("{:.2} to {:.2}", i.low, i.high));
        write!(
            out,
            "{metric:<11} {score:>7.2} {:>17}",
            interval.unwrap_or_default()
        )?;
        if let Some(Prf {
            precision, recall, ..
        }) = run.scores.prf(metric)
        {
            write!(out, " {precision:>10.2} {recall:>7.2}")?;
        }
        let matches = match metric {
            Metric::F1A => Some(counts.aspects),
            Metric::F1O => Some(counts.opinions),
            Metric::F1I => Some(counts.integrated),
            Metric::AccS | Metric::F1S | Metric::MacroF1S => None,
        };
        if let Some(matches) = matches {
            write!(
                out,
                " {:>6} {:>10} {:>8}",
                matches.gold, matches.predicted, matches.correct
            )?;
        }
        writeln!(out)?;
        if metric == Metric::F1S {
            print_classes(out, run)?;
        }
    }
    let mut notes = Vec::new();
    let mut note = |count: u64, what: &str| {
        if count > 0 {
            notes.push(format!("{count} {what}"));
        }
    };
    note(
        counts.gold_conflicts,
        "gold aspects are conflict (F1-a only)",
    );
    note(
        counts.gold_unpolarised,
        "gold aspects have no polarity (F1-a only)",
    );
    note(
        counts.predicted_unpolarised,
        "predicted aspects have no polarity",
    );
    note(
        counts.gold_orphans,
        "inside tags without a begin tag ignored in gold",
    );
    note(
        counts.predicted_orphans,
        "inside tags without a begin tag ignored in the predictions",
    );
    if !notes.is_empty() {
        writeln!(out, "{}", notes.join("; "))?;
    }
    Ok(())
}

/// Prints the sentiment classes that F1-s averages.
fn print_classes(out: &mut impl Write, run: &ScoredRun) -> io::Result<()> {
    if let Some(sentiment) = &run.scores.sentiment {
        for ((polarity, prf), matches) in Sentiment::CLASSES
            .iter()
            .zip(&sentiment.classes)
            .zip(&run.counts.sentiments)
        {
            writeln!(
                out,
                "  {:<9} {:>7.2} {:>17} {:>10.2} {:>7.2} {:>6} {:>10} {:>8}",
                polarity.name(),
                prf.f1,
                "",
                prf.precision,
                prf.recall,
                matches.gold,
                matches.predicted,
                matches.correct
            )?;
        }
    }
    Ok(())
}

/// Prints mean, standard deviation and single scores of several runs.
fn print_runs(out: &mut impl Write, system: &ScoredSystem) -> io::Result<()> {
    for run in &system.runs {
        writeln!(
            out,
            "{}: {} sentences",
            run.file.display(),
            run.counts.sentences
        )?;
    }
    writeln!(out, "{:<11} {:>7} {:>7}  runs", "", "mean", "sd")?;
    for metric in Metric::ALL {
        let values = system.scores(metric).unwrap_or_default();
        let Some(Summary {
            mean, deviation, ..
        }) = Summary::of(&values)
        else {
            writeln!(out, "{metric:<11} {:>7}", "-")?;
            continue;
        };
        let deviation = deviation.unwrap_or_default();
        let each: Vec<String> = values.iter().map(|value| format!("{value:.2}")).collect();
        writeln!(
            out,
            "{metric:<11} {mean:>7.2} {deviation:>7.2}  {}",
            each.join(" ")
        )?;
    }
    Ok(())
}

fn interval_title(level: f64) -> String {
    format!("{level} % interval")
}
