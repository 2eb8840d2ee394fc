//! Bᵀ, G and Aᵀ, and their transposes for the backward pass: sums and multiples of rows.
//!
//! Each transform is a function of one column, which [`columns`] applies to [`LANES`] columns at a
//! time. All functions are inlined into [`Transform`](super::dispatch::Transform), which compiles
//! them for the vector instructions of the machine. The points come in pairs ±a: the terms that are
//! even in a and those that are odd are computed once, added for a and subtracted for −a.

use super::{POINTS, Tile, Tiles, stride};
use crate::Scalar;
use crate::kernels::Packed;

/// Columns per step. With fewer, the compiler unrolls the loop over them before it looks for vector
/// instructions, and then finds only some.
const LANES: usize = 32;

type Lanes<S> = [S; LANES];

/// a of the pairs of points ±a (all but 0 and ∞), and the scale 1/N of their rows of G, where
/// N = Π (a − other points).
const PAIRS: [(f64, f64); 3] = [(1.0, -1.0 / 4.5), (2.0, 1.0 / 90.0), (0.5, 32.0 / 45.0)];

/// `result[o][l] = f(x[..][l], y[..][l])[o]` for every lane l.
#[inline(always)]
fn columns<S: Scalar, const X: usize, const Y: usize, const O: usize>(
    x: [&Lanes<S>; X],
    y: [&Lanes<S>; Y],
    result: &mut [Lanes<S>; O],
    f: impl Fn([S; X], [S; Y]) -> [S; O],
) {
    for l in 0..LANES {
        let (mut of_x, mut of_y) = ([S::zero(); X], [S::zero(); Y]);
        for k in 0..X {
            of_x[k] = x[k][l];
        }
        for k in 0..Y {
            of_y[k] = y[k][l];
        }
        let column = f(of_x, of_y);
        for o in 0..O {
            result[o][l] = column[o];
        }
    }
}

/// The columns of rows of equal length from `at` on: in place, or in `buffers` with zeros past the
/// end of the rows.
#[inline(always)]
fn load<'a, S: Scalar, const N: usize>(
    rows: [&'a [S]; N],
    at: usize,
    buffers: &'a mut [Lanes<S>; N],
) -> [&'a Lanes<S>; N] {
    if rows[0].len() < at + LANES {
        load_some(rows, at, buffers);
    }
    let mut lanes = [&buffers[0]; N];
    for k in 0..N {
        lanes[k] = match rows[k].get(at..).and_then(<[S]>::first_chunk) {
            Some(whole) => whole,
            None => &buffers[k],
        };
    }
    lanes
}

#[cold]
#[inline(never)]
fn load_some<S: Scalar, const N: usize>(rows: [&[S]; N], at: usize, buffers: &mut [Lanes<S>; N]) {
    for (row, buffer) in rows.into_iter().zip(buffers) {
        let some = row.get(at..).unwrap_or_default();
        let (given, rest) = buffer.split_at_mut(some.len());
        given.copy_from_slice(some);
        rest.fill(S::zero());
    }
}

