//! Reads columns: converts the rows of a sentence to spans of its text.

use std::path::Path;

use super::blocks::{Block, Blocks, split_blocks};
use super::columns::{Column, guess_columns, named_columns};
use super::spans::{OpenSpan, extend};
use super::tags::{Kind, parse_polarity, parse_tag};
use crate::data::draft::{Draft, Report};
use crate::data::{AnnotatedSentence, Link, Loaded, Place, ProblemKind, Span};
use crate::text::is_separator;

/// Reads all sentences of a file.
pub(in crate::data) fn parse(text: &str, path: &Path, loaded: &mut Loaded) {
    let Blocks { head, all: blocks } = split_blocks(text, path, loaded);
    let columns = match head {
        Some((number, names)) => {
            let mut report = Report {
                place: Place::new(path, number),
                problems: &mut loaded.problems,
            };
            match named_columns(names, &mut report) {
                Some(columns) => columns,
                None => return,
            }
        }
        None => match guess_columns(&blocks) {
            Some(columns) => columns,
            None if blocks.is_empty() => return,
            None => {
                let line = blocks.first().map_or(1, |block| block.line);
                let mut report = Report {
                    place: Place::new(path, line),
                    problems: &mut loaded.problems,
                };
                let fix = "name the columns in the first line: \
                           # columns = token aspect opinion polarity _";
                report.refuse::<()>(ProblemKind::Malformed, "no column of tags", fix);
                return;
            }
        },
    };
    for block in &blocks {
        if let Some(sentence) = read_block(block, &columns, path, loaded) {
            loaded.push(block.line, sentence);
        }
    }
}

/// Contents of the rows of a sentence.
struct SentenceRows<'a> {
    words: Vec<&'a str>,
    aspects: Vec<OpenSpan>,
    /// `None` if opinions are not annotated.
    opinions: Option<Vec<OpenSpan>>,
}

fn read_rows<'a>(
    block: &Block<'a>,
    columns: &[Column],
    path: &Path,
    loaded: &mut Loaded,
) -> Option<SentenceRows<'a>> {
    let mut words = Vec::with_capacity(block.rows.len());
    let mut aspects: Vec<OpenSpan> = Vec::new();
    let mut opinions: Vec<OpenSpan> = Vec::new();
    let mut opinions_annotated = columns.contains(&Column::Opinion);
    for (at, (number, row)) in block.rows.iter().enumerate() {
        let mut report = Report {
            place: Place::new(path, *number),
            problems: &mut loaded.problems,
        };
        if row.len() != columns.len() {
            return report.refuse(
                ProblemKind::CountMismatch,
                format!("{} columns instead of {}", row.len(), columns.len()),
                "every line needs the same columns; an empty line separates sentences",
            );
        }
        for (column, field) in columns.iter().zip(row) {
            match column {
                Column::Token if field.is_empty() => {
                    return report.refuse(ProblemKind::Malformed, "empty token", "remove the line");
                }
                Column::Token => words.push(*field),
                Column::Ignored => {}
                Column::Polarity => match parse_polarity(field) {
                    Some(polarity) => {
                        if let Some(last) = aspects.last_mut().filter(|a| a.span.end == at + 1) {
                            last.polarity = last.polarity.or(polarity);
                        }
                    }
                    None => {
                        let message = format!("{field:?} is not a polarity");
                        return report.refuse(
                            ProblemKind::UnknownTag,
                            message,
                            "positive, negative, neutral, conflict or _",
                        );
                    }
                },
                Column::Aspect | Column::Opinion => {
                    let Some(tag) = parse_tag(field) else {
                        let message = format!("{field:?} is not a tag");
                        return report.refuse(
                            ProblemKind::UnknownTag,
                            message,
                            "B, I or O, optionally with a polarity, as in B-positive",
                        );
                    };
                    if *column == Column::Opinion && *field == "_" {
                        opinions_annotated = false;
                    }
                    let Some(tag) = tag else { continue };
                    let opinion = match tag.kind {
                        Kind::Opinion => true,
                        Kind::Aspect => false,
                        Kind::Column => *column == Column::Opinion,
                    };
                    opinions_annotated |= opinion;
                    extend(
                        if opinion { &mut opinions } else { &mut aspects },
                        at,
                        tag,
                        field,
                        &mut report,
                    );
                }
            }
        }
    }
    Some(SentenceRows {
        words,
        aspects,
        opinions: opinions_annotated.then_some(opinions),
    })
}

