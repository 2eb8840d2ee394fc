//! The data of a training run in the form that networks need: examples, featurizer, vectors.
//!
//! The vocabulary consists of words of the training sentences, with gold labels or without labels,
//! of the documents and of the vector files.
//! The development split and the test set add nothing to it.

mod documents;
mod fingerprint;
mod sentences;
mod unlabelled;
mod vectors;

use std::path::Path;

use imn_nn::transformer::TransformerConfig;
use rayon::prelude::*;

pub use self::documents::HeldOutDocuments;
use self::documents::Labelled;
pub(super) use self::fingerprint::FEATURES;
use self::fingerprint::Fingerprint;
pub(super) use self::sentences::GivenSentence;
use self::sentences::Sentences;
use self::vectors::{Hits, TrainingText};
use super::TrainError;
use crate::bundle::{CorpusReport, ModelPart};
use crate::config::{Config, DataConfig, VectorsConfig};
use crate::data::AnnotatedSentence;
use crate::features::{Featurizer, Lexicon, Limits, SubwordTokenizer};
use crate::model::{
    DocumentExample, DocumentTasks, EncoderConfig, EncoderSource, Example, SubwordEncoder, TagSet,
    TransformerFolder,
};
use crate::text::TokenizerRules;

/// The part of a configuration that determines the corpus.
#[derive(Debug, Clone, Copy)]
pub struct CorpusRequest<'a> {
    /// Seed of the development split and of random initial vectors.
    pub seed: u64,
    /// The data files.
    pub data: &'a DataConfig,
    /// Vocabulary and word vectors.
    pub vectors: &'a VectorsConfig,
    /// The tags that the network predicts.
    pub tag_set: TagSet,
    /// Whether the network can learn from sentences without opinion labels beside others.
    pub allows_missing_opinions: bool,
    /// The tasks that documents are read for.
    pub documents: DocumentTasks,
    /// The annotation schemes of the network.
    pub schemes: &'a [String],
    /// The encoder, which determines the features.
    pub encoder: &'a EncoderConfig,
}

impl<'a> From<&'a Config> for CorpusRequest<'a> {
    fn from(config: &'a Config) -> Self {
        Self {
            seed: config.seed,
            data: &config.data,
            vectors: &config.vectors,
            tag_set: config.model.tag_set(),
            allows_missing_opinions: true,
            documents: config.model.documents,
            schemes: &config.model.schemes,
            encoder: &config.model.encoder,
        }
    }
}

/// The data of a training run.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// Training sentences with gold labels, as often as they are repeated; long ones in pieces.
    pub train: Vec<Example>,
    /// Training sentences with soft labels, from [`Corpus::teach`].
    pub soft: Vec<Example>,
    /// Sentences for a teacher to label.
    pub(super) unlabelled: Vec<GivenSentence>,
    /// Development sentences, grouped by annotation scheme.
    pub dev: Vec<AnnotatedSentence>,
    /// The network's input for each of `dev`.
    pub dev_examples: Vec<Example>,
    /// D^ds.
    pub sentiment: Vec<DocumentExample>,
    /// D^dd.
    pub domain: Vec<DocumentExample>,
    /// Documents of both sets that are not trained on.
    pub held_out: HeldOutDocuments,
    /// Number of domains.
    pub domains: usize,
    /// Turns words into the network's input.
    pub featurizer: Featurizer,
    /// Input and sizes of the encoder. After [`Corpus::take_encoder`] it has no word vectors.
    pub encoder: EncoderSource,
    /// Sizes and fingerprint of the data.
    pub report: CorpusReport,
}

impl Corpus {
    /// Reads the data of `request` from the data folder `folder`. `init` is the model whose weights
    /// training starts from, if any: its vocabulary is used, and word vectors are not read.
    ///
    /// # Errors
    /// If a file cannot be read, or there are no training or development sentences.
    pub fn load(
        request: &CorpusRequest<'_>,
        folder: &Path,
        init: Option<&ModelPart>,
    ) -> Result<Self, TrainError> {
        let mut hash = Fingerprint::default();
        let Sentences {
            train,
            dev,
            left_out,
        } = sentences::read(request, folder, init.is_none())?;
        for sentences in [&train, &dev] {
            hash.list(sentences.len());
            for given in sentences {
                hash.sentence(&given.sentence);
            }
        }
        let unlabelled = unlabelled::read(request, folder, &dev)?;
        let documents = documents::read(request, folder, &train, &mut hash)?;
        let text = TrainingText {
            sentences: [&train, &unlabelled],
            documents: [&documents.sentiment, &documents.domain],
        };
        let input = EncoderInput::new(request, folder, init, text, &mut hash)?;

        let limits = limits(&input.encoder);
        let rules = init.map_or(TokenizerRules::NEWEST, |part| part.featurizer.rules());
        let featurizer =
            Featurizer::new(rules, input.lexicon).splitting(request.data.split_sentences);
        let mut sentiment = document_examples(documents.sentiment, &featurizer, limits);
        let mut domain = document_examples(documents.domain, &featurizer, limits);
        let held_out = HeldOutDocuments::split_off(request, &mut sentiment, &mut domain);
        let examples = training_examples(&train, &featurizer, request.tag_set, limits);
        let for_prediction = |given: &GivenSentence| {
            Example::unlabelled(featurizer.sentence(&given.sentence)).in_scheme(given.scheme)
        };
        let dev_examples: Vec<Example> = dev.iter().map(for_prediction).collect();
        let report = CorpusReport {
            train: train.len(),
            dev: dev.len(),
            left_out,
            sentiment_documents: sentiment.len(),
            domain_documents: domain.len(),
            bad_documents: documents.bad,
            words: featurizer.lexicon().len(),
            vectors: input.hits,
            fingerprint: hash.get(),
            init: input.init,
            unlabelled: 0,
            teacher: None,
        };
        Ok(Self {
            train: examples,
            soft: Vec::new(),
            unlabelled,
            dev: dev.into_iter().map(|given| given.sentence).collect(),
            dev_examples,
            sentiment,
            held_out,
            // Without documents, DD keeps the domains that it was trained on.
            domains: init.map_or(documents.domains, |part| {
                documents.domains.max(part.domains)
            }),
            domain,
            featurizer,
            encoder: input.encoder,
            report,
        })
    }

