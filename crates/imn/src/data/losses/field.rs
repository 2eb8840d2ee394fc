//! The parts of a sentence or document that not every format can represent.
//!
//! Each has a name, so that a conversion can report exactly what it would lose and the user can
//! accept each loss by name.

use serde::Serialize;

/// A part of a sentence or document that not every format can represent, as named in
/// `imn convert --drop`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Field {
    /// Identifiers.
    Id,
    /// The raw text, if it differs from the tokens joined with one space.
    Text,
    /// Tokens that differ from those of the tokenizer.
    Tokens,
    /// Opinion terms.
    Opinions,
    /// Which opinion is about which aspect.
    Links,
    /// Category opinions, or the aspects that they belong to.
    Categories,
    /// The review that a sentence is part of.
    Review,
    /// The mark of a sentence that was left unannotated on purpose.
    OutOfScope,
    /// Additional fields of the user.
    Meta,
    /// Exact offsets of annotations that begin or end inside a token.
    Offsets,
    /// Spans that share a token with an earlier span of the same kind.
    Overlaps,
    /// Aspects with the polarity *conflict*, which triplets cannot express.
    Conflict,
    /// Aspects and opinions without a link or a polarity, which are part of no triplet. Also the
    /// information that opinions or links are not annotated.
    Unlinked,
    /// Sentences without tokens.
    Empty,
    /// Star ratings of documents; the target has `pos`, `neg` and `neu`.
    Stars,
    /// Columns of documents other than label and text.
    Columns,
}

impl Field {
    /// All fields.
    pub const ALL: [Self; 16] = [
        Self::Id,
        Self::Text,
        Self::Tokens,
        Self::Opinions,
        Self::Links,
        Self::Categories,
        Self::Review,
        Self::OutOfScope,
        Self::Meta,
        Self::Offsets,
        Self::Overlaps,
        Self::Conflict,
        Self::Unlinked,
        Self::Empty,
        Self::Stars,
        Self::Columns,
    ];

    /// Name of the field, as in `imn convert --drop`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Text => "text",
            Self::Tokens => "tokens",
            Self::Opinions => "opinions",
            Self::Links => "links",
            Self::Categories => "categories",
            Self::Review => "review",
            Self::OutOfScope => "out-of-scope",
            Self::Meta => "meta",
            Self::Offsets => "offsets",
            Self::Overlaps => "overlaps",
            Self::Conflict => "conflict",
            Self::Unlinked => "unlinked",
            Self::Empty => "empty",
            Self::Stars => "stars",
            Self::Columns => "columns",
        }
    }
}

impl std::fmt::Display for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
