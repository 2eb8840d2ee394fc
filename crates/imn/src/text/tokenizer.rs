//! A tokenizer in the Penn Treebank manner with exact byte offsets.
//!
//! One pass from left to right over the text of one sentence: white space ends a chunk, punctuation
//! ends a word, and a finished word gives up its stop, its apostrophe and its clitic
//! ("couldn't" → `could` `n't`, "it's" → `it` `'s`, "cannot" → `can` `not`). No look-ahead is longer
//! than a constant except over characters that are then taken whole, so time is linear in the text,
//! whatever it holds.
//!
//! Where the Treebank rewrites (`"` → ``` `` ```, `(` → `-LRB-`) this does not: a token is always
//! `text[start..end]`. Where it knows nothing (emoji, URLs, e-mail addresses, other scripts) they are kept
//! whole, and every Han ideograph is a token.

use super::Span;
use super::abbreviations::is_abbreviation;
use super::chars::{Class, class, continues_emoji, is_closer, is_regional_indicator, is_separator};
use super::clitics::{clitic, opening_quote, two_words};

/// Changes whenever the tokens of any text change; models record it.
pub const TOKENIZER_VERSION: u32 = 1;

/// The byte spans of the tokens of one sentence, in order.
///
/// For a text of several sentences call [`split_sentences`](super::split_sentences) first: an
/// abbreviation keeps its stop only where the sentence goes on.
///
/// ```
/// let text = "It's $5.99, isn't it?";
/// let tokens: Vec<&str> =
///     imn::text::tokenize(text).iter().map(|t| &text[t.start..t.end]).collect();
/// assert_eq!(tokens, ["It", "'s", "$", "5.99", ",", "is", "n't", "it", "?"]);
/// ```
#[must_use]
pub fn tokenize(text: &str) -> Vec<Span> {
    let mut tokens = Vec::with_capacity(text.len() / 5 + 1);
    tokenize_into(text, Span::new(0, text.len()), &mut tokens);
    tokens
}

/// Appends the tokens of the sentence `text[sentence]` to `tokens`; their offsets count from the start
/// of `text`. A span that is not inside `text` or cuts a character has no tokens.
pub fn tokenize_into(text: &str, sentence: Span, tokens: &mut Vec<Span>) {
    let Some(inside) = sentence.of(text) else {
        return;
    };
    let mut scan = Scan {
        text: inside,
        base: sentence.start,
        last_stop: last_stop(inside),
        tokens,
    };
    let mut at = 0;
    while at < inside.len() {
        at = scan.step(at);
    }
}

/// Where the stop that ends the sentence stands: the last character before closing quotes, brackets and space.
fn last_stop(text: &str) -> Option<usize> {
    let body = text.trim_end_matches(|c| is_separator(c) || is_closer(c));
    body.ends_with('.').then(|| body.len() - 1)
}

struct Scan<'a> {
    text: &'a str,
    base: usize,
    last_stop: Option<usize>,
    tokens: &'a mut Vec<Span>,
}

