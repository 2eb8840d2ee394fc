//! Out into any format, and what would be lost on the way.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use serde::Serialize;

use super::formats::{aste, conll, four_file, jsonl, semeval};
use super::output::{check_target, write_beside};
use super::{
    AnnotatedSentence, Aspect, DataError, Format, Link, Mark, Polarity, Span, encode_tags,
};
use crate::text::tokenize;

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

/// How many sentences would lose which field if they were written in `format`.
#[must_use]
pub fn losses(sentences: &[AnnotatedSentence], format: Format) -> BTreeMap<Field, usize> {
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
        let columns = matches!(format, Format::FourFile | Format::Aste | Format::Conll);
        let xml = matches!(format, Format::Semeval14 | Format::Semeval15);
        if format == Format::Jsonl {
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
            format == Format::FourFile && mixed && sentence.opinions.is_some(),
        );
        lose(
            Field::Links,
            (xml || format == Format::FourFile) && sentence.links.is_some(),
        );
        lose(
            Field::Id,
            matches!(format, Format::FourFile | Format::Aste) && sentence.id.is_some(),
        );
        lose(
            Field::Review,
            !matches!(format, Format::Semeval15 | Format::Conll) && extra.review.is_some(),
        );
        lose(Field::OutOfScope, columns && extra.out_of_scope);
        let tied = extra.categories.iter().any(|c| c.aspect.is_some());
        lose(
            Field::Categories,
            (columns && !extra.categories.is_empty()) || (format == Format::Semeval14 && tied),
        );
        // 2015's XML gives an aspect the polarities of its categories: another one of its own has no place there.
        let contradicted = |(i, aspect): (usize, &super::Aspect)| {
            let mut linked = extra
                .categories
                .iter()
                .filter(|c| c.aspect == Some(i))
                .peekable();
            let any = linked.peek().is_some();
            let merged = linked
                .filter_map(|c| c.polarity)
                .reduce(super::Polarity::merge);
            any && merged != aspect.polarity
        };
        lose(
            Field::Categories,
            format == Format::Semeval15 && sentence.aspects.iter().enumerate().any(contradicted),
        );
        lose(Field::Empty, columns && sentence.tokens.is_empty());
        let joined = sentence.text == join(sentence);
        let holds_text = format == Format::Conll && !sentence.text.contains(['\n', '\r', '\t']);
        lose(Field::Text, columns && !joined && !holds_text);
        let cut = |c: &super::Cut| !xml || matches!(c.mark, Mark::Opinion(_));
        lose(
            Field::Offsets,
            (columns || xml) && extra.cuts.iter().any(cut),
        );
        if matches!(format, Format::FourFile | Format::Conll) {
            let encoded = encode_tags(sentence);
            lose(
                Field::Overlaps,
                !encoded.lost_aspects.is_empty() || !encoded.lost_opinions.is_empty(),
            );
        }
        lose(
            Field::Conflict,
            format == Format::Aste && sentence.aspects.iter().any(is_conflict),
        );
        // Triplets cannot say "not annotated".
        let silent = sentence.opinions.is_none() || sentence.links.is_none();
        lose(
            Field::Unlinked,
            format == Format::Aste && (silent || unlinked(sentence).any()),
        );
    }
    lost
}

fn join(sentence: &AnnotatedSentence) -> String {
    sentence.words().collect::<Vec<_>>().join(" ")
}

/// Which aspects and opinions stay.
struct Kept {
    aspects: Vec<bool>,
    opinions: Vec<bool>,
}

impl Kept {
    fn any(&self) -> bool {
        self.aspects.iter().chain(&self.opinions).any(|kept| !kept)
    }
}

fn is_conflict(aspect: &Aspect) -> bool {
    aspect.polarity == Some(Polarity::Conflict)
}

fn unlinked(sentence: &AnnotatedSentence) -> Kept {
    let opinions = sentence.opinions.as_ref().map_or(0, Vec::len);
    let mut kept = Kept {
        aspects: vec![false; sentence.aspects.len()],
        opinions: vec![false; opinions],
    };
    for link in sentence.links.iter().flatten() {
        // Conflict is a loss of its own.
        let polarity = sentence.aspects.get(link.aspect).and_then(|a| a.polarity);
        if polarity.is_some() {
            if let Some(slot) = kept.aspects.get_mut(link.aspect) {
                *slot = true;
            }
            if let Some(slot) = kept.opinions.get_mut(link.opinion) {
                *slot = true;
            }
        }
    }
    kept
}

/// Takes fields away.
pub fn drop_fields(sentences: &mut Vec<AnnotatedSentence>, fields: &[Field]) {
    // An opinion about a conflict aspect only is unlinked when that has gone.
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
        // Of whole sentences and of documents: nothing inside a sentence.
        Field::Empty | Field::Stars | Field::Columns => {}
    }
}

/// Gives the sentence the tokenizer's tokens; annotations go to the tokens that they touch.
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
            cuts.push(super::Cut { mark, bytes });
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

