//! Writes files atomically with [`imn_io`]: a conversion that fails leaves existing files
//! unchanged. Existing files of another kind are never replaced.

use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};

use imn_io::{AtomicFile, OutputFile};

use super::format::{detect_content, load_text};
use super::formats::four_file;
use super::input::read_head;
use super::{DataError, DataFormat, DocumentFormat, read_documents};

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

/// Fails if writing sentences to `path` would overwrite something that is not in `format`: the
/// format of an existing file is detected from its content. An empty file may be overwritten.
///
/// [`write()`](super::write()) makes the same check. A program that computes for long before it
/// writes can make it first.
///
/// ```
/// use imn::data::{DataFormat, check_target};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("notes.jsonl");
/// std::fs::write(&path, "call the bike shop\n")?;
/// assert!(check_target(&path, DataFormat::Jsonl).is_err());
/// std::fs::write(&path, "{\"text\":\"Nice pub\"}\n")?;
/// assert!(check_target(&path, DataFormat::Jsonl).is_ok());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If something of another kind is there.
pub fn check_target(path: &Path, format: DataFormat) -> Result<(), DataError> {
    if format == DataFormat::FourFile {
        if path.is_file() {
            return refuse(
                path,
                "is a file, but the four-file layout is a folder (choose another path)",
            );
        }
        let empty = std::fs::read_dir(path).map_or(true, |mut all| all.next().is_none());
        if !empty && !four_file::is_set(path) {
            return refuse(
                path,
                "the folder has other contents than a four-file set (choose a new folder)",
            );
        }
        return Ok(());
    }
    check_file(path)?;
    if four_file::is_part(path) {
        return refuse(
            path,
            "is part of a four-file set, which this would destroy (choose another file)",
        );
    }
    if !path.is_file() || is_in_format(path, format)? {
        return Ok(());
    }
    refuse_existing(path, format.name())
}

/// Fails if writing documents to `path` would overwrite anything but documents in this format.
pub(super) fn check_document_target(path: &Path, format: DocumentFormat) -> Result<(), DataError> {
    check_file(path)?;
    if !path.is_file() || is_document_set(path)? {
        return Ok(());
    }
    let name = match format {
        DocumentFormat::Tsv => "documents as .tsv",
        DocumentFormat::Csv => "documents as .csv",
    };
    refuse_existing(path, name)
}

fn check_file(path: &Path) -> Result<(), DataError> {
    if path.is_dir() {
        return refuse(
            path,
            "is a folder, but this format is one file (choose a file)",
        );
    }
    Ok(())
}

/// Whether a file is empty or has sentences in this format.
fn is_in_format(path: &Path, format: DataFormat) -> Result<bool, DataError> {
    let head = match read_head(path) {
        Ok(head) => head,
        Err(error) => return unreadable(error),
    };
    if head.trim().is_empty() {
        // The head has whole lines only, and none of a file whose first line is longer.
        return is_blank(path).map_err(DataError::io(path));
    }
    if detect_content(&head) != Some(format) {
        return Ok(false);
    }
    // `{` and `####` also begin other JSON and Markdown.
    Ok(match format {
        DataFormat::Jsonl | DataFormat::Aste => {
            !load_text(&head, path, format)?.sentences.is_empty()
        }
        _ => true,
    })
}

