//! Counts by sentiment as one bar.

use imn::data::Sentiment;
use maud::{Markup, html as template};

use super::thousands;
use crate::Tally;

/// The parts of a tally that there are, in order.
pub(super) fn parts(tally: Tally) -> impl Iterator<Item = (Sentiment, u64)> {
    let all = Tally::ORDER
        .into_iter()
        .map(move |sentiment| (sentiment, tally.get(sentiment)));
    all.filter(|&(_, count)| count > 0)
}

/// A bar whose length is `length` of the room. It is for the eye; its numbers stand beside it.
pub(super) fn bar(tally: Tally, length: f64) -> Markup {
    let percent = |part: f64| format!("width:{:.2}%", 100.0 * part);
    template! {
        span.bar aria-hidden="true" {
            span.filled style=(percent(length)) {
                @for (sentiment, count) in parts(tally) {
                    span.part.(sentiment.name()) style=(percent(tally.share(sentiment))) title={ (thousands(count)) " " (sentiment.name()) } {}
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

/// `412 aspects: 250 positive, …`, for who cannot see the bar.
pub(super) fn spoken(tally: Tally) -> String {
    let count =
        |(sentiment, count): (Sentiment, u64)| format!("{} {}", thousands(count), sentiment.name());
    parts(tally).map(count).collect::<Vec<_>>().join(", ")
}

/// What the colours mean, with the numbers of the whole.
pub(super) fn key(tally: Tally) -> Markup {
    template! {
        ul.key aria-label="Aspects by sentiment" {
            @for sentiment in Tally::ORDER {
                li { span.swatch.(sentiment.name()) aria-hidden="true" {} (sentiment.name()) " " b { (thousands(tally.get(sentiment))) } }
            }
        }
    }
}
