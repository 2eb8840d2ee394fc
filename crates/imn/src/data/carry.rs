//! Labels carried from cleaned tokens to the raw text that they were made from.
//!
//! The paper's files are lower-cased and have lost most punctuation; the official XML has the raw text. A sentence is
//! found again by its ASCII letters and digits, which both have in the same order; character by character they then
//! tell where in the raw text a labelled token stands. A few sentences have also lost a number or a smiley; they are found
//! by their words, and carried where every labelled word is there. The labels of the cleaned files are the truth; where
//! the XML marks an aspect on the same letters its exact offsets are taken, and every disagreement is reported.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::draft::{Draft, Report};
use super::{AnnotatedSentence, Aspect, Mark, Place, Polarity, Problem, Span};

/// What came of carrying labels over.
#[derive(Debug, Default)]
pub struct Carried {
    /// The sentences with raw text, in the order of the labelled ones.
    pub sentences: Vec<AnnotatedSentence>,
    /// For each of them the index of the labelled sentence.
    pub sources: Vec<usize>,
    /// The labelled sentences that could not be carried.
    pub left: Vec<Left>,
    /// How many of `sentences` were found by most of their words only; the others have exactly the same letters and
    /// digits.
    pub nearly: usize,
    /// What was widened or merged on the way.
    pub problems: Vec<Problem>,
    /// How the tokenizer's tokens of the raw text agree with the labelled ones.
    pub agreement: Agreement,
    /// How the XML's aspects agree with the labelled ones.
    pub cross_check: CrossCheck,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
fn from_one<S: serde::Serializer>(index: &usize, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(*index as u64 + 1)
}

/// A sentence that was not carried over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// Index of the labelled sentence; stored as its number from 1.
    #[serde(rename = "sentence", serialize_with = "from_one")]
    pub source: usize,
    /// Its text.
    pub text: String,
    /// Why.
    pub reason: String,
}

/// How many sentences have the same tokens, of those that have a letter or digit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Agreement {
    /// Sentences found in the raw text.
    pub found: usize,
    /// Of these, those that agree on every token with a letter or digit.
    pub agree: usize,
    /// The first disagreement of each of the others: labelled sentence, its token, the tokenizer's.
    pub differ: Vec<(usize, String, String)>,
}

/// How two annotations of the same aspects agree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CrossCheck {
    /// Aspects on the same letters with the same polarity.
    pub same: usize,
    /// What differs.
    pub differ: Vec<Difference>,
}

/// An aspect that two annotations do not agree on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Index of the labelled sentence; stored as its number from 1.
    #[serde(rename = "sentence", serialize_with = "from_one")]
    pub source: usize,
    /// The aspect as it stands in the raw text.
    pub term: String,
    /// The labelled polarity; `None` where the aspect is not labelled.
    pub labelled: Option<Polarity>,
    /// The XML's polarity; `None` where the aspect is not in the XML.
    pub raw: Option<Polarity>,
}

/// The ASCII letters and digits of a text, lower-cased, and where each starts.
#[derive(Debug)]
struct Letters {
    key: String,
    starts: Vec<usize>,
}

impl Letters {
    fn of(text: &str) -> Self {
        let (mut key, mut starts) = (String::new(), Vec::new());
        for (at, byte) in text.bytes().enumerate() {
            if byte.is_ascii_alphanumeric() {
                key.push(byte.to_ascii_lowercase() as char);
                starts.push(at);
            }
        }
        Self { key, starts }
    }

    /// The numbers of the letters inside `bytes`.
    fn inside(&self, bytes: Span) -> Span {
        let start = self.starts.partition_point(|at| *at < bytes.start);
        Span::new(start, self.starts.partition_point(|at| *at < bytes.end))
    }
}

/// A nearly equal sentence shares at least this part of the letters and digits of the longer one.
const NEARLY: f64 = 0.7;

