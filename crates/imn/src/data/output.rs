//! Files out, through [`imn_io`]: a conversion that fails halfway leaves what was there before.

use std::io::Write;
use std::path::{Path, PathBuf};

use imn_io::{AtomicFile, OutputFile};

use super::formats::four_file;
use super::{DataError, DataFormat};

/// Writes one file by `fill`, compressed as its extension says; if `fill` fails, what was there stays.
pub(super) fn write_beside<T>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<T, DataError>,
) -> Result<T, DataError> {
    let mut file = OutputFile::create(path).map_err(DataError::io(path))?;
    let value = fill(&mut file)?;
    file.finish().map_err(DataError::io(path))?;
    Ok(value)
}

/// Writes several files, or none of them: they are moved to their places when all are written.
pub(super) fn write_together(files: &[(PathBuf, String)]) -> Result<(), DataError> {
    let mut complete = Vec::new();
    for (path, text) in files {
        let mut file = AtomicFile::create(path).map_err(DataError::io(path))?;
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

/// Refuses to write sentences over something of another kind.
pub(super) fn check_target(path: &Path, format: DataFormat) -> Result<(), DataError> {
    let refuse = |reason: &str| {
        Err(DataError::Target {
            path: path.to_owned(),
            reason: reason.to_owned(),
        })
    };
    if format == DataFormat::FourFile {
        if path.is_file() {
            return refuse("is a file, and the four-file layout is a folder (name another)");
        }
        let empty = std::fs::read_dir(path).map_or(true, |mut all| all.next().is_none());
        if !empty && four_file::folder_of(path).is_none() {
            return refuse(
                "the folder holds something other than a four-file set (name a new one)",
            );
        }
        return Ok(());
    }
    if path.is_dir() {
        return refuse("is a folder, and this format is one file (name a file)");
    }
    if four_file::is_part(path) {
        return refuse("is part of a four-file set, which this would destroy (name another file)");
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
    fn a_failure_leaves_what_was_there() {
        let here = tempfile::tempdir().unwrap();
        let path = here.path().join("keep.tsv.gz");
        std::fs::write(&path, "before").unwrap();
        let failed: Result<(), _> = write_beside(&path, |out| {
            out.write_all(b"half").map_err(DataError::io(&path))?;
            Err(DataError::Empty { path: path.clone() })
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "before");
        assert_eq!(names(here.path()), ["keep.tsv.gz"]);
    }

    #[test]
    fn several_files_come_together_or_not_at_all() {
        let here = tempfile::tempdir().unwrap();
        let good = here.path().join("a.txt");
        let bad = here.path().join("nowhere/b.txt");
        let both = [(good.clone(), "a".to_owned()), (bad, "b".to_owned())];
        assert!(write_together(&both).is_err());
        assert!(names(here.path()).is_empty());
        assert!(write_together(&both[..1]).is_ok());
        assert_eq!(std::fs::read_to_string(good).unwrap(), "a");
    }
}
