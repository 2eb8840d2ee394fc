//! Sentences without labels, drawn evenly from several files of texts.

use std::collections::HashSet;
use std::path::Path;

use imn_nn::stream;
use rand::RngExt as _;
use rand::seq::SliceRandom as _;

use super::CorpusRequest;
use super::sentences::GivenSentence;
use crate::config::UnlabelledConfig;
use crate::data::{self, AnnotatedSentence, DataError, DocumentFormat};
use crate::text::{Span, TokenizerRules, blank_tags};
use crate::train::TrainError;

const RULES: TokenizerRules = TokenizerRules::NEWEST;

/// Reads the unlabelled sentences of a configuration. Sentences that are in a file of
/// `data.exclude` or in `dev`, and those that were drawn before, are left out.
pub(super) fn read(
    request: &CorpusRequest<'_>,
    folder: &Path,
    dev: &[GivenSentence],
) -> Result<Vec<GivenSentence>, TrainError> {
    let Some(config) = &request.data.unlabelled else {
        return Ok(Vec::new());
    };
    let mut seen = HashSet::new();
    for path in &request.data.exclude {
        for sentence in data::read(&folder.join(path))? {
            exclude(&sentence, &mut seen);
        }
    }
    dev.iter()
        .for_each(|given| exclude(&given.sentence, &mut seen));
    let mut files = Vec::new();
    for path in config.files.all() {
        let mut texts = texts(&folder.join(path))?;
        texts.shuffle(&mut stream(
            request.seed,
            &format!("texts of {}", path.display()),
        ));
        let sentences = texts.into_iter().flat_map(|text| sentences(&text, config));
        files.push(sentences);
    }
    let mut drawn = Vec::new();
    // One sentence of each file in turn. A file that has no more is removed.
    while !files.is_empty() && drawn.len() < config.sentences {
        files.retain_mut(|file| {
            let new = file.find(|sentence| seen.insert(data::leak_key(sentence)));
            let found = new.is_some();
            drawn.extend(new);
            found
        });
    }
    drawn.truncate(config.sentences);
    if drawn.is_empty() {
        return Err(TrainError::Unusable {
            path: folder.join(config.files.first()),
            what: format!(
                "no sentence of {} to {} words: nothing for the teacher to label",
                config.min_words, config.max_words
            ),
        });
    }
    let schemes = schemes(request.schemes, config);
    let mut random = stream(request.seed, "schemes of unlabelled sentences");
    let given = drawn.into_iter().map(|sentence| GivenSentence {
        sentence,
        scheme: match schemes.as_slice() {
            [] => 0,
            schemes => schemes[random.random_range(0..schemes.len())],
        },
        repeat: 1,
        place: None,
    });
    Ok(given.collect())
}

/// The indices of the schemes to draw from.
fn schemes(known: &[String], config: &UnlabelledConfig) -> Vec<u32> {
    let names = match config.schemes.as_slice() {
        [] => known,
        names => names,
    };
    let index = |name| known.iter().position(|known| known == name);
    let indices = names.iter().filter_map(index);
    indices.map(|index| index as u32).collect()
}

/// Adds a text and each of its sentences: a text may be a review of several.
fn exclude(text: &AnnotatedSentence, seen: &mut HashSet<String>) {
    seen.insert(data::leak_key(text));
    for span in RULES.sentences(&text.text) {
        if let Some(sentence) = span.of(&text.text) {
            seen.insert(data::leak_key(&AnnotatedSentence {
                text: sentence.to_owned(),
                ..AnnotatedSentence::default()
            }));
        }
    }
}

