//! Everything that a run reads, as the network takes it: examples, vocabulary, vectors.
//!
//! The vocabulary is made of the words of the training sentences and documents and of the vector files; the development
//! split and the test set add nothing to it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use imn_nn::stream;
use rand::seq::SliceRandom as _;
use rayon::prelude::*;

use super::example::label_class;
use super::{DocumentExample, Example, TrainError};
use crate::config::Config;
use crate::data::{self, AnnotatedSentence, DataError, Document};
use crate::model::{DocumentTasks, Opinions, WordVectors};
use crate::text::{Normalizer, Vocabulary, VocabularyBuilder, tokenize};
use crate::vectors::{Embedding, Rows, Settings, Source};

/// What a run learns from.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// Sentences to learn from.
    pub train: Vec<Example>,
    /// Sentences to choose the best epoch on, by annotation scheme: one part where there are none.
    pub dev: Vec<Vec<AnnotatedSentence>>,
    /// D^ds.
    pub sentiment: Vec<DocumentExample>,
    /// Documents of D^ds that nothing is learnt from.
    pub held_out: Vec<DocumentExample>,
    /// D^dd.
    pub domain: Vec<DocumentExample>,
    /// Number of domains.
    pub domains: usize,
    /// Words and their numbers.
    pub vocabulary: Vocabulary,
    /// What the words begin as.
    pub vectors: WordVectors,
    /// What was read.
    pub report: CorpusReport,
}

/// What was read, for people and for the training record.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CorpusReport {
    /// Sentences to learn from.
    pub train: usize,
    /// Sentences of the development split.
    pub dev: usize,
    /// Sentences that were left out because they stand in a file of `data.without`.
    #[serde(default)]
    pub left_out: usize,
    /// Documents with sentiments.
    pub sentiment_documents: usize,
    /// Documents with domains.
    pub domain_documents: usize,
    /// Rows of document files that were passed over because they are malformed.
    pub bad_documents: usize,
    /// Words of the vocabulary.
    pub words: usize,
    /// For each vector file its name and how many of the words it has.
    pub vectors: Vec<(String, u64)>,
    /// A hash (FNV-1a, 64 bits) of the texts and labels that were learnt from or chosen on.
    pub fingerprint: String,
}

/// A sentence and the number of its annotation scheme.
type InScheme = (u32, AnnotatedSentence);

/// The sentences to learn from and to choose on, and how many were left out.
fn split(
    config: &Config,
    folder: &Path,
) -> Result<(Vec<InScheme>, Vec<InScheme>, usize), TrainError> {
    let path = folder.join(config.data.train.first());
    let mut train = Vec::new();
    for (i, path) in config.data.train.all().iter().enumerate() {
        let scheme = config.data.schemes.get(i).and_then(|name| {
            let known = &mut config.model.schemes.iter();
            u32::try_from(known.position(|known| known == name)?).ok()
        });
        let sentences = data::read(&folder.join(path))?.into_iter();
        train.extend(sentences.map(|sentence| (scheme.unwrap_or(0), sentence)));
    }
    let all = train.len();
    let mut elsewhere = HashSet::new();
    for path in &config.data.without {
        let sentences = data::read(&folder.join(path))?;
        elsewhere.extend(sentences.iter().map(data::leak_key));
    }
    train.retain(|(_, sentence)| !elsewhere.contains(&data::leak_key(sentence)));
    let left_out = all - train.len();
    let dev = match &config.data.dev {
        Some(dev) => {
            let sentences = data::read(&folder.join(dev))?.into_iter();
            sentences.map(|sentence| (0, sentence)).collect()
        }
        None => {
            let mut order: Vec<usize> = (0..train.len()).collect();
            order.shuffle(&mut stream(config.seed, "development split"));
            let count = (train.len() as f64 * config.data.dev_share).round() as usize;
            let mut chosen = order;
            chosen.truncate(count);
            chosen.sort_unstable();
            let dev: Vec<InScheme> = chosen.iter().map(|&i| train[i].clone()).collect();
            let mut i = 0;
            train.retain(|_| {
                i += 1;
                chosen.binary_search(&(i - 1)).is_err()
            });
            dev
        }
    };
    let unusable = |what: String| {
        Err(TrainError::Unusable {
            path: path.clone(),
            what,
        })
    };
    if train.is_empty() || dev.is_empty() {
        return unusable(format!(
            "{} sentences to learn from and {} to choose on: both must be there",
            train.len(),
            dev.len()
        ));
    }
    if train
        .iter()
        .all(|(_, sentence)| sentence.aspects.is_empty())
    {
        return unusable("no sentence has an aspect: nothing to learn".to_owned());
    }
    if config.model.opinions != Opinions::Unlabelled
        && let Some(i) = train
            .iter()
            .position(|(_, sentence)| sentence.opinions.is_none())
    {
        return unusable(format!(
            "sentence {} has no opinion labels: annotate them, or set model.opinions = \"unlabelled\"",
            i + 1
        ));
    }
    Ok((train, dev, left_out))
}

