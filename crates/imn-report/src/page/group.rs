//! One group: a line with its bar, and its details, which open below.

use maud::{Markup, html as template};

use super::bar::{bar, spoken};
use super::{chart, counted, thousands};
use crate::{Example, Group, Mark, Segment, Step};

pub(super) fn group(group: &Group, largest: u64, step: Option<Step>) -> Markup {
    let tally = group.aspects;
    let total = tally.total();
    let net = tally.net();
    let negative = tally.share(imn::data::Sentiment::Negative);
    let terms: Vec<&str> = group
        .members
        .iter()
        .map(|(term, _)| term.as_str())
        .collect();
    let shape = if net < -0.05 {
        "down"
    } else if net > 0.05 {
        "up"
    } else {
        "level"
    };
    let heard = if total == 1 {
        " aspect: "
    } else {
        " aspects: "
    };
    template! {
        details.group data-name=(group.name) data-terms=(terms.join("\n")) data-count=(total)
            data-negative={ (format!("{negative:.6}")) } data-net={ (format!("{net:.6}")) } {
            summary {
                span.name { (group.name) }
                (bar(tally, total as f64 / largest as f64))
                span.count { (thousands(total)) span.hidden { (heard) (spoken(tally)) "." } }
                span.net.(shape) title="net sentiment: share positive − share negative" {
                    span.hidden { "Net sentiment " } (points(net))
                }
            }
            div.inside {
                p.facts {
                    (counted(total, "aspect")) " in " (counted(group.reviews, "review")) ": "
                    (spoken(tally)) "."
                }
                div.columns {
                    (opinions(group))
                    (members(group))
                }
                @if let Some(step) = step {
                    h3 { "Over time" }
                    (chart::chart(step, &group.trend, chart::Size::Small, &group.name))
                }
                (examples(group))
            }
        }
    }
}

/// `+12`, `−8` or `0`.
fn points(net: f64) -> String {
    match (100.0 * net).round() as i64 {
        0 => "0".to_owned(),
        points if points < 0 => format!("−{}", -points),
        points => format!("+{points}"),
    }
}

fn opinions(group: &Group) -> Markup {
    template! {
        div {
            h3 { "Opinions" }
            @if group.opinions.is_empty() { p.hint { "No opinions are linked to these aspects." } }
            @for (sentiment, said) in &group.opinions {
                p.said {
                    span.swatch.(sentiment.name()) aria-hidden="true" {}
                    span.hidden { (sentiment.name()) ": " }
                    @for (term, count) in said {
                        span.chip.(sentiment.name()) { (term) " " b { (thousands(*count)) } }
                        " "
                    }
                }
            }
        }
    }
}

fn members(group: &Group) -> Markup {
    let more = group.different_members.saturating_sub(group.members.len());
    template! {
        div {
            h3 { "Terms" }
            p.said {
                @for (term, count) in &group.members {
                    span.chip { (term) " " b { (thousands(*count)) } }
                    " "
                }
                @if more > 0 { span.hint { "and " (thousands(more as u64)) " more" } }
            }
        }
    }
}

fn examples(group: &Group) -> Markup {
    let shown = group.examples.len() as u64;
    template! {
        h3 { "Sentences" }
        p.hint {
            (thousands(shown)) " of " (thousands(group.aspects.total()))
            ", the most confident of each sentiment, without repetitions."
        }
        ul.examples {
            @for example in &group.examples { (sentence(example)) }
        }
    }
}

fn sentence(example: &Example) -> Markup {
    template! {
        li.(example.sentiment.name()) {
            q { @for segment in &example.segments { (piece(segment)) } }
            " "
            span.source {
                (example.sentiment.name())
                ", confidence " (format!("{:.0} %", 100.0 * example.confidence))
                @if let Some(row) = example.row { ", row " (row) }
                @if let Some(date) = example.date { ", " (date) }
            }
        }
    }
}

fn piece(segment: &Segment) -> Markup {
    template! {
        @match segment.mark {
            None => { (segment.text) }
            Some(Mark::Aspect(sentiment)) => { mark.own.(sentiment.name()) { (segment.text) } }
            Some(Mark::Other(sentiment)) => {
                @let name = sentiment.name();
                mark.(name) title={ "another aspect: " (name) } { (segment.text) }
            }
            Some(Mark::Opinion) => { em { (segment.text) } }
        }
    }
}
