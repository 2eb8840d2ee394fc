//! Tests that need what is not there: they are skipped, and the skip is recorded where the gate sees
//! it.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Records that the current test does nothing, and why.
///
/// The line goes to the file that `IMN_SKIPPED` names, which `./gate` prints at its end, and to
/// standard error.
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let line = format!("{test}: {reason}\n");
    #[expect(clippy::print_stderr, reason = "says why a test did nothing")]
    {
        eprint!("skipped {line}");
    }
    if let Some(path) = std::env::var_os("IMN_SKIPPED") {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.expect("IMN_SKIPPED names a file that can be written");
    }
}

/// The data folder: `IMN_DATA`, otherwise `../shared/data` beside the workspace. `None` where there is
/// none; the skip is recorded.
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
