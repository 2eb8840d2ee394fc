//! Random packed batches and what always holds for them.

use imn_nn::{Init, Rows, Shape};
use proptest::prelude::*;

/// Lengths of sequences that always include a one-token one, and often an empty one.
pub fn lengths() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(prop_oneof![Just(0_usize), Just(1), 2..7_usize], 0..4).prop_flat_map(
        |rest| {
            (0..=rest.len()).prop_map(move |at| {
                let mut lengths = rest.clone();
                lengths.insert(at, 1);
                lengths
            })
        },
    )
}

/// Numbers around 0 of about unit size, the same for the same name.
pub fn numbers(count: usize, seed: u64, name: &str) -> Vec<f64> {
    Init::Normal { std: 1.0 }.draw(&[count], seed, name)
}

pub fn assert_separators_are_zero(shape: &Shape, data: &[f64]) {
    if let Rows::Tokens(_) = shape.rows {
        let mut rest = vec![true; data.len()];
        shape.live().flatten().for_each(|i| rest[i] = false);
        assert!(
            data.iter()
                .zip(rest)
                .all(|(&x, separator)| !separator || x == 0.0),
            "a separator row is not zero"
        );
    }
}
