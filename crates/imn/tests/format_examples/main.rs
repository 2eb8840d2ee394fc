//! Every format by example: what is read, what is corrected, and the texts of errors.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may fail the test")]

mod documents;
mod four_files;
mod tables;
mod xml;

use imn::data::{AnnotatedSentence, read};

fn read_str(name: &str, content: impl AsRef<[u8]>) -> Result<Vec<AnnotatedSentence>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    let home = format!("{}{}", folder.path().display(), std::path::MAIN_SEPARATOR);
    read(&path).map_err(|error| error.to_string().replace(&home, ""))
}
