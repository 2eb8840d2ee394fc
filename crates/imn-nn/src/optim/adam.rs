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

use std::collections::HashMap;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::engine::on_a_worker;
use crate::store::Tensors;
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
    /// The learning rate of tables that are looked up, as a share of that of everything else.
    pub table_rate: f64,
}

impl Default for AdamConfig {
    fn default() -> Self {
        Self {
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            clip_norm: None,
            table_rate: 1.0,
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

/// What Adam remembers of one parameter.
#[derive(Debug, Clone)]
struct Moments<S> {
    count: u64,
    /// For a table the rows that were ever touched, in the order in which they first were: `mean` and `square` hold those only.
    rows: Option<Vec<u32>>,
    mean: Vec<S>,
    square: Vec<S>,
}

impl<S> Default for Moments<S> {
    fn default() -> Self {
        Self {
            count: 0,
            rows: None,
            mean: Vec::new(),
            square: Vec::new(),
        }
    }
}

/// Adam with bias correction.
#[derive(Debug, Clone)]
pub struct Adam<S> {
    config: AdamConfig,
    moments: Vec<Moments<S>>,
    /// For each table the place of every row in its moments.
    places: Vec<HashMap<u32, usize>>,
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

/// A rule and the numbers that it changes, compiled for the vector instructions that the machine has.
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
            *theta -= rule.rate * *mean / (square.sqrt() * rule.root + rule.epsilon);
        }
    }
}

impl<S: Scalar> Rule<S> {
    fn apply(self, theta: &mut [S], mean: &mut [S], square: &mut [S], grad: &[S]) {
        Arch::new().dispatch(Update {
            rule: self,
            theta,
            mean,
            square,
            grad,
        });
    }
}

impl<S: Scalar> Adam<S> {
    /// Adam with nothing seen yet.
    #[must_use]
    pub fn new(config: AdamConfig) -> Self {
        Self {
            config,
            moments: Vec::new(),
            places: Vec::new(),
        }
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
        on_a_worker(|| self.step_here(params, grads, learning_rate, step))
    }

    fn step_here(
        &mut self,
        params: &mut Params<S>,
        grads: &Grads<S>,
        learning_rate: f64,
        step: u64,
    ) -> Result<StepReport> {
        const CHUNK: usize = 1 << 13;
        const ROWS: usize = 16;
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
            if self.moments.len() <= id.0 {
                self.moments.resize_with(id.0 + 1, Moments::default);
                self.places.resize_with(id.0 + 1, HashMap::new);
            }
            let tensor = params.get_mut(id);
            let cols = tensor.cols();
            let moments = &mut self.moments[id.0];
            moments.count += 1;
            let t = i32::try_from(moments.count).unwrap_or(i32::MAX);
            let share = match gradient {
                Gradient::Dense(_) => 1.0,
                Gradient::Rows(_) => config.table_rate,
            };
            let rule = Rule {
                beta1: S::of(config.beta1),
                beta2: S::of(config.beta2),
                rate: S::of(share * learning_rate / (1.0 - config.beta1.powi(t))),
                root: S::of(1.0 / (1.0 - config.beta2.powi(t)).sqrt()),
                epsilon: S::of(config.epsilon),
                scale: S::of(scale),
            };
            let (mean, square) = (&mut moments.mean, &mut moments.square);
            match gradient {
                Gradient::Dense(data) => {
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
                    let touched = moments.rows.get_or_insert_default();
                    let places = &mut self.places[id.0];
                    let mut place_of = |row: u32| {
                        *places.entry(row).or_insert_with(|| {
                            touched.push(row);
                            touched.len() - 1
                        })
                    };
                    let at: Vec<usize> = rows.rows().iter().map(|&row| place_of(row)).collect();
                    mean.resize(touched.len() * cols, S::zero());
                    square.resize(touched.len() * cols, S::zero());
                    let mut means: Vec<_> = mean.chunks_exact_mut(cols).map(Some).collect();
                    let mut squares: Vec<_> = square.chunks_exact_mut(cols).map(Some).collect();
                    // Rows of a gradient are different and in order, so each can be cut off what is left of the table.
                    let (mut rest, mut next) = (tensor.data_mut(), 0);
                    let mut work = Vec::with_capacity(at.len());
                    let gradients = rows.rows().iter().zip(rows.data().chunks_exact(cols));
                    for ((&row, grad), at) in gradients.zip(at) {
                        let (_, from) = rest.split_at_mut((row - next) as usize * cols);
                        let (theta, left) = from.split_at_mut(cols);
                        (rest, next) = (left, row + 1);
                        let moments = means[at].take().zip(squares[at].take());
                        work.extend(moments.map(|(mean, square)| (theta, mean, square, grad)));
                    }
                    work.into_par_iter().with_min_len(ROWS).for_each(
                        |(theta, mean, square, grad)| rule.apply(theta, mean, square, grad),
                    );
                }
            }
        }
        params.repack();
        Ok(StepReport { norm, clipped })
    }

