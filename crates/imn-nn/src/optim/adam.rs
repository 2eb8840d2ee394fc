//! m ← β₁ m + (1 − β₁) g, v ← β₂ v + (1 − β₂) g², θ ← θ − lr · m̂ / (√v̂ + ε), with
//! m̂ = m / (1 − β₁ᵗ) and v̂ = v / (1 − β₂ᵗ).
//!
//! With weight decay λ (see [`Group`](super::Group)), θ is first multiplied by 1 − lr · λ: AdamW
//! (Loshchilov and Hutter 2019).
//!
//! `t` is counted per parameter, unless [`StepCount`] says otherwise. A parameter without a
//! gradient in a step (frozen, or not used) keeps its value, moments and count.
//!
//! **Rows of a table.** A table that was looked up has gradients for the touched rows only. Those
//! rows are updated as above, where `t` counts the steps in which any row of the table was touched.
//! [`UntouchedRows`] says what happens to the others. Weight decay applies to the touched rows
//! only.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Groups;
use super::state::Moments;
use crate::engine::with_helpers;
use crate::{Gradient, Grads, ParamId, Params, Result, RowGradient, Scalar};

/// Settings of Adam.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdamConfig {
    /// β₁, decay of the mean of the gradient.
    pub beta1: f64,
    /// β₂, decay of the mean of the squared gradient.
    pub beta2: f64,
    /// ε
    pub epsilon: f64,
    /// Maximum norm of the gradient over all parameters; a larger gradient is scaled down to it.
    pub clip_norm: Option<f64>,
    /// Factor on the learning rate of tables that are looked up.
    pub table_rate: f64,
    /// What happens to the rows of a table that have no gradient in a step.
    pub untouched_rows: UntouchedRows,
    /// What `t` counts.
    pub step_count: StepCount,
}

/// What `t` counts in the correction of the moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepCount {
    /// The steps of this Adam in which the parameter had a gradient.
    #[default]
    PerParameter,
    /// All steps, also those of another Adam for the same parameters, as in Keras, where models
    /// that share an optimizer have separate moments and one count. An Adam that starts late has
    /// almost no correction. Its v is small at first, so that its first steps are up to 6.6 times
    /// as long, and those after a thousand steps still a quarter longer.
    AllSteps,
}

impl StepCount {
    /// Whether it is the default.
    #[must_use]
    pub fn is_per_parameter(&self) -> bool {
        *self == Self::PerParameter
    }
}

/// What happens to the rows of a table that have no gradient in a step.
///
/// This matters for rare rows. If a row is touched once in a long while, m = 0.1 g and
/// v = 0.001 g², so that the step of its gradient moves it by 3 learning rates. The momentum that
/// remains moves it nine times as far in the steps after that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UntouchedRows {
    /// Their values and moments stay the same. PyTorch calls this `SparseAdam`. The cost of a step
    /// does not depend on the size of the table.
    #[default]
    Keep,
    /// They continue to move by their momentum, as with Adam on a dense gradient that has zeros for
    /// them. The momentum halves every seven steps; after [`MOVING_STEPS`] it is negligible, and
    /// the row rests until it is touched again.
    Move,
}

impl UntouchedRows {
    /// Whether it is the default.
    #[must_use]
    pub fn is_keep(&self) -> bool {
        *self == Self::Keep
    }
}

/// Steps after which an untouched row rests: 0.9¹⁵⁰ < 2 · 10⁻⁷.
pub const MOVING_STEPS: u64 = 150;

impl Default for AdamConfig {
    fn default() -> Self {
        Self {
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            clip_norm: None,
            table_rate: 1.0,
            untouched_rows: UntouchedRows::Keep,
            step_count: StepCount::PerParameter,
        }
    }
}

/// The result of [`Adam::step`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReport {
    /// Norm of the gradient before clipping.
    pub norm: f64,
    /// Whether it was clipped.
    pub clipped: bool,
}

/// Adam with bias correction.
#[derive(Debug, Clone)]
pub struct Adam<S> {
    config: AdamConfig,
    groups: Groups,
    pub(super) moments: Vec<Moments<S>>,
}

