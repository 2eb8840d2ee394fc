//! End-to-end training on a small synthetic data set.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use imn::analyze::{Analysis, Analyzer};
use imn::bundle::{Model, Storage};
use imn::config::Config;
use imn::data;
use imn::eval::{Counts, Metric, pair};
use imn::model::Phase;
use imn::render::learning_curves;
use imn::text::OffsetUnit;
use imn::train::{
    Corpus, EpochRecord, Event, Fitted, TrainError, Trainer, finish_imn, imn_trainer,
};
use imn_testkit::toy;

/// A trainer of IMN that has not started.
fn trainer(config: &Config, folder: &std::path::Path) -> Trainer {
    let corpus = Corpus::load(&config.into(), folder, None).unwrap();
    imn_trainer(config, folder, corpus, None).unwrap()
}

fn bytes(config: &Config, fitted: Fitted) -> Vec<u8> {
    let model = finish_imn(config, fitted, None).unwrap();
    model.to_bytes(Storage::Full).unwrap()
}

#[test]
fn the_whole_network_fits_a_small_data_set() {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    let trained = toy::train(&toy::config(&["train.epochs=25"]), folder.path());
    assert!(
        trained.part().record.dev["F1-I"] > 95.0,
        "{:?}",
        trained.part().record.dev
    );
    let phases: Vec<Phase> = trained.history.iter().map(|record| record.phase).collect();
    assert_eq!(phases[..2], [Phase::Pretraining, Phase::Training]);
    let losses: Vec<f64> = trained
        .history
        .iter()
        .filter_map(|record| record.aspect_loss)
        .collect();
    assert!(losses[losses.len() - 1] < 0.3 * losses[0], "{losses:?}");

    // The test sentences contain a word that the model does not know.
    let vocabulary = trained.part().featurizer.lexicon().words().unwrap();
    assert_eq!(vocabulary.id("zebrafinch"), imn::text::Vocabulary::UNK);
    let gold = data::read(&folder.path().join("test.jsonl")).unwrap();
    let predicted = trained.model.annotate(&gold).unwrap();
    let scores = pair(&gold, &predicted)
        .unwrap()
        .into_iter()
        .sum::<Counts>()
        .scores();
    assert!(scores.get(Metric::F1I).unwrap() > 60.0, "{scores:?}");

    let svg = learning_curves("a <toy>", &trained.history);
    assert!(svg.contains("a &lt;toy&gt;") && svg.matches("<polyline").count() == 6);

    check_analyses(Analyzer::new(trained.model).unwrap(), &gold, &predicted);
}

/// The analyzer finds the same aspects as scoring, its offsets match its terms, and the other texts
/// of a call do not change the result.
fn check_analyses(
    analyzer: Analyzer,
    gold: &[data::AnnotatedSentence],
    scored: &[data::AnnotatedSentence],
) {
    let texts: Vec<&str> = gold.iter().map(|sentence| sentence.text.as_str()).collect();
    let analyses = analyzer.analyze_all(&texts);
    let mut links = 0;
    for ((analysis, text), scored) in analyses.iter().zip(&texts).zip(scored) {
        assert_eq!(*analysis, analyzer.analyze(text));
        let found: Vec<_> = analysis
            .aspects
            .iter()
            .map(|aspect| (aspect.start, aspect.end, Some(aspect.sentiment.into())))
            .collect();
        let expected: Vec<_> = scored
            .aspects
            .iter()
            .map(|aspect| (scored.bytes(aspect.span), aspect.polarity))
            .map(|(bytes, polarity)| (bytes.start, bytes.end, polarity))
            .collect();
        assert_eq!(found, expected, "{text}");
        for aspect in &analysis.aspects {
            assert_eq!(text[aspect.start..aspect.end], aspect.term);
            assert!((0.0..=1.0).contains(&aspect.span_confidence));
            assert!((1.0 / 3.0..=1.0).contains(&aspect.sentiment_confidence));
            links += aspect.opinions.len();
            for linked in &aspect.opinions {
                let opinion = &analysis.opinions[linked.opinion];
                assert_eq!(text[opinion.start..opinion.end], opinion.term);
            }
        }
        assert!(analysis.sentiment.is_some());
    }
    assert!(links > 0);
    assert_eq!(analyzer.analyze(" \n "), Analysis::default());
    // Offsets of later sentences count from the start of the text.
    let two = format!("Café. {}", texts[0]);
    let analysis = analyzer.analyze(&two).in_unit(&two, OffsetUnit::Chars);
    let alone = analyzer.analyze(texts[0]);
    let last = |analysis: &Analysis| analysis.aspects.last().map(|aspect| aspect.start);
    assert_eq!(last(&analysis), last(&alone).map(|start| start + 6));
    assert!(last(&alone).is_some());
}

