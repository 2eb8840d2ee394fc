//! Checks whether the texts of a job look English. Models are trained on English reviews, but they
//! predict something for any text, so other languages need a warning.
//!
//! The check counts function words among the first thousand words: English ones (*the*, *and*,
//! *was*, …), about half of English prose, and those of other languages (*der*, *muy*, *het*, …).
//! Texts are foreign if the latter prevail. A language whose function words are not listed has few
//! of either kind, as terse English reviews have ("great food, nice staff"); there the vocabulary
//! of the model decides. It cannot decide alone: subword vocabularies contain many short words of
//! other languages. The share of Latin letters finds other scripts. A trigram model (`whatlang`)
//! names the language but does not decide, because it is often wrong about short texts.

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

/// Frequent words of other languages with Latin letters. Words that are also English (*die*, *war*,
/// *pour*, *con*) are left out.
const FOREIGN_WORDS: [&str; 8] = [
    // German
    "der das und ist nicht ich ein eine einen wir mit sehr aber auch auf für dem zu sind \
     waren wurde uns es sich von haben hatte nur noch wenn bei zum zur",
    // Spanish and Portuguese
    "el la los las que y fue muy una un pero por del para está estaba más nos su se lo todo \
     también este esta de en mi é não uma muito mas foi da estava são também mais dos",
    // French
    "le les et est était du des qui pas nous avec très dans sur au ce je elle ont cette trop \
     bien vous sont",
    // Italian
    "il di che è molto ma della sono anche gli nel alla si più questo abbiamo",
    // Dutch
    "het een niet maar voor zijn ook wij erg zeer ik naar bij goed werd geen te dat heeft aan",
    // Swedish, Danish and Norwegian
    "och är det att var inte ett mycket på som för med jag og ikke meget til blev også veldig",
    // Polish and Czech
    "nie jest się był była było bardzo na że są oraz byl byla bylo velmi",
    // Turkish, Indonesian
    "ve bir çok bu için ama yang tidak sangat dengan",
];

/// Counting stops after this many words.
const ENOUGH: usize = 1000;
/// With fewer words than this there is no warning.
const TOO_FEW: usize = 8;
/// Fewer different foreign words than this can be the name of a dish ("crème de la crème").
const DIFFERENT: usize = 3;
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
    foreign: usize,
    /// The first different foreign words.
    different: Vec<&'static str>,
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
        let mut foreign = FOREIGN_WORDS.iter().flat_map(|words| words.split(' '));
        if let Some(word) = foreign.find(|word| *word == lower) {
            self.foreign += 1;
            if self.different.len() < DIFFERENT && !self.different.contains(&word) {
                self.different.push(word);
            }
        }
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
        let unknown = function < 0.12 && share(self.known, self.words) < 0.5;
        let foreign = self.different.len() == DIFFERENT
            && self.foreign > self.function
            && share(self.foreign, self.words) >= 0.1;
        let foreign_words = self.words >= TOO_FEW && (unknown || foreign);
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

    /// The verdict with a vocabulary that contains every word, or none.
    fn verdict_with(text: &str, known: bool) -> LanguageVerdict {
        let mut language = Language::default();
        for sentence in imn::text::split_sentences(text) {
            let mut tokens = Vec::new();
            imn::text::tokenize_into(text, sentence, &mut tokens);
            for word in tokens.iter().filter_map(|token| token.of(text)) {
                language.count(word, known);
            }
        }
        language.verdict()
    }

    fn verdict(text: &str) -> LanguageVerdict {
        verdict_with(text, true)
    }

    #[test]
    fn english_prose_and_terse_reviews_pass() {
        let terse = "great food, nice staff, fair prices, great soup, nice food. ";
        for text in [
            "The soup was cold and the waiter didn't care, so we won't be back to this place.",
            terse,
            &terse.repeat(20),
            "Crème de la crème, pico de gallo, pad thai, al dente pasta, great tiramisu!",
            "ok",
            "",
            "12 34 56 78 90 12 34 56",
        ] {
            assert_eq!(verdict(text), LanguageVerdict::English, "{text}");
        }
    }

    #[test]
    fn every_english_review_of_the_repository_passes() {
        let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut count = 0;
        for name in ["examples/bikes/reviews.csv", "models/hard/sentences.txt"] {
            let text = std::fs::read_to_string(repository.join(name)).unwrap();
            for line in text.lines() {
                assert_eq!(verdict(line), LanguageVerdict::English, "{line}");
                // Reviews without function words must pass too, if their words are known.
                let words = line.split_whitespace().filter(|word| {
                    let word = word.to_lowercase();
                    !FUNCTION_WORDS.contains(&word.as_str())
                });
                let terse = words.collect::<Vec<_>>().join(" ");
                assert_eq!(verdict(&terse), LanguageVerdict::English, "{terse}");
                count += 1;
            }
        }
        assert!(count > 300, "{count}");
    }

    #[test]
    fn other_languages_are_noticed_whatever_the_vocabulary() {
        for text in [
            "Das Essen kam kalt auf den Tisch und der Kellner hat sich nicht einmal entschuldigt.",
            "Das Essen war sehr gut, aber der Kellner war unfreundlich und das Zimmer war klein.",
            "La comida estaba fría y el camarero no nos hizo ningún caso en toda la noche.",
            "El hotel es limpio y el personal fue muy amable.",
            "Le potage était froid, mais le serveur nous a offert un dessert pour finir.",
            "Il cibo era freddo e il cameriere non era molto gentile, ma la camera è bella.",
            "A comida estava fria e o garçom não foi muito simpático, mas o quarto é bom.",
            "Het eten was koud en de ober was niet vriendelijk, maar de kamer is goed.",
            "Maten var kall och servitören var inte trevlig, men det är ett bra hotell.",
            "Jedzenie było zimne, a kelner nie był miły, ale pokój jest bardzo ładny.",
            "Суп был холодный, а официант нас не замечал.",
            "湯はぬるく、給仕は私たちを無視した。",
        ] {
            assert_ne!(verdict(text), LanguageVerdict::English, "{text}");
        }
        // Without a list of its words, a language is noticed by a vocabulary that lacks them.
        let finnish = "Ruoka oli kylmää, mutta huone oli siisti ja henkilökunta ystävällistä.";
        assert_ne!(verdict_with(finnish, false), LanguageVerdict::English);
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
