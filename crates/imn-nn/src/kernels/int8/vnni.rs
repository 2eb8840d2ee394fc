//! The sums with AVX512-VNNI: one instruction adds the products of four pairs to each of 16 sums.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m512, __m512i, _mm512_add_ps, _mm512_cvtepi32_ps, _mm512_dpbusd_epi32, _mm512_loadu_ps,
    _mm512_loadu_si512, _mm512_mul_ps, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps,
    _mm512_storeu_ps,
};

use super::{BLOCK, PANEL, Panel, QUAD, QuantizedRow, TileSums};

/// Whether this machine has the instructions.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni")
}

/// The sums of `R` rows and `P` panels.
///
/// # Safety
/// Requires AVX512-VNNI. There are `R` rows and `P` panels of the same number of blocks.
#[target_feature(enable = "avx512f,avx512vnni")]
unsafe fn tile<const R: usize, const P: usize>(
    a: &[QuantizedRow<'_>],
    b: &[Panel<'_>],
    out: &mut TileSums,
) {
    let a: [QuantizedRow<'_>; R] = std::array::from_fn(|r| a[r]);
    let b: [Panel<'_>; P] = std::array::from_fn(|p| b[p]);
    let blocks = a[0].scales.len();
    let mut sums = [[_mm512_setzero_ps(); P]; R];
    for block in 0..blocks {
        // SAFETY: a row has `blocks` blocks of numbers and as many scales, and so has a panel, with
        // 16 columns.
        unsafe {
            let mut exact: [[__m512i; P]; R] = [std::array::from_fn(|p| {
                _mm512_loadu_si512(b[p].starts.as_ptr().add(block * PANEL).cast())
            }); R];
            for quad in 0..BLOCK / QUAD {
                let at = block * BLOCK + quad * QUAD;
                let columns: [__m512i; P] = std::array::from_fn(|p| {
                    _mm512_loadu_si512(b[p].numbers.as_ptr().add(at * PANEL).cast())
                });
                for r in 0..R {
                    let four = a[r].numbers.as_ptr().add(at).cast::<i32>();
                    let four = _mm512_set1_epi32(four.read_unaligned());
                    for p in 0..P {
                        exact[r][p] = _mm512_dpbusd_epi32(exact[r][p], four, columns[p]);
                    }
                }
            }
            let scales: [__m512; P] =
                std::array::from_fn(|p| _mm512_loadu_ps(b[p].scales.as_ptr().add(block * PANEL)));
            for r in 0..R {
                let scale = _mm512_set1_ps(*a[r].scales.as_ptr().add(block));
                for p in 0..P {
                    let both = _mm512_mul_ps(scale, scales[p]);
                    let scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(exact[r][p]), both);
                    sums[r][p] = _mm512_add_ps(sums[r][p], scaled);
                }
            }
        }
    }
    for (out, sums) in out.iter_mut().zip(&sums) {
        for (out, &sum) in out.as_chunks_mut::<PANEL>().0.iter_mut().zip(sums) {
            // SAFETY: a chunk has 16 numbers.
            unsafe { _mm512_storeu_ps(out.as_mut_ptr(), sum) };
        }
    }
}

/// The sums of some rows and panels.
///
/// # Safety
/// Requires AVX512-VNNI.
pub(super) unsafe fn sums(a: &[QuantizedRow<'_>], b: &[Panel<'_>], sums: &mut TileSums) {
    macro_rules! run {
        ($($rows:literal)*) => {
            match (a.len(), b.len()) {
                $(($rows, 2) => tile::<$rows, 2>(a, b, sums),
                ($rows, 1) => tile::<$rows, 1>(a, b, sums),)*
                sizes => unreachable!("a tile has 1 to 6 rows and 1 or 2 panels, not {sizes:?}"),
            }
        };
    }
    // SAFETY: the caller guarantees the instructions; the sizes match.
    unsafe { run!(1 2 3 4 5 6) };
}
