//! A sequence gets the same result alone and in any packed batch.

mod common;

use std::sync::Arc;

use common::{assert_separators_are_zero, lengths, numbers};
use imn_nn::layers::{ConvRelu, Gru, LayerNorm, Linear, Lstm, MultiHeadAttention};
use imn_nn::{Direction, End, Freeze, Init, Layout, Params, Precision, Shape, Tape, Var};
use proptest::prelude::*;

/// A network with most kinds of layers and operations.
struct Network {
    first: ConvRelu,
    norm: LayerNorm,
    attention: MultiHeadAttention,
    forward: Lstm,
    backward: Gru,
    scores: Linear,
}

impl Network {
    fn new(params: &mut Params<f64>) -> Self {
        let mut b = params.builder(5);
        Self {
            first: ConvRelu::new(&mut b.scope("first"), 5, 3, 4, Init::GlorotUniform),
            norm: LayerNorm::new(&mut b.scope("norm"), 4, 1e-5),
            attention: MultiHeadAttention::new(&mut b.scope("attention"), 4, 2),
            forward: Lstm::new(&mut b.scope("forward"), 4, 3, Direction::Forward),
            backward: Gru::new(&mut b.scope("backward"), 4, 3, Direction::Backward),
            scores: Linear::new(&mut b.scope("scores"), 6, 1),
        }
    }

    /// One row per token, and one row per sequence.
    fn forward(&self, tape: &mut Tape<'_, f64>, x: Var) -> (Var, Var) {
        let h = self.first.forward(tape, x);
        let h = self.norm.forward(tape, h);
        let h = self.attention.forward(tape, h);
        let (f, b) = (
            self.forward.forward(tape, h),
            self.backward.forward(tape, h),
        );
        let h = tape.concat(&[f, b]);
        let gate = tape.sigmoid(h);
        let h = tape.gated_scan(gate, h);
        let scores = self.scores.forward(tape, h);
        let weights = tape.sequence_softmax(scores);
        let sum = tape.weighted_sum(weights, h);
        let (mean, max) = (tape.mean_rows(h), tape.max_rows(h));
        let last = tape.end_rows(h, End::Last);
        let pooled = tape.concat(&[sum, mean, max, last]);
        let back = tape.broadcast(mean, &Arc::clone(tape.shape(h).token_layout()));
        (tape.add(h, back), pooled)
    }
}

/// Token values, sequence values, and the gradient of the input.
fn run(lengths: &[usize], gap: usize, input: &[f64]) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut params = Params::new();
    let network = Network::new(&mut params);
    let freeze = Freeze::none();
    let mut tape = Tape::train(&params, &freeze, 0);
    let layout = Arc::new(Layout::new(lengths.iter().copied(), gap));
    let shape = Shape::tokens(&layout, 3);
    let mut memory = vec![0.0; shape.len()];
    shape
        .live()
        .flatten()
        .zip(input)
        .for_each(|(at, &x)| memory[at] = x);
    let x = tape.variable(shape.clone(), &memory);
    let (tokens, pooled) = network.forward(&mut tape, x);
    assert_separators_are_zero(tape.shape(tokens), tape.value(tokens));
    let (by_token, by_sequence) = (tape.token_values(tokens), tape.value(pooled).to_vec());
    let squared = (tape.mul(tokens, tokens), tape.mul(pooled, pooled));
    let (a, b) = (tape.total(squared.0), tape.total(squared.1));
    let loss = tape.add(a, b);
    let (gradients, _) = tape.backward_to(loss, &[x]);
    assert_separators_are_zero(&shape, &gradients[0]);
    let live = shape.live().flatten().map(|at| gradients[0][at]).collect();
    (by_token, by_sequence, live)
}

