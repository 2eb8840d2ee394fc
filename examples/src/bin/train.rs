//! Training on your own labels: trains a small IMN⁻ᵈ on 24 sentences, scores and saves it, and
//! analyzes a text with it.
//!
//! `cargo run --release -p imn-examples --bin train`
#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use std::fmt::Write as _;

use imn::analyze::Analyzer;
use imn::bundle::{Model, Storage};
use imn::config::Config;
use imn::data;
use imn::eval::{Counts, pair};
use imn::train::{Corpus, Event, finish_imn, imn_trainer};

/// One labelled sentence in the project's JSONL format: aspects with polarities, and opinions, with
/// byte offsets.
fn labelled(thing: &str, praise: &str, polarity: &str) -> String {
    let text = format!("the {thing} was {praise}");
    let (aspect, opinion) = (4..4 + thing.len(), text.len() - praise.len()..text.len());
    format!(
        "{{\"v\":1,\"text\":\"{text}\",\
         \"aspects\":[{{\"start\":{},\"end\":{},\"polarity\":\"{polarity}\"}}],\
         \"opinions\":[{{\"start\":{},\"end\":{}}}]}}",
        aspect.start, aspect.end, opinion.start, opinion.end
    )
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let mut sentences = String::new();
    for thing in [
        "tent",
        "sleeping bag",
        "lamp",
        "camping stove",
        "rope",
        "cup",
    ] {
        for (praise, polarity) in [
            ("sturdy", "positive"),
            ("warm", "positive"),
            ("leaky", "negative"),
            ("useless", "negative"),
        ] {
            writeln!(sentences, "{}", labelled(thing, praise, polarity))?;
        }
    }
    std::fs::write(folder.path().join("gear.jsonl"), &sentences)?;

    let config = Config::from_toml(
        r#"
        name = "gear"
        [data]
        train = "gear.jsonl"
        [vectors]
        dimensions = 16
        [model]
        messages = "aspect"
        documents = "none"
        dropout = 0.1
        encoder = { cnn = { filters = 16 } }
        [train]
        batch = 8
        learning_rate = 0.01
        epochs = 20
        "#,
        &[],
    )?;
    let corpus = Corpus::load(&(&config).into(), folder.path(), None)?;
    let trainer = imn_trainer(&config, folder.path(), corpus, None)?;
    let fitted = trainer.run(&mut |event: &Event<'_>| {
        if let Event::Epoch(record) = event {
            let loss = record.aspect_loss.unwrap_or_default();
            println!("epoch {:2}: loss {loss:.3}", record.epoch);
        }
        true
    })?;
    let path = folder.path().join("gear.imn");
    finish_imn(&config, fitted, None)?.save(&path, Storage::Full)?;

    let model = Model::open(&path.to_string_lossy())?;
    let gold = data::read(&folder.path().join("gear.jsonl"))?;
    let counts = pair(&gold, &model.annotate(&gold)?)?;
    let scores = counts.into_iter().sum::<Counts>().scores();
    println!(
        "F1 of aspects on the training sentences: {:.1}",
        scores.aspect.f1
    );

    let analysis = Analyzer::new(model)?.analyze("the camping stove was useless");
    for aspect in analysis.aspects {
        println!("{}: {}", aspect.term, aspect.sentiment.name());
    }
    Ok(())
}