/// The words of a document, and its class.
type Labelled = (Vec<String>, u32);

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
            let words = tokenize(&document.text)
                .into_iter()
                .take(max_tokens)
                .filter_map(|span| span.of(&document.text))
                .map(|word| normalizer.apply(word).into_owned())
                .collect();
            (words, label_class(document.label))
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

/// All words of vector files.
fn vector_words(paths: &[PathBuf]) -> Result<Vec<String>, TrainError> {
    let mut words = Vec::new();
    for path in paths {
        let mut rows = Rows::open(path)?;
        while let Some(row) = rows.next_row()? {
            words.push(row.word.to_owned());
        }
    }
    Ok(words)
}

impl Corpus {
    /// Reads everything that `config` names below `folder`. `vocabulary` is that of a model that training starts from.
    ///
    /// # Errors
    /// If something cannot be read or there is nothing to learn from.
    pub fn load(
        config: &Config,
        folder: &Path,
        vocabulary: Option<&Vocabulary>,
    ) -> Result<Self, TrainError> {
        config.validate()?;
        let (train, dev, left_out) = split(config, folder)?;
        let mut hash = Fingerprint::default();
        for (_, sentence) in train.iter().chain(&dev) {
            hash.add(sentence.text.as_bytes());
            hash.add(format!("{:?}{:?}", sentence.aspects, sentence.opinions).as_bytes());
        }

        let mut bad_documents = 0;
        let (mut sentiment, mut domain) = (Vec::new(), Vec::new());
        let mut domains = 0;
        if config.model.documents != DocumentTasks::None
            && let Some(files) = &config.data.documents
        {
            let mut read = |path: &Path| {
                let (documents, bad) = documents(&folder.join(path), files.max_tokens)?;
                bad_documents += bad;
                for (words, label) in &documents {
                    words.iter().for_each(|word| hash.add(word.as_bytes()));
                    hash.add(&label.to_le_bytes());
                }
                Ok::<_, TrainError>(documents)
            };
            for path in files.sentiment.all() {
                sentiment.extend(read(path)?);
            }
            if config.model.documents == DocumentTasks::SentimentAndDomain {
                domains = files.domains.len();
                for (class, path) in (0..).zip(&files.domains) {
                    domain.extend(read(path)?.into_iter().map(|(words, _)| (words, class)));
                }
            }
        }

        let in_folder = |paths: &[PathBuf]| -> Vec<PathBuf> {
            paths.iter().map(|path| folder.join(path)).collect()
        };
        let general = in_folder(&config.vectors.general);
        let in_domain = in_folder(&config.vectors.domain);
        let vocabulary = match vocabulary {
            Some(vocabulary) => vocabulary.clone(),
            None => {
                let mut builder = VocabularyBuilder::new(Normalizer::default());
                train
                    .iter()
                    .flat_map(|(_, sentence)| sentence.words())
                    .for_each(|word| builder.count(word));
                for (words, _) in sentiment.iter().chain(&domain) {
                    words.iter().for_each(|word| builder.count(word));
                }
                let extra = vector_words(&[general.clone(), in_domain.clone()].concat())?;
                let extra = extra.iter().map(String::as_str);
                let on_top = config.vectors.on_top.unwrap_or(usize::MAX);
                builder
                    .build(Some(config.vectors.vocabulary), extra, on_top)
                    .with_spelling(config.vectors.spelling)
            }
        };
        let number = |documents: Vec<Labelled>| {
            documents
                .into_par_iter()
                .map(|(words, class)| DocumentExample {
                    words: words.iter().map(|word| vocabulary.id(word)).collect(),
                    class,
                })
                .collect::<Vec<_>>()
        };
        let (mut sentiment, domain) = (number(sentiment), number(domain));
        let held_out = hold_out(config, &mut sentiment);
        let (vectors, hits) = word_vectors(config, &general, &in_domain, &vocabulary)?;
        let tag_set = config.model.tag_set();
        let train: Vec<Example> = train
            .iter()
            .filter(|(_, sentence)| !sentence.tokens.is_empty())
            .flat_map(|(scheme, sentence)| {
                let example = Example::new(sentence, &vocabulary, tag_set);
                let times = config.data.repeat.get(*scheme as usize).copied();
                std::iter::repeat_n(example.in_scheme(*scheme), times.unwrap_or(1))
                    .flat_map(Example::pieces)
            })
            .collect();
        let dev_count = dev.len();
        let mut by_scheme = vec![Vec::new(); config.model.schemes.len().max(1)];
        for (scheme, sentence) in dev {
            by_scheme[scheme as usize].push(sentence);
        }
        let report = CorpusReport {
            train: train.len(),
            dev: dev_count,
            left_out,
            sentiment_documents: sentiment.len(),
            domain_documents: domain.len(),
            bad_documents,
            words: vocabulary.len(),
            vectors: hits,
            fingerprint: hash.get(),
        };
        Ok(Self {
            train,
            dev: by_scheme,
            sentiment,
            held_out,
            domain,
            domains,
            vocabulary,
            vectors,
            report,
        })
    }
}