#[test]
fn a_resumed_run_ends_with_the_same_weights() {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    for changes in [
        &[][..],
        &["train.separate_moments=true", "train.sampling=epoch"],
    ] {
        let config = toy::config(changes);
        let uninterrupted = toy::train(&config, folder.path()).model;
        let whole = uninterrupted.to_bytes(Storage::Full).unwrap();
        let checkpoint = folder.path().join("checkpoint");
        let mut steps = 0;
        let mut stops = 0;
        // Pre-training has 19 steps and an epoch 7: each run stops one step into the next epoch.
        let parts = loop {
            let trainer = trainer(&config, folder.path());
            let trainer = trainer.with_checkpoint(&checkpoint).unwrap();
            let mut now = 0;
            let result = trainer.run(&mut |event: &Event<'_>| {
                now += usize::from(matches!(event, Event::Step { .. }));
                now < if stops == 0 { 20 } else { 8 }
            });
            steps += now;
            match result {
                Ok(fitted) => break bytes(&config, fitted),
                Err(TrainError::Stopped) => stops += 1,
                Err(error) => panic!("{error}"),
            }
            assert!(steps < 10_000, "the run does not end");
        };
        assert!(stops >= 3, "only {stops} stops");
        assert!(whole == parts, "the weights differ");
        std::fs::remove_file(checkpoint).unwrap();
    }
}

#[test]
fn runs_with_the_same_pre_training_share_it() {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    let cache = folder.path().join("pretrained");
    std::fs::create_dir(&cache).unwrap();
    let cached = |config: &Config| {
        let mut pretraining_steps = 0;
        let fitted = trainer(config, folder.path())
            .with_pretrained(&cache, config.of_pretraining().to_toml().unwrap())
            .unwrap()
            .run(&mut |event: &Event<'_>| {
                let pretraining = matches!(
                    event,
                    Event::Step {
                        phase: Phase::Pretraining,
                        ..
                    }
                );
                pretraining_steps += usize::from(pretraining);
                true
            });
        (bytes(config, fitted.unwrap()), pretraining_steps)
    };
    let config = toy::config(&["train.epochs=2"]);
    let uncached = toy::train(&config, folder.path()).model;
    let expected = uncached.to_bytes(Storage::Full).unwrap();
    let (first, steps) = cached(&config);
    assert!(expected == first && steps == 19, "{steps}");
    let (second, steps) = cached(&config);
    assert!(expected == second && steps == 0, "{steps}");
    // Pre-training does not depend on the ratio, but on the seed.
    assert_eq!(
        cached(&toy::config(&["train.epochs=2", "train.ratio=3"])).1,
        0
    );
    assert_eq!(cached(&toy::config(&["train.epochs=2", "seed=9"])).1, 19);
    // With a warm-up over a share of all steps, its rate depends on the number of steps, which
    // depends on epochs and ratio.
    let warm_up = "train.schedule={warmup_share={share=0.5}}";
    for changes in [
        &["train.epochs=2"][..],
        &["train.epochs=4"],
        &["train.epochs=2", "train.ratio=3"],
    ] {
        let config = toy::config(&[changes, &[warm_up]].concat());
        let uncached = toy::train(&config, folder.path()).model;
        let expected = uncached.to_bytes(Storage::Full).unwrap();
        for steps in [19, 0] {
            let (bytes, pretraining_steps) = cached(&config);
            assert_eq!(pretraining_steps, steps, "{changes:?}");
            assert!(expected == bytes, "{changes:?}: the weights differ");
        }
    }
}

#[test]
fn checkpoints_of_other_runs_and_damaged_ones_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    let config = toy::config(&["model.documents=none", "model.messages=aspect"]);
    let checkpoint = folder.path().join("checkpoint");
    let trainer = |config: &Config| trainer(config, folder.path()).with_checkpoint(&checkpoint);
    let stop_after_first = trainer(&config)
        .unwrap()
        .run(&mut |event: &Event<'_>| !matches!(event, Event::Epoch(_)));
    assert!(matches!(stop_after_first, Err(TrainError::Stopped)));
    assert_eq!(trainer(&config).unwrap().history().len(), 1);

    let other = Config {
        seed: 99,
        ..config.clone()
    };
    assert!(matches!(trainer(&other), Err(TrainError::OtherRun { .. })));
    let bytes = std::fs::read(&checkpoint).unwrap();
    std::fs::write(&checkpoint, &bytes[..bytes.len() / 2]).unwrap();
    let error = trainer(&config).unwrap_err();
    assert!(matches!(error, TrainError::Damaged { .. }), "{error}");
}