impl Scan<'_> {
    fn push(&mut self, start: usize, end: usize) {
        if start < end {
            self.tokens
                .push(Span::new(self.base + start, self.base + end));
        }
    }

    fn char_at(&self, at: usize) -> Option<char> {
        self.text.get(at..).and_then(|rest| rest.chars().next())
    }

    /// Takes what starts at `at`, which is a character boundary; returns where the next thing starts.
    fn step(&mut self, at: usize) -> usize {
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

    /// Takes the word that starts at `start`, and the run of stops or hyphens where it is one.
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
                    // "..." and "--" are tokens; a single one belongs to the word.
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

    /// Splits a finished word into opening apostrophe, stem, clitic, closing apostrophe and stop.
    fn finish_word(&mut self, start: usize, end: usize) {
        let Some(word) = self.text.get(start..end) else {
            return;
        };
        let mut stem_start = start;
        if let Some(opening) = opening_quote(word) {
            self.push(start, start + opening);
            stem_start += opening;
        }
        // From the right: what is cut off the end, last piece first.
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

    /// How many bytes at the end of `stem`, which ends at `end`, are a token of their own.
    fn ending(&self, stem: &str, end: usize, cut_before: usize) -> Option<usize> {
        let bytes = stem.as_bytes();
        let last = stem.chars().next_back()?;
        match class(last) {
            Class::Dot => {
                let dots = bytes.iter().rev().take_while(|b| **b == b'.').count();
                let single = dots == 1;
                if single && self.last_stop != Some(end - 1) {
                    let word = stem.get(..stem.len() - 1)?;
                    let word = word.rsplit(['/', '-']).next().unwrap_or(word);
                    let next = self.text.get(end..)?.trim_start().chars().next();
                    if is_abbreviation(word, next) {
                        return None;
                    }
                }
                Some(dots)
            }
            // The whole run: two apostrophes are a quotation mark.
            Class::Apostrophe => {
                let body = stem.trim_end_matches(|c| class(c) == Class::Apostrophe);
                Some(stem.len() - body.len())
            }
            Class::Word if cut_before < 3 => clitic(stem),
            _ => None,
        }
    }

    fn emoji_end(&self, start: usize) -> usize {
        let mut chars = self
            .text
            .get(start..)
            .unwrap_or("")
            .char_indices()
            .peekable();
        let Some((_, first)) = chars.next() else {
            return self.text.len();
        };
        let mut end = start + first.len_utf8();
        if is_regional_indicator(first)
            && let Some(&(i, second)) = chars.peek()
            && is_regional_indicator(second)
        {
            return start + i + second.len_utf8();
        }
        let mut joined = false;
        for (i, c) in chars {
            let joins = joined && class(c) == Class::Emoji;
            if !continues_emoji(c) && !joins {
                break;
            }
            joined = c == '\u{200D}';
            end = start + i + c.len_utf8();
        }
        end
    }

    /// The end of the URL that starts at `start`, without the punctuation of the sentence around it.
    fn url_end(&self, start: usize) -> Option<usize> {
        let rest = self.text.get(start..)?;
        let prefix = ["http://", "https://", "ftp://", "www."]
            .into_iter()
            .find(|p| {
                rest.get(..p.len())
                    .is_some_and(|r| r.eq_ignore_ascii_case(p))
            })?;
        let length = rest
            .find(|c: char| {
                is_separator(c) || matches!(c, '"' | '<' | '>' | '\u{201D}' | '\u{00BB}')
            })
            .unwrap_or(rest.len());
        let whole = rest.get(..length)?;
        let mut url = whole.trim_end_matches(|c| {
            matches!(
                c,
                '.' | ','
                    | ';'
                    | ':'
                    | '!'
                    | '?'
                    | ']'
                    | '}'
                    | '\''
                    | '*'
                    | '\u{2019}'
                    | '\u{2026}'
            )
        });
        // A closing bracket belongs to the URL only where it was opened in it.
        if url.ends_with(')') && !url.contains('(') {
            url = url.trim_end_matches([')', '.', ',', ';', ':', '!', '?']);
        }
        (url.len() > prefix.len()).then_some(start + url.len())
    }

    /// The end of the e-mail address whose `@` is at `at`, where the word before it and what follows make one.
    fn email_end(&self, start: usize, at: usize) -> Option<usize> {
        // The longest local part that the standard allows; keeps a long word before `@` cheap.
        let local = self.text.get(start..at).filter(|l| l.len() <= 64)?;
        let in_local = |b: u8| b.is_ascii_alphanumeric() || b"._%+-".contains(&b);
        if local.is_empty() || !local.bytes().all(in_local) {
            return None;
        }
        let domain = self.text.as_bytes().get(at + 1..)?;
        let length = domain
            .iter()
            .take(254)
            .take_while(|b| b.is_ascii_alphanumeric() || **b == b'.' || **b == b'-')
            .count();
        let domain = self
            .text
            .get(at + 1..at + 1 + length)?
            .trim_end_matches(['.', '-']);
        let dot = domain.rfind('.')?;
        (dot > 0 && domain.len() - dot > 2).then_some(at + 1 + domain.len())
    }
}

/// How often the byte at `at` is repeated from there on.
fn run_length(bytes: &[u8], at: usize) -> usize {
    let Some((first, rest)) = bytes.get(at..).and_then(<[u8]>::split_first) else {
        return 0;
    };
    1 + rest.iter().take_while(|b| *b == first).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        tokenize(text)
            .into_iter()
            .map(|t| t.of(text).unwrap())
            .collect()
    }

    #[track_caller]
    fn assert_cut(text: &str, expected: &str) {
        assert_eq!(cut(text), expected.split(' ').collect::<Vec<_>>(), "{text}");
    }

    #[test]
    fn contractions() {
        assert_cut("I couldn't say it's bad", "I could n't say it 's bad");
        assert_cut(
            "They're late, we'd've left",
            "They 're late , we 'd 've left",
        );
        assert_cut("I cannot and WON'T", "I can not and WO N'T");
        assert_cut(
            "It\u{2019}s what I\u{2019}d call good",
            "It \u{2019}s what I \u{2019}d call good",
        );
        assert_cut("the chefs' table's legs", "the chefs ' table 's legs");
        assert_cut("y'all c'mon", "y'all c'mon");
        assert_cut("back in the '90s 'til dawn", "back in the '90s 'til dawn");
    }

    #[test]
    fn money_numbers_percent() {
        assert_cut("$14.50 for 1,200 at 10:30", "$ 14.50 for 1,200 at 10:30");
        assert_cut("20% off,7 left: two", "20 % off , 7 left : two");
        assert_cut("\u{20AC}5 or 5\u{A3}", "\u{20AC} 5 or 5 \u{A3}");
    }

    #[test]
    fn stops_and_abbreviations() {
        assert_cut("Good. Then bad.", "Good . Then bad .");
        assert_cut(
            "Dr. No at 5 p.m. sharp, etc., in the U.S.",
            "Dr. No at 5 p.m. sharp , etc. , in the U.S .",
        );
        assert_cut("He left (early.)", "He left ( early . )");
        assert_cut(
            "well...maybe.... no\u{2026}",
            "well ... maybe .... no \u{2026}",
        );
        assert_cut("So am I. We agree", "So am I . We agree");
    }

    #[test]
    fn hyphens_slashes_quotes() {
        assert_cut(
            "a low-cost and/or long-term fix -- really",
            "a low-cost and/or long-term fix -- really",
        );
        assert_cut(
            "\"so-called\" 'fresh' fish",
            "\" so-called \" ' fresh ' fish",
        );
        assert_cut(
            "\u{201C}wow\u{201D}\u{2014}he said",
            "\u{201C} wow \u{201D} \u{2014} he said",
        );
        assert_cut("``fine''", "`` fine ''");
    }

    #[test]
    fn urls_and_addresses() {
        assert_cut(
            "see https://a.example/x?y=1&z=(2), ok",
            "see https://a.example/x?y=1&z=(2) , ok",
        );
        assert_cut("(www.example.org/menu).", "( www.example.org/menu ) .");
        assert_cut(
            "write to me.too@mail.example.com!",
            "write to me.too@mail.example.com !",
        );
        assert_cut("2 @ 5 or a@b", "2 @ 5 or a @ b");
    }

    #[test]
    fn emoji_and_scripts() {
        assert_cut(
            "yum\u{1F44D}\u{1F3FD}\u{1F44D} ok",
            "yum \u{1F44D}\u{1F3FD} \u{1F44D} ok",
        );
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}";
        assert_eq!(cut(&format!("a{family}b")), ["a", family, "b"]);
        assert_eq!(cut("\u{1F1E9}\u{1F1EA}\u{1F1EB}\u{1F1F7}").len(), 2);
        assert_cut(
            "cafe\u{301} na\u{EF}ve \u{4F60}\u{597D}\u{3002}",
            "cafe\u{301} na\u{EF}ve \u{4F60} \u{597D} \u{3002}",
        );
        assert_eq!(cut("नमस्ते दुनिया।"), ["नमस्ते", "दुनिया", "।"]);
    }

    #[test]
    fn offsets_count_from_the_start_of_the_text() {
        let text = "One. It's two.";
        let mut tokens = Vec::new();
        tokenize_into(text, Span::new(5, 14), &mut tokens);
        assert_eq!(tokens.first(), Some(&Span::new(5, 7)));
        tokens.clear();
        tokenize_into("\u{E9}", Span::new(1, 2), &mut tokens);
        assert!(tokens.is_empty());
    }

    /// Long runs of every special character: quadratic code would not come back.
    #[test]
    fn hostile_lines_take_linear_time() {
        for piece in [
            "a",
            ".",
            "'",
            "-",
            ",",
            "a@",
            "www.",
            "www.,",
            "http://(",
            "1,",
            "a.",
            "n't",
            "\u{1F468}\u{200D}",
            "’s",
        ] {
            let text = piece.repeat(400_000 / piece.len());
            let tokens = tokenize(&text);
            assert!(!tokens.is_empty(), "{piece}");
        }
    }

    fn check(text: &str) -> Result<(), TestCaseError> {
        let mut last = 0;
        for span in tokenize(text) {
            prop_assert!(span.start >= last && span.end > span.start);
            prop_assert!(text.get(span.start..span.end).is_some());
            prop_assert!(text[last..span.start].chars().all(is_separator));
            prop_assert!(!text[span.start..span.end].contains(is_separator));
            last = span.end;
        }
        prop_assert!(text[last..].chars().all(is_separator));
        Ok(())
    }

    proptest! {
        #[test]
        fn every_character_in_one_token(text in any::<String>()) {
            check(&text)?;
        }

        #[test]
        fn every_character_in_one_token_of_review_like_text(
            text in "([a-zA-Z0-9]{1,4}|n't|'s|www\\.|@|http://|[ \\.,:;'\"()*/$%&!?\n-]|\u{2019}|\u{1F44D}|\u{200D}|\u{4F60}){0,40}"
        ) {
            check(&text)?;
        }
    }
}
