//! The Rust side of `bench/encoder.sh`: reads one case per line, runs it once and prints the time
//! in seconds.
//!
//!     bench_encoder ENCODER TEXTS PRECISION
//!
//! TEXTS is a JSON file with the subwords of each sentence, the indices of the first subwords of
//! words, and batches of sentences. PRECISION is f32, bf16 or int8.
#![allow(
    clippy::print_stdout,
    reason = "the protocol is lines on standard output"
)]

use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use imn_nn::kernels::{self, Epilogue, RowProduct, RowSet, Stacked};
use imn_nn::layers::Linear;
use imn_nn::optim::{Adam, AdamConfig, Group, Groups};
use imn_nn::transformer::{Subset, TokenInput, TransformerConfig, TransformerEncoder};
use imn_nn::{
    Engine, Freeze, Init, Layout, Params, Precision, Rows, Scalar as _, Step, Tape, TokenMean, Var,
    shards,
};
use rayon::prelude::*;
use serde::Deserialize;

/// Number of classes of a word.
const CLASSES: usize = 5;
/// Shards per batch. Each has its own gradients for all weights, which have to be summed.
const SHARDS: usize = 2;
/// Subwords per group in inference.
const GROUP: usize = 256;

#[derive(Deserialize)]
struct Texts {
    sentences: Vec<Sentence>,
    batches: Vec<Vec<usize>>,
}

#[derive(Deserialize)]
struct Sentence {
    ids: Vec<u32>,
    words: Vec<u32>,
}

/// Sentences packed end to end.
struct Packed {
    layout: Arc<Layout>,
    ids: Vec<u32>,
    words: Arc<Layout>,
    tokens: Vec<u32>,
    labels: Vec<Option<u32>>,
}

impl Packed {
    fn new<'a>(sentences: impl Iterator<Item = &'a Sentence> + Clone) -> Self {
        let mut tokens = Vec::new();
        let mut ids = Vec::new();
        for sentence in sentences.clone() {
            let first = ids.len() as u32;
            tokens.extend(sentence.words.iter().map(|&word| first + word));
            ids.extend_from_slice(&sentence.ids);
        }
        Self {
            layout: Arc::new(Layout::new(sentences.clone().map(|it| it.ids.len()), 0)),
            words: Arc::new(Layout::new(sentences.map(|it| it.words.len()), 2)),
            labels: (0..tokens.len() as u32)
                .map(|i| Some(i % CLASSES as u32))
                .collect(),
            ids,
            tokens,
        }
    }
}

struct Bench {
    params: Params<f32>,
    encoder: TransformerEncoder,
    classes: Linear,
    engine: Engine<f32>,
    adam: Adam<f32>,
    step: u64,
    texts: Texts,
}

impl Bench {
    fn new(folder: &Path, texts: Texts, precision: Precision) -> imn_nn::Result<Self> {
        let config = TransformerConfig::from_folder(folder)?;
        let mut params = Params::new();
        let mut builder = params.builder(1);
        let encoder = TransformerEncoder::new(&mut builder.scope("encoder"), &config, Init::Zeros);
        let classes = Linear::new(&mut builder.scope("classes"), config.hidden, CLASSES);
        encoder.load_pretrained(&mut params, folder)?;
        params.set_precision(precision);
        let decay = Group {
            weight_decay: 0.01,
            ..Group::default()
        };
        let groups = Groups::new(&[decay], &params)?;
        Ok(Self {
            params,
            encoder,
            classes,
            engine: Engine::new(),
            adam: Adam::with_groups(AdamConfig::default(), groups),
            step: 0,
            texts,
        })
    }

    fn forward(&self, tape: &mut Tape<'_, f32>, packed: &Packed) -> Var {
        let input = TokenInput {
            layout: &packed.layout,
            ids: &packed.ids,
            extra: None,
        };
        let subset = Subset {
            rows: Rows::Tokens(packed.words.clone()),
            tokens: &packed.tokens,
        };
        let words = self.encoder.forward(tape, input, Some(subset));
        self.classes.forward(tape, words)
    }

    fn sentences(&self, batch: usize) -> Vec<&Sentence> {
        let numbers = self.texts.batches[batch].iter();
        numbers.map(|&i| &self.texts.sentences[i]).collect()
    }

    fn train(&mut self, batch: usize) -> f64 {
        let start = Instant::now();
        let sentences = self.sentences(batch);
        let lengths: Vec<usize> = sentences.iter().map(|it| it.ids.len()).collect();
        let shards: Vec<Packed> = shards(&lengths, SHARDS)
            .into_iter()
            .map(|shard| Packed::new(shard.iter().map(|&i| sentences[i])))
            .collect();
        let count: usize = sentences.iter().map(|it| it.words.len()).sum();
        let mean = TokenMean::Tokens {
            count: count as f64,
        };
        self.step += 1;
        let step = Step {
            seed: 1,
            number: self.step,
            freeze: Freeze::none(),
        };
        let result = self
            .engine
            .gradients(&self.params, &step, &shards, |tape, shard| {
                let logits = self.forward(tape, shard);
                tape.token_cross_entropy(logits, &shard.labels, mean)
            })
            .expect("a finite loss");
        self.adam
            .step(&mut self.params, &result.grads, 1e-7, self.step)
            .expect("finite gradients");
        self.engine.recycle(result.grads);
        start.elapsed().as_secs_f64()
    }

