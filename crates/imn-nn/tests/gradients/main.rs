//! The backward pass of every operation against central differences, over random packed shapes.

mod check;
#[path = "../common/mod.rs"]
mod common;

use std::sync::Arc;

use check::Check;
use common::lengths;
use imn_nn::layers::MultiHeadAttention;
use imn_nn::transformer::{
    RelativeConfig, Subset, TokenInput, TransformerConfig, TransformerEncoder,
};
use imn_nn::{
    Activation, Attention, ClassSet, Columns, Direction, End, Init, Layout, RelativePositions,
    Rows, Shape, Tape, TokenMean, Var,
};
use proptest::prelude::*;

fn layout() -> impl Strategy<Value = Arc<Layout>> {
    (lengths(), 2..4_usize).prop_map(|(lengths, gap)| Arc::new(Layout::new(lengths, gap)))
}

fn tokens(layout: &Arc<Layout>, cols: usize) -> Shape {
    Shape::tokens(layout, cols)
}

/// Random classes for tokens; some are unlabelled.
fn targets(count: usize, seed: u64, classes: u32) -> Vec<Option<u32>> {
    (0..count as u64)
        .map(|i| {
            let mixed = (seed ^ i).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            (!mixed.is_multiple_of(4)).then_some((mixed >> 2) as u32 % classes)
        })
        .collect()
}

