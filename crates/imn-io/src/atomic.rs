//! Atomic file replacement.
//!
//! The new content is written to a temporary file in the destination's folder, synced to disk, and
//! renamed; then the folder is synced (on Unix). A reader sees either the old file or the new one,
//! even after a crash, and once [`AtomicFile::commit`] returns, the new file is durable.
//!
//! If the destination is a symbolic link, its target is replaced and the link stays. A file that is
//! dropped before `commit` leaves nothing behind. A killed process leaves a hidden
//! `.NAME.RANDOM.partial`, which [`remove_stale`] removes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// The suffix of temporary files.
const SUFFIX: &str = ".partial";

/// The longest chain of symbolic links that is followed.
const MOST_LINKS: usize = 40;

/// A file that appears at its destination only when it is complete.
///
/// ```
/// use std::io::Write as _;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.txt");
/// let mut file = imn_io::AtomicFile::create(&path)?;
/// file.write_all(b"complete")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"complete");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    temporary: NamedTempFile,
    destination: PathBuf,
}

impl AtomicFile {
    /// Creates the temporary file of a new file at `path`.
    ///
    /// # Errors
    /// If no file can be created in the folder of `path`.
    pub fn create(path: &Path) -> io::Result<Self> {
        let destination = resolve(path);
        let mut builder = tempfile::Builder::new();
        let prefix = format!(".{}.", stem(&destination));
        builder.prefix(&prefix).suffix(SUFFIX);
        // Temporary files are private by default, but this one becomes an ordinary file.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let temporary = builder.tempfile_in(folder(&destination))?;
        Ok(Self {
            temporary,
            destination,
        })
    }

    /// The temporary file.
    #[must_use]
    pub fn file(&self) -> &File {
        self.temporary.as_file()
    }

    /// Another handle of the temporary file, for writers that need to own one.
    ///
    /// # Errors
    /// If the operating system cannot duplicate the handle.
    pub fn try_clone_file(&self) -> io::Result<File> {
        self.temporary.as_file().try_clone()
    }

    /// The path of the temporary file.
    #[must_use]
    pub fn temporary_path(&self) -> &Path {
        self.temporary.path()
    }

    /// Syncs the file, renames it to its destination and syncs the folder.
    ///
    /// # Errors
    /// If one of these steps fails. If the file cannot be renamed, it is removed.
    pub fn commit(self) -> io::Result<()> {
        self.temporary.as_file().sync_all()?;
        self.temporary
            .persist(&self.destination)
            .map_err(|error| error.error)?;
        sync_folder(folder(&self.destination))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.as_file_mut().flush()
    }
}

/// Writes a file atomically.
///
/// # Errors
/// If it cannot be written. An existing file stays as it was.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    file.commit()
}

/// Writes a file atomically with a writer that takes a path. The writer must write to the existing
/// file at that path, not replace it.
///
/// # Errors
/// If it cannot be written. An existing file stays as it was.
pub fn write_at<E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let file = AtomicFile::create(path)?;
    fill(file.temporary_path())?;
    Ok(file.commit()?)
}

/// Removes temporary files that killed processes left for this destination. No other process may
/// write the destination at the same time.
///
/// # Errors
/// If the folder cannot be read or a file cannot be removed. A missing folder is not an error.
pub fn remove_stale(path: &Path) -> io::Result<()> {
    let destination = resolve(path);
    let stem = stem(&destination);
    let entries = match fs::read_dir(folder(&destination)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_str().and_then(destination_of) == Some(&stem) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// The name of the destination if a file name is that of a temporary file. Only the first 100 bytes
/// of the name of a destination are known.
///
/// ```
/// use imn_io::atomic::destination_of;
/// assert_eq!(destination_of(".a.txt.x4BfQ2.partial"), Some("a.txt"));
/// assert_eq!(destination_of("a.txt.partial"), None);
/// ```
#[must_use]
pub fn destination_of(temporary: &str) -> Option<&str> {
    let name = temporary.strip_prefix('.')?.strip_suffix(SUFFIX)?;
    Some(name.rsplit_once('.')?.0)
}

/// The target of a symbolic link, even if it does not exist yet; any other path as it is.
fn resolve(path: &Path) -> PathBuf {
    let mut resolved = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&resolved) else {
            return resolved;
        };
        // An absolute target replaces the folder.
        resolved = folder(&resolved).join(target);
    }
    path.to_owned()
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The name of a destination in that of its temporary file: short enough for any file system.
fn stem(path: &Path) -> String {
    const LONGEST: usize = 100;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let end = (0..=name.len().min(LONGEST)).rfind(|&at| name.is_char_boundary(at));
    name[..end.unwrap_or(0)].to_owned()
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    // A folder may be writable but not readable, and some file systems cannot sync one.
    let Ok(folder) = File::open(folder) else {
        return Ok(());
    };
    match folder.sync_all() {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut all: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        all.sort();
        all
    }

    #[test]
    fn a_file_is_replaced_when_it_is_complete() {
        let here = tempfile::tempdir().unwrap();
        let path = here.path().join("a.txt");
        fs::write(&path, "before").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        assert_eq!(names(here.path()), ["a.txt"]);
        write(&path, b"after").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "after");
        assert_eq!(names(here.path()), ["a.txt"]);
        let at = |place: &Path| fs::write(place, "again");
        write_at(&path, at).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "again");
        assert!(write(&here.path().join("nowhere/a.txt"), b"x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_its_target_is_replaced() {
        let here = tempfile::tempdir().unwrap();
        let (target, link) = (here.path().join("target"), here.path().join("link"));
        fs::create_dir(here.path().join("sub")).unwrap();
        std::os::unix::fs::symlink("sub/link", &link).unwrap();
        std::os::unix::fs::symlink(&target, here.path().join("sub/link")).unwrap();
        // The target does not exist at first.
        for text in ["one", "two"] {
            write(&link, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&target).unwrap(), text);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_file_has_ordinary_permissions() {
        use std::os::unix::fs::PermissionsExt as _;
        let here = tempfile::tempdir().unwrap();
        let (ours, plain) = (here.path().join("ours"), here.path().join("plain"));
        write(&ours, b"x").unwrap();
        fs::write(&plain, "x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }

    #[test]
    fn what_a_killed_process_left_is_removed() {
        let here = tempfile::tempdir().unwrap();
        let path = here.path().join("a.txt");
        let (_, left) = AtomicFile::create(&path).unwrap().temporary.keep().unwrap();
        assert!(left.exists());
        fs::write(here.path().join(".a.txt.journal.abc.partial"), "").unwrap();
        fs::write(here.path().join("a.txt.partial"), "").unwrap();
        remove_stale(&path).unwrap();
        let kept = [".a.txt.journal.abc.partial", "a.txt.partial"];
        assert_eq!(names(here.path()), kept);
        remove_stale(&here.path().join("nowhere/a.txt")).unwrap();
    }

    #[test]
    fn long_names_are_no_problem() {
        let here = tempfile::tempdir().unwrap();
        let path = here.path().join("é".repeat(120));
        write(&path, b"x").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"x");
    }
}
