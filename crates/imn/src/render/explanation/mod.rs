//! An explanation as SVG, HTML page and terminal text, with one row or column per round, so that
//! the changes from round to round are visible.
//!
//! The size of the output is bounded; a note states what was left out.

mod bands;
mod grid;
mod html;
mod svg;
mod terminal;

pub use html::html;
pub use svg::svg;
pub use terminal::terminal;

use crate::analyze::{ExplainedSentence, ExplanationView, FoundAspect, LinkedOpinion};
use crate::data::{AeTag, Sentiment};

/// The long name of a tag.
const fn tag_name(tag: AeTag) -> &'static str {
    match tag {
        AeTag::BA => "aspect begins",
        AeTag::IA => "aspect continues",
        AeTag::BP => "opinion begins",
        AeTag::IP => "opinion continues",
        AeTag::O => "neither",
    }
}

/// Whether a tag belongs to an aspect.
const fn is_aspect(tag: AeTag) -> bool {
    matches!(tag, AeTag::BA | AeTag::IA)
}

/// The most probable tag of a token after each round, and its probability.
fn tags_by_round(
    explanation: &ExplanationView<'_>,
    sentence: &ExplainedSentence,
    token: usize,
) -> Vec<(AeTag, f32)> {
    sentence
        .rounds
        .iter()
        .filter_map(|round| round.tags.get(token))
        .map(|row| explanation.best_tag(row))
        .collect()
}

/// The most probable sentiment of a token after a round, and its probability.
fn sentiment(
    explanation: &ExplanationView<'_>,
    sentence: &ExplainedSentence,
    round: usize,
    token: usize,
) -> Option<(Sentiment, f32)> {
    let row = sentence.rounds.get(round)?.sentiments.get(token)?;
    Some(explanation.best_sentiment(row))
}

/// The aspects of a sentence.
fn aspects<'a>(
    explanation: &ExplanationView<'a>,
    sentence: &ExplainedSentence,
) -> Vec<&'a FoundAspect> {
    let (Some(first), Some(last)) = (sentence.tokens.first(), sentence.tokens.last()) else {
        return Vec::new();
    };
    explanation
        .aspects
        .iter()
        .filter(|aspect| first.start <= aspect.start && aspect.end <= last.end)
        .collect()
}

/// One line about an aspect, as in the analysis: `battery life: positive 93 % ← great`.
fn summary(explanation: &ExplanationView<'_>, aspect: &FoundAspect) -> String {
    let term = |link: &LinkedOpinion| Some(&*explanation.opinions.get(link.opinion)?.term);
    let opinions: Vec<&str> = aspect.opinions.iter().filter_map(term).collect();
    let arrow = if opinions.is_empty() { "" } else { " ← " };
    format!(
        "{}: {} {:.0} %{arrow}{}",
        aspect.term,
        aspect.sentiment,
        100.0 * aspect.confidence(),
        opinions.join(", ")
    )
}

/// Maps values to opacity. Attention over many words is nearly uniform, so the range of the values
/// is stretched to make differences visible.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scale {
    low: f32,
    high: f32,
}

impl Scale {
    /// The scale from the smallest to the largest of the values.
    fn of(values: impl Iterator<Item = f32> + Clone) -> Self {
        let low = values.clone().fold(f32::INFINITY, f32::min);
        let high = values.fold(f32::NEG_INFINITY, f32::max);
        let is_range = low.is_finite() && high.is_finite();
        if is_range {
            Self { low, high }
        } else {
            Self {
                low: 0.0,
                high: 1.0,
            }
        }
    }

    fn opacity(self, value: f32) -> f32 {
        let range = (self.high - self.low).max(f32::MIN_POSITIVE);
        0.06 + 0.94 * ((value - self.low) / range).clamp(0.0, 1.0)
    }
}

/// `1 sentence`, `2 sentences`.
fn counted(count: usize, one: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {one}{s}")
}

/// A text on one line, truncated to `most` columns of a fixed-width font. Control characters, which
/// terminals and XML do not accept, are replaced.
fn cut(text: &str, most: usize) -> String {
    use unicode_width::UnicodeWidthChar as _;
    let mut shown = String::new();
    let mut width = 0;
    for c in text.chars() {
        let c = if c.is_control() { '\u{fffd}' } else { c };
        width += c.width().unwrap_or(0);
        if width > most {
            shown.push('…');
            break;
        }
        // Joiners and combining marks have no width, so their number is bounded too.
        if shown.len() > 8 * most {
            break;
        }
        shown.push(c);
    }
    shown
}
