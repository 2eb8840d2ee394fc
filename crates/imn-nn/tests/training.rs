//! Determinism, freezing, clipping, errors, and files.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::sync::Arc;

use imn_nn::layers::{ConvRelu, Embedding, Linear};
use imn_nn::optim::{Adam, AdamConfig};
use imn_nn::store::{self, Values};
use imn_nn::{
    Engine, Error, Freeze, Init, Layout, Params, Scalar, Step, Tape, TokenMean, Var, shards, stream,
};
use rand::RngExt as _;

const LENGTHS: [usize; 12] = [7, 1, 19, 4, 0, 11, 33, 2, 8, 15, 5, 21];

struct Network {
    embedding: Embedding,
    conv: ConvRelu,
    head: Linear,
    frozen: Linear,
}

impl Network {
    fn new<S: Scalar>(params: &mut Params<S>, seed: u64) -> Self {
        let mut b = params.builder(seed);
        Self {
            embedding: Embedding::new(&mut b.scope("embedding"), 50, 96, Init::Normal { std: 0.5 }),
            conv: ConvRelu::new(&mut b.scope("conv"), 5, 96, 100, Init::GlorotUniform),
            frozen: Linear::new(&mut b.scope("frozen"), 100, 30),
            head: Linear::new(&mut b.scope("head"), 30, 3),
        }
    }

    fn loss<S: Scalar>(&self, tape: &mut Tape<'_, S>, shard: &[usize], step: u64) -> Var {
        let layout = Arc::new(Layout::new(shard.iter().map(|&i| LENGTHS[i]), 2));
        let mut rng = stream(step, &format!("{shard:?}"));
        let ids: Vec<u32> = (0..layout.tokens())
            .map(|_| rng.random_range(0..50))
            .collect();
        let labels: Vec<Option<u32>> = ids.iter().map(|id| Some(id % 3)).collect();
        let x = self.embedding.forward(tape, &ids, &layout);
        let x = tape.dropout(x, 0.3);
        let h = self.conv.forward(tape, x);
        let h = tape.dropout(h, 0.5);
        let h = self.frozen.forward(tape, h);
        let logits = self.head.forward(tape, h);
        tape.token_cross_entropy(
            logits,
            &labels,
            TokenMean::Sequences {
                count: LENGTHS.len() as f64,
            },
        )
    }
}

/// The weights as bytes and the last loss, after some steps on this many threads.
fn train(threads: usize, steps: u64) -> (Vec<u8>, f64) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(|| {
        let mut params = Params::<f32>::new();
        let network = Network::new(&mut params, 11);
        // With clipping, and with a tensor of 48,000 numbers: sums, norms and steps span several
        // chunks.
        let config = AdamConfig {
            clip_norm: Some(0.5),
            ..AdamConfig::default()
        };
        let (engine, mut adam) = (Engine::new(), Adam::new(config));
        let parts = shards(&LENGTHS, 4);
        let mut last = 0.0;
        for number in 1..=steps {
            let step = Step {
                seed: 3,
                number,
                freeze: Freeze::none(),
            };
            let result = engine
                .gradients(&params, &step, &parts, |tape, shard| {
                    network.loss(tape, shard, number)
                })
                .unwrap();
            adam.step(&mut params, &result.grads, 0.01, number).unwrap();
            last = result.loss;
            engine.recycle(result.grads);
        }
        (params.to_safetensors().unwrap(), last)
    })
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let (one, loss) = train(1, 12);
    for threads in [2, 3, 8] {
        let (other, other_loss) = train(threads, 12);
        assert!(one == other, "weights differ on {threads} threads");
        assert_eq!(loss.to_bits(), other_loss.to_bits());
    }
}

#[test]
fn operations_do_not_hide_a_nan() {
    let params = Params::<f64>::new();
    let mut tape = Tape::infer(&params);
    let layout = Arc::new(Layout::new([3], 2));
    let x = tape.tokens(&layout, 1, &[0.5, f64::NAN, 0.25]);
    let likelihood = tape.token_likelihood(x, &[Some(0); 3], TokenMean::Tokens { count: 3.0 });
    let max = tape.max_rows(x);
    let relu = tape.relu(x);
    let total = tape.total(relu);
    for var in [likelihood, max, total] {
        assert!(tape.scalar(var).is_nan());
    }
}

