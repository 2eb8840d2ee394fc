//! One module per format, with its reader and writer.

pub(super) mod aste;
pub(super) mod conll;
pub(super) mod four_file;
mod json_object;
pub mod jsonl;
pub(super) mod semeval;
