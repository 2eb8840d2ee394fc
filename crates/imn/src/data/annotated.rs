//! The in-memory type of an annotated sentence, the same for all formats.

use super::{Polarity, Span};
use crate::text::tokenize;

/// A sentence with its tokens and annotation.
///
/// ```
/// use imn::data::{AnnotatedSentence, Aspect, Polarity, Span};
///
/// let mut sentence = AnnotatedSentence::from_text("Great soup, slow staff.");
/// sentence.aspects.push(Aspect { span: Span::new(1, 2), polarity: Some(Polarity::Positive) });
/// assert_eq!(sentence.words().collect::<Vec<_>>(), ["Great", "soup", ",", "slow", "staff", "."]);
/// assert_eq!(sentence.surface(Span::new(3, 5)), "slow staff");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnnotatedSentence {
    /// Identifier in the source, if there is one.
    pub id: Option<String>,
    /// The text that all byte offsets refer to. For formats without raw text, the tokens joined
    /// with one space.
    pub text: String,
    /// Byte spans of the tokens in `text`, in order.
    pub tokens: Vec<Span>,
    /// Aspect terms, sorted by position.
    pub aspects: Vec<Aspect>,
    /// Token spans of opinion terms, sorted by position; `None` if opinions are not annotated.
    pub opinions: Option<Vec<Span>>,
    /// Which opinion is about which aspect; `None` if this is not annotated.
    pub links: Option<Vec<Link>>,
    /// Data that only some formats have.
    pub extra: Extra,
}

/// An aspect term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aspect {
    /// Token span of the term.
    pub span: Span,
    /// The sentiment towards the aspect; `None` if it is not annotated.
    pub polarity: Option<Polarity>,
}

/// States that the opinion at index `opinion` is about the aspect at index `aspect`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// Index into [`AnnotatedSentence::aspects`].
    pub aspect: usize,
    /// Index into [`AnnotatedSentence::opinions`].
    pub opinion: usize,
}

/// Data that only some formats have. Models do not use it; conversions keep it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extra {
    /// The review that the sentence is part of.
    pub review: Option<String>,
    /// SemEval 2015 and 2016: whether the sentence was left unannotated on purpose.
    pub out_of_scope: bool,
    /// Opinions about categories: `aspectCategory` and `Opinion category` of SemEval.
    pub categories: Vec<CategoryOpinion>,
    /// Exact bytes of annotations that begin or end inside a token.
    pub cuts: Vec<Cut>,
    /// Additional fields of the user.
    pub meta: Option<serde_json::Map<String, serde_json::Value>>,
}

/// An opinion about a category such as `FOOD#QUALITY`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryOpinion {
    /// Name of the category.
    pub category: String,
    /// The sentiment; `None` if it is not annotated.
    pub polarity: Option<Polarity>,
    /// The aspect term that expresses it, as an index into [`AnnotatedSentence::aspects`]; `None`
    /// if the text has no such term (a `NULL` target).
    pub aspect: Option<usize>,
}

/// Identifies one annotation of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// Index into [`AnnotatedSentence::aspects`].
    Aspect(usize),
    /// Index into [`AnnotatedSentence::opinions`].
    Opinion(usize),
}

/// The exact bytes of an annotation whose token span is wider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The annotation that begins or ends inside a token.
    pub mark: Mark,
    /// Its exact bytes in [`AnnotatedSentence::text`].
    pub bytes: Span,
}

impl AnnotatedSentence {
    /// A sentence without annotation, tokenized with [`tokenize`].
    #[must_use]
    pub fn from_text(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            tokens: tokenize(&text),
            text,
            ..Self::default()
        }
    }

    /// A sentence without annotation whose text is the words joined with one space.
    #[must_use]
    pub fn from_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let mut sentence = Self::default();
        for word in words {
            if !sentence.text.is_empty() {
                sentence.text.push(' ');
            }
            let start = sentence.text.len();
            sentence.text.push_str(word);
            sentence.tokens.push(Span::new(start, sentence.text.len()));
        }
        sentence
    }

    /// The tokens as strings.
    pub fn words(&self) -> impl ExactSizeIterator<Item = &str> {
        self.tokens
            .iter()
            .map(|token| token.of(&self.text).unwrap_or(""))
    }

    /// Byte span from the first to the last token of a token span; empty if the token span is out
    /// of bounds.
    #[must_use]
    pub fn bytes(&self, span: Span) -> Span {
        let first = self.tokens.get(span.start);
        let last = span
            .end
            .checked_sub(1)
            .and_then(|last| self.tokens.get(last));
        match (first, last) {
            (Some(first), Some(last)) if first.start <= last.end => {
                Span::new(first.start, last.end)
            }
            _ => Span::new(0, 0),
        }
    }

    /// The text of a token span.
    #[must_use]
    pub fn surface(&self, span: Span) -> &str {
        self.bytes(span).of(&self.text).unwrap_or("")
    }

    /// Exact byte span of an annotation: that of its tokens, unless it begins or ends inside a
    /// token.
    #[must_use]
    pub fn mark_bytes(&self, mark: Mark) -> Span {
        if let Some(cut) = self.extra.cuts.iter().find(|cut| cut.mark == mark) {
            return cut.bytes;
        }
        let span = match mark {
            Mark::Aspect(i) => self.aspects.get(i).map(|aspect| aspect.span),
            Mark::Opinion(i) => self.opinions.as_ref().and_then(|all| all.get(i)).copied(),
        };
        span.map_or(Span::new(0, 0), |span| self.bytes(span))
    }
}
