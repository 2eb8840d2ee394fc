//! Documents with sentiment or domain labels, as words.

use std::collections::HashSet;
use std::path::Path;

use imn_nn::stream;
use rand::seq::SliceRandom as _;
use rayon::prelude::*;

use super::fingerprint::Fingerprint;
use super::{CorpusRequest, GivenSentence};
use crate::config::DocumentPunctuation;
use crate::data::{self, AnnotatedSentence, DataError, Document, Polarity, Sentiment};
use crate::model::{DocumentExample, DocumentTasks};
use crate::text::TokenizerRules;
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

/// Reads the documents of the configured tasks. `train` are the training sentences.
pub(super) fn read(
    request: &CorpusRequest<'_>,
    folder: &Path,
    train: &[GivenSentence],
    hash: &mut Fingerprint,
) -> Result<Documents, TrainError> {
    let mut all = Documents::default();
    let Some(files) = &request.data.documents else {
        return Ok(all);
    };
    if request.documents == DocumentTasks::None {
        return Ok(all);
    }
    let kept = KeptTokens::new(files.punctuation, train);
    let mut bad_rows = 0;
    let mut read = |path: &Path| {
        let (documents, bad) = documents(&folder.join(path), files.max_tokens, &kept)?;
        bad_rows += bad;
        hash.list(documents.len());
        for (words, class) in &documents {
            hash.document(words, *class);
        }
        Ok::<_, TrainError>(documents)
    };
    for path in files.sentiment.all() {
        all.sentiment.extend(read(path)?);
    }
    if files.sentences {
        all.sentiment.extend(as_documents(train, files.max_tokens));
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

/// The words of a document as written, and its class. Only a vocabulary of whole words normalizes
/// them: a subword tokenizer reads the words of documents as it reads those of sentences.
pub(super) type Labelled = (Vec<String>, u32);

/// The tokens of documents that are kept.
enum KeptTokens<'a> {
    All,
    /// Those with a letter or digit, and these.
    WordsAnd(HashSet<&'a str>),
}

impl<'a> KeptTokens<'a> {
    fn new(punctuation: DocumentPunctuation, train: &'a [GivenSentence]) -> Self {
        match punctuation {
            DocumentPunctuation::All => Self::All,
            DocumentPunctuation::OfSentences => {
                let tokens = train.iter().flat_map(|given| given.sentence.words());
                Self::WordsAnd(tokens.filter(|token| !is_word(token)).collect())
            }
        }
    }

    fn contains(&self, token: &str) -> bool {
        match self {
            Self::All => true,
            Self::WordsAnd(punctuation) => is_word(token) || punctuation.contains(token),
        }
    }
}

fn is_word(token: &str) -> bool {
    token.chars().any(char::is_alphanumeric)
}

/// The tokenized and truncated documents of a file, and the number of malformed rows, which are
/// skipped.
fn documents(
    path: &Path,
    max_tokens: usize,
    kept: &KeptTokens<'_>,
) -> Result<(Vec<Labelled>, usize), TrainError> {
    let mut bad = 0;
    let mut good: Vec<Document> = Vec::new();
    for document in data::read_documents(path)? {
        match document {
            Ok(document) => good.push(document),
            Err(error @ DataError::Io { .. }) => return Err(error.into()),
            Err(_) => bad += 1,
        }
    }
    let labelled: Vec<Labelled> = good
        .par_iter()
        .map(|document| {
            let words = TokenizerRules::NEWEST
                .tokenize(&document.text)
                .into_iter()
                .filter_map(|span| span.of(&document.text))
                .filter(|token| kept.contains(token))
                .take(max_tokens)
                .map(str::to_owned)
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

/// The sentences with sentiments as documents, once each: a copy in training would spoil a held-out
/// one.
fn as_documents(train: &[GivenSentence], max_tokens: usize) -> Vec<Labelled> {
    let mut seen = HashSet::new();
    let sentences = train.iter().map(|given| &given.sentence);
    sentences
        .filter_map(|sentence| {
            let document = as_document(sentence, max_tokens)?;
            seen.insert(data::leak_key(sentence)).then_some(document)
        })
        .collect()
}

/// A sentence as a document: the common sentiment of its aspects, or neutral if they disagree.
/// `None` if no aspect has a sentiment.
fn as_document(sentence: &AnnotatedSentence, max_tokens: usize) -> Option<Labelled> {
    let mut polarities = sentence.aspects.iter().filter_map(|aspect| aspect.polarity);
    let first = polarities.next()?;
    let sentiment = match first {
        _ if polarities.any(|other| other != first) => Sentiment::Neutral,
        Polarity::Positive => Sentiment::Positive,
        Polarity::Negative => Sentiment::Negative,
        Polarity::Neutral | Polarity::Conflict => Sentiment::Neutral,
    };
    let words = sentence.words().take(max_tokens).map(str::to_owned);
    Some((words.collect(), sentiment.class()))
}

/// Documents that are not trained on. They show what DS and DD have learnt.
#[derive(Debug, Clone, Default)]
pub struct HeldOutDocuments {
    /// Documents of D^ds. They also calibrate the confidences of text sentiments.
    pub sentiment: Vec<DocumentExample>,
    /// Documents of D^dd. If a file is part of both sets, each holds out others of its documents.
    pub domain: Vec<DocumentExample>,
}

impl HeldOutDocuments {
    /// Removes the held-out documents from D^ds and D^dd.
    pub(super) fn split_off(
        request: &CorpusRequest<'_>,
        sentiment: &mut Vec<DocumentExample>,
        domain: &mut Vec<DocumentExample>,
    ) -> Self {
        let files = request.data.documents.as_ref();
        let share = files.map_or(0.0, |files| files.held_out);
        let split_off = |documents: &mut Vec<DocumentExample>, name: &str| {
            let count = (documents.len() as f64 * share).round() as usize;
            if count == 0 {
                return Vec::new();
            }
            documents.shuffle(&mut stream(request.seed, name));
            documents.split_off(documents.len() - count)
        };
        Self {
            sentiment: split_off(sentiment, "held-out documents"),
            domain: split_off(domain, "held-out documents of domains"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Aspect, Span};

    #[test]
    fn punctuation_that_no_sentence_has_is_dropped_before_documents_are_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("documents.tsv");
        std::fs::write(&path, "pos\tYes. \"Good\", it's 5! Really\n").unwrap();
        let train = [GivenSentence {
            sentence: AnnotatedSentence {
                text: "Soup , bread !".to_owned(),
                tokens: vec![
                    Span::new(0, 4),
                    Span::new(5, 6),
                    Span::new(7, 12),
                    Span::new(13, 14),
                ],
                ..AnnotatedSentence::default()
            },
            scheme: 0,
            repeat: 1,
            place: None,
        }];
        let words = |punctuation| {
            let kept = KeptTokens::new(punctuation, &train);
            let (mut documents, bad) = documents(&path, 7, &kept).unwrap();
            assert_eq!((documents.len(), bad), (1, 0));
            documents.remove(0).0
        };
        let all = words(DocumentPunctuation::All);
        assert_eq!(all, ["Yes", ".", "\"", "Good", "\"", ",", "it"]);
        let same = words(DocumentPunctuation::OfSentences);
        assert_eq!(same, ["Yes", "Good", ",", "it", "'s", "5", "!"]);
    }

    #[test]
    fn a_sentence_becomes_a_document_once_and_from_the_file_that_has_its_sentiments() {
        let given = |text: &str, polarities: &[Polarity]| GivenSentence {
            sentence: AnnotatedSentence {
                aspects: polarities
                    .iter()
                    .map(|&polarity| Aspect {
                        span: Span::new(0, 1),
                        polarity: Some(polarity),
                    })
                    .collect(),
                ..AnnotatedSentence::from_text(text)
            },
            scheme: 0,
            repeat: 1,
            place: None,
        };
        let train = [
            given("Soup was cold", &[]),
            given("Soup was cold", &[Polarity::Negative]),
            given("Soup was cold", &[Polarity::Positive]),
            given("Bread", &[Polarity::Positive]),
        ];
        let classes: Vec<u32> = as_documents(&train, 9).into_iter().map(|d| d.1).collect();
        let expected = [Sentiment::Negative.class(), Sentiment::Positive.class()];
        assert_eq!(classes, expected);
    }

    #[test]
    fn a_sentence_has_the_sentiment_that_its_aspects_share() {
        use Polarity::{Conflict, Negative, Neutral, Positive};

        let class = |polarities: &[Option<Polarity>]| {
            let aspects = (0..).zip(polarities).map(|(i, &polarity)| Aspect {
                span: Span::new(i, i + 1),
                polarity,
            });
            let sentence = AnnotatedSentence {
                text: "Soup bread wine".to_owned(),
                tokens: vec![Span::new(0, 4), Span::new(5, 10), Span::new(11, 15)],
                aspects: aspects.collect(),
                ..AnnotatedSentence::default()
            };
            let (words, class) = as_document(&sentence, 2)?;
            assert_eq!(words, ["Soup", "bread"]);
            Some(Sentiment::CLASSES[class as usize])
        };
        for (polarities, sentiment) in [
            (vec![], None),
            (vec![None], None),
            (vec![None, Some(Negative)], Some(Sentiment::Negative)),
            (vec![Some(Positive); 2], Some(Sentiment::Positive)),
            (
                vec![Some(Positive), Some(Negative)],
                Some(Sentiment::Neutral),
            ),
            (vec![Some(Conflict)], Some(Sentiment::Neutral)),
            (vec![Some(Neutral)], Some(Sentiment::Neutral)),
        ] {
            assert_eq!(class(&polarities), sentiment, "{polarities:?}");
        }
    }
}
