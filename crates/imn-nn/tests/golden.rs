//! Outputs and gradients of every operation against PyTorch, and 50 training steps.
//! `golden/generate.py` writes the fixtures.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "golden/fixture.rs"]
mod fixture;

use std::sync::Arc;

use fixture::{Tensors, assert_close, fixture};
use imn_nn::layers::MultiHeadAttention;
use imn_nn::optim::{Adam, AdamConfig};
use imn_nn::{
    Direction, End, Engine, Freeze, Layout, ParamId, Params, Rows, Shape, Step, Tape, TokenMean,
    Var, shards,
};

/// One operation with its stored tensors.
struct Case<'a> {
    name: String,
    tensors: &'a Tensors,
    layout: Arc<Layout>,
    params: Params<f32>,
}

impl<'a> Case<'a> {
    fn new(tensors: &'a Tensors, name: &str) -> Self {
        let mut params = Params::new();
        let prefix = format!("{name}/param.");
        for (key, (shape, data)) in tensors {
            if let Some(key) = key.strip_prefix(&prefix) {
                params.add(key, shape, data.clone());
            }
        }
        Self {
            name: name.to_owned(),
            tensors,
            layout: Arc::new(Layout::new([3, 1, 4], 2)),
            params,
        }
    }

    fn get(&self, key: &str) -> &'a (Vec<usize>, Vec<f32>) {
        let key = format!("{}/{key}", self.name);
        self.tensors.get(&key).unwrap_or_else(|| panic!("no {key}"))
    }

    fn param(&self, name: &str) -> ParamId {
        self.params
            .find(name)
            .unwrap_or_else(|| panic!("{}: no parameter {name}", self.name))
    }

    fn labels(&self) -> Vec<Option<u32>> {
        self.get("input.1")
            .1
            .iter()
            .map(|&label| (label >= 0.0).then_some(label as u32))
            .collect()
    }

    /// Shape and values of an input, in memory order.
    fn input(&self, i: usize) -> (Shape, Vec<f32>) {
        let (shape, data) = self.get(&format!("input.{i}"));
        let cols = shape.get(1).copied().unwrap_or(1);
        if shape[0] == self.layout.tokens() {
            let shape = Shape::tokens(&self.layout, cols);
            let mut memory = vec![0.0; shape.len()];
            let mut rest = data.iter();
            for at in shape.live().flatten() {
                memory[at] = *rest.next().unwrap();
            }
            (shape, memory)
        } else if shape[0] == self.layout.pair_count() {
            (Shape::pairs(&self.layout), data.clone())
        } else {
            (Shape::plain(shape[0], cols), data.clone())
        }
    }

    fn run(&self, inputs: usize, network: impl Fn(&mut Tape<'_, f32>, &[Var]) -> Var) {
        let freeze = Freeze::none();
        let mut tape = Tape::train(&self.params, &freeze, 0);
        let vars: Vec<Var> = (0..inputs)
            .map(|i| {
                let (shape, memory) = self.input(i);
                tape.variable(shape, &memory)
            })
            .collect();
        let y = network(&mut tape, &vars);
        assert_close(
            &format!("{}: output", self.name),
            &tape.token_values(y),
            &self.get("output").1,
            1e-4,
        );
        let shape = tape.shape(y).clone();
        let mut memory = vec![0.0; shape.len()];
        let mut rest = self.get("weights").1.iter();
        shape
            .live()
            .flatten()
            .for_each(|at| memory[at] = *rest.next().unwrap());
        let weights = tape.constant(shape, &memory);
        let weighted = tape.mul(y, weights);
        let loss = tape.total(weighted);
        let shapes: Vec<Shape> = vars.iter().map(|&var| tape.shape(var).clone()).collect();
        let (gradients, grads) = tape.backward_to(loss, &vars);
        for (i, (shape, gradient)) in shapes.iter().zip(&gradients).enumerate() {
            let live: Vec<f32> = shape.live().flatten().map(|at| gradient[at]).collect();
            let what = format!("{}: gradient of input {i}", self.name);
            assert_close(&what, &live, &self.get(&format!("grad.input.{i}")).1, 1e-4);
        }
        for (id, tensor) in self.params.iter() {
            let what = format!("{}: gradient of {}", self.name, tensor.name());
            let expected = &self.get(&format!("grad.param.{}", tensor.name())).1;
            assert_close(&what, &grads.dense(&self.params, id), expected, 1e-4);
        }
    }
}

#[test]
fn operations_and_trajectory() {
    operations();
    trajectory();
    // Again with the portable kernels. In one test, because the switch affects the whole process.
    imn_nn::kernels::force_portable(true);
    assert_eq!(imn_nn::kernels::backend(), "portable");
    operations();
    trajectory();
}

