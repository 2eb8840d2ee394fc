//! Annotated sentences and the formats that they are read from and written to.

mod annotated;
mod polarity;

mod tags;

pub use crate::text::Span;
pub use annotated::{AnnotatedSentence, Aspect, Link};
pub use polarity::Polarity;
pub use tags::AeTag;
