//! Means of weights, over steps and with the initial weights.
//!
//! The first: θ̄ ← θ̄ + (θ − θ̄) · max(1/k, 1/n) at the k-th update, a mean of the weights
//! over about the last n updates.
//!
//! Scores on the development split vary by a point or more from epoch to epoch, because the weights
//! keep moving around a minimum. Their mean is closer to the minimum and varies less (Polyak and
//! Juditsky, 1992; Izmailov et al., 2018).
//!
//! The second: s · θ₀ + (1 − s) · θ, where training began at θ₀. A network that is trained further
//! gains on what the new data teaches and loses elsewhere. The mean keeps most of both (Wortsman et
//! al., 2022).

use imn_nn::Params;
use rayon::prelude::*;

/// Steps between two updates. The weights change little in between, and an update of the whole
/// embedding table takes time.
const EVERY: u64 = 8;

/// A running mean of the weights.
#[derive(Debug, Clone)]
pub struct Average {
    /// θ̄
    pub params: Params<f32>,
    /// k: number of updates.
    pub updates: u64,
}

impl Average {
    /// An average without updates, with the shapes of these weights.
    #[must_use]
    pub fn new(params: &Params<f32>) -> Self {
        Self {
            params: params.clone(),
            updates: 0,
        }
    }

    /// Updates the average with the weights after a step, at every [`EVERY`]-th step. The average
    /// covers about the last `horizon` steps.
    pub fn update(&mut self, params: &Params<f32>, step: u64, horizon: f64) {
        if !step.is_multiple_of(EVERY) {
            return;
        }
        self.updates += 1;
        let exponential = EVERY as f64 / horizon;
        let share = exponential.max(1.0 / self.updates as f64).min(1.0) as f32;
        for (id, now) in params.iter() {
            const CHUNK: usize = 1 << 14;
            self.params
                .get_mut(id)
                .data_mut()
                .par_chunks_mut(CHUNK)
                .zip(now.data().par_chunks(CHUNK))
                .for_each(|(mean, now)| {
                    for (mean, &now) in mean.iter_mut().zip(now) {
                        *mean += (now - *mean) * share;
                    }
                });
        }
    }
}

/// s · θ₀ + (1 − s) · θ.
#[must_use]
pub fn mean_with_initial(initial: &Params<f32>, share: f64, params: &Params<f32>) -> Params<f32> {
    let mut mean = params.clone();
    let share = share as f32;
    for (id, initial) in initial.iter() {
        let trained = mean.get_mut(id).data_mut();
        for (value, &initial) in trained.iter_mut().zip(initial.data()) {
            *value = share * initial + (1.0 - share) * *value;
        }
    }
    mean
}

#[cfg(test)]
mod tests {
    use super::{Average, EVERY, mean_with_initial};
    use imn_nn::Params;

    #[test]
    fn the_initial_weights_have_their_share() {
        let weight = |value: f32| {
            let mut params = Params::new();
            params.add("weight", &[2], vec![value, -value]);
            params
        };
        let mean = mean_with_initial(&weight(4.0), 0.25, &weight(8.0));
        let values: Vec<f32> = mean.iter().flat_map(|(_, t)| t.data().to_vec()).collect();
        assert_eq!(values, [7.0, -7.0]);
    }

    #[test]
    fn the_first_updates_have_equal_weight_and_later_the_last_ones_count_most() {
        let mut params = Params::new();
        let id = params.add("weight", &[1], vec![0.0_f32]);
        let mut average = Average::new(&params);
        let mean = |average: &Average| average.params.get(id).data()[0];
        let mut see = |average: &mut Average, value: f32, step: u64| {
            params.get_mut(id).data_mut()[0] = value;
            average.update(&params, step, 4.0 * EVERY as f64);
        };
        see(&mut average, 8.0, 1);
        assert_eq!((mean(&average), average.updates), (0.0, 0));
        for (i, value) in [8.0, 4.0, 0.0, 8.0].into_iter().enumerate() {
            see(&mut average, value, (i as u64 + 1) * EVERY);
        }
        assert!((mean(&average) - 5.0).abs() < 1e-6);
        see(&mut average, 1.0, 5 * EVERY);
        assert!((mean(&average) - 4.0).abs() < 1e-6);
        for i in 6..60 {
            see(&mut average, 2.0, i * EVERY);
        }
        assert!((mean(&average) - 2.0).abs() < 1e-5);
    }
}