/// Takes the documents that nothing is to be learnt from out of D^ds.
fn hold_out(config: &Config, sentiment: &mut Vec<DocumentExample>) -> Vec<DocumentExample> {
    let files = config.data.documents.as_ref();
    let share = files.map_or(0.0, |files| files.held_out);
    let count = (sentiment.len() as f64 * share).round() as usize;
    if count == 0 {
        return Vec::new();
    }
    sentiment.shuffle(&mut stream(config.seed, "held-out documents"));
    sentiment.split_off(sentiment.len() - count)
}

/// The vectors that the words begin as, and how many of the words each file has.
fn word_vectors(
    config: &Config,
    general: &[PathBuf],
    domain: &[PathBuf],
    vocabulary: &Vocabulary,
) -> Result<(WordVectors, Vec<(String, u64)>), TrainError> {
    if general.is_empty() && domain.is_empty() {
        let dimensions = config.vectors.dimensions;
        let shape = [vocabulary.len(), dimensions];
        let data = imn_nn::Init::Uniform { limit: 0.25 }.draw(&shape, config.seed, "word vectors");
        return Ok((
            WordVectors {
                data,
                dimensions,
                domain_columns: 0..0,
            },
            Vec::new(),
        ));
    }
    let sources: Vec<Source> = general
        .iter()
        .chain(domain)
        .map(|path| Source::from_path(path))
        .collect();
    let settings = Settings {
        lookup: config.vectors.lookup,
        unknown: config.vectors.unknown,
        seed: config.seed,
    };
    let embedding = Embedding::load(vocabulary.words(), &sources, &settings)?;
    let reports = embedding.sources();
    let first_domain = reports
        .get(general.len())
        .map(|report| report.columns.start);
    let hits = reports
        .iter()
        .map(|report| {
            (
                report.source.name.clone(),
                report.hits().total() - report.hits().missing,
            )
        })
        .collect();
    let dimensions = embedding.dimensions();
    let vectors = WordVectors {
        domain_columns: first_domain.unwrap_or(dimensions)..dimensions,
        data: embedding.into_data(),
        dimensions,
    };
    Ok((vectors, hits))
}

/// A hash of many parts: the hash of their hashes.
#[derive(Default)]
struct Fingerprint(Vec<u8>);

impl Fingerprint {
    fn add(&mut self, part: &[u8]) {
        self.0.extend(imn_nn::hash(part).to_le_bytes());
    }

    fn get(&self) -> String {
        format!("{:016x}", imn_nn::hash(&self.0))
    }
}
