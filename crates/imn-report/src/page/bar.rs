//! Counts by sentiment as one bar.

use imn::data::Polarity;
use maud::{Markup, html as template};

use super::thousands;
use crate::Tally;

/// What a sentiment is called in the page.
pub(super) const fn name(polarity: Polarity) -> &'static str {
    match polarity {
        Polarity::Conflict => "mixed",
        other => other.name(),
    }
}

/// The parts of a tally that there are, in order.
pub(super) fn parts(tally: Tally) -> impl Iterator<Item = (Polarity, u64)> {
    let all = Tally::ORDER
        .into_iter()
        .map(move |polarity| (polarity, tally.get(polarity)));
    all.filter(|&(_, count)| count > 0)
}

/// A bar whose length is `length` of the room. It is for the eye; its numbers stand beside it.
pub(super) fn bar(tally: Tally, length: f64) -> Markup {
    let percent = |part: f64| format!("width:{:.2}%", 100.0 * part);
    template! {
        span.bar aria-hidden="true" {
            span.filled style=(percent(length)) {
                @for (polarity, count) in parts(tally) {
                    span.part.(polarity.name()) style=(percent(tally.share(polarity))) title={ (thousands(count)) " " (name(polarity)) } {}
                }
            }
        }
    }
}

/// `61 % positive, 30 % negative, 9 % neutral`.
pub(super) fn shares(tally: Tally) -> String {
    let share =
        |(polarity, _)| format!("{:.0} % {}", 100.0 * tally.share(polarity), name(polarity));
    parts(tally).map(share).collect::<Vec<_>>().join(", ")
}

/// `412 aspects: 250 positive, …`, for who cannot see the bar.
pub(super) fn spoken(tally: Tally) -> String {
    let count = |(polarity, count)| format!("{} {}", thousands(count), name(polarity));
    parts(tally).map(count).collect::<Vec<_>>().join(", ")
}

/// What the colours mean, with the numbers of the whole.
pub(super) fn key(tally: Tally) -> Markup {
    template! {
        ul.key aria-label="Aspects by sentiment" {
            @for polarity in Tally::ORDER {
                @if polarity != Polarity::Conflict || tally.get(polarity) > 0 {
                    li { span.swatch.(polarity.name()) aria-hidden="true" {} (name(polarity)) " " b { (thousands(tally.get(polarity))) } }
                }
            }
        }
    }
}
