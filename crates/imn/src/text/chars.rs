//! Character classes of the tokenizer.
//!
//! ASCII is looked up in a table. For the rest, the standard library recognises letters, digits and
//! spaces, but it cannot tell punctuation from marks that belong to a word (accents, vowel signs,
//! viramas). The blocks of punctuation and symbols are few and listed here. Any other non-ASCII
//! character counts as part of a word, so that words of every script stay in one piece.

/// How the tokenizer treats a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Separates tokens and is never part of one.
    Separator,
    /// Part of a word: letters, marks, and the symbols that the Treebank leaves in words
    /// (`/*+_`...).
    Word,
    /// Part of a word, and a digit.
    Digit,
    /// Straight or typographic apostrophe.
    Apostrophe,
    /// `.`
    Dot,
    /// `,` or `:`, which stay inside numbers.
    InNumber,
    /// `-`
    Hyphen,
    /// Always a token of its own.
    Single,
    /// Starts an emoji, which joiners, modifiers and selectors may continue.
    Emoji,
    /// A token by itself: Han ideographs, which are written without spaces.
    Ideograph,
}

/// Whether a character only separates tokens: white space, control characters, zero-width spaces
/// and byte-order marks. Every other character is part of exactly one token.
///
/// ```
/// use imn::text::is_separator;
///
/// assert!(is_separator('\n') && is_separator('\u{200B}'));
/// assert!(!is_separator('.'));
/// ```
#[must_use]
pub fn is_separator(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '\u{200B}' | '\u{2060}' | '\u{FEFF}')
}

const ASCII: [Class; 128] = {
    let mut table = [Class::Word; 128];
    let mut i = 0;
    while i < 128 {
        table[i] = match i as u8 {
            0..=b' ' | 127 => Class::Separator,
            b'0'..=b'9' => Class::Digit,
            b'\'' | b'`' => Class::Apostrophe,
            b'.' => Class::Dot,
            b',' | b':' => Class::InNumber,
            b'-' => Class::Hyphen,
            b'!' | b'?' | b';' | b'"' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>'
            | b'@' | b'#' | b'$' | b'%' | b'&' => Class::Single,
            _ => Class::Word,
        };
        i += 1;
    }
    table
};

#[inline]
pub(super) fn class(c: char) -> Class {
    match ASCII.get(c as usize) {
        Some(&class) => class,
        None => wide_class(c),
    }
}

fn wide_class(c: char) -> Class {
    if matches!(c, '\u{2018}' | '\u{2019}' | '\u{02BC}' | '\u{FF07}') {
        Class::Apostrophe
    } else if is_separator(c) {
        Class::Separator
    } else if is_ideograph(c) {
        Class::Ideograph
    } else if is_emoji(c) {
        Class::Emoji
    } else if c.is_numeric() {
        Class::Digit
    } else if c.is_alphabetic() {
        Class::Word
    } else if is_wide_punctuation(c) {
        Class::Single
    } else {
        Class::Word
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{231A}' | '\u{231B}' | '\u{23E9}'..='\u{23FA}' | '\u{2600}'..='\u{27BF}'
        | '\u{2934}' | '\u{2935}' | '\u{2B05}'..='\u{2B55}' | '\u{1F000}'..='\u{1FAFF}')
}

/// Whether the character continues the emoji before it (joiner, selector, skin tone, tag, keycap).
pub(super) fn continues_emoji(c: char) -> bool {
    matches!(c, '\u{200D}' | '\u{FE0E}' | '\u{FE0F}' | '\u{20E3}' | '\u{1F3FB}'..='\u{1F3FF}'
        | '\u{E0020}'..='\u{E007F}')
}

/// Whether the character is one half of a flag emoji.
pub(super) fn is_regional_indicator(c: char) -> bool {
    matches!(c, '\u{1F1E6}'..='\u{1F1FF}')
}

fn is_wide_punctuation(c: char) -> bool {
    match c {
        // U+2010 and U+2011 are hyphens inside words; the soft hyphen is invisible there.
        '\u{2010}' | '\u{2011}' | '\u{00AD}' => false,
        '\u{00A1}'..='\u{00BF}' | '\u{00D7}' | '\u{00F7}' => true,
        '\u{2012}'..='\u{2029}' | '\u{2030}'..='\u{205E}' | '\u{20A0}'..='\u{20CF}' => true,
        '\u{2100}'..='\u{2BFF}' | '\u{2E00}'..='\u{2E7F}' => true,
        '\u{3001}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{3030}' | '\u{30FB}' => true,
        '\u{FE10}'..='\u{FE1F}' | '\u{FE30}'..='\u{FE6F}' => true,
        '\u{FF01}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF20}' | '\u{FF3B}'..='\u{FF40}' => true,
        '\u{FF5B}'..='\u{FF65}' | '\u{FFE0}'..='\u{FFEE}' => true,
        // Armenian, Hebrew, Arabic, Devanagari, Thai, Myanmar, Ethiopic and Khmer sentence marks.
        '\u{055A}'..='\u{055F}' | '\u{0589}' | '\u{058A}' | '\u{05BE}' | '\u{05C0}' => true,
        '\u{05C3}' | '\u{05F3}' | '\u{05F4}' | '\u{060C}' | '\u{061B}' | '\u{061F}' => true,
        '\u{066A}'..='\u{066D}' | '\u{06D4}' | '\u{0964}' | '\u{0965}' => true,
        '\u{0E4F}' | '\u{0E5A}' | '\u{0E5B}' | '\u{104A}'..='\u{104F}' => true,
        '\u{1360}'..='\u{1368}' | '\u{17D4}'..='\u{17DA}' => true,
        _ => false,
    }
}

/// Whether the character may occur between the stop of a sentence and the space after it.
pub(super) fn is_closer(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | ')'
            | ']'
            | '}'
            | '*'
            | '\u{2019}'
            | '\u{201D}'
            | '\u{00BB}'
            | '\u{300D}'
            | '\u{300F}'
            | '\u{FF09}'
    )
}
