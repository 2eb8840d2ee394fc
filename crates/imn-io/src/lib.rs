//! File input and output: the layer through which all other crates read rows and write files.
//!
//! | module | holds |
//! |---|---|
//! | [`compression`] | gzip and zstd: detected from content in input, by extension in output |
//! | [`encoding`] | UTF-8 checks and byte-order marks |
//! | [`lines`] | lines of bounded length |
//! | [`delimited`] | rows of CSV (RFC 4180) and TSV (no quoting) of bounded length |
//! | [`columns`] | finding columns by their usual names |
//! | [`atomic`] | atomic replacement: write a temporary file, sync, rename |
//! | [`hash`] | SHA-256 |
//! | [`message`] | an error with its causes on one line |
//! | [`output`] | an atomic file, or a device, with the compression of its extension |
//!
//! This crate knows nothing about reviews, sentiment, models or command lines, and it never prints.
//! Readers hold at most one row or line of the size that the caller allows, and one buffer.

pub mod atomic;
pub mod columns;
pub mod compression;
pub mod delimited;
pub mod encoding;
pub mod hash;
pub mod lines;
pub mod message;
pub mod output;

pub use atomic::AtomicFile;
pub use compression::{
    Compression, decompress, extension, open, without_compression, without_extension,
};
pub use hash::sha256;
pub use message::with_causes;
pub use output::OutputFile;
