//! Several runs at a time, failures and Ctrl-C.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use imn::bundle::Precision;
use imn_repro::recipe::Recipe;
use imn_repro::registry::find;
use imn_repro::results::RunResult;
use imn_repro::runner::{Job, Observer, Progress, Purpose, RunError, Runner, Workers};
use imn_repro::sets::PaperSet;

use crate::common::{imn, read, run, scores, succeed, write_data};

const SEVERAL: &str = "reproduce main --data data --sets res15 \
                       --systems decnn,decnn-alstm,pipeline,mnn --seeds 1";

/// Which workers trained which network.
#[derive(Default)]
struct Trained(Mutex<BTreeMap<String, BTreeSet<usize>>>);

impl Observer for Trained {
    fn started(&self, _: usize, _: Job) {}

    fn progress(&self, worker: usize, part: &str, progress: &Progress) -> bool {
        if progress.step > 0 {
            let mut trained = self.0.lock().unwrap();
            trained.entry(part.to_owned()).or_default().insert(worker);
        }
        true
    }

    fn finished(&self, _: usize, job: Job, result: &Result<RunResult, RunError>) {
        assert!(result.is_ok(), "{job}: {result:?}");
    }
}

#[test]
fn several_runs_at_once_give_the_same_results_and_train_shared_parts_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_data(at, 10);
    succeed(at, SEVERAL);
    let runner = Runner {
        recipe: Recipe::Paper,
        data: at.join("data"),
        results: at.join("several"),
        work: at.join("several-work"),
        precision: Precision::F32,
    };
    let job = |name: &str| Job::new(find(name).unwrap(), PaperSet::Res15, 1);
    let jobs = ["decnn-alstm", "pipeline", "decnn", "mnn"].map(job);
    let workers = Workers {
        count: 3,
        threads: Some(1),
    };
    let seen = Trained::default();
    let report = runner.run_all(jobs.to_vec(), Purpose::Result, workers, &seen);
    let report = report.unwrap();
    assert!(report.failed.is_empty() && report.stopped.is_empty());
    assert_eq!(
        scores(&at.join("several")),
        scores(&at.join("results/paper"))
    );
    let trained = seen.0.into_inner().unwrap();
    let parts: Vec<&str> = trained.keys().map(String::as_str).collect();
    assert_eq!(parts, ["alstm", "aspect-sentiment", "decnn", "mnn"]);
    assert!(trained.values().all(|by| by.len() == 1), "{trained:?}");
}

#[test]
fn a_failed_run_is_reported_at_the_end_and_does_not_stop_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_data(at, 10);
    for jobs in ["1", "2"] {
        let command = format!(
            "reproduce main --data data --sets lap14,res15 --systems mnn \
             --seeds {jobs} --jobs {jobs}"
        );
        let output = run(at, &command);
        assert_eq!(output.status.code(), Some(2));
        let err = String::from_utf8_lossy(&output.stderr);
        let last = err.lines().last().unwrap();
        let named = "failed: mnn on lap14, seed 1";
        assert!(
            last.contains(named) && last.contains("lap14/train"),
            "{err}"
        );
        let made = format!("results/paper/mnn/res15.seed{jobs}.json");
        assert!(at.join(made).exists());
    }
    let table = read(at, "results/paper/main.md");
    assert!(table.contains("| MNN | 2 |"), "{table}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_finished_runs_and_the_same_command_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_data(at, 10);
    let command = format!("{SEVERAL} --jobs 2");
    let mut child = imn(at, &command).stderr(Stdio::piped()).spawn().unwrap();
    let results = at.join("results/paper");
    while !results.is_dir() {
        assert!(child.try_wait().unwrap().is_none(), "it ended early");
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(err.contains("run the same command again"), "{err}");
    let kept = scores(&results);
    assert!((1..4).contains(&kept.len()), "{kept:?}");
    succeed(at, &command);
    let all = scores(&results);
    assert_eq!(all.len(), 4);
    assert!(kept.iter().all(|run| all.contains(run)));
}
