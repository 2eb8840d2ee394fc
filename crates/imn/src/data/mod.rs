//! Annotated sentences and the formats that they are read from and written to.
//!
//! [`read`] takes any supported file or folder and gives [`AnnotatedSentence`]s; [`load`] gives them with their
//! lines and every [`Problem`] on the way, for checking. [`write()`] writes them; what a format
//! cannot hold is named by [`losses()`].

mod align;
mod annotated;
pub mod check;
mod documents;
mod draft;
mod error;
mod format;
pub mod formats;
mod input;
mod leaks;
mod losses;
mod output;
mod polarity;
mod problem;
mod sentiment;
mod tags;
mod write;

pub use align::{Agreement, Alignment, CrossCheck, Difference, Unaligned, align};
pub use annotated::{AnnotatedSentence, Aspect, CategoryOpinion, Cut, Extra, Link, Mark};
pub use documents::{
    Document, DocumentFormat, Documents, parse_label, read_documents, without_losses,
    write_documents,
};
pub use error::DataError;
pub use format::{DataFormat, Loaded, detect, load, load_detected, load_text, read, read_as};
pub use input::{is_standard_stream, open};
pub(crate) use leaks::leak_key;
pub use losses::{Field, drop_fields, losses};
pub use polarity::Polarity;
pub use problem::{Place, Problem, ProblemKind, Severity};
pub use sentiment::{NotPredictable, Sentiment};
pub use tags::{AeTag, DecodedTags, EncodedTags, decode_tags, encode_tags};
pub(crate) use tags::{sentiment_labels, spans_of_tags};

pub use crate::text::Span;
pub use imn_io::Compression;
pub use write::{check_writable, write, write_to};
