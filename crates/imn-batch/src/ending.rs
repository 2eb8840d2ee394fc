//! What the name of a file says about its form.

use std::path::Path;

/// The ending of a name in small letters, one of packing (`.gz`, `.zst`) put aside.
pub(crate) fn ending(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let name = name.strip_suffix(".zst").unwrap_or(name);
    Some(name.rsplit_once('.')?.1.to_owned())
}
