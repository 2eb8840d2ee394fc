//! Columns in: named by a head, or told by their values.

use std::path::Path;

use super::tags::{Kind, Position, Tag, parse_polarity, parse_tag};
use crate::data::draft::{Draft, Report};
use crate::data::input::lines;
use crate::data::{AnnotatedSentence, Link, Loaded, Place, Polarity, ProblemKind, Span};
use crate::text::is_separator;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Token,
    Aspect,
    Opinion,
    Polarity,
    Ignored,
}

fn split(line: &str) -> Vec<&str> {
    if line.contains('\t') {
        line.split('\t').map(str::trim_end).collect()
    } else {
        line.split_whitespace().collect()
    }
}

/// `# key = value`; a token line of a tabbed file always has a tab, a comment never.
fn comment(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line
        .strip_prefix("# ")?
        .split_once(" = ")
        .or_else(|| line.strip_prefix("# ")?.split_once(" ="))?;
    (!line.contains('\t') && matches!(key, "columns" | "id" | "text" | "links" | "review"))
        .then_some((key, value))
}

/// Whether a text looks like columns with tags.
pub(in crate::data) fn looks_like(text: &str) -> bool {
    let mut rows = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .take(50)
        .peekable();
    if rows
        .peek()
        .and_then(|line| comment(line))
        .is_some_and(|(key, _)| key == "columns")
    {
        return true;
    }
    rows.peek().is_some()
        && rows.filter(|line| comment(line).is_none()).all(|line| {
            let fields = split(line);
            (2..=8).contains(&fields.len()) && fields.iter().skip(1).any(|f| parse_tag(f).is_some())
        })
}

#[derive(Default)]
struct Block<'a> {
    line: usize,
    id: Option<&'a str>,
    review: Option<&'a str>,
    text: Option<&'a str>,
    links: Option<&'a str>,
    rows: Vec<(usize, Vec<&'a str>)>,
}

