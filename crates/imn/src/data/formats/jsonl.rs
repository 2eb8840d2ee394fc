//! Our own format: one JSON object per line, offsets in code points, version 1.
//!
//! ```json
//! {"v":1,"id":"r1","text":"The soup was great.",
//!  "aspects":[{"start":4,"end":8,"term":"soup","polarity":"positive"}],
//!  "opinions":[{"start":13,"end":18,"term":"great"}],"links":[[0,0]]}
//! ```
//!
//! (wrapped here). Only `text` is required. Missing `opinions` or `links` mean *not annotated*;
//! empty lists mean *none*. `tokens` (pairs of offsets) are written only if they differ from those
//! of the tokenizer. The field `meta` is free for the user. An unknown field is an error, so that a
//! misspelt name is not lost silently.

use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::each_line;
use super::json_object::{Object, Shape};
use super::jsonl_mistake::explain;
use crate::data::draft::{Draft, Report, locate};
use crate::data::{
    AnnotatedSentence, CategoryOpinion, Extra, Link, Loaded, Mark, Polarity, ProblemKind, Span,
};
use crate::text::{OffsetIndex, OffsetUnit, is_separator, tokenize};

/// The version that is written, and the newest that can be read.
pub const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    #[serde(default = "current")]
    v: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    review: Option<String>,
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tokens: Option<Vec<(usize, usize)>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    aspects: Option<Vec<Object<Term>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    opinions: Option<Vec<Object<Term>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    links: Option<Vec<(usize, usize)>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    categories: Vec<Object<Category>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    out_of_scope: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    meta: Option<serde_json::Map<String, serde_json::Value>>,
}

