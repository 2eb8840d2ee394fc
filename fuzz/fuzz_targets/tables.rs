//! Any bytes as a source of reviews: no panic, and the sizes of the reads do not matter.
#![no_main]

use std::io::{Cursor, Read};

use imn_batch::read::{InputFormat, InputSource, ReadSettings};
use libfuzzer_sys::fuzz_target;

struct Slow(Cursor<Vec<u8>>);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let step = buffer.len().min(3);
        self.0.read(&mut buffer[..step])
    }
}

/// All rows, and the error that ends them, if any.
fn read(raw: Box<dyn Read + Send>, format: InputFormat) -> (Vec<String>, Option<String>) {
    let settings = ReadSettings {
        max_bytes: 64,
        ..ReadSettings::default()
    };
    let mut found = Vec::new();
    match InputSource::rows(raw, format, (0, "fuzz".to_owned()), &settings) {
        Err(error) => (found, Some(error.to_string())),
        Ok(mut rows) => loop {
            match rows.next_row() {
                Ok(Some(item)) => found.push(format!("{item:?}")),
                Ok(None) => return (found, None),
                Err(error) => return (found, Some(error.to_string())),
            }
        },
    }
}

/// Whether the bytes look compressed. At damaged data, a decoder drops what it has decompressed in
/// the same call, so the number of rows before the error depends on the sizes of the reads.
fn compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
}

fuzz_target!(|bytes: &[u8]| {
    for format in [
        InputFormat::Txt,
        InputFormat::Whole,
        InputFormat::Csv,
        InputFormat::Tsv,
        InputFormat::Jsonl,
    ] {
        let (whole, error) = read(Box::new(Cursor::new(bytes.to_vec())), format);
        let (slow, slow_error) = read(Box::new(Slow(Cursor::new(bytes.to_vec()))), format);
        assert_eq!(error.is_some(), slow_error.is_some(), "{format:?}");
        if error.is_some() && compressed(bytes) {
            let common = whole.len().min(slow.len());
            assert_eq!(whole[..common], slow[..common], "{format:?}");
        } else {
            assert_eq!((whole, error), (slow, slow_error), "{format:?}");
        }
    }
});
