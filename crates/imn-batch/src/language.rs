//! Checks whether the texts of a job look English. Models are trained on English reviews, but they
//! predict something for any text, so other languages need a warning.
//!
//! The check uses two ratios over the first thousand words: the share of function words (*the*,
//! *and*, *was*, …), which is about one half in English prose and close to zero in other languages,
//! and the share of Latin letters. Terse reviews ("great food, nice staff") have few function
//! words. Below fifty words, a text therefore counts as foreign only if the model also knows less
//! than half of its words. A trigram model (`whatlang`) names the language but does not decide,
//! because it is often wrong about short texts.

/// English function words that are rare or absent in other languages.
const FUNCTION_WORDS: [&str; 84] = [
    "the", "and", "of", "to", "a", "is", "was", "it", "i", "that", "for", "with", "this", "my",
    "we", "you", "they", "are", "were", "be", "been", "have", "has", "had", "not", "n't", "but",
    "on", "at", "as", "our", "your", "their", "his", "her", "its", "he", "she", "from", "or", "if",
    "so", "what", "when", "which", "who", "there", "here", "all", "very", "will", "would", "could",
    "should", "can", "do", "does", "did", "no", "just", "than", "then", "them", "too", "also",
    "about", "after", "before", "because", "only", "more", "most", "some", "any", "other", "into",
    "out", "up", "over", "again", "'s", "'ve", "'m", "'re",
];

/// Counting stops after this many words.
const ENOUGH: usize = 1000;
/// With fewer words than this there is no warning.
const TOO_FEW: usize = 8;
/// From this many words on, the share of function words alone decides.
const MANY: usize = 50;
/// How many bytes of text are kept for naming the language.
const MOST_SAMPLED: usize = 1 << 13;

/// Whether the texts of a job look English.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LanguageVerdict {
    /// English, or too few words to tell.
    English,
    /// Another language.
    Other {
        /// The share of function words, in percent.
        function_words: u32,
        /// The English name of the language, if the detector is confident.
        language: Option<&'static str>,
    },
}

/// The counts behind a [`LanguageVerdict`].
#[derive(Debug, Clone, Default)]
pub struct Language {
    words: usize,
    function: usize,
    known: usize,
    letters: usize,
    latin: usize,
    /// The first words, for naming the language.
    sample: String,
}

impl Language {
    /// Whether more words would be counted.
    #[must_use]
    pub fn wants_more(&self) -> bool {
        self.words < ENOUGH
    }

    /// Counts a word; `known` says whether it is in the model's vocabulary. Does nothing once
    /// enough words are counted.
    pub fn count(&mut self, word: &str, known: bool) {
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        if letters == 0 || !self.wants_more() {
            return;
        }
        self.letters += letters;
        // Latin letters, including accented ones, are below U+0250.
        let latin = |c: &char| c.is_alphabetic() && *c < '\u{250}';
        self.latin += word.chars().filter(latin).count();
        self.words += 1;
        let lower = word.to_lowercase().replace('’', "'");
        self.function += usize::from(FUNCTION_WORDS.contains(&lower.as_str()));
        self.known += usize::from(known);
        if self.sample.len() + word.len() < MOST_SAMPLED {
            self.sample.push_str(word);
            self.sample.push(' ');
        }
    }

    /// The verdict on the words counted so far.
    #[must_use]
    pub fn verdict(&self) -> LanguageVerdict {
        let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
        let function = share(self.function, self.words);
        let foreign_letters = self.letters >= TOO_FEW && share(self.latin, self.letters) < 0.5;
        let few = function < 0.12 && share(self.known, self.words) < 0.5;
        let foreign_words = match self.words {
            0..TOO_FEW => false,
            TOO_FEW..MANY => few,
            _ => function < 0.12,
        };
        if foreign_letters || foreign_words {
            LanguageVerdict::Other {
                function_words: (100.0 * function).round() as u32,
                language: self.name(),
            }
        } else {
            LanguageVerdict::English
        }
    }

    fn name(&self) -> Option<&'static str> {
        let found = whatlang::detect(&self.sample)?;
        let clear = found.is_reliable() && found.lang() != whatlang::Lang::Eng;
        clear.then(|| found.lang().eng_name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str) -> LanguageVerdict {
        let known = ["great", "food", "nice", "staff", "fair", "prices", "soup"];
        let mut language = Language::default();
        for sentence in imn::text::split_sentences(text) {
            let mut tokens = Vec::new();
            imn::text::tokenize_into(text, sentence, &mut tokens);
            for word in tokens.iter().filter_map(|token| token.of(text)) {
                language.count(word, known.contains(&word));
            }
        }
        language.verdict()
    }

    #[test]
    fn english_prose_and_terse_reviews_pass() {
        for text in [
            "The soup was cold and the waiter didn't care, so we won't be back to this place.",
            "great food, nice staff, fair prices, great soup, nice food",
            "ok",
            "",
            "12 34 56 78 90 12 34 56",
        ] {
            assert_eq!(verdict(text), LanguageVerdict::English, "{text}");
        }
    }

    #[test]
    fn other_languages_are_noticed() {
        for text in [
            "Das Essen kam kalt auf den Tisch und der Kellner hat sich nicht einmal entschuldigt.",
            "La comida estaba fría y el camarero no nos hizo ningún caso en toda la noche.",
            "Le potage était froid, mais le serveur nous a offert un dessert pour finir.",
            "Суп был холодный, а официант нас не замечал.",
            "湯はぬるく、給仕は私たちを無視した。",
        ] {
            assert_ne!(verdict(text), LanguageVerdict::English, "{text}");
        }
    }

    #[test]
    fn a_clear_language_is_named() {
        for (text, name) in [
            (
                "Das Essen kam kalt auf den Tisch und der Kellner hat sich nicht entschuldigt.",
                "German",
            ),
            ("湯はぬるく、給仕は私たちを無視した。", "Japanese"),
        ] {
            let LanguageVerdict::Other { language, .. } = verdict(&text.repeat(5)) else {
                panic!("{text}");
            };
            assert_eq!(language, Some(name));
        }
    }
}
