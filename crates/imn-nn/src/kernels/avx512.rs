//! Tiles of up to 12 rows × 32 columns for AVX-512, over the panels of the AVX2 kernels.
//!
//! A panel of 16 columns is one register. Two panels and twelve rows are 24 accumulators. One step
//! of the loop over the depth has 14 loads for 24 multiplications, about half as many loads per
//! multiplication as the AVX2 tiles, so that panels may come from the L2 cache. Every number is
//! summed in the same order as in the AVX2 tiles: the results are the same bit for bit.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m512, __mmask16, _MM_HINT_T0, _MM_HINT_T1, _mm_prefetch, _mm512_add_ps,
    _mm512_castps256_ps512, _mm512_castps512_ps256, _mm512_extractf32x8_ps, _mm512_fmadd_ps,
    _mm512_insertf32x8, _mm512_loadu_ps, _mm512_mask_storeu_ps, _mm512_maskz_loadu_ps,
    _mm512_max_ps, _mm512_set1_ps, _mm512_setzero_ps,
};

use super::avx2::{Finish, gelu};
use super::{Epilogue, PANEL};

/// Rows of a tile of a row product. With more, the compiler runs out of registers.
pub(super) const ROWS: usize = 10;
/// Rows of a tile of a gradient product.
pub(super) const TILE: usize = 12;

/// One step of the loop over the depth: `sums[r][p] += a[r] · b[p]`.
///
/// # Safety
/// Requires AVX-512; `a(r)` is readable for `r < R`, and so are 16 numbers at `b(p)` for `p < P`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
unsafe fn multiply<const R: usize, const P: usize>(
    sums: &mut [[__m512; P]; R],
    a: impl Fn(usize) -> *const f32,
    b: impl Fn(usize) -> *const f32,
) {
    // SAFETY: the caller guarantees the memory.
    unsafe {
        let b: [__m512; P] = std::array::from_fn(|p| _mm512_loadu_ps(b(p)));
        for (r, sums) in sums.iter_mut().enumerate() {
            let x = _mm512_set1_ps(*a(r));
            for p in 0..P {
                sums[p] = _mm512_fmadd_ps(x, b[p], sums[p]);
            }
        }
    }
}

/// The mask of the columns of panel `p` that are less than `columns`.
pub(super) fn mask(columns: usize, p: usize) -> __mmask16 {
    match columns.saturating_sub(p * PANEL) {
        0 => 0,
        count if count >= PANEL => __mmask16::MAX,
        count => (1 << count) - 1,
    }
}

/// GELU of a row of a tile, after the row is stored. If it were inlined before the store, it would
/// take registers from the sums.
///
/// # Safety
/// Requires AVX-512, AVX2 and FMA; `c` points to `columns` numbers that have no other reference.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
pub(super) unsafe fn gelu_row(c: *mut f32, columns: usize) {
    for p in 0..columns.div_ceil(PANEL) {
        let mask = mask(columns, p);
        // SAFETY: the mask excludes numbers beyond the columns.
        unsafe {
            let x = _mm512_maskz_loadu_ps(mask, c.add(p * PANEL));
            let low = gelu(_mm512_castps512_ps256(x));
            let high = gelu(_mm512_extractf32x8_ps::<1>(x));
            let y = _mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high);
            _mm512_mask_storeu_ps(c.add(p * PANEL), mask, y);
        }
    }
}

/// Adds the contents of `C` and the bias, applies ReLU if it is the epilogue, and stores the tile.
///
/// # Safety
/// Requires AVX-512; `c(r)` points to `columns` numbers that have no other reference, and
/// `finish.bias` is null or points to 16 `P` numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
pub(super) unsafe fn finish_tile<const R: usize, const P: usize>(
    sums: &[[__m512; P]; R],
    c: impl Fn(usize) -> *mut f32,
    columns: usize,
    finish: Finish,
) {
    for (r, sums) in sums.iter().enumerate() {
        for (p, &sum) in sums.iter().enumerate() {
            let (mut sum, mask) = (sum, mask(columns, p));
            // SAFETY: the mask excludes numbers beyond the columns, and the bias has 16 numbers per
            // panel.
            unsafe {
                let out = c(r).add(p * PANEL);
                if finish.load {
                    sum = _mm512_add_ps(_mm512_maskz_loadu_ps(mask, out), sum);
                }
                if !finish.bias.is_null() {
                    sum = _mm512_add_ps(sum, _mm512_loadu_ps(finish.bias.add(p * PANEL)));
                }
                if finish.epilogue == Epilogue::Relu {
                    // With a NaN, `max` returns its second operand: a NaN stays a NaN.
                    sum = _mm512_max_ps(_mm512_setzero_ps(), sum);
                }
                _mm512_mask_storeu_ps(out, mask, sum);
            }
        }
    }
}

