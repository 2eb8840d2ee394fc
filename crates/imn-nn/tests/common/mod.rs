//! Random packed batches and their invariants.

use imn_nn::{Init, Rows, Shape};
use proptest::prelude::*;

/// Lengths of sequences: at least one has one token, and often one is empty.
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

/// Normal random numbers, the same for the same seed and name.
pub fn numbers(count: usize, seed: u64, name: &str) -> Vec<f64> {
    Init::Normal { std: 1.0 }.draw(&[count], seed, name)
}

pub fn assert_separators_are_zero(shape: &Shape, data: &[f64]) {
    if let Rows::Tokens(_) = shape.rows {
        let mut separators = vec![true; data.len()];
        shape.live().flatten().for_each(|i| separators[i] = false);
        assert!(
            data.iter()
                .zip(separators)
                .all(|(&x, separator)| !separator || x == 0.0),
            "a separator row is not zero"
        );
    }
}
