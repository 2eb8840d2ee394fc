//! What a stopped job leaves behind.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use imn::text::OffsetUnit;

use super::*;
use crate::read::{Input, InputFormat};
use crate::write::RowPer;

fn analyzer() -> &'static Analyzer {
    static ANALYZER: OnceLock<Analyzer> = OnceLock::new();
    ANALYZER.get_or_init(|| Analyzer::built_in().unwrap())
}

/// Runs a job that reads a text, so it has no journal. If `stopped`, it is stopped before its first
/// row.
fn run(format: OutputFormat, output: &Path, stopped: bool) -> Outcome {
    let mut errors = output.as_os_str().to_owned();
    errors.push(".errors.jsonl");
    let job = Job {
        analyzer: analyzer(),
        model: ModelIdentity::new(analyzer(), "built-in", "", None),
        sources: vec![InputSource {
            input: Input::Texts(Arc::from(vec!["The soup was great.".to_owned()])),
            format: InputFormat::Txt,
        }],
        read: ReadSettings::default(),
        write: WriteSettings {
            format,
            per: RowPer::Aspect,
            unit: OffsetUnit::Bytes,
            color: false,
        },
        min_confidence: 0.0,
        explain: false,
        output: OutputTarget::File(output.to_owned()),
        errors: Some(errors.into()),
        if_exists: IfExists::Overwrite,
    };
    let stop = Arc::new(AtomicBool::new(stopped));
    job.run(&stop, &mut |_| {}).unwrap()
}

/// The names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn formats() -> impl Iterator<Item = OutputFormat> {
    OutputFormat::ALL
        .into_iter()
        .filter(|&format| cfg!(feature = "parquet") || format != OutputFormat::Parquet)
}

#[test]
fn a_job_that_did_nothing_leaves_its_old_output() {
    for format in formats() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out");
        let old = ["out", "out.errors.jsonl", "out.journal"];
        for name in old {
            fs::write(folder.path().join(name), format!("old {name}")).unwrap();
        }
        let outcome = run(format, &output, true);
        let totals = JobTotals::default();
        let resumable = false;
        assert_eq!(outcome, Outcome::Stopped { totals, resumable });
        // Part files of a stopped job are replaced at once, and its journal is useless then.
        let kept = match format {
            OutputFormat::Parquet => &old[..2],
            _ => &old,
        };
        assert_eq!(names(folder.path()), kept, "{format:?}");
        for name in kept {
            let text = fs::read_to_string(folder.path().join(name)).unwrap();
            assert_eq!(text, format!("old {name}"), "{format:?}");
        }
        // A finished job replaces all of it.
        assert!(matches!(run(format, &output, false), Outcome::Finished(_)));
        assert_eq!(names(folder.path()), ["out"], "{format:?}");
        assert!(fs::read(&output).unwrap() != b"old out", "{format:?}");
    }
}

#[test]
fn a_job_that_did_nothing_creates_no_output() {
    for format in formats() {
        let folder = tempfile::tempdir().unwrap();
        run(format, &folder.path().join("out"), true);
        assert!(names(folder.path()).is_empty(), "{format:?}");
    }
}
