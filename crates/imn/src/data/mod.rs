//! Annotated sentences and the formats that they are read from and written to.

mod annotated;
mod polarity;
mod span;
mod tags;

pub use annotated::{AnnotatedSentence, Aspect, Link};
pub use polarity::Polarity;
pub use span::Span;
pub use tags::AeTag;
