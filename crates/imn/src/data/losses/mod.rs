//! Parts of the data that a target format cannot represent.
//!
//! Formats differ in what they can express, and a conversion must not lose annotation silently.
//! [`losses`] counts what a format would lose. [`drop_fields`] removes what the user agreed to
//! lose, before anything is written.

mod count;
mod drop;
mod field;
mod kept;

pub use count::losses;
pub use drop::drop_fields;
pub use field::Field;
