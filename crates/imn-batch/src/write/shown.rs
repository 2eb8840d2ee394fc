//! A text cut at its terms, for everything that shows it to people.

use imn::analyze::Analysis;

/// A stretch of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// Neither.
    Plain(&'a str),
    /// Aspect number so.
    Aspect(usize, &'a str),
    /// Opinion number so.
    Opinion(usize, &'a str),
}

/// The parts of a text in order; together they are the text. Of terms that overlap, the first one counts.
pub(super) fn parts<'a>(text: &'a str, analysis: &Analysis) -> Vec<Part<'a>> {
    let aspects = analysis.aspects.iter().enumerate();
    let aspects = aspects.map(|(i, term)| (term.start, term.end, true, i));
    let opinions = analysis.opinions.iter().enumerate();
    let opinions = opinions.map(|(i, term)| (term.start, term.end, false, i));
    let mut terms: Vec<_> = aspects.chain(opinions).collect();
    terms.sort_unstable();
    let mut parts = Vec::new();
    let mut at = 0;
    for (start, end, is_aspect, i) in terms {
        let (Some(before), Some(term)) = (text.get(at..start), text.get(start..end)) else {
            continue;
        };
        if !before.is_empty() {
            parts.push(Part::Plain(before));
        }
        parts.push(if is_aspect {
            Part::Aspect(i, term)
        } else {
            Part::Opinion(i, term)
        });
        at = end;
    }
    if at < text.len() {
        parts.push(Part::Plain(&text[at..]));
    }
    parts
}

/// How likely an aspect is right in both its words and its sentiment, in percent.
pub(super) fn percent(aspect: &imn::analyze::FoundAspect) -> u32 {
    (100.0 * aspect.span_confidence * aspect.sentiment_confidence).round() as u32
}

/// The terms of the opinions about an aspect, the weightiest first.
pub(super) fn opinions_of<'a>(
    analysis: &'a Analysis,
    aspect: &'a imn::analyze::FoundAspect,
) -> impl Iterator<Item = &'a str> {
    let links = aspect.opinions.iter();
    let opinions = links.filter_map(|link| analysis.opinions.get(link.opinion));
    opinions.map(|opinion| opinion.term.as_str())
}

#[cfg(test)]
mod tests {
    use imn::analyze::{FoundAspect, FoundOpinion};
    use imn::data::Polarity;

    use super::*;

    #[test]
    fn parts_are_the_text() {
        let text = "hot tea, nice";
        let aspect = |start, end| FoundAspect {
            term: String::new(),
            start,
            end,
            sentiment: Polarity::Positive,
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
            Part::Opinion(0, "hot"),
            Part::Plain(" "),
            Part::Aspect(0, "tea"),
            Part::Plain(", "),
            Part::Opinion(1, "nice"),
        ];
        assert_eq!(parts(text, &analysis), expected);
        assert_eq!(parts("", &Analysis::default()), []);
    }
}
