//! Counts by sentiment as a stacked bar.

use imn::data::Sentiment;
use maud::{Markup, html as template};

use super::thousands;
use crate::Tally;

/// The sentiments that occur, in order, with their counts.
pub(super) fn parts(tally: Tally) -> impl Iterator<Item = (Sentiment, u64)> {
    Tally::ORDER
        .into_iter()
        .map(move |sentiment| (sentiment, tally.get(sentiment)))
        .filter(|&(_, count)| count > 0)
}

/// A bar that fills the share `length` of its space. Screen readers skip it and read the numbers
/// next to it.
pub(super) fn bar(tally: Tally, length: f64) -> Markup {
    let percent = |part: f64| format!("width:{:.2}%", 100.0 * part);
    template! {
        span.bar aria-hidden="true" {
            span.filled style=(percent(length)) {
                @for (sentiment, count) in parts(tally) {
                    @let width = percent(tally.share(sentiment));
                    @let title = format!("{} {}", thousands(count), sentiment.name());
                    span.part.(sentiment.name()) style=(width) title=(title) {}
                }
            }
        }
    }
}

/// `61 % positive, 30 % negative, 9 % neutral`.
pub(super) fn shares(tally: Tally) -> String {
    let share = |(sentiment, _)| {
        format!(
            "{:.0} % {}",
            100.0 * tally.share(sentiment),
            sentiment.name()
        )
    };
    parts(tally).map(share).collect::<Vec<_>>().join(", ")
}

/// `250 positive, 120 negative, …`, for screen readers.
pub(super) fn spoken(tally: Tally) -> String {
    let count =
        |(sentiment, count): (Sentiment, u64)| format!("{} {}", thousands(count), sentiment.name());
    parts(tally).map(count).collect::<Vec<_>>().join(", ")
}

/// The legend of the colours, with the total counts.
pub(super) fn key(tally: Tally) -> Markup {
    template! {
        ul.key aria-label="Aspects by sentiment" {
            @for sentiment in Tally::ORDER {
                li {
                    span.swatch.(sentiment.name()) aria-hidden="true" {}
                    (sentiment.name()) " " b { (thousands(tally.get(sentiment))) }
                }
            }
        }
    }
}
