//! `imn shrink`: the same model in a quarter of the size.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use imn::bundle::{Bundle, Storage};

/// Write a model bundle in fewer bits: weights of 16, word vectors of 8 with scales.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  imn shrink run/model.imn small.imn
  imn evaluate small.imn data/aspect/res14/test     what it costs in scores

A small bundle is used like any other. It cannot be grown back: keep the large one to train on from it.")]
pub struct Shrink {
    /// The model bundle.
    bundle: PathBuf,
    /// The file to write.
    out: PathBuf,
    /// Replace a file that is there.
    #[arg(long)]
    force: bool,
}

impl Shrink {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        ensure!(
            self.force || !self.out.exists(),
            "{}: is there already; --force replaces it",
            self.out.display()
        );
        Bundle::open(&self.bundle)?.save(&self.out, Storage::Small)?;
        let size = |path: &PathBuf| Ok::<_, io::Error>(path.metadata()?.len() as f64 / 1e6);
        writeln!(
            io::stdout(),
            "{:.1} MB, before {:.1} MB: {}",
            size(&self.out)?,
            size(&self.bundle)?,
            self.out.display()
        )?;
        Ok(ExitCode::SUCCESS)
    }
}