/// Reads a file.
pub(in crate::data) fn parse(text: &str, path: &Path, loaded: &mut Loaded) {
    let mut head: Option<(usize, &str)> = None;
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut block = Block::default();
    for (number, line) in lines(text) {
        if line.trim().is_empty() {
            if !block.rows.is_empty() {
                blocks.push(std::mem::take(&mut block));
            }
        } else if let Some((key, value)) = comment(line).filter(|_| block.rows.is_empty()) {
            match key {
                "columns" => head = Some((number, value)),
                "id" => block.id = Some(value),
                "review" => block.review = Some(value),
                "text" => block.text = Some(value),
                _ => block.links = Some(value),
            }
        } else if let Some((key, _)) = comment(line) {
            let fix = "it belongs before the first token; an empty line ends a sentence";
            Report {
                place: Place::new(path, number),
                problems: &mut loaded.problems,
            }
            .refuse::<()>(
                ProblemKind::Malformed,
                format!("a line \"# {key} =\" inside a sentence"),
                fix,
            );
        } else if !line.starts_with("-DOCSTART-") {
            if block.rows.is_empty() {
                block.line = number;
            }
            block.rows.push((number, split(line)));
        }
    }
    if !block.rows.is_empty() {
        blocks.push(block);
    }
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
                Report { place: Place::new(path, line), problems: &mut loaded.problems }.refuse::<()>(
                    ProblemKind::Malformed,
                    "no column of tags",
                    "name the columns in the first line: # columns = token aspect opinion polarity _",
                );
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

fn named_columns(names: &str, report: &mut Report<'_>) -> Option<Vec<Column>> {
    let mut columns = Vec::new();
    for name in names.split_whitespace() {
        columns.push(match name {
            "token" => Column::Token,
            "aspect" => Column::Aspect,
            "opinion" => Column::Opinion,
            "polarity" => Column::Polarity,
            "_" => Column::Ignored,
            _ => {
                let message = format!("unknown column {name:?}");
                return report.refuse(
                    ProblemKind::Malformed,
                    message,
                    "token, aspect, opinion, polarity or _",
                );
            }
        });
    }
    if columns.contains(&Column::Token) {
        return Some(columns);
    }
    report.refuse(
        ProblemKind::Malformed,
        "no column holds the token",
        "name one of them token",
    )
}

/// The first column is the token; the others are told by all their values.
fn guess_columns(blocks: &[Block<'_>]) -> Option<Vec<Column>> {
    let width = blocks.first()?.rows.first()?.1.len();
    let mut columns = vec![Column::Token];
    for at in 1..width {
        let fields = || {
            blocks
                .iter()
                .flat_map(|b| &b.rows)
                .filter_map(move |(_, row)| row.get(at))
        };
        let tags = fields().all(|field| parse_tag(field).is_some());
        let polarities = fields().all(|field| parse_polarity(field).is_some());
        let labelled = fields().any(|f| {
            matches!(
                parse_tag(f),
                Some(Some(Tag {
                    kind: Kind::Aspect,
                    ..
                }))
            )
        });
        let opinions = fields().any(|f| {
            matches!(
                parse_tag(f),
                Some(Some(Tag {
                    kind: Kind::Opinion,
                    ..
                }))
            )
        });
        columns.push(if tags && opinions && !labelled {
            Column::Opinion
        } else if tags && !columns.contains(&Column::Aspect) {
            Column::Aspect
        } else if polarities && columns.contains(&Column::Aspect) && !tags {
            Column::Polarity
        } else if tags && !columns.contains(&Column::Opinion) {
            Column::Opinion
        } else {
            Column::Ignored
        });
    }
    columns
        .iter()
        .any(|c| matches!(c, Column::Aspect | Column::Opinion))
        .then_some(columns)
}

/// A span while it grows: its tokens and polarity.
struct Open {
    span: Span,
    polarity: Option<Polarity>,
    run: bool,
}

fn read_block(
    block: &Block<'_>,
    columns: &[Column],
    path: &Path,
    loaded: &mut Loaded,
) -> Option<AnnotatedSentence> {
    let mut words = Vec::with_capacity(block.rows.len());
    let mut aspects: Vec<Open> = Vec::new();
    let mut opinions: Vec<Open> = Vec::new();
    let mut opinions_annotated = columns.contains(&Column::Opinion);
    for (at, (number, row)) in block.rows.iter().enumerate() {
        let mut report = Report {
            place: Place::new(path, *number),
            problems: &mut loaded.problems,
        };
        if row.len() != columns.len() {
            return report.refuse(
                ProblemKind::CountMismatch,
                format!("{} columns, not {}", row.len(), columns.len()),
                "every line has the same columns; an empty line separates sentences",
            );
        }
        for (column, field) in columns.iter().zip(row) {
            match column {
                Column::Token if field.is_empty() => {
                    return report.refuse(
                        ProblemKind::Malformed,
                        "an empty token",
                        "remove the line",
                    );
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
                        let message = format!("{field:?} is no polarity");
                        return report.refuse(
                            ProblemKind::UnknownTag,
                            message,
                            "positive, negative, neutral, conflict or _",
                        );
                    }
                },
                Column::Aspect | Column::Opinion => {
                    let Some(tag) = parse_tag(field) else {
                        let message = format!("{field:?} is no tag");
                        return report.refuse(
                            ProblemKind::UnknownTag,
                            message,
                            "B, I or O, with a polarity as in B-positive",
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
    let mut report = Report {
        place: Place::new(path, block.line),
        problems: &mut loaded.problems,
    };
    let (text, tokens) = match block.text {
        Some(text) => (text.to_owned(), find_words(&words, text, &mut report)?),
        None => {
            let joined = AnnotatedSentence::from_words(words.iter().copied());
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
        aspects: aspects
            .iter()
            .map(|open| (bytes(open.span), open.polarity))
            .collect(),
        opinions: opinions_annotated
            .then(|| opinions.iter().map(|open| bytes(open.span)).collect()),
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

fn extend(open: &mut Vec<Open>, at: usize, tag: Tag, field: &str, report: &mut Report<'_>) {
    let last = open.last_mut().filter(|last| last.span.end == at);
    match (tag.position, last) {
        (Position::Begin, _) => open.push(Open {
            span: Span::new(at, at + 1),
            polarity: tag.polarity,
            run: false,
        }),
        (Position::Inside, Some(last)) => {
            last.span.end = at + 1;
            if tag.polarity.is_some() && last.polarity.is_some() && tag.polarity != last.polarity {
                report.add(
                    ProblemKind::MixedPolarity,
                    format!("{field:?} goes on with another polarity than its term began; the first counts"),
                    "write the same polarity on all tokens of the term",
                );
            }
        }
        (Position::Inside, None) => report.add(
            ProblemKind::OrphanTag,
            format!("inside tag {field:?} without a beginning; ignored"),
            "write B where the term begins",
        ),
        (Position::Run, Some(last)) if last.run && last.polarity == tag.polarity => {
            last.span.end = at + 1
        }
        (Position::Run, _) => open.push(Open {
            span: Span::new(at, at + 1),
            polarity: tag.polarity,
            run: true,
        }),
    }
}

const OWN_TEXT: &str = "the tokens are # text, cut at white space and between";

fn find_words(words: &[&str], text: &str, report: &mut Report<'_>) -> Option<Vec<Span>> {
    let mut tokens = Vec::with_capacity(words.len());
    let mut from = 0;
    for word in words {
        let rest = text.get(from..).unwrap_or("");
        let gap = rest.len() - rest.trim_start_matches(is_separator).len();
        // A token may itself begin with a separator, so both places are tried.
        let at = [gap, 0]
            .into_iter()
            .find(|at| rest.get(*at..).is_some_and(|r| r.starts_with(word)));
        let Some(at) = at else {
            let message = format!("token {word:?} is not in the text where it should be");
            return report.refuse(ProblemKind::OffsetMismatch, message, OWN_TEXT);
        };
        tokens.push(Span::new(from + at, from + at + word.len()));
        from += at + word.len();
    }
    if !text.get(from..).unwrap_or("").chars().all(is_separator) {
        return report.refuse(
            ProblemKind::OffsetMismatch,
            "the tokens leave the end of the text out",
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
                let message = format!("{pair:?} is no link");
                return report.refuse(
                    ProblemKind::Malformed,
                    message,
                    "links are pairs like 0-1, aspect first",
                );
            }
        }
    }
    Some(all)
}
