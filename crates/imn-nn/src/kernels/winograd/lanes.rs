//! Columns of rows, some at a time, so that the compiler finds vector instructions.

use crate::Scalar;

/// Columns per step. With fewer, the compiler unrolls the loop over them before it looks for vector
/// instructions, and then finds only some.
pub(super) const LANES: usize = 32;

pub(super) type Lanes<S> = [S; LANES];

/// `result[o][l] = f(x[..][l], y[..][l])[o]` for every lane l.
#[inline(always)]
pub(super) fn columns<S: Scalar, const X: usize, const Y: usize, const O: usize>(
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
pub(super) fn load<'a, S: Scalar, const N: usize>(
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
pub(super) fn store<S: Scalar>(row: &mut [S], at: usize, lanes: &Lanes<S>) {
    match row.get_mut(at..).and_then(<[S]>::first_chunk_mut) {
        Some(whole) => *whole = *lanes,
        None => {
            let some = row.get_mut(at..).unwrap_or_default();
            some.copy_from_slice(&lanes[..some.len()]);
        }
    }
}
