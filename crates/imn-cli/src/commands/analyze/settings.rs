//! From arguments to the settings of a job: sources, output format, colours.

use std::io::IsTerminal as _;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use imn_batch::Output;
use imn_batch::read::{Format, Input, Source};
use imn_batch::write::OutputFormat;

use super::arguments::Analyze;

impl Analyze {
    /// What is to be read.
    pub(super) fn sources(&self) -> anyhow::Result<Vec<Source>> {
        let mut sources = Vec::new();
        let mut texts = Vec::new();
        let add_texts = |texts: &mut Vec<String>, sources: &mut Vec<Source>| {
            if !texts.is_empty() {
                sources.push(Source {
                    input: Input::Texts(std::mem::take(texts).into()),
                    format: Format::Txt,
                });
            }
        };
        for input in &self.inputs {
            let path = Path::new(input);
            if imn::data::is_standard_stream(path) {
                add_texts(&mut texts, &mut sources);
                sources.push(self.stdin());
            } else if path.exists() {
                add_texts(&mut texts, &mut sources);
                sources.push(self.file(path)?);
            } else if !input.contains(char::is_whitespace) && Format::of_name(path).is_some() {
                bail!("{input}: no such file (a text that looks like one is given with --text)");
            } else {
                texts.push(input.clone());
            }
        }
        texts.extend(self.text.iter().cloned());
        add_texts(&mut texts, &mut sources);
        if sources.is_empty() {
            ensure!(
                !std::io::stdin().is_terminal(),
                "nothing to analyse: give a text, a file, or pipe something in"
            );
            sources.push(self.stdin());
        }
        let streams = sources
            .iter()
            .filter(|source| source.input == Input::Stdin)
            .count();
        ensure!(streams < 2, "standard input can only be read once");
        Ok(sources)
    }

    fn stdin(&self) -> Source {
        Source {
            input: Input::Stdin,
            format: self.text_format(self.from.map_or(Format::Txt, Format::from)),
        }
    }

    fn file(&self, path: &Path) -> anyhow::Result<Source> {
        ensure!(
            !path.is_dir(),
            "{} is a folder; name the files in it",
            path.display()
        );
        let told = self
            .from
            .map(Format::from)
            .or_else(|| Format::of_name(path));
        let format = match told {
            Some(format) => format,
            None if self.whole => Format::Txt,
            None => bail!(
                "{}: the name does not tell its form; say so with --from",
                path.display()
            ),
        };
        Ok(Source {
            input: Input::File(path.to_owned()),
            format: self.text_format(format),
        })
    }

    fn text_format(&self, format: Format) -> Format {
        match format {
            Format::Txt if self.whole => Format::Whole,
            format => format,
        }
    }

    pub(super) fn output_format(&self, output: &Output) -> anyhow::Result<OutputFormat> {
        if let Some(to) = self.to {
            return Ok(to.into());
        }
        match output {
            Output::Stdout if std::io::stdout().is_terminal() => Ok(OutputFormat::Pretty),
            Output::Stdout => Ok(OutputFormat::Jsonl),
            Output::File(path) => OutputFormat::of_name(path).with_context(|| {
                format!(
                    "{}: the name does not tell the form; say so with --to",
                    path.display()
                )
            }),
        }
    }

    pub(super) fn colors(&self, output: &Output) -> bool {
        match self.color {
            clap::ColorChoice::Always => true,
            clap::ColorChoice::Never => false,
            clap::ColorChoice::Auto => {
                let set =
                    |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
                let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
                *output == Output::Stdout
                    && std::io::stdout().is_terminal()
                    && !set("NO_COLOR")
                    && !dumb
            }
        }
    }
}
