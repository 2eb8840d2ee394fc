//! Skipping tests whose data is missing. Every skip is recorded for `./gate`.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Records that the current test is skipped, and why.
///
/// The line is written to standard error and appended to the file named by `IMN_SKIPPED`, which
/// `./gate` prints at its end.
///
/// # Panics
/// If that file cannot be written.
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let line = format!("{test}: {reason}\n");
    #[expect(clippy::print_stderr, reason = "explains why the test was skipped")]
    {
        eprint!("skipped {line}");
    }
    if let Some(path) = std::env::var_os("IMN_SKIPPED") {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.expect("IMN_SKIPPED names a file that can be written");
    }
}

/// The data folder: `IMN_DATA`, or else `../shared/data` relative to the workspace. `None`, with
/// the skip recorded, if it does not exist.
#[must_use]
pub fn shared_data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("IMN_DATA").map_or(beside, PathBuf::from);
    if folder.join("aspect").is_dir() {
        return Some(folder);
    }
    skip(&format!("no data at {} (set IMN_DATA)", folder.display()));
    None
}
