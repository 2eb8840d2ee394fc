//! The settings of a job: inputs, output format, colours.

use std::io::{BufRead as _, IsTerminal as _};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use anyhow::{Context as _, bail, ensure};
use imn_batch::OutputTarget;
use imn_batch::read::{Input, InputFormat, InputSource, LooksLike, looks_like};
use imn_batch::write::OutputFormat;

use super::arguments::Analyze;
use crate::commands::values::looks_like_a_file;

impl Analyze {
    /// The inputs of the job.
    pub(super) fn sources(&self) -> anyhow::Result<Vec<InputSource>> {
        let mut sources = Vec::new();
        let mut texts = Vec::new();
        let add_texts = |texts: &mut Vec<String>, sources: &mut Vec<InputSource>| {
            if !texts.is_empty() {
                sources.push(InputSource {
                    input: Input::Texts(std::mem::take(texts).into()),
                    format: InputFormat::Txt,
                });
            }
        };
        for input in &self.inputs {
            let path = Path::new(input);
            if imn::data::is_standard_stream(path) {
                add_texts(&mut texts, &mut sources);
                sources.push(self.stdin()?);
            } else if path.exists() {
                add_texts(&mut texts, &mut sources);
                sources.push(self.file(path)?);
            } else if looks_like_a_file(input) {
                bail!("{input}: no such file; if it is text, use --text");
            } else {
                texts.push(input.clone());
            }
        }
        texts.extend(self.text.iter().cloned());
        add_texts(&mut texts, &mut sources);
        if sources.is_empty() {
            ensure!(
                !std::io::stdin().is_terminal(),
                "no input: give a text or a file, or pipe text to standard input"
            );
            sources.push(self.stdin()?);
        }
        let streams = sources
            .iter()
            .filter(|source| source.input == Input::Stdin)
            .count();
        ensure!(streams < 2, "standard input (-) can be read only once");
        Ok(sources)
    }

    fn stdin(&self) -> anyhow::Result<InputSource> {
        let format = self.from.unwrap_or(InputFormat::Txt);
        Ok(InputSource {
            input: Input::Stdin,
            format: self.text_format(format, "standard input")?,
        })
    }

    /// What standard input looks like, if it is read as text only because no option names its
    /// format. Waits for the beginning of the input, and leaves it to be read.
    pub(super) fn mistaken_for_text(&self, sources: &[InputSource]) -> Option<LooksLike> {
        let mut stdin = std::io::stdin().lock();
        let is_chosen = self.from.is_some() || self.whole;
        let is_read = sources.iter().any(|source| source.input == Input::Stdin);
        if is_chosen || !is_read || stdin.is_terminal() {
            return None;
        }
        // An error is reported when the input is read.
        stdin.fill_buf().ok().and_then(looks_like)
    }

    fn file(&self, path: &Path) -> anyhow::Result<InputSource> {
        ensure!(
            !path.is_dir(),
            "{}: is a folder; name the files in it",
            path.display()
        );
        let format = match self.from.or_else(|| InputFormat::of_name(path)) {
            Some(format) => format,
            None if self.whole => InputFormat::Txt,
            None if imn_io::extension(path).is_some_and(|found| found == "json") => bail!(
                "{0}: JSON arrays are not read; `jq -c '.[]' {0} > {1}` converts the file. If the \
                 file has one object per line, use --from jsonl",
                path.display(),
                path.with_extension("jsonl").display()
            ),
            None => bail!("{}: {}", path.display(), unknown_format(path)),
        };
        Ok(InputSource {
            input: Input::File(path.to_owned()),
            format: self.text_format(format, &path.display().to_string())?,
        })
    }

    /// The format of an input, which --whole changes.
    fn text_format(&self, format: InputFormat, input: &str) -> anyhow::Result<InputFormat> {
        Ok(match format {
            InputFormat::Txt if self.whole => InputFormat::Whole,
            format if self.whole => bail!(
                "{input}: --whole reads a text file as one review, but the format is {}; leave out \
                 --whole to read one review per row, or use --from txt to read it as text",
                format.name()
            ),
            format => format,
        })
    }

    pub(super) fn output_format(&self, output: &OutputTarget) -> anyhow::Result<OutputFormat> {
        if let Some(to) = self.to {
            return Ok(to);
        }
        match output {
            OutputTarget::Stdout if std::io::stdout().is_terminal() => Ok(OutputFormat::Pretty),
            OutputTarget::Stdout => Ok(OutputFormat::Jsonl),
            OutputTarget::File(path) => OutputFormat::of_name(path).with_context(|| {
                format!(
                    "{}: cannot infer the output format from the extension; use --to",
                    path.display()
                )
            }),
        }
    }

    pub(super) fn colors(&self, output: &OutputTarget) -> bool {
        match self.color {
            clap::ColorChoice::Always => true,
            clap::ColorChoice::Never => false,
            // The terminal and the variables `NO_COLOR`, `CLICOLOR_FORCE` and `TERM` decide.
            clap::ColorChoice::Auto => {
                let choice = AutoStream::choice(&std::io::stdout());
                *output == OutputTarget::Stdout && choice != ColorChoice::Never
            }
        }
    }
}

/// What to do with a file whose extension names no input format.
fn unknown_format(path: &Path) -> &'static str {
    match imn_io::extension(path).as_deref() {
        Some("xlsx" | "xls" | "ods") => "spreadsheets are not read; save the sheet as CSV",
        Some("zip" | "bz2" | "xz" | "7z") => {
            "this kind of archive is not read; unpack it, or compress the file with gzip or zstd"
        }
        Some("pdf" | "doc" | "docx") => "documents are not read; save the texts as CSV or as text",
        _ => "cannot infer the input format from the extension; use --from",
    }
}
