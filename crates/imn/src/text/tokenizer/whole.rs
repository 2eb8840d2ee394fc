//! Tokens that punctuation must not split: emoji, URLs, e-mail addresses.

use super::super::chars::{Class, class, continues_emoji, is_regional_indicator, is_separator};
use super::scan::Scan;

impl Scan<'_> {
    /// End of the emoji at `start`, including its modifiers and the emoji joined to it.
    pub(super) fn emoji_end(&self, start: usize) -> usize {
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

    /// End of the URL at `start`, without the punctuation of the surrounding sentence. `None` if
    /// there is no URL.
    pub(super) fn url_end(&self, start: usize) -> Option<usize> {
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
        // A closing bracket belongs to the URL only if the URL contains the opening one.
        if url.ends_with(')') && !url.contains('(') {
            url = url.trim_end_matches([')', '.', ',', ';', ':', '!', '?']);
        }
        (url.len() > prefix.len()).then_some(start + url.len())
    }

    /// End of the e-mail address that starts at `start` and has its `@` at `at`. `None` if the text
    /// around the `@` is no address.
    pub(super) fn email_end(&self, start: usize, at: usize) -> Option<usize> {
        // The standard allows 64 bytes before the `@`; the limit keeps a long word cheap.
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