fn assert_equal(what: &str, a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (a, b) in a.iter().zip(b) {
        assert!(
            (a - b).abs() <= 1e-10 * (1.0 + a.abs()),
            "{what}: {a} and {b}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_sequence_gets_the_same_result_alone(lengths in lengths(), gap in 2..5_usize, seed: u64) {
        let tokens: usize = lengths.iter().sum();
        let input = numbers(tokens * 3, seed, "input");
        let (by_token, by_sequence, gradient) = run(&lengths, gap, &input);
        let mut at = 0;
        for (i, &n) in lengths.iter().enumerate() {
            let (token, sequence, grad) = run(&[n], 2, &input[at * 3..][..n * 3]);
            assert_equal("tokens", &by_token[at * 6..][..n * 6], &token);
            assert_equal("pooled", &by_sequence[i * 24..][..24], &sequence);
            assert_equal("gradient", &gradient[at * 3..][..n * 3], &grad);
            at += n;
        }
    }
}

#[test]
fn empty_short_and_long_sequences_work() {
    let (tokens, pooled, _) = run(&[], 2, &[]);
    assert!(tokens.is_empty() && pooled.is_empty());
    let (tokens, pooled, _) = run(&[0], 2, &[]);
    assert!(tokens.is_empty());
    assert_eq!(pooled, vec![0.0; 24]);
    let (tokens, ..) = run(&[1], 2, &[1.0, 2.0, 3.0]);
    assert!(tokens.iter().all(|x| x.is_finite()));
    let input = numbers(2000 * 3, 1, "input");
    let (tokens, pooled, gradient) = run(&[2000], 2, &input);
    assert_eq!(tokens.len(), 2000 * 6);
    assert!(
        tokens
            .iter()
            .chain(&pooled)
            .chain(&gradient)
            .all(|x| x.is_finite())
    );
}

#[test]
#[should_panic(expected = "only 1 rows apart")]
fn a_kernel_wider_than_the_gap_panics() {
    run(&[3], 1, &[0.0; 9]);
}

/// The outputs of two convolutions with 64 channels, in some precision.
fn convolve(precision: Precision, lengths: &[usize], input: &[f32], split: bool) -> Vec<f32> {
    let mut params = Params::<f32>::new();
    let mut builder = params.builder(5);
    let init = Init::Normal { std: 0.05 };
    let wide = ConvRelu::new(&mut builder.scope("wide"), 5, 64, 64, init);
    let narrow = ConvRelu::new(&mut builder.scope("narrow"), 3, 64, 64, init);
    params.set_precision(precision);
    let mut tape = Tape::infer(&params);
    if split {
        tape = tape.split();
    }
    let layout = Arc::new(Layout::new(lengths.iter().copied(), 2));
    let shape = Shape::tokens(&layout, 64);
    let mut memory = vec![0.0; shape.len()];
    let live = shape.live().flatten();
    live.zip(input).for_each(|(at, &x)| memory[at] = x);
    let x = tape.constant(shape, &memory);
    let h = wide.forward(&mut tape, x);
    let y = narrow.forward(&mut tape, h);
    tape.token_values(y)
}

#[test]
fn convolutions_of_integers_are_close_and_the_same_in_every_batch() {
    let row = |i: usize| (0..64).map(move |c| (((i * 64 + c) * 37) % 101) as f32 / 50.0 - 1.0);
    let input: Vec<f32> = (0..160).flat_map(row).collect();
    let exact = convolve(Precision::F32, &[160], &input, false);
    let found = convolve(Precision::Int8, &[160], &input, false);
    assert_eq!(found, convolve(Precision::Int8, &[160], &input, true));
    let squares = |values: &mut dyn Iterator<Item = f32>| values.map(|x| x * x).sum::<f32>();
    let error = squares(&mut exact.iter().zip(&found).map(|(a, b)| a - b));
    let share = (error / squares(&mut exact.iter().copied())).sqrt();
    // Not zero: the products really use integers.
    assert!((1e-4..0.1).contains(&share), "{share}");

    let alone = convolve(Precision::Int8, &[23], &input[7 * 64..], false);
    let among = convolve(Precision::Int8, &[7, 23, 1, 0, 50], &input, false);
    assert_eq!(among[7 * 64..][..23 * 64], alone);
}
