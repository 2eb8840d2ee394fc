//! Sentence splitting, with byte offsets.
//!
//! These are our own rules rather than a crate's. Unicode segmentation (UAX 29) knows no
//! abbreviations and does not end a sentence before a lower-case word, which is how many reviews
//! are written. Trained splitters need a model for what a list of abbreviations does. The splitter
//! makes one pass and takes time linear in the text.
//!
//! - `!`, `?` and a full stop end a sentence if a space follows, even before a lower-case word.
//! - The stop of an abbreviation ends a sentence only before a capital. The stop of a title or
//!   initial ("Dr.", "J.") and of a list number ("1.") never does.
//! - An ellipsis ends a sentence only before a capital: "good... but slow" is one sentence.
//! - `!` or `?` before a closing bracket or quote does not end a sentence if a lower-case word
//!   follows: "it (really!) is".
//! - A stop without a space ends a sentence between a word and a capitalised word:
//!   "was good.The staff".
//! - A blank line always ends a sentence. A single line break ends it unless the text clearly
//!   continues: the next line starts in lower case, or the line ends with a comma, or the line is
//!   long enough to have been wrapped ([`WRAPPED`]) and ends without punctuation.

use super::Span;
use super::abbreviations::{is_abbreviation, is_title};
use super::chars::{is_closer, is_separator};

/// Length in bytes from which a line that ends without punctuation counts as wrapped.
const WRAPPED: usize = 60;

/// Splits `text` into sentences: their byte spans, without surrounding white space. Every character
/// that is not a separator is part of exactly one sentence.
///
/// ```
/// let text = "Dr. Lee ate here. great soup!!! Slow... but worth it";
/// let sentences: Vec<&str> =
///     imn::text::split_sentences(text).iter().map(|s| &text[s.start..s.end]).collect();
/// assert_eq!(sentences, ["Dr. Lee ate here.", "great soup!!!", "Slow... but worth it"]);
/// ```
#[must_use]
pub fn split_sentences(text: &str) -> Vec<Span> {
    let mut sentences = Vec::new();
    let (mut start, mut line, mut at) = (0, 0, 0);
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let after = at + c.len_utf8();
        if is_stop(c) {
            let end = Stop::read(text, at);
            if end.ends_sentence(text, start) {
                push(text, start, end.closed, &mut sentences);
                start = end.closed;
            }
            at = end.closed;
        } else if is_separator(c) {
            let space = Space::read(text, at);
            if at == start {
                // Skip leading space at once: a long run must not be scanned again.
                start = space.end;
            }
            if space.breaks > 0 {
                if space.ends_sentence(text, at - line) {
                    push(text, start, at, &mut sentences);
                    start = space.end;
                }
                line = space.end;
            }
            at = space.end;
        } else {
            at = after;
        }
    }
    push(text, start, text.len(), &mut sentences);
    sentences
}

fn push(text: &str, start: usize, end: usize, sentences: &mut Vec<Span>) {
    let Some(inside) = text.get(start..end) else {
        return;
    };
    let head = inside.trim_start_matches(is_separator);
    let body = head.trim_end_matches(is_separator);
    if !body.is_empty() {
        let from = start + inside.len() - head.len();
        sentences.push(Span::new(from, from + body.len()));
    }
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '\u{2026}') || is_wide_stop(c)
}

/// Stops of scripts that put no space after them.
fn is_wide_stop(c: char) -> bool {
    matches!(
        c,
        '\u{3002}' | '\u{FF01}' | '\u{FF1F}' | '\u{0964}' | '\u{061F}' | '\u{06D4}'
    )
}

/// A run of stops and the closing quotes and brackets after it.
struct Stop {
    start: usize,
    end: usize,
    closed: usize,
    dots: usize,
    emphatic: bool,
    wide: bool,
}

