//! Mean and standard deviation of the scores of several runs.

use std::fmt;

/// Mean and standard deviation of a score over runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The mean.
    pub mean: f64,
    /// The standard deviation (divisor n − 1); a single run has none.
    pub deviation: Option<f64>,
    /// The number of runs.
    pub runs: usize,
}

impl Summary {
    /// Summarizes scores; `None` if there are none.
    ///
    /// ```
    /// use imn_repro::results::Summary;
    /// let of = |scores: &[f64]| Summary::of(scores).map(|summary| summary.to_string());
    /// assert_eq!(of(&[55.0, 57.0]).as_deref(), Some("56.00 ± 1.41"));
    /// assert_eq!(of(&[55.0]).as_deref(), Some("55.00"));
    /// assert_eq!(of(&[]), None);
    /// ```
    #[must_use]
    pub fn of(scores: &[f64]) -> Option<Self> {
        if scores.is_empty() {
            return None;
        }
        let n = scores.len() as f64;
        let mean = scores.iter().sum::<f64>() / n;
        let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
        Some(Self {
            mean,
            deviation: (scores.len() > 1).then(|| (squares / (n - 1.0)).sqrt()),
            runs: scores.len(),
        })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}", self.mean)?;
        match self.deviation {
            None => Ok(()),
            Some(deviation) => write!(f, " ± {deviation:.2}"),
        }
    }
}
