//! The case analysis: the paper's five sentences through PIPELINE, INABSA and IMN, and what IMN thought after every round.
//!
//! The sentences are read from `cases.jsonl` below the data folder. Each is read by the models of the set that it comes from.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use imn::analyze::{Analyzer, Explanation};
use imn::data::{AnnotatedSentence, PaperSet, Polarity};
use imn::picture::explanation_svg;
use maud::{DOCTYPE, PreEscaped, html as template};
use serde::Deserialize;

use crate::lab::{Job, Lab, LabError, Ready, Watch};

/// The systems, in the paper's order, and what its table calls them.
const SYSTEMS: [(&str, &str); 3] = [
    ("pipeline", "PIPELINE"),
    ("inabsa", "INABSA"),
    ("imn", "IMN"),
];

/// The sets that the paper's sentences come from, in its order. All but the third stand in that set's test split, which nothing learns from; the
/// third, about a battery, stands in none of them.
const SETS: [PaperSet; 5] = [
    PaperSet::Lap14,
    PaperSet::Res14,
    PaperSet::Lap14,
    PaperSet::Res15,
    PaperSet::Lap14,
];

/// What is wrong with the file of cases.
#[derive(Debug, thiserror::Error)]
pub enum CasesError {
    /// It cannot be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A line is not a case.
    #[error("{}, line {line}: {error}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why.
        error: serde_json::Error,
    },
    /// There are more or fewer than the paper has.
    #[error("{}: {found} sentences, but the paper has {}", path.display(), SETS.len())]
    Count {
        /// The file.
        path: PathBuf,
        /// How many there are.
        found: usize,
    },
    /// A system could not be made ready.
    #[error(transparent)]
    Lab(#[from] LabError),
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

/// One of the paper's sentences, and what was said of it.
#[derive(Debug, Clone)]
pub struct Case {
    /// The sentence.
    pub text: String,
    /// The set whose models read it.
    pub set: PaperSet,
    /// What the paper's annotation has.
    pub gold: Terms,
    /// What each of the systems said.
    pub said: Vec<Terms>,
    /// What IMN thought, round by round.
    pub explanation: Explanation,
}

/// The sentences of the paper's case analysis.
fn read(path: &Path) -> Result<Vec<(String, Terms)>, CasesError> {
    let text = std::fs::read_to_string(path).map_err(|error| CasesError::Io {
        path: path.to_owned(),
        error,
    })?;
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let cases: Result<Vec<_>, CasesError> = lines
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

/// Reads the paper's sentences with the systems' models of this seed; models that are not there are trained.
///
/// # Errors
/// If a model cannot be made ready, or the sentences cannot be read.
pub fn study(lab: &Lab, seed: u64, watch: Watch<'_>) -> Result<Vec<Case>, CasesError> {
    let sentences = read(&lab.data.join("cases.jsonl"))?;
    let mut cases: Vec<Option<Case>> = vec![None; sentences.len()];
    for set in PaperSet::ALL {
        let of_set = |i: &usize| SETS[*i] == set;
        let mine: Vec<usize> = (0..sentences.len()).filter(of_set).collect();
        let texts: Vec<AnnotatedSentence> = mine
            .iter()
            .map(|&i| AnnotatedSentence::from_text(&sentences[i].0))
            .collect();
        let mut said = vec![Vec::new(); mine.len()];
        let mut analyzer = None;
        for (system, _) in SYSTEMS {
            let ready = lab.ready(Job::new(system, set, seed), &[], watch)?;
            let annotated = ready.annotate(&texts).map_err(LabError::from)?;
            for (said, sentence) in said.iter_mut().zip(&annotated) {
                said.push(Terms::of(sentence));
            }
            if let Ready::Imn(bundle, _) = ready {
                analyzer = Some(Analyzer::new(*bundle));
            }
        }
        let Some(analyzer) = analyzer else { continue };
        for (i, said) in mine.into_iter().zip(said) {
            let (text, gold) = &sentences[i];
            cases[i] = Some(Case {
                text: text.clone(),
                set,
                gold: gold.clone(),
                said,
                explanation: analyzer.explain(text),
            });
        }
    }
    Ok(cases.into_iter().flatten().collect())
}

/// How many of the sentences each system has all aspects and sentiments of.
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
                let said = case.said.get(i);
                said.is_some_and(|said| sorted(said) == sorted(&case.gold))
            };
            (*label, cases.iter().filter(right).count())
        })
        .collect()
}

