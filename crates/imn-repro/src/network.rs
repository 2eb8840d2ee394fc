//! What every compared system can do. A new one is a file in `systems/` with a struct that implements [`Network`].

use imn::data::{AeTag, AnnotatedSentence, Aspect, Span, decode_tags};
use imn::eval::Metric;
use imn::model::{TagSet, WordVectors};
use imn::predict::{POLARITIES, likeliest};
use imn::text::Vocabulary;
use imn_nn::{Params, Shape, Tape, Var};

use crate::batch::{DocumentShard, Sentence, Shard};
use crate::config::OpinionLabels;

/// The part that a network has in a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// AE: finds aspect and opinion terms.
    Extractor,
    /// AS: tells the sentiment of given aspects.
    Classifier,
    /// Both at once.
    Integrated,
}

impl Role {
    /// The score on the development split that chooses the epoch. A classifier is given the annotated aspects there.
    #[must_use]
    pub fn metric(self) -> Metric {
        match self {
            Self::Extractor => Metric::F1A,
            Self::Classifier => Metric::AccS,
            Self::Integrated => Metric::F1I,
        }
    }

    /// The scores that say something of it on the development split: those of its own task.
    #[must_use]
    pub fn metrics(self) -> &'static [Metric] {
        match self {
            Self::Extractor => &[Metric::F1A, Metric::F1O],
            Self::Classifier => &[Metric::AccS, Metric::F1S, Metric::MacroF1S],
            Self::Integrated => &Metric::ALL,
        }
    }
}

/// What a network is made for.
#[derive(Debug)]
pub struct Setting<'a> {
    /// The words.
    pub vocabulary: &'a Vocabulary,
    /// What the words begin as.
    pub vectors: WordVectors,
    /// Whether opinions have tags.
    pub tag_set: TagSet,
}

/// What a network says of a sentence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prediction {
    /// Aspect terms, with sentiments where the network tells them.
    pub aspects: Vec<Aspect>,
    /// Opinion terms.
    pub opinions: Vec<Span>,
    /// P^op of every word, where the network tells it.
    pub opinion: Vec<f32>,
}

impl Prediction {
    /// The sentence with this as its annotation.
    #[must_use]
    pub fn annotate(
        self,
        sentence: &AnnotatedSentence,
        opinions: OpinionLabels,
    ) -> AnnotatedSentence {
        AnnotatedSentence {
            id: sentence.id.clone(),
            text: sentence.text.clone(),
            tokens: sentence.tokens.clone(),
            aspects: self.aspects,
            opinions: (opinions == OpinionLabels::Used).then_some(self.opinions),
            ..AnnotatedSentence::default()
        }
    }
}

/// Which documents are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// On their own, before the sentences.
    Pretraining,
    /// Beside the sentences.
    Joint,
}

/// A network of a compared system. Its weights are in a [`Params`] that it was made with; those whose names begin with
/// [`FIXED`] are constants.
pub trait Network: Send + Sync {
    /// Its part in a system.
    fn role(&self) -> Role;

    /// The loss of labelled sentences.
    fn loss(&self, tape: &mut Tape<'_, f32>, shard: &Shard<'_>) -> Var;

    /// What it says of each sentence. A classifier answers for the aspects that the sentence has.
    fn predict(&self, tape: &mut Tape<'_, f32>, shard: &Shard<'_>) -> Vec<Prediction>;

    /// The loss of documents, where it learns from them.
    fn document_loss(
        &self,
        _tape: &mut Tape<'_, f32>,
        _shard: &DocumentShard,
        _reading: Reading,
    ) -> Option<Var> {
        None
    }

    /// What happens to the weights between the documents on their own and the sentences.
    fn after_pretraining(&self, _params: &mut Params<f32>) {}
}

/// Names of constants begin so: nothing changes them.
pub const FIXED: &str = "fixed.";
/// Names of the weights of word vectors begin so.
pub const EMBEDDING: &str = "embedding.";

/// The values of each sentence's words, a row a word.
pub(crate) fn rows_by_sentence<'t>(
    tape: &'t Tape<'_, f32>,
    x: Var,
) -> impl Iterator<Item = Vec<&'t [f32]>> {
    let Shape { cols, .. } = *tape.shape(x);
    let layout = tape.shape(x).token_layout();
    let value = tape.value(x);
    layout.spans().iter().map(move |span| {
        let rows = span.clone();
        rows.map(|row| &value[row * cols..][..cols]).collect()
    })
}

/// What tags say: their likeliest spans, and P^op = P(BP) + P(IP).
pub(crate) fn predictions_of_tags(
    tape: &Tape<'_, f32>,
    probabilities: Var,
    tag_set: TagSet,
) -> Vec<Prediction> {
    let sentences = rows_by_sentence(tape, probabilities);
    let sentences = sentences.map(|rows| {
        let tags: Vec<AeTag> = rows
            .iter()
            .map(|row| tag_set.tags()[likeliest(row)])
            .collect();
        let decoded = decode_tags(&tags);
        let aspect = |span| Aspect {
            span,
            polarity: None,
        };
        Prediction {
            aspects: decoded.aspects.into_iter().map(aspect).collect(),
            opinions: decoded.opinions,
            opinion: match tag_set {
                TagSet::AspectsAndOpinions => {
                    let opinion = |row: &&[f32]| row[AeTag::BP.index()] + row[AeTag::IP.index()];
                    rows.iter().map(opinion).collect()
                }
                TagSet::Aspects => Vec::new(),
            },
        }
    });
    sentences.collect()
}

/// What sentiments say, one row an aspect of the shard.
pub(crate) fn predictions_of_sentiments(
    tape: &Tape<'_, f32>,
    sentiments: Var,
    shard: &Shard<'_>,
) -> Vec<Prediction> {
    let mut rows = tape.value(sentiments).chunks_exact(POLARITIES.len());
    let sentences = shard.sentences.iter().map(|&sentence: &&Sentence| {
        let aspects = sentence.aspects.iter();
        let aspects = aspects.map(|&span| Aspect {
            span,
            polarity: rows.next().map(|row| POLARITIES[likeliest(row)]),
        });
        Prediction {
            aspects: aspects.collect(),
            ..Prediction::default()
        }
    });
    sentences.collect()
}
