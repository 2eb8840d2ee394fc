//! Penn Treebank tokenizer with exact byte offsets.
//!
//! One pass from left to right over one sentence: white space and punctuation end a word, and a
//! finished word is split from its stop, its apostrophe and its clitic ("couldn't" → `could` `n't`,
//! "it's" → `it` `'s`, "cannot" → `can` `not`). Look-ahead is bounded by a constant, except over
//! characters that become one token, so the time is linear in the length of any text.
//!
//! The Treebank rewrites some tokens (`"` → ``` `` ```, `(` → `-LRB-`); this tokenizer does not: a
//! token is always `text[start..end]`. Emoji, URLs and e-mail addresses, for which the Treebank has
//! no rules, are one token each, and so is every Han ideograph.

mod scan;
mod whole;
mod word;

use self::scan::Scan;
use super::chars::{is_closer, is_separator};
use super::{Span, blank_tags};

/// Tokenizes one sentence: the byte spans of its tokens, in order.
///
/// Split a text of several sentences with [`split_sentences`](super::split_sentences) first: an
/// abbreviation keeps its stop only if it does not end the sentence. HTML tags count as white space
/// ([`blank_tags`]).
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
    tokenize_into(&blank_tags(text), Span::new(0, text.len()), &mut tokens);
    tokens
}

/// Appends the tokens of the sentence `text[sentence]` to `tokens`. Their offsets count from the
/// start of `text`. A span that is out of bounds or cuts a character has no tokens.
///
/// ```
/// use imn::text::{Span, tokenize_into};
///
/// let mut tokens = Vec::new();
/// tokenize_into("One. It's two.", Span::new(5, 14), &mut tokens);
/// assert_eq!(tokens[..2], [Span::new(5, 7), Span::new(7, 9)]); // It 's
/// ```
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

/// Position of the stop that ends the sentence, before closing quotes, brackets and space.
fn last_stop(text: &str) -> Option<usize> {
    let body = text.trim_end_matches(|c| is_separator(c) || is_closer(c));
    body.ends_with('.').then(|| body.len() - 1)
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

    /// Long runs of every special character: quadratic code would not finish.
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
        let mut tokens = Vec::new();
        tokenize_into(text, Span::new(0, text.len()), &mut tokens);
        for span in tokens {
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
            text in concat!(
                "([a-zA-Z0-9]{1,4}|n't|'s|www\\.|@|http://|[ \\.,:;'\"()*/$%&!?\n-]",
                "|\u{2019}|\u{1F44D}|\u{200D}|\u{4F60}){0,40}"
            )
        ) {
            check(&text)?;
        }
    }
}
