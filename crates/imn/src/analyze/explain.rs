//! ŷ^(0), ŷ^(1), …, ŷ^(T): what the network thought of every word before message passing and after each round of it.
//!
//! The last round is what [`Analyzer::analyze`] reads its answer from; the rounds before show what the messages changed. Probabilities and
//! attentions are the network's own, not calibrated.
//!
//! An explanation is looked at, so it is bounded whatever the text: [`MOST_WORDS`] words are explained, and attention, which grows with the
//! square of a sentence, is kept for sentences of up to [`MOST_ATTENTION`] words.

use serde::{Deserialize, Serialize};

use super::analyzer::PieceRounds;
use super::{Analysis, Analyzer, SCHEMA};
use crate::data::{AeTag, Polarity};
use crate::predict::{POLARITIES, Reading, likeliest};
use crate::text::{OffsetIndex, OffsetUnit, Span};

/// Words of a text that are explained: its first sentences that hold at most so many together.
pub const MOST_WORDS: usize = 2000;

/// Words of a sentence whose attention is kept.
pub const MOST_ATTENTION: usize = 200;

/// How a text was read, round by round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The version of the form, [`SCHEMA`].
    pub schema: u32,
    /// The columns of [`ExplainedRound::tags`].
    pub tags: Vec<AeTag>,
    /// The columns of [`ExplainedRound::sentiments`] and [`ExplainedDocument::sentiment`].
    pub polarities: Vec<Polarity>,
    /// The sentences; one of more than 1,000 words is in parts.
    pub sentences: Vec<ExplainedSentence>,
    /// Sentences after them that are not explained.
    pub sentences_left_out: usize,
    /// What it came to: the analysis of the whole text.
    pub analysis: Analysis,
}

/// A sentence and its rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainedSentence {
    /// Its n tokens.
    pub tokens: Vec<ExplainedToken>,
    /// Rounds 0 … T.
    pub rounds: Vec<ExplainedRound>,
}

/// A token and its place in the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplainedToken {
    /// As it stands in the text.
    pub text: String,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// What the network thinks after a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainedRound {
    /// For each token, how likely each tag is; a row sums to 1.
    pub tags: Vec<Vec<f32>>,
    /// For each token, how likely each sentiment is if it is an aspect; a row sums to 1.
    pub sentiments: Vec<Vec<f32>>,
    /// For each token, how much it looks at each token; `None` for a sentence of more than [`MOST_ATTENTION`] words.
    pub attention: Option<Vec<Vec<f32>>>,
    /// What the document-level components pass on; `None` where the network has none.
    pub document: Option<ExplainedDocument>,
}

/// What the document-level components say of a sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainedDocument {
    /// How likely each sentiment of the sentence is; sums to 1.
    pub sentiment: Vec<f32>,
    /// For each token, how much it counts for the sentiment.
    pub sentiment_attention: Vec<f32>,
    /// For each token, how much it counts for the domain.
    pub domain_attention: Vec<f32>,
}

impl Analyzer {
    /// Explains one text. Offsets are bytes.
    #[must_use]
    pub fn explain(&self, text: &str) -> Explanation {
        let tags = self.bundle().network.config().tag_set().tags();
        let (sentences, sentences_left_out) = self.rounds(text, MOST_WORDS);
        let token = |span: &Span| ExplainedToken {
            text: text[span.start..span.end].to_owned(),
            start: span.start,
            end: span.end,
        };
        let sentence = |PieceRounds { tokens, rounds }: PieceRounds| ExplainedSentence {
            rounds: rounds
                .into_iter()
                .map(|reading| round(reading, tokens.len(), tags.len()))
                .collect(),
            tokens: tokens.iter().map(token).collect(),
        };
        Explanation {
            schema: SCHEMA,
            tags: tags.to_vec(),
            polarities: POLARITIES.to_vec(),
            sentences: sentences.into_iter().map(sentence).collect(),
            sentences_left_out,
            analysis: self.analyze(text),
        }
    }
}

fn round(reading: Reading, words: usize, tags: usize) -> ExplainedRound {
    let rows = |numbers: &[f32], columns: usize| -> Vec<Vec<f32>> {
        numbers.chunks_exact(columns).map(<[f32]>::to_vec).collect()
    };
    ExplainedRound {
        tags: rows(&reading.tags, tags),
        sentiments: rows(&reading.polarities, POLARITIES.len()),
        attention: (words <= MOST_ATTENTION).then(|| rows(&reading.attention, words)),
        document: reading.document.map(|document| ExplainedDocument {
            sentiment: document.sentiment,
            sentiment_attention: document.sentiment_attention,
            domain_attention: document.domain_attention,
        }),
    }
}

impl Explanation {
    /// The same with offsets that count something else; they are bytes before.
    #[must_use]
    pub fn in_unit(mut self, text: &str, unit: OffsetUnit) -> Self {
        if unit == OffsetUnit::Bytes || text.is_ascii() {
            return self;
        }
        let index = OffsetIndex::new(text);
        for token in self.sentences.iter_mut().flat_map(|s| &mut s.tokens) {
            if let Some(span) = index.span_from_bytes(Span::new(token.start, token.end), unit) {
                (token.start, token.end) = (span.start, span.end);
            }
        }
        self.analysis = self.analysis.in_unit(text, unit);
        self
    }

    /// The likeliest tag of a row of [`ExplainedRound::tags`], and how likely it is.
    #[must_use]
    pub fn likeliest_tag(&self, row: &[f32]) -> (AeTag, f32) {
        self.tags
            .get(likeliest(row))
            .map_or((AeTag::O, 0.0), |&tag| (tag, row[likeliest(row)]))
    }

    /// The likeliest sentiment of a row of [`ExplainedRound::sentiments`], and how likely it is.
    #[must_use]
    pub fn likeliest_sentiment(&self, row: &[f32]) -> (Polarity, f32) {
        let polarity = self.polarities.get(likeliest(row));
        polarity.map_or((Polarity::Neutral, 0.0), |&polarity| {
            (polarity, row[likeliest(row)])
        })
    }
}
