//! Splits a finished word into opening quote, stem, clitic, closing apostrophe and stop.

use super::super::abbreviations::is_abbreviation;
use super::super::chars::{Class, class};
use super::super::clitics::{clitic, opening_quote, two_words};
use super::scan::Scan;

impl Scan<'_> {
    /// Pushes the tokens of the finished word `start..end`.
    pub(super) fn finish_word(&mut self, start: usize, end: usize) {
        let Some(word) = self.text.get(start..end) else {
            return;
        };
        let mut stem_start = start;
        if let Some(opening) = opening_quote(word) {
            self.push(start, start + opening);
            stem_start += opening;
        }
        // Split off endings from the right: the last piece comes first.
        let mut cuts = [0_usize; 4];
        let mut count = 0;
        let mut stem_end = end;
        while count < cuts.len() {
            let Some(stem) = self.text.get(stem_start..stem_end) else {
                break;
            };
            let Some(cut) = self.ending(stem, stem_end, count) else {
                break;
            };
            if cut == 0 || cut >= stem.len() {
                break;
            }
            stem_end -= cut;
            if let Some(slot) = cuts.get_mut(count) {
                *slot = stem_end;
            }
            count += 1;
        }
        match self.text.get(stem_start..stem_end).and_then(two_words) {
            Some(cut) => {
                self.push(stem_start, stem_start + cut);
                self.push(stem_start + cut, stem_end);
            }
            None => self.push(stem_start, stem_end),
        }
        for i in (0..count).rev() {
            let from = cuts.get(i).copied().unwrap_or(end);
            let to = match i.checked_sub(1).and_then(|j| cuts.get(j)) {
                Some(&next) => next,
                None => end,
            };
            self.push(from, to);
        }
    }

    /// Length of the ending of `stem` that is a separate token. `stem` ends at `end`; `cut_before`
    /// endings have been split off already.
    fn ending(&self, stem: &str, end: usize, cut_before: usize) -> Option<usize> {
        let bytes = stem.as_bytes();
        let last = stem.chars().next_back()?;
        match class(last) {
            Class::Dot => {
                let dots = bytes.iter().rev().take_while(|b| **b == b'.').count();
                let single = dots == 1;
                if single && self.last_stop != Some(end - 1) {
                    let compound = stem.get(..stem.len() - 1)?;
                    let word = compound.rsplit(['/', '-']).next().unwrap_or(compound);
                    let next = self.text.get(end..)?.trim_start().chars().next();
                    if is_abbreviation(word, next) {
                        return None;
                    }
                }
                Some(dots)
            }
            // The whole run, because two apostrophes are one quotation mark.
            Class::Apostrophe => {
                let body = stem.trim_end_matches(|c| class(c) == Class::Apostrophe);
                Some(stem.len() - body.len())
            }
            Class::Word if cut_before < 3 => clitic(stem),
            _ => None,
        }
    }
}
