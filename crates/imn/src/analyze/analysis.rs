//! The analysis of a text.

use serde::{Deserialize, Serialize};

use crate::data::Sentiment;
use crate::text::{OffsetIndex, OffsetUnit, Span};

/// Version of the JSON form. It increases when a field changes its meaning or is removed.
pub const SCHEMA: u32 = 1;

/// The aspects, opinions and sentiments of one text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Analysis {
    /// Sentiment of the whole text. `None` for a text without words, and for a model that was not
    /// trained on documents.
    pub sentiment: Option<TextSentiment>,
    /// Aspect terms, in text order.
    pub aspects: Vec<FoundAspect>,
    /// Opinion terms, in text order.
    pub opinions: Vec<FoundOpinion>,
}

/// Sentiment of a whole text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TextSentiment {
    /// Positive, negative or neutral.
    pub polarity: Sentiment,
    /// Calibrated probability that `polarity` is correct, 0 to 1.
    pub confidence: f32,
}

/// An aspect term and the sentiment towards it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundAspect {
    /// The term, copied from the text.
    pub term: String,
    /// Offset of its first character.
    pub start: usize,
    /// Offset after its last character.
    pub end: usize,
    /// Positive, negative or neutral.
    pub sentiment: Sentiment,
    /// Calibrated probability that exactly these words are an aspect term, 0 to 1.
    pub span_confidence: f32,
    /// Calibrated probability that the sentiment is correct if the term is, 0 to 1.
    pub sentiment_confidence: f32,
    /// Opinions about the aspect, by descending weight.
    pub opinions: Vec<LinkedOpinion>,
}

/// An opinion about an aspect.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LinkedOpinion {
    /// Index into [`Analysis::opinions`].
    pub opinion: usize,
    /// Its share of the aspect's attention to all opinions of the sentence, 0 to 1.
    pub weight: f32,
}

/// An opinion term.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundOpinion {
    /// The term, copied from the text.
    pub term: String,
    /// Offset of its first character.
    pub start: usize,
    /// Offset after its last character.
    pub end: usize,
    /// Calibrated probability that exactly these words are an opinion term, 0 to 1.
    pub confidence: f32,
}

impl Analysis {
    /// An analysis without terms.
    pub(super) fn of_text(sentiment: Option<TextSentiment>) -> Self {
        Self {
            sentiment,
            ..Self::default()
        }
    }

    /// Converts byte offsets to offsets in `unit`. `text` is the analyzed text.
    ///
    /// ```
    /// use imn::analyze::Analyzer;
    /// use imn::text::OffsetUnit;
    ///
    /// let text = "🍜 Great ramen!";
    /// let bytes = Analyzer::built_in()?.analyze(text);
    /// assert_eq!(bytes.aspects[0].start, 11);
    /// assert_eq!(bytes.in_unit(text, OffsetUnit::Chars).aspects[0].start, 8);
    /// # Ok::<(), imn::bundle::ModelError>(())
    /// ```
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
