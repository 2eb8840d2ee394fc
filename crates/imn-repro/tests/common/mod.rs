//! Eight sentences of our own, and small networks that can memorize them.

use std::fmt::Write as _;
use std::path::Path;

use imn_repro::config::SystemConfig;

/// Texts, aspects with polarities, opinions.
type Labelled = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static [&'static str],
);

const SENTENCES: [Labelled; 8] = [
    (
        "The lamb curry was superb but the waiter ignored us",
        &[("lamb curry", "positive"), ("waiter", "negative")],
        &["superb", "ignored"],
    ),
    (
        "Warm bread , cold soup",
        &[("bread", "positive"), ("soup", "negative")],
        &["Warm", "cold"],
    ),
    (
        "They serve tea from a large menu",
        &[("tea", "neutral"), ("menu", "neutral")],
        &["large"],
    ),
    ("We came on a rainy Monday", &[], &[]),
    (
        "A noisy room with a lovely view",
        &[("room", "negative"), ("view", "positive")],
        &["noisy", "lovely"],
    ),
    (
        "The window table is nice",
        &[("window table", "positive")],
        &["nice"],
    ),
    (
        "Overpriced wine and rude staff",
        &[("wine", "negative"), ("staff", "negative")],
        &["Overpriced", "rude"],
    ),
    (
        "The lunch menu changes daily",
        &[("lunch menu", "neutral")],
        &[],
    ),
];

/// Writes the sentences and a few documents.
pub fn write(folder: &Path) {
    let mut lines = String::new();
    for (text, aspects, opinions) in SENTENCES {
        let place = |term: &str| {
            let start = text.find(term).expect("it is there");
            format!("\"start\":{start},\"end\":{}", start + term.len())
        };
        let aspects: Vec<String> = aspects
            .iter()
            .map(|(term, polarity)| format!("{{{},\"polarity\":\"{polarity}\"}}", place(term)))
            .collect();
        let opinions: Vec<String> = opinions
            .iter()
            .map(|term| format!("{{{}}}", place(term)))
            .collect();
        let _ = writeln!(
            lines,
            "{{\"v\":1,\"text\":\"{text}\",\"aspects\":[{}],\"opinions\":[{}]}}",
            aspects.join(","),
            opinions.join(",")
        );
    }
    let documents =
        "pos\tlovely food , warm people\nneg\tcold soup and rude people\nneu\twe had the menu\n";
    std::fs::write(folder.join("train.jsonl"), lines).expect("a writable folder");
    std::fs::write(folder.join("documents.tsv"), documents.repeat(4)).expect("a writable folder");
}

/// The configuration of a small network that is trained and selected on the same sentences.
pub fn config(kind: &str, network: &str, opinions: &str) -> SystemConfig {
    let (data, train) = match kind {
        "dtrans" => (
            "[data.documents]\nsentiment = \"documents.tsv\"",
            "[train.documents]\npretrain_epochs = 2\nbatch = 4",
        ),
        _ => ("", ""),
    };
    // Boundary guidance bounds INABSA's loss, so it corrects a wrong sentiment slowly.
    let epochs = if kind == "inabsa" { 400 } else { 60 };
    let text = format!(
        r#"
        name = "toy"
        seed = 5
        opinions = "{opinions}"
        [data]
        train = "train.jsonl"
        dev = "train.jsonl"
        test = "train.jsonl"
        {data}
        [vectors]
        dimensions = 16
        [network]
        kind = "{kind}"
        {network}
        [train]
        batch = 4
        learning_rate = 0.01
        epochs = {epochs}
        {train}
        "#
    );
    SystemConfig::from_toml(&text, &[]).expect("a configuration that makes sense")
}

/// Small sizes for every network.
pub const NETWORKS: [(&str, &str); 7] = [
    ("decnn", "filters = 16\ndropout = 0.1"),
    ("cmla", "hidden = 12\nslices = 4\ndropout = 0.1"),
    ("alstm", "hidden = 12\ndropout = 0.1"),
    ("dtrans", "hidden = 12\ndropout = 0.1"),
    ("aspect-sentiment", "filters = 16\ndropout = 0.1"),
    (
        "mnn",
        "hidden = 12\ncharacters = 6\ncharacter_filters = 6\ndropout = 0.1",
    ),
    ("inabsa", "hidden = 24\ndropout = 0.1"),
];