#[test]
fn training_lowers_the_loss() {
    let (_, first) = train(2, 1);
    let (_, last) = train(2, 150);
    assert!(last < 0.5 * first, "from {first} to {last}");
}

#[test]
fn frozen_parameters_keep_their_values_and_pass_gradients_on() {
    let mut params = Params::<f64>::new();
    let network = Network::new(&mut params, 2);
    let before = params.clone();
    let (engine, mut adam) = (Engine::new(), Adam::new(AdamConfig::default()));
    let parts = shards(&LENGTHS, 2);
    for number in 1..=3 {
        let step = Step {
            seed: 3,
            number,
            freeze: Freeze::prefixes(["frozen."]),
        };
        let result = engine
            .gradients(&params, &step, &parts, |tape, shard| {
                network.loss(tape, shard, number)
            })
            .unwrap();
        adam.step(&mut params, &result.grads, 0.01, number).unwrap();
        engine.recycle(result.grads);
    }
    for ((_, new), (_, old)) in params.iter().zip(before.iter()) {
        let same = new.data() == old.data();
        assert_eq!(same, new.name().starts_with("frozen."), "{}", new.name());
    }
    // Adam has no moments or count for it.
    let state = adam.tensors(&params);
    assert!(state.keys().all(|name| !name.contains("frozen.")));
    assert!(state.keys().any(|name| name.ends_with("conv.kernel")));
}

#[test]
fn clipping_shortens_the_step_and_is_reported() {
    let run = |clip_norm| {
        let mut params = Params::<f64>::new();
        let network = Network::new(&mut params, 2);
        let engine = Engine::new();
        let mut adam = Adam::new(AdamConfig {
            clip_norm,
            epsilon: 1.0,
            ..AdamConfig::default()
        });
        let before = params.clone();
        let step = Step {
            seed: 3,
            number: 1,
            freeze: Freeze::none(),
        };
        let result = engine
            .gradients(&params, &step, &shards(&LENGTHS, 2), |tape, shard| {
                network.loss(tape, shard, 1)
            })
            .unwrap();
        let report = adam.step(&mut params, &result.grads, 0.01, 1).unwrap();
        let moved: f64 = params
            .iter()
            .zip(before.iter())
            .flat_map(|((_, a), (_, b))| {
                a.data()
                    .iter()
                    .zip(b.data())
                    .map(|(a, b)| (a - b).abs())
                    .collect::<Vec<_>>()
            })
            .sum();
        (report, moved)
    };
    let (free, far) = run(None);
    assert!(!free.clipped);
    let (clipped, near) = run(Some(free.norm / 10.0));
    assert!(clipped.clipped && (clipped.norm - free.norm).abs() < 1e-12);
    assert!(near < 0.2 * far, "{near}, without clipping {far}");
}

#[test]
fn a_loss_or_gradient_that_is_not_finite_is_an_error() {
    let mut params = Params::<f64>::new();
    let network = Network::new(&mut params, 2);
    let engine = Engine::new();
    let parts = shards(&LENGTHS, 2);
    let step = Step {
        seed: 3,
        number: 41,
        freeze: Freeze::none(),
    };
    params.get_mut(params.find("head.bias").unwrap()).data_mut()[0] = f64::NAN;
    let error = engine
        .gradients(&params, &step, &parts, |tape, shard| {
            network.loss(tape, shard, 1)
        })
        .unwrap_err();
    assert!(matches!(error, Error::Loss { step: 41, .. }), "{error}");

    // A finite loss with an infinite gradient: −ln p has the slope −1/p.
    let mut params = Params::<f64>::new();
    let kernel = params.add("layer.kernel", &[1, 1], vec![1e-310]);
    let result = engine
        .gradients(&params, &step, &[()], |tape, ()| {
            let layout = Arc::new(Layout::new([1], 1));
            let x = tape.tokens(&layout, 1, &[1.0]);
            let p = tape.linear(x, kernel, None);
            tape.token_likelihood(p, &[Some(0)], TokenMean::Tokens { count: 1e-3 })
        })
        .unwrap();
    assert!(result.loss.is_finite());
    let before = params.get(kernel).data().to_vec();
    let error = Adam::new(AdamConfig::default())
        .step(&mut params, &result.grads, 0.1, 41)
        .unwrap_err();
    assert!(
        matches!(&error, Error::Gradient { parameter, step: 41 } if parameter == "layer.kernel"),
        "{error}"
    );
    assert_eq!(params.get(kernel).data(), before);
}

