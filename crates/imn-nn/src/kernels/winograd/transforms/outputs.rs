//! Aᵀ: the outputs of a tile, from the products at all points.

use super::{LANES, columns, evaluate, load, pairs, rows_of_points, store};
use crate::Scalar;
use crate::kernels::winograd::{POINTS, Tile, Tiles};

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
pub(in crate::kernels::winograd) fn outputs_of<S: Scalar, const M: usize>(
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
pub(in crate::kernels::winograd) fn outputs_back<S: Scalar, const M: usize>(
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
