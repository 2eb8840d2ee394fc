//! Any bytes as word vectors: an error or rows of the stated length, no panic.
#![no_main]

use std::path::Path;

use imn::vectors::VectorRows;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let input = Box::new(std::io::Cursor::new(bytes.to_vec()));
    let Ok(mut rows) = VectorRows::from_reader(Path::new("fuzz"), input) else {
        return;
    };
    let dimensions = rows.dimensions();
    let mut values = Vec::new();
    while let Ok(Some(row)) = rows.next_row() {
        if row.read_into(&mut values).is_ok() {
            assert_eq!(values.len(), dimensions);
        }
    }
});
