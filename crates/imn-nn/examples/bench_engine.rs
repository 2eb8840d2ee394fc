//! The Rust side of `bench/engine.sh`: reads one case per line, runs it once and prints the time in
//! seconds.
//!
//! The network is embedding 400 → 128 filters of width 3 and 128 of width 5 → 3 × 256 filters of
//! width 5 → 5 classes, with dropout ½ after the embedding and each layer. A training step is a
//! forward pass, a backward pass and Adam.
#![allow(
    clippy::print_stdout,
    reason = "the protocol is lines on standard output"
)]

use std::io::{BufRead as _, Write as _};
use std::sync::Arc;
use std::time::Instant;

use imn_nn::kernels::{self, Epilogue, RowProduct, RowSet, Stacked, Strided};
use imn_nn::layers::{ConvRelu, Embedding, Linear};
use imn_nn::optim::{Adam, AdamConfig};
use imn_nn::{
    Engine, Freeze, Init, Layout, Params, Precision, Scalar as _, Step, Tape, TokenMean, Var,
    shard_count, shards,
};
use rayon::prelude::*;

const WORDS: usize = 5000;

struct Network {
    embedding: Embedding,
    narrow: ConvRelu,
    wide: ConvRelu,
    deep: [ConvRelu; 3],
    classes: Linear,
}

impl Network {
    fn new(params: &mut Params<f32>) -> Self {
        let mut builder = params.builder(1);
        let glorot = Init::GlorotUniform;
        Self {
            embedding: Embedding::new(
                &mut builder.scope("embedding"),
                WORDS,
                400,
                Init::Normal { std: 0.1 },
            ),
            narrow: ConvRelu::new(&mut builder.scope("narrow"), 3, 400, 128, glorot),
            wide: ConvRelu::new(&mut builder.scope("wide"), 5, 400, 128, glorot),
            deep: ["a", "b", "c"]
                .map(|name| ConvRelu::new(&mut builder.scope(name), 5, 256, 256, glorot)),
            classes: Linear::new(&mut builder.scope("classes"), 256, 5),
        }
    }

    fn forward(&self, tape: &mut Tape<'_, f32>, ids: &[u32], layout: &Arc<Layout>) -> Var {
        let x = self.embedding.forward(tape, ids, layout);
        let x = tape.dropout(x, 0.5);
        let (narrow, wide) = (self.narrow.forward(tape, x), self.wide.forward(tape, x));
        let mut h = tape.concat(&[narrow, wide]);
        h = tape.dropout(h, 0.5);
        for conv in &self.deep {
            h = conv.forward(tape, h);
            h = tape.dropout(h, 0.5);
        }
        self.classes.forward(tape, h)
    }
}

struct Sentences {
    layout: Arc<Layout>,
    ids: Vec<u32>,
    labels: Vec<Option<u32>>,
}

/// A batch split into shards.
fn batch(lengths: &[usize]) -> Vec<Sentences> {
    let tokens = lengths.iter().sum();
    shards(lengths, shard_count(tokens))
        .into_iter()
        .map(|shard| {
            let layout = Arc::new(Layout::new(shard.iter().map(|&i| lengths[i]), 2));
            let ids = (0..layout.tokens())
                .map(|i| (i * 7919 % WORDS) as u32)
                .collect();
            let labels = (0..layout.tokens()).map(|i| Some(i as u32 % 5)).collect();
            Sentences {
                layout,
                ids,
                labels,
            }
        })
        .collect()
}

struct Bench {
    params: Params<f32>,
    network: Network,
    engine: Engine<f32>,
    adam: Adam<f32>,
    step: u64,
}

impl Bench {
    fn train(&mut self, lengths: &[usize]) -> f64 {
        let shards = batch(lengths);
        let mean = TokenMean::Tokens {
            count: lengths.iter().sum::<usize>() as f64,
        };
        self.step += 1;
        let start = Instant::now();
        // The word vectors are fixed, in both programs.
        let step = Step {
            seed: 1,
            number: self.step,
            freeze: Freeze::prefixes(["embedding."]),
        };
        let result = self
            .engine
            .gradients(&self.params, &step, &shards, |tape, shard| {
                let logits = self.network.forward(tape, &shard.ids, &shard.layout);
                tape.token_cross_entropy(logits, &shard.labels, mean)
            })
            .expect("a finite loss");
        self.adam
            .step(&mut self.params, &result.grads, 1e-4, self.step)
            .expect("finite gradients");
        self.engine.recycle(result.grads);
        start.elapsed().as_secs_f64()
    }

