//! A line chart: F1-I over the systems of a table from left to right.

use imn::render::Svg;
use maud::Markup;

use super::chart::{self, Scale, WIDTH};
use crate::sets::PaperSet;
use crate::tables::sheet::Sheet;

const LEFT: f64 = 40.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 190.0;
/// How far our marks are shifted to the left and the paper's to the right, so that neither hides
/// the other.
const ASIDE: f64 = 4.0;

/// The chart of one set.
pub(super) fn panel(sheet: &Sheet, set: PaperSet) -> Markup {
    let cells = chart::cells(sheet, set);
    let scale = Scale::new(&cells);
    let room = (WIDTH - LEFT - RIGHT) / cells.len().max(1) as f64;
    let x = |i: usize| LEFT + room * (i as f64 + 0.5);
    let y = |value: f64| BOTTOM - (BOTTOM - TOP) * scale.share(value);
    let mut svg = Svg::new();
    for tick in scale.ticks() {
        svg.line((LEFT, y(tick)), (WIDTH - RIGHT, y(tick)), "class=\"rule\"");
        let end = "class=\"tick\" text-anchor=\"end\"";
        svg.text(LEFT - 6.0, y(tick) + 4.0, end, &scale.label(tick));
    }
    let line = |svg: &mut Svg, points: Vec<Option<(f64, f64)>>, class: &str| {
        for part in points.split(Option::is_none) {
            let part: Vec<(f64, f64)> = part.iter().copied().flatten().collect();
            if part.len() > 1 {
                svg.polyline(&part, &format!("class=\"{class}\""));
            }
        }
    };
    let numbered = || cells.iter().enumerate();
    let ours = numbered().map(|(i, cell)| cell.mean().map(|mean| (x(i) - ASIDE, y(mean))));
    let paper = numbered().map(|(i, cell)| cell.paper.map(|paper| (x(i) + ASIDE, y(paper))));
    line(&mut svg, paper.collect(), "paper-line");
    line(&mut svg, ours.collect(), "ours-line");
    for (i, cell) in numbered() {
        chart::open(&mut svg, cell);
        if let Some(paper) = cell.paper {
            chart::diamond(&mut svg, (x(i) + ASIDE, y(paper)));
        }
        if let Some([low, mean, high]) = chart::interval(cell) {
            let x = x(i) - ASIDE;
            svg.line((x, y(low)), (x, y(high)), "class=\"error\"");
            for end in [low, high] {
                svg.line((x - 3.0, y(end)), (x + 3.0, y(end)), "class=\"error\"");
            }
            chart::dot(&mut svg, (x, y(mean)));
        }
        chart::close(&mut svg);
        let middle = "class=\"name\" text-anchor=\"middle\"";
        svg.text(x(i), BOTTOM + 18.0, middle, cell.system.label);
    }
    chart::finish(svg, BOTTOM + 26.0, set, &cells)
}
