//! Annotated sentences and document sets: reading, writing, converting and checking.
//!
//! [`read`] takes any supported file or folder and returns [`AnnotatedSentence`]s. [`load`] also
//! returns their line numbers and every [`Problem`] found. [`write()`] writes sentences in a
//! format; [`losses()`] counts what that format cannot represent.
//!
//! Converting a file from one format to another:
//!
//! ```
//! use imn::data::{DataFormat, Field, drop_fields, losses, read, write};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let (from, to) = (folder.path().join("a.aste"), folder.path().join("a.xml"));
//! std::fs::write(&from, "the soup is good####[([1], [3], 'POS')]\n")?;
//!
//! let mut sentences = read(&from)?;
//! let lost = losses(&sentences, DataFormat::Semeval14);
//! assert_eq!(lost.into_keys().collect::<Vec<_>>(), [Field::Opinions, Field::Links]);
//! drop_fields(&mut sentences, &[Field::Opinions, Field::Links]);
//! write(&sentences, &to, DataFormat::Semeval14)?;
//! assert_eq!(read(&to)?, sentences);
//! # Ok(())
//! # }
//! ```

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
pub use input::{is_standard_stream, open, read_text, text_lines};
pub(crate) use leaks::leak_key;
pub use losses::{Field, drop_fields, losses};
pub use output::check_target;
pub use polarity::Polarity;
pub use problem::{Place, Problem, ProblemKind, Severity};
pub use sentiment::{NotPredictable, Sentiment};
pub use tags::{AeTag, DecodedTags, EncodedTags, decode_tags, encode_tags};
pub(crate) use tags::{sentiment_labels, spans_of_tags};

pub use crate::text::Span;
pub use imn_io::Compression;
pub use write::{check_writable, write, write_to};
