//! SemEval's XML: 2014 task 4 (`aspectTerm`, `aspectCategory`), and 2015 task 12 and 2016 task 5
//! (`Opinion`).
//!
//! Offsets count code points. An `Opinion` with target `NULL` is about a category without a term in
//! the text. Several `Opinion`s on one target are one aspect. If their polarities differ, the
//! aspect is *conflict*, and [`Extra::categories`](crate::data::Extra) keeps the polarity of each.
//! Opinion terms are not annotated.

mod attributes;
mod lines;
mod read;
mod sentence;
mod write;

pub(in crate::data) use read::{parse, root};
pub use write::{write14, write15};
