//! The case analysis: what PIPELINE, INABSA and IMN predict for the paper's five sentences, and
//! what IMN predicts after every round.
//!
//! The sentences are in `cases.jsonl` in the data folder. Each is analysed by the models of its
//! set.

mod markdown;
mod page;

use std::path::{Path, PathBuf};

use imn::analyze::{Analyzer, Explanation};
use imn::data::{AnnotatedSentence, Polarity};
use serde::Deserialize;

pub use markdown::markdown;
pub use page::html;

use crate::registry::{UnknownSystem, parse};
use crate::runner::{Job, RunError, RunWatch, Runner};
use crate::sets::PaperSet;

/// The systems and their labels in the paper's table, in its order.
const SYSTEMS: [(&str, &str); 3] = [
    ("pipeline", "PIPELINE"),
    ("inabsa", "INABSA"),
    ("imn", "IMN"),
];

/// The sets of the paper's sentences, in its order. All but the third are in the test split of
/// their set, which no system is trained on. The third, about a battery, is in no set.
const SETS: [PaperSet; 5] = [
    PaperSet::Lap14,
    PaperSet::Res14,
    PaperSet::Lap14,
    PaperSet::Res15,
    PaperSet::Lap14,
];

/// Why the case analysis failed.
#[derive(Debug, thiserror::Error)]
pub enum CasesError {
    /// The file of cases cannot be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: std::io::Error,
    },
    /// A line is not a valid case.
    #[error("{}, line {line}: {error}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The cause.
        error: serde_json::Error,
    },
    /// The number of sentences differs from the paper's.
    #[error("{}: {found} sentences, but the paper has {}", path.display(), SETS.len())]
    Count {
        /// The file.
        path: PathBuf,
        /// The number of sentences.
        found: usize,
    },
    /// A system of the case analysis is not in the registry.
    #[error(transparent)]
    Unknown(#[from] UnknownSystem),
    /// A system could not be trained or opened.
    #[error(transparent)]
    Run(#[from] RunError),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    text: String,
    aspects: Vec<(String, Polarity)>,
    opinions: Vec<String>,
}

/// Terms of a sentence: its aspects with sentiments, its opinions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terms {
    /// Aspect terms.
    pub aspects: Vec<(String, Option<Polarity>)>,
    /// Opinion terms.
    pub opinions: Vec<String>,
}

impl Terms {
    fn of(sentence: &AnnotatedSentence) -> Self {
        let opinions = sentence.opinions.as_deref().unwrap_or_default().iter();
        let surface = |span| sentence.surface(span).to_owned();
        let aspects = sentence.aspects.iter();
        Self {
            aspects: aspects
                .map(|aspect| (surface(aspect.span), aspect.polarity))
                .collect(),
            opinions: opinions.map(|&span| surface(span)).collect(),
        }
    }

    fn words(&self) -> (String, String) {
        let or_none = |terms: Vec<String>| match terms.as_slice() {
            [] => "none".to_owned(),
            terms => terms.join(", "),
        };
        let aspects = self.aspects.iter().map(|(term, polarity)| match polarity {
            Some(polarity) => format!("[{term}] {}", polarity.name()),
            None => format!("[{term}]"),
        });
        (or_none(aspects.collect()), or_none(self.opinions.clone()))
    }
}

/// One of the paper's sentences, with annotations and predictions.
#[derive(Debug, Clone)]
pub struct Case {
    /// The sentence.
    pub text: String,
    /// The set whose models analysed it.
    pub set: PaperSet,
    /// The paper's annotation.
    pub gold: Terms,
    /// The predictions of each system.
    pub predicted: Vec<Terms>,
    /// IMN's predictions in each round.
    pub explanation: Explanation,
}

/// The sentences of the paper's case analysis.
fn read(path: &Path) -> Result<Vec<(String, Terms)>, CasesError> {
    let text = std::fs::read_to_string(path).map_err(|error| CasesError::Io {
        path: path.to_owned(),
        error,
    })?;
    let lines = text.lines().enumerate();
    let cases: Result<Vec<_>, CasesError> = lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(i, line)| {
            let line: Line = serde_json::from_str(line).map_err(|error| CasesError::Line {
                path: path.to_owned(),
                line: i + 1,
                error,
            })?;
            let aspects = line.aspects.into_iter();
            let terms = Terms {
                aspects: aspects.map(|(term, p)| (term, Some(p))).collect(),
                opinions: line.opinions,
            };
            Ok((line.text, terms))
        })
        .collect();
    let cases = cases?;
    if cases.len() != SETS.len() {
        return Err(CasesError::Count {
            path: path.to_owned(),
            found: cases.len(),
        });
    }
    Ok(cases)
}

