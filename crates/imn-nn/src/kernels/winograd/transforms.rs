//! Bᵀ, G and Aᵀ, and their transposes for the backward pass: sums and multiples of rows, [`LANES`]
//! columns at a time.
//!
//! All functions are inlined into [`Transform`](super::dispatch::Transform), which compiles them
//! for the vector instructions of the machine. The points come in pairs ±a: the terms that are even
//! in a and those that are odd are computed once, added for a and subtracted for −a.

use super::{POINTS, Tiles, stride};
use crate::Scalar;
use crate::kernels::Packed;

/// Columns per step.
const LANES: usize = 16;

type Lanes<S> = [S; LANES];

/// a of the pairs of points ±a (all but 0 and ∞), and the scale 1/N of their rows of G, where
/// N = Π (a − other points).
const PAIRS: [(f64, f64); 3] = [(1.0, -1.0 / 4.5), (2.0, 1.0 / 90.0), (0.5, 32.0 / 45.0)];

#[inline(always)]
fn load<S: Scalar>(from: &[S], at: usize) -> Lanes<S> {
    match from.get(at..).and_then(<[S]>::first_chunk) {
        Some(lanes) => *lanes,
        None => load_some(from, at),
    }
}

/// The rest of a row whose length is not a multiple of [`LANES`], padded with zeros.
#[cold]
#[inline(never)]
fn load_some<S: Scalar>(from: &[S], at: usize) -> Lanes<S> {
    let mut lanes = [S::zero(); LANES];
    if let Some(some) = from.get(at..) {
        lanes[..some.len()].copy_from_slice(some);
    }
    lanes
}

#[inline(always)]
fn store<S: Scalar>(to: &mut [S], at: usize, lanes: &Lanes<S>) {
    match to.get_mut(at..).and_then(<[S]>::first_chunk_mut) {
        Some(whole) => *whole = *lanes,
        None => store_some(to, at, lanes),
    }
}

#[cold]
#[inline(never)]
fn store_some<S: Scalar>(to: &mut [S], at: usize, lanes: &Lanes<S>) {
    if let Some(some) = to.get_mut(at..) {
        let count = some.len();
        some.copy_from_slice(&lanes[..count]);
    }
}

/// f(l) for every lane l.
#[inline(always)]
fn lanes<S: Scalar>(f: impl Fn(usize) -> S) -> Lanes<S> {
    // Not `from_fn`, which is not always inlined: code that is not inlined is not compiled for the
    // vector instructions of the machine.
    let mut lanes = [S::zero(); LANES];
    for (l, lane) in lanes.iter_mut().enumerate() {
        *lane = f(l);
    }
    lanes
}

/// The lanes of every point at a tile and column of [`POINTS`] matrices.
#[inline(always)]
fn load_points<S: Scalar>(
    from: &[S],
    size: usize,
    row: usize,
    cols: usize,
    at: usize,
) -> [Lanes<S>; POINTS] {
    let mut points = [[S::zero(); LANES]; POINTS];
    for (p, point) in points.iter_mut().enumerate() {
        *point = load(&from[p * size + row..][..cols], at);
    }
    points
}

/// Sums and differences of the three pairs of points.
#[inline(always)]
fn pairs<S: Scalar>(points: &[Lanes<S>; POINTS]) -> ([Lanes<S>; 3], [Lanes<S>; 3]) {
    let (mut sums, mut differences) = ([[S::zero(); LANES]; 3], [[S::zero(); LANES]; 3]);
    for pair in 0..3 {
        let (plus, minus) = (&points[1 + 2 * pair], &points[2 + 2 * pair]);
        sums[pair] = lanes(|l| plus[l] + minus[l]);
        differences[pair] = lanes(|l| plus[l] - minus[l]);
    }
    (sums, differences)
}

