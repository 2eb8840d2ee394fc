//! What a data set holds and what is wrong with it.
//!
//! Counts are of the annotation as it stands, before tags take anything away. Inside a set a sentence repeats another if
//! its lower-cased words are the same; between training and test, letters and digits are enough ("Loved it!" has
//! leaked where "loved it" was trained on). The parts are told by the words `train` and `test` in their paths.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::format::ending;
use super::formats::four_file;
use super::leaks::check_leaks;
use super::{
    AnnotatedSentence, DataError, DocumentFormat, DocumentLabel, Format, Place, Polarity, Problem,
    ProblemKind, Severity, detect, encode_tags, load_detected, read_documents,
};

/// Counts of one set of annotated sentences.
#[derive(Debug, Default, Serialize)]
pub struct Counts {
    /// Sentences that could be read.
    pub sentences: usize,
    /// Sentences without an aspect.
    pub without_aspect: usize,
    /// Tokens.
    pub tokens: usize,
    /// Tokens of the longest sentence.
    pub longest: usize,
    /// Aspect terms.
    pub aspects: usize,
    /// Aspect terms by polarity.
    pub polarities: BTreeMap<Polarity, usize>,
    /// Opinion terms; `None` where no sentence has them annotated.
    pub opinions: Option<usize>,
    /// Links; `None` where no sentence has them annotated.
    pub links: Option<usize>,
    /// Tokens in an aspect and in an opinion, which tags give to the aspect.
    pub shared_tokens: usize,
    /// Category opinions.
    pub categories: usize,
}

/// What one path holds.
#[derive(Debug, Serialize)]
pub struct SetReport {
    /// The path.
    pub path: PathBuf,
    /// What it is.
    #[serde(flatten)]
    pub content: Content,
}

/// The counts by kind of set.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// Annotated sentences.
    Sentences {
        /// Their format.
        format: Format,
        /// Their counts.
        counts: Counts,
    },
    /// Documents by label.
    Documents {
        /// Their format.
        format: DocumentFormat,
        /// How many of each label.
        labels: BTreeMap<DocumentLabel, usize>,
    },
}

/// What was found.
#[derive(Debug, Default, Serialize)]
pub struct CheckReport {
    /// Every set.
    pub sets: Vec<SetReport>,
    /// Everything found, by place.
    pub problems: Vec<Problem>,
    /// Files of searched folders that were not read, see [`Found`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<PathBuf>,
}

impl CheckReport {
    /// Whether anything is wrong: a problem worse than a note, of a kind that is not allowed.
    #[must_use]
    pub fn is_wrong(&self, allowed: &[ProblemKind]) -> bool {
        self.problems
            .iter()
            .any(|p| p.severity > Severity::Note && !allowed.contains(&p.kind))
    }
}

/// What a path means.
#[derive(Debug, Default)]
pub struct Found {
    /// Files and folders to be read as data.
    pub sets: Vec<PathBuf>,
    /// Files of a searched folder that are no data as far as can be told.
    pub skipped: Vec<PathBuf>,
}

/// The sets that a path means: itself, or all that lie in a folder that is no set. A file whose name says that it is data
/// is one, however damaged; others are told by their content.
pub fn find_sets(path: &Path) -> Result<Found, DataError> {
    let mut found = Found::default();
    if !path.is_dir() || four_file::folder_of(path).is_some() {
        found.sets.push(path.to_owned());
        return Ok(found);
    }
    search(path, &mut found)?;
    if found.sets.is_empty() {
        let reason = "no data set in this folder".to_owned();
        return Err(DataError::UnknownFormat {
            path: path.to_owned(),
            reason,
        });
    }
    Ok(found)
}

