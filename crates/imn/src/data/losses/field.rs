//! The parts of a sentence or document that not every format can hold.
//!
//! They have names so that a conversion can report exactly what it would lose, and so that the user
//! can accept each loss by name.

use serde::Serialize;

/// A part of annotated sentences that not every format can hold; `imn convert --drop` names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Field {
    /// Identifiers.
    Id,
    /// The raw text, where it is not the tokens joined with one space.
    Text,
    /// Tokens other than those of the tokenizer.
    Tokens,
    /// Opinion terms.
    Opinions,
    /// Which opinion is about which aspect.
    Links,
    /// Category opinions, or which aspect they belong to.
    Categories,
    /// Which review a sentence is part of.
    Review,
    /// That a sentence was left unannotated on purpose.
    OutOfScope,
    /// The user's own fields.
    Meta,
    /// Exact offsets of annotations that cut a token.
    Offsets,
    /// Spans of one kind that share a token: all but the first.
    Overlaps,
    /// Aspects with *conflict*, which triplets have no name for.
    Conflict,
    /// Aspects and opinions that make no triplet (without a link or a polarity), and that opinions or links are not
    /// annotated.
    Unlinked,
    /// Sentences without tokens.
    Empty,
    /// Stars of documents, where the target has `pos`, `neg` and `neu`.
    Stars,
    /// Columns of documents besides label and text.
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

    /// The name, as in `imn convert --drop`.
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
