//! Every compared system memorizes eight sentences, gives the same weights for the same seed, and
//! survives saving and loading.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::sync::{Arc, Mutex};

use imn::bundle::{Model, ModelError, ModelPart, Storage};
use imn::data::{AnnotatedSentence, Aspect, Polarity};
use imn::eval::{Counts, Metric, pair};
use imn::model::{Example, Network, Prediction, Role, SentenceBatch, TagSet};
use imn::train::{Event, TrainError};
use imn_nn::{Tape, Var};
use imn_repro::config::SystemConfig;
use imn_repro::fit::{self, FAMILIES};

fn fit_with(config: &SystemConfig, folder: &std::path::Path) -> ModelPart {
    let trainer = fit::trainer(config, folder).unwrap();
    let fitted = trainer.run(&mut |_: &Event<'_>| true).unwrap();
    fit::finish(config, fitted).unwrap()
}

fn trained(folder: &std::path::Path, kind: &str, network: &str, opinions: &str) -> ModelPart {
    fit_with(&common::config(kind, network, opinions), folder)
}

fn pipeline(extractor: ModelPart, classifier: ModelPart) -> Result<Model, ModelError> {
    Model::pipeline(Model::alone(extractor), Model::alone(classifier))
}

fn network(kind: &str) -> &'static str {
    let known = common::NETWORKS.iter().find(|(other, _)| *other == kind);
    known.unwrap().1
}

fn gold(folder: &std::path::Path) -> Vec<AnnotatedSentence> {
    imn::data::read(&folder.join("train.jsonl")).unwrap()
}

fn score(gold: &[AnnotatedSentence], said: &[AnnotatedSentence], metric: Metric) -> f64 {
    let counts = pair(gold, said).unwrap().into_iter().sum::<Counts>();
    counts.scores().get(metric).unwrap()
}

#[test]
fn every_network_memorizes_eight_sentences() {
    let folder = tempfile::tempdir().unwrap();
    common::write(folder.path());
    for opinions in ["used", "unused"] {
        for (kind, network) in common::NETWORKS {
            if (kind, opinions) == ("cmla", "unused") {
                // CMLA requires opinion labels.
                continue;
            }
            let trained = trained(folder.path(), kind, network, opinions);
            let metric = trained.network.role().metric();
            let score = trained.record.dev[metric.name()];
            assert!(
                score > 99.0,
                "{kind}, opinions {opinions}: {metric} {score}"
            );
        }
    }
}

#[test]
fn the_classifier_of_a_pipeline_gets_the_terms_of_the_extractor() {
    let folder = tempfile::tempdir().unwrap();
    common::write(folder.path());
    let gold = gold(folder.path());
    for (extractor, classifier) in [
        ("cmla", "alstm"),
        ("decnn", "dtrans"),
        ("decnn", "aspect-sentiment"),
    ] {
        let parts =
            [extractor, classifier].map(|kind| trained(folder.path(), kind, network(kind), "used"));
        let [extractor, classifier] = parts;
        let system = pipeline(extractor, classifier).unwrap();
        let said = system.annotate(&gold).unwrap();
        assert!(score(&gold, &said, Metric::F1A) > 95.0);
        assert!(score(&gold, &said, Metric::F1O) > 50.0);
        let found = score(&gold, &said, Metric::F1I);
        assert!(found > 85.0, "{found}");
    }
}

/// A classifier that records its inputs and predicts positive for everything.
#[derive(Debug)]
struct Listens {
    heard: Arc<Mutex<Vec<Example>>>,
    tag_set: TagSet,
}

impl Network for Listens {
    fn role(&self) -> Role {
        Role::Classifier
    }

    fn tag_set(&self) -> TagSet {
        self.tag_set
    }

    fn loss(&self, tape: &mut Tape<'_, f32>, _: &SentenceBatch<'_>) -> Var {
        tape.plain(1, 1, &[0.0])
    }

    fn predict(&self, _: &mut Tape<'_, f32>, shard: &SentenceBatch<'_>) -> Vec<Prediction> {
        let mut heard = self.heard.lock().unwrap();
        heard.extend(shard.sentences.iter().copied().cloned());
        let good = |span| Aspect {
            span,
            polarity: Some(Polarity::Positive),
        };
        let said = shard.sentences.iter().map(|sentence| Prediction {
            aspects: sentence.aspects.iter().copied().map(good).collect(),
            ..Prediction::default()
        });
        said.collect()
    }
}

