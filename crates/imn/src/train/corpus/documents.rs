//! Documents with sentiment or domain labels, as normalized words.

use std::path::Path;

use imn_nn::stream;
use rand::seq::SliceRandom as _;
use rayon::prelude::*;

use super::CorpusRequest;
use super::fingerprint::Fingerprint;
use crate::data::{self, DataError, Document};
use crate::model::{DocumentExample, DocumentTasks};
use crate::text::{Normalizer, TokenizerRules};
use crate::train::TrainError;

/// The documents of a corpus.
#[derive(Default)]
pub(super) struct Documents {
    /// D^ds.
    pub(super) sentiment: Vec<Labelled>,
    /// D^dd.
    pub(super) domain: Vec<Labelled>,
    /// Number of domains.
    pub(super) domains: usize,
    /// Malformed rows, which were skipped.
    pub(super) bad: usize,
}

/// Reads the documents of the configured tasks.
pub(super) fn read(
    request: &CorpusRequest<'_>,
    folder: &Path,
    hash: &mut Fingerprint,
) -> Result<Documents, TrainError> {
    let mut all = Documents::default();
    let Some(files) = &request.data.documents else {
        return Ok(all);
    };
    if request.documents == DocumentTasks::None {
        return Ok(all);
    }
    let mut bad_rows = 0;
    let mut read = |path: &Path| {
        let (documents, bad) = documents(&folder.join(path), files.max_tokens)?;
        bad_rows += bad;
        for (words, class) in &documents {
            hash.document(words, *class);
        }
        Ok::<_, TrainError>(documents)
    };
    for path in files.sentiment.all() {
        all.sentiment.extend(read(path)?);
    }
    if request.documents == DocumentTasks::SentimentAndDomain {
        all.domains = files.domains.len();
        for (class, path) in (0..).zip(&files.domains) {
            let documents = read(path)?.into_iter();
            all.domain
                .extend(documents.map(|(words, _)| (words, class)));
        }
    }
    all.bad = bad_rows;
    Ok(all)
}

/// The words of a document, and its class.
pub(super) type Labelled = (Vec<String>, u32);

/// The tokenized and truncated documents of a file, and the number of malformed rows, which are
/// skipped.
fn documents(path: &Path, max_tokens: usize) -> Result<(Vec<Labelled>, usize), TrainError> {
    let mut bad = 0;
    let mut good: Vec<Document> = Vec::new();
    for document in data::read_documents(path)? {
        match document {
            Ok(document) => good.push(document),
            Err(error @ DataError::Io { .. }) => return Err(error.into()),
            Err(_) => bad += 1,
        }
    }
    let normalizer = Normalizer::default();
    let labelled: Vec<Labelled> = good
        .par_iter()
        .map(|document| {
            let words = TokenizerRules::NEWEST
                .tokenize(&document.text)
                .into_iter()
                .take(max_tokens)
                .filter_map(|span| span.of(&document.text))
                .map(|word| normalizer.apply(word).into_owned())
                .collect();
            (words, document.label.class())
        })
        .filter(|(words, _): &Labelled| !words.is_empty())
        .collect();
    if labelled.is_empty() {
        return Err(TrainError::Unusable {
            path: path.to_owned(),
            what: "no document has both text and label".to_owned(),
        });
    }
    Ok((labelled, bad))
}

/// Removes the held-out documents, which are not trained on, from D^ds.
pub(super) fn hold_out(
    request: &CorpusRequest<'_>,
    sentiment: &mut Vec<DocumentExample>,
) -> Vec<DocumentExample> {
    let files = request.data.documents.as_ref();
    let share = files.map_or(0.0, |files| files.held_out);
    let count = (sentiment.len() as f64 * share).round() as usize;
    if count == 0 {
        return Vec::new();
    }
    sentiment.shuffle(&mut stream(request.seed, "held-out documents"));
    sentiment.split_off(sentiment.len() - count)
}
