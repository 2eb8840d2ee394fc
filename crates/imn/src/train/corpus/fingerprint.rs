//! A hash of everything that influences the trained weights besides the configuration.
//!
//! It covers defined bytes, so that it depends on the data only and not on the program's types:
//! texts and words in UTF-8, positions and classes as little-endian integers, each list and each
//! text preceded by its length. Files of weights count with the hash of their bytes as stored,
//! compressed or not.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use rayon::prelude::*;

use crate::data::{AnnotatedSentence, Span};
use crate::train::TrainError;

/// Version of the way from texts to features. Raise it when the same text becomes other features,
/// so that a checkpoint of an earlier program is not continued with them, nor labels of a teacher
/// reused.
pub(in crate::train) const FEATURES: u32 = 3;

/// Collects the hashes of all items, such as sentences; the fingerprint is the hash of these.
#[derive(Default)]
pub(super) struct Fingerprint(String);

impl Fingerprint {
    fn add(&mut self, item: &Item) {
        self.0.push_str(&imn_io::sha256(&item.0));
    }

    /// Adds the number of the sentences or documents that follow.
    pub(super) fn list(&mut self, len: usize) {
        let mut item = Item::new("list");
        item.number(len as u64);
        self.add(&item);
    }

    /// Adds a sentence and its labels.
    pub(super) fn sentence(&mut self, sentence: &AnnotatedSentence) {
        let mut item = Item::new("sentence");
        item.text(&sentence.text);
        item.number(sentence.tokens.len() as u64);
        sentence.tokens.iter().for_each(|&token| item.span(token));
        item.number(sentence.aspects.len() as u64);
        for aspect in &sentence.aspects {
            item.span(aspect.span);
            // 0 stands for none.
            item.number(aspect.polarity.map_or(0, |polarity| polarity.code().into()));
        }
        match &sentence.opinions {
            None => item.number(u64::MAX),
            Some(opinions) => {
                item.number(opinions.len() as u64);
                opinions.iter().for_each(|&opinion| item.span(opinion));
            }
        }
        self.add(&item);
    }

    /// Adds a document and its class.
    pub(super) fn document(&mut self, words: &[String], class: u32) {
        let mut item = Item::new("document");
        item.number(words.len() as u64);
        words.iter().for_each(|word| item.text(word));
        item.number(class.into());
        self.add(&item);
    }

    /// Adds a file that initial weights are read from.
    pub(super) fn file(&mut self, path: &Path) -> Result<(), TrainError> {
        let mut item = Item::new("file");
        item.text(&hash_file(path).map_err(TrainError::io(path))?);
        self.add(&item);
        Ok(())
    }

    /// Adds the content of the model that training starts from, given by its hash.
    pub(super) fn init(&mut self, hash: &str) {
        let mut item = Item::new("init");
        item.text(hash);
        self.add(&item);
    }

    /// The fingerprint: SHA-256 in hexadecimal.
    pub(super) fn get(&self) -> String {
        imn_io::sha256(format!("{FEATURES}{}", self.0).as_bytes())
    }
}

/// The bytes of an item. They begin with its kind.
struct Item(Vec<u8>);

impl Item {
    fn new(kind: &str) -> Self {
        let mut item = Self(Vec::new());
        item.text(kind);
        item
    }

    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn span(&mut self, span: Span) {
        self.number(span.start as u64);
        self.number(span.end as u64);
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
        seen.push(fingerprint(&AnnotatedSentence {
            tokens: vec![Span::new(0, 4), Span::new(5, 9)],
            ..plain.clone()
        }));
        for opinions in [vec![], vec![Span::new(0, 1)]] {
            seen.push(fingerprint(&AnnotatedSentence {
                opinions: Some(opinions),
                ..plain.clone()
            }));
        }
        let first = seen[0].clone();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 8);
        let fixed = "a2346b616558330ff97d2e482f422f5f070521c2f7761651f5e86b86fe636154";
        assert_eq!(first, fixed);
    }

    #[test]
    fn neither_words_nor_documents_nor_lists_run_into_each_other() {
        let of = |lists: &[&[&[&str]]]| {
            let mut fingerprint = Fingerprint::default();
            for documents in lists {
                fingerprint.list(documents.len());
                for words in *documents {
                    let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
                    fingerprint.document(&words, 0);
                }
            }
            fingerprint.get()
        };
        let mut seen = vec![
            of(&[&[&["a", "b"], &["c"]]]),
            of(&[&[&["a"], &["b", "c"]]]),
            of(&[&[&["ab"], &["c"]]]),
            of(&[&[&["a", "b"]], &[&["c"]]]),
        ];
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 4);
    }
}
