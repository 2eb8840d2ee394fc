//! Counts what a format would lose.

use std::collections::BTreeMap;

use super::Field;
use super::kept::{is_conflict, unlinked};
use crate::data::{AnnotatedSentence, Aspect, Cut, DataFormat, Mark, Polarity, encode_tags};
use crate::text::tokenize;

/// Counts the sentences that would lose each field if they were written in `format`.
///
/// ```
/// use imn::data::{AnnotatedSentence, DataFormat, Field, losses};
///
/// let mut sentence = AnnotatedSentence::from_words(["Yum"]);
/// sentence.id = Some("r1".to_owned());
/// let lost = losses(&[sentence], DataFormat::FourFile);
/// assert_eq!(lost.into_iter().collect::<Vec<_>>(), [(Field::Id, 1)]);
/// ```
#[must_use]
pub fn losses(sentences: &[AnnotatedSentence], format: DataFormat) -> BTreeMap<Field, usize> {
    let mut lost = BTreeMap::new();
    // The four-file layout has opinions for all sentences or for none.
    let some_opinions = sentences.iter().any(|s| s.opinions.is_some());
    let mixed = some_opinions && sentences.iter().any(|s| s.opinions.is_none());
    for sentence in sentences {
        let mut lose = |field: Field, really: bool| {
            if really {
                *lost.entry(field).or_insert(0) += 1;
            }
        };
        let extra = &sentence.extra;
        let columns = matches!(
            format,
            DataFormat::FourFile | DataFormat::Aste | DataFormat::Conll
        );
        let xml = matches!(format, DataFormat::Semeval14 | DataFormat::Semeval15);
        if format == DataFormat::Jsonl {
            continue;
        }
        lose(Field::Meta, extra.meta.is_some());
        lose(
            Field::Tokens,
            xml && sentence.tokens != tokenize(&sentence.text),
        );
        lose(Field::Opinions, xml && sentence.opinions.is_some());
        lose(
            Field::Opinions,
            format == DataFormat::FourFile && mixed && sentence.opinions.is_some(),
        );
        lose(
            Field::Links,
            (xml || format == DataFormat::FourFile) && sentence.links.is_some(),
        );
        lose(
            Field::Id,
            matches!(format, DataFormat::FourFile | DataFormat::Aste) && sentence.id.is_some(),
        );
        lose(
            Field::Review,
            !matches!(format, DataFormat::Semeval15 | DataFormat::Conll) && extra.review.is_some(),
        );
        lose(Field::OutOfScope, columns && extra.out_of_scope);
        let tied = extra.categories.iter().any(|c| c.aspect.is_some());
        lose(
            Field::Categories,
            (columns && !extra.categories.is_empty()) || (format == DataFormat::Semeval14 && tied),
        );
        // The XML of 2015 stores the polarity of an aspect in its categories. A different polarity
        // of the aspect itself would be lost.
        let contradicted = |(i, aspect): (usize, &Aspect)| {
            let mut linked = extra
                .categories
                .iter()
                .filter(|c| c.aspect == Some(i))
                .peekable();
            let any = linked.peek().is_some();
            let merged = linked.filter_map(|c| c.polarity).reduce(Polarity::merge);
            any && merged != aspect.polarity
        };
        lose(
            Field::Categories,
            format == DataFormat::Semeval15
                && sentence.aspects.iter().enumerate().any(contradicted),
        );
        lose(Field::Empty, columns && sentence.tokens.is_empty());
        let joined = sentence.text == join(sentence);
        let holds_text = format == DataFormat::Conll && !sentence.text.contains(['\n', '\r', '\t']);
        lose(Field::Text, columns && !joined && !holds_text);
        let cut = |c: &Cut| !xml || matches!(c.mark, Mark::Opinion(_));
        lose(
            Field::Offsets,
            (columns || xml) && extra.cuts.iter().any(cut),
        );
        if matches!(format, DataFormat::FourFile | DataFormat::Conll) {
            let encoded = encode_tags(sentence);
            lose(
                Field::Overlaps,
                !encoded.lost_aspects.is_empty() || !encoded.lost_opinions.is_empty(),
            );
        }
        lose(
            Field::Conflict,
            format == DataFormat::Aste && sentence.aspects.iter().any(is_conflict),
        );
        // Triplets cannot express "not annotated".
        let silent = sentence.opinions.is_none() || sentence.links.is_none();
        lose(
            Field::Unlinked,
            format == DataFormat::Aste && (silent || unlinked(sentence).removes_any()),
        );
    }
    lost
}

fn join(sentence: &AnnotatedSentence) -> String {
    sentence.words().collect::<Vec<_>>().join(" ")
}
