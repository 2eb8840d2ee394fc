//! Columns: a token a line, tags beside it, an empty line between sentences.
//!
//! What is written has tabs and a head for every file, `# columns = token aspect opinion`: aspects are
//! `B-positive`, `I-positive`, `O` (bare `B`, `I` without a polarity), opinions `B`, `I`, `O`, or `_` in a sentence
//! whose opinions are not annotated. Before a sentence may stand `# id = ...`, `# text = ...` (the raw text
//! that the tokens are found in) and `# links = 0-0 1-2` (aspect–opinion).
//!
//! What is read may also be split at spaces and have no head; then the columns are told by their values:
//! five-class tags (`BA IA BP IP O`), `B-ASP`/`I-ASP`, `B-OP`, `B-POS`, BIOES, unified `T-POS`, and a column of
//! polarities (`Positive`, `-999`, `_`). Unlabelled `B`/`I` columns are aspects first, then opinions.

mod blocks;
mod columns;
mod read;
mod spans;
mod tags;
mod write;

pub(in crate::data) use columns::looks_like;
pub(in crate::data) use read::parse;
pub use write::write;
