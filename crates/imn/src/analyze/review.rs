//! The output record: a review and its analysis.
//!
//! Every output format (JSON, CSV, Arrow and Parquet, HTML, terminal), `imn report` and all other
//! interfaces use this type. `docs/analyze.md` describes its JSON form.

use serde::{Deserialize, Serialize};

use super::analysis::{convert_offsets, offsets_of, retain_confident};
use super::{
    Analysis, ExplainedSentences, Explanation, ExplanationView, FoundAspect, FoundOpinion,
    InputColumns, RawJson, SCHEMA, TextSentiment,
};
use crate::text::{OffsetIndex, OffsetUnit, Span};

/// A review and its analysis.
///
/// ```
/// use imn::analyze::{AnalyzedReview, Analyzer};
/// use imn::text::OffsetUnit;
///
/// let analyzer = Analyzer::built_in()?;
/// let text = "Crème brûlée was superb.";
/// let mut review = AnalyzedReview::new(text, analyzer.analyze(text));
/// review.retain_confident(0.2);
/// let review = review.in_unit(OffsetUnit::Chars);
/// let json = serde_json::to_string(&review)?;
/// let read: AnalyzedReview = serde_json::from_str(&json)?;
/// assert_eq!(read, review);
/// assert_eq!(read.offset_unit, OffsetUnit::Chars);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnalyzedReview {
    /// Version of the JSON form, [`SCHEMA`].
    pub schema: u32,
    /// Unit of all offsets. A record without this field was written before the field existed; its
    /// offsets count bytes.
    #[serde(default)]
    pub offset_unit: OffsetUnit,
    /// Name of the input, if a job has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Row of the input, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<u64>,
    /// Id of the review in the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<RawJson>,
    /// The text of the review, unchanged.
    pub text: String,
    /// The other columns of the input, unchanged.
    #[serde(default, skip_serializing_if = "InputColumns::is_empty")]
    pub columns: InputColumns,
    /// Sentiment of the whole text. `None` for a text without words, and for a model that was not
    /// trained on documents.
    #[serde(default)]
    pub sentiment: Option<TextSentiment>,
    /// Aspect terms, in text order.
    pub aspects: Vec<FoundAspect>,
    /// Opinion terms, in text order.
    pub opinions: Vec<FoundOpinion>,
    /// Predictions for every word, on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<ExplainedSentences>,
}

impl AnalyzedReview {
    /// The record of a text and its analysis, with offsets in bytes.
    #[must_use]
    pub fn new(text: impl Into<String>, analysis: Analysis) -> Self {
        Self {
            schema: SCHEMA,
            offset_unit: OffsetUnit::Bytes,
            file: None,
            row: None,
            id: None,
            text: text.into(),
            columns: InputColumns::default(),
            sentiment: analysis.sentiment,
            aspects: analysis.aspects,
            opinions: analysis.opinions,
            explanation: None,
        }
    }

    /// The record of a text with its analysis and the predictions for every word.
    #[must_use]
    pub fn explained(text: impl Into<String>, explanation: Explanation) -> Self {
        Self {
            offset_unit: explanation.offset_unit,
            explanation: Some(explanation.words),
            ..Self::new(text, explanation.analysis)
        }
    }

    /// Removes aspects and opinions with a confidence below `min_confidence`, and links to removed
    /// opinions.
    ///
    /// ```
    /// use imn::analyze::{AnalyzedReview, Analyzer};
    ///
    /// let text = "Great ramen!";
    /// let mut review = AnalyzedReview::new(text, Analyzer::built_in()?.analyze(text));
    /// assert_eq!(review.aspects.len(), 1);
    /// review.retain_confident(1.1);
    /// assert!(review.aspects.is_empty() && review.opinions.is_empty());
    /// # Ok::<(), imn::bundle::ModelError>(())
    /// ```
    pub fn retain_confident(&mut self, min_confidence: f32) {
        retain_confident(&mut self.aspects, &mut self.opinions, min_confidence);
    }

    /// Converts the offsets of the record to another unit. An offset outside the text or inside a
    /// character does not change.
    #[must_use]
    pub fn in_unit(mut self, unit: OffsetUnit) -> Self {
        let from = std::mem::replace(&mut self.offset_unit, unit);
        let terms = offsets_of(&mut self.aspects, &mut self.opinions);
        let explained = self.explanation.iter_mut();
        let tokens = explained.flat_map(ExplainedSentences::offsets);
        convert_offsets(&self.text, from, unit, terms.chain(tokens));
        self
    }

    /// The byte span of the offsets `start` and `end`, which are in the unit of the record. `None`
    /// if the text there is not `term`.
    #[must_use]
    pub fn byte_span(&self, term: &str, start: usize, end: usize) -> Option<Span> {
        let span = Span::new(start, end);
        let bytes = if self.offset_unit == OffsetUnit::Bytes || self.text.is_ascii() {
            span
        } else {
            OffsetIndex::new(&self.text).span_to_bytes(span, self.offset_unit)?
        };
        (bytes.of(&self.text) == Some(term)).then_some(bytes)
    }

