//! Any bytes as a model bundle or as a compared system: an error or a model, no panic and no large allocation.
#![no_main]

use imn::bundle::{Bundle, Storage};
use imn_repro::system::System;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(bundle) = Bundle::from_bytes(bytes) {
        let again = bundle.to_bytes(Storage::Full).expect("a bundle that was read can be written");
        Bundle::from_bytes(&again).expect("what was written can be read");
    }
    if let Ok(system) = System::from_bytes(bytes) {
        let again = system.to_bytes().expect("a system that was read can be written");
        System::from_bytes(&again).expect("what was written can be read");
    }
});
