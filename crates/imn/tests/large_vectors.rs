//! Time to read a full-size file of word vectors: 400,000 words of 300 dimensions, as in GloVe 6B.
//!
//! `cargo test --release -p imn --test large_vectors -- --ignored --nocapture`

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and may print"
)]

use std::fmt::Write as _;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::time::{Duration, Instant};

use imn::vectors::{Embedding, EmbeddingSettings, VectorSource};

const WORDS: usize = 400_000;
const DIMENSIONS: usize = 300;

/// Rows repeat every 997 words, which makes writing cheap and reading no cheaper.
fn write_rows(mut out: impl std::io::Write) {
    let tails: Vec<String> = (0..997_usize)
        .map(|row| {
            let mut tail = String::new();
            for column in 0..DIMENSIONS {
                let value = ((row * 7919 + column * 104_729) % 200_003) as f32 / 100_000.0 - 1.0;
                write!(tail, " {value:.5}").unwrap();
            }
            tail
        })
        .collect();
    for word in 0..WORDS {
        writeln!(out, "word{word}{}", tails[word % tails.len()]).unwrap();
    }
    out.flush().unwrap();
}

fn time(path: &Path, wanted: usize) -> Duration {
    let words: Vec<String> = (0..wanted)
        .map(|at| format!("word{}", at * (WORDS / wanted)))
        .collect();
    let start = Instant::now();
    let embedding = Embedding::load(
        &words,
        &[VectorSource::from_path(path)],
        &EmbeddingSettings::default(),
    )
    .unwrap();
    let time = start.elapsed();
    assert_eq!(embedding.sources()[0].rows, WORDS as u64);
    assert_eq!(embedding.sources()[0].hits().exact, wanted as u64);
    assert_eq!(embedding.data().len(), wanted * DIMENSIONS);
    println!(
        "{}: {WORDS} rows read for {wanted} words in {:.2} s",
        path.extension().unwrap_or_default().to_string_lossy(),
        time.as_secs_f64()
    );
    time
}

#[test]
#[ignore = "writes two gigabytes; meant for a release build"]
fn four_hundred_thousand_words_in_seconds() {
    let dir = tempfile::tempdir().unwrap();
    let (plain, packed) = (
        dir.path().join("vectors.txt"),
        dir.path().join("vectors.gz"),
    );
    write_rows(BufWriter::with_capacity(
        1 << 20,
        File::create(&plain).unwrap(),
    ));
    let gzip =
        flate2::write::GzEncoder::new(File::create(&packed).unwrap(), flate2::Compression::fast());
    write_rows(BufWriter::with_capacity(1 << 20, gzip));
    let limit = Duration::from_secs(30);
    assert!(time(&plain, 20_000) < limit);
    assert!(time(&packed, 20_000) < limit);
    assert!(time(&plain, WORDS) < limit);
}
