//! The paper's layout: a folder with four files, one sentence per line, one integer per token.
//!
//! `sentence.txt` has the words. `target.txt` and `opinion.txt` have 0 for outside, 1 for begin and
//! 2 for inside. `target_polarity.txt` has 0 for none, 1 positive, 2 negative, 3 neutral, 4
//! conflict. The polarity of an aspect is that of its first token; on tokens outside aspects it is
//! ignored.
//!
//! `opinion.txt` and `target_polarity.txt` may be missing, which means *not annotated*. Lines that
//! are empty in all files are skipped. Every file may be compressed (`sentence.txt.gz`).

use std::path::{Path, PathBuf};

use imn_io::without_compression;

use crate::data::draft::Report;
use crate::data::input::read_text;
use crate::data::output::write_all_atomic;
use crate::data::tags::begin_inside;
use crate::data::{
    AnnotatedSentence, Aspect, DataError, Loaded, Place, Polarity, ProblemKind, Span, spans_of_tags,
};

const SENTENCE: &str = "sentence.txt";
const TARGET: &str = "target.txt";
const OPINION: &str = "opinion.txt";
const POLARITY: &str = "target_polarity.txt";

/// The folder of the set: `path` itself, or its parent if `path` is a `sentence.txt`.
pub(in crate::data) fn folder_of(path: &Path) -> Option<&Path> {
    if path.is_dir() {
        return find(path, SENTENCE).is_some().then_some(path);
    }
    let name = path.file_name()?.to_str()?;
    (without_compression(name) == SENTENCE)
        .then(|| path.parent())
        .flatten()
}

/// Whether a folder has the files that every set has.
pub(in crate::data) fn is_set(folder: &Path) -> bool {
    find(folder, SENTENCE).is_some() && find(folder, TARGET).is_some()
}

/// Whether a path is one of the four files of an existing set.
pub(in crate::data) fn is_part(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let folder = path.parent().unwrap_or(Path::new(""));
    let parts = [SENTENCE, TARGET, OPINION, POLARITY];
    name.is_some_and(|name| parts.contains(&without_compression(name))) && is_set(folder)
}

/// The file of this name, or else a compressed one.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let plain = folder.join(name);
    if plain.is_file() {
        return Some(plain);
    }
    // The parent of a relative file name is empty.
    let listed = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let names = std::fs::read_dir(listed)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names
        .filter(|other| without_compression(other) == name)
        .map(|other| folder.join(other))
        .filter(|path| path.is_file())
        .min()
}

/// Contents of one of the four files.
struct TagFile {
    path: PathBuf,
    text: String,
}

impl TagFile {
    fn read(folder: &Path, name: &str) -> Result<Option<Self>, DataError> {
        let Some(path) = find(folder, name) else {
            return Ok(None);
        };
        let text = read_text(&path)?;
        Ok(Some(Self { path, text }))
    }
}

/// The tags of one line; their number must be that of the words.
fn tags(
    file: &TagFile,
    number: usize,
    line: &str,
    words: usize,
    highest: u8,
    loaded: &mut Loaded,
) -> Option<Vec<u8>> {
    let mut report = Report {
        place: Place::new(&file.path, number),
        problems: &mut loaded.problems,
    };
    let mut tags = Vec::with_capacity(words);
    let mut unknown = false;
    for (i, field) in line.split_whitespace().enumerate() {
        match field.parse::<u8>() {
            Ok(tag) if tag <= highest => tags.push(tag),
            _ => {
                let message = format!("token {}: {field:?} is not a tag", i + 1);
                let fix = format!("tags are integers from 0 to {highest}");
                report.refuse::<()>(ProblemKind::UnknownTag, message, fix);
                unknown = true;
            }
        }
    }
    if unknown {
        return None;
    }
    if tags.len() == words {
        return Some(tags);
    }
    let message = format!("{} tags for {words} tokens", tags.len());
    report.refuse(
        ProblemKind::CountMismatch,
        message,
        "one tag per token, separated by white space",
    )
}

