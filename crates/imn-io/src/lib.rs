//! Files in and out: the one layer through which every other crate reads rows and writes files.
//!
//! | module | holds |
//! |---|---|
//! | [`compression`] | gzip and zstd: detected by content when reading, by extension when writing |
//! | [`encoding`] | UTF-8 checks and byte-order marks |
//! | [`lines`] | lines of bounded length |
//! | [`delimited`] | rows of CSV (RFC 4180) and TSV (no quoting) of bounded length |
//! | [`columns`] | which column of a table holds the text |
//! | [`atomic`] | files that are replaced in one step: written beside their place, synced, renamed |
//! | [`hash`] | the identity of bytes: SHA-256 |
//! | [`output`] | an atomic file, or a device, that is compressed as its extension says |
//!
//! This crate knows nothing of reviews, sentiment, models or command lines. It never prints. Readers
//! never hold more than one row or line of the size that the caller allows, and one buffer.

pub mod atomic;
pub mod columns;
pub mod compression;
pub mod delimited;
pub mod encoding;
pub mod hash;
pub mod lines;
pub mod output;

pub use atomic::AtomicFile;
pub use compression::{Compression, decompress, extension, open};
pub use hash::sha256;
pub use output::OutputFile;
