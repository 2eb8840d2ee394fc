//! The scores that the paper reports, in percent: means of five runs on the test sets, from its
//! four tables of scores. The paper's F1-s follows the authors' formula.

use imn::eval::Metric;

use super::find;
use crate::sets::PaperSet;

/// The number of runs behind each of the paper's means.
pub const PAPER_RUNS: usize = 5;

/// The paper's values for one system on D1, D2 and D3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PaperValues {
    /// The paper does not report the system.
    None,
    /// F1-a, F1-o, acc-s, F1-s, F1-I.
    All([[f64; 5]; 3]),
    /// F1-I only, in the ablation and the table of iterations.
    F1I([f64; 3]),
    /// F1-a, acc-s, F1-s, F1-I, for systems trained without opinion labels.
    WithoutOpinions([[f64; 4]; 3]),
    /// F1-a and F1-o of a pipeline, which are those of its extractor.
    ExtractorOf(&'static str),
}

impl PaperValues {
    /// The value of a metric on a set, if the paper reports one.
    ///
    /// ```
    /// use imn::eval::Metric;
    /// use imn_repro::registry::find;
    /// use imn_repro::sets::PaperSet;
    ///
    /// let imn = find("imn").unwrap();
    /// assert_eq!(imn.paper.get(PaperSet::Res14, Metric::F1I), Some(69.54));
    /// assert_eq!(imn.paper.get(PaperSet::Res14, Metric::MacroF1S), None);
    /// ```
    #[must_use]
    pub fn get(&self, set: PaperSet, metric: Metric) -> Option<f64> {
        let row = set as usize;
        match self {
            Self::None => None,
            Self::All(rows) => {
                let [f1_a, f1_o, acc_s, f1_s, f1_i] = rows[row];
                match metric {
                    Metric::F1A => Some(f1_a),
                    Metric::F1O => Some(f1_o),
                    Metric::AccS => Some(acc_s),
                    Metric::F1S => Some(f1_s),
                    Metric::MacroF1S => None,
                    Metric::F1I => Some(f1_i),
                }
            }
            Self::F1I(values) => (metric == Metric::F1I).then_some(values[row]),
            Self::WithoutOpinions(rows) => {
                let [f1_a, acc_s, f1_s, f1_i] = rows[row];
                match metric {
                    Metric::F1A => Some(f1_a),
                    Metric::AccS => Some(acc_s),
                    Metric::F1S => Some(f1_s),
                    Metric::F1I => Some(f1_i),
                    Metric::F1O | Metric::MacroF1S => None,
                }
            }
            Self::ExtractorOf(pipeline) => match metric {
                Metric::F1A | Metric::F1O => find(pipeline)?.paper.get(set, metric),
                Metric::AccS | Metric::F1S | Metric::MacroF1S | Metric::F1I => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_every_table() {
        use Metric::{AccS, F1A, F1I, F1O, F1S, MacroF1S};
        use PaperSet::{Lap14, Res14, Res15};
        for (system, set, metric, expected) in [
            // The main comparison.
            ("cmla-alstm", Res14, F1A, Some(82.45)),
            ("cmla-dtrans", Lap14, F1O, Some(77.33)),
            ("decnn-alstm", Res15, AccS, Some(80.32)),
            ("decnn-dtrans", Res15, F1S, Some(69.58)),
            ("pipeline", Lap14, F1I, Some(56.02)),
            ("mnn", Res15, F1A, Some(70.24)),
            ("inabsa", Lap14, F1O, Some(76.62)),
            ("imn-no-docs-wo-de", Res15, F1O, Some(68.39)),
            ("imn-no-docs", Lap14, F1I, Some(57.66)),
            ("imn-wo-de", Res15, AccS, Some(85.90)),
            ("imn", Res14, F1S, Some(75.66)),
            ("imn", Res14, MacroF1S, None),
            // The ablation.
            ("vanilla", Res15, F1I, Some(56.24)),
            ("imn-ds", Lap14, F1I, Some(57.86)),
            ("imn-ds-dd", Lap14, F1I, Some(57.50)),
            ("imn-ds-dd", Lap14, F1A, None),
            // Both the ablation and the iterations.
            ("imn-no-docs-t0", Res14, F1I, Some(66.98)),
            // The iterations.
            ("imn-no-docs-t1", Lap14, F1I, Some(57.14)),
            ("imn-no-docs-t3", Lap14, F1I, Some(57.82)),
            ("imn-no-docs-t5", Res15, F1I, Some(57.48)),
            // Without labels of opinions.
            ("decnn-alstm-wo-op", Lap14, F1A, Some(80.28)),
            ("pipeline-wo-op", Res15, F1S, Some(58.74)),
            ("imn-no-docs-wo-op", Res15, F1I, Some(57.86)),
            ("imn-wo-op", Lap14, AccS, Some(75.12)),
            ("imn-wo-op", Lap14, F1O, None),
            // Extractors.
            ("decnn", Res14, F1O, Some(85.60)),
            ("cmla", Res15, F1A, Some(68.55)),
            ("cmla", Res15, F1I, None),
        ] {
            let value = find(system).unwrap().paper.get(set, metric);
            assert_eq!(value, expected, "{system} {set} {metric}");
        }
        // No table reports a classifier on its own.
        assert_eq!(find("alstm").unwrap().paper.get(Res14, F1I), None);
    }
}
