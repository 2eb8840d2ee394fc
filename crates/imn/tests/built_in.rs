//! The built-in model: its size, its scores, its model card, and its robustness.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use imn::analyze::Analyzer;
use imn::bundle::Model;
use imn::data::{Sentiment, align, read};
use imn::eval::{Counts, pair};
use imn::model::Network as _;
use imn::predict::{infer_annotated, sentence_outcomes};
use serde_json::Value;

/// The test sets: name, annotation scheme, official file with raw text.
const SETS: [(&str, &str, &str); 3] = [
    ("res14", "terms", "Restaurants_Test_Gold.xml"),
    ("lap14", "terms", "Laptops_Test_Gold.xml"),
    ("res15", "targets", "ABSA15_Restaurants_Test.xml"),
];

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

fn stored() -> Value {
    let text = std::fs::read_to_string(models().join("reviews.scores.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_model_is_small() {
    let bytes = models().join("reviews.imn").metadata().unwrap().len();
    assert!(bytes <= 20_000_000, "{bytes} bytes");
    let analyzer = Analyzer::built_in().unwrap();
    assert!(analyzer.part().featurizer.lexicon().len() >= 30_000);
}

#[test]
fn the_model_has_its_stored_scores() {
    let Some(data) = imn_testkit::shared_data() else {
        return;
    };
    for (set, scheme, raw) in SETS {
        let model = Model::built_in().unwrap().in_scheme(scheme).unwrap();
        let imn = model.imn().unwrap();
        let labelled = read(&data.join("aspect").join(set).join("test")).unwrap();
        let raw = read(&data.join("semeval_xml").join(raw)).unwrap();
        let gold = align(&labelled, &raw).sentences;
        let inferred = infer_annotated(imn.network, imn.params, imn.featurizer, &gold);
        let tags = imn.network.tag_set();
        let predicted: Vec<_> = inferred
            .iter()
            .map(|sentence| sentence.annotated(tags))
            .collect();
        assert_eq!(predicted, model.annotate(&gold).unwrap());
        let counts: Counts = pair(&gold, &predicted).unwrap().into_iter().sum();
        let stored = &stored()[set];
        let score = |path: &str| stored.pointer(path).and_then(Value::as_f64).unwrap();
        let scores = counts.scores();
        // Rounding differs between machines, so one or two sentences can change.
        for (name, found) in [
            ("/scores/aspect/f1", scores.aspect.f1),
            ("/scores/integrated/f1", scores.integrated.unwrap().f1),
        ] {
            let expected = score(name);
            assert!(
                (found - expected).abs() < 0.3,
                "{set} {name}: {found} {expected}"
            );
        }
        let calibrated = sentence_outcomes(imn.network, &inferred).calibrated(imn.calibration);
        let (found, expected) = (
            calibrated.errors().aspects.unwrap(),
            score("/calibration/aspects"),
        );
        assert!((found - expected).abs() < 0.01, "{set}: {found} {expected}");
    }
}

/// The table of the model card, from the stored scores.
fn table() -> String {
    let stored = stored();
    let mut table = String::from(
        "| test set, raw text | F1-a | F1-o | acc-s | F1-s | F1-I \
         | calibration error of aspects, opinions, sentiments |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for (set, ..) in SETS {
        let number = |path: &str| stored[set].pointer(path).and_then(Value::as_f64).unwrap();
        let _ = writeln!(
            table,
            "| {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.3}, {:.3}, {:.3} |",
            set,
            number("/scores/aspect/f1"),
            number("/scores/opinion/f1"),
            number("/scores/sentiment/accuracy"),
            number("/scores/sentiment/f1_s/f1"),
            number("/scores/integrated/f1"),
            number("/calibration/aspects"),
            number("/calibration/opinions"),
            number("/calibration/sentiments"),
        );
    }
    table
}

/// `IMN_BLESS=1 cargo test --test built_in` writes the table into the model card.
#[test]
fn the_card_shows_the_stored_scores() {
    let path = models().join("reviews.md");
    let card = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = ("<!-- scores -->\n", "<!-- end -->");
    let from = card.find(begin).unwrap() + begin.len();
    let to = from + card[from..].find(end).unwrap();
    let wanted = format!("{}{}{}", &card[..from], table(), &card[to..]);
    if std::env::var_os("IMN_BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let card = std::fs::read_to_string(&path).unwrap();
    assert!(card == wanted, "IMN_BLESS=1 writes the table");
}

/// The aspects of a text in lower case, with their sentiments.
fn aspects(analyzer: &Analyzer, text: &str) -> Vec<(String, Sentiment)> {
    analyzer
        .analyze(text)
        .aspects
        .into_iter()
        .map(|found| (found.term.to_lowercase(), found.sentiment))
        .collect()
}

/// Capitals, misspellings, repeated letters and missing punctuation do not change the analysis of
/// simple sentences.
#[test]
fn informal_spelling_does_not_change_the_analysis() {
    let analyzer = Analyzer::built_in().unwrap();
    let ramen = aspects(
        &analyzer,
        "The ramen was wonderful, but our waiter ignored us.",
    );
    let expected = [
        ("ramen", Sentiment::Positive),
        ("waiter", Sentiment::Negative),
    ];
    assert_eq!(
        ramen,
        expected.map(|(term, sentiment)| (term.to_owned(), sentiment))
    );
    for (clean, careless) in [
        ("The pizza was delicious.", "THE PIZZA WAS DELICIOUS"),
        ("The pizza was delicious.", "the pizza was delicous"),
        ("I love the burgers!", "i looooove the burgers"),
        ("The keyboard is awful.", "the keyboard is awfull"),
        ("The battery life is great.", "BATTERY LIFE IS GRAET!!!!"),
    ] {
        let (clean, careless) = (aspects(&analyzer, clean), aspects(&analyzer, careless));
        assert_eq!(clean.len(), 1, "{clean:?}");
        assert_eq!(clean, careless);
    }
}

#[test]
fn unknown_words_and_texts_without_words_are_analyzed() {
    let analyzer = Analyzer::built_in().unwrap();
    let found = aspects(&analyzer, "The blorptastic zindle was excellent.");
    assert!(!found.is_empty());
    assert!(
        found
            .iter()
            .all(|(_, sentiment)| *sentiment == Sentiment::Positive)
    );
    for text in [
        "",
        "\u{0}\u{0}",
        "🍜🍜🍜",
        "…",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "\n\n",
    ] {
        let analysis = analyzer.analyze(text);
        assert!(analysis.aspects.len() <= 1, "{analysis:?}");
    }
}
