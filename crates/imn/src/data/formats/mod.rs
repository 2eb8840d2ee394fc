//! One module per format, with its reader and writer.

pub(super) mod aste;
pub(super) mod conll;
pub(super) mod four_file;
mod json_object;
pub mod jsonl;
mod jsonl_mistake;
pub(super) mod semeval;

use std::path::Path;

use super::draft::Report;
use super::input::lines;
use super::{AnnotatedSentence, Loaded, Place};

/// Reads the sentences of a format that has one per line. Blank lines are skipped.
fn each_line(
    text: &str,
    path: &Path,
    loaded: &mut Loaded,
    mut parse: impl FnMut(&str, &mut Report<'_>) -> Option<AnnotatedSentence>,
) {
    for (number, line) in lines(text).filter(|(_, line)| !line.trim().is_empty()) {
        let mut report = Report {
            place: Place::new(path, number),
            problems: &mut loaded.problems,
        };
        if let Some(sentence) = parse(line, &mut report) {
            loaded.push(number, sentence);
        }
    }
}
