//! The Rust part of `bench/analyze.sh`. `bench_analyze MODEL TEXTS PRECISION` opens a model and a
//! file with one text per line, and performs one task per line of standard input:
//!
//! - `export FOLDER` writes the weights, the network's configuration and the word ids of every text
//!   for the other implementations.
//! - `probabilities COUNT FILE` writes ŷ^ae, ŷ^as and A of the first texts as 32-bit floats.
//! - `read THREADS FIRST COUNT` runs the network on COUNT texts starting with FIRST, and prints the
//!   seconds. The texts are repeated from the first after the last.
//! - `analyze THREADS FIRST COUNT` does the same with the whole analysis.
//! - `read-one THREADS FIRST COUNT` and `analyze-one THREADS FIRST COUNT` do the same with one text
//!   at a time, and print the seconds of each.
//! - `memory` prints the peak resident memory in bytes, or 0 if it is not known.
#![allow(
    clippy::print_stdout,
    reason = "the protocol is lines on standard output"
)]

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::time::Instant;

use imn::analyze::Analyzer;
use imn::bundle::{Model, Precision};
use imn::features::{Features, Limits};
use imn::predict::{self, Rounds, SentenceOutput};
use imn::text::tokenize;
use imn_nn::{Engine, kernels};
use rayon::ThreadPool;

struct Bench {
    analyzer: Analyzer,
    engine: Engine<f32>,
    texts: Vec<String>,
    words: Vec<Features>,
    pools: BTreeMap<usize, ThreadPool>,
}

impl Bench {
    fn new(model: &str, texts: &Path, precision: &str) -> Result<Self, Box<dyn Error>> {
        let mut known = Precision::ALL.into_iter();
        let precision = known.find(|known| known.name() == precision);
        let model = Model::open(model)?.in_precision(precision.ok_or("unknown precision")?)?;
        let analyzer = Analyzer::new(model)?;
        let featurizer = &analyzer.part().featurizer;
        let texts: Vec<String> = std::fs::read_to_string(texts)?
            .lines()
            .map(str::to_owned)
            .collect();
        let features = |text: &String| {
            let tokens = tokenize(text).into_iter().take(Limits::WORDS.words);
            featurizer.words(tokens.map(|token| &text[token.start..token.end]))
        };
        let words = texts.iter().map(features).collect();
        Ok(Self {
            analyzer,
            engine: Engine::new(),
            texts,
            words,
            pools: BTreeMap::new(),
        })
    }

    fn export(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        let part = self.analyzer.part();
        std::fs::write(
            folder.join("weights.safetensors"),
            part.params.to_safetensors()?,
        )?;
        let vectors = part.encoder.words().ok_or("a model over word vectors")?;
        let network = serde_json::json!({
            "model": part.config["model"],
            "dimensions": vectors.dimensions,
            "general_columns": vectors.domain_columns.start,
            "domains": part.domains,
        });
        let words: Vec<&[u32]> = self.words.iter().map(Features::ids).collect();
        std::fs::write(folder.join("network.json"), network.to_string())?;
        std::fs::write(folder.join("words.json"), serde_json::to_string(&words)?)?;
        Ok(())
    }

    fn infer(&self, sentences: &[&Features]) -> Vec<Vec<SentenceOutput>> {
        let (network, params) = (self.analyzer.network(), &self.analyzer.part().params);
        predict::infer(&self.engine, network, params, sentences, Rounds::Last)
    }

    fn probabilities(&self, count: usize, file: &Path) -> Result<(), Box<dyn Error>> {
        let mut bytes = Vec::new();
        for output in self.infer(&cyclic(&self.words, 0, count)).iter().flatten() {
            for numbers in [&output.tags, &output.polarities, &output.attention] {
                bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            }
        }
        Ok(std::fs::write(file, bytes)?)
    }

    /// Runs `task` on this many threads, and gives its duration in seconds.
    fn time<T: Send>(
        &mut self,
        threads: usize,
        task: impl FnOnce(&Self) -> T + Send,
    ) -> Result<f64, Box<dyn Error>> {
        let pool = match self.pools.remove(&threads) {
            Some(pool) => pool,
            None => rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()?,
        };
        let this = &*self;
        let seconds = pool.install(|| {
            let start = Instant::now();
            std::hint::black_box(task(this));
            start.elapsed().as_secs_f64()
        });
        self.pools.insert(threads, pool);
        Ok(seconds)
    }

    fn run(&mut self, line: &str) -> Result<String, Box<dyn Error>> {
        let parts: Vec<&str> = line.split_whitespace().collect();
        let number = |i: usize| parts[i].parse::<usize>();
        let seconds = |seconds: f64| format!("{seconds:.9}");
        match *parts.as_slice() {
            ["export", folder] => self.export(Path::new(folder)).map(|()| "done".to_owned()),
            ["probabilities", _, file] => {
                let count = number(1)?;
                self.probabilities(count, Path::new(file))
                    .map(|()| "done".to_owned())
            }
            [task @ ("read" | "analyze"), _, _, _] => {
                let (threads, first, count) = (number(1)?, number(2)?, number(3)?);
                let whole = task == "analyze";
                Ok(seconds(self.time(threads, |bench| {
                    bench.run_on_texts(whole, first, count);
                })?))
            }
            [task @ ("read-one" | "analyze-one"), _, _, _] => {
                let (threads, first, count) = (number(1)?, number(2)?, number(3)?);
                let whole = task == "analyze-one";
                let times = (first..first + count)
                    .map(|i| self.time(threads, |bench| bench.run_on_texts(whole, i, 1)))
                    .collect::<Result<Vec<f64>, _>>()?;
                let times: Vec<String> = times.into_iter().map(seconds).collect();
                Ok(times.join(" "))
            }
            ["memory"] => Ok(peak_memory().to_string()),
            _ => Err(format!("no task {line:?}").into()),
        }
    }

    /// Runs the network or the `whole` analysis on `count` texts starting with `first`.
    fn run_on_texts(&self, whole: bool, first: usize, count: usize) {
        if whole {
            let texts: Vec<&str> = cyclic(&self.texts, first, count)
                .into_iter()
                .map(String::as_str)
                .collect();
            std::hint::black_box(self.analyzer.analyze_all(&texts));
        } else {
            std::hint::black_box(self.infer(&cyclic(&self.words, first, count)));
        }
    }
}

/// `count` items starting with `first`; the items are repeated from the first after the last.
fn cyclic<T>(items: &[T], first: usize, count: usize) -> Vec<&T> {
    items
        .iter()
        .cycle()
        .skip(first % items.len().max(1))
        .take(count)
        .collect()
}

/// Peak resident memory in bytes; 0 if the system has no `/proc`.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, texts, precision] = arguments.as_slice() else {
        return Err("usage: bench_analyze MODEL TEXTS PRECISION".into());
    };
    let mut bench = Bench::new(model, Path::new(texts), precision)?;
    println!("{}", kernels::backend());
    for line in std::io::stdin().lock().lines() {
        println!("{}", bench.run(&line?)?);
        std::io::stdout().flush()?;
    }
    Ok(())
}
