//! A small synthetic data set that a small network fits in seconds.

use std::fmt::Write as _;
use std::path::Path;

use imn::bundle::{Model, ModelPart};
use imn::config::{Config, Override};
use imn::train::{Corpus, EpochRecord, Event, finish_imn, imn_trainer};

const ASPECTS: [&str; 6] = [
    "soup",
    "staff",
    "corner table",
    "lentil stew",
    "window seat",
    "bread",
];
const GOOD: [&str; 3] = ["great", "lovely", "superb"];
const BAD: [&str; 3] = ["awful", "stale", "dreadful"];

/// One sentence in the project's JSONL format. `odd` is inserted after the first opinion.
fn sentence(i: usize, odd: &str) -> String {
    let (aspect, other) = (ASPECTS[i % 6], ASPECTS[(i / 2 + 1) % 6]);
    let (good, bad) = (GOOD[i % 3], BAD[(i / 3) % 3]);
    let text = format!("the {aspect} was {good}{odd} but the {other} looked {bad}");
    let span = |needle: &str, from: usize| {
        let start = from + text[from..].find(needle).expect("the text contains it");
        (start, start + needle.len())
    };
    let first = span(aspect, 0);
    let liked = span(good, first.1);
    let second = span(other, liked.1);
    let disliked = span(bad, second.1);
    format!(
        "{{\"v\":1,\"text\":\"{text}\",\
         \"aspects\":[{{\"start\":{},\"end\":{},\"polarity\":\"positive\"}},\
         {{\"start\":{},\"end\":{},\"polarity\":\"negative\"}}],\
         \"opinions\":[{{\"start\":{},\"end\":{}}},{{\"start\":{},\"end\":{}}}]}}\n",
        first.0, first.1, second.0, second.1, liked.0, liked.1, disliked.0, disliked.1
    )
}

/// Writes `train.jsonl`, `test.jsonl`, and documents of two domains.
///
/// # Panics
/// If the folder cannot be written.
pub fn write(folder: &Path) {
    let train: String = (0..48).map(|i| sentence(i, "")).collect();
    let test: String = (0..12).map(|i| sentence(i + 5, " zebrafinch")).collect();
    let mut food = String::new();
    let mut tools = String::new();
    for i in 0..30 {
        let (good, bad) = (GOOD[i % 3], BAD[i % 3]);
        let _ = write!(
            food,
            "pos\tthe {} was {good}\nneg\tthe {} was {bad}\n",
            ASPECTS[i % 6],
            ASPECTS[(i + 1) % 6]
        );
        let _ = writeln!(food, "neu\tthe {} was there", ASPECTS[i % 6]);
        let _ = write!(
            tools,
            "pos\tthe drill is {good}\nneg\tthe hammer is {bad}\n"
        );
    }
    for (name, text) in [
        ("train.jsonl", train),
        ("test.jsonl", test),
        ("food.tsv", food),
        ("tools.tsv", tools),
    ] {
        std::fs::write(folder.join(name), text).expect("a writable folder");
    }
}

/// The configuration of a small IMN with all tasks, with overrides.
///
/// # Panics
/// If an override is not valid.
#[must_use]
pub fn config(changes: &[&str]) -> Config {
    let text = r#"
        name = "toy"
        seed = 3
        [data]
        train = "train.jsonl"
        test = "test.jsonl"
        [data.documents]
        sentiment = "food.tsv"
        domains = ["food.tsv", "tools.tsv"]
        [vectors]
        dimensions = 12
        [model]
        dropout = 0.1
        encoder = { cnn = { filters = 16 } }
        [train]
        batch = 8
        learning_rate = 0.01
        pretrain_epochs = 1
        epochs = 4
    "#;
    let changes: Vec<Override> = changes
        .iter()
        .map(|c| c.parse().expect("key=value"))
        .collect();
    Config::from_toml(text, &changes).expect("a good configuration")
}

/// Trains a model on the data of a folder.
///
/// # Panics
/// If training fails.
#[must_use]
pub fn train(config: &Config, folder: &Path) -> Trained {
    let mut corpus = Corpus::load(&config.into(), folder, None).expect("a good corpus");
    let taught = corpus.teach(config, folder, None, &mut |_, _| true);
    taught.expect("a teacher of the same tags and schemes");
    let trainer = imn_trainer(config, folder, corpus, None).expect("a good configuration");
    let fitted = trainer.run(&mut |_: &Event<'_>| true).expect("training");
    Trained {
        history: fitted.history.clone(),
        model: finish_imn(config, fitted, None).expect("a model"),
    }
}

/// A trained model and its epochs.
#[derive(Debug)]
pub struct Trained {
    /// All epochs.
    pub history: Vec<EpochRecord>,
    /// The model of the best epoch.
    pub model: Model,
}

impl Trained {
    /// The network of the model.
    ///
    /// # Panics
    /// Never: IMN is one network.
    #[must_use]
    pub fn part(&self) -> &ModelPart {
        self.model.only_part().expect("one network")
    }
}
