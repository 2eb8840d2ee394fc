//! Columns: one token per line, tags beside it, an empty line between sentences.
//!
//! Files are written with tabs, under the header `# columns = token aspect opinion`. Aspects are
//! `B-positive`, `I-positive` and `O` (`B` and `I` without a polarity). Opinions are `B`, `I` and
//! `O`, or `_` in a sentence whose opinions are not annotated. A sentence may be preceded by
//! `# id = ...`, `# review = ...`, `# text = ...` (the raw text of the tokens) and
//! `# links = 0-0 1-2` (aspect–opinion).
//!
//! Files that are read may also use spaces and have no header. The columns are then inferred from
//! their values: five-class tags (`BA IA BP IP O`), `B-ASP`/`I-ASP`, `B-OP`, `B-POS`, BIOES,
//! unified `T-POS`, and a column of polarities (`Positive`, `-999`, `_`). Unlabelled `B`/`I`
//! columns are first aspects, then opinions.

mod blocks;
mod columns;
mod read;
mod spans;
mod tags;
mod write;

pub(in crate::data) use columns::looks_like;
pub(in crate::data) use read::parse;
pub use write::write;