#[test]
fn weights_and_moments_survive_files() {
    let mut params = Params::<f32>::new();
    let network = Network::new(&mut params, 2);
    let (engine, mut adam) = (Engine::new(), Adam::new(AdamConfig::default()));
    let parts = shards(&LENGTHS, 2);
    let train_step = |params: &mut Params<f32>, adam: &mut Adam<f32>, number| {
        let step = Step {
            seed: 3,
            number,
            freeze: Freeze::none(),
        };
        let result = engine
            .gradients(params, &step, &parts, |tape, shard| {
                network.loss(tape, shard, number)
            })
            .unwrap();
        adam.step(params, &result.grads, 0.01, number).unwrap();
        engine.recycle(result.grads);
    };
    train_step(&mut params, &mut adam, 1);
    train_step(&mut params, &mut adam, 2);
    let weights = params.to_safetensors().unwrap();
    let moments = adam.tensors(&params);
    let views = moments
        .iter()
        .map(|(name, (shape, values))| (name.as_str(), shape.as_slice(), values.view()));
    let file = store::write(views, None).unwrap();
    train_step(&mut params, &mut adam, 3);

    let moments = store::read_mixed::<f32>(&file).unwrap();
    assert_eq!(moments["count.head.bias"].1, Values::U64(vec![2]));
    assert!(matches!(moments["rows.embedding.table"].1, Values::U32(_)));

    let mut again = Params::<f32>::new();
    Network::new(&mut again, 99);
    again.load_safetensors(&weights).unwrap();
    let mut adam = Adam::new(AdamConfig::default());
    adam.load_tensors(&again, moments).unwrap();
    train_step(&mut again, &mut adam, 3);
    assert!(params.to_safetensors().unwrap() == again.to_safetensors().unwrap());
}

#[test]
fn files_that_do_not_match_are_rejected() {
    let bytes_of = |build: &dyn Fn(&mut Params<f32>)| {
        let mut params = Params::<f32>::new();
        build(&mut params);
        params.to_safetensors().unwrap()
    };
    let mut params = Params::<f32>::new();
    params.add("a", &[2, 3], vec![1.0; 6]);
    let good = bytes_of(&|p| {
        p.add("a", &[2, 3], vec![2.0; 6]);
    });
    let missing = bytes_of(&|p| {
        p.add("b", &[2, 3], vec![2.0; 6]);
    });
    let shape = bytes_of(&|p| {
        p.add("a", &[3, 2], vec![2.0; 6]);
    });
    let more = bytes_of(&|p| {
        p.add("a", &[2, 3], vec![2.0; 6]);
        p.add("b", &[1], vec![2.0]);
    });
    let mut doubles = Params::<f64>::new();
    doubles.add("a", &[2, 3], vec![2.0; 6]);
    let doubles = doubles.to_safetensors().unwrap();
    assert!(
        matches!(params.load_safetensors(&missing), Err(Error::Missing { name }) if name == "a")
    );
    assert!(matches!(
        params.load_safetensors(&shape),
        Err(Error::Shape { .. })
    ));
    assert!(
        matches!(params.load_safetensors(&more), Err(Error::Unexpected { name }) if name == "b")
    );
    assert!(matches!(
        params.load_safetensors(&doubles),
        Err(Error::Type { .. })
    ));
    for cut in 0..good.len() {
        assert!(
            params.load_safetensors(&good[..cut]).is_err(),
            "cut at {cut}"
        );
    }
    assert_eq!(params.get(params.find("a").unwrap()).data(), &[1.0; 6]);
    params.load_safetensors(&good).unwrap();
    assert_eq!(params.get(params.find("a").unwrap()).data(), &[2.0; 6]);
}

#[test]
fn shards_have_every_sequence_once_and_similar_sizes() {
    let parts = shards(&LENGTHS, 4);
    let mut all: Vec<usize> = parts.iter().flatten().copied().collect();
    all.sort_unstable();
    assert_eq!(all, (0..LENGTHS.len()).collect::<Vec<_>>());
    let sizes: Vec<usize> = parts
        .iter()
        .map(|part| part.iter().map(|&i| LENGTHS[i]).sum())
        .collect();
    assert!(
        sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 5,
        "{sizes:?}"
    );
    assert_eq!(shards(&[3], 8).len(), 1);
    assert!(shards(&[], 8).is_empty());
}
