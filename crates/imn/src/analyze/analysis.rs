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

impl FoundAspect {
    /// The probability that both the words and the sentiment are correct, 0 to 1.
    #[must_use]
    pub fn confidence(&self) -> f32 {
        self.span_confidence * self.sentiment_confidence
    }
}

impl Analysis {
    /// An analysis without terms.
    pub(super) fn of_text(sentiment: Option<TextSentiment>) -> Self {
        Self {
            sentiment,
            ..Self::default()
        }
    }

    /// Removes aspects and opinions with a confidence below `min_confidence`, and links to removed
    /// opinions.
    ///
    /// ```
    /// use imn::analyze::Analyzer;
    ///
    /// let mut analysis = Analyzer::built_in()?.analyze("Great ramen!");
    /// assert_eq!(analysis.aspects.len(), 1);
    /// analysis.retain_confident(1.1);
    /// assert!(analysis.aspects.is_empty() && analysis.opinions.is_empty());
    /// # Ok::<(), imn::bundle::ModelError>(())
    /// ```
    pub fn retain_confident(&mut self, min_confidence: f32) {
        retain_confident(&mut self.aspects, &mut self.opinions, min_confidence);
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
        let found = offsets_of(&mut self.aspects, &mut self.opinions);
        convert_offsets(text, OffsetUnit::Bytes, unit, found);
        self
    }
}

/// Removes terms with a confidence below `min_confidence`, and links to removed opinions.
pub(super) fn retain_confident(
    aspects: &mut Vec<FoundAspect>,
    opinions: &mut Vec<FoundOpinion>,
    min_confidence: f32,
) {
    let mut kept = 0;
    let mut new_positions = Vec::with_capacity(opinions.len());
    opinions.retain(|opinion| {
        let keep = opinion.confidence >= min_confidence;
        new_positions.push(keep.then_some(kept));
        kept += usize::from(keep);
        keep
    });
    aspects.retain(|aspect| aspect.span_confidence >= min_confidence);
    for aspect in aspects {
        aspect.opinions.retain_mut(|link| {
            let position = new_positions.get(link.opinion).copied().flatten();
            link.opinion = position.unwrap_or_default();
            position.is_some()
        });
    }
}

/// The offsets of all found terms.
pub(super) fn offsets_of<'a>(
    aspects: &'a mut [FoundAspect],
    opinions: &'a mut [FoundOpinion],
) -> impl Iterator<Item = (&'a mut usize, &'a mut usize)> {
    let aspects = aspects.iter_mut().map(|a| (&mut a.start, &mut a.end));
    aspects.chain(opinions.iter_mut().map(|o| (&mut o.start, &mut o.end)))
}

/// Converts offsets of `text` from one unit to another. An offset outside the text or inside a
/// character does not change.
pub(super) fn convert_offsets<'a>(
    text: &str,
    from: OffsetUnit,
    to: OffsetUnit,
    offsets: impl Iterator<Item = (&'a mut usize, &'a mut usize)>,
) {
    if from == to || text.is_ascii() {
        return;
    }
    let index = OffsetIndex::new(text);
    for (start, end) in offsets {
        let bytes = index.span_to_bytes(Span::new(*start, *end), from);
        if let Some(span) = bytes.and_then(|bytes| index.span_from_bytes(bytes, to)) {
            (*start, *end) = (span.start, span.end);
        }
    }
}
