//! Sentences and documents as the compared systems take them.

use imn::data::{AeTag, AnnotatedSentence, DecodedTags, Span, decode_tags};
use imn::model::Input;
use imn::text::Vocabulary;
use imn::train::{DocumentExample, Example};
use imn_nn::{TokenMean, shards};

/// Parts of a batch. Recurrences go word by word: the more sentences go together, the better they use the machine.
const SHARDS: usize = 4;

/// A sentence with what is known of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sentence {
    /// The number of every word.
    pub words: Vec<u32>,
    /// The tag of every word; all O in use.
    pub tags: Vec<AeTag>,
    /// The sentiment class of every word of an aspect; none for *conflict*, outside aspects, and in use.
    pub polarities: Vec<Option<u32>>,
    /// P^op: how likely every word is part of an opinion term, as a classifier is told. 0 or 1 by the labels in training, the extractor's
    /// probabilities in use; empty where opinions are not labelled.
    pub opinion: Vec<f32>,
    /// Where the aspects are, as a classifier is told; labels in training, the extractor's in use.
    pub aspects: Vec<Span>,
}

impl Sentence {
    /// A sentence to learn from.
    #[must_use]
    pub fn to_learn(example: &Example, tags: &[AeTag], opinions_labelled: bool) -> Self {
        let classes = example.tags.iter();
        let tags: Vec<AeTag> = classes
            .map(|class| class.map_or(AeTag::O, |class| tags[class as usize]))
            .collect();
        let DecodedTags { aspects, .. } = decode_tags(&tags);
        let inside = |&inside: &bool| f32::from(u8::from(inside));
        Self {
            words: example.words.clone(),
            polarities: example.polarities.clone(),
            opinion: match opinions_labelled {
                true => example.opinions.iter().map(inside).collect(),
                false => Vec::new(),
            },
            aspects,
            tags,
        }
    }

    /// A sentence to read: its words only.
    #[must_use]
    pub fn to_read(sentence: &AnnotatedSentence, vocabulary: &Vocabulary) -> Self {
        let words: Vec<u32> = sentence.words().map(|word| vocabulary.id(word)).collect();
        Self {
            tags: vec![AeTag::O; words.len()],
            polarities: vec![None; words.len()],
            words,
            ..Self::default()
        }
    }

    /// The sentiment class of an aspect: that of its first word.
    #[must_use]
    pub fn class(&self, aspect: Span) -> Option<u32> {
        self.polarities.get(aspect.start).copied().flatten()
    }
}

/// Sentences that run on one tape.
#[derive(Debug, Clone)]
pub struct Shard<'a> {
    /// Their words, packed.
    pub input: Input,
    /// The sentences.
    pub sentences: Vec<&'a Sentence>,
    /// What the losses of words are divided by.
    pub mean: TokenMean,
    /// Aspects with a sentiment in the whole batch: what the losses of aspects are divided by.
    pub aspects: f64,
}

impl<'a> Shard<'a> {
    /// Sentences to read.
    #[must_use]
    pub fn to_read(sentences: Vec<&'a Sentence>) -> Self {
        let count = sentences.len() as f64;
        Self {
            input: Input::sentences(sentences.iter().map(|sentence| sentence.words.as_slice())),
            sentences,
            mean: TokenMean::Sequences { count },
            aspects: 1.0,
        }
    }

    /// Something of every word, sentence after sentence.
    pub fn of_words<T>(&self, of: impl Fn(&Sentence) -> Vec<T>) -> Vec<T> {
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
                next += sentence.words.len() as u32;
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

/// Cuts a batch of sentences into shards.
#[must_use]
pub fn sentence_shards<'a>(batch: &[&'a Sentence], mean: TokenMean) -> Vec<Shard<'a>> {
    let lengths: Vec<usize> = batch.iter().map(|sentence| sentence.words.len()).collect();
    let classes = batch.iter().flat_map(|sentence| {
        let aspects = sentence.aspects.iter();
        aspects.filter_map(|&aspect| sentence.class(aspect))
    });
    let aspects = classes.count().max(1) as f64;
    let cut = shards(&lengths, SHARDS).into_iter();
    cut.map(|shard| Shard {
        mean,
        aspects,
        ..Shard::to_read(shard.iter().map(|&i| batch[i]).collect())
    })
    .collect()
}

/// Documents that run on one tape.
#[derive(Debug, Clone)]
pub struct DocumentShard {
    /// Their words, packed.
    pub input: Input,
    /// Their sentiments.
    pub classes: Vec<Option<u32>>,
    /// What the loss is divided by: the documents of the batch.
    pub count: f64,
}

/// Cuts a batch of documents into shards.
#[must_use]
pub fn document_shards(batch: &[&DocumentExample]) -> Vec<DocumentShard> {
    let lengths: Vec<usize> = batch.iter().map(|document| document.words.len()).collect();
    let cut = shards(&lengths, SHARDS).into_iter();
    cut.map(|shard| DocumentShard {
        input: Input::documents(shard.iter().map(|&i| batch[i].words.as_slice())),
        classes: shard.iter().map(|&i| Some(batch[i].class)).collect(),
        count: batch.len() as f64,
    })
    .collect()
}