fn current() -> u32 {
    VERSION
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Term {
    start: usize,
    end: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    term: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    polarity: Option<Polarity>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Category {
    category: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    polarity: Option<Polarity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    aspect: Option<usize>,
}

impl Shape for Record {
    const SHAPE: &'static str = "an object with a text";
}

impl Shape for Term {
    const SHAPE: &'static str = "an object with start and end";
}

impl Shape for Category {
    const SHAPE: &'static str = "an object with a category";
}

/// Reads the lines of a file.
pub(in crate::data) fn parse(text: &str, path: &Path, loaded: &mut Loaded) {
    let mut without_aspect_field = 0;
    each_line(text, path, loaded, |line, report| {
        let (sentence, annotated) = parse_record(line, report)?;
        without_aspect_field += usize::from(!annotated);
        Some(sentence)
    });
    loaded.without_aspect_field += without_aspect_field;
}

/// Parses a single line, for streams.
///
/// ```
/// let line = r#"{"text": "Nice pub", "aspects": [{"start": 5, "end": 8}]}"#;
/// let sentence = imn::data::formats::jsonl::parse_line(line).unwrap();
/// assert_eq!(sentence.surface(sentence.aspects[0].span), "pub");
/// ```
///
/// # Errors
///
/// The first error in the line, located at `<line>:1`.
pub fn parse_line(line: &str) -> Result<AnnotatedSentence, crate::data::DataError> {
    let mut loaded = Loaded::default();
    parse(line, Path::new("<line>"), &mut loaded);
    let mut sentences = loaded.strict()?;
    match (sentences.pop(), sentences.is_empty()) {
        (Some(sentence), true) => Ok(sentence),
        _ => Err(crate::data::DataError::UnknownFormat {
            path: "<line>".into(),
            reason: "not one JSON object on one line".to_owned(),
        }),
    }
}

/// The sentence, and whether its aspects are annotated.
fn parse_record(line: &str, report: &mut Report<'_>) -> Option<(AnnotatedSentence, bool)> {
    let record = match serde_json::from_str(line) {
        Ok(Object::<Record>(record)) => record,
        Err(error) => {
            let (message, fix) = explain(line, &error);
            return report.refuse(ProblemKind::Malformed, message, fix);
        }
    };
    if record.v > VERSION {
        return report.refuse(
            ProblemKind::Malformed,
            format!(
                "version {} is newer than {VERSION}, the newest that is supported",
                record.v
            ),
            "use a newer release of imn",
        );
    }
    let text = record.text;
    let index = OffsetIndex::new(&text);
    let tokens = match record.tokens {
        Some(tokens) => Some(parse_tokens(&tokens, &text, &index, report)?),
        None => None,
    };
    let annotated = record.aspects.is_some();
    let mut aspects = Vec::new();
    for Object(term) in record.aspects.iter().flatten() {
        let chars = Span::new(term.start, term.end);
        aspects.push((
            locate(&index, &text, chars, term.term.as_deref(), report)?,
            term.polarity,
        ));
    }
    let opinions = match record.opinions {
        Some(terms) => {
            let mut opinions = Vec::with_capacity(terms.len());
            for Object(term) in &terms {
                if term.polarity.is_some() {
                    return report.refuse(
                        ProblemKind::Malformed,
                        "an opinion has no polarity",
                        "polarities belong to aspects",
                    );
                }
                let chars = Span::new(term.start, term.end);
                opinions.push(locate(&index, &text, chars, term.term.as_deref(), report)?);
            }
            Some(opinions)
        }
        None => None,
    };
    let links = record.links.map(|links| {
        links
            .into_iter()
            .map(|(aspect, opinion)| Link { aspect, opinion })
            .collect()
    });
    let categories = record
        .categories
        .into_iter()
        .map(|Object(c)| CategoryOpinion {
            category: c.category,
            polarity: c.polarity,
            aspect: c.aspect,
        })
        .collect();
    let extra = Extra {
        review: record.review,
        out_of_scope: record.out_of_scope,
        categories,
        cuts: Vec::new(),
        meta: record.meta,
    };
    Draft {
        id: record.id,
        text,
        tokens,
        aspects,
        opinions,
        links,
        extra,
    }
    .finish(report)
    .map(|sentence| (sentence, annotated))
}

const TOKENS_FIX: &str = "tokens must be in order and cover every character except white space; \
     omit the field to use the tokenizer";

/// Parses the tokens of the source. They must be in order, not overlap, be within the text, and
/// leave out only white space.
fn parse_tokens(
    tokens: &[(usize, usize)],
    text: &str,
    index: &OffsetIndex<'_>,
    report: &mut Report<'_>,
) -> Option<Vec<Span>> {
    let mut bytes: Vec<Span> = Vec::with_capacity(tokens.len());
    let mut last = 0;
    for &(start, end) in tokens {
        let span = index.span_to_bytes(Span::new(start, end), OffsetUnit::Chars);
        let gap = span.and_then(|span| text.get(last..span.start));
        match (span, gap) {
            (Some(span), Some(gap)) if !span.is_empty() && gap.chars().all(is_separator) => {
                last = span.end;
                bytes.push(span);
            }
            _ => {
                return report.refuse(
                    ProblemKind::OffsetMismatch,
                    format!(
                        "token {start}..{end} is empty, out of order, out of bounds, or skips text"
                    ),
                    TOKENS_FIX,
                );
            }
        }
    }
    if text
        .get(last..)
        .is_some_and(|rest| rest.chars().all(is_separator))
    {
        return Some(bytes);
    }
    report.refuse(
        ProblemKind::OffsetMismatch,
        "the tokens do not cover the end of the text",
        TOKENS_FIX,
    )
}

/// Writes one sentence per line.
pub fn write(sentences: &[AnnotatedSentence], out: &mut dyn Write) -> std::io::Result<()> {
    for sentence in sentences {
        write_line(sentence, out)?;
    }
    Ok(())
}

/// Writes one sentence and the end of its line.
///
/// ```
/// use imn::data::{AnnotatedSentence, formats::jsonl};
///
/// # fn main() -> std::io::Result<()> {
/// let mut out = Vec::new();
/// jsonl::write_line(&AnnotatedSentence::from_text("Nice pub"), &mut out)?;
/// assert_eq!(out, b"{\"v\":1,\"text\":\"Nice pub\",\"aspects\":[]}\n");
/// # Ok(())
/// # }
/// ```
pub fn write_line(sentence: &AnnotatedSentence, out: &mut dyn Write) -> std::io::Result<()> {
    let index = OffsetIndex::new(&sentence.text);
    let chars = |bytes: Span| {
        index
            .span_from_bytes(bytes, OffsetUnit::Chars)
            .unwrap_or(bytes)
    };
    let term = |mark: Mark, polarity: Option<Polarity>| {
        let bytes = sentence.mark_bytes(mark);
        let span = chars(bytes);
        let term = bytes.of(&sentence.text).map(str::to_owned);
        Object(Term {
            start: span.start,
            end: span.end,
            term,
            polarity,
        })
    };
    let own_tokens = sentence.tokens != tokenize(&sentence.text);
    let record = Record {
        v: VERSION,
        id: sentence.id.clone(),
        review: sentence.extra.review.clone(),
        text: sentence.text.clone(),
        tokens: own_tokens.then(|| {
            sentence
                .tokens
                .iter()
                .map(|&token| chars(token))
                .map(|s| (s.start, s.end))
                .collect()
        }),
        aspects: Some(
            (sentence.aspects.iter().enumerate())
                .map(|(i, aspect)| term(Mark::Aspect(i), aspect.polarity))
                .collect(),
        ),
        opinions: sentence.opinions.as_ref().map(|all| {
            (0..all.len())
                .map(|i| term(Mark::Opinion(i), None))
                .collect()
        }),
        links: sentence.links.as_ref().map(|links| {
            links
                .iter()
                .map(|link| (link.aspect, link.opinion))
                .collect()
        }),
        categories: (sentence.extra.categories.iter())
            .map(|c| {
                Object(Category {
                    category: c.category.clone(),
                    polarity: c.polarity,
                    aspect: c.aspect,
                })
            })
            .collect(),
        out_of_scope: sentence.extra.out_of_scope,
        meta: sentence.extra.meta.clone(),
    };
    serde_json::to_writer(&mut *out, &record)?;
    out.write_all(b"\n")
}
