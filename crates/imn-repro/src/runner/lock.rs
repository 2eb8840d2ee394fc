//! A lock on one network in the work folder, so that no two runs train the same network at once.
//!
//! The lock belongs to an open file, so it works between threads and between processes, and the
//! operating system releases it when a process dies.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::RunError;

/// How often a waiting run tries again.
const PATIENCE: Duration = Duration::from_millis(100);

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub(super) struct PartLock {
    _file: File,
}

impl PartLock {
    /// Waits for the lock on `path`. Returns `None` if `keep_waiting` returns `false` first.
    pub(super) fn wait(
        path: &Path,
        keep_waiting: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Self>, RunError> {
        let io = |error| RunError::Io {
            path: PathBuf::from(path),
            error,
        };
        let file = File::create(path).map_err(io)?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { _file: file })),
                Err(TryLockError::Error(error)) => return Err(io(error)),
                Err(TryLockError::WouldBlock) if !keep_waiting() => return Ok(None),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PATIENCE),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_by_one_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part.lock");
        let held = PartLock::wait(&path, &mut || true).unwrap();
        assert!(held.is_some());
        assert!(PartLock::wait(&path, &mut || false).unwrap().is_none());
        let waiting = std::thread::spawn({
            let path = path.clone();
            move || PartLock::wait(&path, &mut || true).unwrap().is_some()
        });
        drop(held);
        assert!(waiting.join().unwrap());
        let nowhere = PartLock::wait(&folder.path().join("no/part.lock"), &mut || true);
        assert!(matches!(nowhere, Err(RunError::Io { .. })));
    }
}