/// All points from 0, the even and odd terms of the three pairs (their sum at a, their difference
/// at −a), and ∞.
#[inline(always)]
fn unpaired<S: Scalar>(
    zero: Lanes<S>,
    even: [Lanes<S>; 3],
    odd: [Lanes<S>; 3],
    infinity: Lanes<S>,
) -> [Lanes<S>; POINTS] {
    let mut points = [zero; POINTS];
    for pair in 0..3 {
        points[1 + 2 * pair] = lanes(|l| even[pair][l] + odd[pair][l]);
        points[2 + 2 * pair] = lanes(|l| even[pair][l] - odd[pair][l]);
    }
    points[POINTS - 1] = infinity;
    points
}

/// Coefficients of Bᵀ besides ±1.
struct Coefficients<S> {
    c21_4: S,
    c17_4: S,
    c5: S,
    c5_2: S,
    c5_4: S,
    c4: S,
    c2: S,
    c1_2: S,
    c1_4: S,
}

impl<S: Scalar> Coefficients<S> {
    #[inline(always)]
    fn new() -> Self {
        Self {
            c21_4: S::from_f64(5.25),
            c17_4: S::from_f64(4.25),
            c5: S::from_f64(5.0),
            c5_2: S::from_f64(2.5),
            c5_4: S::from_f64(1.25),
            c4: S::from_f64(4.0),
            c2: S::from_f64(2.0),
            c1_2: S::from_f64(0.5),
            c1_4: S::from_f64(0.25),
        }
    }
}

/// Bᵀ x, see [`Tiles::inputs`].
#[inline(always)]
pub(super) fn inputs<S: Scalar>(tiles: &Tiles, x: &[S], cols: usize, v: &mut [S]) {
    let c = Coefficients::<S>::new();
    let nothing = vec![S::zero(); cols];
    let size = tiles.stride(cols);
    for (i, tile) in tiles.tiles.iter().enumerate() {
        let top = tile.first - tiles.taps / 2;
        let live = POINTS.min(tile.end + tiles.taps / 2 - top);
        let rows: [&[S]; POINTS] = std::array::from_fn(|k| {
            if k < live {
                &x[(top + k) * cols..][..cols]
            } else {
                nothing.as_slice()
            }
        });
        for at in (0..cols).step_by(LANES) {
            let mut d = [[S::zero(); LANES]; POINTS];
            for (lanes, row) in d.iter_mut().zip(rows) {
                *lanes = load(row, at);
            }
            let zero = lanes(|l| d[0][l] - d[6][l] + c.c21_4 * (d[4][l] - d[2][l]));
            let infinity = lanes(|l| d[7][l] - d[1][l] + c.c21_4 * (d[3][l] - d[5][l]));
            let even = [
                lanes(|l| d[2][l] + d[6][l] - c.c17_4 * d[4][l]),
                lanes(|l| d[6][l] + c.c1_4 * d[2][l] - c.c5_4 * d[4][l]),
                lanes(|l| d[6][l] + c.c4 * d[2][l] - c.c5 * d[4][l]),
            ];
            let odd = [
                lanes(|l| d[1][l] + d[5][l] - c.c17_4 * d[3][l]),
                lanes(|l| c.c1_2 * d[1][l] + c.c2 * d[5][l] - c.c5_2 * d[3][l]),
                lanes(|l| c.c2 * d[1][l] + c.c1_2 * d[5][l] - c.c5_2 * d[3][l]),
            ];
            let points = unpaired(zero, even, odd, infinity);
            for (p, point) in points.iter().enumerate() {
                store(&mut v[p * size + i * cols..][..cols], at, point);
            }
        }
    }
}

