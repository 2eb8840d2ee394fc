//! What is said about a text, in the form that is given out.

use serde::{Deserialize, Serialize};

use crate::data::Sentiment;
use crate::text::{OffsetIndex, OffsetUnit, Span};

/// The version of the form: it grows when a field changes its meaning or goes away.
pub const SCHEMA: u32 = 1;

/// Everything that is said about one text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Analysis {
    /// The sentiment of the text as a whole; none for a text without words, or of a model without documents.
    pub sentiment: Option<TextSentiment>,
    /// Aspect terms in order of position.
    pub aspects: Vec<FoundAspect>,
    /// Opinion terms in order of position.
    pub opinions: Vec<FoundOpinion>,
}

/// The sentiment of a text as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TextSentiment {
    /// Positive, negative or neutral.
    pub polarity: Sentiment,
    /// How likely it is right, 0 to 1.
    pub confidence: f32,
}

/// An aspect term and the sentiment towards it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundAspect {
    /// The words as they stand in the text.
    pub term: String,
    /// Where they begin.
    pub start: usize,
    /// Where they end.
    pub end: usize,
    /// Positive, negative or neutral.
    pub sentiment: Sentiment,
    /// How likely the term is an aspect with exactly these words, 0 to 1.
    pub span_confidence: f32,
    /// How likely the sentiment is right if the term is, 0 to 1.
    pub sentiment_confidence: f32,
    /// Opinions that are about it, the weightiest first.
    pub opinions: Vec<LinkedOpinion>,
}

/// An opinion that is about an aspect.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LinkedOpinion {
    /// Position in [`Analysis::opinions`].
    pub opinion: usize,
    /// Its share of the aspect's attention to all opinions of its sentence, 0 to 1.
    pub weight: f32,
}

/// An opinion term.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundOpinion {
    /// The words as they stand in the text.
    pub term: String,
    /// Where they begin.
    pub start: usize,
    /// Where they end.
    pub end: usize,
    /// How likely the term is an opinion with exactly these words, 0 to 1.
    pub confidence: f32,
}

impl Analysis {
    /// The analysis of a text in which no terms are found yet.
    pub(super) fn of_text(sentiment: Option<TextSentiment>) -> Self {
        Self {
            sentiment,
            ..Self::default()
        }
    }

    /// The same with offsets that count something else; they are bytes before.
    #[must_use]
    pub fn in_unit(mut self, text: &str, unit: OffsetUnit) -> Self {
        if unit == OffsetUnit::Bytes || text.is_ascii() {
            return self;
        }
        let index = OffsetIndex::new(text);
        let convert = |start: &mut usize, end: &mut usize| {
            if let Some(span) = index.span_from_bytes(Span::new(*start, *end), unit) {
                (*start, *end) = (span.start, span.end);
            }
        };
        for aspect in &mut self.aspects {
            convert(&mut aspect.start, &mut aspect.end);
        }
        for opinion in &mut self.opinions {
            convert(&mut opinion.start, &mut opinion.end);
        }
        self
    }
}
