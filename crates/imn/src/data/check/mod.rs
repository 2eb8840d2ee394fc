//! What a data set holds and what is wrong with it.
//!
//! Counts are of the annotation as it stands, before tags take anything away. Inside a set a sentence repeats another if
//! its lower-cased words are the same; between training and test, letters and digits are enough ("Loved it!" has
//! leaked where "loved it" was trained on). The parts are told by the words `train` and `test` in their paths.

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

/// Checks sets of annotated sentences and of documents, each by itself and training against test parts. What is there and
/// cannot be read is a problem like others.
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