fn search(folder: &Path, found: &mut Found) -> Result<(), DataError> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .and_then(|all| all.map(|entry| entry.map(|e| e.path())).collect())
        .map_err(DataError::io(folder))?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            if four_file::folder_of(&entry).is_some() {
                found.sets.push(entry);
            } else {
                search(&entry, found)?;
            }
            continue;
        }
        let named = ending(&entry).is_some_and(|ending| {
            matches!(
                ending.as_str(),
                "jsonl" | "ndjson" | "conll" | "iob" | "bio" | "aste" | "xml"
            )
        });
        let is_set = DocumentFormat::of_path(&entry).is_some()
            || match detect(&entry) {
                Ok(_) => true,
                Err(DataError::UnknownFormat { .. }) => false,
                Err(_) => named,
            };
        if is_set {
            found.sets.push(entry);
        } else {
            found.skipped.push(entry);
        }
    }
    Ok(())
}

pub(super) struct Loaded {
    pub(super) path: PathBuf,
    pub(super) sentences: Vec<AnnotatedSentence>,
    pub(super) places: Vec<Place>,
}

/// Checks sets of annotated sentences and of documents, each by itself and training against test parts. What is there and
/// cannot be read is a problem like others.
pub fn check(paths: &[PathBuf], format: Option<Format>) -> Result<CheckReport, DataError> {
    let mut report = CheckReport::default();
    let mut sets: Vec<Loaded> = Vec::new();
    for path in paths {
        if format.is_none()
            && let Some(kind) = DocumentFormat::of_path(path)
        {
            check_documents(path, kind, &mut report)?;
            continue;
        }
        let (format, loaded) = match load_detected(path, format) {
            Ok(loaded) => loaded,
            // Of a single path this is all there is to say.
            Err(error @ DataError::UnknownFormat { .. }) if paths.len() == 1 => return Err(error),
            Err(error) => {
                report.problems.push(error.into_problem()?);
                continue;
            }
        };
        let file = match four_file::folder_of(path) {
            Some(folder) => folder.join("sentence.txt"),
            None => path.clone(),
        };
        let places = loaded
            .lines
            .iter()
            .map(|line| Place::new(&file, *line))
            .collect();
        report.problems.extend(loaded.problems);
        let set = Loaded {
            path: path.clone(),
            sentences: loaded.sentences,
            places,
        };
        check_sentences(&set, &mut report.problems);
        check_repeats(&set, &mut report.problems);
        let content = Content::Sentences {
            format,
            counts: count(&set.sentences),
        };
        report.sets.push(SetReport {
            path: path.clone(),
            content,
        });
        sets.push(set);
    }
    check_leaks(&sets, &mut report.problems);
    // Stable: problems of one place stay in the order in which they were found.
    report.problems.sort_by(|a, b| a.place.cmp(&b.place));
    Ok(report)
}

/// Counts sentences and their annotation.
#[must_use]
pub fn count(sentences: &[AnnotatedSentence]) -> Counts {
    let mut counts = Counts {
        sentences: sentences.len(),
        ..Counts::default()
    };
    for sentence in sentences {
        counts.without_aspect += usize::from(sentence.aspects.is_empty());
        counts.tokens += sentence.tokens.len();
        counts.longest = counts.longest.max(sentence.tokens.len());
        counts.aspects += sentence.aspects.len();
        for polarity in sentence.aspects.iter().filter_map(|a| a.polarity) {
            *counts.polarities.entry(polarity).or_default() += 1;
        }
        if let Some(opinions) = &sentence.opinions {
            *counts.opinions.get_or_insert(0) += opinions.len();
        }
        if let Some(links) = &sentence.links {
            *counts.links.get_or_insert(0) += links.len();
        }
        counts.shared_tokens += encode_tags(sentence).shared_tokens;
        counts.categories += sentence.extra.categories.len();
    }
    counts
}

