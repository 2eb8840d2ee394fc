//! The built-in models: their sizes, scores, model cards, and robustness.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use imn::analyze::Analyzer;
use imn::bundle::{BUILT_IN, DEFAULT, Model};
use imn::data::{AnnotatedSentence, Sentiment, align, read};
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

/// The largest model file that may be part of the program.
const MAX_BYTES: u64 = 28_000_000;

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

fn stored(model: &str) -> Value {
    let path = models().join(format!("{model}.scores.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn the_models_are_small() {
    assert_eq!(DEFAULT, BUILT_IN[0].name);
    for built_in in &BUILT_IN {
        let path = models().join(format!("{}.imn", built_in.name));
        let bytes = path.metadata().unwrap().len();
        assert!(bytes <= MAX_BYTES, "{}: {bytes} bytes", built_in.name);
        let model = Model::open(built_in.name).unwrap();
        assert!(model.imn().unwrap().featurizer.lexicon().len() >= 25_000);
    }
}

/// The scores of a model on annotated sentences are those that are stored.
fn has_stored_scores(name: &str, set: &str, scheme: &str, gold: &[AnnotatedSentence]) {
    let model = Model::open(name).unwrap().in_scheme(scheme).unwrap();
    let imn = model.imn().unwrap();
    let inferred = infer_annotated(imn.network, imn.params, imn.featurizer, gold);
    let tags = imn.network.tag_set();
    let predicted: Vec<_> = inferred
        .iter()
        .map(|sentence| sentence.annotated(tags))
        .collect();
    assert_eq!(predicted, model.annotate(gold).unwrap());
    let counts: Counts = pair(gold, &predicted).unwrap().into_iter().sum();
    let stored = &stored(name)[set];
    let score = |path: &str| stored.pointer(path).and_then(Value::as_f64).unwrap();
    let scores = counts.scores();
    // Rounding differs between machines: a sentence or two may change.
    for (path, found) in [
        ("/scores/aspect/f1", scores.aspect.f1),
        ("/scores/integrated/f1", scores.integrated.unwrap().f1),
    ] {
        let kept = score(path);
        assert!(
            (found - kept).abs() < 0.3,
            "{name} {set} {path}: {found} {kept}"
        );
    }
    let errors = sentence_outcomes(imn.network, &inferred).calibrated(&imn.calibration);
    let (found, kept) = (
        errors.errors().aspects.unwrap(),
        score("/calibration/aspects"),
    );
    assert!((found - kept).abs() < 0.01, "{name} {set}: {found} {kept}");
}

#[test]
fn the_models_have_their_stored_scores_on_the_test_sets() {
    let Some(data) = imn_testkit::shared_data() else {
        return;
    };
    for (set, scheme, raw) in SETS {
        let labelled = read(&data.join("aspect").join(set).join("test")).unwrap();
        let raw = read(&data.join("semeval_xml").join(raw)).unwrap();
        let gold = align(&labelled, &raw).sentences;
        for built_in in &BUILT_IN {
            has_stored_scores(built_in.name, set, scheme, &gold);
        }
    }
}

#[test]
fn the_models_have_their_stored_scores_on_our_hard_sentences() {
    let gold = read(&models().join("hard/dev.jsonl")).unwrap();
    for built_in in &BUILT_IN {
        has_stored_scores(built_in.name, "hard", "terms", &gold);
    }
}

/// The table of a model card, from the stored scores.
fn table(model: &str) -> String {
    let stored = stored(model);
    let mut table = String::from(
        "| set | F1-a | F1-o | acc-s | F1-I | in the default scheme | triplets | calibration error \
         |\n|---|---|---|---|---|---|---|---|\n",
    );
    for set in [
        "res14",
        "lap14",
        "res15",
        "mams",
        "electronics",
        "fashion",
        "beauty",
        "home",
        "food",
        "course",
        "hotel",
        "hard",
        "hard.test",
    ] {
        let of = |set: &str, path: &str, digits: usize| {
            let number = stored[set].pointer(path).and_then(Value::as_f64);
            number.map_or("–".to_owned(), |number| format!("{number:.digits$}"))
        };
        let number = |path: &str, digits: usize| of(set, path, digits);
        let _ = writeln!(
            table,
            "| {set} | {} | {} | {} | {} ({} to {}) | {} | {} | {}, {}, {} |",
            number("/scores/aspect/f1", 2),
            number("/scores/opinion/f1", 2),
            number("/scores/sentiment/accuracy", 2),
            number("/scores/integrated/f1", 2),
            number("/intervals/F1-I/low", 1),
            number("/intervals/F1-I/high", 1),
            of(&format!("{set}.default"), "/scores/integrated/f1", 2),
            number("/triplets/triplets/f1", 2),
            number("/calibration/aspects", 3),
            number("/calibration/opinions", 3),
            number("/calibration/sentiments", 3),
        );
    }
    table
}

/// `IMN_BLESS=1 cargo test --workspace --test built_in` writes the tables into the model cards.
#[test]
fn the_cards_show_the_stored_scores() {
    for built_in in &BUILT_IN {
        let path = models().join(format!("{}.md", built_in.name));
        let card = std::fs::read_to_string(&path).unwrap();
        let (begin, end) = ("<!-- scores -->\n", "<!-- end -->");
        let from = card.find(begin).unwrap() + begin.len();
        let to = from + card[from..].find(end).unwrap();
        let wanted = format!("{}{}{}", &card[..from], table(built_in.name), &card[to..]);
        if std::env::var_os("IMN_BLESS").is_some() {
            std::fs::write(&path, &wanted).unwrap();
        }
        let card = std::fs::read_to_string(&path).unwrap();
        assert!(
            card == wanted,
            "IMN_BLESS=1 writes the table of {}",
            built_in.name
        );
    }
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
        ("The battery life is great.", "BATTERY LIFE IS GREAT!!!!"),
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

#[test]
fn emoji_have_a_sentiment() {
    for built_in in &BUILT_IN {
        let analyzer = Analyzer::new(Model::open(built_in.name).unwrap()).unwrap();
        let analysis = analyzer.analyze("The breakfast was 👎 but the pool was 👍");
        let found: Vec<_> = analysis
            .aspects
            .iter()
            .map(|aspect| (aspect.term.as_str(), aspect.sentiment))
            .collect();
        let expected = [
            ("breakfast", Sentiment::Negative),
            ("pool", Sentiment::Positive),
        ];
        assert_eq!(found, expected, "{}", built_in.name);
    }
}

#[test]
fn long_texts_are_read_to_their_end() {
    let nouns = [
        "room",
        "bed",
        "shower",
        "pool",
        "breakfast",
        "staff",
        "view",
        "lobby",
        "bar",
        "parking",
        "coffee",
        "soup",
        "pizza",
        "waiter",
        "service",
        "screen",
        "keyboard",
        "battery",
        "price",
        "delivery",
    ];
    let judgements = ["great", "terrible", "lovely", "awful", "excellent"];
    let clauses: Vec<String> = (0..60)
        .map(|i| format!("the {} was {}", nouns[i % nouns.len()], judgements[i % 5]))
        .collect();
    let complaints = "The room was terrible and the staff was rude. ".repeat(50);
    let praise = "The food was great and the pool was lovely. ".repeat(20);
    for built_in in &BUILT_IN {
        let analyzer = Analyzer::new(Model::open(built_in.name).unwrap()).unwrap();
        let found = analyzer.analyze(&clauses.join(" and ")).aspects.len();
        assert!(found >= 54, "{}: {found} of 60 aspects", built_in.name);
        let whole = analyzer
            .analyze(&(praise.clone() + &complaints))
            .sentiment
            .unwrap();
        assert_eq!(whole.polarity, Sentiment::Negative, "{}", built_in.name);
    }
}

#[test]
fn html_tags_change_nothing_but_offsets() {
    let analyzer = Analyzer::built_in().unwrap();
    let text = "The bed was hard and the shower was cold. The staff were kind.";
    let html = "<p>The <b>bed</b> was hard and the <em>shower</em> was cold.<br/>The \
                <a href='x'>staff</a> were kind.</p>";
    let plain = aspects(&analyzer, text);
    assert_eq!(plain.len(), 3);
    assert_eq!(aspects(&analyzer, html), plain);
    // Evaluation of texts without tokens reads them in the same way.
    let words = |text: &str| -> Vec<String> {
        let sentence = AnnotatedSentence::from_text(text);
        sentence.words().map(str::to_owned).collect()
    };
    assert_eq!(words(html), words(text));
}
