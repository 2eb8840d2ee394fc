//! Any bytes as a model bundle: an error or a model, no panic and no large allocation.
#![no_main]

use imn::bundle::Bundle;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(bundle) = Bundle::from_bytes(bytes) {
        let again = bundle.to_bytes().expect("a bundle that was read can be written");
        Bundle::from_bytes(&again).expect("what was written can be read");
    }
});
