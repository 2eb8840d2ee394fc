//! θ̄ ← θ̄ + (θ − θ̄) · max(1/k, 1/n) at the k-th update: a mean of the weights over about the last n updates.
//!
//! Scores on the development split jump by a point or more from epoch to epoch, because the weights keep circling around what they have
//! found. Their mean lies nearer to the middle and is steadier (Polyak and Juditsky, 1992; Izmailov et al., 2018).

use imn_nn::Params;
use rayon::prelude::*;

/// Steps between two updates: the weights change little meanwhile, and a mean over the whole table of vectors takes time.
const EVERY: u64 = 8;

/// A running mean of the weights.
#[derive(Debug, Clone)]
pub struct Average {
    /// θ̄
    pub params: Params<f32>,
    /// k: updates so far.
    pub updates: u64,
}

impl Average {
    /// The mean of nothing yet, with the shapes of these weights.
    #[must_use]
    pub fn new(params: &Params<f32>) -> Self {
        Self {
            params: params.clone(),
            updates: 0,
        }
    }

    /// Takes the weights after a step in, where it is the step's turn. `horizon` is how many steps the mean reaches back.
    pub fn see(&mut self, params: &Params<f32>, step: u64, horizon: f64) {
        if !step.is_multiple_of(EVERY) {
            return;
        }
        self.updates += 1;
        let share = (EVERY as f64 / horizon).max(1.0 / self.updates as f64);
        let share = share.min(1.0) as f32;
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

#[cfg(test)]
mod tests {
    use super::{Average, EVERY};
    use imn_nn::Params;

    #[test]
    fn a_mean_at_first_and_then_the_last_updates_weigh_most() {
        let mut params = Params::new();
        let id = params.add("weight", &[1], vec![0.0_f32]);
        let mut average = Average::new(&params);
        let mean = |average: &Average| average.params.get(id).data()[0];
        let mut see = |average: &mut Average, value: f32, step: u64| {
            params.get_mut(id).data_mut()[0] = value;
            average.see(&params, step, 4.0 * EVERY as f64);
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
