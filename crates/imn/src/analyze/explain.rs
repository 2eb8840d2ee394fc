//! ŷ^(0), ŷ^(1), …, ŷ^(T): what the network thought of every word before message passing and after each round of it.
//!
//! The last round is what [`Analyzer::analyze`] reads its answer from; the rounds before show what the messages changed. Probabilities and
//! attentions are the network's own, not calibrated.
//!
//! An explanation is looked at, so it is bounded whatever the text: [`MOST_WORDS`] words are explained, and attention, which grows with the
//! square of a sentence, is kept for sentences of up to [`MOST_ATTENTION`] words.

use serde::{Deserialize, Serialize};

use super::{Analysis, Analyzer, FoundAspect, FoundOpinion, SCHEMA};
use crate::data::{AeTag, Sentiment};
use crate::model::argmax;
use crate::predict::SentenceOutput;
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
    /// The unit of all offsets.
    #[serde(default)]
    pub offset_unit: OffsetUnit,
    /// The columns of [`ExplainedRound::tags`].
    pub tags: Vec<AeTag>,
    /// The columns of [`ExplainedRound::sentiments`] and [`ExplainedDocument::sentiment`].
    pub polarities: Vec<Sentiment>,
    /// The sentences; one of more than 1,000 words is in parts.
    pub sentences: Vec<ExplainedSentence>,
    /// Sentences after them that are not explained.
    pub sentences_left_out: usize,
    /// What it came to: the analysis of the whole text.
    pub analysis: Analysis,
}

/// The explanation in an [`AnalyzedReview`](super::AnalyzedReview): an [`Explanation`] without what
/// the record says itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainedSentences {
    /// The columns of [`ExplainedRound::tags`].
    pub tags: Vec<AeTag>,
    /// The columns of [`ExplainedRound::sentiments`] and [`ExplainedDocument::sentiment`].
    pub polarities: Vec<Sentiment>,
    /// The sentences; one of more than 1,000 words is in parts.
    pub sentences: Vec<ExplainedSentence>,
    /// The number of sentences after them that are not explained.
    pub sentences_left_out: usize,
}

impl ExplainedSentences {
    /// The explanation together with the terms that were found.
    #[must_use]
    pub fn view<'a>(
        &'a self,
        aspects: &'a [FoundAspect],
        opinions: &'a [FoundOpinion],
    ) -> ExplanationView<'a> {
        ExplanationView {
            tags: &self.tags,
            polarities: &self.polarities,
            sentences: &self.sentences,
            sentences_left_out: self.sentences_left_out,
            aspects,
            opinions,
        }
    }
}

/// What is rendered of an explanation, borrowed from an [`Explanation`] or an
/// [`AnalyzedReview`](super::AnalyzedReview).
#[derive(Debug, Clone, Copy)]
pub struct ExplanationView<'a> {
    /// The columns of [`ExplainedRound::tags`].
    pub tags: &'a [AeTag],
    /// The columns of [`ExplainedRound::sentiments`].
    pub polarities: &'a [Sentiment],
    /// The sentences.
    pub sentences: &'a [ExplainedSentence],
    /// The number of sentences after them that are not explained.
    pub sentences_left_out: usize,
    /// The aspects that were found; those that a threshold removed are not among them.
    pub aspects: &'a [FoundAspect],
    /// The opinions that were found.
    pub opinions: &'a [FoundOpinion],
}

impl<'a> From<&'a Explanation> for ExplanationView<'a> {
    fn from(explanation: &'a Explanation) -> Self {
        Self {
            tags: &explanation.tags,
            polarities: &explanation.polarities,
            sentences: &explanation.sentences,
            sentences_left_out: explanation.sentences_left_out,
            aspects: &explanation.analysis.aspects,
            opinions: &explanation.analysis.opinions,
        }
    }
}

impl ExplanationView<'_> {
    /// The likeliest tag of a row of [`ExplainedRound::tags`], and how likely it is.
    #[must_use]
    pub fn likeliest_tag(&self, row: &[f32]) -> (AeTag, f32) {
        let best = argmax(row);
        let tag = self.tags.get(best);
        tag.map_or((AeTag::O, 0.0), |&tag| (tag, row[best]))
    }

    /// The likeliest sentiment of a row of [`ExplainedRound::sentiments`], and how likely it is.
    #[must_use]
    pub fn likeliest_sentiment(&self, row: &[f32]) -> (Sentiment, f32) {
        let best = argmax(row);
        let polarity = self.polarities.get(best);
        polarity.map_or((Sentiment::Neutral, 0.0), |&polarity| (polarity, row[best]))
    }
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

/// A sentence whose rounds were read.
pub(super) struct SentenceRounds<'a> {
    /// Byte spans in the text.
    pub(super) tokens: &'a [Span],
    pub(super) rounds: Vec<SentenceOutput>,
}

impl Analyzer {
    /// Explains one text. Offsets are bytes.
    #[must_use]
    pub fn explain(&self, text: &str) -> Explanation {
        let texts = [text];
        let tokenized = self.tokenize(&texts);
        tokenized.explain_text(0, &mut tokenized.without_terms())
    }
}

impl Explanation {
    pub(super) fn new(
        text: &str,
        tags: &[AeTag],
        sentences: Vec<SentenceRounds<'_>>,
        sentences_left_out: usize,
        analysis: Analysis,
    ) -> Self {
        let token = |span: &Span| ExplainedToken {
            text: text[span.start..span.end].to_owned(),
            start: span.start,
            end: span.end,
        };
        let sentence = |SentenceRounds { tokens, rounds }: SentenceRounds<'_>| {
            let rounds = rounds.into_iter();
            ExplainedSentence {
                tokens: tokens.iter().map(token).collect(),
                rounds: rounds
                    .map(|reading| round(reading, tokens.len(), tags.len()))
                    .collect(),
            }
        };
        Self {
            schema: SCHEMA,
            offset_unit: OffsetUnit::Bytes,
            tags: tags.to_vec(),
            polarities: Sentiment::CLASSES.to_vec(),
            sentences: sentences.into_iter().map(sentence).collect(),
            sentences_left_out,
            analysis,
        }
    }

    /// The analysis, the unit of all offsets, and the rest.
    pub(super) fn into_parts(self) -> (Analysis, OffsetUnit, ExplainedSentences) {
        let sentences = ExplainedSentences {
            tags: self.tags,
            polarities: self.polarities,
            sentences: self.sentences,
            sentences_left_out: self.sentences_left_out,
        };
        (self.analysis, self.offset_unit, sentences)
    }
}

fn round(reading: SentenceOutput, words: usize, tags: usize) -> ExplainedRound {
    let rows = |numbers: &[f32], columns: usize| -> Vec<Vec<f32>> {
        numbers.chunks_exact(columns).map(<[f32]>::to_vec).collect()
    };
    ExplainedRound {
        tags: rows(&reading.tags, tags),
        sentiments: rows(&reading.polarities, Sentiment::CLASSES.len()),
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
        self.offset_unit = unit;
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
        ExplanationView::from(self).likeliest_tag(row)
    }

    /// The likeliest sentiment of a row of [`ExplainedRound::sentiments`], and how likely it is.
    #[must_use]
    pub fn likeliest_sentiment(&self, row: &[f32]) -> (Sentiment, f32) {
        ExplanationView::from(self).likeliest_sentiment(row)
    }
}
