//! No line of code or prose is longer than 100 columns.
//!
//! Exceptions: tables and fenced blocks of Markdown, lines with a URL, and generated files or data.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::{Path, PathBuf};

const MAX_COLUMNS: usize = 100;
const EXTENSIONS: [&str; 5] = ["rs", "toml", "sh", "py", "md"];

/// Folders without files of our own writing.
const SKIPPED: [&str; 4] = ["target", ".git", "snapshots", "node_modules"];

/// A script that contains a data set.
const DATA_SCRIPT: &str = "crates/imn/tests/pairing/write.py";

/// Whether `imn reproduce` writes this page: results/RECIPE/TABLE.md.
fn is_table_page(name: &Path) -> bool {
    let folders: Vec<_> = name.iter().collect();
    folders.len() == 3 && folders[0] == "results" && folders[1] != "studies"
}

fn find_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !SKIPPED.contains(&name.as_str()) {
                find_files(&path, found);
            }
        } else if path
            .extension()
            .is_some_and(|it| EXTENSIONS.iter().any(|one| it == *one))
        {
            found.push(path);
        }
    }
}

/// The numbers and lengths of the lines that are too long.
fn long_lines(text: &str, is_markdown: bool) -> Vec<(usize, usize)> {
    let mut is_fenced = false;
    let mut long = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let content = line
            .trim_start()
            .trim_start_matches(['/', '!', '#'])
            .trim_start();
        is_fenced ^= is_markdown && content.starts_with("```");
        let is_table = content.starts_with('|');
        let columns = line.chars().count();
        if columns > MAX_COLUMNS && !is_fenced && !is_table && !line.contains("://") {
            long.push((number, columns));
        }
    }
    long
}

#[test]
fn lines_have_at_most_100_columns() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    find_files(&root, &mut files);
    assert!(files.len() > 200, "{} files", files.len());
    let mut found = Vec::new();
    for path in files {
        let name = path.strip_prefix(&root).unwrap();
        if name == Path::new(DATA_SCRIPT) || is_table_page(name) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let is_markdown = path.extension().is_some_and(|it| it == "md");
        for (line, columns) in long_lines(&text, is_markdown) {
            found.push(format!("{}:{line}: {columns} columns", name.display()));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn tables_urls_and_fenced_blocks_may_be_longer() {
    let long = "x".repeat(101);
    assert_eq!(long_lines(&format!("a\n{long}\n"), true), [(2, 101)]);
    assert_eq!(long_lines(&"é".repeat(100), true), []);
    assert_eq!(long_lines(&format!("| {long} |"), true), []);
    assert_eq!(long_lines(&format!("/// | {long} |"), false), []);
    assert_eq!(
        long_lines(&format!("see https://example.org/{long}"), true),
        []
    );
    let fenced = format!("```text\n{long}\n```\n{long}\n");
    assert_eq!(long_lines(&fenced, true), [(4, 101)]);
    assert_eq!(long_lines(&fenced, false).len(), 2);
}
