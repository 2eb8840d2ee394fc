//! Random vectors for words that a file does not have.
//!
//! The vector of a word depends only on the seed, the name of the source, the word and (for
//! [`Unknown::Matched`]) the first rows of the file. It does not change with the vocabulary or the
//! order of its words.

use rand::{RngExt as _, SeedableRng as _};
use rand_distr::StandardNormal;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// The distribution of vectors for words that a file does not have.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Unknown {
    /// Normal, each dimension with the mean and `scale` times the standard deviation of the first
    /// 10,000 rows of the file. The vectors then resemble the others of the file, whatever their
    /// scale.
    Matched {
        /// Factor of the standard deviation; 1 keeps that of the file.
        scale: f32,
    },
    /// Uniform between −`range` and `range`, the same for every file.
    Uniform {
        /// Largest absolute value; 0.25 is common.
        range: f32,
    },
    /// All zero.
    Zero,
}

impl Default for Unknown {
    fn default() -> Self {
        Self::Matched { scale: 1.0 }
    }
}

/// Number of rows from which [`Moments`] are computed. Files are sorted by frequency, so these are
/// the most frequent words, and they estimate the mean well enough.
pub(super) const MOMENT_ROWS: u64 = 10_000;

/// Mean and standard deviation of each dimension, accumulated row by row (Welford's method).
pub(super) struct Moments {
    rows: f64,
    mean: Vec<f64>,
    squares: Vec<f64>,
}

impl Moments {
    pub(super) fn new(dimensions: usize) -> Self {
        Self {
            rows: 0.0,
            mean: vec![0.0; dimensions],
            squares: vec![0.0; dimensions],
        }
    }

    pub(super) fn add(&mut self, row: &[f32]) {
        self.rows += 1.0;
        for ((mean, square), &value) in self.mean.iter_mut().zip(&mut self.squares).zip(row) {
            let off = f64::from(value) - *mean;
            *mean += off / self.rows;
            *square += off * (f64::from(value) - *mean);
        }
    }

    fn deviation(&self, dimension: usize) -> f64 {
        let squares = self.squares.get(dimension).copied().unwrap_or(0.0);
        (squares / self.rows.max(1.0)).sqrt()
    }
}

impl Unknown {
    /// Draws the vector of a word that the source `name` does not have.
    pub(super) fn draw(
        self,
        seed: u64,
        name: &str,
        word: &str,
        moments: &Moments,
        out: &mut [f32],
    ) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(stable_hash(seed, name, word));
        for (dimension, (value, &mean)) in out.iter_mut().zip(&moments.mean).enumerate() {
            *value = match self {
                Self::Matched { scale } => {
                    let normal: f64 = random.sample(StandardNormal);
                    (mean + f64::from(scale) * moments.deviation(dimension) * normal) as f32
                }
                Self::Uniform { range } => range * (2.0 * random.random::<f32>() - 1.0),
                Self::Zero => 0.0,
            };
        }
    }
}

/// A hash that is the same on every machine and in every version; the hashers of the standard
/// library do not guarantee this.
fn stable_hash(seed: u64, name: &str, word: &str) -> u64 {
    let seed = seed.to_le_bytes();
    imn_nn::hash(&[&seed, name.as_bytes(), &[0xff], word.as_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matched_vectors_have_the_files_moments() {
        let mut moments = Moments::new(2);
        for row in [[1.0, 10.0], [3.0, 10.0]] {
            moments.add(&row);
        }
        let (mut sum, mut squares) = (0.0_f64, 0.0_f64);
        for at in 0..4000 {
            let mut out = [0.0; 2];
            Unknown::default().draw(1, "f", &format!("w{at}"), &moments, &mut out);
            assert_eq!(out[1], 10.0); // no spread in the file, none here
            sum += f64::from(out[0]);
            squares += f64::from(out[0] - 2.0).powi(2);
        }
        assert!((sum / 4000.0 - 2.0).abs() < 0.06, "{sum}");
        assert!((squares / 4000.0 - 1.0).abs() < 0.1, "{squares}");
    }

    #[test]
    fn uniform_stays_in_range_and_uses_it() {
        let moments = Moments::new(2000);
        let mut out = vec![0.0; 2000];
        Unknown::Uniform { range: 0.25 }.draw(1, "f", "w", &moments, &mut out);
        let largest = out
            .iter()
            .fold(0.0_f32, |most, value| most.max(value.abs()));
        assert!(largest <= 0.25 && largest > 0.24, "{largest}");
    }

    #[test]
    fn seed_source_and_word_all_matter() {
        let moments = Moments::new(3);
        let draw = |seed, name: &str, word: &str| {
            let mut out = [0.0; 3];
            Unknown::Uniform { range: 1.0 }.draw(seed, name, word, &moments, &mut out);
            out
        };
        assert_eq!(draw(1, "a", "w"), draw(1, "a", "w"));
        assert_ne!(draw(1, "a", "w"), draw(2, "a", "w"));
        assert_ne!(draw(1, "a", "w"), draw(1, "b", "w"));
        assert_ne!(draw(1, "a", "w"), draw(1, "a", "v"));
    }
}
