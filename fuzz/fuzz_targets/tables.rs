//! Any bytes as a source of reviews: no panic, and the pieces in which they come do not matter.
#![no_main]

use std::io::{Cursor, Read};

use imn_batch::read::{Format, ReadSettings, Source};
use libfuzzer_sys::fuzz_target;

struct Slow(Cursor<Vec<u8>>);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let step = buffer.len().min(3);
        self.0.read(&mut buffer[..step])
    }
}

fn read(raw: Box<dyn Read + Send>, format: Format) -> String {
    let settings = ReadSettings {
        max_bytes: 64,
        ..ReadSettings::default()
    };
    let mut found = String::new();
    match Source::rows(raw, format, (0, "fuzz".to_owned()), &settings) {
        Err(error) => found += &error.to_string(),
        Ok(mut rows) => loop {
            match rows.next_row() {
                Ok(Some(item)) => found += &format!("{item:?}\n"),
                Ok(None) => break,
                Err(error) => {
                    found += &error.to_string();
                    break;
                }
            }
        },
    }
    found
}

fuzz_target!(|bytes: &[u8]| {
    for format in [Format::Txt, Format::Whole, Format::Csv, Format::Tsv, Format::Jsonl] {
        let whole = read(Box::new(Cursor::new(bytes.to_vec())), format);
        let slow = read(Box::new(Slow(Cursor::new(bytes.to_vec()))), format);
        assert_eq!(whole, slow, "{format:?}");
    }
});