/// `C[r][0..16 P] (+)= Σ_k A[r][k] · B[k][0..16 P]` for `R` rows. `next` is the part of `B` that
/// will be read after these panels; one cache line of it is prefetched per step.
///
/// # Safety
/// Requires AVX-512, AVX2 and FMA; `a[r]` points to `k` numbers, the panel `p` of `B` begins at
/// `b + p · b_stride` and has `16 k` numbers, `c[r]` points to `columns` ≤ 16 `P` numbers that have
/// no other reference, and `finish.bias` is null or points to 16 `P` numbers.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
pub(super) unsafe fn row_tile<const R: usize, const P: usize>(
    k: usize,
    a: [*const f32; R],
    (b, b_stride): (*const f32, usize),
    c: [*mut f32; R],
    columns: usize,
    finish: Finish,
    next: *const f32,
) {
    let mut sums = [[_mm512_setzero_ps(); P]; R];
    let mut next = next;
    // SAFETY: `a[r] + i` and `b + p · b_stride + 16 i` are within the memory that the caller
    // guarantees; prefetching dereferences no pointer.
    unsafe {
        for row in c {
            for p in 0..P {
                _mm_prefetch::<_MM_HINT_T0>(row.wrapping_add(p * PANEL).cast::<i8>());
            }
        }
        let mut i = 0;
        while i + 4 <= k {
            for step in i..i + 4 {
                _mm_prefetch::<_MM_HINT_T1>(next.cast::<i8>());
                next = next.wrapping_add(PANEL);
                multiply(
                    &mut sums,
                    |r| a[r].add(step),
                    |p| b.add(p * b_stride + step * PANEL),
                );
            }
            i += 4;
        }
        while i < k {
            multiply(
                &mut sums,
                |r| a[r].add(i),
                |p| b.add(p * b_stride + i * PANEL),
            );
            i += 1;
        }
        finish_tile(&sums, |r| c[r], columns, finish);
        if finish.epilogue == Epilogue::Gelu {
            for row in c {
                gelu_row(row, columns);
            }
        }
    }
}

/// `C[0..R][0..16 P] (+)= Σ_p A[p][0..R] · B[p][0..16 P]` over packed rows.
///
/// # Safety
/// Requires AVX-512, AVX2 and FMA; `a + 12 p` (`R` numbers) and `b + q · b_stride + 16 p` (16
/// numbers) are readable for every row `p` of the list and panel `q`, and `c + r · c_stride` points
/// to `columns` ≤ 16 `P` numbers that have no other reference for `r < R`.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
pub(super) unsafe fn gradient_tile<const R: usize, const P: usize>(
    rows: &[u32],
    a: *const f32,
    (b, b_stride): (*const f32, usize),
    (c, c_stride): (*mut f32, usize),
    columns: usize,
    load: bool,
) {
    let mut sums = [[_mm512_setzero_ps(); P]; R];
    // SAFETY: the caller guarantees every row of the list and the tile of `C`.
    unsafe {
        for &row in rows {
            let row = row as usize;
            multiply(
                &mut sums,
                |r| a.add(row * TILE + r),
                |p| b.add(p * b_stride + row * PANEL),
            );
        }
        let finish = Finish {
            load,
            bias: std::ptr::null(),
            epilogue: Epilogue::Identity,
        };
        finish_tile(&sums, |r| c.add(r * c_stride), columns, finish);
    }
}
