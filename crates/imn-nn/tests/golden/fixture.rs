//! Reads fixtures that PyTorch wrote, and compares with them. Tests of other crates include this
//! file too.

use std::collections::BTreeMap;

use safetensors::SafeTensors;

/// Shape and values by name.
pub type Tensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// A file in `tests/golden` of the crate under test.
pub fn bytes(name: &str) -> Vec<u8> {
    let path = format!(
        "{}/tests/golden/{name}.safetensors",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The tensors of a file in `tests/golden`.
pub fn fixture(name: &str) -> Tensors {
    SafeTensors::deserialize(&bytes(name))
        .unwrap()
        .tensors()
        .into_iter()
        .map(|(name, view)| {
            let number = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().unwrap());
            let data = view.data().chunks_exact(4).map(number).collect();
            (name, (view.shape().to_vec(), data))
        })
        .collect()
}

/// Asserts that values equal those of PyTorch within `tolerance` times the largest of them.
pub fn assert_close(what: &str, found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len(), "{what}: number of values");
    // Relative to the largest number: sums of terms with opposite signs have no relative precision.
    let scale = expected
        .iter()
        .fold(1e-2_f32, |largest, x| largest.max(x.abs()));
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!(
            (f - e).abs() <= tolerance * scale,
            "{what} at {i}: {f}, PyTorch has {e}"
        );
    }
}
