//! `imn vectors`: size, hit rates and nearest neighbours of word-vector files.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::ensure;
use imn::text::Normalizer;
use imn::vectors::{
    Embedding, EmbeddingSettings, Hits, Lookup, Nearest, SourceReport, VectorFormat, VectorRows,
    VectorSource, nearest,
};
use serde::Serialize;

use crate::progress::spinner;

const EXAMPLES: &str = "\
Examples:
  imn vectors glove.840B.300d.txt.gz                                 words, dimensions, time
  imn vectors general=glove.txt domain=own.vec.gz --words words.txt  hit rates of a word list
  imn vectors domain.vec.gz --data DIR --set res14                   hit rates of train and test
  imn vectors domain.vec.gz --data reviews.jsonl                     hit rates of annotated text
  imn vectors domain.vec.gz --nearest waiter --nearest battery

Formats are detected from the content: text (GloVe, fastText) with or without a header line, and \
word2vec binary; each also gzip and zstd. A word is looked up as it is, then in lower case, then \
in any case. --words - and --data - read standard input. The exit code is 1 if a file has fewer \
words than its header states. See docs/vectors.md.";

/// Show size, hit rates and nearest neighbours of word-vector files.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Vectors {
    /// Word-vector files, with an optional name for the output.
    #[arg(required = true, value_name = "[NAME=]FILE", value_parser = source)]
    files: Vec<VectorSource>,
    /// File of words to look up, one per line.
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    words: Option<PathBuf>,
    /// Annotated sentences whose words to look up: a file or folder in any format or, with --set,
    /// the data folder.
    #[arg(long, value_name = "PATH")]
    data: Option<PathBuf>,
    /// Set of the data folder, such as res14: looks up its train and test sentences.
    #[arg(long, value_name = "NAME", requires = "data")]
    set: Option<String>,
    /// Look up words in their exact form only.
    #[arg(long)]
    exact: bool,
    /// Show the nearest neighbours of this word in each file (repeatable).
    #[arg(long, value_name = "WORD")]
    nearest: Vec<String>,
    /// Number of nearest neighbours.
    #[arg(long, default_value_t = 10, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    top: u16,
    /// List the words without a vector in any file, most frequent first.
    #[arg(long)]
    missing: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[expect(clippy::unnecessary_wraps, reason = "clap requires this signature")]
fn source(text: &str) -> Result<VectorSource, String> {
    Ok(match text.split_once('=') {
        // The name of an existing file may contain "=".
        Some((name, path)) if !name.is_empty() && !Path::new(text).exists() => VectorSource {
            name: name.to_owned(),
            path: path.into(),
        },
        _ => VectorSource::from_path(Path::new(text)),
    })
}

/// The output.
#[derive(Default, Serialize)]
struct Report {
    files: Vec<FileReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nearest: Vec<NearestReport>,
    seconds: f64,
}

/// One word-vector file.
#[derive(Serialize)]
struct FileReport {
    name: String,
    file: PathBuf,
    rows: u64,
    dimensions: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    stated_rows: Option<u64>,
    unreadable_words: u64,
    hits: Vec<TextHits>,
}

/// Hit rates of one text.
#[derive(Serialize)]
struct TextHits {
    text: String,
    /// Of distinct words.
    words: Hits,
    /// Of all their occurrences.
    occurrences: Hits,
}

#[derive(Serialize)]
struct NearestReport {
    name: String,
    word: String,
    found: Option<Nearest>,
}

/// A text with the words to look up.
struct Text {
    name: String,
    counts: BTreeMap<String, u64>,
}

impl Vectors {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let start = Instant::now();
        let spinner = spinner();
        let lookup = if self.exact {
            Lookup::Exact
        } else {
            Lookup::AnyCase
        };
        let mut report = Report::default();
        let texts = self.texts()?;
        if !texts.is_empty() {
            spinner.set_message("looking words up");
            let settings = EmbeddingSettings {
                lookup,
                ..EmbeddingSettings::default()
            };
            (report.files, report.missing) = look_up(&texts, &self.files, &settings)?;
        } else if self.nearest.is_empty() {
            for source in &self.files {
                spinner.set_message(source.path.display().to_string());
                report.files.push(scan(source)?);
            }
        }
        for source in &self.files {
            for word in &self.nearest {
                spinner.set_message(source.path.display().to_string());
                let found = nearest(&source.path, word, usize::from(self.top), lookup)?;
                let name = source.name.clone();
                report.nearest.push(NearestReport {
                    name,
                    word: word.clone(),
                    found,
                });
            }
        }
        if !self.missing {
            report.missing.clear();
        }
        report.seconds = start.elapsed().as_secs_f64();
        spinner.finish_and_clear();

        let mut out = io::stdout().lock();
        if self.json {
            serde_json::to_writer_pretty(&mut out, &report).map_err(io::Error::from)?;
            writeln!(out)?;
        } else {
            print(&mut out, &report)?;
        }
        let cut_off = |file: &FileReport| file.stated_rows.is_some_and(|rows| rows > file.rows);
        Ok(if report.files.iter().any(cut_off) {
            ExitCode::from(1)
        } else {
            ExitCode::SUCCESS
        })
    }

    fn texts(&self) -> anyhow::Result<Vec<Text>> {
        match (&self.words, &self.data, &self.set) {
            (Some(words), ..) => Ok(vec![word_list(words)?]),
            (None, Some(data), Some(set)) => ["train", "test"]
                .into_iter()
                .map(|part| {
                    let path = data.join("aspect").join(set).join(part);
                    annotated(&path, format!("{set} {part}"))
                })
                .collect(),
            (None, Some(data), None) => Ok(vec![annotated(data, data.display().to_string())?]),
            (None, None, _) => Ok(Vec::new()),
        }
    }
}

