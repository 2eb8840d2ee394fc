//! Aspects over time: the counts by sentiment as stacked areas, and below them the share of
//! negative aspects as a line.

use imn::data::Sentiment;
use imn::render::Svg;
use maud::{Markup, PreEscaped, html as template};

use super::thousands;
use crate::{Step, Tally, TrendPoint};

/// The size of a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    /// For all aspects.
    Large,
    /// For a group.
    Small,
}

const WIDTH: f64 = 960.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;

/// Draws a chart; `what` names it for screen readers.
pub(super) fn chart(step: Step, points: &[TrendPoint], size: Size, what: &str) -> Markup {
    let (counts, shares) = match size {
        Size::Large => (180.0, 64.0),
        Size::Small => (100.0, 44.0),
    };
    let mut svg = Svg::new();
    let most = points
        .iter()
        .map(|point| point.aspects.total())
        .max()
        .unwrap_or(0)
        .max(1);
    let top = 10.0;
    let axis = Axis::new(step, points);
    let y = |count: u64| top + counts * (1.0 - count as f64 / most as f64);
    for count in ticks(most) {
        rule(&mut svg, y(count), &thousands(count));
    }
    let mut below = vec![0_u64; points.len()];
    for sentiment in Tally::ORDER.into_iter().rev() {
        let above: Vec<u64> = points
            .iter()
            .zip(&below)
            .map(|(point, below)| below + point.aspects.get(sentiment))
            .collect();
        if above != below {
            axis.area(&mut svg, &above, &below, y, sentiment.name());
        }
        below = above;
    }
    let base = top + counts + 22.0;
    let share_y = |share: f64| base + shares * (1.0 - share);
    rule(&mut svg, share_y(0.0), "0 %");
    rule(&mut svg, share_y(1.0), "100 %");
    axis.shares(&mut svg, points, share_y);
    axis.labels(&mut svg, base + shares + 18.0);
    let height = base + shares + 26.0;
    let label = spoken(step, points, what);
    let attributes = format!(
        "class=\"chart\" role=\"img\" aria-label=\"{}\"",
        imn::render::escape(&label)
    );
    let picture = PreEscaped(svg.finish(WIDTH, height, &attributes));
    template! { div.scroll { (picture) } }
}

fn rule(svg: &mut Svg, y: f64, label: &str) {
    svg.line((LEFT, y), (WIDTH - RIGHT, y), "class=\"rule\"");
    svg.text(
        LEFT - 6.0,
        y + 4.0,
        "class=\"tick\" text-anchor=\"end\"",
        label,
    );
}

/// A few round numbers up to `most`.
fn ticks(most: u64) -> Vec<u64> {
    let step = (0..20)
        .flat_map(|power| {
            [1, 2, 5].map(|digit: u64| digit.saturating_mul(10_u64.saturating_pow(power)))
        })
        .find(|step| most / step <= 4)
        .unwrap_or(most);
    (0..=most / step).map(|i| i * step).collect()
}

/// The horizontal axis.
struct Axis<'a> {
    step: Step,
    points: &'a [TrendPoint],
}

impl<'a> Axis<'a> {
    fn new(step: Step, points: &'a [TrendPoint]) -> Self {
        Self { step, points }
    }

    fn x(&self, i: usize) -> f64 {
        let room = WIDTH - LEFT - RIGHT;
        match self.points.len() {
            // A single point is drawn as a bar in the middle.
            0 | 1 => LEFT + room / 2.0,
            n => LEFT + room * i as f64 / (n - 1) as f64,
        }
    }

    fn area(
        &self,
        svg: &mut Svg,
        above: &[u64],
        below: &[u64],
        y: impl Fn(u64) -> f64,
        class: &str,
    ) {
        let at = |counts: &[u64]| -> Vec<(f64, f64)> {
            counts
                .iter()
                .enumerate()
                .map(|(i, &count)| (self.x(i), y(count)))
                .collect()
        };
        let (mut around, mut back) = (at(above), at(below));
        if let ([(x, high)], [(_, low)]) = (around.as_slice(), back.as_slice()) {
            svg.rect(
                (x - 20.0, *high),
                (40.0, low - high),
                &format!("class=\"{class}\""),
            );
            return;
        }
        back.reverse();
        around.extend(back);
        svg.polygon(&around, &format!("class=\"{class}\""));
    }

    /// The share of negative aspects. The line is interrupted at periods without aspects.
    fn shares(&self, svg: &mut Svg, points: &[TrendPoint], y: impl Fn(f64) -> f64) {
        let mut run: Vec<(f64, f64)> = Vec::new();
        let mut flush = |run: &mut Vec<(f64, f64)>| {
            match run.as_slice() {
                [] => {}
                [(x, y)] => svg.rect((x - 2.0, y - 2.0), (4.0, 4.0), "class=\"negative\""),
                more => svg.polyline(more, "class=\"negative-line\""),
            }
            run.clear();
        };
        for (i, point) in points.iter().enumerate() {
            if point.aspects.total() == 0 {
                flush(&mut run);
            } else {
                run.push((self.x(i), y(point.aspects.share(Sentiment::Negative))));
            }
        }
        flush(&mut run);
    }

    fn labels(&self, svg: &mut Svg, y: f64) {
        let n = self.points.len();
        let shown = n.min(6);
        for k in 0..shown {
            let i = if shown == 1 {
                0
            } else {
                k * (n - 1) / (shown - 1)
            };
            let anchor = match k {
                _ if n == 1 => "middle",
                0 => "start",
                k if k + 1 == shown => "end",
                _ => "middle",
            };
            let attributes = format!("class=\"tick\" text-anchor=\"{anchor}\"");
            svg.text(
                self.x(i),
                y,
                &attributes,
                &self.step.label(self.points[i].start),
            );
        }
    }
}

/// The description of the chart for screen readers.
fn spoken(step: Step, points: &[TrendPoint], what: &str) -> String {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return format!("{what}: no dates");
    };
    let peak = points
        .iter()
        .max_by_key(|point| point.aspects.total())
        .unwrap_or(first);
    format!(
        "{what} per {} from {} to {}: most in {}, {} ({:.0} % negative)",
        step.name(),
        step.label(first.start),
        step.label(last.start),
        step.label(peak.start),
        thousands(peak.aspects.total()),
        100.0 * peak.aspects.share(Sentiment::Negative)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_few_and_round() {
        assert_eq!(ticks(1), [0, 1]);
        assert_eq!(ticks(7), [0, 2, 4, 6]);
        assert_eq!(ticks(1234), [0, 500, 1000]);
        assert!(ticks(u64::MAX).len() <= 5);
    }
}
