//! What both kinds of charts share: the scale, the marks, the description.

use imn::eval::Metric;
use imn::render::{Svg, escape};
use maud::{Markup, PreEscaped};

use crate::sets::PaperSet;
use crate::tables::sheet::{Cell, Sheet};
use crate::tables::words::plural;

/// The width of a panel.
pub(super) const WIDTH: f64 = 360.0;

/// F1-I of the systems of a table on a set.
pub(super) fn cells(sheet: &Sheet, set: PaperSet) -> Vec<&Cell> {
    let cells = sheet.cells.iter();
    cells
        .filter(|cell| cell.set == set && cell.metric == Metric::F1I)
        .collect()
}

/// Our mean minus its deviation, our mean, and our mean plus its deviation.
pub(super) fn interval(cell: &Cell) -> Option<[f64; 3]> {
    let summary = cell.summary?;
    let deviation = summary.deviation.unwrap_or(0.0);
    Some([
        summary.mean - deviation,
        summary.mean,
        summary.mean + deviation,
    ])
}

/// An axis with round numbers that contains all values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    low: f64,
    steps: u32,
    step: f64,
}

impl Scale {
    pub(super) fn new(cells: &[&Cell]) -> Self {
        let ours = cells.iter().filter_map(|cell| interval(cell)).flatten();
        Self::around(ours.chain(cells.iter().filter_map(|cell| cell.paper)))
    }

    fn around(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (low, high) = if low <= high {
            (low, high)
        } else {
            (0.0, 100.0)
        };
        let fits = |step: &f64| (high / step).ceil() - (low / step).floor() <= 6.0;
        let step = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0]
            .into_iter()
            .find(fits)
            .unwrap_or(50.0);
        let low = (low / step).floor() * step;
        Self {
            low,
            steps: (((high - low) / step).ceil() as u32).max(1),
            step,
        }
    }

    /// The values of the ticks.
    pub(super) fn ticks(self) -> impl Iterator<Item = f64> {
        (0..=self.steps).map(move |i| self.low + self.step * f64::from(i))
    }

    /// The position of a value on the axis, from 0 to 1.
    pub(super) fn share(self, value: f64) -> f64 {
        (value - self.low) / (self.step * f64::from(self.steps))
    }

    /// The label of a tick.
    pub(super) fn label(self, tick: f64) -> String {
        let digits = usize::from(self.step < 1.0);
        format!("{tick:.digits$}")
    }
}

/// Opens the group of a cell's marks, with a tooltip that has its numbers.
pub(super) fn open(svg: &mut Svg, cell: &Cell) {
    svg.raw(&format!("<g><title>{}</title>\n", escape(&spoken(cell))));
}

/// Closes the group.
pub(super) fn close(svg: &mut Svg) {
    svg.raw("</g>\n");
}

/// Our mark.
pub(super) fn dot(svg: &mut Svg, (x, y): (f64, f64)) {
    svg.raw(&format!(
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" class=\"ours\"/>\n"
    ));
}

/// The paper's mark.
pub(super) fn diamond(svg: &mut Svg, (x, y): (f64, f64)) {
    let points = [(x, y - 4.5), (x + 4.5, y), (x, y + 4.5), (x - 4.5, y)];
    svg.polygon(&points, "class=\"paper\"");
}

/// The finished chart, with its numbers as text for screen readers.
pub(super) fn finish(svg: Svg, height: f64, set: PaperSet, cells: &[&Cell]) -> Markup {
    let words: Vec<String> = cells.iter().map(|cell| spoken(cell)).collect();
    let label = format!("F1-I on {}. {}", set.title(), words.join("; "));
    let attributes = format!(
        "class=\"chart\" role=\"img\" aria-label=\"{}\"",
        escape(&label)
    );
    PreEscaped(svg.finish(WIDTH, height, &attributes))
}

/// `IMN: 66.74 ± 0.47 (5 runs), paper 68.32`.
fn spoken(cell: &Cell) -> String {
    let ours = cell.summary.map_or_else(
        || "no runs".to_owned(),
        |summary| format!("{summary} ({})", plural(summary.runs, "run")),
    );
    let paper = cell
        .paper
        .map(|paper| format!(", paper {paper:.2}"))
        .unwrap_or_default();
    format!("{}: {ours}{paper}", cell.system.label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_has_round_numbers_around_the_values() {
        let scale = |values: &[f64]| Scale::around(values.iter().copied());
        let ticks = |values: &[f64]| scale(values).ticks().collect::<Vec<f64>>();
        assert_eq!(ticks(&[63.87, 69.54]), [62.0, 64.0, 66.0, 68.0, 70.0]);
        assert_eq!(ticks(&[66.2, 67.9]), [66.0, 66.5, 67.0, 67.5, 68.0]);
        assert_eq!(ticks(&[0.0, 100.0]), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(ticks(&[65.0]).len(), 2);
        assert_eq!(ticks(&[]).first(), Some(&0.0));
        let scale = scale(&[63.87, 69.54]);
        assert_eq!(
            [scale.share(62.0), scale.share(66.0), scale.share(70.0)],
            [0.0, 0.5, 1.0]
        );
    }
}
