//! The sums with AVX2: the integers are widened to 16 bits, and one instruction multiplies 16 pairs
//! and adds neighbours.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm_set1_epi32, _mm256_add_epi32, _mm256_add_ps,
    _mm256_cvtepi8_epi16, _mm256_cvtepi32_ps, _mm256_cvtepu8_epi16, _mm256_hadd_epi32,
    _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_mul_ps,
    _mm256_permute4x64_epi64, _mm256_set1_ps, _mm256_setzero_ps, _mm256_setzero_si256,
    _mm256_storeu_ps,
};

use super::{BLOCK, PANEL, Panel, QUAD, QuantizedRow, TileSums};

/// Registers that hold the products of 16 columns, two numbers per column.
const PARTS: usize = 4;

/// Half a panel: the 32-bit numbers of a register.
const HALF: usize = PANEL / 2;

/// The sums of `R` rows and one panel, written from column `first` of the tile on.
///
/// # Safety
/// Requires AVX2. There are at least `R` rows, with as many blocks as the panel.
#[target_feature(enable = "avx2")]
unsafe fn tile<const R: usize>(
    a: &[QuantizedRow<'_>],
    b: Panel<'_>,
    out: &mut [[f32; 2 * PANEL]],
    first: usize,
) {
    let a: [QuantizedRow<'_>; R] = std::array::from_fn(|r| a[r]);
    let mut sums = [[_mm256_setzero_ps(); 2]; R];
    for block in 0..a[0].scales.len() {
        let mut pairs = [[_mm256_setzero_si256(); R]; PARTS];
        for quad in 0..BLOCK / QUAD {
            let at = block * BLOCK + quad * QUAD;
            // SAFETY: a row and a panel have whole blocks of numbers.
            unsafe {
                let rows: [__m256i; R] = std::array::from_fn(|r| {
                    let four = a[r].numbers.as_ptr().add(at).cast::<i32>();
                    _mm256_cvtepu8_epi16(_mm_set1_epi32(four.read_unaligned()))
                });
                for (part, pairs) in pairs.iter_mut().enumerate() {
                    let from = b.numbers.as_ptr().add((at + part) * PANEL);
                    let four_columns =
                        _mm256_cvtepi8_epi16(_mm_loadu_si128(from.cast::<__m128i>()));
                    for (pairs, &row) in pairs.iter_mut().zip(&rows) {
                        let products = _mm256_madd_epi16(row, four_columns);
                        *pairs = _mm256_add_epi32(*pairs, products);
                    }
                }
            }
        }
        for r in 0..R {
            // SAFETY: there is a scale per block of a row, and one per block and column of a panel.
            unsafe {
                let scale = _mm256_set1_ps(*a[r].scales.as_ptr().add(block));
                for half in 0..2 {
                    let column = block * PANEL + half * HALF;
                    let [low, high] = [pairs[2 * half][r], pairs[2 * half + 1][r]];
                    let added =
                        _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_hadd_epi32(low, high));
                    let start = _mm256_loadu_si256(b.starts.as_ptr().add(column).cast());
                    let exact = _mm256_cvtepi32_ps(_mm256_add_epi32(start, added));
                    let both = _mm256_mul_ps(scale, _mm256_loadu_ps(b.scales.as_ptr().add(column)));
                    sums[r][half] = _mm256_add_ps(sums[r][half], _mm256_mul_ps(exact, both));
                }
            }
        }
    }
    for (out, sums) in out.iter_mut().zip(&sums) {
        let (halves, _) = out[first..][..PANEL].as_chunks_mut::<HALF>();
        for (out, &sum) in halves.iter_mut().zip(sums) {
            // SAFETY: a half has eight numbers.
            unsafe { _mm256_storeu_ps(out.as_mut_ptr(), sum) };
        }
    }
}

/// The sums of some rows and panels.
///
/// # Safety
/// Requires AVX2.
pub(super) unsafe fn sums(a: &[QuantizedRow<'_>], b: &[Panel<'_>], sums: &mut TileSums) {
    for (p, &panel) in b.iter().enumerate() {
        for (a, sums) in a.chunks(2).zip(sums.chunks_mut(2)) {
            // SAFETY: the caller guarantees the instructions; the numbers of rows match.
            unsafe {
                match a.len() {
                    2 => tile::<2>(a, panel, sums, p * PANEL),
                    _ => tile::<1>(a, panel, sums, p * PANEL),
                }
            }
        }
    }
}
