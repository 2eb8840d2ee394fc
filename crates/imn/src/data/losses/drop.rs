//! Removes fields that a format cannot represent.

use super::Field;
use super::kept::{Kept, is_conflict, keep, unlinked};
use crate::data::{AnnotatedSentence, Cut, Mark, Span, encode_tags};
use crate::text::tokenize;

/// Removes fields from all sentences. [`Field::Empty`] removes whole sentences.
///
/// ```
/// use imn::data::{AnnotatedSentence, Field, drop_fields};
///
/// let mut sentences = vec![AnnotatedSentence::default(), AnnotatedSentence::from_words(["Yum"])];
/// sentences[1].id = Some("r2".to_owned());
/// drop_fields(&mut sentences, &[Field::Empty, Field::Id]);
/// assert_eq!(sentences, [AnnotatedSentence::from_words(["Yum"])]);
/// ```
pub fn drop_fields(sentences: &mut Vec<AnnotatedSentence>, fields: &[Field]) {
    // Conflict first: an opinion about a conflict aspect only becomes unlinked.
    let (first, rest): (Vec<Field>, Vec<Field>) =
        fields.iter().partition(|f| **f == Field::Conflict);
    for field in first.iter().chain(&rest) {
        if *field == Field::Empty {
            sentences.retain(|sentence| !sentence.tokens.is_empty());
        }
        for sentence in &mut *sentences {
            drop_field(sentence, *field);
        }
    }
}

fn drop_field(sentence: &mut AnnotatedSentence, field: Field) {
    match field {
        Field::Id => sentence.id = None,
        Field::Review => sentence.extra.review = None,
        Field::OutOfScope => sentence.extra.out_of_scope = false,
        Field::Meta => sentence.extra.meta = None,
        Field::Categories => sentence.extra.categories.clear(),
        Field::Offsets => sentence.extra.cuts.clear(),
        Field::Links => sentence.links = None,
        Field::Opinions => {
            sentence.opinions = None;
            sentence.links = None;
            sentence
                .extra
                .cuts
                .retain(|cut| matches!(cut.mark, Mark::Aspect(_)));
        }
        Field::Text => {
            let words: Vec<String> = sentence.words().map(str::to_owned).collect();
            let joined = AnnotatedSentence::from_words(words.iter().map(String::as_str));
            sentence.text = joined.text;
            sentence.tokens = joined.tokens;
            sentence.extra.cuts.clear();
        }
        Field::Tokens => retokenize(sentence),
        Field::Overlaps => {
            let encoded = encode_tags(sentence);
            let opinions = sentence.opinions.as_ref().map_or(0, Vec::len);
            let kept = Kept {
                aspects: (0..sentence.aspects.len())
                    .map(|i| !encoded.lost_aspects.contains(&i))
                    .collect(),
                opinions: (0..opinions)
                    .map(|i| !encoded.lost_opinions.contains(&i))
                    .collect(),
            };
            keep(sentence, &kept);
        }
        Field::Conflict => {
            let opinions = sentence.opinions.as_ref().map_or(0, Vec::len);
            let kept = Kept {
                aspects: sentence.aspects.iter().map(|a| !is_conflict(a)).collect(),
                opinions: vec![true; opinions],
            };
            keep(sentence, &kept);
        }
        Field::Unlinked => {
            let kept = unlinked(sentence);
            keep(sentence, &kept);
            sentence.opinions.get_or_insert_default();
            sentence.links.get_or_insert_default();
        }
        // These concern whole sentences or documents, not the inside of a sentence.
        Field::Empty | Field::Stars | Field::Columns => {}
    }
}

/// Replaces the tokens with those of the tokenizer. Annotations move to the tokens that they touch.
fn retokenize(sentence: &mut AnnotatedSentence) {
    let tokens = tokenize(&sentence.text);
    let move_span = |bytes: Span| {
        let start = tokens.partition_point(|token| token.end <= bytes.start);
        Span::new(
            start,
            tokens.partition_point(|token| token.start < bytes.end),
        )
    };
    let mut cuts = Vec::new();
    let mut place = |mark: Mark, sentence: &AnnotatedSentence| {
        let bytes = sentence.mark_bytes(mark);
        let span = move_span(bytes);
        let edges = (
            tokens.get(span.start),
            span.end.checked_sub(1).and_then(|last| tokens.get(last)),
        );
        if !matches!(edges, (Some(a), Some(b)) if (a.start, b.end) == (bytes.start, bytes.end)) {
            cuts.push(Cut { mark, bytes });
        }
        span
    };
    let aspects: Vec<Span> = (0..sentence.aspects.len())
        .map(|i| place(Mark::Aspect(i), sentence))
        .collect();
    let opinions: Option<Vec<Span>> = sentence.opinions.as_ref().map(|all| {
        (0..all.len())
            .map(|i| place(Mark::Opinion(i), sentence))
            .collect()
    });
    for (aspect, span) in sentence.aspects.iter_mut().zip(aspects) {
        aspect.span = span;
    }
    sentence.opinions = opinions;
    sentence.extra.cuts = cuts;
    sentence.tokens = tokens;
}
