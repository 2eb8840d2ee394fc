//! Adam on rows of a table and on parameter groups.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::sync::Arc;

use imn_nn::layers::Embedding;
use imn_nn::optim::{Adam, AdamConfig, Group, Groups, MOVING_STEPS, StepCount, UntouchedRows};
use imn_nn::{Freeze, Init, Layout, Params, Tape, Var};

#[test]
fn adam_leaves_untouched_rows_alone() {
    let mut params = Params::<f64>::new();
    let table = Embedding::new(&mut params.builder(1), 4, 2, Init::Normal { std: 1.0 });
    let mut adam = Adam::new(AdamConfig::default());
    let freeze = Freeze::none();
    let layout = Arc::new(Layout::new([2], 1));
    let mut step = |params: &mut Params<f64>, ids: [u32; 2], number| {
        let mut tape = Tape::train(params, &freeze, 0);
        let x = table.forward(&mut tape, &ids, &layout);
        let loss = tape.total(x);
        let grads = tape.backward(loss);
        adam.step(params, &grads, 0.1, number).unwrap();
    };
    let rows = |params: &Params<f64>| -> Vec<Vec<f64>> {
        params
            .get(table.table())
            .data()
            .chunks(2)
            .map(<[f64]>::to_vec)
            .collect()
    };
    let first = rows(&params);
    step(&mut params, [1, 1], 1);
    let second = rows(&params);
    step(&mut params, [3, 3], 2);
    let third = rows(&params);
    assert_eq!(first[0], third[0]);
    assert_ne!(first[1], second[1]);
    // Row 1 was not looked up in the second step, so its momentum does not move it.
    assert_eq!(second[1], third[1]);
    assert_ne!(second[3], third[3]);
}

/// Adam by its formula, on one value whose gradient is 1 in some steps and 0 in all others.
fn dense_adam(touched: impl Fn(u64) -> bool, steps: u64, rate: f64) -> f64 {
    let (mut theta, mut mean, mut square) = (0.0, 0.0, 0.0);
    for t in 1..=steps {
        let g = f64::from(u8::from(touched(t)));
        mean = 0.9 * mean + 0.1 * g;
        square = 0.999 * square + 0.001 * g * g;
        let t = i32::try_from(t).unwrap();
        let mean_hat = mean / (1.0 - 0.9_f64.powi(t));
        let square_hat: f64 = square / (1.0 - 0.999_f64.powi(t));
        theta -= rate * mean_hat / (square_hat.sqrt() + 1e-8);
    }
    theta
}

#[test]
fn untouched_rows_move_as_with_a_dense_gradient() {
    const RATE: f64 = 0.1;
    let config = AdamConfig {
        untouched_rows: UntouchedRows::Move,
        ..AdamConfig::default()
    };
    // Row 0 is touched in every step, row 1 in a few steps, so that it rests before the last one.
    let last = 40 + 3 * MOVING_STEPS;
    let touches_1 = |t: u64| [3, 4, 40, last].contains(&t);
    let mut params = Params::<f64>::new();
    let table = Embedding::new(&mut params.builder(1), 3, 2, Init::Zeros);
    let mut adam = Adam::new(config);
    let freeze = Freeze::none();
    for t in 1..=last + 5 {
        let ids: &[u32] = if touches_1(t) { &[0, 1] } else { &[0] };
        let layout = Arc::new(Layout::new([ids.len()], 1));
        let mut tape = Tape::train(&params, &freeze, 0);
        let x = table.forward(&mut tape, ids, &layout);
        let loss = tape.total(x);
        let grads = tape.backward(loss);
        adam.step(&mut params, &grads, RATE, t).unwrap();
        if t % 50 == 7 {
            // The state in a checkpoint is complete.
            let tensors = adam.tensors(&params);
            adam = Adam::new(config);
            adam.load_tensors(&params, tensors).unwrap();
        }
        let values = params.get(table.table()).data();
        let expected = [
            dense_adam(|_| true, t, RATE),
            dense_adam(touches_1, t, RATE),
            0.0,
        ];
        let tolerance = if t <= MOVING_STEPS { 1e-12 } else { 1e-5 };
        for (row, expected) in values.chunks(2).zip(expected) {
            assert_eq!(row[0], row[1]);
            assert!(
                (row[0] - expected).abs() < tolerance,
                "step {t}: {values:?} {expected}"
            );
        }
    }
}

