//! Is system A better than system B on these sentences?
//!
//! Approximate randomisation (Noreen 1989): if the systems were equal, swapping their outputs on
//! any sentence would change nothing. Each round swaps the counts of each sentence with probability
//! ½ and takes the difference of the scores. The two-sided p-value is (r + 1) / (R + 1), where r of
//! the R rounds have a difference at least as large as the observed one. The test suits F1, which
//! is not a mean over sentences. The interval of the difference is a paired bootstrap, which draws
//! the same sentences for both systems.

use rand::Rng as _;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::random::generator;
use super::{Bootstrap, Counts, Interval, Metric};

/// Comparison of two systems by one metric.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PairedTest {
    /// The compared metric.
    pub metric: Metric,
    /// Score of A minus score of B, in points.
    pub difference: f64,
    /// Interval of the difference; `None` if there were no rounds.
    pub interval: Option<Interval>,
    /// Two-sided p-value of the difference.
    pub p_value: f64,
}

/// Error: the two systems were scored on different numbers of sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{a} sentences were scored for one system and {b} for the other: score both on the same text"
)]
pub struct SentenceCountsDiffer {
    /// Number of sentences of the first system.
    pub a: usize,
    /// Number of sentences of the second system.
    pub b: usize,
}

/// Compares two systems by every metric that both have. `a[i]` and `b[i]` are the counts of the
/// same sentence.
///
/// ```
/// use imn::eval::{Bootstrap, Counts, Matches, paired_test};
///
/// let found = |correct| Counts {
///     sentences: 1,
///     aspects: Matches { gold: 1, predicted: 1, correct },
///     ..Counts::default()
/// };
/// let (a, b) = (vec![found(1); 20], vec![found(0); 20]);
/// let tests = paired_test(&a, &b, &Bootstrap::default())?;
/// assert_eq!(tests[0].difference, 100.0);
/// assert!(tests[0].p_value < 0.01);
/// # Ok::<(), imn::eval::SentenceCountsDiffer>(())
/// ```
///
/// # Errors
///
/// If the numbers of sentences differ.
pub fn paired_test(
    a: &[Counts],
    b: &[Counts],
    settings: &Bootstrap,
) -> Result<Vec<PairedTest>, SentenceCountsDiffer> {
    if a.len() != b.len() {
        return Err(SentenceCountsDiffer {
            a: a.len(),
            b: b.len(),
        });
    }
    let scores = |counts: &[Counts]| counts.iter().sum::<Counts>().scores();
    let (score_a, score_b) = (scores(a), scores(b));
    let exists = |metric| score_a.get(metric).is_some() && score_b.get(metric).is_some();

    let observed = differences(&sum(a.iter()), &sum(b.iter()));
    let swapped = randomise(a, b, settings);
    let drawn = settings.rounds(a.len(), |drawn| {
        let (mut sum_a, mut sum_b) = (Counts::default(), Counts::default());
        for at in drawn {
            sum_a += &a[at];
            sum_b += &b[at];
        }
        differences(&sum_a, &sum_b)
    });
    let intervals = settings.percentiles(&drawn, exists);

    let test = |metric: Metric| {
        let difference = observed[metric as usize];
        // The tolerance counts rounds that differ only by rounding as "at least as large".
        let reached = swapped
            .iter()
            .filter(|round| round[metric as usize].abs() >= difference.abs() - 1e-9)
            .count();
        PairedTest {
            metric,
            difference,
            interval: intervals.get(metric),
            p_value: (reached + 1) as f64 / (swapped.len() + 1) as f64,
        }
    };
    Ok(Metric::ALL
        .into_iter()
        .filter(|&metric| exists(metric))
        .map(test)
        .collect())
}

fn sum<'a>(counts: impl Iterator<Item = &'a Counts>) -> Counts {
    counts.sum()
}

