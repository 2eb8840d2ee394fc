//! ŷ^(0), ŷ^(1), …, ŷ^(T): the network's predictions for every word before message passing and
//! after each round.
//!
//! [`Analyzer::analyze`] uses the last round; the earlier rounds show what the messages changed.
//! Probabilities and attention are those of the network, before calibration.
//!
//! The size of an explanation is bounded: it covers at most [`MAX_WORDS`] words, and attention
//! grows with the square of the sentence length, which is bounded too ([`crate::text::parts`]).

use serde::{Deserialize, Serialize};

use super::analysis::{convert_offsets, offsets_of};
use super::{Analysis, Analyzer, FoundAspect, FoundOpinion, SCHEMA};
use crate::data::{AeTag, Sentiment};
use crate::model::argmax;
use crate::predict::SentenceOutput;
use crate::text::{OffsetUnit, Span};

/// Maximum number of words that are explained: the first sentences of a text up to this limit.
pub const MAX_WORDS: usize = 2000;

/// The network's predictions for every word of a text, round by round.
///
/// ```
/// use imn::analyze::Analyzer;
/// use imn::data::AeTag;
///
/// let explanation = Analyzer::built_in()?.explain("Great ramen!");
/// let rounds = &explanation.words.sentences[0].rounds;
/// assert_eq!(rounds.len(), 3);
/// assert_eq!(explanation.best_tag(&rounds[2].tags[1]).0, AeTag::BA);
/// # Ok::<(), imn::bundle::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// Version of the JSON form, [`SCHEMA`].
    pub schema: u32,
    /// Unit of all offsets.
    #[serde(default)]
    pub offset_unit: OffsetUnit,
    /// The predictions for every word.
    #[serde(flatten)]
    pub words: ExplainedSentences,
    /// The analysis of the whole text.
    pub analysis: Analysis,
}

/// The predictions for every word, in an [`Explanation`] and in an
/// [`AnalyzedReview`](super::AnalyzedReview).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainedSentences {
    /// The columns of [`ExplainedRound::tags`].
    pub tags: Vec<AeTag>,
    /// The columns of [`ExplainedRound::sentiments`] and [`ExplainedDocument::sentiment`].
    pub polarities: Vec<Sentiment>,
    /// The explained sentences. A sentence that exceeds the network's
    /// [limits](crate::model::Network::limits) is split into pieces: 1,000 words for word vectors,
    /// the maximum number of subwords for a transformer.
    pub sentences: Vec<ExplainedSentence>,
    /// Number of sentences after these that are not explained.
    pub sentences_left_out: usize,
}

impl ExplainedSentences {
    /// The offsets of all tokens.
    pub(super) fn offsets(&mut self) -> impl Iterator<Item = (&mut usize, &mut usize)> {
        let tokens = self.sentences.iter_mut().flat_map(|s| &mut s.tokens);
        tokens.map(|token| (&mut token.start, &mut token.end))
    }

    /// The explanation together with the found terms.
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

/// The rendered part of an explanation, borrowed from an [`Explanation`] or an
/// [`AnalyzedReview`](super::AnalyzedReview).
#[derive(Debug, Clone, Copy)]
pub struct ExplanationView<'a> {
    /// The columns of [`ExplainedRound::tags`].
    pub tags: &'a [AeTag],
    /// The columns of [`ExplainedRound::sentiments`].
    pub polarities: &'a [Sentiment],
    /// The explained sentences.
    pub sentences: &'a [ExplainedSentence],
    /// Number of sentences after these that are not explained.
    pub sentences_left_out: usize,
    /// The found aspects, without those below a confidence threshold.
    pub aspects: &'a [FoundAspect],
    /// The found opinions.
    pub opinions: &'a [FoundOpinion],
}

impl<'a> From<&'a Explanation> for ExplanationView<'a> {
    fn from(explanation: &'a Explanation) -> Self {
        let Analysis {
            aspects, opinions, ..
        } = &explanation.analysis;
        explanation.words.view(aspects, opinions)
    }
}

impl ExplanationView<'_> {
    /// The most probable tag of a row of [`ExplainedRound::tags`], and its probability.
    #[must_use]
    pub fn best_tag(&self, row: &[f32]) -> (AeTag, f32) {
        let best = argmax(row);
        let tag = self.tags.get(best);
        tag.map_or((AeTag::O, 0.0), |&tag| (tag, row[best]))
    }

    /// The most probable sentiment of a row of [`ExplainedRound::sentiments`], and its probability.
    #[must_use]
    pub fn best_sentiment(&self, row: &[f32]) -> (Sentiment, f32) {
        let best = argmax(row);
        let polarity = self.polarities.get(best);
        polarity.map_or((Sentiment::Neutral, 0.0), |&polarity| (polarity, row[best]))
    }
}