/// The second of two optimizers for the same parameter. With one count for both, its first step is
/// −rate · m / √v with the corrections of step 1001: m = 0.1 g and v = 0.001 g².
#[test]
fn a_count_of_all_steps_corrects_a_late_optimizer_less() {
    let first_step = |step_count| {
        let mut params = Params::<f64>::new();
        let id = params.add("x", &[1, 1], vec![0.0]);
        let freeze = Freeze::none();
        let mut tape = Tape::train(&params, &freeze, 0);
        let one = tape.plain(1, 1, &[1.0]);
        let y = tape.linear(one, id, None);
        let loss = tape.total(y);
        let grads = tape.backward(loss);
        let mut adam = Adam::new(AdamConfig {
            step_count,
            epsilon: 0.0,
            ..AdamConfig::default()
        });
        adam.step(&mut params, &grads, 0.01, 1001).unwrap();
        params.get(id).data()[0]
    };
    assert!((first_step(StepCount::PerParameter) + 0.01).abs() < 1e-12);
    let root = (0.001 / (1.0 - 0.999_f64.powi(1001))).sqrt();
    assert!((first_step(StepCount::AllSteps) + 0.01 * 0.1 / root).abs() < 1e-12);
}

/// One step on kernels and biases in two groups, by the formula of AdamW. The first step of Adam is
/// −rate · sign(g).
#[test]
fn groups_have_their_own_rate_decay_and_freeze() {
    let mut params = Params::<f64>::new();
    for name in ["a", "b", "c"] {
        params.add(format!("{name}.kernel"), &[1, 1], vec![2.0]);
        params.add(format!("{name}.bias"), &[1], vec![2.0]);
    }
    let group = |prefix: &str| Group {
        prefix: prefix.to_owned(),
        ..Group::default()
    };
    let settings = [
        Group {
            rate: 0.5,
            weight_decay: 0.1,
            ..group("a.")
        },
        Group {
            freeze: true,
            ..group("b.")
        },
    ];
    let groups = Groups::new(&settings, &params).unwrap();
    let config = AdamConfig {
        epsilon: 0.0,
        clip_norm: Some(100.0),
        ..AdamConfig::default()
    };
    let mut adam = Adam::with_groups(config, groups);
    let freeze = Freeze::none();
    let mut tape = Tape::train(&params, &freeze, 0);
    let values: Vec<Var> = params.iter().map(|(id, _)| tape.param(id)).collect();
    let sum = values.into_iter().reduce(|a, b| tape.add(a, b)).unwrap();
    let loss = tape.total(sum);
    let grads = tape.backward(loss);
    let report = adam.step(&mut params, &grads, 0.2, 1).unwrap();
    // The gradients of the frozen group do not count toward the norm.
    assert!((report.norm - 2.0).abs() < 1e-12, "{}", report.norm);
    let value = |name: &str| params.get(params.find(name).unwrap()).data()[0];
    let expected = [
        ("a.kernel", 2.0 * (1.0 - 0.1 * 0.1) - 0.1),
        ("a.bias", 2.0 - 0.1),
        ("b.kernel", 2.0),
        ("b.bias", 2.0),
        ("c.kernel", 2.0 - 0.2),
        ("c.bias", 2.0 - 0.2),
    ];
    for (name, expected) in expected {
        assert!((value(name) - expected).abs() < 1e-12, "{name}");
    }
    assert!(
        adam.tensors(&params)
            .keys()
            .all(|name| !name.contains("b."))
    );
}
