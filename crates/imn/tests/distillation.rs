//! Training of a student on the soft labels of a teacher.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;

use imn::bundle::{Model, Storage};
use imn::config::Config;
use imn::data::{self, AnnotatedSentence};
use imn::eval::{Counts, Metric, pair};
use imn::train::{Corpus, Event, TrainError, Trainer, finish_imn, imn_trainer};
use imn_testkit::toy;

/// A student without document-level tasks. The last change names the training file.
const STUDENT: [&str; 5] = [
    "model.documents=none",
    "model.messages=aspect",
    "train.epochs=6",
    "data.dev=train.jsonl",
    "data.train=few.jsonl",
];

/// Writes the toy set, a teacher that was trained on it, a set of a few sentences, and texts
/// without labels.
fn prepare(folder: &Path) -> Model {
    toy::write(folder);
    let teacher = toy::train(&toy::config(&["train.epochs=25"]), folder).model;
    teacher
        .save(&folder.join("teacher.imn"), Storage::Full)
        .unwrap();
    let train = std::fs::read_to_string(folder.join("train.jsonl")).unwrap();
    let few: Vec<&str> = train.lines().take(4).collect();
    std::fs::write(folder.join("few.jsonl"), few.join("\n") + "\n").unwrap();
    let things = [
        "soup",
        "staff",
        "corner table",
        "lentil stew",
        "window seat",
        "bread",
    ];
    let mut texts = String::new();
    for (i, thing) in things.iter().enumerate() {
        for (good, bad) in [
            ("great", "awful"),
            ("lovely", "stale"),
            ("superb", "dreadful"),
        ] {
            let other = things[(i + 1) % things.len()];
            texts += &format!("The {thing} was {good} today. We saw the {other}, it was {bad}.\n");
            texts += &format!("I think the {other} looked {bad} and the {thing} looked {good}!\n");
        }
    }
    std::fs::write(folder.join("texts.txt"), texts).unwrap();
    teacher
}

fn taught<'a>(changes: &[&'a str]) -> Vec<&'a str> {
    let teacher = [
        "data.unlabelled.files=[\"texts.txt\"]",
        "train.teacher.model=teacher.imn",
    ];
    [&STUDENT[..], &teacher, changes].concat()
}

/// F1-I of a model's annotation with that of another as the reference.
fn agreement(model: &Model, reference: &Model, sentences: &[AnnotatedSentence]) -> f64 {
    let (found, expected) = (model.annotate(sentences), reference.annotate(sentences));
    let counts = pair(&expected.unwrap(), &found.unwrap()).unwrap();
    let scores = counts.into_iter().sum::<Counts>().scores();
    scores.get(Metric::F1I).unwrap_or_default()
}

fn trainer(config: &Config, folder: &Path, calls: &mut usize) -> Result<Trainer, TrainError> {
    let mut corpus = Corpus::load(&config.into(), folder, None)?;
    let cache = folder.join("labels");
    corpus.teach(config, folder, Some(&cache), &mut |_, _| {
        *calls += 1;
        true
    })?;
    imn_trainer(config, folder, corpus, None)
}

#[test]
fn a_student_learns_what_its_teacher_predicts() {
    let folder = tempfile::tempdir().unwrap();
    let teacher = prepare(folder.path());
    let alone = toy::train(&toy::config(&STUDENT), folder.path());
    let taught_one = toy::train(&toy::config(&taught(&[])), folder.path());
    let losses = taught_one
        .history
        .iter()
        .filter_map(|epoch| epoch.aspect_loss);
    let losses: Vec<f64> = losses.collect();
    assert!(losses[losses.len() - 1] < 0.6 * losses[0], "{losses:?}");
    let test = data::read(&folder.path().join("test.jsonl")).unwrap();
    let before = agreement(&alone.model, &teacher, &test);
    let after = agreement(&taught_one.model, &teacher, &test);
    assert!(
        after > before + 20.0,
        "{before} without the teacher, {after} with it"
    );
    let report = &taught_one.part().record.corpus;
    assert_eq!((report.train, report.unlabelled), (4, 54));
    assert_eq!(report.teacher.as_ref().unwrap().len(), 64);
    assert_eq!(alone.part().record.corpus.teacher, None);
}

