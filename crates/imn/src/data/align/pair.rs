//! Locates the labels of one sentence in its raw text.

use super::letters::Letters;
use super::matching::Matched;
use super::{Agreement, Alignment, Difference};
use crate::data::draft::{Draft, Report};
use crate::data::{AnnotatedSentence, Aspect, Mark, Place, Polarity, Span};

/// A labelled sentence and its raw one.
pub(super) struct Pair<'a> {
    pub(super) source: usize,
    pub(super) labelled: &'a AnnotatedSentence,
    pub(super) letters: Letters,
    pub(super) raw: &'a AnnotatedSentence,
    pub(super) raw_letters: &'a Letters,
    pub(super) matched: Matched,
}

impl Pair<'_> {
    pub(super) fn compare_tokens(&self, agreement: &mut Agreement) {
        let lettered = |sentence: &AnnotatedSentence| -> Vec<String> {
            sentence
                .words()
                .filter(|word| word.bytes().any(|b| b.is_ascii_alphanumeric()))
                .map(|word| {
                    word.chars()
                        .filter(char::is_ascii)
                        .collect::<String>()
                        .to_ascii_lowercase()
                })
                .collect()
        };
        let (ours, theirs) = (lettered(self.raw), lettered(self.labelled));
        agreement.found += 1;
        if ours == theirs {
            agreement.agree += 1;
        } else {
            let end = String::new;
            let differ = (0..)
                .map(|i| (theirs.get(i), ours.get(i)))
                .find(|(a, b)| a != b);
            let (a, b) = differ.unwrap_or((None, None));
            let pair = (
                self.source,
                a.cloned().unwrap_or_else(end),
                b.cloned().unwrap_or_else(end),
            );
            agreement.differ.push(pair);
        }
    }

    /// The bytes of the raw text that correspond to a labelled span.
    fn raw_bytes(&self, span: Span) -> Option<Span> {
        let bytes = self.labelled.bytes(span);
        let inside = self.letters.inside(bytes);
        if inside.is_empty() {
            return self.between(inside.start, self.labelled.surface(span));
        }
        let start = *self
            .raw_letters
            .starts
            .get(self.raw_letter(inside.start)?)?;
        let end = *self
            .raw_letters
            .starts
            .get(self.raw_letter(inside.end - 1)?)?
            + 1;
        // Include punctuation at the edges of the label if the raw text has it too.
        let surface = self.labelled.surface(span);
        let head: String = surface
            .chars()
            .take_while(|c| !c.is_ascii_alphanumeric())
            .filter(|c| *c != ' ')
            .collect();
        let tail: String = surface
            .chars()
            .rev()
            .take_while(|c| !c.is_ascii_alphanumeric())
            .filter(|c| *c != ' ')
            .collect();
        let before = self.raw.text.get(..start)?.chars().rev();
        let after = self.raw.text.get(end..)?.chars();
        let back: usize = common(before, head.chars().rev());
        let forth: usize = common(after, tail.chars().rev());
        Some(Span::new(start - back, end + forth))
    }

    fn raw_letter(&self, letter: usize) -> Option<usize> {
        self.matched.letter_map.get(letter).copied().flatten()
    }

    /// Locates `surface`, which has no letters, between the letters `letter - 1` and `letter`.
    fn between(&self, letter: usize, surface: &str) -> Option<Span> {
        let from = match letter.checked_sub(1) {
            Some(before) => *self.raw_letters.starts.get(self.raw_letter(before)?)? + 1,
            None => 0,
        };
        let to = match self.matched.letter_map.get(letter) {
            Some(next) => *self.raw_letters.starts.get((*next)?)?,
            None => self.raw.text.len(),
        };
        let at = from + self.raw.text.get(from..to)?.find(surface)?;
        Some(Span::new(at, at + surface.len()))
    }

    pub(super) fn align(&self, alignment: &mut Alignment) -> Option<AnnotatedSentence> {
        let mut draft = Draft {
            id: self.raw.id.clone(),
            text: self.raw.text.clone(),
            tokens: Some(self.raw.tokens.clone()),
            links: self.labelled.links.clone(),
            ..Draft::default()
        };
        draft.extra.review.clone_from(&self.raw.extra.review);
        // Locate all labels first: an unaligned sentence must not change the counts.
        let places = |spans: &mut dyn Iterator<Item = Span>| -> Option<Vec<Span>> {
            spans.map(|span| self.raw_bytes(span)).collect()
        };
        let aspects = places(&mut self.labelled.aspects.iter().map(|aspect| aspect.span))?;
        if let Some(opinions) = &self.labelled.opinions {
            draft.opinions = Some(places(&mut opinions.iter().copied())?);
        }
        let mut matched = vec![false; self.raw.aspects.len()];
        for (aspect, bytes) in self.labelled.aspects.iter().zip(aspects) {
            let exact = self.exact(bytes, aspect, &mut matched, alignment);
            draft.aspects.push((exact, aspect.polarity));
        }
        for (i, _) in matched.iter().enumerate().filter(|(_, matched)| !**matched) {
            let polarity = self.raw.aspects.get(i).and_then(|a| a.polarity);
            let bytes = self.raw.mark_bytes(Mark::Aspect(i));
            self.report(bytes, None, polarity, alignment);
        }
        let place = Place {
            path: "sentence.txt".into(),
            line: self.source + 1,
        };
        draft.finish(&mut Report {
            place,
            problems: &mut alignment.problems,
        })
    }

    /// The exact bytes of an aspect: those of the XML if it has an aspect on the same letters.
    fn exact(
        &self,
        bytes: Span,
        aspect: &Aspect,
        matched: &mut [bool],
        alignment: &mut Alignment,
    ) -> Span {
        let letters = self.raw_letters.inside(bytes);
        for (i, official) in self.raw.aspects.iter().enumerate() {
            let exact = self.raw.mark_bytes(Mark::Aspect(i));
            if self.raw_letters.inside(exact) == letters {
                if let Some(slot) = matched.get_mut(i) {
                    *slot = true;
                }
                if official.polarity == aspect.polarity {
                    alignment.cross_check.same += 1;
                } else {
                    self.report(exact, aspect.polarity, official.polarity, alignment);
                }
                return exact;
            }
        }
        self.report(bytes, aspect.polarity, None, alignment);
        bytes
    }

    fn report(
        &self,
        bytes: Span,
        labelled: Option<Polarity>,
        raw: Option<Polarity>,
        alignment: &mut Alignment,
    ) {
        let term = bytes.of(&self.raw.text).unwrap_or("").to_owned();
        let source = self.source;
        alignment.cross_check.differ.push(Difference {
            source,
            term,
            labelled,
            raw,
        });
    }
}

/// Length in bytes of the common prefix of `text` and `wanted`.
fn common(text: impl Iterator<Item = char>, wanted: impl Iterator<Item = char>) -> usize {
    text.zip(wanted)
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum()
}
