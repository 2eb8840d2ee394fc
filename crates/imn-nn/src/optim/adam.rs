//! m ← β₁ m + (1 − β₁) g, v ← β₂ v + (1 − β₂) g², θ ← θ − lr · m̂ / (√v̂ + ε), m̂ = m / (1 − β₁ᵗ), v̂ = v / (1 − β₂ᵗ).
//!
//! `t` is counted for each parameter. A parameter without a gradient in a step (frozen, or not part of the computation) keeps
//! its value, moments and count.
//!
//! **Rows of a table.** A table that was looked up has gradients for the touched rows only. Those rows are updated as above,
//! with the table's count `t` (one a step in which any row was touched). The other rows are left exactly as they are:
//! their value does not drift and their moments do not decay, whereas plain Adam on a dense gradient would keep moving them
//! by their old momentum. This is what PyTorch calls `SparseAdam`; it makes a step's cost independent of the size of the
//! vocabulary.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::store;
use crate::{Error, Gradient, Grads, ParamId, Params, Result, Scalar};

/// Settings of Adam.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdamConfig {
    /// β₁, decay of the mean.
    pub beta1: f64,
    /// β₂, decay of the square.
    pub beta2: f64,
    /// ε.
    pub epsilon: f64,
    /// Largest norm of the whole gradient; a longer one is shortened to it.
    pub clip_norm: Option<f64>,
}

impl Default for AdamConfig {
    fn default() -> Self {
        Self {
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            clip_norm: None,
        }
    }
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReport {
    /// Norm of the gradient before clipping.
    pub norm: f64,
    /// Whether it was clipped.
    pub clipped: bool,
}

#[derive(Debug, Clone, Default)]
struct Moments<S> {
    count: u64,
    mean: Vec<S>,
    square: Vec<S>,
}

/// Adam with bias correction.
#[derive(Debug, Clone)]
pub struct Adam<S> {
    config: AdamConfig,
    moments: Vec<Moments<S>>,
}

/// The numbers of one parameter's step.
#[derive(Clone, Copy)]
struct Rule<S> {
    beta1: S,
    beta2: S,
    /// lr / (1 − β₁ᵗ)
    rate: S,
    /// 1 / √(1 − β₂ᵗ)
    root: S,
    epsilon: S,
    /// What the gradient is multiplied by (clipping).
    scale: S,
}

impl<S: Scalar> Rule<S> {
    fn apply(self, theta: &mut [S], mean: &mut [S], square: &mut [S], grad: &[S]) {
        let one = S::one();
        let state = theta.iter_mut().zip(mean.iter_mut().zip(square));
        for ((theta, (mean, square)), &g) in state.zip(grad) {
            let g = g * self.scale;
            *mean = self.beta1 * *mean + (one - self.beta1) * g;
            *square = self.beta2 * *square + (one - self.beta2) * g * g;
            *theta -= self.rate * *mean / (square.sqrt() * self.root + self.epsilon);
        }
    }
}

impl<S: Scalar> Adam<S> {
    /// Adam with nothing seen yet.
    #[must_use]
    pub fn new(config: AdamConfig) -> Self {
        Self {
            config,
            moments: Vec::new(),
        }
    }

    fn moments(&mut self, id: ParamId, len: usize) -> &mut Moments<S> {
        if self.moments.len() <= id.0 {
            self.moments.resize_with(id.0 + 1, Moments::default);
        }
        let moments = &mut self.moments[id.0];
        if moments.mean.is_empty() {
            moments.mean = vec![S::zero(); len];
            moments.square = vec![S::zero(); len];
        }
        moments
    }

