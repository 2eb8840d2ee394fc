use imn::train::EpochRecord;
use imn_testkit::toy;

use super::*;

/// A run of a small network in `folder`, with its output in `out`.
fn run_of(folder: &Path, out: &str, changes: &[&str]) -> TrainingRun {
    TrainingRun {
        config_name: Some("toy.toml".to_owned()),
        config: toy::config(&[&["train.epochs=2"], changes].concat()),
        data: folder.to_owned(),
        init: None,
        out: folder.join(out),
        results: None,
        pretrained: None,
        test: false,
    }
}

fn finished(run: TrainingRun) -> RunEnd {
    run.run(&mut |_| true).unwrap()
}

/// Stops a run after its first epoch.
fn stopped(run: TrainingRun) {
    let mut watch = |progress: TrainingEvent<'_>| {
        !matches!(
            progress,
            TrainingEvent::Training(Event::Epoch(EpochRecord { .. }))
        )
    };
    let end = run.run(&mut watch);
    assert!(matches!(
        end,
        Err(TrainingRunError::Train(TrainError::Stopped))
    ));
}

fn is_other_run(end: &Result<RunEnd, TrainingRunError>) -> bool {
    matches!(
        end,
        Err(TrainingRunError::Train(TrainError::OtherRun { .. }))
    )
}

#[test]
fn a_run_that_starts_from_another_model_is_another_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    toy::write(at);
    for (out, seed) in [("first", "seed=1"), ("second", "seed=2")] {
        finished(run_of(at, out, &[seed]));
    }
    let model = |run: &str| at.join(run).join("model.imn");
    let from = |model: &Path| {
        let init = format!("init={:?}", model.to_string_lossy());
        run_of(at, "more", &[&init])
    };
    stopped(from(&model("first")));
    assert!(is_other_run(&from(&model("second")).run(&mut |_| true)));

    // The same name, but another content.
    let copy = at.join("copy.imn");
    std::fs::copy(model("first"), &copy).unwrap();
    std::fs::remove_dir_all(at.join("more")).unwrap();
    stopped(from(&copy));
    std::fs::copy(model("second"), &copy).unwrap();
    assert!(is_other_run(&from(&copy).run(&mut |_| true)));

    // The same content again: the run continues, and a finished one is recognized.
    std::fs::copy(model("first"), &copy).unwrap();
    assert_eq!(finished(from(&copy)), RunEnd::Finished);
    assert_eq!(finished(from(&copy)), RunEnd::FinishedBefore);
    std::fs::copy(model("second"), &copy).unwrap();
    let end = from(&copy).run(&mut |_| true);
    assert!(
        matches!(end, Err(TrainingRunError::OtherInit { .. })),
        "{end:?}"
    );
}

#[test]
fn replaced_word_vectors_and_encoder_weights_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    toy::write(at);
    imn_testkit::encoder::write(&at.join("tiny"));
    let vectors = "soup 1 2 3\nstaff 4 5 6\n";
    std::fs::write(at.join("vectors.txt"), vectors).unwrap();
    for (out, file, changes) in [
        (
            "words",
            "vectors.txt",
            &["vectors.general=[\"vectors.txt\"]"][..],
        ),
        (
            "subwords",
            "tiny/model.safetensors",
            &[
                "model.encoder={transformer={folder=\"tiny\"}}",
                "model.ae_representation=task_only",
                "model.ae_layers=0",
            ],
        ),
    ] {
        stopped(run_of(at, out, changes));
        let mut bytes = std::fs::read(at.join(file)).unwrap();
        // The last byte but one is a digit of a vector, or part of the last weight.
        let last = bytes.len() - 2;
        bytes[last] ^= 1;
        std::fs::write(at.join(file), bytes).unwrap();
        let end = run_of(at, out, changes).run(&mut |_| true);
        assert!(is_other_run(&end), "{out}: {end:?}");
    }
}

#[test]
fn changed_labels_after_the_end_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    toy::write(at);
    assert_eq!(finished(run_of(at, "run", &[])), RunEnd::Finished);
    let train = fs::read_to_string(at.join("train.jsonl")).unwrap();
    let flipped = train.replacen("\"positive\"", "\"neutral\"", 1);
    assert_ne!(train, flipped);
    fs::write(at.join("train.jsonl"), flipped).unwrap();
    let end = run_of(at, "run", &[]).run(&mut |_| true);
    assert!(
        matches!(end, Err(TrainingRunError::OtherData { .. })),
        "{end:?}"
    );
    fs::write(at.join("train.jsonl"), train).unwrap();
    assert_eq!(finished(run_of(at, "run", &[])), RunEnd::FinishedBefore);
}

#[test]
fn a_refused_run_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    toy::write(at);
    stopped(run_of(at, "run", &[]));
    let settings = at.join("run/config.toml");
    let old = fs::read_to_string(&settings).unwrap();
    let end = run_of(at, "run", &["train.ratio=3"]).run(&mut |_| true);
    assert!(is_other_run(&end), "{end:?}");
    assert_eq!(fs::read_to_string(&settings).unwrap(), old);

    fs::create_dir(at.join("mine")).unwrap();
    let foreign = at.join("mine/config.toml");
    let by_hand = format!("# Our settings.\n{old}");
    for text in ["colour = \"red\"\n", &by_hand] {
        fs::write(&foreign, text).unwrap();
        let end = run_of(at, "mine", &[]).run(&mut |_| true);
        assert!(
            matches!(end, Err(TrainingRunError::Foreign { .. })),
            "{end:?}"
        );
        assert_eq!(fs::read_to_string(&foreign).unwrap(), text);
    }
    // Of a run that was stopped before its first checkpoint.
    fs::write(&foreign, &old).unwrap();
    assert_eq!(
        finished(run_of(at, "mine", &["train.ratio=3"])),
        RunEnd::Finished
    );
}

#[test]
fn a_saved_model_that_was_not_tested_is_tested_later() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    toy::write(at);
    let run = || TrainingRun {
        results: Some(at.join("results")),
        test: true,
        ..run_of(at, "run", &[])
    };
    assert_eq!(finished(run()), RunEnd::Finished);
    let result = || crate::results::read_result(&at.join("run/result.json")).unwrap();
    let first = result();
    let saved = at.join("results/toy/train.seed3.json");
    assert!(saved.exists());

    // As after a kill between saving and testing.
    fs::remove_file(at.join("run/result.json")).unwrap();
    fs::remove_file(&saved).unwrap();
    fs::write(at.join("run/checkpoint"), "").unwrap();
    let untested = TrainingRun {
        test: false,
        ..run()
    };
    assert_eq!(finished(untested), RunEnd::FinishedBefore);
    assert!(!at.join("run/result.json").exists());
    let mut tested = 0;
    let end = run().run(&mut |progress| {
        tested += usize::from(matches!(progress, TrainingEvent::Tested(_)));
        true
    });
    assert_eq!((end.unwrap(), tested), (RunEnd::FinishedBefore, 1));
    let again = result();
    assert_eq!((&again.scores, &again.dev), (&first.scores, &first.dev));
    assert!((again.seconds - first.seconds).abs() < 1e-9);
    assert!(saved.exists() && !at.join("run/checkpoint").exists());

    // The folder of results may be named after the end.
    fs::remove_file(&saved).unwrap();
    assert_eq!(finished(run()), RunEnd::FinishedBefore);
    assert!(saved.exists());
}
