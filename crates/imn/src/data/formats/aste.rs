//! Triplets in the text format of ASTE: `the soup is very good####[([1], [3, 4], 'POS')]`.
//!
//! Words are separated by white space. Each triplet has the word indices of an aspect, those of an
//! opinion, and the sentiment (`POS`, `NEG`, `NEU`). Only aspects and opinions of a triplet can be
//! represented. An aspect with two sentiments is read as *conflict*, which this format cannot
//! write.

use std::io::Write;
use std::path::Path;

use super::each_line;
use crate::data::draft::{Draft, Report};
use crate::data::{AnnotatedSentence, Link, Loaded, Polarity, ProblemKind, Span};

const SHAPE: &str = "the line must be: words####[([1], [3, 4], 'POS'), ...]";

/// Reads the lines of a file.
pub(in crate::data) fn parse(text: &str, path: &Path, loaded: &mut Loaded) {
    each_line(text, path, loaded, parse_line);
}

fn parse_line(line: &str, report: &mut Report<'_>) -> Option<AnnotatedSentence> {
    let Some((words, list)) = line.rsplit_once("####") else {
        return report.refuse(ProblemKind::Malformed, "the line has no ####", SHAPE);
    };
    let sentence = AnnotatedSentence::from_words(words.split_whitespace());
    let Some(triplets) = Parser { rest: list.trim() }.triplets() else {
        return report.refuse(
            ProblemKind::Malformed,
            format!("cannot read the triplets {list:?}"),
            SHAPE,
        );
    };
    let mut aspects: Vec<(Span, Option<Polarity>)> = Vec::new();
    let mut opinions: Vec<Span> = Vec::new();
    let mut links = Vec::new();
    for (aspect, opinion, name) in triplets {
        let Some(polarity) = Polarity::from_name(name) else {
            let message = format!("{name:?} is not a sentiment");
            return report.refuse(ProblemKind::UnknownTag, message, "POS, NEG or NEU");
        };
        let aspect = word_bytes(&sentence, &aspect, report)?;
        let opinion = word_bytes(&sentence, &opinion, report)?;
        let known = aspects
            .iter_mut()
            .enumerate()
            .find(|(_, (bytes, _))| *bytes == aspect);
        let aspect = match known {
            Some((i, (bytes, kept))) => {
                if let Some(before) = kept.filter(|kept| *kept != polarity) {
                    let term = bytes.of(&sentence.text).unwrap_or("");
                    let message = format!("{term:?} is {before} and {polarity}");
                    report.add(ProblemKind::TwoPolarities, message, "read as conflict");
                    *kept = Some(before.merge(polarity));
                }
                i
            }
            None => {
                aspects.push((aspect, Some(polarity)));
                aspects.len() - 1
            }
        };
        let opinion = match opinions.iter().position(|known| *known == opinion) {
            Some(known) => known,
            None => {
                opinions.push(opinion);
                opinions.len() - 1
            }
        };
        links.push(Link { aspect, opinion });
    }
    let draft = Draft {
        text: sentence.text,
        tokens: Some(sentence.tokens),
        aspects,
        opinions: Some(opinions),
        links: Some(links),
        ..Draft::default()
    };
    draft.finish(report)
}

/// The bytes of a list of word indices, which must be consecutive.
fn word_bytes(
    sentence: &AnnotatedSentence,
    words: &[usize],
    report: &mut Report<'_>,
) -> Option<Span> {
    let neighbours = words
        .windows(2)
        .all(|pair| matches!(pair, [a, b] if a.checked_add(1) == Some(*b)));
    match (words.first(), words.last()) {
        (Some(&first), Some(&last)) if neighbours && last < sentence.tokens.len() => {
            Some(sentence.bytes(Span::new(first, last + 1)))
        }
        _ => report.refuse(
            ProblemKind::OffsetMismatch,
            format!(
                "{words:?} are not consecutive words of a sentence of {} words",
                sentence.tokens.len()
            ),
            "indices start at 0, and a term is a run of words",
        ),
    }
}

/// Parses the list of triplets, as Python prints it.
struct Parser<'a> {
    rest: &'a str,
}

type Triplet<'a> = (Vec<usize>, Vec<usize>, &'a str);

impl<'a> Parser<'a> {
    fn triplets(mut self) -> Option<Vec<Triplet<'a>>> {
        let mut all = Vec::new();
        self.take('[')?;
        while self.take(']').is_none() {
            self.take('(')?;
            let aspect = self.numbers()?;
            self.take(',')?;
            let opinion = self.numbers()?;
            self.take(',')?;
            let name = self.quoted()?;
            self.take(')')?;
            all.push((aspect, opinion, name));
            if self.take(',').is_none() {
                self.take(']')?;
                break;
            }
        }
        self.rest.trim().is_empty().then_some(all)
    }

    fn take(&mut self, wanted: char) -> Option<()> {
        self.rest = self.rest.trim_start().strip_prefix(wanted)?;
        Some(())
    }

    fn numbers(&mut self) -> Option<Vec<usize>> {
        self.take('[')?;
        let (inside, rest) = self.rest.split_once(']')?;
        self.rest = rest;
        inside
            .split(',')
            .map(|number| number.trim().parse().ok())
            .collect()
    }

    fn quoted(&mut self) -> Option<&'a str> {
        let quote = self
            .rest
            .trim_start()
            .chars()
            .next()
            .filter(|c| matches!(c, '\'' | '"'))?;
        self.take(quote)?;
        let (inside, rest) = self.rest.split_once(quote)?;
        self.rest = rest;
        Some(inside)
    }
}

/// Name of a polarity in a triplet; *conflict* has none.
pub(in crate::data) fn name(polarity: Polarity) -> Option<&'static str> {
    match polarity {
        Polarity::Positive => Some("POS"),
        Polarity::Negative => Some("NEG"),
        Polarity::Neutral => Some("NEU"),
        Polarity::Conflict => None,
    }
}

/// Writes one sentence per line. Annotation that is part of no triplet is left out (see
/// [`losses`](crate::data::losses)).
pub fn write(sentences: &[AnnotatedSentence], out: &mut dyn Write) -> std::io::Result<()> {
    for sentence in sentences {
        let words: Vec<&str> = sentence.words().collect();
        let mut triplets = Vec::new();
        for link in sentence.links.as_deref().unwrap_or_default() {
            let aspect = sentence.aspects.get(link.aspect);
            let opinion = sentence
                .opinions
                .as_ref()
                .and_then(|all| all.get(link.opinion));
            if let (Some(aspect), Some(opinion)) = (aspect, opinion)
                && let Some(name) = aspect.polarity.and_then(name)
            {
                let list = |s: Span| format!("{:?}", (s.start..s.end).collect::<Vec<_>>());
                triplets.push(format!(
                    "({}, {}, '{name}')",
                    list(aspect.span),
                    list(*opinion)
                ));
            }
        }
        writeln!(out, "{}####[{}]", words.join(" "), triplets.join(", "))?;
    }
    Ok(())
}