fn operations() {
    let tensors = fixture("operations");
    let mut seen: Vec<String> = Vec::new();
    let mut case = |name: &str| {
        seen.push(name.to_owned());
        Case::new(&tensors, name)
    };

    let c = case("embed");
    let ids: Vec<u32> = c.get("input.0").1.iter().map(|&id| id as u32).collect();
    c.run(0, |tape, _| tape.embed(c.param("table"), &ids, &c.layout));
    let c = case("linear");
    c.run(1, |tape, x| {
        tape.linear(x[0], c.param("kernel"), Some(c.param("bias")))
    });
    for taps in [1, 3, 5] {
        let c = case(&format!("conv{taps}"));
        c.run(1, |tape, x| {
            tape.linear(x[0], c.param("kernel"), Some(c.param("bias")))
        });
        let c = case(&format!("conv{taps}_relu"));
        c.run(1, |tape, x| {
            tape.linear_relu(x[0], c.param("kernel"), Some(c.param("bias")))
        });
    }
    case("take_rows").run(1, |tape, x| {
        tape.take_rows(x[0], &[5, 0, 5, 2].map(Some), Rows::Plain(4))
    });
    case("concat").run(2, |tape, x| tape.concat(x));
    case("slice").run(1, |tape, x| tape.slice(x[0], 1..3));
    case("mask_columns").run(1, |tape, x| tape.mask_columns(x[0], 1..3));
    case("add").run(2, |tape, x| tape.add(x[0], x[1]));
    case("mul").run(2, |tape, x| tape.mul(x[0], x[1]));
    case("mul_column").run(2, |tape, x| tape.mul_column(x[0], x[1]));
    case("scale").run(1, |tape, x| tape.scale(x[0], 0.3));
    case("one_minus").run(1, |tape, x| tape.one_minus(x[0]));
    case("relu").run(1, |tape, x| tape.relu(x[0]));
    case("tanh").run(1, |tape, x| tape.tanh(x[0]));
    case("sigmoid").run(1, |tape, x| tape.sigmoid(x[0]));
    case("gelu").run(1, |tape, x| tape.gelu(x[0]));
    case("softmax").run(1, |tape, x| tape.softmax(x[0]));
    case("attention").run(5, |tape, x| {
        let scores = tape.pair_scores(x[0], x[1]);
        let scores = tape.mul(scores, x[2]);
        let scores = tape.mul_pair_columns(scores, x[3]);
        let weights = tape.pair_softmax(scores, false);
        tape.pair_apply(weights, x[4])
    });
    case("sequence_softmax").run(1, |tape, x| tape.sequence_softmax(x[0]));
    case("attention_pooling").run(2, |tape, x| {
        let weights = tape.sequence_softmax(x[0]);
        tape.weighted_sum(weights, x[1])
    });
    let c = case("broadcast");
    c.run(1, |tape, x| tape.broadcast(x[0], &c.layout));
    case("mean_rows").run(1, |tape, x| tape.mean_rows(x[0]));
    case("max_rows").run(1, |tape, x| tape.max_rows(x[0]));
    case("last_rows").run(1, |tape, x| tape.end_rows(x[0], End::Last));
    case("gated_scan").run(2, |tape, x| tape.gated_scan(x[0], x[1]));
    for (suffix, direction) in [
        ("forward", Direction::Forward),
        ("backward", Direction::Backward),
    ] {
        let c = case(&format!("lstm_{suffix}"));
        c.run(1, |tape, x| {
            let gates = tape.linear(x[0], c.param("input"), Some(c.param("bias")));
            tape.lstm(gates, c.param("recurrent"), direction)
        });
        let c = case(&format!("gru_{suffix}"));
        c.run(1, |tape, x| {
            let gates = tape.linear(x[0], c.param("input"), Some(c.param("bias")));
            tape.gru(
                gates,
                c.param("recurrent"),
                c.param("recurrent_bias"),
                direction,
            )
        });
    }
    let c = case("layer_norm");
    c.run(1, |tape, x| {
        tape.layer_norm(x[0], c.param("gain"), c.param("bias"), 1e-5)
    });
    let mut c = case("multi_head");
    let mut params = Params::new();
    let layer = MultiHeadAttention::new(&mut params.builder(0), 4, 2);
    for (id, tensor) in c.params.iter() {
        let target = params
            .find(tensor.name())
            .expect("the layer has the names of the fixture");
        params
            .get_mut(target)
            .data_mut()
            .copy_from_slice(c.params.get(id).data());
    }
    c.params = params;
    c.run(1, |tape, x| layer.forward(tape, x[0]));

    let c = case("token_loss_sequences");
    let mean = TokenMean::Sequences { count: 3.0 };
    c.run(1, |tape, x| {
        tape.token_cross_entropy(x[0], &c.labels(), mean)
    });
    let c = case("likelihood");
    c.run(1, |tape, x| {
        let p = tape.softmax(x[0]);
        tape.token_likelihood(p, &c.labels(), mean)
    });
    let c = case("token_loss_tokens");
    let mean = TokenMean::Tokens { count: 8.0 };
    c.run(1, |tape, x| {
        tape.token_cross_entropy(x[0], &c.labels(), mean)
    });
    let c = case("sequence_loss");
    c.run(1, |tape, x| {
        tape.sequence_cross_entropy(x[0], &c.labels(), 3.0)
    });
    let c = case("binary_loss");
    let labels: Vec<bool> = c
        .get("input.1")
        .1
        .iter()
        .map(|&label| label == 1.0)
        .collect();
    c.run(1, |tape, x| tape.binary_cross_entropy(x[0], &labels, 3.0));

    let mut stored: Vec<String> = tensors
        .keys()
        .filter_map(|key| Some(key.strip_suffix("/output")?.to_owned()))
        .collect();
    stored.sort();
    seen.sort();
    assert_eq!(seen, stored, "cases that were run and cases in the fixture");
}