/// Reads a list of words, one per line, and counts repetitions.
fn word_list(path: &Path) -> anyhow::Result<Text> {
    let mut counts = BTreeMap::new();
    for line in imn::data::text_lines(path)? {
        let (_, line) = line?;
        let word = line.trim();
        if !word.is_empty() {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
    }
    ensure!(!counts.is_empty(), "{}: contains no words", path.display());
    let name = path.display().to_string();
    Ok(Text { name, counts })
}

/// Reads the words of annotated sentences, normalized as in a model's vocabulary.
fn annotated(path: &Path, name: String) -> anyhow::Result<Text> {
    let normalizer = Normalizer::default();
    let mut counts = BTreeMap::new();
    for sentence in imn::data::read(path)? {
        for word in sentence.words() {
            *counts
                .entry(normalizer.apply(word).into_owned())
                .or_default() += 1;
        }
    }
    ensure!(!counts.is_empty(), "{}: contains no words", path.display());
    Ok(Text { name, counts })
}

/// Hit rates of every text in every file, and the words without a vector in any file.
fn look_up(
    texts: &[Text],
    sources: &[VectorSource],
    settings: &EmbeddingSettings,
) -> anyhow::Result<(Vec<FileReport>, Vec<String>)> {
    let mut all: BTreeMap<&str, u64> = BTreeMap::new();
    for (word, count) in texts.iter().flat_map(|text| &text.counts) {
        *all.entry(word).or_default() += count;
    }
    let words: Vec<&str> = all.keys().copied().collect();
    let embedding = Embedding::load(&words, sources, settings)?;
    let files = embedding
        .sources()
        .iter()
        .map(|found| FileReport {
            name: found.source.name.clone(),
            file: found.source.path.clone(),
            rows: found.rows,
            dimensions: found.columns.len(),
            stated_rows: found.stated_rows,
            unreadable_words: found.unreadable_words,
            hits: texts.iter().map(|text| hits(text, &words, found)).collect(),
        })
        .collect();
    let mut missing: Vec<(u64, &str)> = all
        .iter()
        .enumerate()
        .filter(|(at, _)| {
            let found = |report: &SourceReport| report.matches.get(*at).copied();
            embedding
                .sources()
                .iter()
                .all(|report| found(report) == Some(imn::vectors::Match::Missing))
        })
        .map(|(_, (&word, &count))| (count, word))
        .collect();
    missing.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    Ok((
        files,
        missing
            .into_iter()
            .map(|(_, word)| word.to_owned())
            .collect(),
    ))
}

fn hits(text: &Text, words: &[&str], found: &SourceReport) -> TextHits {
    let weighted = |weight: fn(u64) -> u64| {
        Hits::count(
            words
                .iter()
                .zip(&found.matches)
                .filter_map(|(word, &found)| {
                    text.counts.get(*word).map(|&count| (found, weight(count)))
                }),
        )
    };
    TextHits {
        text: text.name.clone(),
        words: weighted(|_| 1),
        occurrences: weighted(|count| count),
    }
}

/// Reads every row and its values, so that damage is found.
fn scan(source: &VectorSource) -> anyhow::Result<FileReport> {
    let mut rows = VectorRows::open(&source.path)?;
    let mut values = Vec::new();
    while let Some(row) = rows.next_row()? {
        row.read_into(&mut values)?;
    }
    Ok(FileReport {
        name: source.name.clone(),
        file: source.path.clone(),
        rows: rows.rows_read(),
        dimensions: rows.dimensions(),
        stated_rows: rows
            .stated_rows()
            .filter(|_| rows.format() == VectorFormat::Text),
        unreadable_words: rows.unreadable_words(),
        hits: Vec::new(),
    })
}

fn print(out: &mut impl Write, report: &Report) -> io::Result<()> {
    for file in &report.files {
        writeln!(
            out,
            "{}: {} words, {} dimensions",
            file.name, file.rows, file.dimensions
        )?;
        if let Some(stated) = file.stated_rows.filter(|&stated| stated != file.rows) {
            writeln!(
                out,
                "  warning: the header states {stated} words; the file may be truncated"
            )?;
        }
        if file.unreadable_words > 0 {
            writeln!(
                out,
                "  skipped {} words that are not UTF-8",
                file.unreadable_words
            )?;
        }
        for TextHits {
            text,
            words,
            occurrences,
        } in &file.hits
        {
            writeln!(
                out,
                "  {text}: {:.2} % of {} words ({} exact, {} in another case, {} missing), \
                 {:.2} % of {} occurrences",
                words.rate(),
                words.total(),
                words.exact,
                words.other_case,
                words.missing,
                occurrences.rate(),
                occurrences.total()
            )?;
        }
    }
    for NearestReport { name, word, found } in &report.nearest {
        match found {
            None => writeln!(out, "{name}: {word:?} has no vector")?,
            Some(found) => {
                let near: Vec<String> = found
                    .neighbours
                    .iter()
                    .map(|near| format!("{} {:.2}", near.word, near.cosine))
                    .collect();
                writeln!(out, "{name}: {} → {}", found.word, near.join(", "))?;
            }
        }
    }
    for word in &report.missing {
        writeln!(out, "missing: {word}")?;
    }
    writeln!(out, "{:.2} s", report.seconds)
}