    /// A training sentence: those with gold labels first, then those with soft labels.
    pub(super) fn sentence(&self, i: usize) -> &Example {
        match i.checked_sub(self.train.len()) {
            None => &self.train[i],
            Some(i) => &self.soft[i],
        }
    }

    /// How much of a text the encoder reads at once.
    pub(super) fn limits(&self) -> Limits {
        limits(&self.encoder)
    }

    /// Takes the initial word vectors for building a network. The corpus keeps their shape only.
    pub fn take_encoder(&mut self) -> EncoderSource {
        let shape = self.encoder.shape();
        std::mem::replace(&mut self.encoder, shape)
    }

    /// The corpus for a classifier: training sentences without a sentiment are removed, and the
    /// development examples contain the annotated aspects and opinions.
    #[must_use]
    pub fn for_classifier(mut self, tags: TagSet) -> Self {
        self.train.retain(|sentence| {
            let mut aspects = sentence.aspects.iter();
            aspects.any(|&aspect| sentence.class(aspect).is_some())
        });
        for (annotated, example) in self.dev.iter().zip(&mut self.dev_examples) {
            let known = Example::labelled(annotated, &self.featurizer, tags);
            (example.aspects, example.opinion) = (known.aspects, known.opinion);
        }
        self
    }
}

/// What the encoder reads, and the weights that it starts with.
struct EncoderInput {
    lexicon: Lexicon,
    encoder: EncoderSource,
    /// Name of each vector file, and the number of vocabulary words that it has a vector for.
    hits: Hits,
    /// The content of the model that training starts from, as a hash.
    init: Option<String>,
}

impl EncoderInput {
    /// The input of the initial model if there is one, otherwise that of the configured encoder.
    fn new(
        request: &CorpusRequest<'_>,
        folder: &Path,
        init: Option<&ModelPart>,
        text: TrainingText<'_>,
        hash: &mut Fingerprint,
    ) -> Result<Self, TrainError> {
        match (init, request.encoder) {
            (Some(part), _) => Self::of_model(part, hash),
            (None, EncoderConfig::Cnn(_)) => {
                let (lexicon, encoder, hits) = vectors::of_words(request, folder, text, hash)?;
                Ok(Self {
                    lexicon,
                    encoder,
                    hits,
                    init: None,
                })
            }
            (None, EncoderConfig::Transformer(transformer)) => {
                Self::of_transformer(folder, transformer, hash)
            }
        }
    }

    fn of_model(part: &ModelPart, hash: &mut Fingerprint) -> Result<Self, TrainError> {
        let content = part.content_hash()?;
        hash.init(&content);
        Ok(Self {
            lexicon: part.featurizer.lexicon().clone(),
            encoder: part.encoder.zeros(),
            hits: Vec::new(),
            init: Some(content),
        })
    }

    fn of_transformer(
        data: &Path,
        transformer: &TransformerFolder,
        hash: &mut Fingerprint,
    ) -> Result<Self, TrainError> {
        let folder = data.join(&transformer.folder);
        let mut sizes = TransformerConfig::from_folder(&folder)?;
        if let Some(layers) = transformer.layers {
            sizes = sizes.with_lowest_layers(layers)?;
        }
        let subwords = SubwordTokenizer::from_folder(&folder)?;
        for name in ["config.json", "tokenizer.json", "model.safetensors"] {
            hash.file(&folder.join(name))?;
        }
        Ok(Self {
            lexicon: Lexicon::Subwords(subwords),
            encoder: EncoderSource::Subwords(sizes),
            hits: Vec::new(),
            init: None,
        })
    }
}

/// The examples of documents, whose ends are cut off if they are too long for the encoder.
fn document_examples(
    documents: Vec<Labelled>,
    featurizer: &Featurizer,
    limits: Limits,
) -> Vec<DocumentExample> {
    let documents = documents.into_par_iter().map(|(words, class)| {
        let features = featurizer.words(words.iter().map(String::as_str));
        DocumentExample {
            features: features.beginning(limits),
            class,
        }
    });
    documents.collect()
}

/// The examples of training sentences: one per sentence and repeat, several for a sentence that is
/// too long for the encoder.
fn training_examples(
    sentences: &[GivenSentence],
    featurizer: &Featurizer,
    tags: TagSet,
    limits: Limits,
) -> Vec<Example> {
    let sentences = sentences.iter();
    sentences
        .filter(|given| !given.sentence.tokens.is_empty())
        .flat_map(|given| {
            let example = Example::labelled(&given.sentence, featurizer, tags);
            std::iter::repeat_n(example.in_scheme(given.scheme), given.repeat)
                .flat_map(|example| example.pieces(limits))
                .map(|(_, piece)| piece)
        })
        .collect()
}

fn limits(encoder: &EncoderSource) -> Limits {
    match encoder {
        EncoderSource::Words(_) => Limits::WORDS,
        EncoderSource::Subwords(sizes) => SubwordEncoder::limits_of(sizes),
    }
}
