//! Bᵀ, G and Aᵀ, and their transposes for the backward pass: sums and multiples of rows.
//!
//! Each transform is a function of one column, which [`columns`] applies to [`LANES`] columns at a
//! time. All functions are inlined into [`Transform`](super::dispatch::Transform), which compiles
//! them for the vector instructions of the machine. The points come in pairs ±a: the terms that are
//! even in a and those that are odd are computed once, added for a and subtracted for −a.

mod inputs;
mod kernels;
mod outputs;

pub(super) use self::inputs::{inputs, inputs_back};
pub(super) use self::kernels::{kernel_points, kernel_taps};
pub(super) use self::outputs::{outputs_back, outputs_of};
use super::POINTS;
use super::lanes::{LANES, columns, load, store};
use crate::Scalar;

/// The row of a tile in each of the [`POINTS`] matrices, which have `cols` columns and are `size`
/// numbers apart.
#[inline(always)]
fn rows_of_points<S>(from: &[S], size: usize, tile: usize, cols: usize) -> [&[S]; POINTS] {
    std::array::from_fn(|p| &from[p * size + tile * cols..][..cols])
}

/// Sums and differences of the three pairs of points.
#[inline(always)]
fn pairs<S: Scalar>(points: &[S; POINTS]) -> ([S; 3], [S; 3]) {
    let [_, a, minus_a, b, minus_b, c, minus_c, _] = *points;
    (
        [a + minus_a, b + minus_b, c + minus_c],
        [a - minus_a, b - minus_b, c - minus_c],
    )
}

/// All points from 0, the even and odd terms of the three pairs (their sum at a, their difference
/// at −a), and ∞.
#[inline(always)]
fn unpaired<S: Scalar>(zero: S, even: [S; 3], odd: [S; 3], infinity: S) -> [S; POINTS] {
    [
        zero,
        even[0] + odd[0],
        even[0] - odd[0],
        even[1] + odd[1],
        even[1] - odd[1],
        even[2] + odd[2],
        even[2] - odd[2],
        infinity,
    ]
}

/// The values at all points of a polynomial with these coefficients: those at each pair are
/// weighted sums of the even and of the odd ones.
#[inline(always)]
fn evaluate<S: Scalar, const N: usize>(of: [S; N], weights: &[[S; 3]; N]) -> [S; POINTS] {
    let (mut even, mut odd) = ([S::zero(); 3], [S::zero(); 3]);
    for j in 0..N {
        let sums = if j % 2 == 0 { &mut even } else { &mut odd };
        for pair in 0..3 {
            sums[pair] += weights[j][pair] * of[j];
        }
    }
    unpaired(of[0], even, odd, of[N - 1])
}