fn check_sentences(set: &Loaded, problems: &mut Vec<Problem>) {
    let mut ids: HashMap<&str, &Place> = HashMap::new();
    for (sentence, place) in set.sentences.iter().zip(&set.places) {
        let mut add = |kind, message: String, fix: &str| {
            problems.push(Problem::new(place.clone(), kind, message, fix));
        };
        if sentence.tokens.is_empty() {
            add(
                ProblemKind::EmptySentence,
                "a sentence without tokens".to_owned(),
                "remove it",
            );
        }
        if let Some(id) = &sentence.id
            && let Some(first) = ids.insert(id, place)
        {
            add(
                ProblemKind::DuplicateId,
                format!("id {id:?} is also on line {}", first.line),
                "give each sentence its own",
            );
        }
        let missing = sentence
            .aspects
            .iter()
            .filter(|a| a.polarity.is_none())
            .count();
        if missing > 0 {
            add(
                ProblemKind::MissingPolarity,
                format!("{missing} aspects without a polarity"),
                "they train extraction, not sentiment",
            );
        }
        let encoded = encode_tags(sentence);
        let aspects = encoded
            .lost_aspects
            .iter()
            .filter_map(|i| sentence.aspects.get(*i))
            .map(|a| a.span);
        let all = sentence.opinions.as_deref().unwrap_or_default();
        let opinions = encoded
            .lost_opinions
            .iter()
            .filter_map(|i| all.get(*i))
            .copied();
        for span in aspects.chain(opinions) {
            let message = format!(
                "{:?} shares a token with another term of its kind",
                sentence.surface(span)
            );
            add(
                ProblemKind::Overlap,
                message,
                "tags keep the term that starts first, then the longer one",
            );
        }
    }
}

/// What makes two sentences the same.
pub(super) fn key(sentence: &AnnotatedSentence) -> String {
    sentence
        .words()
        .map(str::to_lowercase)
        .collect::<Vec<_>>()
        .join(" ")
}

fn check_repeats(set: &Loaded, problems: &mut Vec<Problem>) {
    let mut seen: HashMap<String, (&AnnotatedSentence, &Place)> = HashMap::new();
    for (sentence, place) in set.sentences.iter().zip(&set.places) {
        if sentence.tokens.is_empty() {
            continue;
        }
        match seen.get(&key(sentence)) {
            None => {
                seen.insert(key(sentence), (sentence, place));
            }
            Some((first, before)) => {
                let same = first.aspects == sentence.aspects && first.opinions == sentence.opinions;
                let line = before.line;
                problems.push(if same {
                    let message = format!("the same sentence and annotation as on line {line}");
                    Problem::new(
                        place.clone(),
                        ProblemKind::DuplicateSentence,
                        message,
                        "remove one, or keep both knowingly",
                    )
                } else {
                    let message =
                        format!("the same sentence as on line {line}, annotated differently");
                    Problem::new(
                        place.clone(),
                        ProblemKind::Contradiction,
                        message,
                        "correct one of them",
                    )
                });
            }
        }
    }
}

fn check_documents(
    path: &Path,
    format: DocumentFormat,
    report: &mut CheckReport,
) -> Result<(), DataError> {
    let mut labels = BTreeMap::new();
    let mut seen: HashMap<String, (usize, DocumentLabel)> = HashMap::new();
    let documents = match read_documents(path) {
        Ok(documents) => documents,
        Err(error) => {
            report.problems.push(error.into_problem()?);
            return Ok(());
        }
    };
    for document in documents {
        let document = match document {
            Ok(document) => document,
            Err(error) => {
                report.problems.push(error.into_problem()?);
                continue;
            }
        };
        *labels.entry(document.label).or_insert(0) += 1;
        let place = Place::new(path, document.line);
        if document.text.trim().is_empty() {
            report.problems.push(Problem::new(
                place,
                ProblemKind::EmptySentence,
                "a document without text",
                "remove it",
            ));
            continue;
        }
        match seen.get(&document.text) {
            None => {
                seen.insert(document.text, (document.line, document.label));
            }
            Some((line, label)) => report.problems.push(if *label == document.label {
                let message = format!("the same document as on line {line}");
                Problem::new(
                    place,
                    ProblemKind::DuplicateSentence,
                    message,
                    "remove one, or keep both knowingly",
                )
            } else {
                let message = format!("the same document as on line {line} with another label");
                Problem::new(
                    place,
                    ProblemKind::Contradiction,
                    message,
                    "correct one of them",
                )
            }),
        }
    }
    let content = Content::Documents { format, labels };
    report.sets.push(SetReport {
        path: path.to_owned(),
        content,
    });
    Ok(())
}
