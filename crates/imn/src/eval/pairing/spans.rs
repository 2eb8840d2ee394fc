//! Spans in letters of a sentence, so that two tokenizations can be compared.

use super::letters::letters;
use super::{PairingError, Side};
use crate::data::{AnnotatedSentence, Aspect, Span, decode_tags, encode_tags};
use crate::eval::SentenceSpans;

/// The annotation of a sentence in positions that do not depend on its tokens.
pub(super) fn spans(
    number: usize,
    side: Side,
    sentence: &AnnotatedSentence,
) -> Result<SentenceSpans, PairingError> {
    let tokens = sentence.tokens.len();
    let check = |span: Span| {
        if span.start < span.end && span.end <= tokens {
            return Ok(());
        }
        Err(PairingError::OutOfRange {
            number,
            side,
            start: span.start,
            end: span.end,
            tokens,
        })
    };
    for &span in sentence.opinions.iter().flatten() {
        check(span)?;
    }
    for aspect in &sentence.aspects {
        check(aspect.span)?;
    }
    let positions = Positions::new(sentence);
    let aspects = sentence
        .aspects
        .iter()
        .map(|aspect| Aspect {
            span: positions.of(aspect.span),
            ..*aspect
        })
        .collect();

    let decoded = decode_tags(&encode_tags(sentence).tags);
    let opinions = sentence.opinions.is_some().then(|| {
        decoded
            .opinions
            .iter()
            .map(|&span| positions.of(span))
            .collect()
    });
    Ok(SentenceSpans {
        aspects,
        opinions,
        orphans: decoded.orphans as u64,
    })
}

/// For each token, the range of its letters.
struct Positions(Vec<Span>);

impl Positions {
    fn new(sentence: &AnnotatedSentence) -> Self {
        let starts: Vec<usize> = letters(&sentence.text).map(|(at, _)| at).collect();
        let before = |byte: usize| starts.partition_point(|&at| at < byte);
        Self(
            sentence
                .tokens
                .iter()
                .map(|token| Span::new(before(token.start), before(token.end)))
                .collect(),
        )
    }

    /// The letters of a non-empty span of tokens, which must be in bounds.
    fn of(&self, tokens: Span) -> Span {
        Span::new(self.0[tokens.start].start, self.0[tokens.end - 1].end)
    }
}
