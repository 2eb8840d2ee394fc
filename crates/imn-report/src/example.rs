//! Example sentences of a group: the ones with the highest confidence for each sentiment.

use imn::analyze::AnalyzedReview;
use imn::data::Sentiment;
use imn::text::{Span, split_sentences};
use jiff::civil::Date;

use crate::Tally;

/// The number of examples that are shown per group.
pub(crate) const SHOWN: usize = 12;
/// The minimum number of examples per sentiment, if there are as many.
const EACH: u64 = 2;
/// How many bytes of text are shown on each side of a term.
const AROUND: usize = 160;

/// A sentence with an aspect of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// The row of the review in the analysed data.
    pub row: Option<u64>,
    /// The date of the review.
    pub date: Option<Date>,
    /// The sentiment towards the aspect.
    pub sentiment: Sentiment,
    /// The confidence of the aspect times that of its sentiment.
    pub confidence: f32,
    /// The sentence, split at its terms.
    pub segments: Vec<Segment>,
}

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// The text.
    pub text: String,
    /// The mark of a term.
    pub mark: Option<Mark>,
}

/// The mark of a term in an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The aspect that the example is for.
    Aspect(Sentiment),
    /// Another aspect.
    Other(Sentiment),
    /// An opinion about the aspect.
    Opinion,
}

/// The best examples of each sentiment so far.
#[derive(Debug, Default)]
pub(crate) struct Examples([Vec<Example>; Sentiment::CLASSES.len()]);

impl Examples {
    /// Keeps an aspect of a review if its confidence is among the highest. A sentence that is
    /// already kept is ignored.
    pub(crate) fn offer(&mut self, review: &AnalyzedReview, aspect: usize, date: Option<Date>) {
        let Some(found) = review.aspects.get(aspect) else {
            return;
        };
        let confidence = found.confidence();
        let kept = &mut self.0[found.sentiment.index()];
        // Ordered by decreasing confidence; of equal ones, the first stays first.
        let at = kept.partition_point(|example| example.confidence >= confidence);
        if at >= SHOWN {
            return;
        }
        let Some(segments) = excerpt(review, aspect) else {
            return;
        };
        if kept
            .iter()
            .any(|example| same_words(&example.segments, &segments))
        {
            return;
        }
        kept.insert(
            at,
            Example {
                row: review.row,
                date,
                sentiment: found.sentiment,
                confidence,
                segments,
            },
        );
        kept.truncate(SHOWN);
    }

    /// The examples to show: a minimum for each sentiment, the rest in proportion to the counts.
    pub(crate) fn choose(self, counts: Tally) -> Vec<Example> {
        let mut taken = [0_u64; Sentiment::CLASSES.len()];
        let have = self.0.each_ref().map(|kept| kept.len() as u64);
        let all = || Tally::ORDER.into_iter();
        for polarity in all() {
            taken[polarity.index()] = have[polarity.index()].min(EACH);
        }
        while taken.iter().sum::<u64>() < SHOWN as u64 {
            // The sentiment with the fewest examples for its count (the D'Hondt method).
            let claim = |p: Sentiment| counts.get(p) as f64 / (taken[p.index()] + 1) as f64;
            let next = all()
                .filter(|&p| taken[p.index()] < have[p.index()])
                .max_by(|&a, &b| claim(a).total_cmp(&claim(b)));
            let Some(next) = next else { break };
            taken[next.index()] += 1;
        }
        let mut kept = self.0;
        all()
            .flat_map(|p| {
                let examples = std::mem::take(&mut kept[p.index()]);
                examples.into_iter().take(taken[p.index()] as usize)
            })
            .collect()
    }
}

fn same_words(a: &[Segment], b: &[Segment]) -> bool {
    let letters = |segments: &[Segment]| -> String {
        segments
            .iter()
            .map(|segment| segment.text.as_str())
            .collect()
    };
    letters(a).eq_ignore_ascii_case(&letters(b))
}

/// The sentence of an aspect with its terms marked; `None` if the term is not at its offsets.
fn excerpt(review: &AnalyzedReview, aspect: usize) -> Option<Vec<Segment>> {
    // A term that is longer than the text around it is not shown.
    let own = review
        .aspects
        .get(aspect)
        .filter(|own| own.term.len() <= 2 * AROUND)?;
    let at = review.byte_span(&own.term, own.start, own.end)?;
    let text = review.text.as_str();
    let sentence = split_sentences(text)
        .into_iter()
        .find(|sentence| sentence.start <= at.start && at.end <= sentence.end)
        .unwrap_or(Span::new(0, text.len()));
    let shown = window(text, sentence, at);

    let mut marks: Vec<(Span, Mark)> = vec![(at, Mark::Aspect(own.sentiment))];
    let mut mark = |span: Option<Span>, mark: Mark| {
        let inside = span
            .filter(|span| shown.start <= span.start && span.end <= shown.end && !span.is_empty());
        if let Some(span) =
            inside.filter(|span| marks.iter().all(|(other, _)| !other.overlaps(*span)))
        {
            marks.push((span, mark));
        }
    };
    for link in &own.opinions {
        if let Some(opinion) = review.opinions.get(link.opinion) {
            mark(
                review.byte_span(&opinion.term, opinion.start, opinion.end),
                Mark::Opinion,
            );
        }
    }
    for other in &review.aspects {
        mark(
            review.byte_span(&other.term, other.start, other.end),
            Mark::Other(other.sentiment),
        );
    }
    marks.sort_by_key(|(span, _)| span.start);

    let mut segments = Vec::new();
    let mut push = |text: &str, mark: Option<Mark>| {
        if !text.is_empty() {
            segments.push(Segment {
                text: text.to_owned(),
                mark,
            });
        }
    };
    if shown.start > sentence.start {
        push("… ", None);
    }
    let mut from = shown.start;
    for (span, mark) in marks {
        push(text.get(from..span.start)?, None);
        push(span.of(text)?, Some(mark));
        from = span.end;
    }
    push(text.get(from..shown.end)?, None);
    if shown.end < sentence.end {
        push(" …", None);
    }
    Some(segments)
}

