//! IMN with a transformer encoder: a tiny one that the test writes.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use imn::analyze::Analyzer;
use imn::bundle::{Model, Storage};
use imn::config::Config;
use imn::data;
use imn::eval::{Counts, Metric, pair};
use imn::train::{Corpus, TrainError};
use imn_testkit::{encoder, toy};

/// The whole network with the tiny encoder.
fn config(changes: &[&str]) -> Config {
    let contextual = [
        "model.encoder={transformer={folder=\"encoders/tiny\"}}",
        "model.ae_representation=task_only",
        "model.ae_layers=0",
        "train.schedule={warmup_share={share=0.1}}",
        "train.groups=[{prefix=\"shared.\", rate=0.5, weight_decay=0.01}]",
    ];
    toy::config(&[&contextual, changes].concat())
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    encoder::write(&folder.path().join("encoders/tiny"));
    folder
}

#[test]
fn a_trained_model_does_not_need_the_files_of_the_encoder() {
    let folder = folder();
    let trained = toy::train(&config(&["train.epochs=40"]), folder.path());
    assert!(
        trained.part().record.dev["F1-I"] > 95.0,
        "{:?}",
        trained.part().record.dev
    );
    let bytes = trained.model.to_bytes(Storage::Full).unwrap();
    let gold = data::read(&folder.path().join("train.jsonl")).unwrap();
    let expected = trained.model.annotate(&gold).unwrap();
    drop(folder);

    let model = Model::from_bytes(&bytes).unwrap();
    assert!(model.to_bytes(Storage::Full).unwrap() == bytes);
    assert_eq!(model.annotate(&gold).unwrap(), expected);
    let counts = pair(&gold, &expected).unwrap().into_iter();
    let score = counts.sum::<Counts>().scores().get(Metric::F1I).unwrap();
    assert!(score > 90.0, "{score}");
    // The quantized model predicts almost the same.
    let small = Model::from_bytes(&model.to_bytes(Storage::Small).unwrap()).unwrap();
    let counts = pair(&expected, &small.annotate(&gold).unwrap()).unwrap();
    let same = counts.into_iter().sum::<Counts>().scores();
    assert!(same.aspect.f1 > 95.0, "{same:?}");

    let analyzer = Analyzer::new(model).unwrap();
    let text = gold[0].text.as_str();
    let alone = analyzer.analyze(text);
    assert!(!alone.aspects.is_empty() && alone.sentiment.is_some());
    // Other texts do not change an analysis, and a sentence longer than the encoder's maximum is
    // split into windows.
    let long = "the soup was great but the staff looked awful , ".repeat(60);
    let all = analyzer.analyze_all(&[&long, text, "", "\u{200b} ☃"]);
    assert_eq!(all[1], alone);
    assert!(all[0].aspects.len() >= 60, "{}", all[0].aspects.len());
    assert_eq!(all[2].aspects, []);
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_every_variant_trains() {
    let folder = folder();
    let bytes = |changes: &[&str]| {
        let changes = [changes, &["train.epochs=2"]].concat();
        let trained = toy::train(&config(&changes), folder.path());
        trained.model.to_bytes(Storage::Full).unwrap()
    };
    assert!(bytes(&[]) == bytes(&[]));
    for changes in [
        &["model.messages=aspect", "model.documents=none"][..],
        &["model.messages=aspect", "model.documents=sentiment"],
        &[
            "model.ae_representation=initial_shared",
            "model.ae_layers=1",
        ],
        &["model.self_attention=bias_tanh"],
        &["model.opinions=unlabelled"],
    ] {
        assert!(bytes(changes) != bytes(&[]), "{changes:?}");
    }
}

#[test]
fn errors_name_the_missing_or_invalid_file_or_setting() {
    let folder = folder();
    let load = |changes: &[&str]| {
        let config = config(changes);
        Corpus::load(&(&config).into(), folder.path(), None).map(|_| ())
    };
    load(&[]).unwrap();
    let error = load(&["model.encoder={transformer={folder=\"nowhere\"}}"]).unwrap_err();
    assert!(error.to_string().contains("nowhere"), "{error}");
    let tokenizer = folder.path().join("encoders/tiny/tokenizer.json");
    std::fs::write(&tokenizer, "{}").unwrap();
    let error = load(&[]).unwrap_err();
    assert!(matches!(error, TrainError::Subwords(_)), "{error}");
    std::fs::remove_file(&tokenizer).unwrap();
    let error = load(&[]).unwrap_err();
    assert!(error.to_string().contains("tokenizer.json"), "{error}");

    let rejected = |change: &str, word: &str| {
        let change = change.parse().unwrap();
        let error = Config::from_toml(&config(&[]).to_toml().unwrap(), &[change]).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    };
    rejected("model.ae_representation=every_shared_layer", "CNN encoder");
    rejected("train.groups=[{prefix=\"shared.\", rate=-1.0}]", "rate");
}

#[test]
fn documents_are_read_like_sentences() {
    let folder = folder();
    let text = "pos\tThe soup cost 12 and was GREAT\nneg\tthe staff was awful\n";
    for name in ["food.tsv", "tools.tsv"] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    for config in [config(&[]), toy::config(&[])] {
        let corpus = Corpus::load(&(&config).into(), folder.path(), None).unwrap();
        let words = ["The", "soup", "cost", "12", "and", "was", "GREAT"];
        let expected = corpus.featurizer.words(words);
        for documents in [&corpus.sentiment, &corpus.domain] {
            assert_eq!(documents[0].features, expected);
        }
    }
}

#[test]
fn a_group_that_matches_no_weight_is_rejected() {
    let folder = folder();
    let config = config(&["train.groups=[{prefix=\"decoder.\"}]"]);
    let corpus = Corpus::load(&(&config).into(), folder.path(), None).unwrap();
    let error = imn::train::imn_trainer(&config, folder.path(), corpus, None).unwrap_err();
    assert!(error.to_string().contains("decoder."), "{error}");
}
