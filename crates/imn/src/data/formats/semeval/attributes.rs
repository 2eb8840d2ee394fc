//! Reads annotations from attributes, which contain everything in both dialects.

use std::path::Path;

use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;

use super::read::refuse;
use crate::data::draft::Report;
use crate::data::{Loaded, Place, Polarity, ProblemKind, Span};

/// An annotation as written in the file. Its offsets are resolved when the text is known.
pub(super) struct Annotation {
    pub(super) line: usize,
    pub(super) term: Option<String>,
    pub(super) category: Option<String>,
    pub(super) polarity: Option<Polarity>,
    pub(super) offsets: Option<Span>,
}

/// The attributes of one element.
pub(super) struct Attributes(Vec<(String, String)>);

impl Attributes {
    pub(super) fn read(
        start: &BytesStart<'_>,
        path: &Path,
        line: usize,
        loaded: &mut Loaded,
    ) -> Option<Self> {
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
                        "correct the markup",
                    );
                    return None;
                }
            }
        }
        Some(Self(all))
    }

    pub(super) fn get(&self, name: &str) -> Option<String> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.clone())
    }

    /// The annotation of an element.
    pub(super) fn annotation(
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
                        format!("{name:?} is not a polarity"),
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
                        "from and to must be character offsets into <text>",
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
