//! Elementwise functions and reductions of rows, written so that the compiler vectorizes them.
//! [`vectorize`] compiles a loop once per instruction set and selects one at run time.
//!
//! e^x is 2^n · e^r with n = round(x / ln 2) and a polynomial for e^r. The normal distribution
//! function is Φ(x) = 1 − ½ erfc(x / √2) with formula 7.1.26 of Abramowitz and Stegun for erfc. It
//! has an error below 1.5e-7 and needs only e^{−x²/2}, which the derivative needs too.

use pulp::Arch;

use crate::Scalar;

/// Numbers per step of a vectorized loop: two AVX2 registers of `f32`.
pub(crate) const LANES: usize = 16;

/// Runs a loop that is compiled for the vector instructions of this machine. The closure and
/// everything that it calls must be `#[inline(always)]`: code that is not inlined is compiled for
/// the baseline instruction set.
#[inline(always)]
pub(crate) fn vectorize<R>(run: impl FnOnce() -> R) -> R {
    Arch::new().dispatch(run)
}

/// Lower limit of the argument of [`exp`]. Its exponential is about the smallest normal number.
pub(super) const LOWEST: f32 = -87.0;
/// Upper limit of the argument of [`exp`].
const HIGHEST: f32 = 88.0;
/// Adding and subtracting this rounds numbers of up to 22 bits to integers.
pub(super) const ROUND: f32 = 12_582_912.0;
/// ln 2 in two parts. The first has trailing zero bits, so that its product with a small integer is
/// exact.
pub(super) const LN2_HIGH: f32 = 0.693_359_4;
pub(super) const LN2_LOW: f32 = -2.121_944_4e-4;
/// 1 / k!
pub(super) const TAYLOR: [f32; 8] = [
    1.0,
    1.0,
    0.5,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5040.0,
];

/// e^x with a relative error below 2e-7 for −87 ≤ x ≤ 88, and the value at the limit beyond. NaN
/// stays NaN.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    // Both comparisons are false for a NaN, which stays a NaN.
    let x = if x < LOWEST { LOWEST } else { x };
    let x = if x > HIGHEST { HIGHEST } else { x };
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = x - n * LN2_HIGH - n * LN2_LOW;
    let mut e = TAYLOR[7];
    e = e * r + TAYLOR[6];
    e = e * r + TAYLOR[5];
    e = e * r + TAYLOR[4];
    e = e * r + TAYLOR[3];
    e = e * r + TAYLOR[2];
    e = e * r + TAYLOR[1];
    e = e * r + TAYLOR[0];
    // The low bits of `shifted` are the integer n.
    let power = shifted.to_bits().wrapping_add(127) << 23;
    e * f32::from_bits(power)
}

/// Coefficients of formula 7.1.26, halved: erfc(z) = t (a₁ + t (a₂ + …)) e^{−z²} with
/// t = 1 / (1 + p z), z ≥ 0.
pub(super) const HALF_ERFC: [f32; 5] = [
    0.127_414_8,
    -0.142_248_37,
    0.710_706_9,
    -0.726_576_03,
    0.530_702_7,
];
/// p / √2 of the same formula, which is applied to |x| / √2.
pub(super) const HALF_ERFC_P: f32 = 0.231_641_89;
/// 1 / √(2π)
const DENSITY: f32 = 0.398_942_3;

/// x · Φ(x) and its derivative Φ(x) + x φ(x).
#[inline(always)]
pub(crate) fn gelu_f32(x: f32) -> (f32, f32) {
    let [a1, a2, a3, a4, a5] = HALF_ERFC;
    let e = exp(-0.5 * x * x);
    let t = 1.0 / (1.0 + HALF_ERFC_P * x.abs());
    let tail = t * (a1 + t * (a2 + t * (a3 + t * (a4 + t * a5)))) * e;
    let cdf = if x < 0.0 { tail } else { 1.0 - tail };
    (x * cdf, cdf + x * (DENSITY * e))
}

/// GELU of every number.
pub(crate) fn gelu<S: Scalar>(row: &mut [S]) {
    vectorize(
        #[inline(always)]
        || row.iter_mut().for_each(|x| *x = x.gelu().0),
    );
}

/// y = GELU(x) for every number; `x` becomes the derivative.
pub(crate) fn gelu_and_slope<S: Scalar>(x: &mut [S], y: &mut [S]) {
    vectorize(
        #[inline(always)]
        || {
            for (x, y) in x.iter_mut().zip(y) {
                (*y, *x) = x.gelu();
            }
        },
    );
}

/// product = a ⊙ b
pub(crate) fn multiply<S: Scalar>(a: &[S], b: &[S], product: &mut [S]) {
    vectorize(
        #[inline(always)]
        || {
            for ((product, &a), &b) in product.iter_mut().zip(a).zip(b) {
                *product = a * b;
            }
        },
    );
}

/// to += from
pub(crate) fn add<S: Scalar>(to: &mut [S], from: &[S]) {
    vectorize(
        #[inline(always)]
        || to.iter_mut().zip(from).for_each(|(to, &from)| *to += from),
    );
}

/// Σ aᵢ, in an order that depends on the length only.
#[inline(always)]
pub(crate) fn sum<S: Scalar>(a: &[S]) -> S {
    let (chunks, rest) = a.as_chunks::<LANES>();
    let mut lanes = [S::zero(); LANES];
    for chunk in chunks {
        for (lane, &a) in lanes.iter_mut().zip(chunk) {
            *lane += a;
        }
    }
    fold(lanes, |a, b| a + b) + rest.iter().copied().sum()
}

