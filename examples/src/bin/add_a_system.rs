//! A custom network with the same trainer, data and scorer as IMN: one linear layer that tags each
//! word by its vector. The systems of the paper's tables are written the same way, in
//! `crates/imn-repro/src/systems`.
//!
//! `cargo run --release -p imn-examples --bin add_a_system`
#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use imn::config::{Config, Sampling};
use imn::data::{AeTag, Sentiment};
use imn::model::{EncoderSource, Network, Prediction, Role, SentenceBatch, TagSet};
use imn::train::{Corpus, Event, TrainSettings, Trainer};
use imn_nn::layers::{Embedding, Linear};
use imn_nn::{Params, Tape, Var};

const TAGS: TagSet = TagSet::AspectsAndOpinions;

/// ŷ_i = softmax(W x_i + b)
#[derive(Debug)]
struct WordTagger {
    words: Embedding,
    decoder: Linear,
}

impl WordTagger {
    fn logits(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Var {
        let input = &batch.input;
        let x = self.words.forward(tape, &input.ids, &input.layout);
        self.decoder.forward(tape, x)
    }
}

impl Network for WordTagger {
    fn role(&self) -> Role {
        Role::Extractor
    }

    fn tag_set(&self) -> TagSet {
        TAGS
    }

    fn loss(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Var {
        let logits = self.logits(tape, batch);
        let class = |tag: &AeTag| Some(TAGS.class(*tag));
        let tags = batch.of_words(|sentence| sentence.tags().iter().map(class).collect());
        tape.token_cross_entropy(logits, &tags, batch.mean)
    }

    fn predict(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Vec<Prediction> {
        let logits = self.logits(tape, batch);
        let classes = TAGS.tags().len();
        batch
            .input
            .layout
            .spans()
            .iter()
            .map(|span| {
                let rows = &tape.value(logits)[span.start * classes..span.end * classes];
                // An extractor predicts no sentiments, so all are equally probable.
                Prediction::decode(
                    rows,
                    &vec![0.0; Sentiment::CLASSES.len() * span.len()],
                    TAGS,
                )
            })
            .collect()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let sentence = |thing: &str, end: usize| {
        format!(
            "{{\"v\":1,\"text\":\"the {thing} was fine\",\
             \"aspects\":[{{\"start\":4,\"end\":{end},\"polarity\":\"positive\"}}],\
             \"opinions\":[{{\"start\":{},\"end\":{}}}]}}\n",
            end + 5,
            end + 9
        )
    };
    let things = [
        "boat", "oar", "sail", "anchor", "rope", "deck", "mast", "tide",
    ];
    let sentences = things.map(|thing| sentence(thing, 4 + thing.len()));
    std::fs::write(folder.path().join("boats.jsonl"), sentences.concat())?;
    let config = Config::from_toml(
        "name = \"word-tagger\"\n[data]\ntrain = \"boats.jsonl\"\ndev = \"boats.jsonl\"\n\
         [vectors]\ndimensions = 8\n[model]\nmessages = \"aspect\"\ndocuments = \"none\"\n\
         [train]\nlearning_rate = 0.1\nepochs = 30\n",
        &[],
    )?;

    let mut corpus = Corpus::load(&(&config).into(), folder.path(), None)?;
    let EncoderSource::Words(vectors) = corpus.take_encoder() else {
        return Err("the configuration has word vectors".into());
    };
    let mut params = Params::new();
    let mut builder = params.builder(config.seed);
    let words = (vectors.words, vectors.dimensions, vectors.data);
    let network = WordTagger {
        words: Embedding::from_values(&mut builder.scope("embedding"), words.0, words.1, words.2),
        decoder: Linear::new(&mut builder.scope("decoder"), words.1, TAGS.tags().len()),
    };
    let settings = TrainSettings {
        sampling: Sampling::Never,
        ..TrainSettings::from(&config)
    };
    let trainer = Trainer::new(
        Box::new(network),
        params,
        corpus,
        settings,
        config.to_toml()?,
    );
    let fitted = trainer?.run(&mut |_: &Event<'_>| true)?;
    let scores = fitted.dev.ok_or("there is a development split")?;
    println!(
        "F1 of aspects: {:.1} in epoch {}",
        scores.aspect.f1, fitted.best_epoch
    );
    Ok(())
}