/// Carries the labels of `labelled` to the raw sentences that hold the same letters and digits; to nearly
/// equal ones, word by word, where there is none and they belong to no other.
#[must_use]
pub fn carry(labelled: &[AnnotatedSentence], raw: &[AnnotatedSentence]) -> Carried {
    let raw_letters: Vec<Letters> = raw
        .iter()
        .map(|sentence| Letters::of(&sentence.text))
        .collect();
    let mut by_key: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, letters) in raw_letters.iter().enumerate().rev() {
        by_key.entry(&letters.key).or_default().push(i);
    }
    let mut used: HashSet<&str> = HashSet::new();
    let mut matches: Vec<Option<Matched>> = Vec::with_capacity(labelled.len());
    for sentence in labelled {
        let letters = Letters::of(&sentence.text);
        // Equal sentences are taken in order; the last one serves all that are left.
        let found = by_key.get_mut(letters.key.as_str()).and_then(|all| {
            if all.len() > 1 {
                all.pop()
            } else {
                all.last().copied()
            }
        });
        matches.push(
            found
                .filter(|_| !letters.key.is_empty())
                .map(|raw| Matched {
                    raw,
                    letter_map: (0..letters.starts.len()).map(Some).collect(),
                    exact: true,
                }),
        );
        if let Some(key) = found.and_then(|i| raw_letters.get(i)) {
            used.insert(&key.key);
        }
    }
    let free: Vec<usize> = (0..raw.len())
        .filter(|i| {
            raw_letters
                .get(*i)
                .is_some_and(|l| !l.key.is_empty() && !used.contains(l.key.as_str()))
        })
        .collect();
    for (slot, sentence) in matches
        .iter_mut()
        .zip(labelled)
        .filter(|(slot, _)| slot.is_none())
    {
        *slot = nearly(sentence, raw, &raw_letters, &free);
    }

    let mut carried = Carried::default();
    for (source, (sentence, matched)) in labelled.iter().zip(matches).enumerate() {
        let pair = matched.and_then(|matched| {
            Some(Pair {
                source,
                labelled: sentence,
                letters: Letters::of(&sentence.text),
                raw: raw.get(matched.raw)?,
                raw_letters: raw_letters.get(matched.raw)?,
                matched,
            })
        });
        let reason = match pair {
            None => "no raw sentence has the same letters and digits",
            Some(pair) => {
                if pair.matched.exact {
                    pair.compare_tokens(&mut carried.agreement);
                }
                match pair.carry(&mut carried) {
                    Some(done) => {
                        carried.nearly += usize::from(!pair.matched.exact);
                        carried.sentences.push(done);
                        carried.sources.push(source);
                        continue;
                    }
                    None => "the place of a label in the raw text is not clear",
                }
            }
        };
        let text = sentence.text.clone();
        carried.left.push(Left {
            source,
            text,
            reason: reason.to_owned(),
        });
    }
    carried
}

/// The raw sentence of a labelled one.
struct Matched {
    raw: usize,
    /// For every letter of the labelled sentence its number in the raw one.
    letter_map: Vec<Option<usize>>,
    exact: bool,
}

/// The free raw sentence that shares most words with a labelled one, if that is nearly all of it.
fn nearly(
    sentence: &AnnotatedSentence,
    raw: &[AnnotatedSentence],
    raw_letters: &[Letters],
    free: &[usize],
) -> Option<Matched> {
    let letters = Letters::of(&sentence.text);
    let words = lettered_words(sentence, &letters);
    let mut best: Option<(usize, Matched)> = None;
    for &i in free {
        let (Some(original), Some(there)) = (raw.get(i), raw_letters.get(i)) else {
            continue;
        };
        let others = lettered_words(original, there);
        let mut letter_map = vec![None; letters.starts.len()];
        let mut shared = 0;
        for (a, b) in common_subsequence(&words, &others) {
            shared += a.1.len();
            for (slot, letter) in letter_map
                .iter_mut()
                .skip(a.1.start)
                .zip(b.1.start..b.1.end)
            {
                *slot = Some(letter);
            }
        }
        let longer = letters.starts.len().max(there.starts.len());
        if shared as f64 >= NEARLY * longer as f64
            && best.as_ref().is_none_or(|(most, _)| shared > *most)
        {
            best = Some((
                shared,
                Matched {
                    raw: i,
                    letter_map,
                    exact: false,
                },
            ));
        }
    }
    best.map(|(_, matched)| matched)
}

/// The letters and digits of every token that has some, and their numbers.
fn lettered_words<'a>(sentence: &AnnotatedSentence, letters: &'a Letters) -> Vec<(&'a str, Span)> {
    (sentence.tokens.iter())
        .map(|token| letters.inside(*token))
        .filter_map(|inside| Some((letters.key.get(inside.start..inside.end)?, inside)))
        .filter(|(word, _)| !word.is_empty())
        .collect()
}

type Word<'a> = (&'a str, Span);

