//! What the paper reports, for comparison: means of five runs on the test sets, from its four tables of scores.
//!
//! The tables share systems (IMN⁻ᵈ stands in three of them), so a value stands here once, by the name that our results give its system. The
//! paper's F1-s is by the authors' formula.

use crate::eval::Metric;

/// How many runs the paper's means are of.
pub const PAPER_RUNS: usize = 5;

/// The sets of the paper, D1, D2 and D3, by the names that results use.
pub const PAPER_SETS: [&str; 3] = ["res14", "lap14", "res15"];

/// F1-a, F1-o, acc-s, F1-s, F1-I of the systems in the main comparison.
const MAIN: [(&str, &str, [f64; 5]); 33] = [
    ("cmla-alstm", "res14", [82.45, 82.67, 77.46, 68.70, 63.87]),
    ("cmla-alstm", "lap14", [76.80, 77.33, 70.25, 66.67, 53.68]),
    ("cmla-alstm", "res15", [68.55, 71.07, 81.03, 58.91, 54.79]),
    ("cmla-dtrans", "res14", [82.45, 82.67, 79.58, 72.23, 65.34]),
    ("cmla-dtrans", "lap14", [76.80, 77.33, 72.38, 69.52, 55.56]),
    ("cmla-dtrans", "res15", [68.55, 71.07, 82.27, 66.45, 56.09]),
    ("decnn-alstm", "res14", [83.94, 85.60, 77.79, 68.50, 65.26]),
    ("decnn-alstm", "lap14", [78.38, 78.81, 70.46, 66.78, 55.05]),
    ("decnn-alstm", "res15", [68.32, 71.22, 80.32, 57.25, 55.10]),
    ("decnn-dtrans", "res14", [83.94, 85.60, 80.04, 73.31, 67.25]),
    ("decnn-dtrans", "lap14", [78.38, 78.81, 73.10, 70.63, 56.60]),
    ("decnn-dtrans", "res15", [68.32, 71.22, 82.65, 69.58, 56.28]),
    ("pipeline", "res14", [83.94, 85.60, 79.56, 69.59, 66.53]),
    ("pipeline", "lap14", [78.38, 78.81, 72.29, 68.12, 56.02]),
    ("pipeline", "res15", [68.32, 71.22, 82.27, 59.53, 55.96]),
    ("mnn", "res14", [83.05, 84.55, 77.17, 68.45, 63.87]),
    ("mnn", "lap14", [76.94, 77.77, 70.40, 65.98, 53.80]),
    ("mnn", "res15", [70.24, 69.38, 80.79, 57.90, 56.57]),
    ("inabsa", "res14", [83.92, 84.97, 79.68, 68.38, 66.60]),
    ("inabsa", "lap14", [77.34, 76.62, 72.30, 68.24, 55.88]),
    ("inabsa", "res15", [69.40, 71.43, 82.56, 58.81, 57.38]),
    ("imn-d-wo-de", "res14", [83.95, 85.21, 79.65, 69.32, 66.96]),
    ("imn-d-wo-de", "lap14", [76.96, 76.85, 72.89, 67.26, 56.25]),
    ("imn-d-wo-de", "res15", [69.23, 68.39, 81.64, 57.51, 56.80]),
    ("imn-d", "res14", [84.01, 85.64, 81.56, 71.90, 68.32]),
    ("imn-d", "lap14", [78.46, 78.14, 73.21, 69.92, 57.66]),
    ("imn-d", "res15", [69.80, 72.11, 83.38, 60.65, 57.91]),
    ("imn-wo-de", "res14", [83.50, 84.62, 83.17, 73.44, 69.11]),
    ("imn-wo-de", "lap14", [76.87, 77.04, 74.31, 70.76, 57.04]),
    ("imn-wo-de", "res15", [68.23, 70.09, 85.90, 71.67, 58.82]),
    ("imn", "res14", [83.33, 85.61, 83.89, 75.66, 69.54]),
    ("imn", "lap14", [77.96, 77.51, 75.36, 72.02, 58.37]),
    ("imn", "res15", [70.04, 71.94, 85.64, 71.76, 59.18]),
];

