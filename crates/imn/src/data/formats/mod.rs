//! One file a format: its reader and its writer.

pub mod aste;
pub mod conll;
pub mod four_file;
mod json_object;
pub mod jsonl;
pub mod semeval;
