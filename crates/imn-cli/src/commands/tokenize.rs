//! `imn tokenize`: splits text into sentences and tokens.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use imn::text::{OffsetIndex, OffsetUnit, Span, split_sentences, tokenize_into};
use serde::Serialize;

use super::values::{self, refuse_file};

/// Split text into sentences and tokens, with offsets.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  imn tokenize \"It's $5, isn't it? Wow!\"
  imn tokenize --json --offsets utf16 \"naïve 👍 place\"
  imn tokenize --lines --file reviews.txt.gz | cut -f3
  cat review.txt | imn tokenize
  imn tokenize --count --lines --file reviews.txt.gz

Plain output has one token per line as start, end and text, separated by tabs, with an empty \
line after each sentence.")]
pub struct Tokenize {
    /// Text to tokenize [default: standard input].
    text: Option<String>,
    /// File to read (plain, gzip or zstd); - for standard input.
    #[arg(long, short, value_name = "FILE", conflicts_with = "text")]
    file: Option<PathBuf>,
    /// Treat each line as a separate text; offsets count from the start of the line.
    #[arg(long)]
    lines: bool,
    /// Print one JSON object per sentence.
    #[arg(long)]
    json: bool,
    /// Print only the number of sentences and tokens, and the speed in tokens per second.
    #[arg(long, conflicts_with = "json")]
    count: bool,
    /// Unit of offsets.
    #[arg(long, value_name = "UNIT", default_value = OffsetUnit::Bytes.name(),
        value_parser = values::offset_unit())]
    offsets: OffsetUnit,
}

#[derive(Serialize)]
struct Piece<'a> {
    start: usize,
    end: usize,
    text: &'a str,
}

#[derive(Serialize)]
struct Sentence<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(flatten)]
    whole: Piece<'a>,
    tokens: Vec<Piece<'a>>,
}

impl Tokenize {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if let Some(text) = &self.text {
            refuse_file(text, "tokenize", "imn tokenize --file")?;
        }
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        let file = self.file.as_deref().unwrap_or(Path::new("-"));
        if self.lines && !self.count {
            match &self.text {
                Some(text) => {
                    for (i, line) in text.lines().enumerate() {
                        self.show(line, Some(i + 1), &mut out)?;
                    }
                }
                // A file of any size is read line by line.
                None => {
                    for line in imn::data::text_lines(file)? {
                        let (number, line) = line?;
                        self.show(&line, Some(number), &mut out)?;
                    }
                }
            }
            out.flush()?;
            return Ok(ExitCode::SUCCESS);
        }
        let text = match &self.text {
            Some(text) => text.clone(),
            None => imn::data::read_text(file)?,
        };
        if self.count {
            self.count(&text, &mut out)?;
        } else {
            self.show(&text, None, &mut out)?;
        }
        out.flush()?;
        Ok(ExitCode::SUCCESS)
    }

    /// Prints counts and the time of splitting and tokenizing, without the time of reading.
    fn count(&self, text: &str, out: &mut impl Write) -> anyhow::Result<()> {
        let started = std::time::Instant::now();
        let texts: Vec<&str> = if self.lines {
            text.lines().collect()
        } else {
            vec![text]
        };
        let (mut sentences, mut tokens) = (0, 0);
        let mut spans = Vec::new();
        for text in texts {
            for span in split_sentences(text) {
                spans.clear();
                tokenize_into(text, span, &mut spans);
                tokens += spans.len();
                sentences += 1;
            }
        }
        let seconds = started.elapsed().as_secs_f64().max(1e-9);
        let (bytes, speed) = (text.len(), tokens as f64 / seconds / 1e6);
        writeln!(
            out,
            "{sentences} sentences, {tokens} tokens, {bytes} bytes, {seconds:.3} s, \
             {speed:.1} million tokens/s"
        )?;
        Ok(())
    }

    fn show(&self, text: &str, line: Option<usize>, out: &mut impl Write) -> anyhow::Result<()> {
        let index = OffsetIndex::new(text);
        let piece = |span: Span| {
            let shown = index.span_from_bytes(span, self.offsets).unwrap_or(span);
            Piece {
                start: shown.start,
                end: shown.end,
                text: span.of(text).unwrap_or(""),
            }
        };
        let mut tokens = Vec::new();
        for span in split_sentences(text) {
            tokens.clear();
            tokenize_into(text, span, &mut tokens);
            let sentence = Sentence {
                line,
                whole: piece(span),
                tokens: tokens.iter().map(|token| piece(*token)).collect(),
            };
            if self.json {
                serde_json::to_writer(&mut *out, &sentence)?;
            } else {
                for token in &sentence.tokens {
                    writeln!(out, "{}\t{}\t{}", token.start, token.end, token.text)?;
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }
}
