//! The Rust part of `bench/epoch.sh`. It trains IMN⁻ᵈ with the settings of the paper (T = 2,
//! trained vectors of 300 + 100 columns, dropout ½, Adam), and performs one task per line of
//! standard input:
//!
//! - `train FIRST LENGTH …` performs one step on sentences of these lengths, and prints its seconds
//!   and its loss. FIRST is the index of the batch's first token in the epoch, which determines the
//!   words and labels.
//! - `memory` prints the peak resident memory in bytes, or 0 if it is not known.
#![allow(
    clippy::print_stdout,
    reason = "the protocol is lines on standard output"
)]

use std::io::{BufRead as _, Write as _};
use std::time::Instant;

use imn::data::{AeTag, Sentiment};
use imn::features::Features;
use imn::model::{
    DocumentTasks, Imn, Input, Messages, ModelConfig, Network as _, Objective, WordVectors,
};
use imn_nn::optim::{Adam, AdamConfig};
use imn_nn::{Engine, Init, Params, Step, Tape, TokenMean, Var, kernels, shard_count, shards};

const WORDS: usize = 5000;
const GENERAL: usize = 300;
const DOMAIN: usize = 100;
const LEARNING_RATE: f64 = 1e-4;
/// Tags of the epoch's tokens, repeated.
const TAGS: [AeTag; 8] = [
    AeTag::O,
    AeTag::BA,
    AeTag::IA,
    AeTag::O,
    AeTag::BP,
    AeTag::IP,
    AeTag::O,
    AeTag::O,
];

/// The word id of a token, by its index in the epoch.
fn word(token: usize) -> u32 {
    (token * 7919 % WORDS) as u32
}

fn tag(token: usize) -> AeTag {
    TAGS[token % TAGS.len()]
}

fn polarity(token: usize) -> Option<u32> {
    matches!(tag(token), AeTag::BA | AeTag::IA)
        .then_some(token as u32 % Sentiment::CLASSES.len() as u32)
}

/// A shard of a batch.
struct Shard {
    input: Input,
    ae: Vec<Option<u32>>,
    r#as: Vec<Option<u32>>,
}

struct Bench {
    params: Params<f32>,
    network: Imn,
    engine: Engine<f32>,
    adam: Adam<f32>,
    step: u64,
}

impl Bench {
    fn new() -> Self {
        let config = ModelConfig {
            messages: Messages::Aspect,
            documents: DocumentTasks::None,
            ..ModelConfig::default()
        };
        let dimensions = GENERAL + DOMAIN;
        let data = Init::Normal { std: 0.3 }.draw(&[WORDS, dimensions], 1, "vectors");
        let vectors = WordVectors::new(dimensions, GENERAL..dimensions, data);
        let mut params = Params::new();
        let network = Imn::new(&mut params, &config, vectors, 0, 1).expect("a valid network");
        Self {
            params,
            network,
            engine: Engine::new(),
            adam: Adam::new(AdamConfig::default()),
            step: 0,
        }
    }

    /// Performs one step, from word ids to updated weights, and gives its loss.
    fn train(&mut self, sentences: &[Vec<usize>]) -> f64 {
        let lengths: Vec<usize> = sentences.iter().map(Vec::len).collect();
        let parts = shards(&lengths, shard_count(lengths.iter().sum()));
        let batch: Vec<Shard> = parts
            .iter()
            .map(|part| Shard::new(part.iter().map(|&i| sentences[i].as_slice())))
            .collect();
        let mean = TokenMean::Sequences {
            count: sentences.len() as f64,
        };
        self.step += 1;
        let step = Step {
            seed: 1,
            number: self.step,
            freeze: self.network.frozen(Objective::Sentences),
        };
        let result = self
            .engine
            .gradients(&self.params, &step, &batch, |tape, shard| {
                aspect_loss(&self.network, tape, shard, mean)
            })
            .expect("a finite loss");
        self.adam
            .step(&mut self.params, &result.grads, LEARNING_RATE, self.step)
            .expect("finite gradients");
        self.engine.recycle(result.grads);
        result.loss
    }
}

impl Shard {
    fn new<'a>(sentences: impl Iterator<Item = &'a [usize]>) -> Self {
        let sentences: Vec<&[usize]> = sentences.collect();
        let words: Vec<Features> = sentences
            .iter()
            .map(|tokens| tokens.iter().map(|&token| word(token)).collect::<Vec<_>>())
            .map(Features::from)
            .collect();
        let tokens = || sentences.iter().flat_map(|tokens| tokens.iter().copied());
        Self {
            input: Input::sentences(&words),
            ae: tokens().map(|token| Some(tag(token) as u32)).collect(),
            r#as: tokens().map(polarity).collect(),
        }
    }
}

/// L_a with predicted opinions.
fn aspect_loss(network: &Imn, tape: &mut Tape<'_, f32>, shard: &Shard, mean: TokenMean) -> Var {
    let last = network.forward(tape, &shard.input, None).last();
    let ae = tape.token_cross_entropy(last.ae_logits, &shard.ae, mean);
    let r#as = tape.token_cross_entropy(last.as_logits, &shard.r#as, mean);
    tape.add(ae, r#as)
}

/// Peak resident memory in bytes; 0 if the system has no `/proc`.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

fn main() {
    let mut bench = Bench::new();
    println!("{}", kernels::backend());
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("lines of text");
        let mut words = line.split_whitespace();
        let case = words.next().unwrap_or_default();
        let numbers: Vec<usize> = words.map(|word| word.parse().expect("a number")).collect();
        match (case, numbers.as_slice()) {
            ("train", [first, lengths @ ..]) => {
                let mut next = *first;
                let sentences: Vec<Vec<usize>> = lengths
                    .iter()
                    .map(|&length| {
                        next += length;
                        (next - length..next).collect()
                    })
                    .collect();
                let start = Instant::now();
                let loss = bench.train(&sentences);
                println!("{:.9} {loss:.6}", start.elapsed().as_secs_f64());
            }
            ("memory", []) => println!("{}", peak_memory()),
            _ => panic!("no case {line:?}"),
        }
        std::io::stdout().flush().expect("an open pipe");
    }
}