    /// Changes every parameter that has a gradient. `step` is for the error only.
    ///
    /// # Errors
    /// If a gradient is not finite; nothing is changed then.
    pub fn step(
        &mut self,
        params: &mut Params<S>,
        grads: &Grads<S>,
        learning_rate: f64,
        step: u64,
    ) -> Result<StepReport> {
        const CHUNK: usize = 1 << 13;
        let norm = grads.norm(params, step)?;
        let config = self.config;
        let clipped = config.clip_norm.is_some_and(|limit| norm > limit);
        let scale = config
            .clip_norm
            .map_or(1.0, |limit| if norm > limit { limit / norm } else { 1.0 });
        for id in (0..params.len()).map(ParamId) {
            let Some(gradient) = grads.get(id) else {
                continue;
            };
            let tensor = params.get_mut(id);
            let cols = tensor.cols();
            let moments = self.moments(id, tensor.data().len());
            moments.count += 1;
            let t = i32::try_from(moments.count).unwrap_or(i32::MAX);
            let rule = Rule {
                beta1: S::of(config.beta1),
                beta2: S::of(config.beta2),
                rate: S::of(learning_rate / (1.0 - config.beta1.powi(t))),
                root: S::of(1.0 / (1.0 - config.beta2.powi(t)).sqrt()),
                epsilon: S::of(config.epsilon),
                scale: S::of(scale),
            };
            let (mean, square) = (&mut moments.mean, &mut moments.square);
            match gradient {
                Gradient::Dense(data) => tensor
                    .data_mut()
                    .par_chunks_mut(CHUNK)
                    .zip(mean.par_chunks_mut(CHUNK).zip(square.par_chunks_mut(CHUNK)))
                    .zip(data.par_chunks(CHUNK))
                    .for_each(|((theta, (mean, square)), grad)| {
                        rule.apply(theta, mean, square, grad)
                    }),
                Gradient::Rows(rows) => {
                    let theta = tensor.data_mut();
                    for (&row, grad) in rows.rows().iter().zip(rows.data().chunks_exact(cols)) {
                        let at = row as usize * cols..(row as usize + 1) * cols;
                        let (mean, square) = (&mut mean[at.clone()], &mut square[at.clone()]);
                        rule.apply(&mut theta[at], mean, square, grad);
                    }
                }
            }
        }
        Ok(StepReport { norm, clipped })
    }

    /// Moments and counts in the safetensors format: `mean.NAME`, `square.NAME`, `count.NAME`.
    ///
    /// # Errors
    /// Only if `safetensors` refuses the tensors.
    pub fn to_safetensors(&self, params: &Params<S>) -> Result<Vec<u8>> {
        let mut owned: Vec<(String, Vec<usize>, Vec<S>)> = Vec::new();
        for (id, tensor) in params.iter() {
            if let Some(moments) = self.moments.get(id.0).filter(|moments| moments.count > 0) {
                let (name, shape) = (tensor.name(), tensor.shape());
                owned.push((format!("mean.{name}"), shape.to_vec(), moments.mean.clone()));
                owned.push((
                    format!("square.{name}"),
                    shape.to_vec(),
                    moments.square.clone(),
                ));
                // In three digits of 2^20: exact even where the numbers are f32.
                let digits = (0..3).map(|i| S::of((moments.count >> (20 * i) & 0xf_ffff) as f64));
                owned.push((format!("count.{name}"), vec![3], digits.collect()));
            }
        }
        store::write(
            owned
                .iter()
                .map(|(name, shape, data)| (name.as_str(), &**shape, &**data)),
        )
    }

    /// Takes moments and counts that [`Adam::to_safetensors`] wrote for the same parameters.
    ///
    /// # Errors
    /// If the bytes are malformed or do not fit the parameters. Nothing is changed then.
    pub fn load_safetensors(&mut self, params: &Params<S>, bytes: &[u8]) -> Result<()> {
        let mut read = store::read::<S>(bytes)?;
        let mut loaded = Self::new(self.config);
        for (id, tensor) in params.iter() {
            let name = tensor.name();
            let Some((shape, digits)) = read.remove(&format!("count.{name}")) else {
                continue;
            };
            if digits.len() != 3 {
                let name = format!("count.{name}");
                return Err(Error::Shape {
                    name,
                    found: shape,
                    expected: vec![3],
                });
            }
            let mut take = |kind: &str| {
                let name = format!("{kind}.{name}");
                let (found, data) = read
                    .remove(&name)
                    .ok_or_else(|| Error::Missing { name: name.clone() })?;
                if found != tensor.shape() {
                    return Err(Error::Shape {
                        name,
                        found,
                        expected: tensor.shape().to_vec(),
                    });
                }
                Ok(data)
            };
            let (mean, square) = (take("mean")?, take("square")?);
            let count = digits
                .iter()
                .rev()
                .fold(0, |count, d| (count << 20) | d.wide() as u64);
            let moments = loaded.moments(id, 0);
            *moments = Moments {
                count,
                mean,
                square,
            };
        }
        if let Some(name) = read.into_keys().next() {
            return Err(Error::Unexpected { name });
        }
        *self = loaded;
        Ok(())
    }
}
