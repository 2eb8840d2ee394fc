//! Batches, split into shards that run on one tape each.

use imn_nn::{TokenMean, shards};

use super::{DocumentExample, DocumentTask, Example, Input};
use crate::data::Span;

/// Sentences that run on one tape: a shard of a training batch, or sentences to predict.
#[derive(Debug, Clone)]
pub struct SentenceBatch<'a> {
    /// The packed words.
    pub input: Input,
    /// The sentences.
    pub sentences: Vec<&'a Example>,
    /// How token losses are averaged.
    pub mean: TokenMean,
    /// Number of aspects with a sentiment in the whole batch: the divisor of aspect losses.
    pub aspects: f64,
    /// Weight of the loss of AS.
    pub sentiment_weight: f64,
    /// How sentences with soft labels are learnt.
    pub distillation: Distillation,
    /// Whether gold labels replace the predicted P^op (scheduled sampling).
    pub gold_opinions: bool,
}

/// How a network learns from the soft labels of a teacher.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distillation {
    /// Weight of a sentence with soft labels; one with gold labels has 1.
    pub weight: f64,
    /// T: logits are divided by T before the softmax, and the loss is multiplied by T².
    pub temperature: f64,
}

impl Default for Distillation {
    fn default() -> Self {
        Self {
            weight: 1.0,
            temperature: 1.0,
        }
    }
}

impl<'a> SentenceBatch<'a> {
    /// Sentences to predict.
    #[must_use]
    pub fn to_predict(sentences: Vec<&'a Example>) -> Self {
        let count = sentences.len() as f64;
        let input = Input::sentences(sentences.iter().map(|sentence| &sentence.features))
            .with_schemes(sentences.iter().map(|sentence| sentence.scheme));
        Self {
            input,
            sentences,
            mean: TokenMean::Sequences { count },
            aspects: 1.0,
            sentiment_weight: 1.0,
            distillation: Distillation::default(),
            gold_opinions: false,
        }
    }

    /// Splits a training batch into `count` shards.
    #[must_use]
    pub fn cut(
        batch: &[&'a Example],
        count: usize,
        mean: TokenMean,
        gold_opinions: bool,
    ) -> Vec<Self> {
        let lengths: Vec<usize> = batch.iter().map(|sentence| sentence.len()).collect();
        let classes = batch.iter().flat_map(|sentence| {
            let aspects = sentence.aspects.iter();
            aspects.filter_map(|&aspect| sentence.class(aspect))
        });
        let aspects = classes.count().max(1) as f64;
        let cut = shards(&lengths, count).into_iter();
        cut.map(|part| Self {
            mean,
            aspects,
            gold_opinions,
            ..Self::to_predict(part.iter().map(|&i| batch[i]).collect())
        })
        .collect()
    }

    /// Concatenates the per-word values `of` of all sentences.
    pub fn of_words<T>(&self, of: impl Fn(&Example) -> Vec<T>) -> Vec<T> {
        self.sentences
            .iter()
            .flat_map(|&sentence| of(sentence))
            .collect()
    }

    /// The index of each sentence's first word.
    #[must_use]
    pub fn starts(&self) -> Vec<u32> {
        let mut next = 0;
        self.sentences
            .iter()
            .map(|sentence| {
                let start = next;
                next += sentence.len() as u32;
                start
            })
            .collect()
    }

    /// The aspects of all sentences: index of the sentence, span, sentiment class.
    pub fn mentions(&self) -> impl Iterator<Item = (usize, Span, Option<u32>)> + '_ {
        let sentences = self.sentences.iter().enumerate();
        sentences.flat_map(|(i, sentence)| {
            let aspects = sentence.aspects.iter();
            aspects.map(move |&span| (i, span, sentence.class(span)))
        })
    }
}

/// Shards of a batch of documents. Two tasks can share a step, which then has eight shards, as many
/// as a large batch of sentences.
const DOCUMENT_SHARDS: usize = 4;

/// Documents of one task that run on one tape.
#[derive(Debug, Clone)]
pub struct DocumentBatch {
    /// The packed words.
    pub input: Input,
    /// The task whose loss is computed.
    pub task: DocumentTask,
    /// The class of each document.
    pub classes: Vec<Option<u32>>,
    /// Number of documents of the task in the whole batch: the divisor of the loss.
    pub count: f64,
}

impl DocumentBatch {
    /// Splits a batch of one task into shards.
    #[must_use]
    pub fn cut(task: DocumentTask, batch: &[&DocumentExample]) -> Vec<Self> {
        let lengths = batch.iter().map(|document| document.features.len());
        let cut = shards(&lengths.collect::<Vec<_>>(), DOCUMENT_SHARDS).into_iter();
        cut.map(|part| Self {
            input: Input::documents(part.iter().map(|&i| &batch[i].features)),
            task,
            classes: part.iter().map(|&i| Some(batch[i].class)).collect(),
            count: batch.len() as f64,
        })
        .collect()
    }
}