fn summary(cases: &[Case]) -> String {
    let right = right(cases).into_iter();
    let right: Vec<String> = right
        .map(|(label, count)| format!("{label} {count}"))
        .collect();
    format!(
        "All aspects and sentiments right, of {} sentences: {}.",
        cases.len(),
        right.join(", ")
    )
}

/// The likeliest tag and sentiment of every word after every round, as rows of words.
fn rounds(explanation: &Explanation) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for sentence in &explanation.sentences {
        for (i, token) in sentence.tokens.iter().enumerate() {
            let mut row = vec![token.text.clone()];
            for round in &sentence.rounds {
                let (tag, sure) = explanation.likeliest_tag(&round.tags[i]);
                let sentiments = round.sentiments[i].iter();
                let sentiments: Vec<String> =
                    sentiments.map(|p| format!("{:.0}", 100.0 * p)).collect();
                row.push(format!("{tag:?} {:.0}", 100.0 * sure));
                row.push(sentiments.join("/"));
            }
            rows.push(row);
        }
    }
    rows
}

/// A table as Markdown, and below it the rounds of IMN.
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
        for said in &case.said {
            let (aspects, opinions) = said.words();
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
            "### {}. IMN, round by round\n\nThe likeliest tag and how likely it is; positive/negative/neutral, in percent.\n",
            i + 1
        );
        out.push_str("| word |");
        for round in 0..rounds {
            let _ = write!(out, " T = {round} | |");
        }
        let _ = writeln!(out, "\n|---|{}", "---|---|".repeat(rounds));
        for row in rows {
            let row: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
            let _ = writeln!(out, "| {} |", row.join(" | "));
        }
        out.push('\n');
    }
    out
}

/// The same as a page that needs nothing but a browser, with IMN's rounds as pictures.
#[must_use]
pub fn html(cases: &[Case]) -> String {
    const STYLE: &str = include_str!("../assets/tables.css");
    const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";
    let page = template! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "The paper's case analysis from our runs" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { "The paper's case analysis from our runs" }
                    p { (summary(cases)) }
                }
                main {
                    @for (i, case) in cases.iter().enumerate() {
                        section {
                            h2 { (i + 1) ". " (case.text) }
                            div.scroll {
                                table {
                                    thead { tr { th { "" } th { "aspects" } th { "opinions" } } }
                                    tbody {
                                        @let (aspects, opinions) = case.gold.words();
                                        tr { th { "annotation" } td { (aspects) } td { (opinions) } }
                                        @for (said, (_, label)) in case.said.iter().zip(SYSTEMS) {
                                            @let (aspects, opinions) = said.words();
                                            tr { th { (label) } td { (aspects) } td { (opinions) } }
                                        }
                                    }
                                }
                            }
                            p.hint { "IMN, round by round (models of " (case.set.name()) ")" }
                            div.scroll { (PreEscaped(explanation_svg(&case.explanation))) }
                        }
                    }
                }
            }
        }
    };
    page.into_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    const LINE: &str = r#"{"text":"Warm bread , slow lift","aspects":[["bread","positive"],["lift","negative"]],"opinions":["Warm","slow"]}"#;

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
            said: vec![turned, wrong, fewer],
            explanation: Analyzer::built_in().unwrap().explain(text),
        };
        let cases = [case];
        assert_eq!(right(&cases), [("PIPELINE", 1), ("INABSA", 0), ("IMN", 0)]);
        let table = markdown(&cases);
        assert!(table.contains("of 1 sentences: PIPELINE 1, INABSA 0, IMN 0."));
        // A bar within a sentence must not end a cell: every line of a table has as many cells as its head.
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
