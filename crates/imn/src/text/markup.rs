//! HTML tags of reviews from the web: white space to the networks, which have never seen any.
//!
//! A tag is `<`, perhaps `/`, the name of an HTML element, perhaps attributes, and `>`. Attributes
//! have a `=`. Other angle brackets (`<3`, `a <b and c> d`) are text. A tag is replaced by as many
//! bytes of white space, so offsets do not change.

use std::borrow::Cow;

/// Elements within a sentence, in alphabetical order.
const INLINE: [&str; 26] = [
    "a", "abbr", "b", "big", "center", "cite", "code", "del", "em", "font", "i", "img", "ins",
    "kbd", "mark", "q", "s", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u",
];

/// Elements that end a paragraph, in alphabetical order.
const BLOCK: [&str; 28] = [
    "article",
    "blockquote",
    "body",
    "dd",
    "div",
    "dl",
    "dt",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "html",
    "li",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "tbody",
    "td",
    "th",
    "tr",
    "ul",
];

/// What a tag becomes.
#[derive(Clone, Copy, PartialEq)]
enum Break {
    None,
    Line,
    Paragraph,
}

/// The text with white space instead of HTML tags, at the same offsets.
///
/// ```
/// use imn::text::blank_tags;
///
/// assert_eq!(blank_tags("The <b>soup</b> <3"), "The    soup     <3");
/// assert_eq!(blank_tags("One<br/>two"), "One\n    two");
/// ```
#[must_use]
pub fn blank_tags(text: &str) -> Cow<'_, str> {
    let mut blanked = String::new();
    let mut copied = 0;
    for (start, _) in text.match_indices('<') {
        let Some((len, kind)) = text.get(start..).and_then(tag) else {
            continue;
        };
        blanked.push_str(text.get(copied..start).unwrap_or(""));
        let breaks = match kind {
            Break::None => "",
            Break::Line => "\n",
            Break::Paragraph => "\n\n",
        };
        blanked.push_str(breaks);
        blanked.extend(std::iter::repeat_n(' ', len - breaks.len()));
        copied = start + len;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    blanked.push_str(text.get(copied..).unwrap_or(""));
    Cow::Owned(blanked)
}

/// The length in bytes of the tag that `text` begins with, and what it becomes. Reads up to the
/// next angle bracket at most, so the time of all calls is linear in the text.
fn tag(text: &str) -> Option<(usize, Break)> {
    let inside = text.strip_prefix('<')?;
    let end = inside.find(['<', '>'])?;
    let (inside, rest) = inside.split_at(end);
    if !rest.starts_with('>') {
        return None;
    }
    let body = inside.strip_prefix('/').unwrap_or(inside);
    let name_end = body.find(|c: char| c.is_whitespace() || c == '/');
    let (name, attributes) = body.split_at(name_end.unwrap_or(body.len()));
    let is_tag = attributes.contains('=') || matches!(attributes.trim(), "" | "/");
    Some((end + 2, element(name)?)).filter(|_| is_tag)
}

fn element(name: &str) -> Option<Break> {
    // No name is longer, so that long text is not copied.
    if name.len() > "blockquote".len() {
        return None;
    }
    let name = name.to_ascii_lowercase();
    if name == "br" {
        Some(Break::Line)
    } else if INLINE.binary_search(&name.as_str()).is_ok() {
        Some(Break::None)
    } else if BLOCK.binary_search(&name.as_str()).is_ok() {
        Some(Break::Paragraph)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn elements_are_in_order() {
        assert!(INLINE.is_sorted() && BLOCK.is_sorted());
    }

    #[test]
    fn tags_become_white_space() {
        for (text, blanked) in [
            ("<p>The <B>pool</B>.</p>", "\n\n The    pool    .\n\n  "),
            ("<a href='x y'>Staff</a>", "              Staff    "),
            ("Good<br>bad<BR />end", "Good\n   bad\n     end"),
            ("é<i>é</i>", "é   é    "),
            ("<li class=\"x\"\n>one", "\n\n             one"),
        ] {
            assert_eq!(blank_tags(text), blanked);
            assert_eq!(text.len(), blanked.len());
        }
    }

    #[test]
    fn other_angle_brackets_are_text() {
        for text in [
            "I <3 it",
            "a<b and c",
            "a <b <c>",
            "if a <b and c> d",
            "quality <a bit less than usual> overall",
            "5 < 6 > 4",
            "<name>",
            "<",
            "<>",
            "</>",
            "<http://a.example>",
        ] {
            assert!(matches!(blank_tags(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn hostile_texts_take_linear_time() {
        for piece in ["<", "<a ", "<b>", "</", "<p"] {
            let text = piece.repeat(400_000);
            assert_eq!(blank_tags(&text).len(), text.len());
        }
    }

    proptest! {
        #[test]
        fn offsets_do_not_change(text in "([a-z<>/ é]|<b>|</p>|<br/>){0,40}") {
            let blanked = blank_tags(&text);
            prop_assert_eq!(blanked.len(), text.len());
            for (at, c) in blanked.char_indices() {
                prop_assert!(c.is_whitespace() || text[at..].starts_with(c));
            }
        }
    }
}
