//! Which existing files `imn report` and `imn explain` overwrite without `--force`: only earlier
//! pages of the same command, which can be made again. Anything else may be the only copy.

use std::io::Read as _;
use std::path::Path;

use anyhow::ensure;

/// Bytes at the start of a file that identify the command that wrote it.
const START: u64 = 4096;

/// Refuses to overwrite an existing file, unless it is empty or `is_own` recognizes the start of
/// its content. `own` describes the recognized files.
pub fn check_overwrite(out: &Path, own: &str, is_own: impl Fn(&str) -> bool) -> anyhow::Result<()> {
    // Writing to a device overwrites nothing.
    ensure!(
        !out.is_file() || start(out).is_some_and(|start| start.is_empty() || is_own(&start)),
        "{} exists and is not {own}; use --force to overwrite it, or name another file with --out",
        out.display()
    );
    Ok(())
}

/// The start of the content of a file, decompressed.
fn start(path: &Path) -> Option<String> {
    let mut start = Vec::new();
    let file = imn_io::open(path).ok()?;
    file.take(START).read_to_end(&mut start).ok()?;
    Some(String::from_utf8_lossy(&start).into_owned())
}