fn read_block(
    block: &Block<'_>,
    columns: &[Column],
    path: &Path,
    loaded: &mut Loaded,
) -> Option<AnnotatedSentence> {
    let rows = read_rows(block, columns, path, loaded)?;
    let mut report = Report {
        place: Place::new(path, block.line),
        problems: &mut loaded.problems,
    };
    let (text, tokens) = match block.text {
        Some(text) => (text.to_owned(), find_words(&rows.words, text, &mut report)?),
        None => {
            let joined = AnnotatedSentence::from_words(rows.words.iter().copied());
            (joined.text, joined.tokens)
        }
    };
    let bytes = |span: Span| {
        let start = tokens.get(span.start).map_or(0, |t| t.start);
        Span::new(
            start,
            tokens
                .get(span.end.saturating_sub(1))
                .map_or(start, |t| t.end),
        )
    };
    let draft = Draft {
        id: block.id.map(str::to_owned),
        aspects: rows
            .aspects
            .iter()
            .map(|open| (bytes(open.span), open.polarity))
            .collect(),
        opinions: rows
            .opinions
            .map(|opinions| opinions.iter().map(|open| bytes(open.span)).collect()),
        links: match block.links {
            Some(links) => Some(parse_links(links, &mut report)?),
            None => None,
        },
        extra: crate::data::Extra {
            review: block.review.map(str::to_owned),
            ..Default::default()
        },
        text,
        tokens: Some(tokens.clone()),
    };
    draft.finish(&mut report)
}

const OWN_TEXT: &str = "the tokens must be consecutive pieces of # text";

fn find_words(words: &[&str], text: &str, report: &mut Report<'_>) -> Option<Vec<Span>> {
    let mut tokens = Vec::with_capacity(words.len());
    let mut from = 0;
    for word in words {
        let rest = text.get(from..).unwrap_or("");
        let gap = rest.len() - rest.trim_start_matches(is_separator).len();
        // A token may itself begin with a separator, so both positions are tried.
        let at = [gap, 0]
            .into_iter()
            .find(|at| rest.get(*at..).is_some_and(|r| r.starts_with(word)));
        let Some(at) = at else {
            let message = format!("token {word:?} is not at its position in the text");
            return report.refuse(ProblemKind::OffsetMismatch, message, OWN_TEXT);
        };
        tokens.push(Span::new(from + at, from + at + word.len()));
        from += at + word.len();
    }
    if !text.get(from..).unwrap_or("").chars().all(is_separator) {
        return report.refuse(
            ProblemKind::OffsetMismatch,
            "the tokens do not cover the end of the text",
            OWN_TEXT,
        );
    }
    Some(tokens)
}

fn parse_links(links: &str, report: &mut Report<'_>) -> Option<Vec<Link>> {
    let mut all = Vec::new();
    for pair in links.split_whitespace() {
        let numbers = pair
            .split_once('-')
            .and_then(|(a, o)| Some((a.parse().ok()?, o.parse().ok()?)));
        match numbers {
            Some((aspect, opinion)) => all.push(Link { aspect, opinion }),
            None => {
                let message = format!("{pair:?} is not a link");
                return report.refuse(
                    ProblemKind::Malformed,
                    message,
                    "a link is a pair like 0-1, aspect first",
                );
            }
        }
    }
    Some(all)
}
