//! Where the shared data is, for tests that need it.

use std::path::PathBuf;

/// The folder `IMN_DATA`, else `../shared/data` beside the workspace; `None`, with a message, where there is none.
pub fn shared_data() -> Option<PathBuf> {
    let folder = std::env::var_os("IMN_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    if folder.join("aspect").is_dir() {
        return Some(folder);
    }
    #[expect(clippy::print_stderr, reason = "says why a test did nothing")]
    {
        eprintln!("skipped: no data at {} (set IMN_DATA)", folder.display());
    }
    None
}