    /// The terms of the opinions about an aspect of this record, by descending weight.
    pub fn opinions_about<'a>(&'a self, aspect: &'a FoundAspect) -> impl Iterator<Item = &'a str> {
        aspect
            .opinions
            .iter()
            .filter_map(|link| self.opinions.get(link.opinion))
            .map(|opinion| opinion.term.as_str())
    }

    /// The explanation together with the terms of this record, for rendering. `None` if the record
    /// has no explanation.
    #[must_use]
    pub fn explanation_view(&self) -> Option<ExplanationView<'_>> {
        let explanation = self.explanation.as_ref()?;
        Some(explanation.view(&self.aspects, &self.opinions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::LinkedOpinion;
    use crate::data::Sentiment;

    fn opinion(start: usize, end: usize, confidence: f32) -> FoundOpinion {
        FoundOpinion {
            term: "warm".to_owned(),
            start,
            end,
            confidence,
        }
    }

    fn link(opinion: usize) -> LinkedOpinion {
        LinkedOpinion {
            opinion,
            weight: 0.5,
        }
    }

    fn aspect(start: usize, end: usize, span_confidence: f32) -> FoundAspect {
        FoundAspect {
            term: "tea".to_owned(),
            start,
            end,
            sentiment: Sentiment::Positive,
            span_confidence,
            sentiment_confidence: 0.1,
            opinions: vec![link(0), link(1)],
        }
    }

    fn review(
        text: &str,
        aspects: Vec<FoundAspect>,
        opinions: Vec<FoundOpinion>,
    ) -> AnalyzedReview {
        let analysis = Analysis {
            sentiment: None,
            aspects,
            opinions,
        };
        AnalyzedReview::new(text, analysis)
    }

    #[test]
    fn links_follow_the_opinions_that_stay() {
        let whole = review(
            "warm tea",
            vec![aspect(5, 8, 0.9), aspect(5, 8, 0.2)],
            vec![opinion(0, 4, 0.3), opinion(0, 4, 0.8)],
        );
        let mut same = whole.clone();
        same.retain_confident(0.0);
        assert_eq!(same, whole);
        let mut sure = whole;
        sure.retain_confident(0.5);
        assert_eq!((sure.aspects.len(), sure.opinions.len()), (1, 1));
        assert_eq!(sure.aspects[0].opinions, [link(0)]);
    }

    #[test]
    fn offsets_are_found_in_the_unit_of_the_record() {
        let text = "👍 naïve tea";
        let at = text.find("tea").unwrap();
        let bytes = review(text, vec![aspect(at, at + 3, 1.0)], Vec::new());
        for (unit, start) in [
            (OffsetUnit::Bytes, at),
            (OffsetUnit::Chars, 8),
            (OffsetUnit::Utf16, 9),
        ] {
            let converted = bytes.clone().in_unit(unit);
            assert_eq!(converted.aspects[0].start, start);
            let span = Some(Span::new(at, at + 3));
            assert_eq!(converted.byte_span("tea", start, start + 3), span);
            assert_eq!(converted.byte_span("tea", 3, 6), None);
            assert_eq!(converted.byte_span("tea", 900, 903), None);
            assert_eq!(converted.in_unit(OffsetUnit::Bytes), bytes);
        }
    }

    #[test]
    fn records_without_a_unit_count_bytes() {
        let json =
            r#"{"schema":1,"row":7,"text":"naïve tea","aspects":[],"opinions":[],"new":[1]}"#;
        let old: AnalyzedReview = serde_json::from_str(json).unwrap();
        assert_eq!(old.offset_unit, OffsetUnit::Bytes);
        assert_eq!(old.byte_span("tea", 7, 10), Some(Span::new(7, 10)));
        // Offsets in code points do not match.
        assert_eq!(old.byte_span("tea", 6, 9), None);
    }

    #[test]
    fn json_holds_every_field_and_columns_stay_as_they_are() {
        let json = concat!(
            r#"{"schema":1,"offset_unit":"utf16","file":"a.csv","row":3,"id":7,"text":"tea","#,
            r#""columns":{"z":1.10,"a":[1,18446744073709551616]},"sentiment":null,"aspects":[],"#,
            r#""opinions":[]}"#
        );
        let read: AnalyzedReview = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
        assert_eq!(read.columns.get("z").unwrap().get(), "1.10");
        // Fields without a value are omitted.
        let json = serde_json::to_value(review("x", Vec::new(), Vec::new())).unwrap();
        let mut keys: Vec<&String> = json.as_object().unwrap().keys().collect();
        keys.sort();
        let expected = [
            "aspects",
            "offset_unit",
            "opinions",
            "schema",
            "sentiment",
            "text",
        ];
        assert_eq!(keys, expected);
    }
}
