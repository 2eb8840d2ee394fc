//! From raw text to tokens: sentence splitting, tokenizer, offsets, normalisation, vocabulary.
//!
//! All offsets are byte offsets into the original text. [`OffsetIndex`] converts them to code
//! points or UTF-16 units, and back, for programs that count in those.

mod abbreviations;
mod chars;
mod clauses;
mod clitics;
mod emoji;
mod markup;
mod normalize;
mod offsets;
mod rules;
mod sentences;
mod shorten;
mod span;
mod spelling;
mod tokenizer;
mod vocabulary;

pub use chars::is_separator;
pub use clauses::parts;
pub use emoji::emoji_word;
pub use markup::blank_tags;
pub use normalize::Normalizer;
pub use offsets::{OffsetIndex, OffsetUnit};
pub use rules::TokenizerRules;
pub use sentences::split_sentences;
pub use shorten::shorten;
pub use span::Span;
pub use spelling::Spelling;
pub use tokenizer::{tokenize, tokenize_into};
pub(crate) use vocabulary::GrowingVocabulary;
pub use vocabulary::{Vocabulary, VocabularyBuilder, VocabularyError};