/// Reads all sentences of a folder.
pub(in crate::data) fn load(folder: &Path) -> Result<Loaded, DataError> {
    let missing = |name: &str| DataError::UnknownFormat {
        path: folder.to_owned(),
        reason: format!("the four-file layout needs {name}"),
    };
    let sentence = TagFile::read(folder, SENTENCE)?.ok_or_else(|| missing(SENTENCE))?;
    if sentence.text.trim().is_empty() {
        return Err(DataError::Empty {
            path: sentence.path,
        });
    }
    let target = TagFile::read(folder, TARGET)?.ok_or_else(|| missing(TARGET))?;
    let opinion = TagFile::read(folder, OPINION)?;
    let polarity = TagFile::read(folder, POLARITY)?;

    let mut loaded = Loaded::default();
    let sentences: Vec<&str> = sentence.text.lines().collect();
    for file in [Some(&target), opinion.as_ref(), polarity.as_ref()]
        .into_iter()
        .flatten()
    {
        let lines = file
            .text
            .trim_end_matches(['\n', '\r', ' '])
            .lines()
            .count();
        let expected = sentence
            .text
            .trim_end_matches(['\n', '\r', ' '])
            .lines()
            .count();
        if lines != expected {
            let place = Place::new(&file.path, lines.min(expected) + 1);
            Report {
                place,
                problems: &mut loaded.problems,
            }
            .refuse::<()>(
                ProblemKind::CountMismatch,
                format!("{lines} lines, but {SENTENCE} has {expected}"),
                "every file needs one line per sentence, in the same order",
            );
        }
    }
    let mut target_lines = target.text.lines();
    let mut opinion_lines = opinion.as_ref().map(|file| file.text.lines());
    let mut polarity_lines = polarity.as_ref().map(|file| file.text.lines());
    for (i, line) in sentences.into_iter().enumerate() {
        let number = i + 1;
        let target_line = target_lines.next();
        let opinion_line = opinion_lines.as_mut().map(Iterator::next);
        let polarity_line = polarity_lines.as_mut().map(Iterator::next);
        // Different numbers of lines have been reported. Sentences with missing lines are not read.
        let Some(target_line) = target_line else {
            break;
        };
        if opinion_line == Some(None) || polarity_line == Some(None) {
            break;
        }
        let row = Row {
            number,
            words: line,
            target: target_line,
            opinion: opinion_line.flatten(),
            polarity: polarity_line.flatten(),
        };
        row.read(
            &sentence,
            &target,
            opinion.as_ref(),
            polarity.as_ref(),
            &mut loaded,
        );
    }
    Ok(loaded)
}

/// The same line of all files.
struct Row<'a> {
    number: usize,
    words: &'a str,
    target: &'a str,
    opinion: Option<&'a str>,
    polarity: Option<&'a str>,
}

impl Row<'_> {
    fn read(
        &self,
        sentence_file: &TagFile,
        target_file: &TagFile,
        opinion_file: Option<&TagFile>,
        polarity_file: Option<&TagFile>,
        loaded: &mut Loaded,
    ) {
        let number = self.number;
        let mut sentence = AnnotatedSentence::from_words(self.words.split_whitespace());
        let words = sentence.tokens.len();
        // Read all files before giving up, so that the problems of every file are reported.
        let target = tags(target_file, number, self.target, words, 2, loaded);
        let mut read = |line: Option<&str>, file, highest| match (line, file) {
            (Some(line), Some(file)) => {
                tags(file, number, line, words, highest, loaded).map(|tags| Some((tags, file)))
            }
            _ => Some(None),
        };
        let opinion = read(self.opinion, opinion_file, 2);
        let polarity = read(self.polarity, polarity_file, 4);
        let (Some(target), Some(opinion), Some(polarity)) = (target, opinion, polarity) else {
            return;
        };
        if words == 0 {
            Report {
                place: Place::new(&sentence_file.path, number),
                problems: &mut loaded.problems,
            }
            .add(ProblemKind::EmptySentence, "empty line", "skipped");
            return;
        }

        for span in spans(&target, target_file, number, loaded) {
            let polarity = polarity
                .as_ref()
                .and_then(|(codes, _)| codes.get(span.start))
                .and_then(|code| Polarity::from_code(*code));
            sentence.aspects.push(Aspect { span, polarity });
        }
        if let Some((codes, file)) = &polarity {
            check_polarities(&sentence, codes, &target, &file.path, number, loaded);
        }
        sentence.opinions = opinion.map(|(tags, file)| spans(&tags, file, number, loaded));
        loaded.push(number, sentence);
    }
}