/// The update of one parameter in one step.
#[derive(Clone, Copy)]
struct Rule<S> {
    beta1: S,
    beta2: S,
    /// 1 − lr · λ
    keep: S,
    /// lr / (1 − β₁ᵗ)
    rate: S,
    /// 1 / √(1 − β₂ᵗ)
    root: S,
    epsilon: S,
    /// Factor on the gradient from clipping.
    scale: S,
}

/// A rule and the values that it changes, compiled for the vector instructions of the machine.
struct Update<'a, S> {
    rule: Rule<S>,
    theta: &'a mut [S],
    mean: &'a mut [S],
    square: &'a mut [S],
    grad: &'a [S],
}

impl<S: Scalar> WithSimd for Update<'_, S> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: Simd>(self, _: V) {
        let (rule, one) = (self.rule, S::one());
        let state = self
            .theta
            .iter_mut()
            .zip(self.mean.iter_mut().zip(self.square));
        for ((theta, (mean, square)), &g) in state.zip(self.grad) {
            let g = g * rule.scale;
            *mean = rule.beta1 * *mean + (one - rule.beta1) * g;
            *square = rule.beta2 * *square + (one - rule.beta2) * g * g;
            let update = rule.rate * *mean / (square.sqrt() * rule.root + rule.epsilon);
            *theta = *theta * rule.keep - update;
        }
    }
}

/// The update of one row of a table.
struct RowUpdate<'a, S> {
    row: u32,
    /// Where its moments are.
    index: usize,
    /// Steps in which the row rested, so that its moments have not decayed yet.
    rested: u64,
    /// `None` if the row was not touched.
    grad: Option<&'a [S]>,
}

impl<S: Scalar> Rule<S> {
    /// The moments after `steps` steps without a gradient.
    fn decay(self, mean: &mut [S], square: &mut [S], steps: u64) {
        if steps > 0 {
            let steps = i32::try_from(steps).unwrap_or(i32::MAX);
            let (beta1, beta2) = (self.beta1.powi(steps), self.beta2.powi(steps));
            mean.iter_mut().for_each(|mean| *mean *= beta1);
            square.iter_mut().for_each(|square| *square *= beta2);
        }
    }

    fn apply(self, theta: &mut [S], mean: &mut [S], square: &mut [S], grad: &[S]) {
        Arch::new().dispatch(Update {
            rule: self,
            theta,
            mean,
            square,
            grad,
        });
    }

    /// Applies the rule to the touched rows of a table and, with [`UntouchedRows::Move`], to those
    /// that still move.
    fn apply_to_rows(
        self,
        untouched: UntouchedRows,
        table: &mut [S],
        moments: &mut Moments<S>,
        gradient: &RowGradient<S>,
    ) {
        const ROWS: usize = 16;
        let cols = gradient.cols();
        let touched = moments.rows.get_or_insert_default();
        let gradients = gradient
            .rows()
            .iter()
            .zip(gradient.data().chunks_exact(cols));
        let mut updates: Vec<RowUpdate<'_, S>> = gradients
            .map(|(&row, grad)| RowUpdate {
                row,
                index: touched.index_of(row),
                rested: 0,
                grad: Some(grad),
            })
            .collect();
        if untouched == UntouchedRows::Move {
            for update in &mut updates {
                update.rested = touched.touch(update.index, moments.count, MOVING_STEPS);
            }
            let others = touched.moving(moments.count, MOVING_STEPS);
            updates.extend(others.map(|(row, index)| RowUpdate {
                row,
                index,
                rested: 0,
                grad: None,
            }));
            updates.sort_unstable_by_key(|update| update.row);
        }
        moments.mean.resize(touched.len() * cols, S::zero());
        moments.square.resize(touched.len() * cols, S::zero());
        let mut means: Vec<_> = moments.mean.chunks_exact_mut(cols).map(Some).collect();
        let mut squares: Vec<_> = moments.square.chunks_exact_mut(cols).map(Some).collect();
        // The rows are ascending and distinct, so each can be split off the rest of the table.
        let (mut rest, mut next) = (table, 0);
        let mut work = Vec::with_capacity(updates.len());
        for update in updates {
            let (_, from) = rest.split_at_mut((update.row - next) as usize * cols);
            let (theta, left) = from.split_at_mut(cols);
            (rest, next) = (left, update.row + 1);
            let of_row = means[update.index].take().zip(squares[update.index].take());
            work.extend(of_row.map(|(mean, square)| (theta, mean, square, update)));
        }
        let zeros = vec![S::zero(); cols];
        let without_decay = Self {
            keep: S::one(),
            ..self
        };
        work.into_par_iter()
            .with_min_len(ROWS)
            .for_each(|(theta, mean, square, update)| {
                self.decay(mean, square, update.rested);
                match update.grad {
                    Some(grad) => self.apply(theta, mean, square, grad),
                    None => without_decay.apply(theta, mean, square, &zeros),
                }
            });
    }
}

