//! Confidence intervals by the percentile bootstrap over sentences.
//!
//! Each round draws as many sentences as there are, with replacement, and computes the scores of
//! their summed counts. The interval of a metric contains the middle `level` of its values.
//! Sentences are drawn, not aspects, because the aspects of one sentence are not independent.

use std::collections::BTreeMap;

use rand::RngExt as _;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::random::generator;
use super::{Counts, Metric};

/// Settings of the bootstrap.
///
/// ```
/// use imn::eval::{Bootstrap, Counts, Matches, Metric};
///
/// let found = |correct| Counts {
///     sentences: 1,
///     aspects: Matches { gold: 1, predicted: 1, correct },
///     ..Counts::default()
/// };
/// let sentences = [found(1), found(1), found(1), found(0)];
/// let interval = Bootstrap::default().intervals(&sentences).get(Metric::F1A).unwrap();
/// assert!(interval.low < 75.0 && 75.0 < interval.high);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bootstrap {
    /// Number of rounds. 0 disables intervals.
    pub resamples: u32,
    /// Share of the values inside the interval.
    pub level: f64,
    /// Seed. The intervals do not depend on the number of threads.
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Self {
            resamples: 2000,
            level: 0.95,
            seed: 1,
        }
    }
}

/// A confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// One interval per metric, in percent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Intervals(BTreeMap<Metric, Interval>);

impl Intervals {
    /// The interval of a metric; `None` if the metric does not exist or there were no rounds.
    #[must_use]
    pub fn get(&self, metric: Metric) -> Option<Interval> {
        self.0.get(&metric).copied()
    }
}

impl Bootstrap {
    /// Computes the intervals of all metrics from the counts of each sentence.
    #[must_use]
    pub fn intervals(&self, sentences: &[Counts]) -> Intervals {
        let rounds = self.rounds(sentences.len(), |drawn| {
            let mut sum = Counts::default();
            for at in drawn {
                sum += &sentences[at];
            }
            sum.scores().all()
        });
        let total: Counts = sentences.iter().sum();
        let scores = total.scores();
        self.percentiles(&rounds, |metric| scores.get(metric).is_some())
    }

    /// The values of every round. `value` is called with the drawn indices, each below `length`.
    pub(super) fn rounds(
        &self,
        length: usize,
        value: impl Fn(&mut dyn Iterator<Item = usize>) -> [f64; Metric::ALL.len()] + Sync,
    ) -> Vec<[f64; Metric::ALL.len()]> {
        if length == 0 {
            return Vec::new();
        }
        (0..u64::from(self.resamples))
            .into_par_iter()
            .map(|round| {
                let mut random = generator(self.seed, round);
                value(&mut (0..length).map(|_| random.random_range(0..length)))
            })
            .collect()
    }

    /// The middle `level` of the values of all rounds, for the metrics that exist.
    pub(super) fn percentiles(
        &self,
        rounds: &[[f64; Metric::ALL.len()]],
        exists: impl Fn(Metric) -> bool,
    ) -> Intervals {
        if rounds.is_empty() {
            return Intervals::default();
        }
        let tail = (1.0 - self.level.clamp(0.0, 1.0)) / 2.0;
        let interval = |metric: Metric| {
            let mut values: Vec<f64> = rounds.iter().map(|round| round[metric as usize]).collect();
            values.sort_unstable_by(f64::total_cmp);
            let (low, high) = (quantile(&values, tail), quantile(&values, 1.0 - tail));
            (metric, Interval { low, high })
        };
        Intervals(
            Metric::ALL
                .into_iter()
                .filter(|&metric| exists(metric))
                .map(interval)
                .collect(),
        )
    }
}

/// The `q`-quantile of sorted values, with linear interpolation; 0 if there are no values.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * sorted.len().saturating_sub(1) as f64;
    let (below, above) = (at.floor() as usize, at.ceil() as usize);
    match (sorted.get(below), sorted.get(above)) {
        (Some(low), Some(high)) => low + (high - low) * at.fract(),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Matches;
    use super::*;

    /// `right` sentences with one aspect found, `wrong` with one missed and a false one.
    fn sentences(right: usize, wrong: usize) -> Vec<Counts> {
        let hit = Matches {
            gold: 1,
            predicted: 1,
            correct: 1,
        };
        let miss = Matches {
            gold: 1,
            predicted: 1,
            correct: 0,
        };
        let of = |aspects| Counts {
            sentences: 1,
            aspects,
            ..Counts::default()
        };
        [vec![of(hit); right], vec![of(miss); wrong]].concat()
    }

    #[test]
    fn a_proportion_gets_its_binomial_interval() {
        // F1 is here the share of correct sentences: mean 80, standard deviation
        // 100·√(0.8·0.2/400) = 2.
        let bootstrap = Bootstrap {
            resamples: 4000,
            ..Bootstrap::default()
        };
        let interval = bootstrap
            .intervals(&sentences(320, 80))
            .get(Metric::F1A)
            .unwrap();
        assert!(
            (interval.low - (80.0 - 1.96 * 2.0)).abs() < 0.5,
            "{interval:?}"
        );
        assert!(
            (interval.high - (80.0 + 1.96 * 2.0)).abs() < 0.5,
            "{interval:?}"
        );
    }

    #[test]
    fn threads_do_not_matter_and_seeds_do() {
        let data = sentences(30, 20);
        let bootstrap = Bootstrap {
            resamples: 500,
            ..Bootstrap::default()
        };
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| bootstrap.intervals(&data))
        };
        assert_eq!(on(1), on(3));
        let other = Bootstrap {
            seed: 2,
            ..bootstrap
        }
        .rounds(data.len(), |drawn| [drawn.sum::<usize>() as f64; 6]);
        let same = bootstrap.rounds(data.len(), |drawn| [drawn.sum::<usize>() as f64; 6]);
        assert_ne!(other, same);
    }

    #[test]
    fn no_sentences_or_no_rounds_no_interval() {
        assert_eq!(Bootstrap::default().intervals(&[]), Intervals::default());
        let none = Bootstrap {
            resamples: 0,
            ..Bootstrap::default()
        };
        assert_eq!(none.intervals(&sentences(3, 1)), Intervals::default());
    }

    #[test]
    fn a_metric_that_does_not_exist_has_no_interval() {
        let intervals = Bootstrap::default().intervals(&sentences(3, 1));
        assert!(intervals.get(Metric::F1A).is_some());
        assert!(intervals.get(Metric::F1O).is_none());
    }

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.5), 2.0);
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert_eq!(quantile(&[7.0], 0.025), 7.0);
        assert_eq!(quantile(&[], 0.5), 0.0);
    }
}