fn binary(seed: u64, shape: &Shape, network: impl Fn(&mut Tape<'_, f64>, Var, Var) -> Var) {
    Check::new(seed)
        .input(shape.clone())
        .input(shape.clone())
        .run(|tape, inputs| network(tape, inputs[0], inputs[1]));
}

fn unary(seed: u64, shape: &Shape, network: impl Fn(&mut Tape<'_, f64>, Var) -> Var) {
    Check::new(seed)
        .input(shape.clone())
        .run(|tape, inputs| network(tape, inputs[0]));
}

/// Tiles process 32 columns at a time; these widths have whole and partial steps.
#[test]
fn convolution_of_many_columns() {
    let layout = Arc::new(Layout::new([1, 6], 2));
    for taps in [3, 5] {
        let mut check = Check::new(taps as u64);
        let kernel = check.param("kernel", &[taps, 35, 40]);
        let bias = check.param("bias", &[40]);
        check
            .input(tokens(&layout, 35))
            .run(|tape, inputs| tape.linear_relu(inputs[0], kernel, Some(bias)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn linear(layout in layout(), seed: u64, relu: bool, bias: bool) {
        let mut check = Check::new(seed);
        let kernel = check.param("kernel", &[3, 5]);
        let bias = bias.then(|| check.param("bias", &[5]));
        check.input(tokens(&layout, 3)).run(|tape, inputs| {
            if relu {
                tape.linear_relu(inputs[0], kernel, bias)
            } else {
                tape.linear(inputs[0], kernel, bias)
            }
        });
    }

    #[test]
    fn linear_on_plain_rows(rows in 0..5_usize, seed: u64) {
        let mut check = Check::new(seed);
        let (kernel, bias) = (check.param("kernel", &[3, 4]), check.param("bias", &[4]));
        check
            .input(Shape::plain(rows, 3))
            .run(|tape, inputs| tape.linear(inputs[0], kernel, Some(bias)));
    }

    #[test]
    fn convolution(layout in layout(), seed: u64, half in 0..3_usize, relu: bool) {
        let mut check = Check::new(seed);
        let kernel = check.param("kernel", &[2 * half + 1, 3, 4]);
        let bias = check.param("bias", &[4]);
        check.input(tokens(&layout, 3)).run(|tape, inputs| {
            if relu {
                tape.linear_relu(inputs[0], kernel, Some(bias))
            } else {
                tape.linear(inputs[0], kernel, Some(bias))
            }
        });
    }

    #[test]
    fn embedding(layout in layout(), seed: u64) {
        let mut check = Check::new(seed);
        let table = check.param("table", &[6, 3]);
        let ids: Vec<u32> = (0..layout.tokens() as u32)
            .map(|i| (seed.rotate_left(i) % 5) as u32)
            .collect();
        check.run(|tape, _| tape.embed(table, &ids, &layout));
    }

    #[test]
    fn taking_rows(layout in layout(), seed: u64) {
        let count = layout.tokens() as u32;
        let index: Vec<Option<u32>> =
            (0..4_u32).map(|i| (i != 2).then_some((i + seed as u32 % 7) % count)).collect();
        unary(seed, &tokens(&layout, 2), |tape, x| tape.take_rows(x, &index, Rows::Plain(4)));
        let back: Vec<Option<u32>> = (0..count).map(|i| (i % 3 != 1).then_some(i % 2)).collect();
        unary(seed, &Shape::plain(2, 3), |tape, x| {
            tape.take_rows(x, &back, Rows::Tokens(layout.clone()))
        });
    }

    #[test]
    fn columns(layout in layout(), seed: u64) {
        let shape = tokens(&layout, 3);
        binary(seed, &shape, |tape, a, b| tape.concat(&[a, b, a]));
        unary(seed, &shape, |tape, x| tape.slice(x, 1..3));
        unary(seed, &shape, |tape, x| tape.mask_columns(x, 1..2));
    }

    #[test]
    fn arithmetic(layout in layout(), seed: u64) {
        let shape = tokens(&layout, 3);
        binary(seed, &shape, |tape, a, b| tape.add(a, b));
        binary(seed, &shape, |tape, a, b| tape.mul(a, b));
        binary(seed, &Shape::pairs(&layout), |tape, a, b| tape.mul(a, b));
        unary(seed, &shape, |tape, x| tape.mul(x, x));
        unary(seed, &shape, |tape, x| tape.scale(x, -1.7));
        unary(seed, &shape, |tape, x| tape.one_minus(x));
        unary(seed, &shape, |tape, x| tape.total(x));
        Check::new(seed).input(shape).input(tokens(&layout, 1))
            .run(|tape, inputs| tape.mul_column(inputs[0], inputs[1]));
    }

    #[test]
    fn activations(layout in layout(), seed: u64) {
        use Activation::{Gelu, Relu, Sigmoid, Tanh};
        for function in [Relu, Tanh, Sigmoid, Gelu] {
            unary(seed, &tokens(&layout, 2), |tape, x| tape.activation(x, function));
            unary(seed, &Shape::pairs(&layout), |tape, x| tape.activation(x, function));
        }
    }

    #[test]
    fn softmax(layout in layout(), seed: u64) {
        unary(seed, &tokens(&layout, 4), |tape, x| tape.softmax(x));
    }

    #[test]
    fn attention_with_factors(layout in layout(), seed: u64, diagonal: bool) {
        Check::new(seed)
            .input(tokens(&layout, 3))
            .input(tokens(&layout, 3))
            .input(Shape::pairs(&layout))
            .input(tokens(&layout, 1))
            .input(tokens(&layout, 2))
            .run(|tape, inputs| {
                let &[q, k, factor, column, v] = inputs else { unreachable!() };
                let scores = tape.pair_scores(q, k);
                let scores = tape.mul(scores, factor);
                let scores = tape.mul_pair_columns(scores, column);
                let weights = tape.pair_softmax(scores, diagonal);
                tape.pair_apply(weights, v)
            });
    }

    #[test]
    fn multi_head_attention(layout in layout(), seed: u64) {
        let mut check = Check::new(seed);
        let mut builder = check.params.builder(seed);
        let layer = MultiHeadAttention::new(&mut builder.scope("attention"), 4, 2);
        check.input(tokens(&layout, 4)).run(|tape, inputs| layer.forward(tape, inputs[0]));
    }

    #[test]
    fn pooling(layout in layout(), seed: u64) {
        unary(seed, &tokens(&layout, 1), |tape, x| tape.sequence_softmax(x));
        unary(seed, &tokens(&layout, 3), |tape, x| tape.mean_rows(x));
        unary(seed, &tokens(&layout, 3), |tape, x| tape.max_rows(x));
        unary(seed, &tokens(&layout, 3), |tape, x| tape.end_rows(x, End::First));
        unary(seed, &tokens(&layout, 3), |tape, x| tape.end_rows(x, End::Last));
        unary(seed, &Shape::plain(layout.sequences(), 2), |tape, x| tape.broadcast(x, &layout));
        Check::new(seed).input(tokens(&layout, 1)).input(tokens(&layout, 3))
            .run(|tape, inputs| tape.weighted_sum(inputs[0], inputs[1]));
    }

    #[test]
    fn gated_scan(layout in layout(), seed: u64) {
        binary(seed, &tokens(&layout, 3), |tape, gate, h| {
            let gate = tape.sigmoid(gate);
            tape.gated_scan(gate, h)
        });
    }

    #[test]
    fn dropout(layout in layout(), seed: u64, p in 0.0..0.9_f64) {
        unary(seed, &tokens(&layout, 3), |tape, x| tape.dropout(x, p));
    }

    #[test]
    fn recurrent(layout in layout(), seed: u64, forward: bool) {
        let direction = if forward { Direction::Forward } else { Direction::Backward };
        let mut check = Check::new(seed);
        let weights = check.param("recurrent", &[2, 8]);
        check
            .input(tokens(&layout, 8))
            .run(|tape, inputs| tape.lstm(inputs[0], weights, direction));
        let mut check = Check::new(seed);
        let (weights, bias) = (check.param("recurrent", &[2, 6]), check.param("bias", &[6]));
        check
            .input(tokens(&layout, 6))
            .run(|tape, inputs| tape.gru(inputs[0], weights, bias, direction));
    }

    #[test]
    fn layer_norm(layout in layout(), seed: u64) {
        let mut check = Check::new(seed);
        let (gain, bias) = (check.param("gain", &[4]), check.param("bias", &[4]));
        check
            .input(tokens(&layout, 4))
            .run(|tape, inputs| tape.layer_norm(inputs[0], gain, bias, 1e-5));
    }

    #[test]
    fn residual_norm(layout in layout(), seed: u64, p in 0.0..0.7_f64) {
        let mut check = Check::new(seed);
        let norm = (check.param("gain", &[5]), check.param("bias", &[5]), 1e-5);
        check.input(tokens(&layout, 5)).input(tokens(&layout, 5))
            .run(|tape, inputs| tape.residual_norm(inputs[0], inputs[1], p, norm));
        let mut check = Check::new(seed);
        let norm = (check.param("gain", &[5]), check.param("bias", &[5]), 1e-5);
        check
            .input(tokens(&layout, 5))
            .run(|tape, inputs| tape.residual_norm(inputs[0], inputs[0], p, norm));
    }

    #[test]
    fn linear_gelu(layout in layout(), seed: u64) {
        let mut check = Check::new(seed);
        let (kernel, bias) = (check.param("kernel", &[3, 5]), check.param("bias", &[5]));
        check
            .input(tokens(&layout, 3))
            .run(|tape, inputs| tape.linear_gelu(inputs[0], kernel, bias));
    }

    #[test]
    fn embedding_sum(layout in layout(), seed: u64) {
        let mut check = Check::new(seed);
        let (words, positions) = (check.param("words", &[6, 3]), check.param("positions", &[4, 3]));
        let ids = |rows: u64, bits: u32| -> Vec<u32> {
            (0..layout.tokens() as u32)
                .map(|i| (seed.rotate_left(i * bits) % rows) as u32)
                .collect()
        };
        let (first, second) = (ids(5, 1), ids(3, 7));
        check.run(|tape, _| tape.embed_sum(&[(words, &first), (positions, &second)], &layout));
    }

    #[test]
    fn fused_attention(
        layout in layout(),
        seed: u64,
        p in prop::sample::select(vec![0.0, 0.3]),
        relative: bool,
    ) {
        let mut check = Check::new(seed);
        let table = check.param("table", &[8, 2]);
        let positions = relative.then_some(RelativePositions { table, max_distance: 5 });
        let attention = |q: Columns, k: Columns, v: Columns| Attention {
            query: q, key: k, value: v, columns: 6, heads: 2, positions, dropout: p, tokens: None,
        };
        // Three values, and one that holds all three.
        let shape = tokens(&layout, 6);
        check.clone().input(shape.clone()).input(shape.clone()).input(shape).run(|tape, inputs| {
            tape.attention(&attention(inputs[0].into(), inputs[1].into(), inputs[2].into()))
        });
        check.clone().input(tokens(&layout, 19)).run(|tape, inputs| {
            let columns = |first| Columns { var: inputs[0], first };
            tape.attention(&attention(columns(1), columns(7), columns(13)))
        });
        // Queries of some tokens, one of them twice.
        let count = layout.tokens() as u32;
        let some: Vec<u32> = (0..5).map(|i| (i * i + (seed % 11) as u32) % count).collect();
        check.input(Shape::plain(5, 6)).input(tokens(&layout, 12)).run(|tape, inputs| {
            let columns = |first| Columns { var: inputs[1], first };
            let attention = attention(inputs[0].into(), columns(0), columns(6));
            tape.attention(&Attention { tokens: Some(&some), ..attention })
        });
    }

    #[test]
    fn parameters_as_values(seed: u64) {
        let mut check = Check::new(seed);
        let u = check.param("prototype", &[2, 3]);
        check.input(Shape::plain(2, 3)).run(|tape, inputs| {
            let u = tape.param(u);
            let product = tape.mul(inputs[0], u);
            tape.add(product, u)
        });
    }

    #[test]
    fn losses(layout in layout(), seed: u64) {
        let labels = targets(layout.tokens(), seed, 4);
        for mean in [TokenMean::Sequences { count: 3.0 }, TokenMean::Tokens { count: 11.0 }] {
            unary(seed, &tokens(&layout, 4), |tape, x| tape.token_cross_entropy(x, &labels, mean));
            // Sets of one class, of several, and of all: the last one's loss is 0.
            let sets = labels.iter().enumerate().map(|(i, label)| {
                let first = (*label)?;
                Some(ClassSet::of(first..(first + 1 + i as u32 % 3).min(4)))
            });
            let sets: Vec<Option<ClassSet>> = sets.collect();
            unary(seed, &tokens(&layout, 4), |tape, x| {
                tape.token_set_cross_entropy(x, &sets, mean)
            });
            unary(seed, &tokens(&layout, 4), |tape, x| {
                let p = tape.softmax(x);
                tape.token_likelihood(p, &labels, mean)
            });
            // Distributions of different mass; every third token has none.
            let soft: Vec<f64> = (0..layout.tokens() * 4)
                .map(|i| match i / 4 % 3 {
                    2 => 0.0,
                    _ => ((seed >> (i % 60)) % 5) as f64 / 7.0,
                })
                .collect();
            unary(seed, &tokens(&layout, 4), |tape, x| {
                tape.token_soft_cross_entropy(x, &soft, mean)
            });
        }
        let labels = targets(layout.sequences(), seed, 3);
        unary(seed, &Shape::plain(layout.sequences(), 3), |tape, x| {
            tape.sequence_cross_entropy(x, &labels, 5.0)
        });
        let labels: Vec<bool> = (0..layout.sequences()).map(|i| (seed >> i) % 2 == 1).collect();
        unary(seed, &Shape::plain(layout.sequences(), 1), |tape, x| {
            tape.binary_cross_entropy(x, &labels, 5.0)
        });
    }

    #[test]
    fn characters_within_words(words in lengths(), seed: u64) {
        // The characters of a word are a sequence; pooled words become the tokens of a sentence.
        let characters = Arc::new(Layout::new(words.iter().copied(), 2));
        let sentence = Arc::new(Layout::new([words.len()], 2));
        let index: Vec<Option<u32>> = (0..words.len() as u32).map(Some).collect();
        let mut check = Check::new(seed);
        let kernel = check.param("kernel", &[3, 2, 3]);
        check.input(tokens(&characters, 2)).run(|tape, inputs| {
            let h = tape.linear(inputs[0], kernel, None);
            let words = tape.max_rows(h);
            tape.take_rows(words, &index, Rows::Tokens(sentence.clone()))
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    /// A whole encoder of either family with dropout, for all tokens and for a subset.
    #[test]
    fn transformer(layout in layout(), seed: u64, mpnet: bool) {
        let config = TransformerConfig {
            vocabulary: 5,
            hidden: 4,
            layers: 2,
            heads: 2,
            intermediate: 5,
            positions: 9,
            first_position: if mpnet { 2 } else { 0 },
            token_types: if mpnet { 0 } else { 2 },
            relative: mpnet.then_some(RelativeConfig { buckets: 8, max_distance: 6 }),
            dropout: 0.2,
            attention_dropout: 0.3,
            epsilon: 1e-5,
        };
        let mut check = Check::new(seed);
        let init = Init::Normal { std: 0.5 };
        let mut builder = check.params.builder(seed);
        let encoder = TransformerEncoder::new(&mut builder.scope("encoder"), &config, init);
        let count = layout.tokens() as u32;
        let ids: Vec<u32> = (0..count).map(|i| (seed.rotate_left(i) % 5) as u32).collect();
        let table = check.params.builder(seed).scope("extra").add("table", &[3, 4], init);
        let rows: Vec<u32> = ids.iter().map(|id| id % 3).collect();
        let extra = mpnet.then_some((table, rows.as_slice()));
        let input = TokenInput { layout: &layout, ids: &ids, extra };
        check.run(|tape, _| encoder.forward(tape, input, None));
        let some: Vec<u32> = (0..3).map(|i| (i * 2 + (seed % 5) as u32) % count).collect();
        check.run(|tape, _| {
            let subset = Subset { rows: Rows::Plain(3), tokens: &some };
            encoder.forward(tape, input, Some(subset))
        });
    }
}
