//! Batches, cut into the parts that run on one tape each.

use imn_nn::{TokenMean, shards};

use super::{DocumentExample, DocumentTask, Example, Input};
use crate::data::Span;

/// Sentences that run on one tape.
#[derive(Debug, Clone)]
pub struct SentenceBatch<'a> {
    /// Their words, packed.
    pub input: Input,
    /// The sentences.
    pub sentences: Vec<&'a Example>,
    /// What the losses of words are divided by.
    pub mean: TokenMean,
    /// Aspects with a sentiment in the whole batch: what the losses of aspects are divided by.
    pub aspects: f64,
    /// What the loss of AS is multiplied by.
    pub sentiment_weight: f64,
    /// Whether P^op is to be the labels instead of the network's own prediction (scheduled sampling).
    pub gold_opinions: bool,
}

impl<'a> SentenceBatch<'a> {
    /// Sentences to read.
    #[must_use]
    pub fn to_read(sentences: Vec<&'a Example>) -> Self {
        let count = sentences.len() as f64;
        let input = Input::sentences(sentences.iter().map(|sentence| &sentence.features))
            .with_schemes(sentences.iter().map(|sentence| sentence.scheme));
        Self {
            input,
            sentences,
            mean: TokenMean::Sequences { count },
            aspects: 1.0,
            sentiment_weight: 1.0,
            gold_opinions: false,
        }
    }

    /// A batch to learn from, cut into `count` parts.
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
            ..Self::to_read(part.iter().map(|&i| batch[i]).collect())
        })
        .collect()
    }

    /// Something of every word, sentence after sentence.
    pub fn of_words<T>(&self, of: impl Fn(&Example) -> Vec<T>) -> Vec<T> {
        self.sentences
            .iter()
            .flat_map(|&sentence| of(sentence))
            .collect()
    }

    /// The number of each sentence's first word.
    #[must_use]
    pub fn starts(&self) -> Vec<u32> {
        let mut next = 0;
        let sentences = self.sentences.iter();
        sentences
            .map(|sentence| {
                let start = next;
                next += sentence.len() as u32;
                start
            })
            .collect()
    }

    /// The aspects: number of the sentence, place, class.
    pub fn mentions(&self) -> impl Iterator<Item = (usize, Span, Option<u32>)> + '_ {
        let sentences = self.sentences.iter().enumerate();
        sentences.flat_map(|(i, sentence)| {
            let aspects = sentence.aspects.iter();
            aspects.map(move |&span| (i, span, sentence.class(span)))
        })
    }
}

/// Parts of a batch of documents. Two tasks may share a step: each has half the shards of a batch of
/// sentences.
const DOCUMENT_SHARDS: usize = 4;

/// Documents that run on one tape.
#[derive(Debug, Clone)]
pub struct DocumentBatch {
    /// Their words, packed.
    pub input: Input,
    /// What is to be learnt of them.
    pub task: DocumentTask,
    /// Their classes.
    pub classes: Vec<Option<u32>>,
    /// What the loss is divided by: the documents of the task in the whole batch.
    pub count: f64,
}

impl DocumentBatch {
    /// A batch of one task, cut into parts.
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