/// 50 steps of Adam on a small network with a table, in two shards, freezing a layer every third
/// step.
fn trajectory() {
    let tensors = fixture("trajectory");
    let lengths = [4_usize, 1, 6, 3];
    let total: usize = lengths.iter().sum();
    let mut params = Params::<f32>::new();
    for (key, (shape, data)) in &tensors {
        if let Some(name) = key.strip_prefix("param.") {
            params.add(name, shape, data.clone());
        }
    }
    let id = |params: &Params<f32>, name: &str| params.find(name).expect("a stored parameter");
    let numbers = |key: &str, step: usize, count: usize| -> Vec<u32> {
        tensors[key].1[step * count..][..count]
            .iter()
            .map(|&x| x as u32)
            .collect()
    };
    let starts: Vec<usize> = lengths
        .iter()
        .scan(0, |at, &n| {
            *at += n;
            Some(*at - n)
        })
        .collect();
    let parts = shards(&lengths, 2);
    assert_eq!(parts.len(), 2);

    let (engine, mut adam) = (Engine::new(), Adam::new(AdamConfig::default()));
    for step in 0..50 {
        let ids = numbers("ids", step, total);
        let tags = numbers("tags", step, total);
        let documents = numbers("documents", step, lengths.len());
        let number = step as u64 + 1;
        let freeze = if number.is_multiple_of(3) {
            Freeze::prefixes(["tags."])
        } else {
            Freeze::none()
        };
        let settings = Step {
            seed: 0,
            number,
            freeze,
        };
        let result = engine
            .gradients(&params, &settings, &parts, |tape, part| {
                let layout = Arc::new(Layout::new(part.iter().map(|&i| lengths[i]), 2));
                let select = |all: &[u32]| -> Vec<u32> {
                    part.iter()
                        .flat_map(|&i| all[starts[i]..][..lengths[i]].to_vec())
                        .collect()
                };
                let p = |name: &str| id(&params, name);
                let x = tape.embed(p("embedding.table"), &select(&ids), &layout);
                let h = tape.linear_relu(x, p("conv.kernel"), Some(p("conv.bias")));
                let q = tape.linear(h, p("attention.kernel"), None);
                let scores = tape.pair_scores(q, h);
                let mut factors = Vec::new();
                for &i in part {
                    let n = lengths[i];
                    factors.extend((0..n * n).map(|at| {
                        let distance = (at / n).abs_diff(at % n);
                        if distance == 0 {
                            0.0
                        } else {
                            1.0 / distance as f32
                        }
                    }));
                }
                let factors = tape.constant(Shape::pairs(&layout), &factors);
                let scores = tape.mul(scores, factors);
                let weights = tape.pair_softmax(scores, false);
                let context = tape.pair_apply(weights, h);
                let both = tape.concat(&[h, context]);
                let logits = tape.linear(both, p("tags.kernel"), Some(p("tags.bias")));
                let labels: Vec<Option<u32>> = select(&tags).into_iter().map(Some).collect();
                let mean = TokenMean::Sequences { count: 4.0 };
                let tag_loss = tape.token_cross_entropy(logits, &labels, mean);
                let scores = tape.linear(h, p("pool.kernel"), None);
                let weights = tape.sequence_softmax(scores);
                let pooled = tape.weighted_sum(weights, h);
                let logits = tape.linear(pooled, p("document.kernel"), Some(p("document.bias")));
                let labels: Vec<Option<u32>> = part.iter().map(|&i| Some(documents[i])).collect();
                let document_loss = tape.sequence_cross_entropy(logits, &labels, 4.0);
                tape.add(tag_loss, document_loss)
            })
            .unwrap();
        let expected = f64::from(tensors["losses"].1[step]);
        let found = result.loss;
        assert!(
            (found - expected).abs() < 1e-3 * expected,
            "step {number}: {found}, PyTorch has {expected}"
        );
        adam.step(&mut params, &result.grads, 0.01, number).unwrap();
        engine.recycle(result.grads);
    }
    for (_, tensor) in params.iter() {
        let name = tensor.name();
        assert_close(
            name,
            tensor.data(),
            &tensors[&format!("final.{name}")].1,
            1e-3,
        );
    }
}