    fn forward(&self, lengths: &[usize]) -> f64 {
        let shards = if lengths.len() == 1 {
            let layout = Arc::new(Layout::new(lengths.iter().copied(), 2));
            let ids = (0..layout.tokens())
                .map(|i| (i * 7919 % WORDS) as u32)
                .collect();
            vec![Sentences {
                layout,
                ids,
                labels: Vec::new(),
            }]
        } else {
            batch(lengths)
        };
        let start = Instant::now();
        if let [sentence] = &*shards {
            rayon::scope(|_| {
                let mut tape = Tape::infer(&self.params).split();
                let logits = self
                    .network
                    .forward(&mut tape, &sentence.ids, &sentence.layout);
                std::hint::black_box(tape.value(logits));
            });
            return start.elapsed().as_secs_f64();
        }
        self.engine.infer(&self.params, &shards, |tape, shard| {
            let logits = self.network.forward(tape, &shard.ids, &shard.layout);
            std::hint::black_box(tape.value(logits));
        });
        start.elapsed().as_secs_f64()
    }
}

/// Seconds of a 2560 × 1280 × 256 product on all threads, with the kernel of the engine or with the
/// `gemm` crate.
fn product(packed: bool) -> f64 {
    const PARTS: usize = 8;
    let (m, k, n) = (2560 / PARTS, 1280, 256);
    let a: Vec<f32> = Init::Normal { std: 1.0 }.draw(&[m * k], 1, "a");
    let b: Vec<f32> = Init::Normal { std: 1.0 }.draw(&[k * n], 1, "b");
    let panels = f32::pack(&Stacked::row_major(&b, k, n));
    let mut c = vec![vec![0.0; m * n]; PARTS];
    let start = Instant::now();
    c.par_iter_mut().with_max_len(1).for_each(|c| {
        if packed {
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
        } else {
            let view = Strided::rows;
            kernels::gemm(
                (m, n, k),
                (&a, view(0, k)),
                (&b, view(0, n)),
                (c, view(0, n)),
            );
        }
    });
    std::hint::black_box(&c);
    start.elapsed().as_secs_f64()
}

/// Seconds of one convolution 5 × 256 → 256 over 32 × 80 tokens on all threads.
fn convolution() -> f64 {
    let mut params = Params::<f32>::new();
    let conv = ConvRelu::new(
        &mut params.builder(1).scope("conv"),
        5,
        256,
        256,
        Init::GlorotUniform,
    );
    let shards = batch(&[80; 32]);
    let input = vec![0.5; 80 * 32 / shards.len() * 256];
    let tapes: Vec<_> = shards
        .iter()
        .map(|shard| {
            let mut tape = Tape::infer(&params);
            let x = tape.tokens(&shard.layout, 256, &input);
            conv.forward(&mut tape, x);
            (tape, x)
        })
        .collect();
    let start = Instant::now();
    tapes
        .into_par_iter()
        .with_max_len(1)
        .for_each(|(mut tape, x)| {
            let y = conv.forward(&mut tape, x);
            std::hint::black_box(tape.value(y));
        });
    start.elapsed().as_secs_f64()
}

fn main() {
    let mut params = Params::new();
    let network = Network::new(&mut params);
    let mut bench = Bench {
        params,
        network,
        engine: Engine::new(),
        adam: Adam::new(AdamConfig::default()),
        step: 0,
    };
    // The environment variable simulates a machine without AVX2.
    kernels::force_portable(std::env::var_os("IMN_PORTABLE").is_some());
    println!("{}", kernels::backend());
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("lines of text");
        let mut words = line.split_whitespace();
        let case = words.next().unwrap_or_default();
        let lengths: Vec<usize> = words.map(|word| word.parse().expect("a length")).collect();
        let seconds = match case {
            "train" => bench.train(&lengths),
            "forward" => bench.forward(&lengths),
            "convolution" => convolution(),
            "product-packed" => product(true),
            "product-gemm" => product(false),
            other => panic!("no case named {other:?}"),
        };
        println!("{seconds:.9}");
        std::io::stdout().flush().expect("an open pipe");
    }
}
