//! The pass from left to right, which finds where a token or word begins and ends.

use super::super::Span;
use super::super::chars::{Class, class};

/// One pass over a sentence.
pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    pub(super) base: usize,
    pub(super) last_stop: Option<usize>,
    pub(super) tokens: &'a mut Vec<Span>,
}

impl Scan<'_> {
    pub(super) fn push(&mut self, start: usize, end: usize) {
        if start < end {
            self.tokens
                .push(Span::new(self.base + start, self.base + end));
        }
    }

    pub(super) fn char_at(&self, at: usize) -> Option<char> {
        self.text.get(at..).and_then(|rest| rest.chars().next())
    }

    /// Consumes the token, word or separator at `at`, a character boundary. Returns where the next
    /// one starts.
    pub(super) fn step(&mut self, at: usize) -> usize {
        let Some(c) = self.char_at(at) else {
            return self.text.len();
        };
        let after = at + c.len_utf8();
        match class(c) {
            Class::Separator => after,
            Class::Single | Class::Ideograph => {
                self.push(at, after);
                after
            }
            Class::Emoji => {
                let end = self.emoji_end(at);
                self.push(at, end);
                end
            }
            Class::InNumber => {
                self.push(at, after);
                after
            }
            _ => self.word(at),
        }
    }

    /// Consumes the word at `start`, and the run of stops or hyphens that ends it, if any.
    fn word(&mut self, start: usize) -> usize {
        if let Some(end) = self.url_end(start) {
            self.push(start, end);
            return end;
        }
        let bytes = self.text.as_bytes();
        let mut at = start;
        let mut digit_before = false;
        while let Some(c) = self.char_at(at) {
            match class(c) {
                Class::Word | Class::Apostrophe => digit_before = false,
                Class::Digit => digit_before = true,
                Class::Dot | Class::Hyphen => {
                    let run = run_length(bytes, at);
                    // "..." and "--" are tokens; shorter runs belong to the word.
                    if run >= if c == '.' { 3 } else { 2 } {
                        self.finish_word(start, at);
                        self.push(at, at + run);
                        return at + run;
                    }
                    digit_before = false;
                    at += run;
                    continue;
                }
                Class::InNumber => {
                    let digit_after = self
                        .char_at(at + 1)
                        .is_some_and(|next| class(next) == Class::Digit);
                    if !(digit_before && digit_after) {
                        break;
                    }
                    digit_before = false;
                }
                Class::Single => match (c == '@').then(|| self.email_end(start, at)).flatten() {
                    Some(end) => {
                        self.push(start, end);
                        return end;
                    }
                    None => break,
                },
                Class::Separator | Class::Emoji | Class::Ideograph => break,
            }
            at += c.len_utf8();
        }
        self.finish_word(start, at);
        at
    }
}

/// Length of the run of equal bytes that starts at `at`.
fn run_length(bytes: &[u8], at: usize) -> usize {
    let Some((first, rest)) = bytes.get(at..).and_then(<[u8]>::split_first) else {
        return 0;
    };
    1 + rest.iter().take_while(|b| *b == first).count()
}
