//! An explanation as a picture, a page, and text for a terminal: a row a round, so that one sees what the rounds changed.
//!
//! What is drawn is bounded, and what is left out is said in the picture.

mod bands;
mod grid;
mod html;
mod svg;
mod terminal;

pub use html::html;
pub use svg::svg;
pub use terminal::terminal;

use crate::analyze::{ExplainedSentence, ExplanationView, FoundAspect};
use crate::data::{AeTag, Sentiment};

/// What a tag is called where there is room.
const fn tag_name(tag: AeTag) -> &'static str {
    match tag {
        AeTag::BA => "aspect begins",
        AeTag::IA => "aspect goes on",
        AeTag::BP => "opinion begins",
        AeTag::IP => "opinion goes on",
        AeTag::O => "neither",
    }
}

/// Whether a tag is one of an aspect.
const fn is_aspect(tag: AeTag) -> bool {
    matches!(tag, AeTag::BA | AeTag::IA)
}

/// The likeliest tag of a token after each round, and how likely it is.
fn tags_by_round(
    explanation: &ExplanationView<'_>,
    sentence: &ExplainedSentence,
    token: usize,
) -> Vec<(AeTag, f32)> {
    let rows = sentence
        .rounds
        .iter()
        .filter_map(|round| round.tags.get(token));
    rows.map(|row| explanation.best_tag(row)).collect()
}

/// The likeliest sentiment of a token after a round, and how likely it is.
fn sentiment(
    explanation: &ExplanationView<'_>,
    sentence: &ExplainedSentence,
    round: usize,
    token: usize,
) -> Option<(Sentiment, f32)> {
    let row = sentence.rounds.get(round)?.sentiments.get(token)?;
    Some(explanation.best_sentiment(row))
}

/// The aspects of the analysis that stand in a sentence.
fn aspects<'a>(
    explanation: &ExplanationView<'a>,
    sentence: &ExplainedSentence,
) -> Vec<&'a FoundAspect> {
    let (Some(first), Some(last)) = (sentence.tokens.first(), sentence.tokens.last()) else {
        return Vec::new();
    };
    let all = explanation.aspects.iter();
    all.filter(|aspect| first.start <= aspect.start && aspect.end <= last.end)
        .collect()
}

/// What an aspect came to, in a line: `battery life: positive 0.93 ← great 0.81`.
fn finding(explanation: &ExplanationView<'_>, aspect: &FoundAspect) -> String {
    let about = aspect.opinions.iter().filter_map(|link| {
        let opinion = explanation.opinions.get(link.opinion)?;
        Some(format!("{} {:.2}", opinion.term, link.weight))
    });
    let about: Vec<String> = about.collect();
    let arrow = if about.is_empty() { "" } else { " ← " };
    format!(
        "{}: {} {:.2}{arrow}{}",
        aspect.term,
        aspect.sentiment,
        aspect.sentiment_confidence,
        about.join(", ")
    )
}

/// From numbers to how strong a colour is: attention over many words is nearly even, and what sets words apart is what is looked for.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scale {
    low: f32,
    high: f32,
}

impl Scale {
    /// The scale from the smallest of the numbers to the largest.
    fn of(numbers: impl Iterator<Item = f32> + Clone) -> Self {
        let low = numbers.clone().fold(f32::INFINITY, f32::min);
        let high = numbers.fold(f32::NEG_INFINITY, f32::max);
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

    fn strength(self, number: f32) -> f32 {
        let range = (self.high - self.low).max(f32::MIN_POSITIVE);
        0.06 + 0.94 * ((number - self.low) / range).clamp(0.0, 1.0)
    }
}

/// `1 sentence`, `2 sentences`.
fn counted(count: usize, one: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {one}{s}")
}

/// A text on one line, cut after `most` columns of a fixed-width font; what a terminal or XML would stumble over is replaced.
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
        // Joiners and marks take no room: a pile of them must not either.
        if shown.len() > 8 * most {
            break;
        }
        shown.push(c);
    }
    shown
}
