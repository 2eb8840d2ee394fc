//! r_ij = T[bucket(j − i)]: a bias for every distance and head, added to the scores. Small
//! distances have one bucket each. Larger ones share buckets that widen logarithmically up to a
//! maximum distance (Raffel et al., 2020, section 2.1).

use crate::params::Tensor;
use crate::{ParamId, Scalar};

/// Relative position biases by distance, which all layers share.
#[derive(Debug, Clone, Copy)]
pub struct RelativePositions {
    /// T, of shape `[buckets, heads]`.
    pub table: ParamId,
    /// All distances from this one on share the last bucket.
    pub max_distance: usize,
}

/// The bucket of a key at `distance` from the query. The first half of the buckets is for distances
/// up to 0 (keys before the query or at it), the second half for positive distances.
fn bucket(distance: isize, buckets: usize, max_distance: usize) -> usize {
    let half = buckets / 2;
    let side = if distance > 0 { half } else { 0 };
    let size = distance.unsigned_abs();
    let exact = half / 2;
    if size < exact {
        return side + size;
    }
    // In 32 bits, as in the reference implementation: rounding decides where a bucket ends.
    let ratio =
        (size as f32 / exact as f32).ln() / ((max_distance as f64 / exact as f64).ln() as f32);
    let step = (ratio * (half - exact) as f32) as usize;
    side + (exact + step).min(half - 1)
}

/// The biases of every head by distance, from −(n − 1) to n − 1.
pub(super) struct Diagonals<S> {
    numbers: Vec<S>,
    buckets: Vec<usize>,
    longest: usize,
}

impl<S: Scalar> Diagonals<S> {
    pub(super) fn new(positions: RelativePositions, table: &Tensor<S>, longest: usize) -> Self {
        let (rows, heads) = (table.rows(), table.cols());
        let reach = longest.max(1).cast_signed() - 1;
        let buckets: Vec<usize> = (-reach..=reach)
            .map(|distance| bucket(distance, rows, positions.max_distance))
            .collect();
        let data = table.data();
        let numbers =
            (0..heads).flat_map(|head| buckets.iter().map(move |b| data[b * heads + head]));
        Self {
            numbers: numbers.collect(),
            buckets,
            longest: longest.max(1),
        }
    }

    fn at(&self, head: usize, position: u32) -> usize {
        head * self.buckets.len() + self.longest - 1 - position as usize
    }

    /// The biases of the query at `position` for the `tokens` keys of its sequence.
    pub(super) fn row(&self, head: usize, position: u32, tokens: usize) -> &[S] {
        &self.numbers[self.at(head, position)..][..tokens]
    }

    /// The same with zeros, to sum gradients in.
    pub(super) fn zeros(&self) -> Self {
        Self {
            numbers: vec![S::zero(); self.numbers.len()],
            buckets: self.buckets.clone(),
            longest: self.longest,
        }
    }

    /// The same as [`Diagonals::row`], for writing.
    pub(super) fn row_mut(&mut self, head: usize, position: u32, tokens: usize) -> &mut [S] {
        let at = self.at(head, position);
        &mut self.numbers[at..][..tokens]
    }

    /// Adds every number to its bucket in the table.
    pub(super) fn add_to(&self, table: &mut [S]) {
        let count = self.buckets.len();
        let heads = self.numbers.len() / count;
        for (head, numbers) in self.numbers.chunks_exact(count).enumerate() {
            for (&bucket, &number) in self.buckets.iter().zip(numbers) {
                table[bucket * heads + head] += number;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_distances_have_their_own_bucket_and_far_ones_share_the_last() {
        let of = |distance| bucket(distance, 32, 128);
        assert_eq!([0, -1, -7, 1, 7].map(of), [0, 1, 7, 17, 23]);
        // 8 · 16^{k/8} is where bucket 8 + k begins.
        assert_eq!([-8, -11, -12, -15, -16].map(of), [8, 8, 9, 9, 10]);
        assert_eq!([-127, -128, -5000, 5000].map(of), [15, 15, 15, 31]);
        let mut last = 0;
        for distance in 0..600 {
            assert!(of(-distance) >= last, "distance {distance}");
            last = of(-distance);
            assert_eq!(of(distance + 1), 16 + of(-distance - 1));
        }
    }
}
