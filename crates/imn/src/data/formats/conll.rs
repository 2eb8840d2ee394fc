//! Columns: a token a line, tags beside it, an empty line between sentences.
//!
//! What is written has tabs and a head for every file, `# columns = token aspect opinion`: aspects are
//! `B-positive`, `I-positive`, `O` (bare `B`, `I` without a polarity), opinions `B`, `I`, `O`, or `_` in a sentence
//! whose opinions are not annotated. Before a sentence may stand `# id = ...`, `# text = ...` (the raw text
//! that the tokens are found in) and `# links = 0-0 1-2` (aspect–opinion).
//!
//! What is read may also be split at spaces and have no head; then the columns are told by their values:
//! five-class tags (`BA IA BP IP O`), `B-ASP`/`I-ASP`, `B-OP`, `B-POS`, BIOES, unified `T-POS`, and a column of
//! polarities (`Positive`, `-999`, `_`). Unlabelled `B`/`I` columns are aspects first, then opinions.

use std::io::Write;
use std::path::Path;

use crate::data::draft::{Draft, Report};
use crate::data::input::lines;
use crate::data::tags::begin_inside;
use crate::data::{AnnotatedSentence, Link, Loaded, Place, Polarity, ProblemKind, Span};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Token,
    Aspect,
    Opinion,
    Polarity,
    Ignored,
}

/// Where a tag stands in its span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    Begin,
    Inside,
    /// In a span that begins wherever the tag before differs (`T-POS`).
    Run,
}

/// What a tag is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// What its column is about.
    Column,
    Aspect,
    Opinion,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tag {
    position: Position,
    kind: Kind,
    polarity: Option<Polarity>,
}

/// A tag; `Some(None)` is outside, `None` no tag.
fn parse_tag(field: &str) -> Option<Option<Tag>> {
    let tag = |position, kind, polarity| {
        Some(Some(Tag {
            position,
            kind,
            polarity,
        }))
    };
    match field {
        "O" | "o" | "_" => return Some(None),
        "BA" => return tag(Position::Begin, Kind::Aspect, None),
        "IA" => return tag(Position::Inside, Kind::Aspect, None),
        "BP" => return tag(Position::Begin, Kind::Opinion, None),
        "IP" => return tag(Position::Inside, Kind::Opinion, None),
        _ => {}
    }
    let (place, label) = field.split_once(['-', '_']).unwrap_or((field, ""));
    let position = match place {
        "B" | "S" => Position::Begin,
        "I" | "E" | "M" => Position::Inside,
        "T" => Position::Run,
        _ => return None,
    };
    if label.is_empty() {
        return tag(position, Kind::Column, None);
    }
    let is = |names: &[&str]| names.iter().any(|name| label.eq_ignore_ascii_case(name));
    if is(&["ASP", "ASPECT", "A", "TERM", "TARGET", "T"]) {
        tag(position, Kind::Aspect, None)
    } else if is(&["OP", "OPINION", "P", "O", "OPI"]) {
        tag(position, Kind::Opinion, None)
    } else {
        Polarity::from_name(label).and_then(|polarity| tag(position, Kind::Aspect, Some(polarity)))
    }
}

/// A field of a polarity column; `Some(None)` is none, `None` no polarity.
fn parse_polarity(field: &str) -> Option<Option<Polarity>> {
    match field {
        "_" | "O" | "-" | "-1" | "-100" | "-999" | "none" | "None" => Some(None),
        name => Polarity::from_name(name).map(Some),
    }
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

fn find_words(words: &[&str], text: &str, report: &mut Report<'_>) -> Option<Vec<Span>> {
    let mut tokens = Vec::with_capacity(words.len());
    let mut from = 0;
    for word in words {
        match text
            .get(from..)
            .and_then(|rest| rest.find(word))
            .filter(|_| !word.is_empty())
        {
            Some(at) => {
                tokens.push(Span::new(from + at, from + at + word.len()));
                from += at + word.len();
            }
            None => {
                let message = format!("token {word:?} is not in the text where it should be");
                return report.refuse(
                    ProblemKind::OffsetMismatch,
                    message,
                    "the tokens follow each other in # text",
                );
            }
        }
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

/// Writes sentences; overlapping spans of one kind and what else the form cannot hold must be gone (see
/// [`losses`](crate::data::losses)).
pub fn write(sentences: &[AnnotatedSentence], out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "# columns = token aspect opinion")?;
    for sentence in sentences {
        if let Some(id) = &sentence.id {
            writeln!(out, "# id = {id}")?;
        }
        if let Some(review) = &sentence.extra.review {
            writeln!(out, "# review = {review}")?;
        }
        let words: Vec<&str> = sentence.words().collect();
        if sentence.text != words.join(" ") {
            writeln!(out, "# text = {}", sentence.text)?;
        }
        if let Some(links) = &sentence.links {
            let links: Vec<String> = links
                .iter()
                .map(|l| format!("{}-{}", l.aspect, l.opinion))
                .collect();
            writeln!(out, "# links = {}", links.join(" "))?;
        }
        let length = words.len();
        let spans: Vec<Span> = sentence.aspects.iter().map(|a| a.span).collect();
        let aspects = begin_inside(&spans, length).0;
        let labels = crate::data::sentiment_labels(sentence);
        let opinions = sentence
            .opinions
            .as_ref()
            .map(|spans| begin_inside(spans, length).0);
        for (i, word) in words.into_iter().enumerate() {
            let place = |mark: Option<bool>| match mark {
                Some(true) => "B",
                Some(false) => "I",
                None => "O",
            };
            write!(out, "{word}\t{}", place(aspects.get(i).copied().flatten()))?;
            if let Some(polarity) = labels.get(i).copied().flatten() {
                write!(out, "-{polarity}")?;
            }
            let opinion = opinions
                .as_ref()
                .map_or("_", |o| place(o.get(i).copied().flatten()));
            writeln!(out, "\t{opinion}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
