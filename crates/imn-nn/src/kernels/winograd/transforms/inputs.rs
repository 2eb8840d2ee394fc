//! Bᵀ: the rows that a tile reads, at all points.

use super::{LANES, columns, load, pairs, rows_of_points, store, unpaired};
use crate::Scalar;
use crate::kernels::winograd::{POINTS, Tiles};

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
pub(in crate::kernels::winograd) fn inputs<S: Scalar>(
    tiles: &Tiles,
    x: &[S],
    cols: usize,
    v: &mut [S],
) {
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
pub(in crate::kernels::winograd) fn inputs_back<S: Scalar>(
    tiles: &Tiles,
    dv: &[S],
    cols: usize,
    dx: &mut [S],
) {
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
