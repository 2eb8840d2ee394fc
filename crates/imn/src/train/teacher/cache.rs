//! The labels of a teacher in a file, so that a resumed run does not label again.
//!
//! The file is one line of text with the identity of the labels and the checksum of what follows,
//! then for each sentence one byte per tag and word and one byte per sentiment and word. The
//! lengths are those of the sentences.

use std::path::Path;

use super::Teacher;
use crate::data::Sentiment;
use crate::model::{SoftLabels, TagSet};
use crate::train::TrainError;
use crate::train::corpus::{FEATURES, GivenSentence};

const FORMAT: &str = "imn soft labels 1";

/// Hash of everything that the labels depend on: the version of the features, the teacher, the
/// temperature, the sentences and their schemes.
pub(super) fn identity(teacher: &Teacher, schemes: &[String], given: &[GivenSentence]) -> String {
    let teacher = format!("{FEATURES} {} {}", teacher.hash, teacher.temperature);
    let mut bytes = teacher.into_bytes();
    for given in given {
        let scheme = schemes
            .get(given.scheme as usize)
            .map_or("", String::as_str);
        // Neither a scheme nor a sentence of a text contains a zero byte that could blur them.
        for part in [scheme, &given.sentence.text] {
            bytes.push(0);
            bytes.extend_from_slice(part.as_bytes());
        }
    }
    imn_io::sha256(&bytes)
}

fn header(identity: &str, labels: &[u8]) -> String {
    format!("{FORMAT} {identity} {}\n", imn_io::sha256(labels))
}

/// Writes the labels.
pub(super) fn save(path: &Path, identity: &str, labels: &[SoftLabels]) -> Result<(), TrainError> {
    let tables = labels.iter().flat_map(|labels| labels.bytes());
    let body: Vec<u8> = tables.flatten().copied().collect();
    let mut bytes = header(identity, &body).into_bytes();
    bytes.extend(body);
    imn_io::atomic::write(path, &bytes).map_err(TrainError::io(path))
}

/// Reads the labels of sentences with these lengths. `None` if the file does not exist, is damaged
/// or has other labels: then the sentences are labelled again.
pub(super) fn load(
    path: &Path,
    identity: &str,
    lengths: impl Iterator<Item = usize>,
    tags: TagSet,
) -> Result<Option<Vec<SoftLabels>>, TrainError> {
    if !path.exists() {
        return Ok(None);
    }
    let bytes = std::fs::read(path).map_err(TrainError::io(path))?;
    let Some(end) = bytes.iter().position(|&byte| byte == b'\n') else {
        return Ok(None);
    };
    let (head, mut body) = bytes.split_at(end + 1);
    if head != header(identity, body).as_bytes() {
        return Ok(None);
    }
    let mut labels = Vec::new();
    for words in lengths {
        let sizes = (words * tags.tags().len(), words * Sentiment::CLASSES.len());
        let Some((tags, rest)) = body.split_at_checked(sizes.0) else {
            return Ok(None);
        };
        let Some((sentiments, rest)) = rest.split_at_checked(sizes.1) else {
            return Ok(None);
        };
        labels.push(SoftLabels::from_bytes(tags, sentiments));
        body = rest;
    }
    Ok(body.is_empty().then_some(labels))
}