impl Stop {
    fn read(text: &str, start: usize) -> Self {
        let mut stop = Self {
            start,
            end: start,
            closed: start,
            dots: 0,
            emphatic: false,
            wide: false,
        };
        let rest = text.get(start..).unwrap_or("");
        for c in rest.chars().take_while(|c| is_stop(*c)) {
            stop.end += c.len_utf8();
            match c {
                '.' => stop.dots += 1,
                '\u{2026}' => stop.dots += 3,
                _ if is_wide_stop(c) => stop.wide = true,
                _ => stop.emphatic = true,
            }
        }
        let after = text.get(stop.end..).unwrap_or("");
        stop.closed = stop.end
            + after
                .chars()
                .take_while(|c| is_closer(*c))
                .map(char::len_utf8)
                .sum::<usize>();
        stop
    }

    fn ends_sentence(&self, text: &str, sentence: usize) -> bool {
        let rest = text.get(self.closed..).unwrap_or("");
        if self.wide {
            return true;
        }
        let Some(direct) = rest.chars().next() else {
            return true;
        };
        if !is_separator(direct) {
            return self.is_glued(text, rest);
        }
        let mut following = rest
            .chars()
            .skip_while(|c| is_separator(*c))
            .skip_while(|c| matches!(c, '"' | '\'' | '(' | '[' | '\u{201C}' | '\u{2018}' | '*'));
        let Some(next) = following.next() else {
            return true;
        };
        if self.emphatic {
            return self.closed == self.end || !next.is_lowercase();
        }
        if self.dots > 1 {
            return next.is_uppercase();
        }
        let word = word_before(text, self.start);
        if is_title(word) {
            return false;
        }
        let so_far = text
            .get(sentence..self.start)
            .unwrap_or("")
            .trim_start_matches(is_separator);
        if so_far.len() <= 3 && !so_far.is_empty() && so_far.bytes().all(|b| b.is_ascii_digit()) {
            return false;
        }
        !is_abbreviation(word, Some(next)) || next.is_uppercase()
    }

    /// "good.The staff", "good!The staff": no space, but a word before and a capitalised word
    /// after.
    fn is_glued(&self, text: &str, rest: &str) -> bool {
        let mut next = rest.chars();
        let capitalised = next.next().is_some_and(char::is_uppercase)
            && next
                .next()
                .is_none_or(|c| c.is_lowercase() || is_separator(c) || c == '\'');
        let word = word_before(text, self.start);
        let plain = word.chars().count() >= 2
            && word.chars().all(char::is_alphabetic)
            && word.chars().next_back().is_some_and(char::is_lowercase);
        capitalised && plain
    }
}

/// The last word before `end`, at most 16 characters: no rule looks at longer words.
fn word_before(text: &str, end: usize) -> &str {
    let head = text.get(..end).unwrap_or("");
    let length: usize = head
        .chars()
        .rev()
        .take(16)
        .take_while(|c| c.is_alphanumeric() || *c == '.')
        .map(char::len_utf8)
        .sum();
    head.get(head.len() - length..).unwrap_or("")
}

/// A run of white space.
struct Space {
    start: usize,
    end: usize,
    breaks: usize,
}

impl Space {
    fn read(text: &str, start: usize) -> Self {
        let mut space = Self {
            start,
            end: start,
            breaks: 0,
        };
        let mut before = '\0';
        for c in text
            .get(start..)
            .unwrap_or("")
            .chars()
            .take_while(|c| is_separator(*c))
        {
            space.end += c.len_utf8();
            match c {
                '\n' if before == '\r' => {}
                '\n' | '\r' | '\u{0B}' | '\u{0C}' | '\u{85}' | '\u{2028}' => space.breaks += 1,
                '\u{2029}' => space.breaks += 2,
                _ => {}
            }
            before = c;
        }
        space
    }

