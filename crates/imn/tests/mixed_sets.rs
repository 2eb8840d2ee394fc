//! Sets that differ in what they annotate, learnt together.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;

use imn::config::Config;
use imn::data;
use imn::eval::{Counts, Metric, Scores, pair};
use imn::train::Corpus;
use imn_testkit::{encoder, toy};

/// The toy sentences without their opinion labels.
fn without_opinions(folder: &Path) -> String {
    let text = std::fs::read_to_string(folder.join("train.jsonl")).unwrap();
    let lines = text.lines().map(|line| {
        let (head, _) = line.split_once(",\"opinions\"").unwrap();
        format!("{head}}}\n")
    });
    lines.collect()
}

fn scores(model: &imn::bundle::Model, gold: &Path) -> Scores {
    let gold = data::read(gold).unwrap();
    let counts = pair(&gold, &model.annotate(&gold).unwrap()).unwrap();
    counts.into_iter().sum::<Counts>().scores()
}

#[test]
fn sentences_without_opinion_labels_teach_aspects_and_no_absence_of_opinions() {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    // Four times as many sentences without labels: if they taught that there are no opinions, none
    // would be found.
    std::fs::write(
        folder.path().join("bare.jsonl"),
        without_opinions(folder.path()),
    )
    .unwrap();
    let config = toy::config(&[
        "data.train=[\"train.jsonl\", \"bare.jsonl\"]",
        "data.repeat=[1, 4]",
        "data.dev=\"train.jsonl\"",
        "train.epochs=12",
    ]);
    let trained = toy::train(&config, folder.path());
    let scores = scores(&trained.model, &folder.path().join("test.jsonl"));
    for metric in [Metric::F1A, Metric::F1O, Metric::F1I] {
        assert!(scores.get(metric).unwrap() > 90.0, "{scores:?}");
    }
}

#[test]
fn a_corpus_without_any_opinion_label_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    std::fs::write(
        folder.path().join("bare.jsonl"),
        without_opinions(folder.path()),
    )
    .unwrap();
    let config = toy::config(&["data.train=\"bare.jsonl\""]);
    let error = Corpus::load(&(&config).into(), folder.path(), None).unwrap_err();
    assert!(error.to_string().contains("model.opinions"), "{error}");
    let unlabelled = toy::config(&["data.train=\"bare.jsonl\"", "model.opinions=unlabelled"]);
    assert!(Corpus::load(&(&unlabelled).into(), folder.path(), None).is_ok());
}

#[test]
fn reviews_of_several_sentences_are_split_as_analysis_splits_them() {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    let review = "{\"v\":1,\"text\":\"The soup was great. The staff looked awful!\",\
                  \"aspects\":[{\"start\":4,\"end\":8,\"polarity\":\"positive\"},\
                  {\"start\":24,\"end\":29,\"polarity\":\"negative\"}],\
                  \"opinions\":[{\"start\":13,\"end\":18}]}\n";
    std::fs::write(folder.path().join("reviews.jsonl"), review).unwrap();
    let load = |split: &str| {
        let dev = "data.dev=\"train.jsonl\"";
        let config = toy::config(&["data.train=\"reviews.jsonl\"", dev, split]);
        Corpus::load(&(&config).into(), folder.path(), None).unwrap()
    };
    let whole = load("data.split_sentences=false").train;
    assert_eq!(whole.len(), 1);
    let split = load("data.split_sentences=true").train;
    assert_eq!(split.len(), 2);
    assert_eq!(split[0].len() + split[1].len(), whole[0].len());
    // Each sentence keeps its own labels.
    let aspects: Vec<usize> = split.iter().map(|example| example.aspects.len()).collect();
    assert_eq!(aspects, [1, 1]);
    assert_eq!(
        [
            split[0].opinion.iter().sum::<f32>(),
            split[1].opinion.iter().sum()
        ],
        [1.0, 0.0]
    );
}

#[test]
fn several_development_sets_each_in_its_scheme() {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    let changes = [
        "data.train=[\"train.jsonl\", \"train.jsonl\"]",
        "data.schemes=[\"a\", \"b\"]",
        "model.schemes=[\"a\", \"b\"]",
        "data.dev=[\"test.jsonl\", \"test.jsonl\"]",
        "data.dev_schemes=[\"b\", \"a\"]",
    ];
    let corpus = Corpus::load(&(&toy::config(&changes)).into(), folder.path(), None).unwrap();
    let schemes: Vec<u32> = corpus
        .dev_examples
        .iter()
        .map(|example| example.scheme)
        .collect();
    assert_eq!(schemes, [[0; 12], [1; 12]].concat());
    for wrong in [
        "data.dev_schemes=[\"a\"]",
        "data.dev_schemes=[\"a\", \"c\"]",
    ] {
        let text = toy::config(&changes).to_toml().unwrap();
        let error = Config::from_toml(&text, &[wrong.parse().unwrap()]).unwrap_err();
        assert!(error.to_string().contains("data.dev_schemes"), "{error}");
    }
}

#[test]
fn a_transformer_answers_in_the_scheme_that_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    encoder::write(&folder.path().join("encoders/tiny"));
    // The other scheme marks nothing at all.
    let text = std::fs::read_to_string(folder.path().join("train.jsonl")).unwrap();
    let nothing: String = text
        .lines()
        .map(|line| {
            let (head, _) = line.split_once(",\"aspects\"").unwrap();
            format!("{head},\"aspects\":[],\"opinions\":[]}}\n")
        })
        .collect();
    std::fs::write(folder.path().join("nothing.jsonl"), nothing).unwrap();
    let config = toy::config(&[
        "model.encoder={transformer={folder=\"encoders/tiny\"}}",
        "model.ae_representation=task_only",
        "model.ae_layers=0",
        "model.re_encoding=residual",
        "data.train=[\"train.jsonl\", \"nothing.jsonl\"]",
        "data.schemes=[\"all\", \"none\"]",
        "model.schemes=[\"all\", \"none\"]",
        "train.epochs=40",
    ]);
    let trained = toy::train(&config, folder.path());
    let gold = data::read(&folder.path().join("train.jsonl")).unwrap();
    let found = |model: &imn::bundle::Model| -> usize {
        let annotated = model.annotate(&gold).unwrap();
        annotated
            .iter()
            .map(|sentence| sentence.aspects.len())
            .sum()
    };
    assert!(
        found(&trained.model) > gold.len(),
        "{}",
        found(&trained.model)
    );
    let none = trained.model.in_scheme("none").unwrap();
    assert!(found(&none) < gold.len() / 4, "{}", found(&none));
}