/// The longest common subsequence of two lists of words, as pairs.
fn common_subsequence<'a>(a: &[Word<'a>], b: &[Word<'a>]) -> Vec<(Word<'a>, Word<'a>)> {
    // lengths[i][j]: the longest of a[i..] and b[j..], in letters.
    let mut lengths = vec![vec![0_usize; b.len() + 1]; a.len() + 1];
    let at = |table: &[Vec<usize>], i: usize, j: usize| {
        table.get(i).and_then(|r| r.get(j)).copied().unwrap_or(0)
    };
    for (i, x) in a.iter().enumerate().rev() {
        for (j, y) in b.iter().enumerate().rev() {
            let skip = at(&lengths, i + 1, j).max(at(&lengths, i, j + 1));
            let take = if x.0 == y.0 {
                at(&lengths, i + 1, j + 1) + x.0.len()
            } else {
                0
            };
            if let Some(slot) = lengths.get_mut(i).and_then(|row| row.get_mut(j)) {
                *slot = skip.max(take);
            }
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        if x.0 == y.0 && at(&lengths, i, j) == at(&lengths, i + 1, j + 1) + x.0.len() {
            pairs.push((*x, *y));
            (i, j) = (i + 1, j + 1);
        } else if at(&lengths, i + 1, j) >= at(&lengths, i, j + 1) {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// A labelled sentence and its raw original.
struct Pair<'a> {
    source: usize,
    labelled: &'a AnnotatedSentence,
    letters: Letters,
    raw: &'a AnnotatedSentence,
    raw_letters: &'a Letters,
    matched: Matched,
}

impl Pair<'_> {
    fn compare_tokens(&self, agreement: &mut Agreement) {
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

    /// The bytes of the raw text that a labelled span stands on.
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
        // Punctuation at the edges of the label, where the raw text has it too.
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

    /// Where `surface`, which has no letters, stands after letter number `letter - 1` and before the next.
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

    fn carry(&self, carried: &mut Carried) -> Option<AnnotatedSentence> {
        let mut draft = Draft {
            id: self.raw.id.clone(),
            text: self.raw.text.clone(),
            tokens: Some(self.raw.tokens.clone()),
            links: self.labelled.links.clone(),
            ..Draft::default()
        };
        draft.extra.review.clone_from(&self.raw.extra.review);
        // All places first: a sentence that is left counts for nothing.
        let places = |spans: &mut dyn Iterator<Item = Span>| -> Option<Vec<Span>> {
            spans.map(|span| self.raw_bytes(span)).collect()
        };
        let aspects = places(&mut self.labelled.aspects.iter().map(|aspect| aspect.span))?;
        if let Some(opinions) = &self.labelled.opinions {
            draft.opinions = Some(places(&mut opinions.iter().copied())?);
        }
        let mut matched = vec![false; self.raw.aspects.len()];
        for (aspect, bytes) in self.labelled.aspects.iter().zip(aspects) {
            let exact = self.exact(bytes, aspect, &mut matched, carried);
            draft.aspects.push((exact, aspect.polarity));
        }
        for (i, _) in matched.iter().enumerate().filter(|(_, matched)| !**matched) {
            let polarity = self.raw.aspects.get(i).and_then(|a| a.polarity);
            let bytes = self.raw.mark_bytes(Mark::Aspect(i));
            self.report(bytes, None, polarity, carried);
        }
        let place = Place {
            path: "sentence.txt".into(),
            line: self.source + 1,
        };
        draft.finish(&mut Report {
            place,
            problems: &mut carried.problems,
        })
    }

    /// The exact bytes of an aspect: the XML's where it has one on the same letters.
    fn exact(
        &self,
        bytes: Span,
        aspect: &Aspect,
        matched: &mut [bool],
        carried: &mut Carried,
    ) -> Span {
        let letters = self.raw_letters.inside(bytes);
        for (i, official) in self.raw.aspects.iter().enumerate() {
            let exact = self.raw.mark_bytes(Mark::Aspect(i));
            if self.raw_letters.inside(exact) == letters {
                if let Some(slot) = matched.get_mut(i) {
                    *slot = true;
                }
                if official.polarity == aspect.polarity {
                    carried.cross_check.same += 1;
                } else {
                    self.report(exact, aspect.polarity, official.polarity, carried);
                }
                return exact;
            }
        }
        self.report(bytes, aspect.polarity, None, carried);
        bytes
    }

    fn report(
        &self,
        bytes: Span,
        labelled: Option<Polarity>,
        raw: Option<Polarity>,
        carried: &mut Carried,
    ) {
        let term = bytes.of(&self.raw.text).unwrap_or("").to_owned();
        let source = self.source;
        carried.cross_check.differ.push(Difference {
            source,
            term,
            labelled,
            raw,
        });
    }
}

/// How many bytes of `text` go the same way as `wanted`.
fn common(text: impl Iterator<Item = char>, wanted: impl Iterator<Item = char>) -> usize {
    text.zip(wanted)
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum()
}
