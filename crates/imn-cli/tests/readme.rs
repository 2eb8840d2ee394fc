//! The commands of README.md work as written.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use imn_testkit::toy;

/// Commands that would train for hours, and options that shorten them.
const SHORTENED: [(&str, &str); 1] = [(
    "imn reproduce all",
    "--systems mnn --sets res15 --seeds 1 --quiet",
)];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The commands of the fenced `sh` blocks, without comments.
fn commands(markdown: &str) -> Vec<String> {
    let blocks = markdown.split("```sh\n").skip(1);
    let lines = blocks.flat_map(|block| block.split("```").next().unwrap_or_default().lines());
    lines
        .map(|line| {
            line.split(" # ")
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned()
        })
        .filter(|line| !line.is_empty())
        .collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, to) = {
            let entry = entry.unwrap();
            (entry.path(), to.join(entry.file_name()))
        };
        match path.is_dir() {
            true => copy(&path, &to),
            false => std::fs::copy(&path, &to).map(drop).unwrap(),
        }
    }
}

fn run(folder: &Path, command: &str) {
    // The program that was built, under the name that the README uses.
    let program = Path::new(env!("CARGO_BIN_EXE_imn")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", program.display()))
        .env_remove("IMN_DATA")
        .env_remove("IMN_MODEL")
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {error}");
}

/// A folder `data` in the paper's layout: toy sentences as res15, and vectors of a few words.
fn write_data(folder: &Path) {
    let toy_folder = folder.join("toy");
    std::fs::create_dir_all(&toy_folder).unwrap();
    toy::write(&toy_folder);
    std::fs::create_dir_all(folder.join("data/aspect/res15")).unwrap();
    for part in ["train", "test"] {
        let (from, to) = (
            format!("toy/{part}.jsonl"),
            format!("data/aspect/res15/{part}"),
        );
        run(folder, &format!("imn convert {from} {to} --to four-file"));
    }
    std::fs::create_dir_all(folder.join("data/vectors")).unwrap();
    for (name, dimensions) in [("glove840b.300d", 5), ("domain.res15.100d", 4)] {
        let mut text = String::new();
        for (i, word) in ["the", "soup", "staff", "was", "great", "awful"]
            .iter()
            .enumerate()
        {
            text.push_str(word);
            for k in 0..dimensions {
                let _ = write!(text, " {:.2}", (i as f64 * 1.7 + f64::from(k)).sin());
            }
            text.push('\n');
        }
        std::fs::write(folder.join(format!("data/vectors/{name}.txt.gz")), text).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn every_command_of_the_readme_works() {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let commands = commands(&readme);
    // Building the program and running all tests cannot be part of a test.
    let [build, gate, workflows @ ..] = commands.as_slice() else {
        panic!("README.md has the commands {commands:?}");
    };
    assert!(
        build.starts_with("cargo run --release -- analyze \""),
        "{build}"
    );
    assert_eq!(gate, "./gate");
    assert!(workflows.len() >= 8, "{workflows:?}");

    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    copy(
        &repository().join("examples/bikes"),
        &at.join("examples/bikes"),
    );
    copy(&repository().join("results"), &at.join("results"));
    write_data(at);
    // The example of the first command, with the program that was built.
    run(at, &build.replace("cargo run --release --", "imn"));
    for command in workflows {
        let long = SHORTENED.iter().find(|(long, _)| command.starts_with(long));
        match long {
            Some((_, options)) => run(at, &format!("{command} {options}")),
            None => run(at, command),
        }
    }
    for file in ["report.html", "runs/bikes/model.imn", "predicted.jsonl"] {
        assert!(at.join(file).exists(), "{file} was not written");
    }
    assert!(at.join("results/paper/mnn/res15.seed1.json").exists());
}

/// The cell of a Markdown table in the row that starts with `row`.
fn cell<'a>(page: &'a str, row: &str, column: usize) -> &'a str {
    let line = page.lines().find(|line| line.starts_with(row));
    let cells = line.unwrap_or_else(|| panic!("no row {row}")).split('|');
    cells.map(str::trim).nth(column).unwrap()
}

#[test]
fn figures_of_the_readme_are_those_of_the_benchmarks() {
    let read = |path: &str| std::fs::read_to_string(repository().join(path)).unwrap();
    let (readme, engine) = (read("README.md"), read("docs/engine.md"));
    let number = |row: &str, column: usize| -> f64 { cell(&engine, row, column).parse().unwrap() };
    let throughput = number("| PyTorch, batches", 3);
    let latency = number("| PyTorch, batches", 4) / number("| imn, network", 4);
    let integers = number("| imn, network, int8", 2) / number("| PyTorch, batches", 2);
    let epoch = |row: &str| number(row, 3) / number(row, 2);
    let (similar, random) = (
        epoch("| batches of similar length"),
        epoch("| random batches"),
    );
    for figure in [
        format!("{throughput:.1} times the throughput"),
        format!("{latency:.1} times as fast for a single sentence"),
        format!("by default, it has {integers:.1} times the throughput"),
        format!("{similar:.1} to {random:.1} times as fast (`bench/epoch.sh`)"),
    ] {
        assert!(readme.contains(&figure), "{figure}");
    }
}

#[test]
fn links_of_the_readme_exist() {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let mut count = 0;
    for link in readme.split("](").skip(1) {
        let path = link.split(')').next().unwrap_or_default();
        assert!(repository().join(path).exists(), "{path}");
        count += 1;
    }
    assert!(count > 20, "{count} links");
}
