//! Reads both dialects in one pass over the elements.

use std::path::Path;

use quick_xml::XmlVersion;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

use super::attributes::Attributes;
use super::lines::LineCounter;
use super::sentence::Sentence;
use crate::data::{Loaded, Place, Problem, ProblemKind};

/// Name of the root element; `None` if the text is not XML. A text that merely begins with `<`,
/// such as `<3 this place`, has no root element.
pub(in crate::data) fn root(text: &str) -> Option<String> {
    if !text.starts_with('<') {
        return None;
    }
    let mut reader = Reader::from_str(text);
    loop {
        match reader.read_event() {
            Ok(Event::Start(start) | Event::Empty(start)) => {
                let name = start.name().as_ref().to_owned();
                return name
                    .starts_with(|c: char| c.is_alphabetic() || c == '_')
                    .then_some(name);
            }
            Ok(Event::Eof) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}

/// Reads a file of either dialect.
pub(in crate::data) fn parse(text: &str, path: &Path, loaded: &mut Loaded) {
    let mut reader = Reader::from_str(text);
    let mut counter = LineCounter::new(text);
    let mut parser = Parser {
        path,
        loaded,
        review: None,
        sentence: None,
        in_text: false,
        seen_root: false,
        depth: 0,
    };
    loop {
        let line = counter.line_at(reader.buffer_position());
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => {
                let line = counter.line_at(reader.error_position());
                let message = format!("not well-formed XML: {error}");
                parser.refuse(line, message, "correct the markup");
                return;
            }
        };
        // The position before a start tag may be on an earlier line; its end is on the right one.
        let line = match event {
            Event::Start(_) | Event::Empty(_) => counter.line_at(reader.buffer_position()),
            Event::Eof => break,
            _ => line,
        };
        parser.handle(&event, line);
    }
    parser.end_of_file(counter.line_at(reader.buffer_position()));
}

/// State of the reader.
struct Parser<'a> {
    path: &'a Path,
    loaded: &'a mut Loaded,
    review: Option<String>,
    sentence: Option<Sentence>,
    in_text: bool,
    seen_root: bool,
    depth: usize,
}

impl Parser<'_> {
    fn handle(&mut self, event: &Event<'_>, line: usize) {
        match event {
            Event::Start(start) => {
                self.depth += 1;
                self.start(start, false, line);
            }
            Event::Empty(start) => self.start(start, true, line),
            Event::End(end) => self.end(end.name().as_ref()),
            Event::Text(content) if self.in_text => {
                self.append(&content.xml_content(XmlVersion::Implicit1_0));
            }
            Event::CData(content) if self.in_text => {
                self.append(&content.xml_content(XmlVersion::Implicit1_0));
            }
            Event::GeneralRef(reference) if self.in_text => self.reference(reference, line),
            _ => {}
        }
    }

    /// Handles the start of an element; an `empty` element also ends here.
    fn start(&mut self, start: &BytesStart<'_>, empty: bool, line: usize) {
        self.seen_root = true;
        let Some(attributes) = Attributes::read(start, self.path, line, self.loaded) else {
            self.break_sentence();
            return;
        };
        match start.name().as_ref() {
            "Review" => self.review = attributes.get("rid"),
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
                    new.finish(self.review.as_ref(), self.path, self.loaded);
                } else {
                    self.sentence = Some(new);
                }
            }
            "text" => {
                self.in_text = !empty;
                if let Some(sentence) = &mut self.sentence {
                    sentence.text.get_or_insert_default();
                }
            }
            name @ ("aspectTerm" | "Opinion" | "aspectCategory") => {
                if let Some(sentence) = &mut self.sentence {
                    match attributes.annotation(name, self.path, line, self.loaded) {
                        Some(annotation) => sentence.annotations.push(annotation),
                        None => sentence.broken = true,
                    }
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        self.depth = self.depth.saturating_sub(1);
        match name {
            "text" => self.in_text = false,
            "Review" => self.review = None,
            "sentence" => {
                if let Some(done) = self.sentence.take() {
                    done.finish(self.review.as_ref(), self.path, self.loaded);
                }
            }
            _ => {}
        }
    }

    /// Handles an entity or a character reference inside a text.
    fn reference(&mut self, reference: &BytesRef<'_>, line: usize) {
        let resolved = match reference.resolve_char_ref() {
            Ok(Some(c)) => Some(c.to_string()),
            _ => resolve_xml_entity(&reference.xml_content(XmlVersion::Implicit1_0))
                .map(str::to_owned),
        };
        match resolved {
            Some(resolved) => self.append(&resolved),
            None => {
                let name = reference.xml_content(XmlVersion::Implicit1_0);
                let message = format!("unknown entity &{name};");
                self.refuse(line, message, "write the character itself");
                self.break_sentence();
            }
        }
    }

    fn append(&mut self, more: &str) {
        if let Some(text) = self.sentence.as_mut().and_then(|s| s.text.as_mut()) {
            text.push_str(more);
        }
    }

    fn break_sentence(&mut self) {
        if let Some(sentence) = &mut self.sentence {
            sentence.broken = true;
        }
    }

    fn end_of_file(&mut self, line: usize) {
        if self.depth > 0 {
            let message = "the file ends inside an element".to_owned();
            self.refuse(line, message, "is it truncated?");
        } else if !self.seen_root {
            let message = "the file has no XML element".to_owned();
            self.refuse(line, message, "is it empty?");
        }
    }

    fn refuse(&mut self, line: usize, message: String, fix: &str) {
        refuse(self.loaded, self.path, line, message, fix);
    }
}

pub(super) fn refuse(loaded: &mut Loaded, path: &Path, line: usize, message: String, fix: &str) {
    let place = Place::new(path, line);
    loaded
        .problems
        .push(Problem::new(place, ProblemKind::Malformed, message, fix).as_error());
}
