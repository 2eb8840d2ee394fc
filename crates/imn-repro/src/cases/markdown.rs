//! The case analysis as Markdown: one table of all sentences, then IMN's rounds sentence by
//! sentence.

use std::fmt::Write as _;

use imn::analyze::Explanation;

use super::{Case, SYSTEMS, summary};

/// The most probable tag and the sentiment of every word after every round, one row per word.
fn rounds(explanation: &Explanation) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for sentence in &explanation.words.sentences {
        for (i, token) in sentence.tokens.iter().enumerate() {
            let mut row = vec![token.text.clone()];
            for round in &sentence.rounds {
                let (tag, sure) = explanation.best_tag(&round.tags[i]);
                let percents = round.sentiments[i].iter();
                let sentiments: Vec<String> =
                    percents.map(|p| format!("{:.0}", 100.0 * p)).collect();
                row.push(format!("{tag:?} {:.0}", 100.0 * sure));
                row.push(sentiments.join("/"));
            }
            rows.push(row);
        }
    }
    rows
}

/// The case analysis as Markdown.
#[must_use]
pub fn markdown(cases: &[Case]) -> String {
    let mut out = String::from("## Case analysis\n\n| | sentence and annotation |");
    for (_, label) in SYSTEMS {
        let _ = write!(out, " {label}: opinions | {label}: aspects |");
    }
    out.push_str("\n|---|---|");
    out.push_str(&"---|---|".repeat(SYSTEMS.len()));
    out.push('\n');
    for (i, case) in cases.iter().enumerate() {
        let (aspects, opinions) = case.gold.words();
        let escaped = |text: &str| text.replace('|', "\\|");
        let (text, aspects, opinions) =
            (escaped(&case.text), escaped(&aspects), escaped(&opinions));
        let _ = write!(
            out,
            "| {} | {text} ({}) aspects: {aspects}; opinions: {opinions} |",
            i + 1,
            case.set.name()
        );
        for terms in &case.predicted {
            let (aspects, opinions) = terms.words();
            let _ = write!(out, " {} | {} |", escaped(&opinions), escaped(&aspects));
        }
        out.push('\n');
    }
    let _ = writeln!(out, "\n{}\n", summary(cases));
    for (i, case) in cases.iter().enumerate() {
        let rows = rounds(&case.explanation);
        let rounds = rows.first().map_or(0, |row| row.len() / 2);
        let _ = writeln!(
            out,
            "### {}. IMN, round by round\n\nThe most probable tag with its probability, and the \
             probabilities of positive/negative/neutral, in percent.\n",
            i + 1
        );
        out.push_str("| word |");
        for round in 0..rounds {
            let _ = write!(out, " T = {round} | |");
        }
        let _ = writeln!(out, "\n|---|{}", "---|---|".repeat(rounds));
        for row in rows {
            let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
            let _ = writeln!(out, "| {} |", cells.join(" | "));
        }
        out.push('\n');
    }
    out
}
