//! The vocabulary of a corpus, and the initial vectors of its words.
//!
//! Vector files can be larger than memory and are slow to decompress, so each is read once: while
//! its rows are streamed, their words are added to the vocabulary and the vectors of known words
//! are kept. The result is the same as when the vocabulary is built first: a word is added by the
//! first row whose word has its normalized form, and only rows of that form can hold its vector, so
//! no earlier row could have matched it.

use std::path::{Path, PathBuf};

use super::CorpusRequest;
use super::documents::Labelled;
use super::fingerprint::Fingerprint;
use super::sentences::GivenSentence;
use crate::features::Lexicon;
use crate::model::{EncoderSource, WordVectors};
use crate::text::{GrowingVocabulary, Normalizer, VocabularyBuilder};
use crate::train::TrainError;
use crate::vectors::{Embedding, EmbeddingSettings, VectorSource};

/// Name of each vector file, and the number of vocabulary words that it has a vector for.
pub(super) type Hits = Vec<(String, u64)>;

/// The words that a vocabulary is made of.
#[derive(Clone, Copy)]
pub(super) struct TrainingText<'a> {
    /// Sentences with gold labels, and those for a teacher to label.
    pub(super) sentences: [&'a [GivenSentence]; 2],
    /// D^ds and D^dd.
    pub(super) documents: [&'a [Labelled]; 2],
}

/// The vocabulary and the vectors of an encoder over words.
pub(super) fn of_words(
    request: &CorpusRequest<'_>,
    folder: &Path,
    text: TrainingText<'_>,
    hash: &mut Fingerprint,
) -> Result<(Lexicon, EncoderSource, Hits), TrainError> {
    let files = Files::of(request, folder);
    let mut growing = counted(request, text);
    let counted = growing.words().to_vec();
    let (vectors, hits) = files.load(request, &counted, |word| {
        growing.add(word).map(str::to_owned)
    })?;
    for source in files.general.iter().chain(&files.domain) {
        hash.file(&source.path)?;
    }
    let vocabulary = growing.finish().with_spelling(request.vectors.spelling);
    Ok((Lexicon::Words(vocabulary), vectors.into(), hits))
}

/// A vocabulary of the words of the training text, to which words of vector files can be added.
fn counted(request: &CorpusRequest<'_>, text: TrainingText<'_>) -> GrowingVocabulary {
    let mut builder = VocabularyBuilder::new(Normalizer::default());
    let words = text.sentences.into_iter().flatten();
    let words = words.flat_map(|given| given.sentence.words());
    words.for_each(|word| builder.count(word));
    for (words, _) in text.documents.into_iter().flatten() {
        words.iter().for_each(|word| builder.count(word));
    }
    let max_extra_words = request.vectors.max_extra_words.unwrap_or(usize::MAX);
    builder.grow(Some(request.vectors.vocabulary), max_extra_words)
}

/// The vector files of a configuration.
struct Files {
    general: Vec<VectorSource>,
    domain: Vec<VectorSource>,
}

impl Files {
    fn of(request: &CorpusRequest<'_>, folder: &Path) -> Self {
        let in_folder = |paths: &[PathBuf]| -> Vec<VectorSource> {
            let paths = paths.iter();
            paths
                .map(|path| VectorSource::from_path(&folder.join(path)))
                .collect()
        };
        Self {
            general: in_folder(&request.vectors.general),
            domain: in_folder(&request.vectors.domain),
        }
    }

    /// The initial vectors of `words` and of the words that `extend` adds, and the hits of each
    /// file. `extend` is that of [`Embedding::load_extending`].
    fn load(
        &self,
        request: &CorpusRequest<'_>,
        words: &[String],
        extend: impl FnMut(&str) -> Option<String>,
    ) -> Result<(WordVectors, Hits), TrainError> {
        if self.general.is_empty() && self.domain.is_empty() {
            let dimensions = request.vectors.dimensions;
            let shape = [words.len(), dimensions];
            let init = imn_nn::Init::Uniform { limit: 0.25 };
            let data = init.draw(&shape, request.seed, "word vectors");
            return Ok((WordVectors::new(dimensions, 0..0, data), Vec::new()));
        }
        let settings = EmbeddingSettings {
            lookup: request.vectors.lookup,
            unknown: request.vectors.unknown,
            seed: request.seed,
        };
        let sources = [&self.general[..], &self.domain[..]].concat();
        let embedding = Embedding::load_extending(words, &sources, &settings, extend)?;
        let reports = embedding.sources();
        let first_domain = reports
            .get(self.general.len())
            .map(|report| report.columns.start);
        let hits = reports
            .iter()
            .map(|report| {
                (
                    report.source.name.clone(),
                    report.hits().total() - report.hits().missing,
                )
            })
            .collect();
        let dimensions = embedding.dimensions();
        let domain_columns = first_domain.unwrap_or(dimensions)..dimensions;
        let vectors = WordVectors::new(dimensions, domain_columns, embedding.into_data());
        Ok((vectors, hits))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::Config;
    use crate::data::AnnotatedSentence;
    use crate::text::Vocabulary;
    use crate::vectors::opened;

    fn config(max_extra_words: Option<usize>, vocabulary: usize) -> Config {
        let text = "name = \"t\"\ndata.train = \"train\"\n\
                    [model]\nmessages = \"aspect\"\ndocuments = \"none\"\n";
        let mut config = Config::from_toml(text, &[]).unwrap();
        config.vectors.general = vec!["general.txt".into()];
        config.vectors.domain = vec!["domain.txt".into()];
        config.vectors.max_extra_words = max_extra_words;
        config.vectors.vocabulary = vocabulary;
        config
    }

    fn sentence(words: &[&str]) -> Vec<GivenSentence> {
        vec![GivenSentence {
            sentence: AnnotatedSentence::from_words(words.iter().copied()),
            scheme: 0,
            repeat: 1,
            place: None,
        }]
    }

    fn in_one_pass(
        config: &Config,
        folder: &Path,
        train: &[GivenSentence],
    ) -> (Vocabulary, WordVectors, Hits) {
        let request = CorpusRequest::from(config);
        let text = TrainingText {
            sentences: [train, &[]],
            documents: [&[], &[]],
        };
        match of_words(&request, folder, text, &mut Fingerprint::default()).unwrap() {
            (Lexicon::Words(vocabulary), EncoderSource::Words(vectors), hits) => {
                (vocabulary, vectors, hits)
            }
            _ => panic!("an encoder over words"),
        }
    }

    /// The vectors of a vocabulary that was built before.
    fn in_second_pass(config: &Config, folder: &Path, known: &Vocabulary) -> (WordVectors, Hits) {
        let request = CorpusRequest::from(config);
        let files = Files::of(&request, folder);
        files.load(&request, known.words(), |_| None).unwrap()
    }

    #[test]
    fn every_file_is_opened_once() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ["general.txt", "domain.txt"].map(|name| dir.path().join(name));
        for path in &paths {
            std::fs::write(path, "soup 1 2\nMenu 3 4\n").unwrap();
        }
        let train = sentence(&["Good", "soup"]);
        let (vocabulary, ..) = in_one_pass(&config(None, 10), dir.path(), &train);
        assert_eq!(vocabulary.words()[3..], ["good", "soup", "menu"]);
        assert_eq!(paths.each_ref().map(|path| opened::times(path)), [1, 1]);
    }

    /// Rows whose words often differ in case only, are numbers, or are reserved.
    fn rows() -> impl Strategy<Value = Vec<(String, f32)>> {
        let word = prop_oneof![
            6 => "[aAbBéÉΣσςİ]{1,2}",
            1 => "[0-9]{1,2}",
            1 => Just("<unk>".to_owned()),
        ];
        prop::collection::vec((word, -1.0_f32..1.0), 1..20)
    }

    proptest! {
        #[test]
        fn one_pass_gives_what_two_give(
            (general, domain) in (rows(), rows()),
            text in prop::collection::vec("[aAbBéΣc]{1,2}", 1..6),
            max_extra_words in prop::option::of(0_usize..8),
            (size, exact) in (0_usize..5, any::<bool>()),
        ) {
            let dir = tempfile::tempdir().unwrap();
            for (name, rows) in [("general.txt", &general), ("domain.txt", &domain)] {
                let lines = rows.iter().map(|(word, value)| format!("{word} {value} 1\n"));
                std::fs::write(dir.path().join(name), lines.collect::<String>()).unwrap();
            }
            let mut config = config(max_extra_words, size);
            if exact {
                config.vectors.lookup = crate::vectors::Lookup::Exact;
            }
            let words: Vec<&str> = text.iter().map(String::as_str).collect();
            let train = sentence(&words);
            let (vocabulary, vectors, hits) = in_one_pass(&config, dir.path(), &train);

            let mut builder = VocabularyBuilder::new(Normalizer::default());
            words.iter().for_each(|word| builder.count(word));
            let extra = general.iter().chain(&domain).map(|(word, _)| word.as_str());
            let first = builder.build(Some(size), extra, max_extra_words.unwrap_or(usize::MAX));
            prop_assert_eq!(&vocabulary, &first);
            let (second, second_hits) = in_second_pass(&config, dir.path(), &first);
            prop_assert_eq!(vectors.data, second.data);
            prop_assert_eq!(vectors.domain_columns, second.domain_columns);
            prop_assert_eq!(hits, second_hits);
        }
    }
}
