//! The modules of the crate depend on each other in one direction only, in the order of the table
//! on the crate's documentation page.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

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
            for below in &order[at + 1..] {
                let uses = text.contains(&format!("crate::{below}::"));
                assert!(!uses, "{} uses {below}", file.display());
            }
        }
    }
}