impl<S: Scalar> Adam<S> {
    /// Adam without any steps yet.
    #[must_use]
    pub fn new(config: AdamConfig) -> Self {
        Self::with_groups(config, Groups::default())
    }

    /// Adam with settings by group. Parameters of frozen groups keep their values, and their
    /// gradients do not count toward the norm for clipping.
    #[must_use]
    pub fn with_groups(config: AdamConfig, groups: Groups) -> Self {
        Self {
            config,
            groups,
            moments: Vec::new(),
        }
    }

    /// The settings by group.
    #[must_use]
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Updates every parameter that has a gradient. `step` is the number of the step, from 1, also
    /// counting those of other optimizers. It is used for [`StepCount::AllSteps`] and in the error
    /// message.
    ///
    /// # Errors
    /// If a gradient is not finite. On error, nothing is changed.
    pub fn step(
        &mut self,
        params: &mut Params<S>,
        grads: &Grads<S>,
        learning_rate: f64,
        step: u64,
    ) -> Result<StepReport> {
        with_helpers(|| self.step_inner(params, grads, learning_rate, step))
    }

    fn step_inner(
        &mut self,
        params: &mut Params<S>,
        grads: &Grads<S>,
        learning_rate: f64,
        step: u64,
    ) -> Result<StepReport> {
        const CHUNK: usize = 1 << 13;
        let norm = grads.norm_of(params, step, |id| !self.groups.is_frozen(id))?;
        let config = self.config;
        let clipped = config.clip_norm.is_some_and(|limit| norm > limit);
        let scale = config
            .clip_norm
            .map_or(1.0, |limit| if norm > limit { limit / norm } else { 1.0 });
        for id in (0..params.len()).map(ParamId) {
            let Some(gradient) = grads.get(id).filter(|_| !self.groups.is_frozen(id)) else {
                continue;
            };
            if self.moments.len() <= id.0 {
                self.moments.resize_with(id.0 + 1, Moments::default);
            }
            let learning_rate = learning_rate * self.groups.rate(id);
            let tensor = params.get_mut(id);
            let moments = &mut self.moments[id.0];
            moments.count += 1;
            let t = match config.step_count {
                StepCount::PerParameter => moments.count,
                StepCount::AllSteps => step.max(1),
            };
            let t = i32::try_from(t).unwrap_or(i32::MAX);
            let table_factor = match gradient {
                Gradient::Dense(_) => 1.0,
                Gradient::Rows(_) => config.table_rate,
            };
            let decay = table_factor * learning_rate * self.groups.weight_decay(id);
            let rule = Rule {
                keep: S::from_f64(1.0 - decay),
                beta1: S::from_f64(config.beta1),
                beta2: S::from_f64(config.beta2),
                rate: S::from_f64(table_factor * learning_rate / (1.0 - config.beta1.powi(t))),
                root: S::from_f64(1.0 / (1.0 - config.beta2.powi(t)).sqrt()),
                epsilon: S::from_f64(config.epsilon),
                scale: S::from_f64(scale),
            };
            match gradient {
                Gradient::Dense(data) => {
                    let (mean, square) = (&mut moments.mean, &mut moments.square);
                    mean.resize(data.len(), S::zero());
                    square.resize(data.len(), S::zero());
                    tensor
                        .data_mut()
                        .par_chunks_mut(CHUNK)
                        .zip(mean.par_chunks_mut(CHUNK).zip(square.par_chunks_mut(CHUNK)))
                        .zip(data.par_chunks(CHUNK))
                        .for_each(|((theta, (mean, square)), grad)| {
                            rule.apply(theta, mean, square, grad);
                        });
                }
                Gradient::Rows(rows) => {
                    rule.apply_to_rows(config.untouched_rows, tensor.data_mut(), moments, rows);
                }
            }
        }
        params.repack();
        Ok(StepReport { norm, clipped })
    }
}
