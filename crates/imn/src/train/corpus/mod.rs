//! Everything that a run reads, as networks take it: examples, featurizer, vectors.
//!
//! The vocabulary is made of the words of the training sentences and documents and of the vector
//! files; the development split and the test set add nothing to it.

mod documents;
mod fingerprint;
mod sentences;
mod vectors;

use std::path::Path;

use imn_nn::transformer::TransformerConfig;
use rayon::prelude::*;

use self::documents::{Documents, Labelled};
use self::fingerprint::Fingerprint;
use self::sentences::{GivenSentence, Sentences};
use super::TrainError;
use crate::bundle::CorpusReport;
use crate::config::{Config, DataConfig, VectorsConfig};
use crate::data::AnnotatedSentence;
use crate::features::{Featurizer, Lexicon, Limits, SubwordTokenizer};
use crate::model::{
    DocumentExample, DocumentTasks, EncoderConfig, EncoderSource, Example, SubwordEncoder, TagSet,
};
use crate::text::{TokenizerRules, Vocabulary};

/// Which corpus: the part of a configuration that says what is read, and as what.
#[derive(Debug, Clone, Copy)]
pub struct CorpusRequest<'a> {
    /// Splits and initial vectors are drawn from it.
    pub seed: u64,
    /// The files.
    pub data: &'a DataConfig,
    /// Vocabulary and word vectors.
    pub vectors: &'a VectorsConfig,
    /// The tags that are learnt.
    pub tag_set: TagSet,
    /// Whether the network can learn from sentences without opinion labels beside others.
    pub allows_missing_opinions: bool,
    /// The tasks that documents are read for.
    pub documents: DocumentTasks,
    /// The annotation schemes that the network knows.
    pub schemes: &'a [String],
    /// The kind of encoder that reads it.
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

/// What a run learns from.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// Sentences to learn from.
    pub train: Vec<Example>,
    /// Sentences to choose the best epoch on, one annotation scheme after the other.
    pub dev: Vec<AnnotatedSentence>,
    /// The same as the network is given them.
    pub dev_examples: Vec<Example>,
    /// D^ds.
    pub sentiment: Vec<DocumentExample>,
    /// Documents of D^ds that nothing is learnt from.
    pub held_out: Vec<DocumentExample>,
    /// D^dd.
    pub domain: Vec<DocumentExample>,
    /// Number of domains.
    pub domains: usize,
    /// Turns words into numbers.
    pub featurizer: Featurizer,
    /// What the encoder is built from; word vectors are gone once a network has been built from it.
    pub encoder: EncoderSource,
    /// What was read.
    pub report: CorpusReport,
}

impl Corpus {
    /// Reads everything that `request` names below `folder`. `vocabulary` is that of a model that
    /// training starts from.
    ///
    /// # Errors
    /// If something cannot be read or there is nothing to learn from.
    pub fn load(
        request: &CorpusRequest<'_>,
        folder: &Path,
        vocabulary: Option<&Vocabulary>,
    ) -> Result<Self, TrainError> {
        let Sentences {
            train,
            dev,
            left_out,
        } = sentences::read(request, folder)?;
        let mut hash = Fingerprint::default();
        for given in train.iter().chain(&dev) {
            hash.sentence(&given.sentence);
        }
        let Documents {
            sentiment,
            domain,
            domains,
            bad,
        } = documents::read(request, folder, &mut hash)?;

        let (lexicon, encoder, hits) = match request.encoder {
            EncoderConfig::Cnn(_) => {
                let texts = [&sentiment, &domain];
                vectors::of_words(request, folder, &train, texts, vocabulary)?
            }
            EncoderConfig::Transformer(transformer) => {
                let folder = folder.join(&transformer.folder);
                let sizes = TransformerConfig::from_folder(&folder)?;
                let subwords = SubwordTokenizer::from_folder(&folder)?;
                let source = EncoderSource::Subwords(sizes);
                (Lexicon::Subwords(subwords), source, Vec::new())
            }
        };
        let limits = match &encoder {
            EncoderSource::Words(_) => Limits::WORDS,
            EncoderSource::Subwords(sizes) => SubwordEncoder::limits_of(sizes),
        };
        let featurizer = Featurizer::new(TokenizerRules::NEWEST, lexicon)
            .splitting(request.data.split_sentences);
        let example = |documents: Vec<Labelled>| {
            let documents = documents.into_par_iter();
            documents
                .map(|(words, class)| DocumentExample {
                    features: featurizer
                        .normalized_words(words.iter().map(String::as_str))
                        .beginning(limits),
                    class,
                })
                .collect::<Vec<_>>()
        };
        let (mut sentiment, domain) = (example(sentiment), example(domain));
        let held_out = documents::hold_out(request, &mut sentiment);
        let train: Vec<Example> = train
            .iter()
            .filter(|given| !given.sentence.tokens.is_empty())
            .flat_map(|given| {
                let example = Example::labelled(&given.sentence, &featurizer, request.tag_set);
                std::iter::repeat_n(example.in_scheme(given.scheme), given.repeat)
                    .flat_map(|example| example.pieces(limits))
                    .map(|(_, piece)| piece)
            })
            .collect();
        let unlabelled = |given: &GivenSentence| {
            Example::unlabelled(featurizer.sentence(&given.sentence)).in_scheme(given.scheme)
        };
        let dev_examples: Vec<Example> = dev.iter().map(unlabelled).collect();
        let report = CorpusReport {
            train: train.len(),
            dev: dev.len(),
            left_out,
            sentiment_documents: sentiment.len(),
            domain_documents: domain.len(),
            bad_documents: bad,
            words: featurizer.lexicon().len(),
            vectors: hits,
            fingerprint: hash.get(),
        };
        Ok(Self {
            train,
            dev: dev.into_iter().map(|given| given.sentence).collect(),
            dev_examples,
            sentiment,
            held_out,
            domain,
            domains,
            featurizer,
            encoder,
            report,
        })
    }

    /// What the encoder is built from, for the network that is built from it. Its shape stays.
    pub fn take_encoder(&mut self) -> EncoderSource {
        let shape = self.encoder.shape();
        std::mem::replace(&mut self.encoder, shape)
    }

    /// The corpus of a classifier, which is given the aspects and what is known of opinions: sentences
    /// without a sentiment teach it nothing, and it is scored on the annotated aspects.
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
