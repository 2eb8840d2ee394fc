//! Splits a text at its terms, for the terminal and HTML formats.

use imn::analyze::{AnalyzedReview, FoundAspect};

/// A segment of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Segment<'a> {
    /// Neither an aspect nor an opinion.
    Plain(&'a str),
    /// The aspect with this index.
    Aspect(usize, &'a str),
    /// The opinion with this index.
    Opinion(usize, &'a str),
}

/// The segments of a review's text in order. Joined, they give the text. Of overlapping terms, only
/// the first is marked. The offsets of the record must be bytes.
pub(super) fn segments(review: &AnalyzedReview) -> Vec<Segment<'_>> {
    let text = review.text.as_str();
    let aspects = review.aspects.iter().enumerate();
    let opinions = review.opinions.iter().enumerate();
    let mut terms: Vec<(usize, usize, bool, usize)> = aspects
        .map(|(i, term)| (term.start, term.end, true, i))
        .chain(opinions.map(|(i, term)| (term.start, term.end, false, i)))
        .collect();
    terms.sort_unstable();
    let mut segments = Vec::new();
    let mut at = 0;
    for (start, end, is_aspect, i) in terms {
        let (Some(before), Some(term)) = (text.get(at..start), text.get(start..end)) else {
            continue;
        };
        if !before.is_empty() {
            segments.push(Segment::Plain(before));
        }
        segments.push(if is_aspect {
            Segment::Aspect(i, term)
        } else {
            Segment::Opinion(i, term)
        });
        at = end;
    }
    if at < text.len() {
        segments.push(Segment::Plain(&text[at..]));
    }
    segments
}

/// The probability in percent that both the words and the sentiment of an aspect are correct.
pub(super) fn percent(aspect: &FoundAspect) -> u32 {
    (100.0 * aspect.confidence()).round() as u32
}

#[cfg(test)]
mod tests {
    use imn::analyze::{Analysis, FoundOpinion};
    use imn::data::Sentiment;

    use super::*;

    #[test]
    fn segments_are_the_text() {
        let text = "hot tea, nice";
        let aspect = |start, end| FoundAspect {
            term: String::new(),
            start,
            end,
            sentiment: Sentiment::Positive,
            span_confidence: 1.0,
            sentiment_confidence: 1.0,
            opinions: Vec::new(),
        };
        let opinion = |start, end| FoundOpinion {
            term: String::new(),
            start,
            end,
            confidence: 1.0,
        };
        let analysis = Analysis {
            sentiment: None,
            aspects: vec![aspect(4, 7), aspect(5, 6)],
            opinions: vec![opinion(0, 3), opinion(9, 13)],
        };
        let expected = [
            Segment::Opinion(0, "hot"),
            Segment::Plain(" "),
            Segment::Aspect(0, "tea"),
            Segment::Plain(", "),
            Segment::Opinion(1, "nice"),
        ];
        assert_eq!(segments(&AnalyzedReview::new(text, analysis)), expected);
        let empty = AnalyzedReview::new("", Analysis::default());
        assert_eq!(segments(&empty), []);
    }
}