fn differences(a: &Counts, b: &Counts) -> [f64; Metric::ALL.len()] {
    let (a, b) = (a.scores().all(), b.scores().all());
    std::array::from_fn(|at| a[at] - b[at])
}

/// The differences of every round of swapping.
fn randomise(a: &[Counts], b: &[Counts], settings: &Bootstrap) -> Vec<[f64; Metric::ALL.len()]> {
    // Swapping equal counts changes nothing: sum them once and swap only the others.
    let same = sum(a.iter().zip(b).filter(|(a, b)| a == b).map(|(a, _)| a));
    let unequal: Vec<(&Counts, &Counts)> = a.iter().zip(b).filter(|(a, b)| a != b).collect();
    (0..u64::from(settings.resamples))
        .into_par_iter()
        .map(|round| {
            // A different stream from that of the bootstrap, which uses the seed itself.
            let mut random = generator(!settings.seed, round);
            let (mut sum_a, mut sum_b) = (same, same);
            for block in unequal.chunks(64) {
                let mut coins = random.next_u64();
                for &(a, b) in block {
                    let (first, second) = if coins & 1 == 0 { (a, b) } else { (b, a) };
                    coins >>= 1;
                    sum_a += first;
                    sum_b += second;
                }
            }
            differences(&sum_a, &sum_b)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::Matches;
    use super::*;

    fn one(correct: bool) -> Counts {
        let aspects = Matches {
            gold: 1,
            predicted: 1,
            correct: u64::from(correct),
        };
        Counts {
            sentences: 1,
            aspects,
            ..Counts::default()
        }
    }

    fn f1_a(a: &[Counts], b: &[Counts]) -> PairedTest {
        let settings = Bootstrap {
            resamples: 9999,
            ..Bootstrap::default()
        };
        paired_test(a, b, &settings).unwrap()[0]
    }

    #[test]
    fn the_p_value_is_that_of_the_sign_test() {
        // 10 sentences differ, and A is correct in 9 of them. The probability of 9 or more on one
        // side is 2·(1 + 10)/2¹⁰.
        let a: Vec<Counts> = (0..50).map(|at| one(at != 0)).collect();
        let b: Vec<Counts> = (0..50).map(|at| one(at == 0 || at > 9)).collect();
        let test = f1_a(&a, &b);
        assert!((test.difference - 16.0).abs() < 1e-9);
        assert!(
            (test.p_value - 22.0 / 1024.0).abs() < 0.005,
            "{}",
            test.p_value
        );
        let interval = test.interval.unwrap();
        assert!(
            interval.low > 0.0 && interval.low < 16.0 && interval.high > 16.0,
            "{interval:?}"
        );
    }

    #[test]
    fn equal_systems_do_not_differ() {
        let a: Vec<Counts> = (0..20).map(|at| one(at % 3 == 0)).collect();
        let test = f1_a(&a, &a);
        assert_eq!((test.difference, test.p_value), (0.0, 1.0));
    }

    #[test]
    fn the_order_of_the_systems_only_changes_the_sign() {
        let a: Vec<Counts> = (0..40).map(|at| one(at % 4 != 0)).collect();
        let b: Vec<Counts> = (0..40).map(|at| one(at % 5 != 0)).collect();
        let (ab, ba) = (f1_a(&a, &b), f1_a(&b, &a));
        assert_eq!(ab.difference, -ba.difference);
        assert_eq!(ab.p_value, ba.p_value);
    }

    #[test]
    fn different_numbers_of_sentences_are_an_error() {
        let settings = Bootstrap::default();
        assert_eq!(
            paired_test(&[one(true)], &[], &settings),
            Err(SentenceCountsDiffer { a: 1, b: 0 })
        );
    }

    #[test]
    fn only_metrics_that_exist_are_tested() {
        let tests = paired_test(&[one(true)], &[one(false)], &Bootstrap::default()).unwrap();
        assert!(tests.iter().all(|test| test.metric != Metric::F1O));
    }
}
