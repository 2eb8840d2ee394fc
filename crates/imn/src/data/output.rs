//! Writes files atomically with [`imn_io`]: a conversion that fails leaves existing files
//! unchanged.

use std::io::Write;
use std::path::{Path, PathBuf};

use imn_io::{AtomicFile, OutputFile};

use super::formats::four_file;
use super::{DataError, DataFormat};

/// Writes one file with `fill`, compressed according to its extension. If `fill` fails, an existing
/// file stays unchanged.
pub(super) fn write_atomic<T>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<T, DataError>,
) -> Result<T, DataError> {
    let mut file = OutputFile::create(path).map_err(DataError::io(path))?;
    let value = fill(&mut file)?;
    file.finish().map_err(DataError::io(path))?;
    Ok(value)
}

/// Writes several files, which are moved into place when all of them are complete.
pub(super) fn write_all_atomic(files: &[(PathBuf, String)]) -> Result<(), DataError> {
    let mut complete = Vec::new();
    for (path, text) in files {
        let mut file = AtomicFile::create(path).map_err(DataError::io(path))?;
        // Synced here, so that a full disk is noticed before the first file is moved.
        file.write_all(text.as_bytes())
            .and_then(|()| file.file().sync_all())
            .map_err(DataError::io(path))?;
        complete.push((path, file));
    }
    for (path, file) in complete {
        file.commit().map_err(DataError::io(path))?;
    }
    Ok(())
}

/// Fails if writing sentences would overwrite something of another kind.
pub(super) fn check_target(path: &Path, format: DataFormat) -> Result<(), DataError> {
    let refuse = |reason: &str| {
        Err(DataError::Target {
            path: path.to_owned(),
            reason: reason.to_owned(),
        })
    };
    if format == DataFormat::FourFile {
        if path.is_file() {
            return refuse("is a file, but the four-file layout is a folder (choose another path)");
        }
        let empty = std::fs::read_dir(path).map_or(true, |mut all| all.next().is_none());
        if !empty && four_file::folder_of(path).is_none() {
            return refuse(
                "the folder has other contents than a four-file set (choose a new folder)",
            );
        }
        return Ok(());
    }
    if path.is_dir() {
        return refuse("is a folder, but this format is one file (choose a file)");
    }
    if four_file::is_part(path) {
        return refuse(
            "is part of a four-file set, which this would destroy (choose another file)",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut all: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        all.sort();
        all
    }

    #[test]
    fn a_failure_leaves_an_existing_file_unchanged() {
        let here = tempfile::tempdir().unwrap();
        let path = here.path().join("keep.tsv.gz");
        std::fs::write(&path, "before").unwrap();
        let failed: Result<(), _> = write_atomic(&path, |out| {
            out.write_all(b"half").map_err(DataError::io(&path))?;
            Err(DataError::Empty { path: path.clone() })
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "before");
        assert_eq!(names(here.path()), ["keep.tsv.gz"]);
    }

    #[test]
    fn several_files_are_written_together_or_not_at_all() {
        let here = tempfile::tempdir().unwrap();
        let good = here.path().join("a.txt");
        let bad = here.path().join("nowhere/b.txt");
        let both = [(good.clone(), "a".to_owned()), (bad, "b".to_owned())];
        assert!(write_all_atomic(&both).is_err());
        assert!(names(here.path()).is_empty());
        assert!(write_all_atomic(&both[..1]).is_ok());
        assert_eq!(std::fs::read_to_string(good).unwrap(), "a");
    }
}