    /// Whether this line break ends the sentence before it. `line` is the length of its line in
    /// bytes.
    fn ends_sentence(&self, text: &str, line: usize) -> bool {
        let before = text
            .get(..self.start)
            .and_then(|head| head.chars().next_back());
        let next = text.get(self.end..).and_then(|rest| rest.chars().next());
        let (Some(before), Some(next)) = (before, next) else {
            return true;
        };
        if self.breaks > 1 || is_stop(before) || is_closer(before) {
            return true;
        }
        let runs_on = next.is_lowercase()
            || (next.is_alphanumeric() && before == ',')
            || (next.is_alphabetic() && before.is_alphanumeric() && line >= WRAPPED);
        !runs_on
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(text: &str) -> Vec<&str> {
        split_sentences(text)
            .into_iter()
            .map(|s| s.of(text).unwrap())
            .collect()
    }

    #[test]
    fn stops() {
        assert_eq!(split("Good food. Bad view."), ["Good food.", "Bad view."]);
        assert_eq!(split("good food. bad view"), ["good food.", "bad view"]);
        assert_eq!(
            split("Wow!!! so cheap?! yes"),
            ["Wow!!!", "so cheap?!", "yes"]
        );
        assert_eq!(
            split("He said \"Go.\" We went."),
            ["He said \"Go.\"", "We went."]
        );
        assert_eq!(split("It (really!) is fine."), ["It (really!) is fine."]);
        assert_eq!(
            split("The soup was good.The staff too"),
            ["The soup was good.", "The staff too"]
        );
    }

    #[test]
    fn what_does_not_end_a_sentence() {
        for whole in [
            "Mr. Kim met J. Doe on St. Mark's Pl.",
            "Open at 9 a.m. every day",
            "Pasta, pizza, etc. are fine",
            "It costs 4.50 or 5.00 at shop.example.com today",
            "Slow... but good",
            "Slow\u{2026} but good",
            "See No. 5 first",
            "1. Order the soup",
        ] {
            assert_eq!(split(whole), [whole]);
        }
        assert_eq!(
            split("Open until 2 a.m. We left"),
            ["Open until 2 a.m.", "We left"]
        );
        assert_eq!(split("Slow... But good"), ["Slow...", "But good"]);
    }

    #[test]
    fn lines() {
        assert_eq!(
            split("Pros:\n- screen\n- keys\n\ncons: fan"),
            ["Pros:", "- screen", "- keys", "cons: fan"]
        );
        assert_eq!(split("a long way\r\nto go"), ["a long way\r\nto go"]);
        assert_eq!(
            split("Nice place\r\nNice staff"),
            ["Nice place", "Nice staff"]
        );
        let wrapped =
            "This line is as long as lines are in mail that was wrapped by\nThunderbird or so";
        assert_eq!(split(wrapped), [wrapped]);
    }

    #[test]
    fn other_scripts() {
        assert_eq!(split("很好吃。服务很差！"), ["很好吃。", "服务很差！"]);
    }

    /// Long runs of everything that a rule looks at: quadratic code would not finish.
    #[test]
    fn hostile_texts_take_linear_time() {
        let spaces = " ".repeat(1_000_000);
        for piece in [
            "etc. ",
            "a.",
            "...",
            "!)",
            ".\n",
            "\n",
            "1. ",
            "\u{2026}\u{2019} ",
        ] {
            let text = format!("{spaces}{}{spaces}", piece.repeat(200_000));
            let _ = split_sentences(&text);
        }
        assert_eq!(
            split(&format!("{spaces}etc. and so on{spaces}")),
            ["etc. and so on"]
        );
    }

    proptest! {
        #[test]
        fn every_character_in_one_sentence(
            text in "[a-zA-Z .!?\n\r\"()1’…\u{200B}é。]{0,80}|\\PC{0,60}"
        ) {
            let spans = split_sentences(&text);
            let mut last = 0;
            for span in &spans {
                prop_assert!(!span.is_empty() && span.start >= last);
                let inside = span.of(&text).unwrap();
                prop_assert!(!inside.starts_with(is_separator) && !inside.ends_with(is_separator));
                prop_assert!(text[last..span.start].chars().all(is_separator));
                last = span.end;
            }
            prop_assert!(text[last..].chars().all(is_separator));
        }
    }
}