/// Writes lanes to the columns of a row from `at` on, as far as it has them.
#[inline(always)]
fn store<S: Scalar>(row: &mut [S], at: usize, lanes: &Lanes<S>) {
    match row.get_mut(at..).and_then(<[S]>::first_chunk_mut) {
        Some(whole) => *whole = *lanes,
        None => {
            let some = row.get_mut(at..).unwrap_or_default();
            some.copy_from_slice(&lanes[..some.len()]);
        }
    }
}

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
    let mut buffers = [[S::zero(); LANES]; POINTS];
    let mut points = [[S::zero(); LANES]; POINTS];
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
            let d = load(rows, at, &mut buffers);
            columns(
                d,
                [],
                &mut points,
                #[inline(always)]
                |d, []| {
                    let even = [
                        d[2] + d[6] - c.c17_4 * d[4],
                        d[6] + c.c1_4 * d[2] - c.c5_4 * d[4],
                        d[6] + c.c4 * d[2] - c.c5 * d[4],
                    ];
                    let odd = [
                        d[1] + d[5] - c.c17_4 * d[3],
                        c.c1_2 * d[1] + c.c2 * d[5] - c.c5_2 * d[3],
                        c.c2 * d[1] + c.c1_2 * d[5] - c.c5_2 * d[3],
                    ];
                    let zero = d[0] - d[6] + c.c21_4 * (d[4] - d[2]);
                    let infinity = d[7] - d[1] + c.c21_4 * (d[3] - d[5]);
                    unpaired(zero, even, odd, infinity)
                },
            );
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
    let mut buffers = [[S::zero(); LANES]; POINTS];
    let mut rows = [[S::zero(); LANES]; POINTS];
    for (i, tile) in tiles.tiles.iter().enumerate() {
        let top = tile.first - tiles.taps / 2;
        for at in (0..cols).step_by(LANES) {
            let v = load(rows_of_points(dv, size, i, cols), at, &mut buffers);
            columns(
                v,
                [],
                &mut rows,
                #[inline(always)]
                |v, []| {
                    let ([s1, s2, s3], [t1, t2, t3]) = pairs(&v);
                    let (z, f) = (v[0], v[7]);
                    [
                        z,
                        t1 - f + c.c1_2 * t2 + c.c2 * t3,
                        s1 - c.c21_4 * z + c.c1_4 * s2 + c.c4 * s3,
                        c.c21_4 * f - c.c17_4 * t1 - c.c5_2 * (t2 + t3),
                        c.c21_4 * z - c.c17_4 * s1 - c.c5_4 * s2 - c.c5 * s3,
                        t1 - c.c21_4 * f + c.c2 * t2 + c.c1_2 * t3,
                        s1 - z + s2 + s3,
                        f,
                    ]
                },
            );
            for (k, row) in rows.iter().enumerate() {
                let at_row = top + k;
                if at_row >= tile.start && at_row < tile.end {
                    let slot = &mut dx[at_row * cols..][..cols][at..];
                    slot.iter_mut()
                        .zip(row)
                        .for_each(|(slot, &new)| *slot += new);
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
    let nothing = vec![S::zero(); if bias.is_some() { 0 } else { cols }];
    let bias = bias.unwrap_or(&nothing);
    let size = tiles.stride(cols);
    let powers: [[S; 3]; M] = std::array::from_fn(powers);
    let mut buffers = [[S::zero(); LANES]; POINTS];
    let mut bias_buffer = [[S::zero(); LANES]; 1];
    let mut rows = [[S::zero(); LANES]; M];
    for (i, tile) in tiles.tiles.iter().enumerate() {
        let live = M.min(tile.end - tile.first);
        for at in (0..cols).step_by(LANES) {
            let m = load(rows_of_points(m, size, i, cols), at, &mut buffers);
            let [bias] = load([bias], at, &mut bias_buffer);
            columns(
                m,
                [bias],
                &mut rows,
                #[inline(always)]
                |m, [bias]| {
                    let (even, odd) = pairs(&m);
                    let mut column = [S::zero(); M];
                    for j in 0..M {
                        let pairs = if j % 2 == 0 { &even } else { &odd };
                        let [one, two, half] = powers[j];
                        let mut sum = one * pairs[0] + two * pairs[1] + half * pairs[2];
                        if j == 0 {
                            sum += m[0];
                        }
                        if j + 1 == M {
                            sum += m[POINTS - 1];
                        }
                        sum += bias;
                        // Not `max`, which would replace a NaN by 0.
                        column[j] = if relu && sum < S::zero() {
                            S::zero()
                        } else {
                            sum
                        };
                    }
                    column
                },
            );
            for (j, row) in rows.iter().enumerate().take(live) {
                store(&mut y[(tile.first + j) * cols..][..cols], at, row);
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
    let nothing = vec![S::zero(); cols];
    let size = tiles.stride(cols);
    let powers: [[S; 3]; M] = std::array::from_fn(powers);
    let mut dy_buffers = [[S::zero(); LANES]; M];
    let mut y_buffers = [[S::zero(); LANES]; M];
    let mut points = [[S::zero(); LANES]; POINTS];
    for (i, tile) in tiles.tiles.iter().enumerate() {
        let dy = rows_of_outputs::<S, M>(tile, dy, &nothing);
        let y = y.map(|y| rows_of_outputs::<S, M>(tile, y, &nothing));
        for at in (0..cols).step_by(LANES) {
            let g = load(dy, at, &mut dy_buffers);
            match y {
                None => columns(
                    g,
                    [],
                    &mut points,
                    #[inline(always)]
                    |g, []| evaluate(g, &powers),
                ),
                Some(y) => {
                    let y = load(y, at, &mut y_buffers);
                    columns(
                        g,
                        y,
                        &mut points,
                        #[inline(always)]
                        |mut g: [S; M], y| {
                            for j in 0..M {
                                g[j] = if y[j] > S::zero() { g[j] } else { S::zero() };
                            }
                            evaluate(g, &powers)
                        },
                    );
                }
            }
            for (p, point) in points.iter().enumerate() {
                store(&mut dm[p * size + i * cols..][..cols], at, point);
            }
        }
    }
}

/// The outputs of a tile, with rows of zeros past the end of its sequence.
#[inline(always)]
fn rows_of_outputs<'a, S, const M: usize>(
    tile: &Tile,
    of: &'a [S],
    nothing: &'a [S],
) -> [&'a [S]; M] {
    let cols = nothing.len();
    std::array::from_fn(|j| {
        if tile.first + j < tile.end {
            &of[(tile.first + j) * cols..][..cols]
        } else {
            nothing
        }
    })
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

/// 1/N · aᵗ for each tap and pair of points.
#[inline(always)]
fn weights<S: Scalar, const TAPS: usize>() -> [[S; 3]; TAPS] {
    let tap = |t: usize| i32::try_from(t).unwrap_or(0);
    std::array::from_fn(|t| PAIRS.map(|(point, scale)| S::from_f64(scale * point.powi(tap(t)))))
}

/// G k, see [`super::kernel`].
#[inline(always)]
pub(super) fn kernel_points<S: Scalar, const TAPS: usize>(k: &[S], points: &mut [Packed<S>]) {
    let Some(&Packed {
        k: inputs,
        n: outputs,
        layout,
        ..
    }) = points.first()
    else {
        return;
    };
    let (weights, width) = (weights::<S, TAPS>(), layout.width(outputs).max(1));
    assert!(width >= outputs || width.is_multiple_of(CHUNK));
    let mut buffers = [[S::zero(); LANES]; TAPS];
    let mut values = [[S::zero(); LANES]; POINTS];
    for at in (0..outputs).step_by(LANES) {
        let end = outputs.min(at + LANES);
        for input in 0..inputs {
            let rows: [&[S]; TAPS] =
                std::array::from_fn(|t| &k[(t * inputs + input) * outputs..][..outputs]);
            let taps = load(rows, at, &mut buffers);
            columns(
                taps,
                [],
                &mut values,
                #[inline(always)]
                |taps, []| evaluate(taps, &weights),
            );
            for (point, value) in points.iter_mut().zip(&values) {
                for column in (at..end).step_by(width.min(CHUNK)) {
                    let (panel, first) = (column / width, column % width);
                    let count = (width - first).min(end - column).min(CHUNK);
                    let to = (panel * inputs + input) * width + first;
                    copy(
                        &value[column - at..][..count],
                        &mut point.data[to..][..count],
                    );
                }
            }
        }
    }
}

/// Consecutive columns of a panel that are copied by one instruction.
const CHUNK: usize = 16;

/// Copies up to [`CHUNK`] numbers.
#[inline(always)]
fn copy<S: Scalar>(from: &[S], to: &mut [S]) {
    if let (Ok(to), Ok(from)) = (<&mut [S; CHUNK]>::try_from(&mut *to), from.try_into()) {
        let from: &[S; CHUNK] = from;
        *to = *from;
    } else {
        copy_some(from, to);
    }
}

#[cold]
#[inline(never)]
fn copy_some<S: Scalar>(from: &[S], to: &mut [S]) {
    to.copy_from_slice(from);
}

/// See [`super::kernel_back`].
#[inline(always)]
pub(super) fn kernel_taps<S: Scalar, const TAPS: usize>(
    du: &[S],
    size: usize,
    dk: &mut [S],
    accumulate: bool,
) {
    let weights = weights::<S, TAPS>();
    let mut buffers = [[S::zero(); LANES]; POINTS];
    let mut earlier = [[S::zero(); LANES]; TAPS];
    let mut taps = [[S::zero(); LANES]; TAPS];
    for at in (0..size).step_by(LANES) {
        let rows = std::array::from_fn(|p| &du[p * stride(size)..][..size]);
        let points = load(rows, at, &mut buffers);
        if accumulate {
            for (t, earlier) in earlier.iter_mut().enumerate() {
                let some = &dk[t * size..][..size][at..];
                let count = some.len().min(LANES);
                earlier[..count].copy_from_slice(&some[..count]);
            }
        }
        columns(
            points,
            earlier.each_ref(),
            &mut taps,
            #[inline(always)]
            |points, earlier| {
                let (sums, differences) = pairs(&points);
                let mut column = earlier;
                for t in 0..TAPS {
                    if t == 0 {
                        column[t] += points[0];
                    }
                    if t + 1 == TAPS {
                        column[t] += points[POINTS - 1];
                    }
                    let pairs = if t % 2 == 0 { &sums } else { &differences };
                    for pair in 0..3 {
                        column[t] += weights[t][pair] * pairs[pair];
                    }
                }
                column
            },
        );
        for (t, tap) in taps.iter().enumerate() {
            store(&mut dk[t * size..][..size], at, tap);
        }
    }
}
