//! Files out: written beside their place and moved there when they are whole.
//!
//! A conversion that fails half-way must neither destroy what was there before nor leave half a file that reads like a whole
//! one. So everything goes to `NAME.partial` first. Devices and pipes (`/dev/stdout`) cannot be replaced and are
//! written directly.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::formats::four_file;
use super::{Compression, DataError, Format};

/// Writes one file by `fill`, packed as its name says; on failure what was there stays.
pub(super) fn write_beside<T>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<T, DataError>,
) -> Result<T, DataError> {
    let there = std::fs::metadata(path).ok();
    if there.is_some_and(|there| !there.is_file()) {
        let file = File::options().write(true).open(path);
        return pack(file.map_err(DataError::io(path))?, path, fill);
    }
    let (partial, target) = partial_of(path);
    let done = File::create(&partial)
        .map_err(DataError::io(path))
        .and_then(|file| pack(file, path, fill))
        .and_then(|value| {
            std::fs::rename(&partial, &target).map_err(DataError::io(path))?;
            Ok(value)
        });
    if done.is_err() {
        // It may not exist; the first error is the one to tell.
        let _ = std::fs::remove_file(&partial);
    }
    done
}

/// Writes several files, or none of them: they are moved to their places when all are whole.
pub(super) fn write_together(files: &[(PathBuf, String)]) -> Result<(), DataError> {
    let places: Vec<(PathBuf, PathBuf)> = files.iter().map(|(path, _)| partial_of(path)).collect();
    let write = || {
        for ((path, text), (partial, _)) in files.iter().zip(&places) {
            std::fs::write(partial, text).map_err(DataError::io(path))?;
        }
        for (partial, target) in &places {
            std::fs::rename(partial, target).map_err(DataError::io(target))?;
        }
        Ok(())
    };
    let done = write();
    if done.is_err() {
        for (partial, _) in &places {
            let _ = std::fs::remove_file(partial);
        }
    }
    done
}

/// Where a file is written first, and where it goes: to what a link points at, not over the link.
fn partial_of(path: &Path) -> (PathBuf, PathBuf) {
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    (target.with_file_name(name), target)
}

fn pack<T>(
    file: File,
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<T, DataError>,
) -> Result<T, DataError> {
    let io = || DataError::io(path);
    let mut file = BufWriter::new(file);
    let value = match Compression::of_name(path) {
        Compression::None => fill(&mut file)?,
        Compression::Gzip => {
            let mut packer =
                flate2::write::GzEncoder::new(&mut file, flate2::Compression::default());
            let value = fill(&mut packer)?;
            packer.finish().map_err(io())?;
            value
        }
        Compression::Zstd => {
            let mut packer = zstd::Encoder::new(&mut file, 0).map_err(io())?;
            let value = fill(&mut packer)?;
            packer.finish().map_err(io())?;
            value
        }
    };
    file.flush().map_err(io())?;
    Ok(value)
}

/// Refuses to write sentences over something of another kind.
pub(super) fn check_target(path: &Path, format: Format) -> Result<(), DataError> {
    let refuse = |reason: &str| {
        Err(DataError::Target {
            path: path.to_owned(),
            reason: reason.to_owned(),
        })
    };
    if format == Format::FourFile {
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
