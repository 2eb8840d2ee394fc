//! Named schemes of initialisation, all from one seed.
//!
//! Every parameter has a random stream of its own, seeded by the seed and the parameter's name: adding a layer does not
//! change how the others begin.

use rand::{RngExt as _, SeedableRng as _};
use rand_distr::{Distribution as _, Normal, Uniform};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::Scalar;

/// How a parameter begins.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Init {
    /// All zeros.
    Zeros,
    /// All one number.
    Constant {
        /// The number.
        value: f64,
    },
    /// Even between −limit and limit.
    Uniform {
        /// The limit.
        limit: f64,
    },
    /// Normal around 0.
    Normal {
        /// Standard deviation.
        std: f64,
    },
    /// Even between ±√(6 / (fan in + fan out)) (Glorot and Bengio 2010). The last dimension is what goes out, the others are
    /// what comes in; a convolution's taps count on both sides.
    GlorotUniform,
    /// Orthonormal columns in each square block of the last dimension (recurrent weights: one block a gate).
    Orthogonal,
}

impl Init {
    /// What is wrong with its numbers, if anything is.
    #[must_use]
    pub fn problem(self) -> Option<&'static str> {
        let bad = |number: f64| !(number.is_finite() && number >= 0.0);
        match self {
            Self::Uniform { limit } if bad(limit) => Some("limit must be 0 or more"),
            Self::Normal { std } if bad(std) => Some("std must be 0 or more"),
            Self::Constant { value } if !value.is_finite() => Some("value must be finite"),
            _ => None,
        }
    }

    /// The first values of a parameter.
    #[must_use]
    pub fn draw<S: Scalar>(self, shape: &[usize], seed: u64, name: &str) -> Vec<S> {
        let count = shape.iter().product();
        let mut rng = stream(seed, name);
        let mut even = |limit: f64| -> Vec<S> {
            match Uniform::new_inclusive(-limit, limit) {
                Ok(distribution) => (0..count)
                    .map(|_| S::from_f64(distribution.sample(&mut rng)))
                    .collect(),
                Err(_) => vec![S::zero(); count],
            }
        };
        let last = shape.last().copied().unwrap_or(1);
        match self {
            Self::Zeros => vec![S::zero(); count],
            Self::Constant { value } => vec![S::from_f64(value); count],
            Self::Uniform { limit } => even(limit),
            Self::Normal { std } => match Normal::new(0.0, std) {
                Ok(distribution) => (0..count)
                    .map(|_| S::from_f64(distribution.sample(&mut rng)))
                    .collect(),
                Err(_) => vec![S::zero(); count],
            },
            Self::GlorotUniform => {
                let taps: usize = shape.iter().rev().skip(2).product();
                let fan_in: usize = shape.iter().rev().skip(1).product();
                even((6.0 / (fan_in + taps * last) as f64).sqrt())
            }
            Self::Orthogonal => orthogonal(count / last.max(1), last, &mut rng),
        }
    }
}

/// Gram–Schmidt on random normal columns, block by block.
fn orthogonal<S: Scalar>(rows: usize, cols: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<S> {
    let mut out = vec![S::zero(); rows * cols];
    for first in (0..cols).step_by(rows.max(1)) {
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for j in first..cols.min(first + rows) {
            let mut column: Vec<f64> = (0..rows)
                .map(|_| rand_distr::StandardNormal.sample(rng))
                .collect();
            for other in &basis {
                let dot: f64 = column.iter().zip(other).map(|(a, b)| a * b).sum();
                column
                    .iter_mut()
                    .zip(other)
                    .for_each(|(a, b)| *a -= dot * b);
            }
            let norm = column.iter().map(|a| a * a).sum::<f64>().sqrt();
            column.iter_mut().for_each(|a| *a /= norm);
            for (i, &a) in column.iter().enumerate() {
                out[i * cols + j] = S::from_f64(a);
            }
            basis.push(column);
        }
    }
    out
}

/// FNV-1a, 64 bits: a fixed hash, the same with every compiler and machine.
#[must_use]
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The random stream of `name` under `seed`.
#[must_use]
pub fn stream(seed: u64, name: &str) -> Xoshiro256PlusPlus {
    let hash = hash(name.as_bytes());
    let mut mixed = Xoshiro256PlusPlus::seed_from_u64(seed);
    Xoshiro256PlusPlus::seed_from_u64(mixed.random::<u64>() ^ hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_name_and_seed_and_repeat() {
        let draw = |seed, name| Init::Normal { std: 1.0 }.draw::<f64>(&[4, 5], seed, name);
        assert_eq!(draw(1, "a"), draw(1, "a"));
        assert_ne!(draw(1, "a"), draw(1, "b"));
        assert_ne!(draw(1, "a"), draw(2, "a"));
    }

    #[test]
    fn glorot_counts_taps_on_both_sides() {
        let values = Init::GlorotUniform.draw::<f64>(&[5, 30, 20], 7, "kernel");
        let limit = (6.0_f64 / (5.0 * 30.0 + 5.0 * 20.0)).sqrt();
        let largest = values.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        assert!(
            largest <= limit && largest > 0.98 * limit,
            "{largest} against {limit}"
        );
    }

    #[test]
    fn orthogonal_blocks_have_orthonormal_columns() {
        let (rows, cols) = (5, 15);
        let w = Init::Orthogonal.draw::<f64>(&[rows, cols], 3, "recurrent");
        for block in 0..3 {
            for a in 0..rows {
                for b in 0..rows {
                    let dot: f64 = (0..rows)
                        .map(|i| w[i * cols + block * rows + a] * w[i * cols + block * rows + b])
                        .sum();
                    let expected = if a == b { 1.0 } else { 0.0 };
                    assert!((dot - expected).abs() < 1e-9);
                }
            }
        }
    }
}
