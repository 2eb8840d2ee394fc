//! The option `--threads`.

use anyhow::Context as _;

/// The option `--threads`.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct ThreadArgs {
    /// Number of threads [default: all cores]. The result does not depend on it.
    #[arg(long, env = "IMN_THREADS", value_name = "N", value_parser = thread_count)]
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

/// The most threads that can be asked for. More only cost memory, and a number with a zero too many
/// would stall the machine.
const MOST_THREADS: usize = 1024;

/// Parses a number of threads.
pub fn thread_count(text: &str) -> Result<usize, String> {
    match one_or_more(text)? {
        count if count > MOST_THREADS => Err(format!("expected at most {MOST_THREADS} threads")),
        count => Ok(count),
    }
}

/// Parses a whole number, 1 or more.
pub fn one_or_more(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a whole number, 1 or more".to_owned()),
        Ok(number) => Ok(number),
    }
}
