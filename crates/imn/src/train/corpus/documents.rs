//! Documents with sentiments and with domains, as normalised words.

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
    /// Rows that were passed over because they are malformed.
    pub(super) bad: usize,
}

/// Reads the documents that the tasks need.
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

/// The documents of a file, tokenised and cut; bad rows are counted and passed over.
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
    let tokens = good
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
        .collect::<Vec<Labelled>>();
    let tokens: Vec<_> = tokens
        .into_iter()
        .filter(|(words, _)| !words.is_empty())
        .collect();
    if tokens.is_empty() {
        return Err(TrainError::Unusable {
            path: path.to_owned(),
            what: "no document with text and label".to_owned(),
        });
    }
    Ok((tokens, bad))
}

/// Takes the documents that nothing is to be learnt from out of D^ds.
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
