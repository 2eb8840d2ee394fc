//! Shared by the tests of the commands on data.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the program.
pub fn imn(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_imn"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("IMN_DATA")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Its standard output.
pub fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

/// Its standard error.
pub fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// Its exit code.
pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// Writes a four-file set.
pub fn four_files(folder: &Path, contents: [&str; 4]) {
    std::fs::create_dir_all(folder).unwrap();
    for (name, content) in [
        "sentence.txt",
        "target.txt",
        "opinion.txt",
        "target_polarity.txt",
    ]
    .iter()
    .zip(contents)
    {
        std::fs::write(folder.join(name), content).unwrap();
    }
}

/// Two sentences with every kind of tag.
pub const TRAIN: [&str; 4] = [
    "warm bread and cold tea\nnice staff\n",
    "0 1 0 0 1\n0 1\n",
    "1 0 0 1 0\n1 0\n",
    "0 1 0 0 2\n0 1\n",
];
