//! The one in-memory type for an annotated sentence, whatever format it came from.

use super::{Polarity, Span};

/// A sentence with its tokens and whatever annotation it came with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnnotatedSentence {
    /// Identifier in the source, if it has one.
    pub id: Option<String>,
    /// The text that all byte offsets refer to. Formats that hold only tokens join them with one space.
    pub text: String,
    /// Byte spans of the tokens in `text`, in order.
    pub tokens: Vec<Span>,
    /// Aspect terms in order of position.
    pub aspects: Vec<Aspect>,
    /// Opinion terms as token spans in order of position; `None` where the source does not annotate opinions.
    pub opinions: Option<Vec<Span>>,
    /// Which opinion is about which aspect; `None` where the source does not say.
    pub links: Option<Vec<Link>>,
}

/// An aspect term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aspect {
    /// Its tokens.
    pub span: Span,
    /// The sentiment towards it; `None` where the source does not say.
    pub polarity: Option<Polarity>,
}

/// Opinion number `opinion` is about aspect number `aspect`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Index into [`AnnotatedSentence::aspects`].
    pub aspect: usize,
    /// Index into [`AnnotatedSentence::opinions`].
    pub opinion: usize,
}