/// F1-I on D1, D2 and D3 of what the ablation and the comparison of numbers of iterations add to the systems above.
const F1_I: [(&str, [f64; 3]); 8] = [
    ("vanilla", [66.66, 55.63, 56.24]),
    ("imn-d-t0", [66.98, 56.03, 56.65]),
    ("imn-d-ds", [68.48, 57.86, 58.03]),
    ("imn-d-dd", [68.65, 57.50, 58.26]),
    ("imn-d-t1", [67.97, 57.14, 57.60]),
    ("imn-d-t3", [68.03, 57.82, 57.66]),
    ("imn-d-t4", [68.11, 57.78, 57.41]),
    ("imn-d-t5", [68.26, 57.33, 57.48]),
];

/// F1-a, acc-s, F1-s, F1-I of the systems that learn without labels of opinions.
const WITHOUT_OPINIONS: [(&str, &str, [f64; 4]); 21] = [
    ("decnn-alstm-wo-op", "res14", [83.33, 77.63, 70.09, 64.32]),
    ("decnn-alstm-wo-op", "lap14", [80.28, 69.98, 66.20, 55.92]),
    ("decnn-alstm-wo-op", "res15", [68.72, 79.22, 54.40, 54.22]),
    ("decnn-dtrans-wo-op", "res14", [83.33, 79.45, 73.08, 66.15]),
    ("decnn-dtrans-wo-op", "lap14", [80.28, 71.51, 68.03, 57.28]),
    ("decnn-dtrans-wo-op", "res15", [68.72, 82.09, 68.35, 56.08]),
    ("pipeline-wo-op", "res14", [83.33, 79.39, 69.45, 65.96]),
    ("pipeline-wo-op", "lap14", [80.28, 72.12, 68.56, 57.29]),
    ("pipeline-wo-op", "res15", [68.72, 81.85, 58.74, 56.04]),
    ("mnn-wo-op", "res14", [83.20, 77.57, 68.19, 64.26]),
    ("mnn-wo-op", "lap14", [76.33, 70.62, 65.44, 53.77]),
    ("mnn-wo-op", "res15", [69.29, 80.86, 55.45, 55.93]),
    ("inabsa-wo-op", "res14", [83.12, 79.06, 68.77, 65.94]),
    ("inabsa-wo-op", "lap14", [77.67, 71.72, 68.36, 55.95]),
    ("inabsa-wo-op", "res15", [68.79, 80.96, 57.10, 55.45]),
    ("imn-d-wo-op", "res14", [83.89, 80.69, 72.09, 67.27]),
    ("imn-d-wo-op", "lap14", [78.43, 72.49, 69.71, 57.13]),
    ("imn-d-wo-op", "res15", [70.35, 81.86, 56.88, 57.86]),
    ("imn-wo-op", "res14", [83.04, 83.05, 73.30, 68.71]),
    ("imn-wo-op", "lap14", [77.69, 75.12, 71.35, 58.04]),
    ("imn-wo-op", "res15", [69.25, 84.53, 70.85, 58.18]),
];

/// Extractors alone: they are those of pipelines.
const EXTRACTORS: [(&str, &str); 2] = [("cmla", "cmla-alstm"), ("decnn", "decnn-alstm")];

/// What the paper reports for a system on a set, in percent: of most systems not everything.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PaperScores {
    /// F1-a.
    pub f1_a: Option<f64>,
    /// F1-o.
    pub f1_o: Option<f64>,
    /// acc-s.
    pub acc_s: Option<f64>,
    /// F1-s by the authors' formula.
    pub f1_s: Option<f64>,
    /// F1-I.
    pub f1_i: Option<f64>,
}

impl PaperScores {
    /// The value of a metric, where the paper has one.
    #[must_use]
    pub const fn get(&self, metric: Metric) -> Option<f64> {
        match metric {
            Metric::F1A => self.f1_a,
            Metric::F1O => self.f1_o,
            Metric::AccS => self.acc_s,
            Metric::F1S => self.f1_s,
            Metric::MacroF1S => None,
            Metric::F1I => self.f1_i,
        }
    }
}

/// What the paper reports for a system on a set, by the names that configurations use.
///
/// ```
/// use imn::results::paper_scores;
/// assert_eq!(paper_scores("imn", "res14").and_then(|paper| paper.f1_i), Some(69.54));
/// assert_eq!(paper_scores("imn", "my-set"), None);
/// ```
#[must_use]
pub fn paper_scores(system: &str, set: &str) -> Option<PaperScores> {
    main(system, set)
        .or_else(|| f1_i_only(system, set))
        .or_else(|| without_opinions(system, set))
        .or_else(|| extractor(system, set))
}

