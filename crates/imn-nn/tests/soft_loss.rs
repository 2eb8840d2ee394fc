//! The cross-entropy with distributions against its formula, and against the one with classes.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::sync::Arc;

use imn_nn::{Freeze, Init, Layout, Params, Shape, Tape, TokenMean, Var};

const COLUMNS: usize = 4;
const LENGTHS: [usize; 3] = [3, 1, 4];

/// Normal random numbers, the same for the same name.
fn numbers(count: usize, name: &str) -> Vec<f64> {
    Init::Normal { std: 1.0 }.draw(&[count], 5, name)
}

/// The loss that `loss` writes on a tape, and its gradient with respect to the logits of tokens.
fn run(logits: &[f64], loss: impl Fn(&mut Tape<'_, f64>, Var) -> Var) -> (f64, Vec<f64>) {
    let layout = Arc::new(Layout::new(LENGTHS, 2));
    let shape = Shape::tokens(&layout, COLUMNS);
    let places: Vec<usize> = shape.live().flatten().collect();
    let mut memory = vec![0.0; shape.len()];
    places
        .iter()
        .zip(logits)
        .for_each(|(&at, &x)| memory[at] = x);
    let (params, freeze) = (Params::<f64>::new(), Freeze::none());
    let mut tape = Tape::train(&params, &freeze, 1);
    let x = tape.variable(shape, &memory);
    let value = loss(&mut tape, x);
    let scalar = tape.scalar(value);
    let (gradients, _) = tape.backward_to(value, &[x]);
    let gradient = places.iter().map(|&at| gradients[0][at]);
    (scalar, gradient.collect())
}

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
}

#[test]
fn it_is_the_formula() {
    let words: usize = LENGTHS.iter().sum();
    let logits = numbers(words * COLUMNS, "logits");
    let mut targets: Vec<f64> = numbers(words * COLUMNS, "targets");
    targets.iter_mut().for_each(|q| *q = q.abs());
    targets[2 * COLUMNS..][..COLUMNS].fill(0.0);
    for (mean, weights) in [
        (
            TokenMean::Sequences { count: 3.0 },
            LENGTHS.map(|n| 1.0 / (3.0 * n as f64)),
        ),
        (TokenMean::Tokens { count: 8.0 }, [1.0 / 8.0; 3]),
    ] {
        let (found, gradient) = run(&logits, |tape, x| {
            tape.token_soft_cross_entropy(x, &targets, mean)
        });
        let weights = LENGTHS.into_iter().zip(weights);
        let weights = weights.flat_map(|(n, weight)| std::iter::repeat_n(weight, n));
        let mut expected = 0.0;
        for (i, weight) in weights.enumerate() {
            let (x, q) = (&logits[i * COLUMNS..][..4], &targets[i * COLUMNS..][..4]);
            let sum: f64 = x.iter().map(|x| x.exp()).sum();
            let mass: f64 = q.iter().sum();
            for c in 0..COLUMNS {
                let p = x[c].exp() / sum;
                expected -= weight * q[c] * p.ln();
                assert_near(gradient[i * COLUMNS + c], weight * (mass * p - q[c]));
            }
        }
        assert_near(found, expected);
    }
}

#[test]
fn with_certain_rows_it_is_the_loss_of_classes() {
    let classes = [
        Some(0),
        Some(2),
        None,
        Some(1),
        None,
        Some(3),
        Some(0),
        Some(2),
    ];
    let targets: Vec<f64> = classes
        .iter()
        .flat_map(|class| (0..4).map(move |c| f64::from(u8::from(*class == Some(c)))))
        .collect();
    let logits = numbers(classes.len() * COLUMNS, "logits");
    let mean = TokenMean::Sequences { count: 3.0 };
    let soft = run(&logits, |tape, x| {
        tape.token_soft_cross_entropy(x, &targets, mean)
    });
    let hard = run(&logits, |tape, x| {
        tape.token_cross_entropy(x, &classes, mean)
    });
    assert_near(soft.0, hard.0);
    soft.1
        .iter()
        .zip(&hard.1)
        .for_each(|(a, b)| assert_near(*a, *b));
}
