//! Labels carried from cleaned tokens to the raw text that they were made from.
//!
//! The paper's files are lower-cased and have lost most punctuation; the official XML has the raw text. A sentence is
//! found again by its ASCII letters and digits, which both have in the same order; character by character they then
//! tell where in the raw text a labelled token stands. A few sentences have also lost a number or a smiley; they are found
//! by their words, and carried where every labelled word is there. The labels of the cleaned files are the truth; where
//! the XML marks an aspect on the same letters its exact offsets are taken, and every disagreement is reported.

mod letters;
mod matching;
mod pair;
mod report;

pub use report::{Agreement, Alignment, CrossCheck, Difference, Unaligned};

use self::letters::Letters;
use self::matching::match_sentences;
use self::pair::Pair;
use super::AnnotatedSentence;

/// Carries the labels of `labelled` to the raw sentences that hold the same letters and digits; to nearly
/// equal ones, word by word, where there is none and they belong to no other.
#[must_use]
pub fn align(labelled: &[AnnotatedSentence], raw: &[AnnotatedSentence]) -> Alignment {
    let raw_letters: Vec<Letters> = raw
        .iter()
        .map(|sentence| Letters::of(&sentence.text))
        .collect();
    let matches = match_sentences(labelled, raw, &raw_letters);
    let mut alignment = Alignment::default();
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
                    pair.compare_tokens(&mut alignment.agreement);
                }
                match pair.align(&mut alignment) {
                    Some(done) => {
                        alignment.nearly += usize::from(!pair.matched.exact);
                        alignment.sentences.push(done);
                        alignment.sources.push(source);
                        continue;
                    }
                    None => "the place of a label in the raw text is not clear",
                }
            }
        };
        let text = sentence.text.clone();
        alignment.unaligned.push(Unaligned {
            source,
            text,
            reason: reason.to_owned(),
        });
    }
    alignment
}
