//! `imn quantize`: the same model in a smaller file, with 8-bit and 16-bit numbers.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::ensure;
use imn::bundle::Storage;

/// Make a model file two to four times smaller: 8-bit and 16-bit numbers.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  imn quantize run/model.imn small.imn
  imn evaluate small.imn test.jsonl        compare its scores with those of run/model.imn

A CNN gets 16-bit weights and 8-bit word vectors, a transformer 8-bit weights. A quantized model \
is used like any other, and multiplies 8-bit integers unless --precision says otherwise. \
Quantization loses precision: keep the original file to continue training from it.")]
pub struct Quantize {
    /// Model to read: a file, or the name of a built-in model.
    model: String,
    /// File to write.
    out: PathBuf,
    /// Overwrite OUT if it exists.
    #[arg(long)]
    force: bool,
}

impl Quantize {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        ensure!(
            self.force || !self.out.exists(),
            "{}: file exists; use --force to overwrite it",
            self.out.display()
        );
        let model = super::model::open(&self.model, None)?;
        model.save(&self.out, Storage::Small)?;
        let size = |path: &Path| path.metadata().map(|file| file.len() as f64 / 1e6);
        let before = match size(Path::new(&self.model)) {
            Ok(before) => format!(", was {before:.1} MB"),
            Err(_) => String::new(),
        };
        let (path, after) = (self.out.display(), size(&self.out)?);
        writeln!(io::stdout(), "wrote {path}: {after:.1} MB{before}")?;
        Ok(ExitCode::SUCCESS)
    }
}
