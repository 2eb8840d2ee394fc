//! Initialization schemes, all from one seed.
//!
//! Every parameter has its own random stream, derived from the seed and the parameter's name.
//! Adding a layer does not change the initial values of the others.

use rand::{RngExt as _, SeedableRng as _};
use rand_distr::{Distribution as _, Normal, Uniform};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::Scalar;

/// How the values of a parameter are initialized.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Init {
    /// All zeros.
    Zeros,
    /// One value everywhere.
    Constant {
        /// The value.
        value: f64,
    },
    /// Uniform between −limit and limit.
    Uniform {
        /// Largest absolute value.
        limit: f64,
    },
    /// Normal with mean 0.
    Normal {
        /// Standard deviation.
        std: f64,
    },
    /// Uniform between ±√(6 / (fan in + fan out)) (Glorot and Bengio 2010). The last dimension is
    /// the outputs and the one before it the inputs; both fans are multiplied by the taps of a
    /// convolution.
    GlorotUniform,
    /// Orthonormal columns in each square block of the last dimension, for recurrent weights with
    /// one block per gate.
    Orthogonal,
}

impl Init {
    /// Why the settings are invalid; `None` if they are valid.
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

    /// The initial values of the parameter `name`.
    #[must_use]
    pub fn draw<S: Scalar>(self, shape: &[usize], seed: u64, name: &str) -> Vec<S> {
        let count = shape.iter().product();
        let mut rng = stream(seed, name);
        let mut uniform = |limit: f64| -> Vec<S> {
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
            Self::Uniform { limit } => uniform(limit),
            Self::Normal { std } => match Normal::new(0.0, std) {
                Ok(distribution) => (0..count)
                    .map(|_| S::from_f64(distribution.sample(&mut rng)))
                    .collect(),
                Err(_) => vec![S::zero(); count],
            },
            Self::GlorotUniform => {
                let taps: usize = shape.iter().rev().skip(2).product();
                let fan_in: usize = shape.iter().rev().skip(1).product();
                uniform((6.0 / (fan_in + taps * last) as f64).sqrt())
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

/// FNV-1a, 64 bits: the same hash with every compiler and on every machine.
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
