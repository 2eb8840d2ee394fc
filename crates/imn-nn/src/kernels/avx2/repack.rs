//! Packing and transposing small matrices, for products that are computed only once.
#![allow(unsafe_code)]

use std::arch::x86_64::{_mm256_loadu_ps, _mm256_setzero_ps, _mm256_storeu_ps};

use super::elementwise;
use crate::kernels::{PANEL, Packed, PackedLayout, Strided};

/// Numbers per register.
const LANES: usize = 8;

/// See [`Packed::refill`]. Either the rows or the columns of `view` are consecutive in memory.
pub(in crate::kernels) fn repack(
    packed: &mut Packed<f32>,
    data: &[f32],
    view: Strided,
    (k, n): (usize, usize),
    width: usize,
) {
    let panels = width.div_ceil(PANEL);
    packed.data.resize(panels * PANEL * k, 0.0);
    (packed.k, packed.n, packed.layout) = (k, width, PackedLayout::Panels);
    for (panel, out) in packed.data.chunks_exact_mut((PANEL * k).max(1)).enumerate() {
        let first = panel * PANEL;
        let columns = PANEL.min(n.saturating_sub(first));
        if columns == 0 {
            out.fill(0.0);
            continue;
        }
        let start = view.start + first * view.col_stride;
        if view.col_stride == 1 {
            for (i, row) in out.chunks_exact_mut(PANEL).enumerate() {
                let from = &data[start + i * view.row_stride..][..columns];
                if columns == PANEL {
                    row.copy_from_slice(from);
                } else {
                    row[..columns].copy_from_slice(from);
                    row[columns..].fill(0.0);
                }
            }
        } else {
            for half in 0..PANEL / LANES {
                let filled = LANES.min(columns.saturating_sub(half * LANES));
                let from = start + half * LANES * view.col_stride;
                let from = &data[if filled == 0 { 0 } else { from }..];
                transpose(
                    (from, view.col_stride),
                    (filled, k),
                    (&mut out[half * LANES..], PANEL),
                );
            }
        }
    }
}

/// `out[j][i] = data[i][j]` for `i < rows` and `j < cols`. Rows of `out` are padded with zeros to a
/// multiple of eight numbers.
pub(in crate::kernels) fn transpose(
    (data, stride): (&[f32], usize),
    (rows, cols): (usize, usize),
    (out, out_stride): (&mut [f32], usize),
) {
    if cols == 0 {
        return;
    }
    let filled = rows.next_multiple_of(LANES).max(LANES);
    assert!(
        rows == 0 || (rows - 1) * stride + cols <= data.len(),
        "{rows} rows of {cols} at stride {stride} are beyond {} numbers",
        data.len()
    );
    assert!(
        (cols - 1) * out_stride + filled <= out.len(),
        "{cols} rows of {filled} at stride {out_stride} are beyond {} numbers",
        out.len()
    );
    // SAFETY: the caller has detected AVX2 and FMA; the sizes of both sides are asserted above.
    unsafe { squares((data, stride), (rows, cols), (out, out_stride), filled) };
}

/// Transposes squares of eight by eight.
///
/// # Safety
/// Requires AVX2 and FMA; `data` holds `rows` rows of `cols` numbers, and `out` has room for
/// `cols` rows of `filled` numbers, a multiple of eight and at least `rows`.
#[target_feature(enable = "avx2,fma")]
unsafe fn squares(
    (data, stride): (&[f32], usize),
    (rows, cols): (usize, usize),
    (out, out_stride): (&mut [f32], usize),
    filled: usize,
) {
    let whole = cols / LANES * LANES;
    for i in (0..filled).step_by(LANES) {
        let present = LANES.min(rows.saturating_sub(i));
        for j in (0..whole).step_by(LANES) {
            let mut square = [_mm256_setzero_ps(); LANES];
            for (r, row) in square.iter_mut().enumerate().take(present) {
                // SAFETY: row `i + r < rows` holds `cols ≥ j + 8` numbers.
                *row = unsafe { _mm256_loadu_ps(data.as_ptr().add((i + r) * stride + j)) };
            }
            for (r, row) in elementwise::transpose(square).into_iter().enumerate() {
                // SAFETY: row `j + r < cols` of the output holds `filled ≥ i + 8` numbers.
                unsafe { _mm256_storeu_ps(out.as_mut_ptr().add((j + r) * out_stride + i), row) };
            }
        }
        for j in whole..cols {
            for r in 0..LANES {
                out[j * out_stride + i + r] = if r < present {
                    data[(i + r) * stride + j]
                } else {
                    0.0
                };
            }
        }
    }
}
