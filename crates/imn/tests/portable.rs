//! A machine without AVX2 opens a quantized model in `f32`, because its plain loops over integers
//! are slower, and finds the same terms.
//!
//! One test only: the choice of kernels is global to the process.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use imn::analyze::Analyzer;
use imn::bundle::Precision;
use imn_nn::kernels::{backend, force_portable};

#[test]
fn a_quantized_model_needs_no_avx2() {
    let text = "The ramen was wonderful, but our waiter ignored us.";
    let found = || {
        let analyzer = Analyzer::built_in().unwrap();
        let aspects = analyzer.analyze(text).aspects;
        let terms: Vec<_> = aspects
            .iter()
            .map(|aspect| (aspect.term.clone(), aspect.sentiment))
            .collect();
        (analyzer.part().params.precision(), terms)
    };
    let (accelerated, expected) = found();
    let default = match backend() {
        "portable" => Precision::F32,
        _ => Precision::Int8,
    };
    assert_eq!(accelerated, default);
    force_portable(true);
    let (precision, terms) = found();
    assert_eq!(precision, Precision::F32);
    assert_eq!(terms, expected);
    assert_eq!(terms.len(), 2);
}
