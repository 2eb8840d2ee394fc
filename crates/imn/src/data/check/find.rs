//! Which files and folders below a path are data sets.

use std::path::{Path, PathBuf};

use crate::data::formats::four_file;
use crate::data::{DataError, DocumentFormat, detect};

/// What a path means.
#[derive(Debug, Default)]
pub struct Found {
    /// Files and folders to be read as data.
    pub sets: Vec<PathBuf>,
    /// Files of a searched folder that are no data as far as can be told.
    pub skipped: Vec<PathBuf>,
}

/// The sets that a path means: itself, or all that lie in a folder that is no set. A file whose name says that it is data
/// is one, however damaged; others are told by their content.
pub fn find_sets(path: &Path) -> Result<Found, DataError> {
    let mut found = Found::default();
    if !path.is_dir() || four_file::folder_of(path).is_some() {
        found.sets.push(path.to_owned());
        return Ok(found);
    }
    search(path, &mut found)?;
    if found.sets.is_empty() {
        let reason = "no data set in this folder".to_owned();
        return Err(DataError::UnknownFormat {
            path: path.to_owned(),
            reason,
        });
    }
    Ok(found)
}

fn search(folder: &Path, found: &mut Found) -> Result<(), DataError> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .and_then(|all| all.map(|entry| entry.map(|e| e.path())).collect())
        .map_err(DataError::io(folder))?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            if four_file::folder_of(&entry).is_some() {
                found.sets.push(entry);
            } else {
                search(&entry, found)?;
            }
            continue;
        }
        let named = imn_io::extension(&entry).is_some_and(|ending| {
            matches!(
                ending.as_str(),
                "jsonl" | "ndjson" | "conll" | "iob" | "bio" | "aste" | "xml"
            )
        });
        let is_set = DocumentFormat::of_path(&entry).is_some()
            || match detect(&entry) {
                Ok(_) => true,
                Err(DataError::UnknownFormat { .. }) => false,
                Err(_) => named,
            };
        if is_set {
            found.sets.push(entry);
        } else {
            found.skipped.push(entry);
        }
    }
    Ok(())
}
