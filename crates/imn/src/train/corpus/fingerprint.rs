//! A hash of all texts and labels that influence the trained weights.
//!
//! It covers defined bytes, so that it depends on the data only and not on the program's types:
//! texts and words in UTF-8, positions and classes as little-endian integers, each list preceded by
//! its length.

use crate::data::{AnnotatedSentence, Span};

/// Collects the hashes of all parts; the fingerprint is the hash of these hashes.
#[derive(Default)]
pub(super) struct Fingerprint(Vec<u8>);

impl Fingerprint {
    fn part(&mut self, bytes: &[u8]) {
        self.0.extend(imn_nn::hash(bytes).to_le_bytes());
    }

    /// Adds a sentence and its labels.
    pub(super) fn sentence(&mut self, sentence: &AnnotatedSentence) {
        self.part(sentence.text.as_bytes());
        let mut labels = Vec::new();
        let mut number = |number: u64| labels.extend(number.to_le_bytes());
        number(sentence.aspects.len() as u64);
        for aspect in &sentence.aspects {
            span(aspect.span, &mut number);
            // 0 stands for none.
            number(aspect.polarity.map_or(0, |polarity| polarity.code().into()));
        }
        match &sentence.opinions {
            None => number(u64::MAX),
            Some(opinions) => {
                number(opinions.len() as u64);
                opinions
                    .iter()
                    .for_each(|&opinion| span(opinion, &mut number));
            }
        }
        self.part(&labels);
    }

    /// Adds a document and its class.
    pub(super) fn document(&mut self, words: &[String], class: u32) {
        words.iter().for_each(|word| self.part(word.as_bytes()));
        self.part(&class.to_le_bytes());
    }

    /// The fingerprint: 64-bit FNV-1a in hexadecimal.
    pub(super) fn get(&self) -> String {
        format!("{:016x}", imn_nn::hash(&self.0))
    }
}

fn span(span: Span, number: &mut impl FnMut(u64)) {
    number(span.start as u64);
    number(span.end as u64);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Aspect, Polarity};

    #[test]
    fn every_label_changes_the_hash_and_its_value_is_fixed() {
        let fingerprint = |sentence: &AnnotatedSentence| {
            let mut fingerprint = Fingerprint::default();
            fingerprint.sentence(sentence);
            fingerprint.get()
        };
        let plain = AnnotatedSentence {
            text: "good soup".to_owned(),
            ..AnnotatedSentence::default()
        };
        let mut seen = vec![fingerprint(&plain)];
        let soup = Span::new(1, 2);
        for (span, polarity) in [
            (soup, None),
            (soup, Some(Polarity::Positive)),
            (soup, Some(Polarity::Conflict)),
            (Span::new(0, 2), None),
        ] {
            seen.push(fingerprint(&AnnotatedSentence {
                aspects: vec![Aspect { span, polarity }],
                ..plain.clone()
            }));
        }
        for opinions in [vec![], vec![Span::new(0, 1)]] {
            seen.push(fingerprint(&AnnotatedSentence {
                opinions: Some(opinions),
                ..plain.clone()
            }));
        }
        let first = seen[0].clone();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 7);
        assert_eq!(first, "73f22b6315fa2965");
    }
}
