//! A dot chart: one row per system, with our mean and the paper's value.

use imn::render::Svg;
use maud::Markup;

use super::chart::{self, Scale, WIDTH};
use crate::registry::Origin;
use crate::sets::PaperSet;
use crate::tables::sheet::{Cell, Sheet};

const ROW: f64 = 26.0;
const TOP: f64 = 6.0;
const RIGHT: f64 = 14.0;

/// The chart of one set.
pub(super) fn panel(sheet: &Sheet, set: PaperSet) -> Markup {
    let cells = chart::cells(sheet, set);
    let scale = Scale::new(&cells);
    let widths = cells.iter().map(|cell| width(label(cell)));
    let left = widths.fold(0.0, f64::max) + 12.0;
    let bottom = TOP + ROW * cells.len() as f64;
    let x = |value: f64| left + (WIDTH - RIGHT - left) * scale.share(value);
    let mut svg = Svg::new();
    for tick in scale.ticks() {
        svg.line((x(tick), TOP), (x(tick), bottom), "class=\"rule\"");
        let middle = "class=\"tick\" text-anchor=\"middle\"";
        svg.text(x(tick), bottom + 16.0, middle, &scale.label(tick));
    }
    for (i, cell) in cells.iter().enumerate() {
        let y = TOP + ROW * (i as f64 + 0.5);
        let own = sheet.has_baselines() && cell.system.origin == Origin::Proposed;
        let class = if own { "name own" } else { "name" };
        svg.text(
            left - 10.0,
            y + 4.0,
            &format!("class=\"{class}\" text-anchor=\"end\""),
            label(cell),
        );
        row(&mut svg, cell, y, x);
    }
    chart::finish(svg, bottom + 24.0, set, &cells)
}

/// The label without its part in parentheses, which would not fit.
fn label(cell: &Cell) -> &'static str {
    let label = cell.system.label;
    label.split_once(" (").map_or(label, |(short, _)| short)
}

/// An upper bound of the width of a label.
fn width(label: &str) -> f64 {
    let letter = |c: char| if c.is_uppercase() { 8.8 } else { 7.2 };
    label.chars().map(letter).sum()
}

/// Our mark is above the paper's, so that neither hides the other.
fn row(svg: &mut Svg, cell: &Cell, y: f64, x: impl Fn(f64) -> f64) {
    chart::open(svg, cell);
    if let Some(paper) = cell.paper {
        chart::diamond(svg, (x(paper), y + 5.0));
    }
    if let Some([low, mean, high]) = chart::interval(cell) {
        let y = y - 5.0;
        svg.line((x(low), y), (x(high), y), "class=\"error\"");
        for end in [low, high] {
            svg.line((x(end), y - 3.0), (x(end), y + 3.0), "class=\"error\"");
        }
        chart::dot(svg, (x(mean), y));
    }
    chart::close(svg);
}
