//! Any bytes as TSV and CSV: no panic, no endless iteration.
#![no_main]

use imn::data::read_documents;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["data.tsv", "data.csv"] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        if let Ok(documents) = read_documents(&path) {
            assert!(documents.take(bytes.len() + 10).count() <= bytes.len() + 1);
        }
    }
});
