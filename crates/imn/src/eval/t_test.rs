//! Is system A better than system B over runs? The unpaired t-test.
//!
//! With means x̄, ȳ, variances s², u² (divisor n − 1) and n, m runs:
//!
//! - Student: t = (x̄ − ȳ) / √(v (1/n + 1/m)), v = ((n−1)s² + (m−1)u²) / (n+m−2), n + m − 2 degrees
//!   of freedom;
//! - Welch: t = (x̄ − ȳ) / √(s²/n + u²/m), with Satterthwaite's degrees of freedom.
//!
//! The paper says "one-tailed unpaired t-test" without naming the variances. The default is
//! Student's test with a pooled variance, the usual meaning. Welch's test does not assume equal
//! variances.

use serde::{Deserialize, Serialize};

use super::student::upper_tail;

/// Assumption about the two variances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variance {
    /// They are equal (Student's test).
    #[default]
    Pooled,
    /// They may differ (Welch's test).
    Welch,
}

/// The alternative hypothesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tail {
    /// A is greater than B: the paper's one-tailed test.
    #[default]
    Greater,
    /// A is less than B.
    Less,
    /// A and B differ.
    Both,
}

/// Result of a t-test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TTest {
    /// Mean of A minus mean of B.
    pub difference: f64,
    /// The t statistic; infinite if the runs do not vary but the means differ.
    pub t: f64,
    /// Degrees of freedom.
    pub degrees: f64,
    /// The p-value.
    pub p_value: f64,
}

/// Why a t-test is not possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TTestError {
    /// A system has fewer than two runs, so it has no variance.
    #[error("a t-test needs at least two runs of each system; there are {a} and {b}")]
    TooFewRuns {
        /// Number of runs of A.
        a: usize,
        /// Number of runs of B.
        b: usize,
    },
    /// A score is infinite or not a number.
    #[error("a score is not a finite number")]
    NotFinite,
}

/// Compares the scores of the runs of A with those of B.
///
/// ```
/// use imn::eval::{Tail, Variance, t_test};
/// let a = [69.2, 69.8, 69.5, 70.1, 69.1];
/// let b = [66.9, 67.4, 66.5, 67.0, 67.2];
/// let test = t_test(&a, &b, Variance::Pooled, Tail::Greater)?;
/// assert!(test.p_value < 0.05);
/// # Ok::<(), imn::eval::TTestError>(())
/// ```
///
/// # Errors
///
/// If a system has fewer than two runs, or if a score is not finite.
pub fn t_test(a: &[f64], b: &[f64], variance: Variance, tail: Tail) -> Result<TTest, TTestError> {
    if a.len() < 2 || b.len() < 2 {
        return Err(TTestError::TooFewRuns {
            a: a.len(),
            b: b.len(),
        });
    }
    if a.iter().chain(b).any(|score| !score.is_finite()) {
        return Err(TTestError::NotFinite);
    }
    let (n, m) = (a.len() as f64, b.len() as f64);
    let ((mean_a, var_a), (mean_b, var_b)) = (moments(a), moments(b));
    let (share_a, share_b) = (var_a / n, var_b / m);
    let (error, degrees) = match variance {
        Variance::Pooled => {
            let pooled = ((n - 1.0) * var_a + (m - 1.0) * var_b) / (n + m - 2.0);
            ((pooled * (1.0 / n + 1.0 / m)).sqrt(), n + m - 2.0)
        }
        Variance::Welch => {
            let sum = share_a + share_b;
            let below = share_a * share_a / (n - 1.0) + share_b * share_b / (m - 1.0);
            // Without any variance, use the degrees of the smaller side instead of 0 / 0.
            let degrees = if below > 0.0 {
                sum * sum / below
            } else {
                n.min(m) - 1.0
            };
            (sum.sqrt(), degrees)
        }
    };
    let difference = mean_a - mean_b;
    let t = if difference == 0.0 {
        0.0
    } else {
        difference / error
    };
    let p_value = match tail {
        Tail::Greater => upper_tail(t, degrees),
        Tail::Less => upper_tail(-t, degrees),
        Tail::Both => (2.0 * upper_tail(t.abs(), degrees)).min(1.0),
    };
    Ok(TTest {
        difference,
        t,
        degrees,
        p_value,
    })
}

/// Mean and variance with divisor n − 1.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, squares / (n - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 5e-4, "{a} is not {b}");
    }

    #[test]
    fn student_by_hand() {
        // Means 3 and 2, both variances 1, n = m = 3: t = 1 / √(2/3) = 1.2247, 4 degrees.
        let test = t_test(
            &[2.0, 3.0, 4.0],
            &[1.0, 2.0, 3.0],
            Variance::Pooled,
            Tail::Greater,
        )
        .unwrap();
        close(test.t, 1.2247);
        assert_eq!(test.degrees, 4.0);
        // With 4 degrees P(T > t) = ½ − ¾ (s − s³/3) where s = t / √(4 + t²).
        let s = test.t / (4.0 + test.t * test.t).sqrt();
        close(test.p_value, 0.5 - 0.75 * (s - s.powi(3) / 3.0));
    }

    #[test]
    fn welch_by_hand() {
        // Variances 1 and 16, n = m = 3: error² = 17/3,
        // degrees = (17/3)² / ((1/9 + 256/9)/2) = 2·289/257.
        let (a, b) = ([9.0, 10.0, 11.0], [2.0, 6.0, 10.0]);
        let test = t_test(&a, &b, Variance::Welch, Tail::Greater).unwrap();
        close(test.t, 4.0 / (17.0_f64 / 3.0).sqrt());
        close(test.degrees, 578.0 / 257.0);
        let student = t_test(&a, &b, Variance::Pooled, Tail::Greater).unwrap();
        close(student.t, test.t); // equal sizes give the same statistic
        assert!(student.p_value < test.p_value);
    }

    #[test]
    fn tails_belong_together() {
        let (a, b) = ([1.0, 2.0, 4.0], [3.0, 3.5, 5.0, 6.0]);
        let p = |tail| t_test(&a, &b, Variance::Pooled, tail).unwrap().p_value;
        close(p(Tail::Greater) + p(Tail::Less), 1.0);
        close(p(Tail::Both), 2.0 * p(Tail::Less));
    }

    #[test]
    fn runs_that_do_not_vary() {
        for variance in [Variance::Pooled, Variance::Welch] {
            let p = |a: &[f64], b: &[f64]| t_test(a, b, variance, Tail::Greater).unwrap().p_value;
            assert_eq!(p(&[2.0, 2.0], &[1.0, 1.0]), 0.0);
            assert_eq!(p(&[1.0, 1.0], &[2.0, 2.0]), 1.0);
            assert_eq!(p(&[1.0, 1.0], &[1.0, 1.0]), 0.5);
        }
    }

    #[test]
    fn too_few_runs_and_nan_are_errors() {
        let test = |a: &[f64], b: &[f64]| t_test(a, b, Variance::Pooled, Tail::Greater);
        assert_eq!(
            test(&[1.0], &[1.0, 2.0]),
            Err(TTestError::TooFewRuns { a: 1, b: 2 })
        );
        assert_eq!(
            test(&[1.0, f64::NAN], &[1.0, 2.0]),
            Err(TTestError::NotFinite)
        );
    }
}
