//! Matches labelled sentences with raw ones.
//!
//! Exact matches come first, so that an approximate match cannot take the raw sentence of another
//! labelled one.

use std::collections::{HashMap, HashSet};

use super::letters::{Letters, common_subsequence, lettered_words};
use crate::data::AnnotatedSentence;

/// Smallest share of the letters and digits of the longer sentence that an approximate match has in
/// common.
const MIN_SHARED: f64 = 0.7;

/// The raw sentence of a labelled one.
pub(super) struct Matched {
    pub(super) raw: usize,
    /// For every letter of the labelled sentence, its index in the raw one.
    pub(super) letter_map: Vec<Option<usize>>,
    pub(super) exact: bool,
}

/// For every labelled sentence, its raw one, if there is one.
pub(super) fn match_sentences(
    labelled: &[AnnotatedSentence],
    raw: &[AnnotatedSentence],
    raw_letters: &[Letters],
) -> Vec<Option<Matched>> {
    let mut by_key: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, letters) in raw_letters.iter().enumerate().rev() {
        by_key.entry(&letters.key).or_default().push(i);
    }
    let mut used: HashSet<&str> = HashSet::new();
    let mut matches: Vec<Option<Matched>> = Vec::with_capacity(labelled.len());
    for sentence in labelled {
        let letters = Letters::of(&sentence.text);
        // Equal raw sentences are used in order; the last one is used for all that remain.
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
        *slot = approximate_match(sentence, raw, raw_letters, &free);
    }
    matches
}

/// The unmatched raw sentence that has the most letters of words in common with a labelled one, if
/// they are at least [`MIN_SHARED`] of the longer sentence.
fn approximate_match(
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
        if shared as f64 >= MIN_SHARED * longer as f64
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
