//! The one in-memory type for an annotated sentence, whatever format it came from.

use super::{Polarity, Span};
use crate::text::tokenize;

/// A sentence with its tokens and whatever annotation it came with.
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
    /// What only some formats hold.
    pub extra: Extra,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// Index into [`AnnotatedSentence::aspects`].
    pub aspect: usize,
    /// Index into [`AnnotatedSentence::opinions`].
    pub opinion: usize,
}

/// What only some formats hold; the model does not use it, conversions keep it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extra {
    /// The review that the sentence is part of.
    pub review: Option<String>,
    /// SemEval 2015/2016: the sentence was left unannotated on purpose.
    pub out_of_scope: bool,
    /// Opinions about categories, SemEval's `aspectCategory` and `Opinion category`.
    pub categories: Vec<CategoryOpinion>,
    /// The exact bytes of annotations that do not begin and end with a token.
    pub cuts: Vec<Cut>,
    /// Anything else that a user keeps with a sentence.
    pub meta: Option<serde_json::Map<String, serde_json::Value>>,
}

/// An opinion about a category such as `FOOD#QUALITY`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryOpinion {
    /// The category.
    pub category: String,
    /// The sentiment; `None` where the source does not say.
    pub polarity: Option<Polarity>,
    /// The aspect term that it is expressed at, an index into [`AnnotatedSentence::aspects`]; `None` where
    /// there is none in the text (a `NULL` target).
    pub aspect: Option<usize>,
}

/// Which annotation a [`Cut`] belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// An index into [`AnnotatedSentence::aspects`].
    Aspect(usize),
    /// An index into [`AnnotatedSentence::opinions`].
    Opinion(usize),
}

/// The exact bytes of an annotation whose token span is wider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The annotation.
    pub mark: Mark,
    /// Its bytes in [`AnnotatedSentence::text`].
    pub bytes: Span,
}

impl AnnotatedSentence {
    /// A sentence without annotation, tokenised by [`tokenize`].
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

    /// The bytes from the first to the last token of a token span; empty where it is not in the sentence.
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

    /// The exact bytes of an annotation: those of its tokens unless the source cut one.
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