/// The part of a sentence around a term, cut between words if possible.
fn window(text: &str, sentence: Span, term: Span) -> Span {
    let mut start = sentence.start.max(term.start.saturating_sub(AROUND));
    let mut end = sentence.end.min(term.end.saturating_add(AROUND));
    while !text.is_char_boundary(start) {
        start += 1;
    }
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if start > sentence.start {
        let before = &text[start..term.start];
        start += before.find(char::is_whitespace).map_or(0, |at| at + 1);
        while !text.is_char_boundary(start) {
            start += 1;
        }
    }
    if end < sentence.end {
        let after = &text[term.end..end];
        end = after
            .rfind(char::is_whitespace)
            .map_or(end, |at| term.end + at);
    }
    Span::new(start, end)
}

#[cfg(test)]
mod tests {
    use imn::text::OffsetUnit;

    use super::*;

    fn review(text: &str, terms: &[(&str, Sentiment, f32)]) -> AnalyzedReview {
        let aspects: Vec<serde_json::Value> = terms
            .iter()
            .map(|(term, sentiment, confidence)| {
                let start = text.find(term).unwrap();
                serde_json::json!({
                    "term": term, "start": start, "end": start + term.len(), "sentiment": sentiment,
                    "span_confidence": confidence, "sentiment_confidence": 1.0, "opinions": [],
                })
            })
            .collect();
        let review = serde_json::json!({
            "schema": 1, "row": 3, "text": text, "aspects": aspects, "opinions": [],
        });
        serde_json::from_value(review).unwrap()
    }

    fn words(segments: &[Segment]) -> String {
        segments
            .iter()
            .map(|segment| segment.text.as_str())
            .collect()
    }

    #[test]
    fn an_excerpt_is_the_sentence_with_its_terms_marked() {
        let review = review(
            "We came late. The soup was cold but the bread was fine. Never again.",
            &[
                ("soup", Sentiment::Negative, 0.9),
                ("bread", Sentiment::Positive, 0.8),
            ],
        );
        let segments = excerpt(&review, 0).unwrap();
        assert_eq!(
            words(&segments).trim(),
            "The soup was cold but the bread was fine."
        );
        let marks: Vec<_> = segments
            .iter()
            .filter_map(|s| Some((s.text.as_str(), s.mark?)))
            .collect();
        assert_eq!(
            marks,
            [
                ("soup", Mark::Aspect(Sentiment::Negative)),
                ("bread", Mark::Other(Sentiment::Positive))
            ]
        );
    }

    #[test]
    fn terms_are_found_in_the_unit_of_the_record() {
        let text = "👍 The naïve soup was cold.";
        let bytes = review(text, &[("soup", Sentiment::Negative, 0.9)]);
        let expected = excerpt(&bytes, 0).unwrap();
        for unit in [OffsetUnit::Chars, OffsetUnit::Utf16] {
            let mut converted = bytes.clone().in_unit(unit);
            assert_eq!(excerpt(&converted, 0), Some(expected.clone()));
            // No other unit is tried.
            converted.offset_unit = OffsetUnit::Bytes;
            assert_eq!(excerpt(&converted, 0), None);
        }
    }

    #[test]
    fn long_sentences_are_cut_around_the_term() {
        for filler in ["würzig ", "麺麺麺", "aaaa"] {
            let text = format!("{}soup {}", filler.repeat(200), filler.repeat(200));
            let segments =
                excerpt(&review(&text, &[("soup", Sentiment::Positive, 1.0)]), 0).unwrap();
            let shown = words(&segments);
            assert!(
                shown.contains("soup") && shown.len() < 2 * AROUND + 20,
                "{shown}"
            );
            assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        }
    }

    #[test]
    fn the_most_confident_are_kept_and_every_sentiment_has_some() {
        let mut examples = Examples::default();
        let mut counts = Tally::default();
        for i in 0..100_u8 {
            let polarity = if i % 25 == 0 {
                Sentiment::Negative
            } else {
                Sentiment::Positive
            };
            counts.add(polarity);
            let text = format!("Soup number {i} was there, said the soup lover.");
            let confidence = f32::from(i) / 100.0;
            let found = review(&text, &[("soup", polarity, confidence)]);
            examples.offer(&found, 0, None);
            examples.offer(&found, 0, None);
        }
        let chosen = examples.choose(counts);
        assert_eq!(chosen.len(), SHOWN);
        let of = |polarity| {
            chosen
                .iter()
                .filter(move |e| e.sentiment == polarity)
                .map(|e| e.confidence)
        };
        assert_eq!(of(Sentiment::Negative).collect::<Vec<_>>(), [0.75, 0.5]);
        assert_eq!(of(Sentiment::Positive).next(), Some(0.99));
    }
}
