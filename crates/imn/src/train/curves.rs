//! A picture of a run: losses and development scores by epoch, as SVG.

use std::fmt::Write as _;

use super::{EpochRecord, Phase};
use crate::eval::Metric;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 300.0;
const MARGIN: f64 = 56.0;

struct Series<'a> {
    name: &'a str,
    color: &'a str,
    points: Vec<(f64, f64)>,
}

/// Draws the learning curves of a run: scores above, losses below.
#[must_use]
pub fn learning_curves(title: &str, history: &[EpochRecord]) -> String {
    let records: Vec<&EpochRecord> = history
        .iter()
        .filter(|record| record.phase == Phase::Training)
        .collect();
    let of = |value: &dyn Fn(&EpochRecord) -> Option<f64>| -> Vec<(f64, f64)> {
        records
            .iter()
            .filter_map(|record| {
                Some((
                    record.epoch as f64,
                    value(record).filter(|v| v.is_finite())?,
                ))
            })
            .collect()
    };
    let score = |metric: Metric| of(&|record| record.dev.as_ref()?.get(metric));
    let scores = [
        Series {
            name: "F1-a",
            color: "#4477aa",
            points: score(Metric::F1A),
        },
        Series {
            name: "F1-o",
            color: "#228833",
            points: score(Metric::F1O),
        },
        Series {
            name: "acc-s",
            color: "#ccbb44",
            points: score(Metric::AccS),
        },
        Series {
            name: "F1-I",
            color: "#cc3311",
            points: score(Metric::F1I),
        },
    ];
    let losses = [
        Series {
            name: "aspect loss",
            color: "#cc3311",
            points: of(&|r| r.aspect_loss),
        },
        Series {
            name: "document loss",
            color: "#4477aa",
            points: of(&|r| r.document_loss),
        },
    ];
    let best = records
        .iter()
        .filter(|record| record.best)
        .map(|record| record.epoch as f64)
        .next_back();
    let mut svg = String::new();
    let height = 2.0 * HEIGHT + 40.0;
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{MARGIN}\" y=\"24\" font-size=\"16\">{}</text>\n",
        escape(title)
    );
    panel(&mut svg, 30.0, "development split, %", &scores, best);
    panel(&mut svg, 30.0 + HEIGHT, "training loss", &losses, best);
    svg.push_str("</svg>\n");
    svg
}

fn panel(svg: &mut String, top: f64, label: &str, series: &[Series<'_>], best: Option<f64>) {
    let all: Vec<(f64, f64)> = series
        .iter()
        .flat_map(|s| s.points.iter().copied())
        .collect();
    let (left, right) = (MARGIN, WIDTH - 120.0);
    let (upper, lower) = (top + 16.0, top + HEIGHT - 36.0);
    let _ = writeln!(
        svg,
        "<text x=\"{left}\" y=\"{}\" fill=\"#555\">{label}</text>",
        upper - 4.0
    );
    if all.is_empty() {
        return;
    }
    let last = all.iter().fold(1.0_f64, |last, p| last.max(p.0));
    let low = all.iter().fold(f64::INFINITY, |low, p| low.min(p.1));
    let high = all.iter().fold(f64::NEG_INFINITY, |high, p| high.max(p.1));
    let (low, high) = if high > low {
        (low, high)
    } else {
        (low - 1.0, high + 1.0)
    };
    let x = |epoch: f64| left + (right - left) * (epoch - 1.0) / (last - 1.0).max(1.0);
    let y = |value: f64| lower - (lower - upper) * (value - low) / (high - low);
    for i in 0..=4 {
        let value = low + (high - low) * f64::from(i) / 4.0;
        let at = y(value);
        let digits = if high - low < 5.0 { 2 } else { 0 };
        let _ = writeln!(
            svg,
            "<line x1=\"{left}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#555\">{value:.digits$}</text>",
            left - 6.0,
            at + 4.0
        );
    }
    for i in 0..=4 {
        let epoch = (1.0 + (last - 1.0) * f64::from(i) / 4.0).round();
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{epoch}</text>",
            x(epoch),
            lower + 18.0
        );
    }
    if let Some(best) = best {
        let at = x(best);
        let _ = writeln!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{upper}\" y2=\"{lower}\" stroke=\"#999\" stroke-dasharray=\"4 3\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"#555\">kept: {best}</text>",
            at + 4.0,
            lower - 6.0
        );
    }
    for (i, series) in series.iter().filter(|s| !s.points.is_empty()).enumerate() {
        let points: Vec<String> = series
            .points
            .iter()
            .map(|&(e, v)| format!("{:.1},{:.1}", x(e), y(v)))
            .collect();
        let (color, at) = (series.color, upper + 14.0 + 18.0 * i as f64);
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"1.8\" points=\"{}\"/>\
             <line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{at}\" y2=\"{at}\" stroke=\"{color}\" stroke-width=\"3\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            points.join(" "),
            right + 10.0,
            right + 26.0,
            right + 32.0,
            at + 4.0,
            series.name
        );
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