fn spans(tags: &[u8], file: &TagFile, number: usize, loaded: &mut Loaded) -> Vec<Span> {
    let (spans, orphans) = spans_of_tags(tags.iter().map(|tag| match tag {
        1 => Some(true),
        2 => Some(false),
        _ => None,
    }));
    for at in orphans {
        let place = Place::new(&file.path, number);
        Report {
            place,
            problems: &mut loaded.problems,
        }
        .add(
            ProblemKind::OrphanTag,
            format!(
                "token {}: inside tag (2) without a begin tag (1); ignored",
                at + 1
            ),
            "write 1 where the term begins",
        );
    }
    spans
}

fn check_polarities(
    sentence: &AnnotatedSentence,
    codes: &[u8],
    target: &[u8],
    path: &Path,
    number: usize,
    loaded: &mut Loaded,
) {
    let mut report = Report {
        place: Place::new(path, number),
        problems: &mut loaded.problems,
    };
    let stray = codes
        .iter()
        .zip(target)
        .filter(|(code, tag)| **code != 0 && **tag == 0)
        .count();
    if stray > 0 {
        report.add(
            ProblemKind::StrayPolarity,
            format!("polarity on {stray} token(s) outside every aspect; ignored"),
            "write 0 there",
        );
    }
    for aspect in &sentence.aspects {
        let inside = codes
            .get(aspect.span.start..aspect.span.end)
            .unwrap_or_default();
        if inside.iter().any(|code| Some(code) != inside.first()) {
            report.add(
                ProblemKind::MixedPolarity,
                format!(
                    "the tokens of {:?} have different polarities; the first is used",
                    sentence.surface(aspect.span)
                ),
                "write the same polarity on all tokens of the aspect",
            );
        }
    }
}

/// Writes a folder. Overlapping spans of one kind, and everything else that the format cannot
/// represent, are left out (see [`losses`](crate::data::losses)).
pub fn write(sentences: &[AnnotatedSentence], folder: &Path) -> Result<(), DataError> {
    let opinions = sentences.iter().all(|s| s.opinions.is_some());
    let polarities = sentences.iter().all(|s| s.aspects.is_empty())
        || sentences
            .iter()
            .flat_map(|s| &s.aspects)
            .any(|a| a.polarity.is_some());
    let mut words = String::new();
    let mut target_tags = String::new();
    let mut opinion_tags = String::new();
    let mut polarity_codes = String::new();
    let add = |text: &mut String, line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    for sentence in sentences {
        let length = sentence.tokens.len();
        add(&mut words, &sentence.words().collect::<Vec<_>>().join(" "));
        let aspects: Vec<Span> = sentence.aspects.iter().map(|a| a.span).collect();
        add(
            &mut target_tags,
            &tag_line(&begin_inside(&aspects, length).0),
        );
        let spans = sentence.opinions.as_deref().unwrap_or_default();
        add(&mut opinion_tags, &tag_line(&begin_inside(spans, length).0));
        let codes: Vec<String> = crate::data::sentiment_labels(sentence)
            .into_iter()
            .map(|label| label.map_or(0, Polarity::code).to_string())
            .collect();
        add(&mut polarity_codes, &codes.join(" "));
    }
    let mut files = vec![
        (folder.join(SENTENCE), words),
        (folder.join(TARGET), target_tags),
    ];
    if opinions {
        files.push((folder.join(OPINION), opinion_tags));
    }
    if polarities {
        files.push((folder.join(POLARITY), polarity_codes));
    }
    std::fs::create_dir_all(folder).map_err(DataError::io(folder))?;
    write_all_atomic(&files)?;

    // Files of an earlier set would be read as part of this one.
    for (name, written) in [(OPINION, opinions), (POLARITY, polarities)] {
        while let Some(stale) = find(folder, name).filter(|_| !written) {
            std::fs::remove_file(&stale).map_err(DataError::io(&stale))?;
        }
    }
    Ok(())
}

fn tag_line(marks: &[Option<bool>]) -> String {
    let tags: Vec<&str> = marks
        .iter()
        .map(|mark| match mark {
            Some(true) => "1",
            Some(false) => "2",
            None => "0",
        })
        .collect();
    tags.join(" ")
}
