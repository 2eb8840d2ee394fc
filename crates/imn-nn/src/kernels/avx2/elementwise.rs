//! The functions of [`crate::kernels::elementwise`] for eight numbers at a time.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256, _CMP_LT_OQ, _mm256_add_epi32, _mm256_andnot_ps, _mm256_blendv_ps, _mm256_castps_si256,
    _mm256_castsi256_ps, _mm256_cmp_ps, _mm256_div_ps, _mm256_fmadd_ps, _mm256_fnmadd_ps,
    _mm256_max_ps, _mm256_mul_ps, _mm256_permute2f128_ps, _mm256_set1_epi32, _mm256_set1_ps,
    _mm256_setzero_ps, _mm256_shuffle_ps, _mm256_slli_epi32, _mm256_sub_ps, _mm256_unpackhi_ps,
    _mm256_unpacklo_ps,
};

use crate::kernels::elementwise::{
    HALF_ERFC, HALF_ERFC_P, LN2_HIGH, LN2_LOW, LOWEST, ROUND, TAYLOR,
};

/// e^x for x ≤ 0, as [`crate::kernels::elementwise::exp`].
#[inline]
#[target_feature(enable = "avx2,fma")]
fn exp_of_negative(x: __m256) -> __m256 {
    // With a NaN, `max` returns its second operand: a NaN stays a NaN.
    let x = _mm256_max_ps(_mm256_set1_ps(LOWEST), x);
    let round = _mm256_set1_ps(ROUND);
    let shifted = _mm256_fmadd_ps(x, _mm256_set1_ps(std::f32::consts::LOG2_E), round);
    let n = _mm256_sub_ps(shifted, round);
    let r = _mm256_fnmadd_ps(n, _mm256_set1_ps(LN2_HIGH), x);
    let r = _mm256_fnmadd_ps(n, _mm256_set1_ps(LN2_LOW), r);
    let mut e = _mm256_set1_ps(TAYLOR[7]);
    for k in (0..7).rev() {
        e = _mm256_fmadd_ps(e, r, _mm256_set1_ps(TAYLOR[k]));
    }
    let exponent = _mm256_add_epi32(_mm256_castps_si256(shifted), _mm256_set1_epi32(127));
    _mm256_mul_ps(e, _mm256_castsi256_ps(_mm256_slli_epi32::<23>(exponent)))
}

/// x · Φ(x)
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(in crate::kernels) fn gelu(x: __m256) -> __m256 {
    let one = _mm256_set1_ps(1.0);
    let size = _mm256_andnot_ps(_mm256_set1_ps(-0.0), x);
    let halved = _mm256_mul_ps(_mm256_set1_ps(-0.5), x);
    let e = exp_of_negative(_mm256_mul_ps(halved, x));
    let t = _mm256_div_ps(one, _mm256_fmadd_ps(_mm256_set1_ps(HALF_ERFC_P), size, one));
    let mut tail = _mm256_set1_ps(HALF_ERFC[4]);
    for k in (0..4).rev() {
        tail = _mm256_fmadd_ps(tail, t, _mm256_set1_ps(HALF_ERFC[k]));
    }
    let tail = _mm256_mul_ps(_mm256_mul_ps(tail, t), e);
    let negative = _mm256_cmp_ps::<_CMP_LT_OQ>(x, _mm256_setzero_ps());
    let cdf = _mm256_blendv_ps(_mm256_sub_ps(one, tail), tail, negative);
    _mm256_mul_ps(x, cdf)
}

/// The transpose of eight rows of eight numbers.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn transpose(rows: [__m256; 8]) -> [__m256; 8] {
    let pairs: [[__m256; 2]; 4] = std::array::from_fn(|i| {
        let (a, b) = (rows[2 * i], rows[2 * i + 1]);
        [_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b)]
    });
    // Columns 0 to 3 of each half, for the upper four rows and for the lower four.
    let fours: [[__m256; 4]; 2] = std::array::from_fn(|i| {
        let ([a_low, a_high], [b_low, b_high]) = (pairs[2 * i], pairs[2 * i + 1]);
        [
            _mm256_shuffle_ps::<0x44>(a_low, b_low),
            _mm256_shuffle_ps::<0xee>(a_low, b_low),
            _mm256_shuffle_ps::<0x44>(a_high, b_high),
            _mm256_shuffle_ps::<0xee>(a_high, b_high),
        ]
    });
    std::array::from_fn(|i| {
        let (upper, lower) = (fours[0][i % 4], fours[1][i % 4]);
        if i < 4 {
            _mm256_permute2f128_ps::<0x20>(upper, lower)
        } else {
            _mm256_permute2f128_ps::<0x31>(upper, lower)
        }
    })
}