/// The tokens of a sentence, and the predictions of every round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainedSentence {
    /// The n tokens.
    pub tokens: Vec<ExplainedToken>,
    /// Rounds 0 … T.
    pub rounds: Vec<ExplainedRound>,
}

/// A token and its position in the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplainedToken {
    /// The token, copied from the text.
    pub text: String,
    /// Offset of its first character.
    pub start: usize,
    /// Offset after its last character.
    pub end: usize,
}

/// The predictions of a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainedRound {
    /// For each token, the probability of each tag. A row sums to 1.
    pub tags: Vec<Vec<f32>>,
    /// For each token, the probability of each sentiment if the token is part of an aspect. A row
    /// sums to 1.
    pub sentiments: Vec<Vec<f32>>,
    /// For each token, its attention to each token.
    pub attention: Vec<Vec<f32>>,
    /// Output of the document-level components. `None` if the network's messages do not include
    /// it.
    pub document: Option<ExplainedDocument>,
}

/// Output of the document-level components for a sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainedDocument {
    /// The probability of each sentiment of the sentence. Sums to 1.
    pub sentiment: Vec<f32>,
    /// For each token, its attention weight in DS.
    pub sentiment_attention: Vec<f32>,
    /// For each token, its attention weight in DD.
    pub domain_attention: Vec<f32>,
}

/// The tokens of a sentence, and the network's output in every round.
pub(super) struct SentenceRounds<'a> {
    /// Byte spans in the text.
    pub(super) tokens: &'a [Span],
    pub(super) rounds: Vec<SentenceOutput>,
}

impl Analyzer {
    /// Explains one text. Offsets are in bytes.
    #[must_use]
    pub fn explain(&self, text: &str) -> Explanation {
        let texts = [text];
        let tokenized = self.tokenize(&texts);
        let explained = tokenized.explain_text(0, &mut tokenized.without_terms(), &|| true);
        explained.unwrap_or_else(|| unreachable!("nothing stops it"))
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
        let sentence = |SentenceRounds { tokens, rounds }: SentenceRounds<'_>| ExplainedSentence {
            tokens: tokens.iter().map(token).collect(),
            rounds: rounds
                .into_iter()
                .map(|output| round(output, tokens.len(), tags.len()))
                .collect(),
        };
        Self {
            schema: SCHEMA,
            offset_unit: OffsetUnit::Bytes,
            words: ExplainedSentences {
                tags: tags.to_vec(),
                polarities: Sentiment::CLASSES.to_vec(),
                sentences: sentences.into_iter().map(sentence).collect(),
                sentences_left_out,
            },
            analysis,
        }
    }
}

fn round(output: SentenceOutput, words: usize, tags: usize) -> ExplainedRound {
    let rows = |numbers: &[f32], columns: usize| -> Vec<Vec<f32>> {
        numbers.chunks_exact(columns).map(<[f32]>::to_vec).collect()
    };
    ExplainedRound {
        tags: rows(&output.tags, tags),
        sentiments: rows(&output.polarities, Sentiment::CLASSES.len()),
        attention: rows(&output.attention, words),
        document: output.document.map(|document| ExplainedDocument {
            sentiment: document.sentiment,
            sentiment_attention: document.sentiment_attention,
            domain_attention: document.domain_attention,
        }),
    }
}

impl Explanation {
    /// Converts all offsets to `unit`. `text` is the explained text.
    #[must_use]
    pub fn in_unit(mut self, text: &str, unit: OffsetUnit) -> Self {
        let from = std::mem::replace(&mut self.offset_unit, unit);
        let Analysis {
            aspects, opinions, ..
        } = &mut self.analysis;
        let offsets = offsets_of(aspects, opinions).chain(self.words.offsets());
        convert_offsets(text, from, unit, offsets);
        self
    }

    /// The most probable tag of a row of [`ExplainedRound::tags`], and its probability.
    #[must_use]
    pub fn best_tag(&self, row: &[f32]) -> (AeTag, f32) {
        ExplanationView::from(self).best_tag(row)
    }

    /// The most probable sentiment of a row of [`ExplainedRound::sentiments`], and its probability.
    #[must_use]
    pub fn best_sentiment(&self, row: &[f32]) -> (Sentiment, f32) {
        ExplanationView::from(self).best_sentiment(row)
    }
}
