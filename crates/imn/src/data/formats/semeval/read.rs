//! Both dialects in one pass over the elements.

use std::path::Path;

use quick_xml::XmlVersion;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::data::draft::{Draft, Report, locate};
use crate::data::{CategoryOpinion, Loaded, Place, Polarity, Problem, ProblemKind, Span};
use crate::text::OffsetIndex;

/// The name of the root element; `None` where a text is no XML. A text that merely begins with `<`, as `<3 this place`
/// does, has none.
pub(in crate::data) fn root(text: &str) -> Option<String> {
    if !text.starts_with('<') {
        return None;
    }
    let mut reader = Reader::from_str(text);
    loop {
        match reader.read_event() {
            Ok(Event::Start(start) | Event::Empty(start)) => {
                let name = start.name();
                let name = name.as_ref();
                return name
                    .starts_with(|c: char| c.is_alphabetic() || c == '_')
                    .then(|| name.to_owned());
            }
            Ok(Event::Eof) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}

/// Counts lines up to a byte offset that only grows.
struct LineCounter<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl LineCounter<'_> {
    fn line_at(&mut self, offset: u64) -> usize {
        let offset = usize::try_from(offset)
            .unwrap_or(usize::MAX)
            .min(self.bytes.len());
        if let Some(passed) = self.bytes.get(self.at..offset) {
            self.line += passed.iter().filter(|b| **b == b'\n').count();
            self.at = offset;
        }
        self.line
    }
}

/// An annotation as it stands in the file; offsets wait for the text.
struct Annotation {
    line: usize,
    term: Option<String>,
    category: Option<String>,
    polarity: Option<Polarity>,
    offsets: Option<Span>,
}

#[derive(Default)]
struct Sentence {
    line: usize,
    id: Option<String>,
    out_of_scope: bool,
    text: Option<String>,
    annotations: Vec<Annotation>,
    broken: bool,
}

/// Reads a file of either kind.
pub(in crate::data) fn parse(text: &str, path: &Path, loaded: &mut Loaded) {
    let mut reader = Reader::from_str(text);
    let mut counter = LineCounter {
        bytes: text.as_bytes(),
        at: 0,
        line: 1,
    };
    let mut review: Option<String> = None;
    let mut sentence: Option<Sentence> = None;
    let mut in_text = false;
    let mut seen_root = false;
    let mut depth = 0_usize;
    loop {
        let line = counter.line_at(reader.buffer_position());
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => {
                let line = counter.line_at(reader.error_position());
                refuse(
                    loaded,
                    path,
                    line,
                    format!("not well-formed XML: {error}"),
                    "mend the markup",
                );
                return;
            }
        };
        // A start tag is named by the line that it ends on where white space came before it.
        let line = match event {
            Event::Start(_) | Event::Empty(_) => counter.line_at(reader.buffer_position()),
            _ => line,
        };
        let empty = matches!(event, Event::Empty(_));
        match event {
            Event::Start(start) | Event::Empty(start) => {
                seen_root = true;
                depth += usize::from(!empty);
                let Some(attributes) = Attributes::read(&start, path, line, loaded) else {
                    if let Some(sentence) = &mut sentence {
                        sentence.broken = true;
                    }
                    continue;
                };
                match start.name().as_ref() {
                    "Review" => review = attributes.get("rid"),
                    "sentence" => {
                        let new = Sentence {
                            line,
                            id: attributes.get("id"),
                            out_of_scope: attributes
                                .get("OutOfScope")
                                .is_some_and(|v| v.eq_ignore_ascii_case("true")),
                            ..Sentence::default()
                        };
                        if empty {
                            finish(new, review.as_ref(), path, loaded);
                        } else {
                            sentence = Some(new);
                        }
                    }
                    "text" => {
                        in_text = !empty;
                        if let Some(sentence) = &mut sentence {
                            sentence.text.get_or_insert_default();
                        }
                    }
                    name @ ("aspectTerm" | "Opinion" | "aspectCategory") => {
                        if let Some(sentence) = &mut sentence {
                            match attributes.annotation(name, path, line, loaded) {
                                Some(annotation) => sentence.annotations.push(annotation),
                                None => sentence.broken = true,
                            }
                        }
                    }
                    _ => {}
                }
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                match end.name().as_ref() {
                    "text" => in_text = false,
                    "Review" => review = None,
                    "sentence" => {
                        if let Some(done) = sentence.take() {
                            finish(done, review.as_ref(), path, loaded);
                        }
                    }
                    _ => {}
                }
            }
            Event::Text(content) if in_text => {
                append(&mut sentence, &content.xml_content(XmlVersion::Implicit1_0));
            }
            Event::CData(content) if in_text => {
                append(&mut sentence, &content.xml_content(XmlVersion::Implicit1_0));
            }
            Event::GeneralRef(reference) if in_text => {
                let resolved = match reference.resolve_char_ref() {
                    Ok(Some(c)) => Some(c.to_string()),
                    _ => resolve_xml_entity(&reference.xml_content(XmlVersion::Implicit1_0))
                        .map(str::to_owned),
                };
                match resolved {
                    Some(resolved) => append(&mut sentence, &resolved),
                    None => {
                        let message = format!(
                            "unknown entity &{};",
                            reference.xml_content(XmlVersion::Implicit1_0)
                        );
                        refuse(loaded, path, line, message, "write the character itself");
                        if let Some(sentence) = &mut sentence {
                            sentence.broken = true;
                        }
                    }
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let end = counter.line_at(reader.buffer_position());
    if depth > 0 {
        refuse(
            loaded,
            path,
            end,
            "the file ends inside an element".to_owned(),
            "is it cut off?",
        );
    } else if !seen_root {
        refuse(
            loaded,
            path,
            end,
            "no XML element in the file".to_owned(),
            "is it empty?",
        );
    }
}

fn refuse(loaded: &mut Loaded, path: &Path, line: usize, message: String, fix: &str) {
    let place = Place::new(path, line);
    loaded
        .problems
        .push(Problem::new(place, ProblemKind::Malformed, message, fix).as_error());
}

fn append(sentence: &mut Option<Sentence>, more: &str) {
    if let Some(text) = sentence.as_mut().and_then(|s| s.text.as_mut()) {
        text.push_str(more);
    }
}

struct Attributes(Vec<(String, String)>);

impl Attributes {
    fn read(start: &BytesStart<'_>, path: &Path, line: usize, loaded: &mut Loaded) -> Option<Self> {
        let mut all = Vec::new();
        for attribute in start.attributes() {
            let pair = attribute.map_err(|e| e.to_string()).and_then(|a| {
                let value = a
                    .normalized_value(XmlVersion::Implicit1_0)
                    .map_err(|e| e.to_string())?;
                Ok((a.key.as_ref().to_owned(), value.into_owned()))
            });
            match pair {
                Ok(pair) => all.push(pair),
                Err(error) => {
                    refuse(
                        loaded,
                        path,
                        line,
                        format!("bad attribute: {error}"),
                        "mend the markup",
                    );
                    return None;
                }
            }
        }
        Some(Self(all))
    }

    fn get(&self, name: &str) -> Option<String> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.clone())
    }

    fn annotation(
        &self,
        element: &str,
        path: &Path,
        line: usize,
        loaded: &mut Loaded,
    ) -> Option<Annotation> {
        let place = Place::new(path, line);
        let mut report = Report {
            place,
            problems: &mut loaded.problems,
        };
        let polarity = match self.get("polarity").filter(|p| !p.is_empty()) {
            Some(name) => match Polarity::from_name(&name) {
                Some(polarity) => Some(polarity),
                None => {
                    return report.refuse(
                        ProblemKind::UnknownTag,
                        format!("{name:?} is no polarity"),
                        "positive, negative, neutral or conflict",
                    );
                }
            },
            None => None,
        };
        let category = self.get("category");
        let term = match element {
            "aspectTerm" => self.get("term"),
            "Opinion" => self.get("target").filter(|target| target != "NULL"),
            _ => None,
        };
        let number = |name: &str| self.get(name).and_then(|v| v.trim().parse::<usize>().ok());
        let offsets = match (element, &term) {
            ("aspectCategory", _) | ("Opinion", None) => None,
            _ => match (number("from"), number("to")) {
                (Some(from), Some(to)) => Some(Span::new(from, to)),
                _ => {
                    return report.refuse(
                        ProblemKind::Malformed,
                        format!("<{element}> without offsets"),
                        "from and to are character offsets into <text>",
                    );
                }
            },
        };
        Some(Annotation {
            line,
            term,
            category,
            polarity,
            offsets,
        })
    }
}

fn finish(sentence: Sentence, review: Option<&String>, path: &Path, loaded: &mut Loaded) {
    if sentence.broken {
        return;
    }
    let line = sentence.line;
    let Some(text) = sentence.text else {
        refuse(
            loaded,
            path,
            line,
            "<sentence> without <text>".to_owned(),
            "add it",
        );
        return;
    };
    let mut draft = Draft {
        id: sentence.id,
        ..Draft::default()
    };
    draft.extra.review = review.cloned();
    draft.extra.out_of_scope = sentence.out_of_scope;
    let index = OffsetIndex::new(&text);
    for annotation in sentence.annotations {
        let place = Place::new(path, annotation.line);
        let mut report = Report {
            place,
            problems: &mut loaded.problems,
        };
        let aspect = match annotation.offsets {
            Some(chars) => {
                let term = annotation.term.as_deref();
                let Some(bytes) = locate(&index, &text, chars, term, &mut report) else {
                    return;
                };
                Some(bytes)
            }
            None => None,
        };
        let aspect = match (aspect, &annotation.category) {
            (None, _) => None,
            // Opinions about several categories of one target are one aspect.
            (Some(bytes), Some(_)) => match draft.aspects.iter().position(|(b, _)| *b == bytes) {
                Some(known) => {
                    merge_polarity(&mut draft, known, annotation.polarity, &mut report, &text);
                    Some(known)
                }
                None => {
                    draft.aspects.push((bytes, annotation.polarity));
                    Some(draft.aspects.len() - 1)
                }
            },
            (Some(bytes), None) => {
                draft.aspects.push((bytes, annotation.polarity));
                Some(draft.aspects.len() - 1)
            }
        };
        if let Some(category) = annotation.category {
            let polarity = annotation.polarity;
            draft.extra.categories.push(CategoryOpinion {
                category,
                polarity,
                aspect,
            });
        }
    }
    draft.text = text;
    let mut report = Report {
        place: Place::new(path, line),
        problems: &mut loaded.problems,
    };
    if let Some(done) = draft.finish(&mut report) {
        loaded.push(line, done);
    }
}

fn merge_polarity(
    draft: &mut Draft,
    known: usize,
    polarity: Option<Polarity>,
    report: &mut Report<'_>,
    text: &str,
) {
    let Some((bytes, kept)) = draft.aspects.get_mut(known) else {
        return;
    };
    match (*kept, polarity) {
        (Some(a), Some(b)) if a != b => {
            let term = bytes.of(text).unwrap_or("");
            let message = format!("{term:?} is {a} and {b}");
            report.add(ProblemKind::TwoPolarities, message, "read as conflict");
            *kept = Some(a.merge(b));
        }
        (None, Some(b)) => *kept = Some(b),
        _ => {}
    }
}
