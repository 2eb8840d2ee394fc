//! Any bytes as a model file: an error or a model, no panic and no large allocation.
#![no_main]

use imn::bundle::{Model, Storage};
use imn_repro::fit::FAMILIES;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(model) = Model::from_bytes_with(bytes, FAMILIES) {
        let again = model
            .to_bytes(Storage::Full)
            .expect("a model that was read can be written");
        Model::from_bytes_with(&again, FAMILIES).expect("what was written can be read");
    }
});
