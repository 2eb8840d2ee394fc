//! `imn explain`: the network's predictions for every word, round by round.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use imn::analyze::Explanation;
use imn::render::{explanation_html, explanation_svg, explanation_text};
use imn::text::OffsetUnit;

use super::model::ModelArgs;
use super::overwrite::check_overwrite;
use super::values::{self, refuse_file, write_file};

/// Show the network's predictions for every word, before and after each round of message passing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  imn explain \"The ramen was wonderful, but our waiter ignored us.\"
  imn explain --model model.imn --out why.svg \"The keys wobble.\"
  imn explain --to json \"The keys wobble.\" | jq '.sentences[0].rounds[-1].tags'
  cat review.txt | imn explain --out why.html

A > marks a tag that changed in the round. Probabilities in a table are the network's own. The \
lines below it are the analysis, with the confidences of `imn analyze`.")]
pub struct Explain {
    /// Text to explain [default: standard input].
    text: Option<String>,
    #[command(flatten)]
    model: ModelArgs,
    /// Output format [default: from the extension of --out, or pretty].
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<Target>,
    /// Output file; - for standard output [default: standard output]. An earlier HTML page or SVG
    /// image of `imn explain` is overwritten.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite the output even if it is another file.
    #[arg(long, requires = "out")]
    force: bool,
    /// Minimum confidence of aspects and opinions, 0 to 1.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = values::share)]
    min_confidence: f32,
    /// Unit of offsets in JSON.
    #[arg(long, value_name = "UNIT", default_value = OffsetUnit::Bytes.name(),
        value_parser = values::offset_unit())]
    offsets: OffsetUnit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Target {
    /// Tables for a terminal.
    Pretty,
    /// Every probability and attention weight, for programs.
    Json,
    /// SVG image.
    Svg,
    /// HTML page with the image.
    Html,
}

impl Target {
    fn of_name(path: &Path) -> Option<Self> {
        match imn_io::extension(path)?.as_str() {
            "json" => Some(Self::Json),
            "svg" => Some(Self::Svg),
            "html" | "htm" => Some(Self::Html),
            "txt" => Some(Self::Pretty),
            _ => None,
        }
    }
}

impl Explain {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let file = self
            .out
            .as_deref()
            .filter(|out| !imn::data::is_standard_stream(out));
        let target = match (self.to, file) {
            (Some(target), _) => target,
            (None, None) => Target::Pretty,
            (None, Some(file)) => Target::of_name(file).with_context(|| {
                format!(
                    "{}: cannot infer the output format from the extension; use --to",
                    file.display()
                )
            })?,
        };
        if let Some(text) = &self.text {
            refuse_file(text, "explain", "imn explain <")?;
        }
        if let Some(file) = file.filter(|_| !self.force) {
            check_overwrite(file, "a page or image of `imn explain`", is_explanation)?;
        }
        let analyzer = self.model.open()?;
        let text = match self.text {
            Some(text) => text,
            None => imn::data::read_text(Path::new("-"))?,
        };
        let mut explanation = analyzer.explain(&text).in_unit(&text, self.offsets);
        explanation.analysis.retain_confident(self.min_confidence);
        let rendered = render(&explanation, &text, target)?;
        match file {
            Some(file) => {
                let plain = match target {
                    Target::Pretty => anstream::adapter::strip_str(&rendered).to_string(),
                    _ => rendered,
                };
                write_file(file, plain.as_bytes())?;
            }
            // `anstream` removes colours where the terminal has none.
            None if target == Target::Pretty => {
                anstream::stdout().lock().write_all(rendered.as_bytes())?
            }
            None => std::io::stdout().lock().write_all(rendered.as_bytes())?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Whether a file that starts like this is an HTML page or SVG image of `imn explain`. Its JSON and
/// its tables are not recognized.
fn is_explanation(start: &str) -> bool {
    let is_page = start.starts_with("<!DOCTYPE html>") && start.contains(" – imn explain</title>");
    let label = "aria-label=\"The network's predictions for each word, round by round\"";
    is_page || start.starts_with("<svg ") && start.contains(label)
}

fn render(explanation: &Explanation, text: &str, target: Target) -> anyhow::Result<String> {
    Ok(match target {
        Target::Pretty => explanation_text(explanation),
        Target::Json => serde_json::to_string(explanation)? + "\n",
        Target::Svg => explanation_svg(explanation),
        Target::Html => explanation_html(explanation, text),
    })
}