/// Whether a file has only white space.
fn is_blank(path: &Path) -> std::io::Result<bool> {
    for byte in imn_io::open(path)?.bytes() {
        if !byte?.is_ascii_whitespace() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// How many rows of a file are read to tell what it is.
const HEAD_ROWS: usize = 100;

/// Whether a file is empty or begins with labelled documents. A table with other columns has more
/// to lose than documents.
fn is_document_set(path: &Path) -> Result<bool, DataError> {
    let documents = match read_documents(path) {
        Ok(documents) => documents,
        Err(DataError::Empty { .. }) => return Ok(true),
        Err(error) => return unreadable(error),
    };
    for document in documents.take(HEAD_ROWS) {
        match document {
            Ok(document) if document.other_columns == 0 => {}
            Ok(_) => return Ok(false),
            Err(error) => return unreadable(error),
        }
    }
    Ok(true)
}

/// A damaged file or one in another encoding is not in the format. A file that cannot be opened is
/// an error.
fn unreadable(error: DataError) -> Result<bool, DataError> {
    error.into_problem().map(|_| false)
}

fn refuse<T>(path: &Path, reason: impl Into<String>) -> Result<T, DataError> {
    Err(DataError::Target {
        path: path.to_owned(),
        reason: reason.into(),
    })
}

fn refuse_existing<T>(path: &Path, name: &str) -> Result<T, DataError> {
    let reason = format!(
        "exists, and its content is not {name} (choose another file, or remove this one first)"
    );
    refuse(path, reason)
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

    #[test]
    fn only_documents_without_other_columns_are_replaced() {
        let here = tempfile::tempdir().unwrap();
        let path = here.path().join("a.csv");
        for (content, is_replaced) in [
            ("", true),
            ("label,text\npos,Nice pub\n", true),
            ("text,stars\nNice pub,5\n", true),
            ("id,text,stars\n1,Nice pub,5\n", false),
            ("label,text\npos,Nice pub\nmaybe,Nice pub\n", false),
            ("text,author\nNice pub,Ann\n", false),
            ("notes\n", false),
        ] {
            std::fs::write(&path, content).unwrap();
            let checked = check_document_target(&path, DocumentFormat::Csv);
            assert_eq!(checked.is_ok(), is_replaced, "{content}");
        }
    }

    #[test]
    fn only_files_of_the_same_format_are_replaced() {
        let here = tempfile::tempdir().unwrap();
        let examples = [
            (DataFormat::Jsonl, "{\"text\":\"Nice pub\"}\n"),
            (DataFormat::Aste, "nice pub####[]\n"),
            (DataFormat::Conll, "nice\tO\npub\tB\n"),
            (
                DataFormat::Semeval14,
                "<?xml version=\"1.0\"?>\n<sentences/>",
            ),
            (DataFormat::Semeval15, "<Reviews></Reviews>"),
        ];
        let others = [
            "notes\n",
            "{\"schema\":1,\"row\":1,\"text\":\"Nice pub\"}\n",
            "{\"name\":\"package\"}\n",
            "#### A title\n",
            "<html/>",
            "caf\u{0}\n",
        ];
        // The extension says nothing about the content.
        for name in ["a", "a.jsonl", "a.conll"] {
            let path = here.path().join(name);
            for (to, _) in examples {
                assert!(check_target(&path, to).is_ok());
                for (from, content) in examples {
                    std::fs::write(&path, content).unwrap();
                    assert_eq!(check_target(&path, to).is_ok(), from == to, "{from} {to}");
                }
                for content in others {
                    std::fs::write(&path, content).unwrap();
                    assert!(check_target(&path, to).is_err(), "{name} {to} {content}");
                }
                std::fs::write(&path, [0xff, 0xfe, 0x00, 0x80]).unwrap();
                assert!(check_target(&path, to).is_err());
                std::fs::write(&path, "[1, ".repeat(1 << 19)).unwrap();
                assert!(check_target(&path, to).is_err());
                std::fs::write(&path, "\n").unwrap();
                assert!(check_target(&path, to).is_ok());
                std::fs::remove_file(&path).unwrap();
            }
        }
    }

    #[test]
    fn only_document_sets_are_replaced_by_documents() {
        let here = tempfile::tempdir().unwrap();
        for (name, format, good, bad) in [
            (
                "a.tsv",
                DocumentFormat::Tsv,
                "pos\tgood\n",
                "call the shop\n",
            ),
            (
                "a.csv",
                DocumentFormat::Csv,
                "text,stars\ngood,5\n",
                "name,price\nlamp,5\n",
            ),
        ] {
            let path = here.path().join(name);
            for (content, fits) in [(good, true), ("", true), (bad, false)] {
                std::fs::write(&path, content).unwrap();
                let checked = check_document_target(&path, format);
                assert_eq!(checked.is_ok(), fits, "{content}");
            }
        }
    }
}