#[test]
fn training_can_start_from_a_model() {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    let config = toy::config(&["train.epochs=12"]);
    let first = toy::train(&config, folder.path());
    let more = toy::config(&["train.epochs=1", "train.pretrain_epochs=0", "seed=4"]);
    let corpus = Corpus::load(&(&more).into(), folder.path(), Some(first.part())).unwrap();
    let trainer = imn_trainer(&more, folder.path(), corpus, Some(first.part())).unwrap();
    let second = trainer.run(&mut |_: &Event<'_>| true).unwrap().history;
    let fresh = toy::train(&more, folder.path()).history;
    let loss = |history: &[EpochRecord]| history[0].aspect_loss.unwrap();
    assert!(
        loss(&second) < 0.5 * loss(&fresh),
        "{} against {}",
        loss(&second),
        loss(&fresh)
    );
}

#[test]
fn labels_that_do_not_fit_their_sentence_are_not_scored_as_zero() {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    let config = toy::config(&[]);
    let mut corpus = Corpus::load(&(&config).into(), folder.path(), None).unwrap();
    corpus.dev[0].aspects[0].span = data::Span::new(90, 91);
    let trainer = imn_trainer(&config, folder.path(), corpus, None).unwrap();
    assert!(matches!(trainer.dev_scores(), Err(TrainError::Pairing(_))));
    let trained = trainer.run(&mut |_: &Event<'_>| true);
    assert!(matches!(trained, Err(TrainError::Pairing(_))));
}

#[test]
fn the_papers_variants_and_unlabelled_opinions_train() {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    let minus_d = ["model.documents=none", "model.messages=aspect"];
    let variants: [&[&str]; 6] = [
        &[
            "model.opinions=extracted",
            "model.messages=none",
            "model.rounds=0",
            "model.documents=none",
        ],
        &[
            "model.messages=none",
            "model.rounds=0",
            "model.documents=none",
        ],
        &minus_d,
        &["model.documents=sentiment", "model.messages=aspect"],
        &["model.messages=aspect"],
        &["model.opinions=unlabelled"],
    ];
    for changes in variants {
        let config = toy::config(&[changes, &["train.epochs=2"]].concat());
        let trained = toy::train(&config, folder.path());
        let losses: Vec<f64> = trained
            .history
            .iter()
            .filter_map(|r| r.aspect_loss)
            .collect();
        assert!(losses[1] < losses[0], "{changes:?}: {losses:?}");
        let again = Model::from_bytes(&trained.model.to_bytes(Storage::Full).unwrap()).unwrap();
        assert!(again.only_part().unwrap().has_config(&config));
    }
    // Sentences without opinion labels need `model.opinions = "unlabelled"`.
    let text = std::fs::read_to_string(folder.path().join("train.jsonl")).unwrap();
    let bare: String = text
        .lines()
        .map(|line| format!("{}}}\n", line.split(",\"opinions\"").next().unwrap()))
        .collect();
    std::fs::write(folder.path().join("train.jsonl"), bare).unwrap();
    let error = Corpus::load(&(&toy::config(&minus_d)).into(), folder.path(), None).unwrap_err();
    assert!(error.to_string().contains("model.opinions"), "{error}");
    let config = toy::config(
        &[
            &minus_d[..],
            &["model.opinions=unlabelled", "train.epochs=2"],
        ]
        .concat(),
    );
    let _ = toy::train(&config, folder.path());
}

#[test]
fn several_data_sets_are_combined_and_excluded_sentences_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    let file = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let (train, test) = (file("train.jsonl"), file("test.jsonl"));
    // A second data set with two sentences of the test set, one of them in capitals.
    let shared: String = test
        .lines()
        .take(2)
        .map(|line| format!("{line}\n"))
        .collect();
    let loud = shared.replacen("the ", "THE ", 1);
    std::fs::write(folder.path().join("more.jsonl"), loud).unwrap();
    let config = toy::config(&[
        "data.train=[\"train.jsonl\", \"more.jsonl\"]",
        "data.exclude=[\"test.jsonl\"]",
        "data.documents.sentiment=[\"food.tsv\", \"tools.tsv\"]",
        "data.documents.held_out=0.1",
    ]);
    let corpus = Corpus::load(&(&config).into(), folder.path(), None).unwrap();
    // Besides the two of the test set: the toy set repeats sentences, and with several files no
    // copy of a development sentence is trained on.
    let repeats = 6;
    assert_eq!(corpus.report.left_out, 2 + repeats);
    assert_eq!(
        corpus.report.train + corpus.report.dev + repeats,
        train.lines().count()
    );
    assert_eq!(
        corpus
            .featurizer
            .lexicon()
            .words()
            .unwrap()
            .id("zebrafinch"),
        imn::text::Vocabulary::UNK
    );
    assert_eq!(
        (corpus.sentiment.len(), corpus.held_out.sentiment.len()),
        (135, 15)
    );
    let again = Config::from_toml(&config.to_toml().unwrap(), &[]).unwrap();
    assert_eq!(again, config);
    let empty = "data.train=[]".parse().unwrap();
    let error = Config::from_toml(&config.to_toml().unwrap(), &[empty]).unwrap_err();
    assert!(error.to_string().contains("empty list"), "{error}");
    // Every epoch reports the accuracy on the documents that were held out.
    let trainer = imn::train::imn_trainer(&config, folder.path(), corpus, None).unwrap();
    let fitted = trainer.run(&mut |_: &Event<'_>| true).unwrap();
    assert!(fitted.history.iter().all(|epoch| epoch.documents.is_some()));
    let kept = fitted.history.iter().rfind(|epoch| epoch.best).unwrap();
    let held_out = &fitted.corpus.held_out.sentiment;
    let features: Vec<_> = held_out.iter().map(|document| &document.features).collect();
    let network = fitted.network.as_imn().unwrap();
    let engine = imn_nn::Engine::new();
    let rows = imn::predict::sentiments(&engine, network, &fitted.params, &features);
    let right = rows.iter().zip(held_out).filter(|(row, document)| {
        imn::model::argmax(row.as_ref().unwrap()) == document.class as usize
    });
    let accuracy = 100.0 * right.count() as f64 / held_out.len() as f64;
    let reported = kept.documents.unwrap().sentiment.unwrap();
    assert!((reported - accuracy).abs() < 1e-9, "{reported} {accuracy}");
    // Training fits calibration curves.
    let trained = toy::train(&config, folder.path());
    assert!(trained.part().calibration != imn::eval::SchemeCalibration::default());
}

#[test]
fn data_sets_with_different_annotation_schemes_are_combined() {
    let folder = tempfile::tempdir().unwrap();
    toy::write(folder.path());
    // The second data set annotates only the first aspect of a sentence.
    let text = std::fs::read_to_string(folder.path().join("train.jsonl")).unwrap();
    let fewer: String = text
        .lines()
        .map(|line| {
            let (head, rest) = line.split_once("},{").unwrap();
            let (_, tail) = rest.split_once("}]").unwrap();
            format!("{head}}}]{tail}\n")
        })
        .collect();
    std::fs::write(folder.path().join("fewer.jsonl"), fewer).unwrap();
    let config = toy::config(&[
        "data.train=[\"train.jsonl\", \"fewer.jsonl\"]",
        "data.schemes=[\"both\", \"first\"]",
        "model.schemes=[\"both\", \"first\"]",
        "train.epochs=30",
        "data.repeat=[1, 2]",
    ]);
    let trained = toy::train(&config, folder.path());
    let bytes = trained.model.to_bytes(Storage::Full).unwrap();
    let model = || Model::from_bytes(&bytes).unwrap();
    let gold = data::read(&folder.path().join("test.jsonl")).unwrap();
    let found = |model: &Model| {
        let annotated = model.annotate(&gold).unwrap();
        annotated.iter().map(|s| s.aspects.len()).sum::<usize>()
    };
    let (both, first) = (found(&model()), found(&model().in_scheme("first").unwrap()));
    assert!(
        both > gold.len() * 3 / 2 && first < gold.len() * 3 / 2,
        "{both} {first}"
    );
    let error = model().in_scheme("none").unwrap_err().to_string();
    assert!(error.contains("both, first"), "{error}");
    // There must be one known scheme per file.
    for wrong in [
        "data.schemes=[]",
        "data.schemes=[\"both\"]",
        "data.schemes=[\"both\", \"x\"]",
    ] {
        let change = [wrong.parse().unwrap()];
        assert!(
            Config::from_toml(&config.to_toml().unwrap(), &change).is_err(),
            "{wrong}"
        );
    }
}
