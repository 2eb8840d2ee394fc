//! Numbers of Python.

/// The shortest decimal number that is this 32-bit number, as in JSON: 0.9, not 0.8999999761581421.
pub(crate) fn shortest(number: f32) -> f64 {
    number
        .to_string()
        .parse()
        .unwrap_or_else(|_| f64::from(number))
}
