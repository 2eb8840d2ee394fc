//! Checks of the paths that a job writes, before it touches any file.

use std::fs;
use std::path::{Path, PathBuf};

use imn_io::output::is_device;

use super::{IfExists, Job, OutputTarget};
use crate::BatchError;
use crate::journal::Journal;
use crate::write::OutputFormat;

/// The longest chain of symbolic links that is followed.
const MOST_LINKS: usize = 40;

impl Job<'_> {
    /// Refuses to overwrite an input, to write two outputs to one file, or to overwrite an existing
    /// file unless the user allows it.
    pub(super) fn check_outputs(&self) -> Result<(), BatchError> {
        let output = match &self.output {
            OutputTarget::File(path) => Some(path.as_path()),
            OutputTarget::Stdout => None,
        };
        // Checked before the journal is written, so that the failed job leaves nothing to resume.
        if let Some(path) = output
            && cfg!(not(feature = "parquet"))
            && self.write.format == OutputFormat::Parquet
        {
            return Err(BatchError::NoParquet {
                path: path.to_owned(),
            });
        }
        let inputs = self.sources.iter().filter_map(|source| source.input.path());
        let paths = OutputPaths {
            inputs: inputs.collect(),
            output,
            errors: self.errors.as_deref(),
        };
        paths.check(self.if_exists)
    }
}

/// The files that a job reads and writes.
struct OutputPaths<'a> {
    inputs: Vec<&'a Path>,
    output: Option<&'a Path>,
    errors: Option<&'a Path>,
}

impl OutputPaths<'_> {
    fn check(&self, if_exists: IfExists) -> Result<(), BatchError> {
        let inputs: Vec<PathBuf> = self.inputs.iter().map(|path| resolved(path)).collect();
        for path in [self.output, self.errors].into_iter().flatten() {
            // Writing to a device overwrites nothing.
            if is_device(path) {
                continue;
            }
            // The operating system would name the temporary file, not the folder.
            let folder = path.parent().filter(|folder| *folder != Path::new(""));
            if let Some(folder) = folder.filter(|folder| !folder.exists()) {
                return Err(BatchError::NoFolder {
                    path: path.to_owned(),
                    folder: folder.to_owned(),
                });
            }
            let path = path.to_owned();
            if inputs.contains(&resolved(&path)) {
                return Err(BatchError::IsInput { path });
            }
            let resumable = Journal::unfinished(&path);
            if if_exists == IfExists::Refuse && (path.is_file() || resumable) {
                return Err(BatchError::Exists { path, resumable });
            }
        }
        if let (Some(output), Some(errors)) = (self.output, self.errors)
            && !is_device(output)
            && resolved(output) == resolved(errors)
        {
            return Err(BatchError::ErrorsToOutput {
                output: output.to_owned(),
                errors: errors.to_owned(),
            });
        }
        Ok(())
    }
}

/// The absolute path of a file that may not exist yet, without symbolic links.
fn resolved(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // Canonicalizing fails if the last link of the chain leads to a file that does not exist.
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    if let Ok(path) = fs::canonicalize(&path) {
        return path;
    }
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")));
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a job that reads `in.csv`, in a folder with the files `in.csv` and `old.jsonl`.
    fn check(
        output: Option<&str>,
        errors: Option<&str>,
        if_exists: IfExists,
    ) -> Result<(), BatchError> {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        fs::create_dir(at.join("sub")).unwrap();
        fs::write(at.join("in.csv"), "text\n").unwrap();
        fs::write(at.join("old.jsonl"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("new.jsonl", at.join("link.jsonl")).unwrap();
        let (output, errors) = (output.map(|p| at.join(p)), errors.map(|p| at.join(p)));
        let input = at.join("in.csv");
        let paths = OutputPaths {
            inputs: vec![&input],
            output: output.as_deref(),
            errors: errors.as_deref(),
        };
        paths.check(if_exists)
    }

    #[test]
    fn an_input_is_never_written() {
        for if_exists in [IfExists::Refuse, IfExists::Overwrite, IfExists::Resume] {
            for (output, errors) in [
                (Some("in.csv"), None),
                (None, Some("in.csv")),
                (None, Some("sub/../in.csv")),
                (Some("new.csv"), Some("in.csv")),
            ] {
                let error = check(output, errors, if_exists).unwrap_err();
                let is_input = matches!(error, BatchError::IsInput { .. });
                assert!(is_input, "{output:?} {errors:?}: {error}");
            }
        }
    }

    #[test]
    fn existing_files_are_overwritten_only_if_allowed() {
        for (output, errors) in [
            (Some("old.jsonl"), None),
            (None, Some("old.jsonl")),
            (Some("new.jsonl"), Some("old.jsonl")),
        ] {
            let error = check(output, errors, IfExists::Refuse).unwrap_err();
            assert!(matches!(error, BatchError::Exists { .. }), "{error}");
            check(output, errors, IfExists::Overwrite).unwrap();
        }
        check(None, Some("new.jsonl"), IfExists::Refuse).unwrap();
        let error = check(None, Some("none/new.jsonl"), IfExists::Refuse).unwrap_err();
        assert!(matches!(error, BatchError::NoFolder { .. }), "{error}");
    }

    #[test]
    fn output_and_errors_are_different_files() {
        let mut same = vec![
            ("new.jsonl", "new.jsonl"),
            ("new.jsonl", "./new.jsonl"),
            ("sub/new.jsonl", "sub/../sub/new.jsonl"),
            ("old.jsonl", "sub/../old.jsonl"),
        ];
        if cfg!(unix) {
            same.push(("new.jsonl", "link.jsonl"));
        }
        for (output, errors) in same {
            let error = check(Some(output), Some(errors), IfExists::Overwrite).unwrap_err();
            let refused = matches!(error, BatchError::ErrorsToOutput { .. });
            assert!(refused, "{output} {errors}: {error}");
        }
        check(
            Some("new.jsonl"),
            Some("sub/new.jsonl"),
            IfExists::Overwrite,
        )
        .unwrap();
        if cfg!(unix) {
            check(Some("/dev/null"), Some("/dev/null"), IfExists::Refuse).unwrap();
        }
    }
}