/// The texts of a file.
fn texts(path: &Path) -> Result<Vec<String>, TrainError> {
    let mut texts = Vec::new();
    if imn_io::extension(path).as_deref() == Some("txt") {
        let text = data::read_text(path)?;
        texts.extend(text.lines().map(str::to_owned));
    } else if DocumentFormat::of_path(path).is_some() {
        for document in data::read_documents(path)? {
            match document {
                Ok(document) => texts.push(document.text),
                Err(error @ DataError::Io { .. }) => return Err(error.into()),
                // A malformed row. There are more texts than are drawn.
                Err(_) => {}
            }
        }
    } else {
        let sentences = data::read(path)?.into_iter();
        texts.extend(sentences.map(|sentence| sentence.text));
    }
    Ok(texts)
}

/// The sentences of a text that have as many words as configured.
fn sentences(text: &str, config: &UnlabelledConfig) -> Vec<AnnotatedSentence> {
    let words = config.min_words..=config.max_words;
    let blanked = blank_tags(text);
    let spans = RULES.sentences(&blanked).into_iter();
    spans
        .filter_map(|span| {
            let mut tokens = Vec::new();
            RULES.tokenize_into(&blanked, span, &mut tokens);
            let whole = span.of(text)?.to_owned();
            let shifted = tokens
                .into_iter()
                .map(|token| Span::new(token.start - span.start, token.end - span.start));
            Some(AnnotatedSentence {
                tokens: shifted.collect(),
                text: whole,
                ..AnnotatedSentence::default()
            })
        })
        .filter(|sentence| words.contains(&sentence.tokens.len()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn drawn(folder: &Path, changes: &str) -> Vec<GivenSentence> {
        let text = format!(
            "name = \"t\"\n[data]\ntrain = \"train.jsonl\"\nschemes = [\"a\"]\n{changes}\n\
             [model]\nmessages = \"aspect\"\ndocuments = \"none\"\nschemes = [\"a\", \"b\"]\n\
             [train]\nteacher = {{ model = \"t.imn\" }}\n"
        );
        let config = Config::from_toml(&text, &[]).unwrap();
        let dev = GivenSentence {
            sentence: AnnotatedSentence::from_text("A dev sentence it is."),
            scheme: 0,
            repeat: 1,
            place: None,
        };
        read(&(&config).into(), folder, &[dev]).unwrap()
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_a_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.TXT");
        std::fs::write(&path, "\u{feff}The first text.\r\nThe second.\n").unwrap();
        assert_eq!(texts(&path).unwrap(), ["The first text.", "The second."]);
    }

    #[test]
    fn sentences_are_new_of_usual_length_and_drawn_evenly() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
        let line =
            |i| format!("Sentence number {i} is long enough. Short one. A dev sentence it is!");
        let many: Vec<String> = (0..50).map(line).collect();
        write("many.txt", &(many.join("\n") + "\n")).unwrap();
        write(
            "few.tsv",
            "pos\tThe first of two texts.\nneg\tThe first of two texts.\n",
        )
        .unwrap();
        let excluded = "{\"v\":1,\"text\":\"Fine. Sentence number 7 is long enough.\"}\n";
        write("test.jsonl", excluded).unwrap();
        let settings = "exclude = [\"test.jsonl\"]\n\
            unlabelled = { files = [\"many.txt\", \"few.tsv\"], max_words = 12 }";
        let all = drawn(folder.path(), settings);
        let mut texts: Vec<&str> = all
            .iter()
            .map(|given| given.sentence.text.as_str())
            .collect();
        assert!(
            texts[..2].contains(&"The first of two texts."),
            "one of each file in turn"
        );
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), 50); // 49 of the first file, one of the second
        assert!(
            !texts
                .iter()
                .any(|text| text.contains("number 7 ") || text.contains("dev"))
        );
        assert!(all.iter().any(|given| given.scheme == 0));
        assert!(all.iter().any(|given| given.scheme == 1));
        let words: Vec<&str> = all[0].sentence.words().collect();
        assert_eq!(words.last(), Some(&"."));

        let few = settings.replace("max_words = 12", "sentences = 5, schemes = [\"b\"]");
        let few = drawn(folder.path(), &few);
        assert_eq!(few.len(), 5);
        assert!(few.iter().all(|given| given.scheme == 1));
    }
}