#[test]
fn a_resumed_run_reads_the_labels_and_ends_with_the_same_weights() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let changes = [
        "train.teacher.share=0.5",
        "train.teacher.temperature=2",
        "train.epochs=3",
    ];
    let config = toy::config(&taught(&changes));
    let whole = toy::train(&config, folder.path()).model;
    let checkpoint = folder.path().join("checkpoint");
    let mut labelled = Vec::new();
    let model = loop {
        let mut calls = 0;
        let trainer = trainer(&config, folder.path(), &mut calls).unwrap();
        labelled.push(calls);
        let trainer = trainer.with_checkpoint(&checkpoint).unwrap();
        match trainer.run(&mut |event: &Event<'_>| !matches!(event, Event::Epoch(_))) {
            Ok(fitted) => break finish_imn(&config, fitted, None).unwrap(),
            Err(TrainError::Stopped) => {}
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(
        labelled,
        [1, 0, 0, 0],
        "labelled once, then read from the cache"
    );
    let bytes = |model: &Model| model.to_bytes(Storage::Full).unwrap();
    assert!(bytes(&whole) == bytes(&model), "the weights differ");
    // The fingerprint of the finished run is known without labelling.
    let corpus = Corpus::load(&(&config).into(), folder.path(), None).unwrap();
    let fingerprint = corpus.taught_fingerprint(&config, folder.path()).unwrap();
    let finished = &model.only_part().unwrap().record.corpus;
    assert_eq!(fingerprint, finished.fingerprint);
    assert_ne!(fingerprint, corpus.report.fingerprint);

    // Damaged labels, and labels of other sentences, are made anew.
    let cache = folder.path().join("labels");
    let mut damaged = std::fs::read(&cache).unwrap();
    *damaged.last_mut().unwrap() ^= 1;
    std::fs::write(&cache, damaged).unwrap();
    let mut calls = 0;
    trainer(&config, folder.path(), &mut calls).unwrap();
    let fewer = toy::config(&taught(&["data.unlabelled.sentences=20"]));
    trainer(&fewer, folder.path(), &mut calls).unwrap();
    assert_eq!(calls, 2);
}

#[test]
fn labelling_can_be_stopped_between_two_chunks() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    // More sentences than the teacher labels at a time.
    let texts: String = (0..1500)
        .map(|i| format!("The soup number {i} was great today.\n"))
        .collect();
    std::fs::write(folder.path().join("texts.txt"), texts).unwrap();
    let config = toy::config(&taught(&[]));
    let load = || Corpus::load(&(&config).into(), folder.path(), None).unwrap();
    let cache = folder.path().join("labels");
    let mut corpus = load();
    let teach = |corpus: &mut Corpus, goes_on: bool| {
        let mut calls = 0;
        let taught = corpus.teach(&config, folder.path(), Some(&cache), &mut |_, _| {
            calls += 1;
            goes_on
        });
        (taught, calls)
    };
    let (stopped, calls) = teach(&mut corpus, false);
    assert!(matches!(stopped, Err(TrainError::Stopped)) && calls == 1);
    assert!(corpus.soft.is_empty() && !cache.exists());
    // The sentences are still there to be labelled.
    let (taught, calls) = teach(&mut corpus, true);
    taught.unwrap();
    assert_eq!((corpus.soft.len(), calls), (1500, 2));
    let (from_cache, calls) = teach(&mut load(), false);
    from_cache.unwrap();
    assert_eq!(calls, 0);
}

#[test]
fn the_loss_grows_with_the_weight_of_the_teacher() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let loss = |weight: &str| {
        let config = toy::config(&taught(&["train.epochs=1", weight]));
        toy::train(&config, folder.path()).history[0]
            .aspect_loss
            .unwrap()
    };
    let (none, half, full) = (
        loss("train.teacher.weight=1e-9"),
        loss("train.teacher.weight=0.5"),
        loss("train.teacher.weight=1"),
    );
    assert!(none < half && half < full, "{none} {half} {full}");
}

#[test]
fn a_teacher_that_cannot_teach_is_named() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let error = |changes: &[&str]| {
        let config = toy::config(&taught(changes));
        trainer(&config, folder.path(), &mut 0)
            .unwrap_err()
            .to_string()
    };
    let missing = error(&["train.teacher.model=none.imn"]);
    assert!(missing.contains("none.imn"), "{missing}");
    let schemes = [
        "model.schemes=[\"smells\"]",
        "data.schemes=[\"smells\"]",
        "data.dev_schemes=[\"smells\"]",
    ];
    let no_schemes = error(&schemes);
    assert!(
        no_schemes.contains("teacher.imn") && no_schemes.contains("smells"),
        "{no_schemes}"
    );
    let unknown = error(&[&schemes[..], &["train.teacher.model=reviews"]].concat());
    assert!(unknown.contains("it knows"), "{unknown}");
    let tags = error(&["model.opinions=unlabelled"]);
    assert!(tags.contains("other tags"), "{tags}");
    let long = error(&["data.unlabelled.min_words=50"]);
    assert!(long.contains("50 to 60 words"), "{long}");

    // Not labelled at all.
    let config = toy::config(&taught(&[]));
    let corpus = Corpus::load(&(&config).into(), folder.path(), None).unwrap();
    let error = imn_trainer(&config, folder.path(), corpus, None).unwrap_err();
    assert!(error.to_string().contains("has not labelled"), "{error}");
}

#[test]
fn settings_of_distillation_are_checked() {
    let error = |changes: &[&str]| {
        let text = toy::config(&STUDENT).to_toml().unwrap();
        let changes: Vec<_> = changes
            .iter()
            .map(|change| change.parse().unwrap())
            .collect();
        Config::from_toml(&text, &changes).unwrap_err().to_string()
    };
    let teacher = "train.teacher.model=teacher.imn";
    let files = "data.unlabelled.files=texts.txt";
    assert!(error(&[teacher]).contains("must be set together"));
    assert!(error(&[files]).contains("must be set together"));
    assert!(error(&[teacher, files, "train.teacher.share=0"]).contains("share"));
    assert!(error(&[teacher, files, "train.teacher.temperature=0"]).contains("temperature"));
    assert!(error(&[teacher, files, "train.teacher.wait=1"]).contains("wait"));
    assert!(error(&[teacher, files, "data.unlabelled.min_words=70"]).contains("min_words"));
    assert!(error(&[teacher, files, "data.unlabelled.schemes=[\"x\"]"]).contains("schemes"));
}
