//! Checks data sets: what they contain, and what is wrong with them.
//!
//! Counts are of the annotation as written, before tags leave anything out. Within a set, a
//! sentence repeats another if its lower-cased words are the same. Between training and test
//! splits, the same letters and digits are enough: "Loved it!" is a leak if "loved it" is a
//! training sentence. The splits are recognised by the words `train` and `test` in their paths.

mod counts;
mod documents;
mod find;
mod repeats;
mod report;
mod sentences;

pub use counts::{Counts, count};
pub use find::{Found, find_sets};
pub use report::{CheckReport, Content, SetReport};

pub(super) use repeats::key;

use std::path::PathBuf;

use self::documents::check_documents;
use self::repeats::check_repeats;
use self::sentences::check_sentences;
use super::formats::four_file;
use super::leaks::check_leaks;
use super::{AnnotatedSentence, DataError, DataFormat, DocumentFormat, Place, load_detected};

pub(super) struct Loaded {
    pub(super) path: PathBuf,
    pub(super) sentences: Vec<AnnotatedSentence>,
    pub(super) places: Vec<Place>,
}

/// Checks sets of annotated sentences and of documents, and training splits against test splits.
/// `None` detects the format of each path. A set that exists but cannot be read is reported as a
/// problem.
///
/// ```
/// use imn::data::ProblemKind;
/// use imn::data::check::check;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let paths = ["train.aste", "test.aste"].map(|name| folder.path().join(name));
/// for path in &paths {
///     std::fs::write(path, "good soup####[([1], [0], 'POS')]\n")?;
/// }
/// let report = check(&paths, None)?;
/// assert_eq!(report.problems[0].kind, ProblemKind::Leak);
/// assert!(report.is_wrong(&[]) && !report.is_wrong(&[ProblemKind::Leak]));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If a path does not exist or is not accessible, or if a single path has no known format.
pub fn check(paths: &[PathBuf], format: Option<DataFormat>) -> Result<CheckReport, DataError> {
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
            // For a single path there is nothing else to report.
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
    // The sort is stable: problems of one line stay in the order in which they were found.
    report.problems.sort_by(|a, b| a.place.cmp(&b.place));
    Ok(report)
}