fn keep(sentence: &mut AnnotatedSentence, kept: &Kept) {
    let renumber = |flags: &[bool]| {
        let mut next = 0;
        flags
            .iter()
            .map(|kept| {
                next += usize::from(*kept);
                kept.then(|| next - 1)
            })
            .collect::<Vec<Option<usize>>>()
    };
    let (aspects, opinions) = (renumber(&kept.aspects), renumber(&kept.opinions));
    let new = |map: &[Option<usize>], i: usize| map.get(i).copied().flatten();
    let mut at = 0;
    sentence.aspects.retain(|_| {
        at += 1;
        new(&aspects, at - 1).is_some()
    });
    if let Some(spans) = &mut sentence.opinions {
        let mut at = 0;
        spans.retain(|_| {
            at += 1;
            new(&opinions, at - 1).is_some()
        });
    }
    if let Some(links) = &mut sentence.links {
        *links = (links.iter())
            .filter_map(|l| {
                Some(Link {
                    aspect: new(&aspects, l.aspect)?,
                    opinion: new(&opinions, l.opinion)?,
                })
            })
            .collect();
    }
    sentence
        .extra
        .categories
        .retain_mut(|category| match category.aspect {
            Some(i) => {
                category.aspect = new(&aspects, i);
                category.aspect.is_some()
            }
            None => true,
        });
    sentence.extra.cuts.retain_mut(|cut| {
        let moved = match cut.mark {
            Mark::Aspect(i) => new(&aspects, i).map(Mark::Aspect),
            Mark::Opinion(i) => new(&opinions, i).map(Mark::Opinion),
        };
        if let Some(mark) = moved {
            cut.mark = mark;
        }
        moved.is_some()
    });
}

/// Writes sentences in a format, packed where the path's name ends in `.gz` or `.zst`. What was there before is replaced only
/// when all is written, and never something of another kind. Nothing is checked for losses here; see [`losses`].
pub fn write(
    sentences: &[AnnotatedSentence],
    path: &Path,
    format: Format,
) -> Result<(), DataError> {
    check_writable(sentences, format)?;
    check_target(path, format)?;
    if format == Format::FourFile {
        return four_file::write(sentences, path);
    }
    write_beside(path, |out| {
        write_to(sentences, out, format)
            .map(drop)
            .map_err(DataError::io(path))
    })
}

/// Writes sentences to a stream, which is given back flushed. The four-file layout is a folder and writes nothing here;
/// see [`check_writable`] for what would come back as something else.
pub fn write_to<W: Write>(
    sentences: &[AnnotatedSentence],
    mut out: W,
    format: Format,
) -> std::io::Result<W> {
    match format {
        Format::FourFile => {}
        Format::Semeval14 => semeval::write14(sentences, &mut out)?,
        Format::Semeval15 => semeval::write15(sentences, &mut out)?,
        Format::Aste => aste::write(sentences, &mut out)?,
        Format::Conll => conll::write(sentences, &mut out)?,
        Format::Jsonl => jsonl::write(sentences, &mut out)?,
    }
    out.flush()?;
    Ok(out)
}

/// Refuses what would come back as something else.
///
/// # Errors
/// The first sentence that the format cannot hold, and why.
pub fn check_writable(sentences: &[AnnotatedSentence], format: Format) -> Result<(), DataError> {
    for (i, sentence) in sentences.iter().enumerate() {
        if let Some(reason) = unwritable(sentence, format) {
            return Err(DataError::Unwritable {
                item: "sentence",
                number: i + 1,
                reason,
            });
        }
    }
    Ok(())
}

fn unwritable(sentence: &AnnotatedSentence, format: Format) -> Option<String> {
    let names = [sentence.id.as_ref(), sentence.extra.review.as_ref()];
    match format {
        Format::Jsonl => None,
        Format::FourFile | Format::Aste => sentence
            .words()
            .find(|w| w.is_empty() || w.contains(char::is_whitespace))
            .map(|w| {
                format!(
                    "token {w:?} has white space in it, which separates tokens in {format} (go without these tokens: \
                     --drop tokens)"
                )
            }),
        Format::Conll => {
            let breaks = |s: &str| s.contains(['\t', '\n', '\r']);
            if let Some(word) = sentence
                .words()
                .find(|s| s.is_empty() || breaks(s) || s.trim_end() != *s)
            {
                return Some(format!(
                    "token {word:?} has white space that ends a column or a line (go without these tokens: \
                     --drop tokens)"
                ));
            }
            let fields = [
                ("id", sentence.id.as_ref()),
                ("review", sentence.extra.review.as_ref()),
            ];
            let (field, name) = fields
                .into_iter()
                .filter_map(|(field, name)| Some((field, name?)))
                .find(|(_, name)| name.is_empty() || breaks(name))?;
            let what = if name.is_empty() {
                "is empty"
            } else {
                "has a tab or a line break in it"
            };
            Some(format!(
                "its {field} {name:?} {what}, which {format} cannot hold (go without: --drop {field})"
            ))
        }
        Format::Semeval14 | Format::Semeval15 => {
            let is_bad = |c: char| {
                (c < ' ' && !matches!(c, '\n' | '\r' | '\t'))
                    || matches!(c, '\u{FFFE}' | '\u{FFFF}')
            };
            let fields = [Some(&sentence.text), names[0], names[1]]
                .into_iter()
                .flatten();
            if let Some(c) = fields.flat_map(|f| f.chars()).find(|c| is_bad(*c)) {
                return Some(format!(
                    "character U+{:04X} is not allowed in XML",
                    c as u32
                ));
            }
            let null = (0..sentence.aspects.len())
                .any(|i| sentence.mark_bytes(Mark::Aspect(i)).of(&sentence.text) == Some("NULL"));
            (format == Format::Semeval15 && null)
                .then(|| "an aspect term NULL would be read as no term".to_owned())
        }
    }
}
