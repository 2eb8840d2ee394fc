//! Which formats there are, which one a path holds, and the one way to read it.

use std::path::Path;

use serde::Serialize;

use super::formats::{aste, conll, four_file, jsonl, semeval};
use super::input::{read_head, read_text};
use super::{AnnotatedSentence, DataError, Problem, Severity};

/// A format of annotated sentences; `docs/data.md` describes each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataFormat {
    /// A folder with `sentence.txt`, `target.txt`, `opinion.txt`, `target_polarity.txt`.
    FourFile,
    /// SemEval 2014 XML: `sentences` of `aspectTerm`s.
    Semeval14,
    /// SemEval 2015 and 2016 XML: `Reviews` of `Opinion`s.
    Semeval15,
    /// Triplets: `the soup is good####[([1], [3], 'POS')]`.
    Aste,
    /// A token a line, columns for tags, an empty line between sentences.
    Conll,
    /// Our own: a JSON object a line, with character offsets.
    Jsonl,
}

impl DataFormat {
    /// All formats.
    pub const ALL: [Self; 6] = [
        Self::FourFile,
        Self::Semeval14,
        Self::Semeval15,
        Self::Aste,
        Self::Conll,
        Self::Jsonl,
    ];

    /// The name, as in `imn convert --to`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FourFile => "four-file",
            Self::Semeval14 => "semeval14",
            Self::Semeval15 => "semeval15",
            Self::Aste => "aste",
            Self::Conll => "conll",
            Self::Jsonl => "jsonl",
        }
    }

    /// The format with a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format that a path to be written asks for by its ending (before `.gz` or `.zst`); `None` where that
    /// does not settle it, as `.xml` does not.
    #[must_use]
    pub fn of_new_path(path: &Path) -> Option<Self> {
        match imn_io::extension(path).as_deref() {
            None => Some(Self::FourFile),
            Some("jsonl" | "ndjson" | "json") => Some(Self::Jsonl),
            Some("conll" | "iob" | "bio") => Some(Self::Conll),
            Some("aste" | "txt") => Some(Self::Aste),
            _ => None,
        }
    }
}

impl std::fmt::Display for DataFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// What a file held.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The sentences that could be read.
    pub sentences: Vec<AnnotatedSentence>,
    /// The line of each of them.
    pub lines: Vec<usize>,
    /// What was met on the way, in order of the lines.
    pub problems: Vec<Problem>,
    /// How many sentences say nothing of aspects, which is not the same as having none; only JSONL can tell.
    pub without_aspect_field: usize,
}

impl Loaded {
    pub(super) fn push(&mut self, line: usize, sentence: AnnotatedSentence) {
        self.sentences.push(sentence);
        self.lines.push(line);
    }

    /// The sentences, unless something could not be read.
    pub fn strict(self) -> Result<Vec<AnnotatedSentence>, DataError> {
        match self
            .problems
            .into_iter()
            .find(|problem| problem.severity == Severity::Error)
        {
            Some(problem) => Err(DataError::Content(problem)),
            None => Ok(self.sentences),
        }
    }
}

/// Reads annotated sentences in any format; stops at the first thing that cannot be read.
pub fn read(path: &Path) -> Result<Vec<AnnotatedSentence>, DataError> {
    load(path, None)?.strict()
}

/// Reads annotated sentences in a given format; stops at the first thing that cannot be read.
pub fn read_as(path: &Path, format: DataFormat) -> Result<Vec<AnnotatedSentence>, DataError> {
    load(path, Some(format))?.strict()
}

/// Reads what can be read and reports the rest; `format` is detected where it is not given.
pub fn load(path: &Path, format: Option<DataFormat>) -> Result<Loaded, DataError> {
    load_detected(path, format).map(|(_, loaded)| loaded)
}

/// The same, with the format that it was; reads once, as standard input (`-`) needs.
pub fn load_detected(
    path: &Path,
    format: Option<DataFormat>,
) -> Result<(DataFormat, Loaded), DataError> {
    if let Some(folder) = four_file::folder_of(path)
        && matches!(format, None | Some(DataFormat::FourFile))
    {
        return Ok((DataFormat::FourFile, four_file::load(folder)?));
    }
    if path.is_dir() {
        let reason = "the folder has no sentence.txt (the four-file layout needs it)".to_owned();
        return Err(DataError::UnknownFormat {
            path: path.to_owned(),
            reason,
        });
    }
    let text = read_text(path)?;
    if text.trim().is_empty() {
        return Err(DataError::Empty {
            path: path.to_owned(),
        });
    }
    let format = match format {
        Some(format) => format,
        None => detect_text(path, &text)?,
    };
    Ok((format, load_text(&text, path, format)?))
}

/// Reads text that is already in memory; `path` is what problems name. The four-file layout is a folder and is refused.
pub fn load_text(text: &str, path: &Path, format: DataFormat) -> Result<Loaded, DataError> {
    let mut loaded = Loaded::default();
    match format {
        DataFormat::FourFile => {
            let reason = "the four-file layout is a folder with sentence.txt in it".to_owned();
            return Err(DataError::UnknownFormat {
                path: path.to_owned(),
                reason,
            });
        }
        DataFormat::Semeval14 | DataFormat::Semeval15 => semeval::parse(text, path, &mut loaded),
        DataFormat::Aste => aste::parse(text, path, &mut loaded),
        DataFormat::Conll => conll::parse(text, path, &mut loaded),
        DataFormat::Jsonl => jsonl::parse(text, path, &mut loaded),
    }
    Ok(loaded)
}

/// The format that a path holds, by what is in it.
pub fn detect(path: &Path) -> Result<DataFormat, DataError> {
    if four_file::folder_of(path).is_some() {
        return Ok(DataFormat::FourFile);
    }
    detect_text(path, &read_head(path)?)
}

fn detect_text(path: &Path, text: &str) -> Result<DataFormat, DataError> {
    let head = text.trim_start();
    if head.is_empty() {
        return Err(DataError::Empty {
            path: path.to_owned(),
        });
    }
    let first = head.lines().next().unwrap_or("");
    let root = semeval::root(head);
    match root.as_deref() {
        Some("sentences") => return Ok(DataFormat::Semeval14),
        Some("Reviews" | "Review") => return Ok(DataFormat::Semeval15),
        _ => {}
    }
    if head.starts_with('{') {
        return Ok(DataFormat::Jsonl);
    }
    if first.contains("####") {
        return Ok(DataFormat::Aste);
    }
    match imn_io::extension(path).as_deref() {
        Some("jsonl" | "ndjson" | "json") => return Ok(DataFormat::Jsonl),
        Some("conll" | "iob" | "bio") => return Ok(DataFormat::Conll),
        Some("aste") => return Ok(DataFormat::Aste),
        _ => {}
    }
    if conll::looks_like(head) {
        return Ok(DataFormat::Conll);
    }
    let seen = match root {
        Some(root) => format!(" (XML with the root <{root}>, not <sentences> or <Reviews>)"),
        None => String::new(),
    };
    let reason = format!(
        "no format fits what is in it{seen}: annotated sentences are four-file, semeval14, semeval15, aste, conll or \
         jsonl (--format, or --from of imn convert, names one); document sets end in .tsv or .csv"
    );
    Err(DataError::UnknownFormat {
        path: path.to_owned(),
        reason,
    })
}