fn main(system: &str, set: &str) -> Option<PaperScores> {
    let (.., scores) = MAIN.iter().find(|row| row.0 == system && row.1 == set)?;
    let [f1_a, f1_o, acc_s, f1_s, f1_i] = scores.map(Some);
    Some(PaperScores {
        f1_a,
        f1_o,
        acc_s,
        f1_s,
        f1_i,
    })
}

fn f1_i_only(system: &str, set: &str) -> Option<PaperScores> {
    let (_, scores) = F1_I.iter().find(|row| row.0 == system)?;
    let set = PAPER_SETS.iter().position(|name| *name == set)?;
    Some(PaperScores {
        f1_i: scores.get(set).copied(),
        ..PaperScores::default()
    })
}

fn without_opinions(system: &str, set: &str) -> Option<PaperScores> {
    let (.., scores) = WITHOUT_OPINIONS
        .iter()
        .find(|row| row.0 == system && row.1 == set)?;
    let [f1_a, acc_s, f1_s, f1_i] = scores.map(Some);
    Some(PaperScores {
        f1_a,
        f1_o: None,
        acc_s,
        f1_s,
        f1_i,
    })
}

fn extractor(system: &str, set: &str) -> Option<PaperScores> {
    let (_, pipeline) = EXTRACTORS.iter().find(|row| row.0 == system)?;
    let PaperScores { f1_a, f1_o, .. } = main(pipeline, set)?;
    Some(PaperScores {
        f1_a,
        f1_o,
        ..PaperScores::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(system: &str, set: &str, metric: Metric) -> Option<f64> {
        paper_scores(system, set).and_then(|scores| scores.get(metric))
    }

    #[test]
    fn a_value_of_every_table() {
        use Metric::{AccS, F1A, F1I, F1O, F1S, MacroF1S};
        for (system, set, metric, expected) in [
            // The main comparison.
            ("cmla-alstm", "res14", F1A, Some(82.45)),
            ("cmla-dtrans", "lap14", F1O, Some(77.33)),
            ("decnn-alstm", "res15", AccS, Some(80.32)),
            ("decnn-dtrans", "res15", F1S, Some(69.58)),
            ("pipeline", "lap14", F1I, Some(56.02)),
            ("mnn", "res15", F1A, Some(70.24)),
            ("inabsa", "lap14", F1O, Some(76.62)),
            ("imn-d-wo-de", "res15", F1O, Some(68.39)),
            ("imn-d", "lap14", F1I, Some(57.66)),
            ("imn-wo-de", "res15", AccS, Some(85.90)),
            ("imn", "res14", F1S, Some(75.66)),
            ("imn", "res14", MacroF1S, None),
            // The ablation.
            ("vanilla", "res15", F1I, Some(56.24)),
            ("imn-d-ds", "lap14", F1I, Some(57.86)),
            ("imn-d-dd", "lap14", F1I, Some(57.50)),
            ("imn-d-dd", "lap14", F1A, None),
            // Both the ablation and the iterations.
            ("imn-d-t0", "res14", F1I, Some(66.98)),
            // The iterations.
            ("imn-d-t1", "lap14", F1I, Some(57.14)),
            ("imn-d-t3", "lap14", F1I, Some(57.82)),
            ("imn-d-t5", "res15", F1I, Some(57.48)),
            // Without labels of opinions.
            ("decnn-alstm-wo-op", "lap14", F1A, Some(80.28)),
            ("pipeline-wo-op", "res15", F1S, Some(58.74)),
            ("imn-d-wo-op", "res15", F1I, Some(57.86)),
            ("imn-wo-op", "lap14", AccS, Some(75.12)),
            ("imn-wo-op", "lap14", F1O, None),
            // Extractors.
            ("decnn", "res14", F1O, Some(85.60)),
            ("cmla", "res15", F1A, Some(68.55)),
            ("cmla", "res15", F1I, None),
        ] {
            assert_eq!(
                value(system, set, metric),
                expected,
                "{system} {set} {metric}"
            );
        }
        assert_eq!(paper_scores("vanilla", "mine"), None);
        assert_eq!(paper_scores("mine", "res14"), None);
    }

    #[test]
    fn a_system_stands_once() {
        let mut names: Vec<(&str, &str)> = MAIN.iter().map(|row| (row.0, row.1)).collect();
        names.extend(WITHOUT_OPINIONS.iter().map(|row| (row.0, row.1)));
        names.extend(
            F1_I.iter()
                .flat_map(|row| PAPER_SETS.map(|set| (row.0, set))),
        );
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        assert!(names.iter().all(|(_, set)| PAPER_SETS.contains(set)));
    }
}
