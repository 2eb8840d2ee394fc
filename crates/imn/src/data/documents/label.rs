//! Labels of document sets: names of sentiments, or stars.

use crate::data::Sentiment;

/// Parses a label: `pos`, `neg`, `neu`, the full names, or stars from 1 to 5.
///
/// ```
/// use imn::data::{Sentiment, parse_label};
///
/// assert_eq!(parse_label("POS"), Some(Sentiment::Positive));
/// assert_eq!(parse_label("2.0"), Some(Sentiment::Negative));
/// assert_eq!(parse_label("0"), None);
/// ```
#[must_use]
pub fn parse_label(field: &str) -> Option<Sentiment> {
    let field = field.trim();
    let named = |sentiment: &Sentiment| {
        [sentiment.name(), sentiment.short_name()]
            .iter()
            .any(|name| field.eq_ignore_ascii_case(name))
    };
    if let Some(sentiment) = Sentiment::CLASSES.into_iter().find(named) {
        return Some(sentiment);
    }
    match field.parse::<f32>().ok()? {
        stars if (1.0..=2.0).contains(&stars) => Some(Sentiment::Negative),
        stars if (4.0..=5.0).contains(&stars) => Some(Sentiment::Positive),
        stars if stars > 2.0 && stars < 4.0 => Some(Sentiment::Neutral),
        _ => None,
    }
}