/// Runs the systems with this seed on the paper's sentences. Missing models are trained.
///
/// # Errors
/// If a model cannot be trained or opened, or the sentences cannot be read.
pub fn study(runner: &Runner, seed: u64, watch: RunWatch<'_>) -> Result<Vec<Case>, CasesError> {
    let sentences = read(&runner.data.join("cases.jsonl"))?;
    let mut cases: Vec<Option<Case>> = vec![None; sentences.len()];
    for set in PaperSet::ALL {
        let of_set = |i: &usize| SETS[*i] == set;
        let mine: Vec<usize> = (0..sentences.len()).filter(of_set).collect();
        let texts: Vec<AnnotatedSentence> = mine
            .iter()
            .map(|&i| AnnotatedSentence::from_text(&sentences[i].0))
            .collect();
        let mut predicted = vec![Vec::new(); mine.len()];
        let mut analyzer = None;
        for (system, _) in SYSTEMS {
            let model = runner
                .ready(Job::new(parse(system)?, set, seed), &[], watch)?
                .model;
            let annotated = model.annotate(&texts).map_err(RunError::from)?;
            for (terms, sentence) in predicted.iter_mut().zip(&annotated) {
                terms.push(Terms::of(sentence));
            }
            if model.imn().is_ok() {
                analyzer = Some(Analyzer::new(model).map_err(RunError::from)?);
            }
        }
        let Some(analyzer) = analyzer else { continue };
        for (i, predicted) in mine.into_iter().zip(predicted) {
            let (text, gold) = &sentences[i];
            cases[i] = Some(Case {
                text: text.clone(),
                set,
                gold: gold.clone(),
                predicted,
                explanation: analyzer.explain(text),
            });
        }
    }
    Ok(cases.into_iter().flatten().collect())
}

/// For each system, the number of sentences with all aspects and sentiments correct.
fn right(cases: &[Case]) -> Vec<(&'static str, usize)> {
    let systems = SYSTEMS.iter().enumerate();
    systems
        .map(|(i, (_, label))| {
            let sorted = |terms: &Terms| {
                let mut aspects: Vec<_> = terms
                    .aspects
                    .iter()
                    .map(|(term, p)| (term.clone(), p.map(Polarity::name)))
                    .collect();
                aspects.sort_unstable();
                aspects
            };
            let right = |case: &&Case| {
                let predicted = case.predicted.get(i);
                predicted.is_some_and(|terms| sorted(terms) == sorted(&case.gold))
            };
            (*label, cases.iter().filter(right).count())
        })
        .collect()
}

fn summary(cases: &[Case]) -> String {
    let counts: Vec<String> = right(cases)
        .into_iter()
        .map(|(label, count)| format!("{label} {count}"))
        .collect();
    format!(
        "All aspects and sentiments correct, of {} sentences: {}.",
        cases.len(),
        counts.join(", ")
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    const LINE: &str = concat!(
        r#"{"text":"Warm bread , slow lift","#,
        r#""aspects":[["bread","positive"],["lift","negative"]],"opinions":["Warm","slow"]}"#
    );

    fn read_text(text: &str) -> Result<Vec<(String, Terms)>, CasesError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cases.jsonl");
        std::fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn a_file_of_cases_is_checked() {
        let good = format!("{LINE}\n\n").repeat(SETS.len());
        let cases = read_text(&good).unwrap();
        assert_eq!(cases.len(), SETS.len());
        assert_eq!(cases[0].1.opinions, ["Warm", "slow"]);

        let few = read_text(LINE).unwrap_err().to_string();
        assert!(few.ends_with("1 sentences, but the paper has 5"), "{few}");
        let bad = good.replacen("negative", "dreadful", 1);
        let bad = read_text(&bad).unwrap_err().to_string();
        assert!(bad.contains("line 1") && bad.contains("dreadful"), "{bad}");
        let nowhere = read(Path::new("no/cases.jsonl")).unwrap_err();
        assert!(matches!(nowhere, CasesError::Io { .. }));
    }

    #[test]
    fn a_case_is_right_with_all_aspects_and_sentiments_in_any_order() {
        let gold = Terms {
            aspects: vec![
                ("bread|rolls".to_owned(), Some(Polarity::Positive)),
                ("lift".to_owned(), Some(Polarity::Negative)),
            ],
            opinions: vec!["Warm".to_owned()],
        };
        let mut turned = gold.clone();
        turned.aspects.reverse();
        turned.opinions.clear();
        let mut wrong = gold.clone();
        wrong.aspects[1].1 = Some(Polarity::Neutral);
        let mut fewer = gold.clone();
        fewer.aspects.pop();
        let text = "Warm bread|rolls , slow lift <now>";
        let case = Case {
            text: text.to_owned(),
            set: PaperSet::Res14,
            gold,
            predicted: vec![turned, wrong, fewer],
            explanation: Analyzer::built_in().unwrap().explain(text),
        };
        let cases = [case];
        assert_eq!(right(&cases), [("PIPELINE", 1), ("INABSA", 0), ("IMN", 0)]);
        let table = markdown(&cases);
        assert!(table.contains("of 1 sentences: PIPELINE 1, INABSA 0, IMN 0."));
        // A bar inside a sentence does not end a cell: all rows of a table have the same number of
        // cells.
        let cells = |line: &str| line.replace("\\|", "").matches('|').count();
        let lines: Vec<&str> = table.lines().collect();
        let mut tables = 0;
        for (i, line) in lines.iter().enumerate() {
            if line.starts_with("|---") {
                tables += 1;
                let rows = lines[i - 1..]
                    .iter()
                    .take_while(|line| line.starts_with('|'));
                assert!(rows.clone().all(|row| cells(row) == cells(line)), "{table}");
            }
        }
        assert_eq!(tables, 2);
        let page = html(&cases);
        assert!(page.contains("&lt;now&gt;") && !page.contains("<now>"));
    }
}
