//! G: the taps of a kernel, at all points.

use super::{LANES, columns, evaluate, load, pairs, store};
use crate::Scalar;
use crate::kernels::Packed;
use crate::kernels::winograd::{POINTS, stride};

/// a of the pairs of points ±a (all but 0 and ∞), and the scale 1/N of their rows of G, where
/// N = Π (a − other points).
const PAIRS: [(f64, f64); 3] = [(1.0, -1.0 / 4.5), (2.0, 1.0 / 90.0), (0.5, 32.0 / 45.0)];

/// 1/N · aᵗ for each tap and pair of points.
#[inline(always)]
fn weights<S: Scalar, const TAPS: usize>() -> [[S; 3]; TAPS] {
    let tap = |t: usize| i32::try_from(t).unwrap_or(0);
    std::array::from_fn(|t| PAIRS.map(|(point, scale)| S::from_f64(scale * point.powi(tap(t)))))
}

/// G k, see [`crate::kernels::winograd::kernel`].
#[inline(always)]
pub(in crate::kernels::winograd) fn kernel_points<S: Scalar, const TAPS: usize>(
    k: &[S],
    points: &mut [Packed<S>],
) {
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

/// See [`crate::kernels::winograd::kernel_back`].
#[inline(always)]
pub(in crate::kernels::winograd) fn kernel_taps<S: Scalar, const TAPS: usize>(
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
