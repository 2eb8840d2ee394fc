//! p = σ(a · logit(q) + b): from how sure the network is to how often it is right.
//!
//! Networks are surer than they are right. a and b are fitted by maximum likelihood (Platt, 1999) on the development split, apart for aspect
//! terms, opinion terms and sentiments. Whether it worked is told by the expected calibration error: over ten bins of confidence, the mean
//! distance between confidence and accuracy, weighted by how many fall into a bin (Guo et al., 2017).

use serde::{Deserialize, Serialize};

/// A fitted curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Platt {
    /// The slope; below 1 where the network is too sure.
    pub a: f64,
    /// The shift.
    pub b: f64,
}

impl Default for Platt {
    /// Confidence as the network gives it.
    fn default() -> Self {
        Self { a: 1.0, b: 0.0 }
    }
}

/// The curves of a model.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Of aspect terms.
    pub aspects: Platt,
    /// Of opinion terms.
    pub opinions: Platt,
    /// Of the sentiments of aspects.
    pub sentiments: Platt,
    /// Of the sentiments of texts.
    pub texts: Platt,
}

/// How sure the network was, and whether it was right.
pub type Outcome = (f32, bool);

/// What a network said of annotated text, and whether it was right.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcomes {
    /// Of every aspect term that it found: whether the annotation has just these words.
    pub aspects: Vec<Outcome>,
    /// Of every opinion term.
    pub opinions: Vec<Outcome>,
    /// Of the sentiment of every aspect that it found rightly, *conflict* left out.
    pub sentiments: Vec<Outcome>,
    /// Of the sentiment of every text.
    pub texts: Vec<Outcome>,
}

/// The expected calibration error of each kind of outcome, 0 to 1; `None` where there was none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Default)]
pub struct CalibrationErrors {
    /// Of aspect terms.
    pub aspects: Option<f64>,
    /// Of opinion terms.
    pub opinions: Option<f64>,
    /// Of the sentiments of aspects.
    pub sentiments: Option<f64>,
    /// Of the sentiments of texts.
    pub texts: Option<f64>,
}

impl Outcomes {
    /// Takes others in.
    pub fn add(&mut self, others: Self) {
        self.aspects.extend(others.aspects);
        self.opinions.extend(others.opinions);
        self.sentiments.extend(others.sentiments);
        self.texts.extend(others.texts);
    }

    /// How far confidence and accuracy are apart.
    #[must_use]
    pub fn errors(&self) -> CalibrationErrors {
        CalibrationErrors {
            aspects: calibration_error(&self.aspects),
            opinions: calibration_error(&self.opinions),
            sentiments: calibration_error(&self.sentiments),
            texts: calibration_error(&self.texts),
        }
    }

    /// The same with confidences that `curves` have passed.
    #[must_use]
    pub fn calibrated(&self, curves: &Calibration) -> Self {
        let apply = |curve: Platt, outcomes: &[Outcome]| {
            let outcomes = outcomes.iter();
            outcomes
                .map(|&(sure, right)| (curve.apply(sure), right))
                .collect()
        };
        Self {
            aspects: apply(curves.aspects, &self.aspects),
            opinions: apply(curves.opinions, &self.opinions),
            sentiments: apply(curves.sentiments, &self.sentiments),
            texts: apply(curves.texts, &self.texts),
        }
    }
}

impl Calibration {
    /// The likeliest curves.
    #[must_use]
    pub fn fit(outcomes: &Outcomes) -> Self {
        Self {
            aspects: Platt::fit(&outcomes.aspects),
            opinions: Platt::fit(&outcomes.opinions),
            sentiments: Platt::fit(&outcomes.sentiments),
            texts: Platt::fit(&outcomes.texts),
        }
    }
}

impl Platt {
    /// How often the network is right where it is so sure.
    #[must_use]
    pub fn apply(self, confidence: f32) -> f32 {
        sigmoid(self.a * logit(confidence) + self.b) as f32
    }