/// Σ (aᵢ − mean)²
#[inline(always)]
pub(crate) fn squares<S: Scalar>(a: &[S], mean: S) -> S {
    let (chunks, rest) = a.as_chunks::<LANES>();
    let mut lanes = [S::zero(); LANES];
    for chunk in chunks {
        for (lane, &a) in lanes.iter_mut().zip(chunk) {
            *lane += (a - mean) * (a - mean);
        }
    }
    fold(lanes, |a, b| a + b) + rest.iter().map(|&a| (a - mean) * (a - mean)).sum()
}

/// Σ aᵢ bᵢ
#[inline(always)]
pub(crate) fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<LANES>();
    let mut lanes = [S::zero(); LANES];
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for i in 0..LANES {
            lanes[i] += a[i] * b[i];
        }
    }
    fold(lanes, |a, b| a + b) + a_rest.iter().zip(b_rest).map(|(&a, &b)| a * b).sum()
}

#[inline(always)]
fn fold<S: Scalar>(lanes: [S; LANES], join: impl Fn(S, S) -> S) -> S {
    let mut lanes = lanes;
    let mut width = LANES / 2;
    while width > 0 {
        for i in 0..width {
            lanes[i] = join(lanes[i], lanes[i + width]);
        }
        width /= 2;
    }
    lanes[0]
}

/// Multiplies every number of a row whose length is a multiple of [`LANES`].
#[inline(always)]
fn scale_row<S: Scalar>(row: &mut [S], factor: S) {
    let (chunks, _) = row.as_chunks_mut::<LANES>();
    for chunk in chunks {
        for s in chunk {
            *s *= factor;
        }
    }
}

/// s ← e^{s · scale + bias} / Σ e^{s · scale + bias} over the first `n` numbers of a row whose
/// length is a multiple of [`LANES`]; the rest become 0.
#[inline(always)]
pub(crate) fn softmax_row<S: Scalar>(row: &mut [S], n: usize, scale: S, bias: Option<&[S]>) {
    let larger = |a: S, b: S| if b > a { b } else { a };
    match bias {
        Some(bias) => {
            for (s, &bias) in row[..n].iter_mut().zip(bias) {
                *s = *s * scale + bias;
            }
            row[n..].fill(S::from_f64(-1e30));
        }
        None => {
            scale_row(row, scale);
            row[n..].fill(S::from_f64(-1e30));
        }
    }
    let (chunks, _) = row.as_chunks_mut::<LANES>();
    let mut lanes = [S::from_f64(-1e30); LANES];
    for chunk in chunks.iter() {
        for (lane, &s) in lanes.iter_mut().zip(chunk) {
            *lane = larger(*lane, s);
        }
    }
    let largest = fold(lanes, larger);
    let mut lanes = [S::zero(); LANES];
    for chunk in chunks.iter_mut() {
        for (lane, s) in lanes.iter_mut().zip(chunk) {
            *s = (*s - largest).fast_exp();
            *lane += *s;
        }
    }
    let inverse = S::one() / fold(lanes, |a, b| a + b);
    scale_row(row, inverse);
    row[n..].fill(S::zero());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_exact_to_rounding() {
        for i in -8700..=8800 {
            let x = i as f32 / 100.0;
            let expected = f64::from(x).exp();
            let off = (f64::from(exp(x)) - expected).abs() / expected;
            assert!(off < 2e-7, "e^{x}: off by {off}");
        }
        assert!(exp(f32::NAN).is_nan());
        assert!(exp(f32::NEG_INFINITY) < 1e-37);
        assert_eq!(exp(0.0), 1.0);
    }

    #[test]
    fn sigmoid_and_tanh_are_exact_to_rounding() {
        for i in -12_000..=12_000 {
            let x = i as f32 / 100.0;
            let sigmoid = 1.0 / (1.0 + (-f64::from(x)).exp());
            let off = (f64::from(x.fast_sigmoid()) - sigmoid).abs();
            assert!(off < 2e-7, "σ({x}): off by {off}");
            let off = (f64::from(x.fast_tanh()) - f64::from(x).tanh()).abs();
            assert!(off < 3e-7, "tanh {x}: off by {off}");
        }
        for x in [f32::NEG_INFINITY, f32::INFINITY] {
            assert_eq!(x.fast_tanh(), x.signum());
        }
        assert!(f32::NAN.fast_tanh().is_nan() && f32::NAN.fast_sigmoid().is_nan());
    }

    #[test]
    fn gelu_and_its_derivative_are_exact_to_a_millionth() {
        for i in -1000..=1000 {
            let x: f32 = i as f32 / 100.0;
            let (y, slope) = x.gelu();
            let (expected, expected_slope) = f64::from(x).gelu();
            assert!((f64::from(y) - expected).abs() < 1e-6, "GELU({x}) = {y}");
            assert!(
                (f64::from(slope) - expected_slope).abs() < 1e-6,
                "GELU'({x}) = {slope}"
            );
        }
        assert!(Scalar::gelu(f32::NAN).0.is_nan());
    }

    #[test]
    fn softmax_ignores_the_padding_of_its_row() {
        for n in [1_usize, 2, 15, 16, 17, 40] {
            let width = n.next_multiple_of(LANES);
            let mut row: Vec<f64> = (0..width).map(|i| (i * 7 % 11) as f64 - 4.0).collect();
            let bias: Vec<f64> = (0..n).map(|i| (i % 3) as f64).collect();
            let e = |i: usize, bias: f64| (0.5 * ((i * 7 % 11) as f64 - 4.0) + bias).exp();
            let total: f64 = (0..n).map(|i| e(i, bias[i])).sum();
            softmax_row(&mut row, n, 0.5, Some(&bias));
            for (i, &p) in row.iter().enumerate() {
                let expected = if i < n { e(i, bias[i]) / total } else { 0.0 };
                assert!((p - expected).abs() < 1e-12, "{i} of {n}: {p}");
            }
        }
    }
}
