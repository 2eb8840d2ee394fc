//! Transfers labels from cleaned tokens to the raw text that they were made from.
//!
//! The paper's files are lower-cased and have lost most punctuation; the official XML has the raw
//! text. A labelled sentence is matched with its raw one by the ASCII letters and digits, which
//! both have in the same order. Letter by letter, they then locate each labelled token in the raw
//! text.
//!
//! A few labelled sentences have also lost a number or a smiley. They are matched by their words,
//! and aligned if every labelled word is found. The labels of the cleaned files are authoritative.
//! If the XML marks an aspect on the same letters, its exact offsets are used. Every disagreement
//! is reported.

mod letters;
mod matching;
mod pair;
mod report;

pub use report::{Agreement, Alignment, CrossCheck, Difference, Unaligned};

use self::letters::Letters;
use self::matching::match_sentences;
use self::pair::Pair;
use super::AnnotatedSentence;

/// Transfers the labels of `labelled` to the raw sentences with the same letters and digits. A
/// labelled sentence without such a raw sentence is aligned word by word with the most similar one
/// that no other sentence matches.
///
/// ```
/// use imn::data::{AnnotatedSentence, Aspect, Polarity, Span, align};
///
/// let mut labelled = AnnotatedSentence::from_words(["great", "red", "wine"]);
/// labelled.aspects.push(Aspect { span: Span::new(1, 3), polarity: Some(Polarity::Positive) });
/// let raw = AnnotatedSentence::from_text("Great red wine!");
/// let alignment = align(&[labelled], &[raw]);
/// let sentence = &alignment.sentences[0];
/// assert_eq!(sentence.text, "Great red wine!");
/// assert_eq!(sentence.surface(sentence.aspects[0].span), "red wine");
/// ```
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
                        alignment.approximate += usize::from(!pair.matched.exact);
                        alignment.sentences.push(done);
                        alignment.sources.push(source);
                        continue;
                    }
                    None => "a label cannot be located in the raw text",
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
