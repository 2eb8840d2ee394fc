//! Finds the data sets in a folder.

use std::path::{Path, PathBuf};

use crate::data::formats::four_file;
use crate::data::{DataError, DocumentFormat, detect};

/// Data sets found at a path.
#[derive(Debug, Default)]
pub struct Found {
    /// Files and folders that are data sets.
    pub sets: Vec<PathBuf>,
    /// Files of a searched folder that were not recognised as data.
    pub skipped: Vec<PathBuf>,
}

/// Finds the data sets at a path: the path itself, or all sets inside a folder that is no set. A
/// file with the extension of a data format is always a set, even if it is damaged. Other files are
/// recognised by their content.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a.tsv"), "pos\tNice pub\n")?;
/// std::fs::write(folder.path().join("notes.txt"), "nothing here")?;
/// let found = imn::data::check::find_sets(folder.path())?;
/// assert_eq!(found.sets, [folder.path().join("a.tsv")]);
/// assert_eq!(found.skipped, [folder.path().join("notes.txt")]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If a folder cannot be read or contains no data set.
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
