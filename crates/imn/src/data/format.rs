//! The supported formats, their detection, and the functions that read them.

use std::path::Path;

use serde::Serialize;

use super::formats::{aste, conll, four_file, jsonl, semeval};
use super::input::{read_head, read_text};
use super::{AnnotatedSentence, DataError, Problem, Severity};

/// A format of annotated sentences. `docs/data.md` describes each of them.
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
    /// One token per line, columns of tags, an empty line between sentences.
    Conll,
    /// Our own format: one JSON object per line, with offsets in code points.
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

    /// Name of the format, as in `imn convert --to`.
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

    /// The format with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format of an output path, from its extension (before `.gz` or `.zst`). `None` if the
    /// extension is unknown or, like `.xml`, ambiguous.
    ///
    /// ```
    /// use imn::data::DataFormat;
    ///
    /// let format = |path: &str| DataFormat::of_new_path(path.as_ref());
    /// assert_eq!(format("reviews.jsonl.gz"), Some(DataFormat::Jsonl));
    /// assert_eq!(format("reviews"), Some(DataFormat::FourFile)); // a folder
    /// assert_eq!(format("reviews.xml"), None);
    /// ```
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

/// Contents of a file, and the problems found in it.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The sentences that could be read.
    pub sentences: Vec<AnnotatedSentence>,
    /// Line number of each sentence.
    pub lines: Vec<usize>,
    /// Problems, in the order of the lines.
    pub problems: Vec<Problem>,
    /// Number of sentences whose aspects are not annotated, as opposed to sentences without
    /// aspects. Only JSONL distinguishes the two.
    pub without_aspect_field: usize,
}

impl Loaded {
    pub(super) fn push(&mut self, line: usize, sentence: AnnotatedSentence) {
        self.sentences.push(sentence);
        self.lines.push(line);
    }

    /// The sentences, if everything could be read.
    ///
    /// # Errors
    ///
    /// The first problem of severity [`Severity::Error`].
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

/// Reads annotated sentences in any format, which is detected from the content.
///
/// ```
/// use imn::data::{Polarity, read};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("reviews.txt");
/// std::fs::write(&path, "the soup is very good####[([1], [3, 4], 'POS')]\n")?;
/// let sentences = read(&path)?;
/// let aspect = sentences[0].aspects[0];
/// assert_eq!(sentences[0].surface(aspect.span), "soup");
/// assert_eq!(aspect.polarity, Some(Polarity::Positive));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the file cannot be read, its format is unknown, or a line is malformed.
pub fn read(path: &Path) -> Result<Vec<AnnotatedSentence>, DataError> {
    load(path, None)?.strict()
}

/// Reads annotated sentences in a given format.
///
/// ```
/// use imn::data::{DataFormat, read_as};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("reviews.txt");
/// std::fs::write(&path, "good####[]\n")?;
/// assert_eq!(read_as(&path, DataFormat::Aste)?.len(), 1);
/// assert!(read_as(&path, DataFormat::Jsonl).is_err());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the file cannot be read or a line is malformed.
pub fn read_as(path: &Path, format: DataFormat) -> Result<Vec<AnnotatedSentence>, DataError> {
    load(path, Some(format))?.strict()
}

/// Reads all sentences that can be read and reports problems with the others. `None` detects the
/// format.
///
/// ```
/// use imn::data::load;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.jsonl");
/// std::fs::write(&path, "{\"text\": \"Nice pub\"}\n{\"txt\": \"Nice bar\"}\n")?;
/// let loaded = load(&path, None)?;
/// assert_eq!(loaded.lines, [1]);
/// assert_eq!(loaded.problems[0].place.line, 2);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the file cannot be read, is empty, or its format is unknown.
pub fn load(path: &Path, format: Option<DataFormat>) -> Result<Loaded, DataError> {
    load_detected(path, format).map(|(_, loaded)| loaded)
}

/// Like [`load`], but also returns the format. Reads the file once, so the path may be standard
/// input (`-`).
///
/// ```
/// use imn::data::{DataFormat, load_detected};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("reviews");
/// std::fs::write(&path, "{\"text\": \"Nice pub\"}\n")?;
/// let (format, loaded) = load_detected(&path, None)?;
/// assert_eq!((format, loaded.sentences.len()), (DataFormat::Jsonl, 1));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the file cannot be read, is empty, or its format is unknown.
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

/// Reads text in memory. `path` is used only in problems.
///
/// ```
/// use imn::data::{DataFormat, load_text};
///
/// # fn main() -> Result<(), imn::data::DataError> {
/// let text = "soup\tB-positive\nhere\tO\n";
/// let sentences = load_text(text, "a.conll".as_ref(), DataFormat::Conll)?.strict()?;
/// assert_eq!(sentences[0].surface(sentences[0].aspects[0].span), "soup");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the format is [`DataFormat::FourFile`], which is a folder.
pub fn load_text(text: &str, path: &Path, format: DataFormat) -> Result<Loaded, DataError> {
    let mut loaded = Loaded::default();
    match format {
        DataFormat::FourFile => {
            let reason = "the four-file layout is a folder that contains sentence.txt".to_owned();
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

/// Detects the format of a file or folder from its content.
///
/// ```
/// use imn::data::{DataFormat, detect};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("reviews.txt");
/// std::fs::write(&path, "<sentences></sentences>")?;
/// assert_eq!(detect(&path)?, DataFormat::Semeval14);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the file cannot be read, is empty, or no format fits.
pub fn detect(path: &Path) -> Result<DataFormat, DataError> {
    if four_file::folder_of(path).is_some() {
        return Ok(DataFormat::FourFile);
    }
    detect_text(path, &read_head(path)?)
}

/// The format of a text, if its content tells. A part of the text is enough.
pub(super) fn detect_content(text: &str) -> Option<DataFormat> {
    let head = text.trim_start();
    match semeval::root(head).as_deref() {
        Some("sentences") => return Some(DataFormat::Semeval14),
        Some("Reviews" | "Review") => return Some(DataFormat::Semeval15),
        _ => {}
    }
    if head.starts_with('{') {
        return Some(DataFormat::Jsonl);
    }
    let first = head.lines().next().unwrap_or("");
    if first.contains("####") {
        return Some(DataFormat::Aste);
    }
    conll::looks_like(head).then_some(DataFormat::Conll)
}

fn detect_text(path: &Path, text: &str) -> Result<DataFormat, DataError> {
    let head = text.trim_start();
    if head.is_empty() {
        return Err(DataError::Empty {
            path: path.to_owned(),
        });
    }
    let of_content = detect_content(head);
    let of_name = || match imn_io::extension(path).as_deref() {
        Some("jsonl" | "ndjson" | "json") => Some(DataFormat::Jsonl),
        Some("conll" | "iob" | "bio") => Some(DataFormat::Conll),
        Some("aste") => Some(DataFormat::Aste),
        _ => None,
    };
    // The name decides between damaged lines of its format and columns.
    let format = match of_content {
        Some(DataFormat::Conll) | None => of_name().or(of_content),
        sure => sure,
    };
    if let Some(format) = format {
        return Ok(format);
    }
    let seen = match semeval::root(head) {
        Some(root) => format!(" (XML with the root <{root}>, not <sentences> or <Reviews>)"),
        None => String::new(),
    };
    let reason = format!(
        "unknown format{seen}: annotated sentences are four-file, semeval14, semeval15, aste, \
         conll or jsonl (set it with --format, or --from of imn convert); document sets end in \
         .tsv or .csv"
    );
    Err(DataError::UnknownFormat {
        path: path.to_owned(),
        reason,
    })
}
