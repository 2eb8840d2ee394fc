//! y = x ⊙ m / (1 − p), where each m is 0 with probability p and 1 otherwise; y = x in inference.
//!
//! Bits are drawn 64 at a time. For p = ½, one random word gives 64 bits. For other p, a chain of
//! ANDs and ORs over random words gives bits of any probability with 16 binary digits (over the
//! digits of 1 − p, last first: AND for 0, OR for 1).

use std::array;

use rand::Rng;

use crate::tape::{Backward, BackwardPass};
use crate::{Scalar, Tape, Var};

struct Dropout {
    x: Var,
    keep: Vec<u64>,
    scale: f64,
}

/// Random bits for the rows of a matrix, and the factor on kept numbers. Every row begins with a
/// new word.
#[derive(Debug)]
pub(super) struct Mask {
    keep: Vec<u64>,
    words: usize,
    scale: f64,
}

impl Mask {
    /// y ← x ⊙ m / (1 − p) for a row.
    #[inline(always)]
    pub(super) fn apply<S: Scalar>(&self, row: usize, x: &[S], y: &mut [S]) {
        masked(x, self.row(row), self.scale, y, |_, new| new);
    }

    /// y ← y + x ⊙ m / (1 − p) for a row.
    #[inline(always)]
    pub(super) fn add<S: Scalar>(&self, row: usize, x: &[S], y: &mut [S]) {
        masked(x, self.row(row), self.scale, y, |old, new| old + new);
    }

    fn row(&self, row: usize) -> &[u64] {
        &self.keep[row * self.words..][..self.words]
    }
}

/// Binary digits of a keep probability.
const DIGITS: u32 = 16;

/// 64 bits, each 1 with the probability whose first [`DIGITS`] binary digits are `digits`.
fn random_bits(rng: &mut impl Rng, digits: u32) -> u64 {
    let mut bits = 0;
    // Trailing zeros change nothing: ½ needs only one word.
    for position in digits.trailing_zeros()..DIGITS {
        let word = rng.next_u64();
        bits = if digits >> position & 1 == 1 {
            bits | word
        } else {
            bits & word
        };
    }
    bits
}

impl<S: Scalar> Tape<'_, S> {
    /// Sets numbers to zero with probability `p` and scales the others, so that the expected value
    /// stays the same. Returns `x` itself in inference or if `p` is 0.
    ///
    /// # Panics
    /// If `p` is not in 0 ..= 1.
    pub fn dropout(&mut self, x: Var, p: f64) -> Var {
        let shape = self.shape(x).clone();
        let len = shape.len();
        let Some((keep, scale)) = self.keep_bits(len.div_ceil(64), p) else {
            return x;
        };
        let mut value = self.unwritten(&shape);
        masked(self.value(x), &keep, scale, &mut value, |_, new| new);
        self.push(shape, value, &[x], || Dropout { x, keep, scale })
    }

    /// Words of 64 random bits, each 0 with probability `p`, and the factor on kept numbers. `None`
    /// if nothing is dropped.
    fn keep_bits(&mut self, words: usize, p: f64) -> Option<(Vec<u64>, f64)> {
        assert!((0.0..=1.0).contains(&p), "dropout probability {p}");
        let digits = ((1.0 - p) * f64::from(1 << DIGITS)).round() as u32;
        let rng = self.rng()?;
        if digits == 1 << DIGITS {
            return None;
        }
        let keep = (0..words).map(|_| random_bits(rng, digits)).collect();
        // 1 / the exact probability of the bits, which `digits` rounds.
        let scale = if digits == 0 {
            0.0
        } else {
            f64::from(1 << DIGITS) / f64::from(digits)
        };
        Some((keep, scale))
    }

    /// A mask for `rows` rows of `cols` numbers; `None` if nothing is dropped.
    pub(super) fn mask(&mut self, rows: usize, cols: usize, p: f64) -> Option<Mask> {
        let words = cols.div_ceil(64);
        let (keep, scale) = self.keep_bits(rows * words, p)?;
        Some(Mask { keep, words, scale })
    }
}

/// y ← join(y, x ⊙ m · scale), four numbers at a time: their four bits select one of sixteen
/// vectors of factors.
#[inline(always)]
fn masked<S: Scalar>(x: &[S], keep: &[u64], scale: f64, y: &mut [S], join: impl Fn(S, S) -> S) {
    let choice = [S::zero(), S::from_f64(scale)];
    let factors: [[S; 4]; 16] = array::from_fn(|bits| array::from_fn(|i| choice[bits >> i & 1]));
    for ((x, y), &bits) in x.chunks(64).zip(y.chunks_mut(64)).zip(keep) {
        let (fours, x_rest) = x.as_chunks::<4>();
        let (y, y_rest) = y.as_chunks_mut::<4>();
        let mut bits = bits;
        for (x, y) in fours.iter().zip(y) {
            let factors = &factors[(bits & 15) as usize];
            for i in 0..4 {
                y[i] = join(y[i], x[i] * factors[i]);
            }
            bits >>= 4;
        }
        let factors = &factors[(bits & 15) as usize];
        for ((&x, y), &factor) in x_rest.iter().zip(y_rest).zip(factors) {
            *y = join(*y, x * factor);
        }
    }
}

impl<S: Scalar> Backward<S> for Dropout {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        match pass.grad_or_new(self.x) {
            Some((slot, true)) => masked(grad, &self.keep, self.scale, slot, |_, new| new),
            Some((slot, false)) => masked(grad, &self.keep, self.scale, slot, |old, new| old + new),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Freeze, Params};

    #[test]
    fn keeps_the_asked_share_and_the_mean() {
        let params = Params::<f64>::new();
        let freeze = Freeze::none();
        for p in [0.5, 0.55, 0.1] {
            let mut tape = Tape::train(&params, &freeze, 3);
            let x = tape.plain(1000, 100, &vec![1.0; 100_000]);
            let y = tape.dropout(x, p);
            let kept = tape.value(y).iter().filter(|&&y| y != 0.0).count() as f64 / 1e5;
            let mean = tape.value(y).iter().sum::<f64>() / 1e5;
            assert!((kept - (1.0 - p)).abs() < 0.006, "p {p}: kept {kept}");
            assert!((mean - 1.0).abs() < 0.015, "p {p}: mean {mean}");
        }
    }

    #[test]
    fn does_nothing_at_zero_and_in_inference() {
        let params = Params::<f64>::new();
        let freeze = Freeze::none();
        let mut tape = Tape::train(&params, &freeze, 3);
        let x = tape.plain(1, 3, &[1.0, 2.0, 3.0]);
        assert_eq!(tape.dropout(x, 0.0), x);
        let y = tape.dropout(x, 1.0);
        assert_eq!(tape.value(y), &[0.0; 3]);
        let mut tape = Tape::infer(&params);
        let x = tape.plain(1, 3, &[1.0, 2.0, 3.0]);
        assert_eq!(tape.dropout(x, 0.5), x);
    }
}