#[test]
fn the_classifier_gets_the_extractors_opinion_probabilities() {
    let folder = tempfile::tempdir().unwrap();
    common::write(folder.path());
    let gold = gold(folder.path());
    for told in ["used", "unused"] {
        let extractor = trained(folder.path(), "decnn", network("decnn"), "used");
        let found = extractor.predict(&gold);
        let mut classifier = trained(folder.path(), "alstm", network("alstm"), told);
        let features = classifier.featurizer.clone();
        let heard = Arc::new(Mutex::new(Vec::new()));
        classifier.network = Box::new(Listens {
            heard: Arc::clone(&heard),
            tag_set: classifier.network.tag_set(),
        });
        let system = pipeline(extractor, classifier).unwrap();
        let said = system.annotate(&gold).unwrap();
        let heard = heard.lock().unwrap();
        assert_eq!(heard.len(), gold.len());
        // Sentences of similar length are batched together, so the order differs.
        let of = |sentence: &AnnotatedSentence| {
            let features = features.sentence(sentence);
            let heard = heard.iter().find(|heard| heard.features == features);
            heard.unwrap()
        };
        let heard = gold.iter().map(of);
        for ((heard, found), said) in heard.zip(&found).zip(&said) {
            let spans: Vec<_> = found.aspects.iter().map(|aspect| aspect.span).collect();
            assert_eq!(heard.aspects, spans);
            // The classifier gets probabilities, not labels. The predicted terms are those of the
            // extractor.
            match told {
                "used" => assert_eq!(heard.opinion, found.opinion),
                _ => assert_eq!(heard.opinion, Vec::<f32>::new()),
            }
            assert_eq!(said.opinions.as_ref(), Some(&found.opinions));
            let good = |aspect: &Aspect| aspect.polarity == Some(Polarity::Positive);
            assert!(said.aspects.iter().all(good));
        }
        let between = |&p: &f32| p > 0.0 && p < 1.0;
        assert!(found.iter().any(|found| found.opinion.iter().any(between)));
    }
}

#[test]
fn a_file_gives_the_same_answers_and_damage_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    common::write(folder.path());
    let gold = gold(folder.path());
    let alone = Model::alone(trained(folder.path(), "mnn", network("mnn"), "used"));
    let decnn = trained(folder.path(), "decnn", network("decnn"), "used");
    let alstm = trained(folder.path(), "alstm", network("alstm"), "used");
    let both = pipeline(decnn, alstm).unwrap();
    for system in [alone, both] {
        let path = folder.path().join("system.imn");
        system.save(&path, Storage::Full).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let read = fit::open(path.to_str().unwrap()).unwrap();
        assert_eq!(
            read.annotate(&gold).unwrap(),
            system.annotate(&gold).unwrap()
        );
        for cut in [0, 7, 100, bytes.len() / 2, bytes.len() - 1] {
            assert!(Model::from_bytes_with(&bytes[..cut], FAMILIES).is_err());
        }
        // A reader that only knows IMN refuses the file, and 16-bit weights change predictions only
        // slightly.
        let error = Model::open(path.to_str().unwrap()).unwrap_err().to_string();
        assert!(error.contains("cannot build"), "{error}");
        system.save(&path, Storage::Small).unwrap();
        assert!(path.metadata().unwrap().len() < bytes.len() as u64);
        let small = fit::open(path.to_str().unwrap()).unwrap();
        let found = score(&gold, &small.annotate(&gold).unwrap(), Metric::F1A);
        assert!(found > 90.0, "{found}");
        assert!(matches!(system.imn(), Err(ModelError::NotImn { .. })));
    }
}

#[test]
fn a_classifier_alone_finds_no_aspects() {
    let folder = tempfile::tempdir().unwrap();
    common::write(folder.path());
    let alstm = trained(folder.path(), "alstm", network("alstm"), "used");
    assert_eq!(alstm.network.role(), Role::Classifier);
    let alone = Model::alone(alstm);
    assert!(matches!(
        alone.annotate(&gold(folder.path())),
        Err(ModelError::NoExtractor(_))
    ));
}

#[test]
fn the_same_seed_gives_the_same_weights() {
    let folder = tempfile::tempdir().unwrap();
    common::write(folder.path());
    let once = trained(folder.path(), "dtrans", network("dtrans"), "used");
    let again = trained(folder.path(), "dtrans", network("dtrans"), "used");
    assert_eq!(
        once.params.to_safetensors().unwrap(),
        again.params.to_safetensors().unwrap()
    );
}

#[test]
fn invalid_settings_are_refused_with_a_reason() {
    let refuse = |kind: &str, network: &str, word: &str| {
        let text = format!(
            "name = \"x\"\n[data]\ntrain = \"t\"\n[network]\nkind = \"{kind}\"\n{network}\n"
        );
        let error = imn_repro::config::SystemConfig::from_toml(&text, &[]).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    };
    refuse("decnn", "filters = 7", "even");
    refuse("alstm", "hidden = 0", "network.hidden");
    refuse("inabsa", "dropout = 1.0", "network.dropout");
    refuse("dtrans", "", "documents");
    refuse("mnn", "[train.documents]", "documents");
    refuse("mnn", "filters = 3", "filters");
    refuse("bert", "", "bert");
    refuse(
        "aspect-sentiment",
        "decoder_dropout = 1.5",
        "decoder_dropout",
    );
    refuse("inabsa", "guidance = 1.5", "guidance");
    refuse("inabsa", "window = 2", "network.window");
    refuse("decnn", "layers = 0", "network.layers");
    refuse("cmla", "hidden = 4096", "network.hidden");
    refuse("decnn", "[vectors]\nlearn = \"sentences\"", "vectors.learn");
}

