//! Tiles of 6 rows × 16 columns for AVX2 and FMA.
//!
//! Twelve accumulators, two registers for a row of `B` and one for a broadcast number of `A` take
//! 15 of the 16 registers. Rows of `A` are read in place, through one pointer each. A convolution
//! therefore needs no im2col, separator rows are left out of the list, and a recurrent step can
//! gather its rows.
#![allow(unsafe_code)]

mod elementwise;
mod gradient_product;
mod repack;
mod row_product;

use std::arch::x86_64::{
    __m256, _MM_HINT_T0, _mm_prefetch, _mm256_add_ps, _mm256_broadcast_ss, _mm256_fmadd_ps,
    _mm256_loadu_ps, _mm256_max_ps, _mm256_setzero_ps, _mm256_storeu_ps,
};

use super::packed::Copies;
use super::{Epilogue, PANEL, Packed, PackedLayout, Stacked};

pub(super) use elementwise::gelu;
pub(super) use gradient_product::gradient_product;
pub(super) use repack::{repack, transpose};
pub(super) use row_product::row_product;

/// The instructions of the tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instructions {
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 as well.
    Avx512,
}

impl Instructions {
    /// The best that this machine has, if it has AVX2.
    pub(super) fn best() -> Self {
        match super::has_avx512() {
            true => Self::Avx512,
            false => Self::Avx2,
        }
    }

    /// Whether this machine has them.
    pub(super) fn are_available(self) -> bool {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        avx2 && (self == Self::Avx2 || super::has_avx512())
    }

    /// Panels that a tile of a row product takes at a time.
    fn panels(self) -> usize {
        match self {
            Self::Avx2 => 1,
            Self::Avx512 => 2,
        }
    }
}

/// Rows of a tile.
const TILE: usize = 6;
/// Depth of a block. A panel of `B` of this depth takes 32 kB. Smaller ones stay in the L1 cache,
/// but then `C` is loaded and stored more often, which costs more (measured from 256 to 1280).
const DEPTH: usize = 512;

/// Packs a matrix into panels of 16 columns.
pub(super) fn pack(matrix: &Stacked<'_, f32>) -> Packed<f32> {
    let Stacked {
        data: from,
        ref blocks,
        rows,
        cols: n,
    } = *matrix;
    let k = rows * blocks.len();
    let mut data = vec![0.0; n.div_ceil(PANEL) * PANEL * k];
    for (panel, chunk) in data.chunks_exact_mut((PANEL * k).max(1)).enumerate() {
        let first = panel * PANEL;
        let columns = PANEL.min(n - first);
        for (view, out) in blocks
            .iter()
            .zip(chunk.chunks_exact_mut((PANEL * rows).max(1)))
        {
            let start = view.start + first * view.col_stride;
            if view.col_stride == 1 {
                for (i, row) in out.chunks_exact_mut(PANEL).enumerate() {
                    let at = start + i * view.row_stride;
                    row[..columns].copy_from_slice(&from[at..at + columns]);
                }
            } else {
                // A transposed block: its columns are (nearly) consecutive in memory.
                for j in 0..columns {
                    let column = &from[start + j * view.col_stride..];
                    for (i, row) in out.chunks_exact_mut(PANEL).enumerate() {
                        row[j] = column[i * view.row_stride];
                    }
                }
            }
        }
    }
    Packed {
        k,
        n,
        data,
        layout: PackedLayout::Panels,
        copies: Copies::default(),
    }
}

/// What to do with a tile of `C` besides the product.
#[derive(Clone, Copy)]
pub(super) struct Finish {
    /// Add to the contents of `C`.
    pub(super) load: bool,
    /// The bias, 16 numbers per panel, or null.
    pub(super) bias: *const f32,
    pub(super) epilogue: Epilogue,
}

/// Prefetches the rows of a tile of `C`, which are needed when the loop over the depth has ended.
///
/// # Safety
/// Requires AVX2 and FMA. The pointers are not dereferenced.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn prefetch<const R: usize>(c: &[*mut f32; R]) {
    for row in c {
        _mm_prefetch::<_MM_HINT_T0>(row.cast::<i8>());
        _mm_prefetch::<_MM_HINT_T0>(row.wrapping_add(PANEL - 1).cast::<i8>());
    }
}

/// One step of the loop over the depth.
///
/// # Safety
/// Requires AVX2 and FMA; `a[r] + i` and 16 numbers at `b` are readable.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn multiply<const R: usize>(
    sums: &mut [[__m256; 2]; R],
    a: &[*const f32; R],
    i: usize,
    b: *const f32,
) {
    // SAFETY: the caller guarantees the memory.
    unsafe {
        let low = _mm256_loadu_ps(b);
        let high = _mm256_loadu_ps(b.add(8));
        for r in 0..R {
            let x = _mm256_broadcast_ss(&*a[r].add(i));
            sums[r][0] = _mm256_fmadd_ps(x, low, sums[r][0]);
            sums[r][1] = _mm256_fmadd_ps(x, high, sums[r][1]);
        }
    }
}

/// Adds the contents of `C` and the bias, applies the epilogue and stores the tile. `GRADIENT` only
/// makes one instance per caller, which is then inlined there.
///
/// # Safety
/// Requires AVX2 and FMA; `c[r]` points to 16 numbers that have no other reference, and
/// `finish.bias` is null or points to 16 numbers.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn finish_tile<const R: usize, const GRADIENT: bool>(
    sums: &[[__m256; 2]; R],
    c: [*mut f32; R],
    finish: Finish,
) {
    for r in 0..R {
        for (half, &sum) in sums[r].iter().enumerate() {
            // SAFETY: the caller guarantees 16 numbers at `c[r]` and at the bias.
            unsafe {
                let out = c[r].add(8 * half);
                let mut sum = sum;
                if finish.load {
                    sum = _mm256_add_ps(_mm256_loadu_ps(out), sum);
                }
                if !finish.bias.is_null() {
                    sum = _mm256_add_ps(sum, _mm256_loadu_ps(finish.bias.add(8 * half)));
                }
                sum = match finish.epilogue {
                    Epilogue::Identity => sum,
                    // With a NaN, `max` returns its second operand: a NaN stays a NaN.
                    Epilogue::Relu => _mm256_max_ps(_mm256_setzero_ps(), sum),
                    Epilogue::Gelu => elementwise::gelu(sum),
                };
                _mm256_storeu_ps(out, sum);
            }
        }
    }
}
