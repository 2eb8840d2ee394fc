//! By how much do two systems differ over runs with the same seeds? The paired t interval.
//!
//! Runs with the same seed share their split and their initialisation, so the differences dᵢ = aᵢ −
//! bᵢ vary less than the scores. With n differences, mean d̄ and standard deviation s (divisor n −
//! 1), the interval of level c is d̄ ± t · s / √n, where t is the upper (1 − c) / 2 quantile of
//! Student's distribution with n − 1 degrees of freedom.

use serde::{Deserialize, Serialize};

use super::Interval;
use super::student::upper_quantile;

/// Mean of paired differences.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MeanDifference {
    /// Mean difference, in points.
    pub mean: f64,
    /// Interval of the mean; `None` for a single pair.
    pub interval: Option<Interval>,
    /// Number of pairs.
    pub pairs: usize,
}

impl MeanDifference {
    /// Mean and interval of the given level. `None` if there are no differences.
    ///
    /// ```
    /// use imn::eval::MeanDifference;
    /// // t = 4.303 with 2 degrees of freedom; s = 1.
    /// let difference = MeanDifference::of(&[1.0, 2.0, 3.0], 0.95).unwrap();
    /// let interval = difference.interval.unwrap();
    /// assert_eq!(difference.mean, 2.0);
    /// assert!((interval.high - (2.0 + 4.303 / 3_f64.sqrt())).abs() < 1e-3);
    /// ```
    #[must_use]
    pub fn of(differences: &[f64], level: f64) -> Option<Self> {
        let pairs = differences.len();
        if pairs == 0 {
            return None;
        }
        let n = pairs as f64;
        let mean = differences.iter().sum::<f64>() / n;
        let interval = (pairs > 1).then(|| {
            let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
            let error = (squares / (n - 1.0) / n).sqrt();
            let reach = upper_quantile((1.0 - level) / 2.0, n - 1.0) * error;
            Interval {
                low: mean - reach,
                high: mean + reach,
            }
        });
        Some(Self {
            mean,
            interval,
            pairs,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_pairs_by_hand() {
        // d̄ = 1, s² = 2.5, t = 2.776 with 4 degrees: 1 ± 2.776 · √0.5.
        let found = MeanDifference::of(&[-1.0, 0.0, 1.0, 2.0, 3.0], 0.95).unwrap();
        let reach = 2.776_445 * 0.5_f64.sqrt();
        let interval = found.interval.unwrap();
        assert_eq!((found.mean, found.pairs), (1.0, 5));
        assert!((interval.low - (1.0 - reach)).abs() < 1e-5, "{interval:?}");
        assert!((interval.high - (1.0 + reach)).abs() < 1e-5, "{interval:?}");
    }

    #[test]
    fn few_pairs_and_pairs_that_do_not_vary() {
        assert_eq!(MeanDifference::of(&[], 0.95), None);
        let one = MeanDifference::of(&[1.5], 0.95).unwrap();
        assert_eq!((one.mean, one.interval, one.pairs), (1.5, None, 1));
        let same = MeanDifference::of(&[0.5; 3], 0.95).unwrap();
        let interval = Interval {
            low: 0.5,
            high: 0.5,
        };
        assert_eq!(same.interval, Some(interval));
    }
}
