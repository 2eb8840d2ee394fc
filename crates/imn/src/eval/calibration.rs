//! Calibration of confidences: p = σ(a · logit(q) + b).
//!
//! Networks are more confident than they are accurate. a and b are fitted by maximum likelihood
//! (Platt, 1999) on the development split, separately for aspect terms, opinion terms and
//! sentiments. The result is measured by the expected calibration error: the mean distance between
//! confidence and accuracy over ten bins of confidence, weighted by the number of predictions in
//! each bin (Guo et al., 2017).

use serde::{Deserialize, Serialize};

/// A fitted calibration curve.
///
/// ```
/// use imn::eval::Platt;
///
/// // 90 % confident, but correct in half of the cases.
/// let outcomes: Vec<_> = (0..100).map(|i| (0.9, i % 2 == 0)).collect();
/// let curve = Platt::fit(&outcomes);
/// assert!((curve.apply(0.9) - 0.5).abs() < 0.02);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Platt {
    /// Slope; below 1 if the network is overconfident.
    pub a: f64,
    /// Offset.
    pub b: f64,
}

impl Default for Platt {
    /// The identity: confidences stay unchanged.
    fn default() -> Self {
        Self { a: 1.0, b: 0.0 }
    }
}

/// Calibration curves of a model.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Curve of aspect terms.
    pub aspects: Platt,
    /// Curve of opinion terms.
    pub opinions: Platt,
    /// Curve of the sentiments of aspects.
    pub sentiments: Platt,
    /// Curve of the sentiments of texts.
    pub texts: Platt,
}

/// Confidence of a prediction, and whether it is correct.
pub type Outcome = (f32, bool);

/// Outcomes of the predictions on annotated text.
///
/// ```
/// use imn::eval::{Calibration, Outcomes};
///
/// // 90 % confident, but correct in half of the cases.
/// let aspects = (0..100).map(|i| (0.9, i % 2 == 0)).collect();
/// let outcomes = Outcomes { aspects, ..Outcomes::default() };
/// let calibrated = outcomes.calibrated(&Calibration::fit(&outcomes));
/// assert!(outcomes.errors().aspects.unwrap() > 0.39);
/// assert!(calibrated.errors().aspects.unwrap() < 0.02);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcomes {
    /// One per predicted aspect term, correct if the annotation has exactly this span.
    pub aspects: Vec<Outcome>,
    /// One per predicted opinion term.
    pub opinions: Vec<Outcome>,
    /// One per sentiment of a correctly extracted aspect that is not *conflict*.
    pub sentiments: Vec<Outcome>,
    /// One per sentiment of a text.
    pub texts: Vec<Outcome>,
}

/// Expected calibration error of each kind of prediction, 0 to 1; `None` if there was none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Default)]
pub struct CalibrationErrors {
    /// Error of aspect terms.
    pub aspects: Option<f64>,
    /// Error of opinion terms.
    pub opinions: Option<f64>,
    /// Error of the sentiments of aspects.
    pub sentiments: Option<f64>,
    /// Error of the sentiments of texts.
    pub texts: Option<f64>,
}

impl Outcomes {
    /// Appends other outcomes.
    pub fn add(&mut self, others: Self) {
        self.aspects.extend(others.aspects);
        self.opinions.extend(others.opinions);
        self.sentiments.extend(others.sentiments);
        self.texts.extend(others.texts);
    }

    /// Expected calibration errors.
    #[must_use]
    pub fn errors(&self) -> CalibrationErrors {
        CalibrationErrors {
            aspects: calibration_error(&self.aspects),
            opinions: calibration_error(&self.opinions),
            sentiments: calibration_error(&self.sentiments),
            texts: calibration_error(&self.texts),
        }
    }

    /// The same outcomes with calibrated confidences.
    #[must_use]
    pub fn calibrated(&self, curves: &Calibration) -> Self {
        let apply = |curve: Platt, outcomes: &[Outcome]| {
            outcomes
                .iter()
                .map(|&(confidence, correct)| (curve.apply(confidence), correct))
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
    /// Fits all curves by maximum likelihood.
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
    /// The calibrated confidence: the expected accuracy at this confidence.
    #[must_use]
    pub fn apply(self, confidence: f32) -> f32 {
        sigmoid(self.a * logit(confidence) + self.b) as f32
    }

    /// Fits the curve by maximum likelihood. A weak prior towards the identity keeps it from
    /// becoming steep when there are few outcomes.
    #[must_use]
    pub fn fit(outcomes: &[Outcome]) -> Self {
        const PRIOR: f64 = 1.0;
        const STEPS: usize = 50;
        let mut curve = Self::default();
        if outcomes.is_empty() {
            return curve;
        }
        // Newton's method: a convex problem in two parameters.
        for _ in 0..STEPS {
            let (mut ga, mut gb) = (PRIOR * (curve.a - 1.0), PRIOR * curve.b);
            let (mut haa, mut hab, mut hbb) = (PRIOR, 0.0, PRIOR);
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
            // Limit the steps: far from the solution, the curvature is unreliable.
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

    /// An overconfident network: its accuracy is half as far from ½ as its confidence.
    fn overconfident() -> Vec<Outcome> {
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
        let before = overconfident();
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
