//! The modules of the crate depend on each other in one direction only, in the order of the table
//! on the crate's documentation page.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The top-level modules that a source file names after `crate::`, also in groups.
fn modules_used(text: &str) -> BTreeSet<&str> {
    let mut used = BTreeSet::new();
    for (at, prefix) in text.match_indices("crate::") {
        if text[..at].ends_with(is_word) {
            continue;
        }
        let path = &text[at + prefix.len()..];
        match path.strip_prefix('{') {
            Some(group) => used.extend(first_names(group)),
            None => {
                used.insert(first_name(path));
            }
        }
    }
    used
}

/// The first name of every path in a group, up to the closing brace.
fn first_names(group: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let (mut depth, mut in_path) = (0, false);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => in_path = false,
            _ if depth == 0 && !in_path && is_word(character) => {
                in_path = true;
                names.push(first_name(&group[at..]));
            }
            _ => {}
        }
    }
    names
}

fn first_name(path: &str) -> &str {
    path.split(|character| !is_word(character))
        .next()
        .unwrap_or_default()
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[test]
fn uses_are_found_in_every_form() {
    let text = "use crate::predict;
        use crate::{
            config as settings,
            train::{Event, data::Corpus},
            model,
        };
        fn a() { crate::bundle::Model::built_in(); other_crate::render::b(); }
        use crate::eval::{text, Calibration};";
    let used = ["bundle", "config", "eval", "model", "predict", "train"];
    assert_eq!(modules_used(text), BTreeSet::from(used));
}

#[test]
fn a_module_uses_only_modules_above_it_in_the_table() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let page = std::fs::read_to_string(src.join("lib.rs")).unwrap();
    let order: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("//! | [`")?.split('`').next())
        .collect();
    let declared = page.lines().filter(|line| line.starts_with("pub mod "));
    assert_eq!(declared.count(), order.len(), "{order:?}");
    for (at, module) in order.iter().enumerate() {
        let mut files = Vec::new();
        sources(&src.join(module), &mut files);
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let used = modules_used(&text);
            for below in &order[at + 1..] {
                assert!(!used.contains(below), "{} uses {below}", file.display());
            }
        }
    }
}