/// See [`Tiles::inputs_back`].
#[inline(always)]
pub(super) fn inputs_back<S: Scalar>(tiles: &Tiles, dv: &[S], cols: usize, dx: &mut [S]) {
    let c = Coefficients::<S>::new();
    let size = tiles.stride(cols);
    for (i, tile) in tiles.tiles.iter().enumerate() {
        let top = tile.first - tiles.taps / 2;
        for at in (0..cols).step_by(LANES) {
            let v = load_points(dv, size, i * cols, cols, at);
            let ([s1, s2, s3], [t1, t2, t3]) = pairs(&v);
            let (z, f) = (v[0], v[7]);
            let rows = [
                z,
                lanes(|l| t1[l] - f[l] + c.c1_2 * t2[l] + c.c2 * t3[l]),
                lanes(|l| s1[l] - c.c21_4 * z[l] + c.c1_4 * s2[l] + c.c4 * s3[l]),
                lanes(|l| c.c21_4 * f[l] - c.c17_4 * t1[l] - c.c5_2 * (t2[l] + t3[l])),
                lanes(|l| c.c21_4 * z[l] - c.c17_4 * s1[l] - c.c5_4 * s2[l] - c.c5 * s3[l]),
                lanes(|l| t1[l] - c.c21_4 * f[l] + c.c2 * t2[l] + c.c1_2 * t3[l]),
                lanes(|l| s1[l] - z[l] + s2[l] + s3[l]),
                f,
            ];
            for (k, row) in rows.iter().enumerate() {
                let at_row = top + k;
                if at_row >= tile.start && at_row < tile.end {
                    let slot = &mut dx[at_row * cols..][..cols];
                    let old = load(slot, at);
                    store(slot, at, &lanes(|l| old[l] + row[l]));
                }
            }
        }
    }
}

/// aʲ for the three pairs of points.
#[inline(always)]
fn powers<S: Scalar>(j: usize) -> [S; 3] {
    let j = i32::try_from(j).unwrap_or(0);
    [
        S::one(),
        S::from_f64(2_f64.powi(j)),
        S::from_f64(0.5_f64.powi(j)),
    ]
}

/// Aᵀ m for tiles of `M` outputs, see [`Tiles::outputs`].
#[inline(always)]
pub(super) fn outputs_of<S: Scalar, const M: usize>(
    tiles: &Tiles,
    m: &[S],
    cols: usize,
    bias: Option<&[S]>,
    relu: bool,
    y: &mut [S],
) {
    let size = tiles.stride(cols);
    let powers: [[S; 3]; M] = std::array::from_fn(powers);
    for (i, tile) in tiles.tiles.iter().enumerate() {
        let live = M.min(tile.end - tile.first);
        for at in (0..cols).step_by(LANES) {
            let m = load_points(m, size, i * cols, cols, at);
            let bias = match bias {
                Some(bias) => load(bias, at),
                None => [S::zero(); LANES],
            };
            let (even, odd) = pairs(&m);
            for (j, &[one, two, half]) in powers.iter().enumerate().take(live) {
                let pairs = if j % 2 == 0 { &even } else { &odd };
                let mut sum = lanes(|l| one * pairs[0][l] + two * pairs[1][l] + half * pairs[2][l]);
                if j == 0 {
                    sum = lanes(|l| sum[l] + m[0][l]);
                }
                if j + 1 == M {
                    sum = lanes(|l| sum[l] + m[POINTS - 1][l]);
                }
                sum = lanes(|l| sum[l] + bias[l]);
                if relu {
                    // Not `max`, which would replace a NaN by 0.
                    sum = lanes(|l| {
                        if sum[l] < S::zero() {
                            S::zero()
                        } else {
                            sum[l]
                        }
                    });
                }
                store(&mut y[(tile.first + j) * cols..][..cols], at, &sum);
            }
        }
    }
}

