//! Output for people: terminal, HTML, explanations.

use std::path::Path;

use serde_json::Value;

use crate::common::{RAMEN, SENTENCE, built_in, imn, succeed, text};

#[test]
fn pretty_output_has_colours_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let plain = succeed(at, &[SENTENCE, "--to", "pretty"]);
    assert!(plain.starts_with(&format!("{SENTENCE}\n")), "{plain}");
    let line = plain
        .lines()
        .find(|line| line.contains("negative"))
        .unwrap();
    assert!(line.contains("staff") && line.contains("awful"), "{line}");
    assert!(!plain.contains('\u{1b}'));
    let coloured = succeed(at, &[SENTENCE, "--to", "pretty", "--color", "always"]);
    assert!(coloured.contains("\u{1b}[1m\u{1b}[32msoup"), "{coloured:?}");
    for (variable, has_colours) in [("CLICOLOR_FORCE", true), ("NO_COLOR", false)] {
        let mut command = imn(at, &[SENTENCE, "--to", "pretty"]);
        let command = command.env_remove("NO_COLOR").env("CLICOLOR_FORCE", "1");
        let output = command.env(variable, "1").output().unwrap();
        let has_escapes = output.stdout.contains(&0x1b);
        assert_eq!(has_escapes, has_colours, "{variable}");
    }
    // Control characters of a text must not reach the terminal.
    let hostile = succeed(at, &["a \u{1b}[31m soup \u{7}", "--to", "pretty"]);
    assert!(!hostile.contains(['\u{1b}', '\u{7}']), "{hostile:?}");
}

#[test]
fn the_readme_shows_the_real_output() {
    let output = built_in(&[RAMEN, "--to", "pretty", "--color", "never"]);
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let shown = format!("```text\n{}```", text(&output.stdout));
    assert!(readme.contains(&shown), "{shown}");
}

#[test]
fn explanations_are_added_to_formats_that_can_hold_them() {
    let output = built_in(&[RAMEN, "--explain"]);
    let review: Value = serde_json::from_slice(&output.stdout).unwrap();
    let sentence = &review["explanation"]["sentences"][0];
    assert_eq!(sentence["tokens"].as_array().unwrap().len(), 11);
    assert_eq!(sentence["rounds"].as_array().unwrap().len(), 3);
    let pretty = built_in(&[RAMEN, "--explain", "--to", "pretty"]);
    let pretty = text(&pretty.stdout);
    assert!(
        pretty.contains("round") && !pretty.contains('\u{1b}'),
        "{pretty}"
    );
    let page = built_in(&[RAMEN, "--explain", "--to", "html"]);
    assert!(text(&page.stdout).contains("<svg"));
    let table = built_in(&[RAMEN, "--explain", "--to", "csv"]);
    assert_eq!(table.status.code(), Some(2));
    assert!(text(&table.stderr).contains("tables cannot hold explanations"));
}

#[test]
fn the_threshold_applies_to_explanations() {
    // The last lines of an explanation name its aspects: `ramen: positive 93 % ← wonderful`.
    let found = |format: &str, threshold: &str| {
        let arguments = ["--explain", "--to", format, "--min-confidence", threshold];
        let output = built_in(&[&[RAMEN][..], &arguments].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let shown = text(&output.stdout);
        (
            shown.contains("ramen: positive"),
            shown.contains("waiter: negative"),
        )
    };
    for format in ["pretty", "html"] {
        assert_eq!(found(format, "0"), (true, true), "{format}");
        assert_eq!(found(format, "1"), (false, false), "{format}");
    }
}