    /// The likeliest curve, with a little pull towards no change so that few outcomes do not make it steep.
    #[must_use]
    pub fn fit(outcomes: &[Outcome]) -> Self {
        const PULL: f64 = 1.0;
        const STEPS: usize = 50;
        let mut curve = Self::default();
        if outcomes.is_empty() {
            return curve;
        }
        // Newton's method: two numbers, convex.
        for _ in 0..STEPS {
            let (mut ga, mut gb) = (PULL * (curve.a - 1.0), PULL * curve.b);
            let (mut haa, mut hab, mut hbb) = (PULL, 0.0, PULL);
            for &(confidence, right) in outcomes {
                let x = logit(confidence);
                let p = sigmoid(curve.a * x + curve.b);
                let error = p - f64::from(u8::from(right));
                let curvature = p * (1.0 - p);
                ga += error * x;
                gb += error;
                haa += curvature * x * x;
                hab += curvature * x;
                hbb += curvature;
            }
            let determinant = haa * hbb - hab * hab;
            let (da, db) = (
                (hbb * ga - hab * gb) / determinant,
                (haa * gb - hab * ga) / determinant,
            );
            // Steps are held short: far from the solution the curvature tells little.
            let scale = 1.0 / (da.abs().max(db.abs())).max(1.0);
            curve.a -= scale * da;
            curve.b -= scale * db;
            if da.abs().max(db.abs()) < 1e-9 {
                break;
            }
        }
        curve
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn logit(p: f32) -> f64 {
    let p = f64::from(p).clamp(1e-6, 1.0 - 1e-6);
    (p / (1.0 - p)).ln()
}

/// The expected calibration error over ten bins, 0 to 1; `None` without outcomes.
#[must_use]
fn calibration_error(outcomes: &[Outcome]) -> Option<f64> {
    const BINS: usize = 10;
    let mut bins = [(0.0, 0.0, 0.0); BINS];
    for &(confidence, right) in outcomes {
        let at = ((f64::from(confidence) * BINS as f64) as usize).min(BINS - 1);
        let (count, sure, correct) = &mut bins[at];
        *count += 1.0;
        *sure += f64::from(confidence);
        *correct += f64::from(u8::from(right));
    }
    let total: f64 = bins.iter().map(|bin| bin.0).sum();
    let off: f64 = bins
        .iter()
        .map(|(_, sure, correct)| (sure - correct).abs())
        .sum();
    (total > 0.0).then(|| off / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A network that is right half as far from ½ as it says.
    fn too_sure() -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        for i in 0..2000_u32 {
            let confidence = 0.5 + 0.5 * (i % 100) as f32 / 100.0;
            let really = 0.5 + (confidence - 0.5) / 2.0;
            outcomes.push((confidence, (i / 100) as f32 / 20.0 < really));
        }
        outcomes
    }

    #[test]
    fn a_curve_brings_confidence_to_accuracy() {
        let before = too_sure();
        let curve = Platt::fit(&before);
        assert!(curve.a < 1.0, "{curve:?}");
        let after: Vec<Outcome> = before
            .iter()
            .map(|&(c, right)| (curve.apply(c), right))
            .collect();
        let (before, after) = (
            calibration_error(&before).unwrap(),
            calibration_error(&after).unwrap(),
        );
        assert!(before > 0.1 && after < 0.04, "{before} {after}");
    }

    #[test]
    fn certain_and_one_sided_outcomes_stay_finite() {
        for outcomes in [
            vec![(1.0, true); 50],
            vec![(1.0, false); 50],
            vec![(0.0, true)],
        ] {
            let curve = Platt::fit(&outcomes);
            assert!(curve.a.is_finite() && curve.b.is_finite(), "{curve:?}");
            assert!((0.0..=1.0).contains(&curve.apply(0.7)));
        }
        assert_eq!(Platt::fit(&[]), Platt::default());
        assert_eq!(calibration_error(&[]), None);
    }

    #[test]
    fn the_error_is_the_distance_of_confidence_and_accuracy() {
        let outcomes = [(0.95, true), (0.95, false), (0.55, true), (0.55, true)];
        // Bins: |0.95 · 2 − 1| = 0.9, |0.55 · 2 − 2| = 0.9, over 4.
        assert!((calibration_error(&outcomes).unwrap() - 0.45).abs() < 1e-6);
    }
}
