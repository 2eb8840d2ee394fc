//! A hash of everything that influences the trained weights besides the configuration.
//!
//! It covers defined bytes, so that it depends on the data only and not on the program's types:
//! texts and words in UTF-8, positions and classes as little-endian integers, each list preceded by
//! its length. Files of weights count with the hash of their bytes as stored, compressed or not.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use rayon::prelude::*;

use crate::data::{AnnotatedSentence, Span};
use crate::train::TrainError;

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

    /// Adds a file that initial weights are read from.
    pub(super) fn file(&mut self, path: &Path) -> Result<(), TrainError> {
        let hash = hash_file(path).map_err(TrainError::io(path))?;
        self.part(hash.as_bytes());
        Ok(())
    }

    /// Adds the content of the model that training starts from, given by its hash.
    pub(super) fn init(&mut self, hash: &str) {
        self.part(hash.as_bytes());
    }

    /// The fingerprint: 64-bit FNV-1a in hexadecimal.
    pub(super) fn get(&self) -> String {
        format!("{:016x}", imn_nn::hash(&self.0))
    }
}

/// Bytes of a file that are hashed at a time.
const BLOCK: u64 = 4 << 20;

/// The hash of a file of any size: SHA-256 of the SHA-256 of its blocks, which are hashed in
/// parallel and never all in memory.
fn hash_file(path: &Path) -> io::Result<String> {
    let blocks = File::open(path)?.metadata()?.len().div_ceil(BLOCK);
    let hashes: io::Result<Vec<String>> = (0..blocks)
        .into_par_iter()
        .map(|block| {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(block * BLOCK))?;
            let mut bytes = Vec::new();
            file.take(BLOCK).read_to_end(&mut bytes)?;
            Ok(imn_io::sha256(&bytes))
        })
        .collect();
    Ok(imn_io::sha256(hashes?.concat().as_bytes()))
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
    fn every_byte_of_a_file_of_several_blocks_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors");
        let mut bytes = vec![7; 2 * BLOCK as usize + 5];
        let mut seen = Vec::new();
        for changed in [0, BLOCK as usize, 2 * BLOCK as usize + 4] {
            bytes[changed] += 1;
            std::fs::write(&path, &bytes).unwrap();
            seen.push(hash_file(&path).unwrap());
        }
        std::fs::write(&path, []).unwrap();
        seen.push(hash_file(&path).unwrap());
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 4);
        assert!(hash_file(&folder.path().join("none")).is_err());
    }

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
