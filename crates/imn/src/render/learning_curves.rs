//! Learning curves of a training run as SVG: losses and development scores by epoch.

use super::Svg;
use crate::eval::Metric;
use crate::model::Phase;
use crate::train::EpochRecord;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 300.0;
const MARGIN: f64 = 56.0;

struct Series<'a> {
    name: &'a str,
    color: &'a str,
    points: Vec<(f64, f64)>,
}

/// The learning curves of a run as SVG: scores above, losses below.
///
/// ```
/// use imn::model::Phase;
/// use imn::train::EpochRecord;
///
/// let epoch = |epoch, loss| EpochRecord {
///     phase: Phase::Training,
///     epoch,
///     aspect_loss: Some(loss),
///     document_loss: None,
///     dev: None,
///     documents: None,
///     best: epoch == 2,
///     seconds: 1.0,
/// };
/// let svg = imn::render::learning_curves("my run", &[epoch(1, 0.9), epoch(2, 0.4)]);
/// assert!(svg.contains("my run") && svg.contains("best: 2"));
/// assert_eq!(svg.matches("<polyline").count(), 1);
/// ```
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
        Series {
            name: "DS",
            color: "#aa3377",
            points: of(&|record| record.documents?.sentiment),
        },
        Series {
            name: "DD",
            color: "#66ccee",
            points: of(&|record| record.documents?.domain),
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
    let mut svg = Svg::new();
    svg.raw("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    svg.text(MARGIN, 24.0, "font-size=\"16\"", title);
    panel(
        &mut svg,
        30.0,
        "development split and held-out documents, %",
        &scores,
        best,
    );
    panel(&mut svg, 30.0 + HEIGHT, "training loss", &losses, best);
    svg.finish(WIDTH, 2.0 * HEIGHT + 40.0, "")
}

fn panel(svg: &mut Svg, top: f64, label: &str, series: &[Series<'_>], best: Option<f64>) {
    let all: Vec<(f64, f64)> = series
        .iter()
        .flat_map(|s| s.points.iter().copied())
        .collect();
    let (left, right) = (MARGIN, WIDTH - 120.0);
    let (upper, lower) = (top + 16.0, top + HEIGHT - 36.0);
    svg.text(left, upper - 4.0, "fill=\"#555\"", label);
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
        svg.line((left, at), (right, at), "stroke=\"#ddd\"");
        let (end, value) = (
            "text-anchor=\"end\" fill=\"#555\"",
            format!("{value:.digits$}"),
        );
        svg.text(left - 6.0, at + 4.0, end, &value);
    }
    for i in 0..=4 {
        let epoch = (1.0 + (last - 1.0) * f64::from(i) / 4.0).round();
        let middle = "text-anchor=\"middle\" fill=\"#555\"";
        svg.text(x(epoch), lower + 18.0, middle, &epoch.to_string());
    }
    if let Some(best) = best {
        let at = x(best);
        let dashed = "stroke=\"#999\" stroke-dasharray=\"4 3\"";
        svg.line((at, upper), (at, lower), dashed);
        let note = format!("best: {best}");
        svg.text(at + 4.0, lower - 6.0, "fill=\"#555\"", &note);
    }
    for (i, series) in series.iter().filter(|s| !s.points.is_empty()).enumerate() {
        let points: Vec<(f64, f64)> = series.points.iter().map(|&(e, v)| (x(e), y(v))).collect();
        let (color, at) = (series.color, upper + 14.0 + 18.0 * i as f64);
        let drawn = format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"1.8\"");
        svg.polyline(&points, &drawn);
        let key = format!("stroke=\"{color}\" stroke-width=\"3\"");
        svg.line((right + 10.0, at), (right + 26.0, at), &key);
        svg.text(right + 32.0, at + 4.0, "", series.name);
    }
}
