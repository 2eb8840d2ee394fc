//! `imn quantize`: the same model in a quarter of the size.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::ensure;
use imn::bundle::Storage;

/// Write a model file in fewer bits: weights of 16, word vectors of 8 with scales.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  imn quantize run/model.imn small.imn
  imn evaluate small.imn data/aspect/res14/test     what it costs in scores

A small model is used like any other. The lost bits cannot be restored: keep the large file if you want
to continue training from it.")]
pub struct Quantize {
    /// Model file to read.
    model: String,
    /// The file to write.
    out: PathBuf,
    /// Replace a file that is there.
    #[arg(long)]
    force: bool,
}

impl Quantize {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        ensure!(
            self.force || !self.out.exists(),
            "{}: is there already; --force replaces it",
            self.out.display()
        );
        let model = super::model::open(&self.model, None)?;
        model.save(&self.out, Storage::Small)?;
        let size = |path: &Path| Ok::<_, io::Error>(path.metadata()?.len() as f64 / 1e6);
        writeln!(
            io::stdout(),
            "{:.1} MB, before {:.1} MB: {}",
            size(&self.out)?,
            size(Path::new(&self.model))?,
            self.out.display()
        )?;
        Ok(ExitCode::SUCCESS)
    }
}
