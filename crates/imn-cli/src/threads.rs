//! The option `--threads`.

use anyhow::Context as _;

/// The option `--threads`.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct ThreadArgs {
    /// Number of threads [default: all cores]. The result does not depend on it.
    #[arg(long, env = "IMN_THREADS", value_name = "N", value_parser = one_or_more)]
    pub threads: Option<usize>,
}

impl ThreadArgs {
    /// Sets the number of threads of the whole program. Call it before any parallel work.
    pub fn apply(self) -> anyhow::Result<()> {
        let Some(threads) = self.threads else {
            return Ok(());
        };
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .context("cannot set the number of threads")
    }
}

/// Parses a whole number, 1 or more.
pub fn one_or_more(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a whole number, 1 or more".to_owned()),
        Ok(number) => Ok(number),
    }
}
