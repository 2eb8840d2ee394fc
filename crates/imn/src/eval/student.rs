//! Student's t distribution: P(T > t) = ½ I(ν / (ν + t²); ν/2, ½) for t ≥ 0, with the regularised
//! incomplete beta function I. Written by hand because a statistics library would add sixteen
//! packages for forty lines.

use libm::lgamma;

/// P(T > t) with `degrees` degrees of freedom.
pub(super) fn upper_tail(t: f64, degrees: f64) -> f64 {
    if t.is_infinite() {
        return if t > 0.0 { 0.0 } else { 1.0 };
    }
    let square = t * t;
    let (x, y) = (degrees / (degrees + square), square / (degrees + square));
    let half = 0.5 * incomplete_beta(x, y, degrees / 2.0, 0.5);
    if t >= 0.0 { half } else { 1.0 - half }
}

/// The upper `p` quantile: the t with P(T > t) = `p`, for 0 < `p` ≤ ½.
///
/// Found by bisection: the tail is monotonic, and 200 halvings determine every bit of t.
pub(super) fn upper_quantile(p: f64, degrees: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while upper_tail(high, degrees) > p && f64::is_finite(high) {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if upper_tail(middle, degrees) > p {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// I(x; a, b), from x^a (1−x)^b / (a B(a, b)) · 1/(1 + d₁/(1 + d₂/(1 + …))).
///
/// The continued fraction converges fast for x < (a+1)/(a+b+2); for larger x, I(x; a, b) =
/// 1 − I(1−x; b, a) is used. `y` is 1 − x, passed separately because the subtraction would lose
/// precision near x = 1.
fn incomplete_beta(x: f64, y: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if y <= 0.0 {
        return 1.0;
    }
    let front = (lgamma(a + b) - lgamma(a) - lgamma(b) + a * x.ln() + b * y.ln()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front / (a * fraction(x, a, b))
    } else {
        1.0 - front / (b * fraction(y, b, a))
    }
}

/// 1 + d₁/(1 + d₂/(1 + …)) by Lentz's method, with d₂ₘ = m(b−m)x / ((a+2m−1)(a+2m)) and
/// d₂ₘ₊₁ = −(a+m)(a+b+m)x / ((a+2m)(a+2m+1)).
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    /// Replaces zero before a division.
    const TINY: f64 = 1e-300;
    /// Maximum number of terms. √max(a, b) terms suffice, far fewer for any number of runs.
    const TERMS: u32 = 10_000;
    let nonzero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut value, mut c, mut d) = (1.0, 1.0, 0.0);
    for term in 1..=TERMS {
        let m = f64::from(term / 2);
        let coefficient = if term % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        d = 1.0 / nonzero(1.0 + coefficient * d);
        c = nonzero(1.0 + coefficient / c);
        value *= c * d;
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() < tolerance, "{a} is not {b}");
    }

    #[test]
    fn tails_are_those_of_the_printed_tables() {
        // Upper 5 % and 1 % points of Student's t in any statistics table, to three places.
        for (degrees, five, one) in [
            (1.0, 6.314, 31.821),
            (4.0, 2.132, 3.747),
            (8.0, 1.860, 2.896),
            (30.0, 1.697, 2.457),
        ] {
            close(upper_tail(five, degrees), 0.05, 5e-5);
            close(upper_tail(one, degrees), 0.01, 5e-5);
            close(upper_tail(-five, degrees), 0.95, 5e-5);
        }
    }

    #[test]
    fn quantiles_are_those_of_the_printed_tables() {
        // Upper 2.5 % points, to three places.
        for (degrees, point) in [(1.0, 12.706), (2.0, 4.303), (4.0, 2.776), (30.0, 2.042)] {
            close(upper_quantile(0.025, degrees), point, 5e-4);
        }
        for p in [0.5, 0.3, 0.025, 1e-6] {
            close(upper_tail(upper_quantile(p, 3.0), 3.0), p, 1e-12);
        }
    }

    #[test]
    fn closed_forms() {
        for t in [-40.0_f64, -2.5, -0.3, 0.0, 1e-6, 0.7, 1.0, 3.0, 12.0] {
            // One degree of freedom is Cauchy's distribution.
            close(
                upper_tail(t, 1.0),
                0.5 - t.atan() / std::f64::consts::PI,
                1e-13,
            );
            close(
                upper_tail(t, 2.0),
                0.5 - t / (2.0 * (2.0 + t * t).sqrt()),
                1e-13,
            );
            let s = t / (4.0 + t * t).sqrt();
            close(
                upper_tail(t, 4.0),
                0.5 - 0.75 * (s - s.powi(3) / 3.0),
                1e-13,
            );
        }
        // With many degrees of freedom, the distribution is almost normal.
        close(upper_tail(1.959_963_985, 1e7), 0.025, 1e-7);
        assert_eq!(upper_tail(f64::INFINITY, 3.0), 0.0);
        assert_eq!(upper_tail(f64::NEG_INFINITY, 3.0), 1.0);
    }

    #[test]
    fn the_beta_function_by_polynomials() {
        // I(x; 2, 3) = x² (6 − 8x + 3x²).
        for x in [0.0_f64, 0.1, 0.4, 0.5, 0.9, 1.0] {
            close(
                incomplete_beta(x, 1.0 - x, 2.0, 3.0),
                x * x * (6.0 - 8.0 * x + 3.0 * x * x),
                1e-13,
            );
        }
    }
}
