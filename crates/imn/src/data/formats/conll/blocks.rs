//! Splits the lines of a file into one block per sentence.

use std::path::Path;

use crate::data::draft::Report;
use crate::data::input::lines;
use crate::data::{Loaded, Place, ProblemKind};

pub(super) fn split(line: &str) -> Vec<&str> {
    if line.contains('\t') {
        line.split('\t').map(str::trim_end).collect()
    } else {
        line.split_whitespace().collect()
    }
}

/// Parses `# key = value`. A token line of a file with tabs always has a tab; a comment never has
/// one.
pub(super) fn comment(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line
        .strip_prefix("# ")?
        .split_once(" = ")
        .or_else(|| line.strip_prefix("# ")?.split_once(" ="))?;
    (!line.contains('\t') && matches!(key, "columns" | "id" | "text" | "links" | "review"))
        .then_some((key, value))
}

/// The rows of a sentence and the comments before it.
#[derive(Default)]
pub(super) struct Block<'a> {
    pub(super) line: usize,
    pub(super) id: Option<&'a str>,
    pub(super) review: Option<&'a str>,
    pub(super) text: Option<&'a str>,
    pub(super) links: Option<&'a str>,
    pub(super) rows: Vec<(usize, Vec<&'a str>)>,
}

/// The sentences of a file.
pub(super) struct Blocks<'a> {
    /// Line number and column names of `# columns = ...`, if there is such a line.
    pub(super) head: Option<(usize, &'a str)>,
    pub(super) all: Vec<Block<'a>>,
}

/// Splits a file into sentences.
pub(super) fn split_blocks<'a>(text: &'a str, path: &Path, loaded: &mut Loaded) -> Blocks<'a> {
    let mut head: Option<(usize, &str)> = None;
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut block = Block::default();
    for (number, line) in lines(text) {
        if line.trim().is_empty() {
            if !block.rows.is_empty() {
                blocks.push(std::mem::take(&mut block));
            }
        } else if let Some((key, value)) = comment(line).filter(|_| block.rows.is_empty()) {
            match key {
                "columns" => head = Some((number, value)),
                "id" => block.id = Some(value),
                "review" => block.review = Some(value),
                "text" => block.text = Some(value),
                _ => block.links = Some(value),
            }
        } else if let Some((key, _)) = comment(line) {
            let fix = "move it before the first token; an empty line ends a sentence";
            Report {
                place: Place::new(path, number),
                problems: &mut loaded.problems,
            }
            .refuse::<()>(
                ProblemKind::Malformed,
                format!("line \"# {key} =\" inside a sentence"),
                fix,
            );
        } else if !line.starts_with("-DOCSTART-") {
            if block.rows.is_empty() {
                block.line = number;
            }
            block.rows.push((number, split(line)));
        }
    }
    if !block.rows.is_empty() {
        blocks.push(block);
    }
    Blocks { head, all: blocks }
}
