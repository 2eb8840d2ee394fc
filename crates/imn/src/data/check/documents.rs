//! Checks document sets for malformed rows, empty texts and repeated documents.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::{CheckReport, Content, SetReport};
use crate::data::{
    DataError, DocumentFormat, Place, Problem, ProblemKind, Sentiment, read_documents,
};

pub(super) fn check_documents(
    path: &Path,
    format: DocumentFormat,
    report: &mut CheckReport,
) -> Result<(), DataError> {
    let mut labels = BTreeMap::new();
    let mut seen: HashMap<String, (usize, Sentiment)> = HashMap::new();
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
                    "remove one of them unless this is intended",
                )
            } else {
                let message = format!("the same document as on line {line} with a different label");
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
