//! Every example runs and prints the expected results.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::process::Command;

fn run(binary: &str) -> String {
    let output = Command::new(binary).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn analyze_finds_aspects_and_opinions() {
    let found = run(env!("CARGO_BIN_EXE_analyze"));
    assert!(
        found.contains("ramen is positive, because of: wonderful"),
        "{found}"
    );
    assert!(
        found.contains("waiter is negative, because of: ignored"),
        "{found}"
    );
}

#[test]
fn train_fits_its_labels() {
    let found = run(env!("CARGO_BIN_EXE_train"));
    assert!(found.contains("camping stove: negative"), "{found}");
}

#[test]
fn add_a_system_fits_its_labels() {
    let found = run(env!("CARGO_BIN_EXE_add_a_system"));
    assert!(found.contains("F1 of aspects: 100.0"), "{found}");
}