/// See [`Tiles::outputs_back`].
#[inline(always)]
pub(super) fn outputs_back<S: Scalar, const M: usize>(
    tiles: &Tiles,
    dy: &[S],
    cols: usize,
    y: Option<&[S]>,
    dm: &mut [S],
) {
    let size = tiles.stride(cols);
    let powers: [[S; 3]; M] = std::array::from_fn(powers);
    for (i, tile) in tiles.tiles.iter().enumerate() {
        let live = M.min(tile.end - tile.first);
        for at in (0..cols).step_by(LANES) {
            let zero = [S::zero(); LANES];
            let (mut even, mut odd) = ([zero; 3], [zero; 3]);
            let (mut first, mut last) = (zero, zero);
            for (j, powers) in powers.iter().enumerate().take(live) {
                let row = (tile.first + j) * cols;
                let mut g = load(&dy[row..][..cols], at);
                if let Some(y) = y {
                    let y = load(&y[row..][..cols], at);
                    g = lanes(|l| if y[l] > S::zero() { g[l] } else { S::zero() });
                }
                let sums = if j % 2 == 0 { &mut even } else { &mut odd };
                for (sum, &power) in sums.iter_mut().zip(powers) {
                    *sum = lanes(|l| sum[l] + power * g[l]);
                }
                if j == 0 {
                    first = g;
                }
                if j + 1 == M {
                    last = g;
                }
            }
            let points = unpaired(first, even, odd, last);
            for (p, point) in points.iter().enumerate() {
                store(&mut dm[p * size + i * cols..][..cols], at, point);
            }
        }
    }
}

/// Maximum number of taps of a kernel that is applied in tiles.
const MAX_TAPS: usize = 7;

/// 1/N · aᵗ for each tap and pair of points.
#[inline(always)]
fn weights<S: Scalar>() -> [[S; 3]; MAX_TAPS] {
    let tap = |t: usize| i32::try_from(t).unwrap_or(0);
    std::array::from_fn(|t| PAIRS.map(|(point, scale)| S::from_f64(scale * point.powi(tap(t)))))
}

/// G k, see [`super::kernel`].
#[inline(always)]
pub(super) fn kernel_points<S: Scalar>(k: &[S], taps: usize, points: &mut [Packed<S>]) {
    let Some(&Packed {
        k: inputs,
        n: outputs,
        layout,
        ..
    }) = points.first()
    else {
        return;
    };
    let (weights, width) = (weights::<S>(), layout.width(outputs).max(1));
    for panel in 0..outputs.div_ceil(width) {
        let columns = width.min(outputs - panel * width);
        for input in 0..inputs {
            let from = input * outputs + panel * width;
            let to = (panel * inputs + input) * width;
            for at in (0..columns).step_by(LANES) {
                let tap = |t: usize| load(&k[t * inputs * outputs + from..][..columns], at);
                let (mut even, mut odd) = ([[S::zero(); LANES]; 3], [[S::zero(); LANES]; 3]);
                for (t, weights) in weights[..taps].iter().enumerate() {
                    let tap = tap(t);
                    let sums = if t % 2 == 0 { &mut even } else { &mut odd };
                    for (sum, &weight) in sums.iter_mut().zip(weights) {
                        *sum = lanes(|l| sum[l] + weight * tap[l]);
                    }
                }
                let values = unpaired(tap(0), even, odd, tap(taps - 1));
                for (point, value) in points.iter_mut().zip(&values) {
                    store(&mut point.data[to..][..columns], at, value);
                }
            }
        }
    }
}

/// See [`super::kernel_back`].
#[inline(always)]
pub(super) fn kernel_taps<S: Scalar>(
    du: &[S],
    taps: usize,
    size: usize,
    dk: &mut [S],
    accumulate: bool,
) {
    let weights = weights::<S>();
    for at in (0..size).step_by(LANES) {
        let point = load_points(du, stride(size), 0, size, at);
        let (sums, differences) = pairs(&point);
        for (t, weights) in weights[..taps].iter().enumerate() {
            let slot = &mut dk[t * size..][..size];
            let mut tap = if accumulate {
                load(slot, at)
            } else {
                [S::zero(); LANES]
            };
            if t == 0 {
                tap = lanes(|l| tap[l] + point[0][l]);
            }
            if t + 1 == taps {
                tap = lanes(|l| tap[l] + point[POINTS - 1][l]);
            }
            let pairs = if t % 2 == 0 { &sums } else { &differences };
            for (&weight, values) in weights.iter().zip(pairs) {
                tap = lanes(|l| tap[l] + weight * values[l]);
            }
            store(slot, at, &tap);
        }
    }
}