    fn infer(&self, batch: usize) -> f64 {
        let start = Instant::now();
        let mut sentences = self.sentences(batch);
        sentences.sort_by_key(|it| it.ids.len());
        let mut groups: Vec<&[&Sentence]> = Vec::new();
        let (mut first, mut tokens) = (0, 0);
        for (i, sentence) in sentences.iter().enumerate() {
            if tokens > 0 && tokens + sentence.ids.len() > GROUP {
                groups.push(&sentences[first..i]);
                (first, tokens) = (i, 0);
            }
            tokens += sentence.ids.len();
        }
        groups.push(&sentences[first..]);
        let results = self.engine.infer(&self.params, &groups, |tape, group| {
            let packed = Packed::new(group.iter().copied());
            let logits = self.forward(tape, &packed);
            tape.token_values(logits)
        });
        std::hint::black_box(results);
        start.elapsed().as_secs_f64()
    }

    fn one(&self, sentence: usize) -> f64 {
        let start = Instant::now();
        std::hint::black_box(self.logits(sentence));
        start.elapsed().as_secs_f64()
    }

    fn logits(&self, sentence: usize) -> Vec<f32> {
        let sentence = &self.texts.sentences[sentence];
        let packed = [Packed::new(std::iter::once(sentence))];
        let mut results = self.engine.infer(&self.params, &packed, |tape, packed| {
            let logits = self.forward(tape, packed);
            tape.token_values(logits)
        });
        results.pop().unwrap_or_default()
    }

    /// The first numbers of the output of the encoder for a sentence.
    fn output(&self, sentence: usize) -> Vec<f32> {
        let sentence = &self.texts.sentences[sentence];
        let layout = Arc::new(Layout::new([sentence.ids.len()], 0));
        let input = TokenInput {
            layout: &layout,
            ids: &sentence.ids,
            extra: None,
        };
        let mut tape = Tape::infer(&self.params);
        let y = self.encoder.forward(&mut tape, input, None);
        tape.value(y).iter().copied().take(64).collect()
    }
}

/// Seconds of a 2560 × 1280 × 256 product on all threads.
fn product() -> f64 {
    const PARTS: usize = 8;
    let (m, k, n) = (2560 / PARTS, 1280, 256);
    let a: Vec<f32> = Init::Normal { std: 1.0 }.draw(&[m * k], 1, "a");
    let b: Vec<f32> = Init::Normal { std: 1.0 }.draw(&[k * n], 1, "b");
    let panels = f32::pack(&Stacked::row_major(&b, k, n));
    let mut c = vec![vec![0.0; m * n]; PARTS];
    let start = Instant::now();
    c.par_iter_mut().with_max_len(1).for_each(|c| {
        f32::row_product(RowProduct {
            rows: RowSet::First(m),
            a: &a,
            a_stride: k,
            shift: 0,
            b: &panels,
            c,
            c_stride: n,
            accumulate: false,
            bias: None,
            epilogue: Epilogue::Identity,
            split: false,
            precision: Precision::F32,
        });
    });
    std::hint::black_box(&c);
    start.elapsed().as_secs_f64()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(folder), Some(texts), Some(precision)) =
        (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err("usage: bench_encoder ENCODER TEXTS PRECISION".into());
    };
    let texts = serde_json::from_slice(&std::fs::read(texts)?)?;
    let precision = Precision::ALL
        .into_iter()
        .find(|known| known.name() == precision)
        .ok_or("PRECISION is f32, bf16 or int8")?;
    if !precision.is_available() {
        println!("unavailable");
        return Ok(());
    }
    let mut bench = Bench::new(Path::new(&folder), texts, precision)?;
    println!("{}", kernels::backend());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        let case = words.next().unwrap_or_default();
        let number = words.next().map_or(Ok(0), str::parse)?;
        match case {
            "train" => println!("{:.9}", bench.train(number)),
            "infer" => println!("{:.9}", bench.infer(number)),
            "one" => println!("{:.9}", bench.one(number)),
            "product" => println!("{:.9}", product()),
            "output" => {
                let numbers: Vec<String> =
                    bench.output(number).iter().map(f32::to_string).collect();
                println!("{}", numbers.join(" "));
            }
            other => return Err(format!("no case named {other:?}").into()),
        }
        std::io::stdout().flush()?;
    }
    Ok(())
}