#[test]
fn labels_do_not_affect_predictions_and_long_sentences_are_split() {
    let folder = tempfile::tempdir().unwrap();
    common::write(folder.path());
    let gold = gold(folder.path());
    let stripped: Vec<AnnotatedSentence> = gold
        .iter()
        .map(|sentence| AnnotatedSentence::from_text(&sentence.text))
        .collect();
    let systems = ["mnn", "inabsa"]
        .map(|kind| Model::alone(trained(folder.path(), kind, network(kind), "used")));
    let decnn = trained(folder.path(), "decnn", network("decnn"), "used");
    let dtrans = trained(folder.path(), "dtrans", network("dtrans"), "used");
    let both = pipeline(decnn, dtrans).unwrap();
    let long = [AnnotatedSentence::from_text(
        "warm bread , cold soup ; ".repeat(400),
    )];
    for system in systems.into_iter().chain([both]) {
        let terms = |said: Vec<AnnotatedSentence>| -> Vec<_> {
            said.into_iter().map(|s| (s.aspects, s.opinions)).collect()
        };
        assert_eq!(
            terms(system.annotate(&gold).unwrap()),
            terms(system.annotate(&stripped).unwrap())
        );
        let said = &system.annotate(&long).unwrap()[0];
        assert!(said.tokens.len() > 2000);
        assert!(said.aspects.iter().any(|aspect| aspect.span.start > 2000));
        assert!(said.aspects.is_sorted_by_key(|aspect| aspect.span.start));
    }
}

#[test]
fn parts_of_a_pipeline_must_fit() {
    let folder = tempfile::tempdir().unwrap();
    common::write(folder.path());
    let make = |kind: &str, opinions: &str| trained(folder.path(), kind, network(kind), opinions);
    let refused = |first, second| {
        let error = pipeline(first, second).err().map(|error| error.to_string());
        error.is_some_and(|error| error.contains("pipeline"))
    };
    assert!(refused(make("alstm", "used"), make("decnn", "used")));
    assert!(refused(make("decnn", "unused"), make("alstm", "used")));
    assert!(!refused(make("decnn", "unused"), make("alstm", "unused")));
    assert!(!refused(
        make("decnn", "unused"),
        make("aspect-sentiment", "used")
    ));
}

#[test]
fn fixed_weights_stay_fixed_and_averages_are_averages() {
    let folder = tempfile::tempdir().unwrap();
    common::write(folder.path());
    let make = |learn: imn::config::Learning, epochs: usize, average: Option<f64>| {
        let mut config = common::config("dtrans", network("dtrans"), "used");
        config.vectors.learn = learn;
        config.train.epochs = epochs;
        config.train.average_epochs = average;
        fit_with(&config, folder.path())
    };
    let tensor = |trained: &ModelPart, name: &str| {
        let id = trained.params.find(name).unwrap();
        trained.params.get(id).data().to_vec()
    };
    use imn::config::Learning::{Always, Never};
    let (one, two) = (make(Never, 1, None), make(Never, 30, None));
    assert_ne!(tensor(&one, "query.kernel"), tensor(&two, "query.kernel"));
    assert_eq!(
        tensor(&one, "embedding.table"),
        tensor(&two, "embedding.table")
    );
    assert_eq!(tensor(&two, "fixed.sum"), vec![1.0; 12]);
    let learnt = make(Always, 30, None);
    assert_ne!(
        tensor(&learnt, "embedding.table"),
        tensor(&two, "embedding.table")
    );
    let averaged = make(Always, 30, Some(5.0));
    assert_ne!(
        tensor(&learnt, "query.kernel"),
        tensor(&averaged, "query.kernel")
    );
}

#[test]
fn a_compared_system_that_was_stopped_ends_with_the_same_weights() {
    let folder = tempfile::tempdir().unwrap();
    common::write(folder.path());
    let mut config = common::config("dtrans", network("dtrans"), "used");
    config.train.epochs = 5;
    let whole = fit_with(&config, folder.path());
    let checkpoint = folder.path().join("checkpoint");
    let mut stops = 0;
    let parts = loop {
        let trainer = fit::trainer(&config, folder.path()).unwrap();
        let trainer = trainer.with_checkpoint(&checkpoint).unwrap();
        let mut epochs = 0;
        // It stops in the epoch after each finished one, including pre-training.
        let fitted = trainer.run(&mut |event: &Event<'_>| {
            epochs += usize::from(matches!(event, Event::Epoch(_)));
            epochs == 0 || !matches!(event, Event::Step { .. })
        });
        match fitted {
            Ok(fitted) => break fit::finish(&config, fitted).unwrap(),
            Err(TrainError::Stopped) => stops += 1,
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(stops, 6);
    assert_eq!(whole.record, parts.record);
    assert_eq!(
        whole.params.to_safetensors().unwrap(),
        parts.params.to_safetensors().unwrap()
    );
}
