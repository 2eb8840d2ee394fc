//! `--threads`, the same for every command that has it.

use anyhow::Context as _;

/// How many threads to use.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct ThreadArgs {
    /// Number of threads [default: all cores]. The result does not depend on it.
    #[arg(long, env = "IMN_THREADS", value_name = "N", value_parser = one_or_more)]
    pub threads: Option<usize>,
}

impl ThreadArgs {
    /// Makes the whole program use as many threads as asked for. Call it before any parallel work.
    pub fn apply(self) -> anyhow::Result<()> {
        let Some(threads) = self.threads else {
            return Ok(());
        };
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .context("setting the number of threads")
    }
}

/// A whole number from 1.
pub fn one_or_more(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a whole number, 1 or more".to_owned()),
        Ok(number) => Ok(number),
    }
}