    /// Moments and counts as tensors: `mean.NAME`, `square.NAME`, `count.NAME`, and `rows.NAME` for tables.
    #[must_use]
    pub fn tensors(&self, params: &Params<S>) -> Tensors<S> {
        let mut tensors = Tensors::new();
        for ((_, tensor), moments) in params.iter().zip(&self.moments) {
            if moments.count == 0 {
                continue;
            }
            let name = tensor.name();
            let shape = match &moments.rows {
                None => tensor.shape().to_vec(),
                Some(rows) => {
                    // Whole numbers in two digits of 2^16: exact even where the numbers are f32.
                    let digits = rows.iter().flat_map(|&row| [row & 0xffff, row >> 16]);
                    let digits = digits.map(|digit| S::of(f64::from(digit))).collect();
                    tensors.insert(format!("rows.{name}"), (vec![rows.len(), 2], digits));
                    vec![rows.len(), tensor.cols()]
                }
            };
            tensors.insert(
                format!("mean.{name}"),
                (shape.clone(), moments.mean.clone()),
            );
            tensors.insert(format!("square.{name}"), (shape, moments.square.clone()));
            let digits = (0..3).map(|i| S::of((moments.count >> (20 * i) & 0xf_ffff) as f64));
            tensors.insert(format!("count.{name}"), (vec![3], digits.collect()));
        }
        tensors
    }

    /// Takes moments and counts that [`Adam::tensors`] gave for the same parameters.
    ///
    /// # Errors
    /// If they do not fit the parameters. Nothing is changed then.
    pub fn load_tensors(&mut self, params: &Params<S>, mut tensors: Tensors<S>) -> Result<()> {
        let mut loaded = Self::new(self.config);
        for (_, tensor) in params.iter() {
            let name = tensor.name();
            let mut moments = Moments::default();
            let mut places = HashMap::new();
            if let Some((shape, digits)) = tensors.remove(&format!("count.{name}")) {
                if digits.len() != 3 {
                    let name = format!("count.{name}");
                    return Err(Error::Shape {
                        name,
                        found: shape,
                        expected: vec![3],
                    });
                }
                moments.count = digits
                    .iter()
                    .rev()
                    .fold(0, |count, digit| (count << 20) | digit.wide() as u64);
                let mut expected = tensor.shape().to_vec();
                if let Some((_, digits)) = tensors.remove(&format!("rows.{name}")) {
                    let number = |pair: &[S]| pair[0].wide() as u32 | (pair[1].wide() as u32) << 16;
                    let rows: Vec<u32> = digits.chunks_exact(2).map(number).collect();
                    expected = vec![rows.len(), tensor.cols()];
                    if let Some(&row) = rows.iter().find(|&&row| row as usize >= tensor.rows()) {
                        let (name, expected) = (format!("rows.{name}"), tensor.shape().to_vec());
                        return Err(Error::Shape {
                            name,
                            found: vec![row as usize],
                            expected,
                        });
                    }
                    places = rows
                        .iter()
                        .enumerate()
                        .map(|(place, &row)| (row, place))
                        .collect();
                    moments.rows = Some(rows);
                }
                let mut take = |kind: &str| {
                    let name = format!("{kind}.{name}");
                    let (found, data) = tensors
                        .remove(&name)
                        .ok_or_else(|| Error::Missing { name: name.clone() })?;
                    if found != expected {
                        return Err(Error::Shape {
                            name,
                            found,
                            expected: expected.clone(),
                        });
                    }
                    Ok(data)
                };
                (moments.mean, moments.square) = (take("mean")?, take("square")?);
            }
            loaded.moments.push(moments);
            loaded.places.push(places);
        }
        if let Some(name) = tensors.into_keys().next() {
            return Err(Error::Unexpected { name });
        }
        *self = loaded;
        Ok(())
    }
}
