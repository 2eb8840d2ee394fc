//! Encoders against the Python package `transformers` (`golden/generate_encoders.py` writes the
//! fixtures), packed batches, quantized weights, and errors in weight files.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "golden/fixture.rs"]
mod fixture;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use fixture::{Tensors, assert_close, bytes, fixture};
use imn_nn::quantize::{self, Width};
use imn_nn::transformer::{Subset, TokenInput, TransformerConfig, TransformerEncoder};
use imn_nn::{Freeze, Init, Layout, Params, Precision, Rows, Tape, kernels};
use safetensors::tensor::TensorView;

fn golden(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(folder)
}

/// An encoder with the weights of a folder.
fn load(folder: &Path) -> (TransformerEncoder, Params<f32>) {
    let config = TransformerConfig::from_folder(folder).unwrap();
    let mut params = Params::new();
    let encoder = TransformerEncoder::new(
        &mut params.builder(1).scope("encoder"),
        &config,
        Init::Zeros,
    );
    encoder.load_pretrained(&mut params, folder).unwrap();
    (encoder, params)
}

/// The tokens of a fixture.
fn input(tensors: &Tensors, prefix: &str) -> (Arc<Layout>, Vec<u32>) {
    let integers = |name: &str| {
        let numbers = tensors[&format!("{prefix}{name}")].1.iter();
        numbers.map(|&x| x as u32).collect::<Vec<_>>()
    };
    let lengths = integers("lengths").into_iter().map(|n| n as usize);
    (Arc::new(Layout::new(lengths, 0)), integers("ids"))
}

/// `force_portable` affects the whole process, so tests that depend on it run one at a time.
static KERNELS: Mutex<()> = Mutex::new(());

#[test]
fn outputs_and_gradients_equal_those_of_python() {
    let _kernels = KERNELS.lock().unwrap_or_else(PoisonError::into_inner);
    for portable in [true, false] {
        kernels::force_portable(portable);
        for kind in ["bert", "mpnet"] {
            let (encoder, params) = load(&golden(kind));
            let results = fixture(&format!("{kind}/results"));
            let (layout, ids) = input(&results, "");
            let input = TokenInput {
                layout: &layout,
                ids: &ids,
                extra: None,
            };
            let mut tape = Tape::infer(&params);
            let y = encoder.forward(&mut tape, input, None);
            assert_close(kind, tape.value(y), &results["output"].1, 1e-5);

            // Python computed the gradients without dropout.
            let config = TransformerConfig {
                dropout: 0.0,
                attention_dropout: 0.0,
                ..encoder.config().clone()
            };
            let mut expected = Params::<f32>::new();
            let mut builder = expected.builder(1);
            let encoder =
                TransformerEncoder::new(&mut builder.scope("encoder"), &config, Init::Zeros);
            let gradients = bytes(&format!("{kind}/gradients"));
            encoder
                .load_pretrained_bytes(&mut expected, &gradients)
                .unwrap();
            let freeze = Freeze::none();
            let mut tape = Tape::train(&params, &freeze, 1);
            let y = encoder.forward(&mut tape, input, None);
            assert_close(kind, tape.value(y), &results["output"].1, 1e-5);
            let weights = tape.tokens(&layout, config.hidden, &results["weights"].1);
            let product = tape.mul(y, weights);
            let loss = tape.total(product);
            let grads = tape.backward(loss);
            for (id, tensor) in expected.iter() {
                let found = grads.dense(&params, id);
                assert_close(tensor.name(), &found, tensor.data(), 1e-4);
                // A gradient of zero would prove nothing. (The bias of the keys has none, but
                // shares its tensor with the values.)
                let largest = tensor.data().iter().fold(0.0_f32, |a, b| a.max(b.abs()));
                assert!(largest > 1e-2, "{}", tensor.name());
            }
        }
    }
}

/// Real encoders, from the folder `IMN_ENCODERS`.
#[test]
fn outputs_of_real_encoders_equal_those_of_python() {
    let Some(folder) = std::env::var_os("IMN_ENCODERS").map(PathBuf::from) else {
        eprintln!("skipped: IMN_ENCODERS does not name a folder of encoders");
        return;
    };
    let expected = fixture("encoders");
    for name in ["minilm", "gte-small", "mpnet"] {
        let folder = folder.join(name);
        if !folder.is_dir() {
            eprintln!("skipped: no encoder at {}", folder.display());
            continue;
        }
        let (encoder, params) = load(&folder);
        let (layout, ids) = input(&expected, &format!("{name}/"));
        let mut tape = Tape::infer(&params);
        let input = TokenInput {
            layout: &layout,
            ids: &ids,
            extra: None,
        };
        let y = encoder.forward(&mut tape, input, None);
        let found = tape.slice(y, 0..64);
        let (_, expected) = &expected[&format!("{name}/output")];
        assert_close(name, tape.value(found), expected, 1e-4);
    }
}

/// √Σ(a − b)² / √Σ b²
fn distance(found: &[f32], expected: &[f32]) -> f64 {
    let pairs = found.iter().zip(expected);
    let off: f64 = pairs.map(|(&a, &b)| f64::from(a - b).powi(2)).sum();
    let size: f64 = expected.iter().map(|&b| f64::from(b).powi(2)).sum();
    (off / size).sqrt()
}

/// MiniLM in 16 and 8 bits: the size of the file, and the distance of its outputs from those of 32
/// bits.
#[test]
fn quantized_encoders_are_small_and_accurate() {
    let Some(folder) = std::env::var_os("IMN_ENCODERS").map(PathBuf::from) else {
        eprintln!("skipped: IMN_ENCODERS does not name a folder of encoders");
        return;
    };
    let folder = folder.join("minilm");
    if !folder.is_dir() {
        eprintln!("skipped: no encoder at {}", folder.display());
        return;
    }
    let (encoder, mut params) = load(&folder);
    let (layout, ids) = input(&fixture("encoders"), "minilm/");
    let outputs = |params: &Params<f32>| {
        let mut tape = Tape::infer(params);
        let input = TokenInput {
            layout: &layout,
            ids: &ids,
            extra: None,
        };
        let y = encoder.forward(&mut tape, input, None);
        tape.value(y).to_vec()
    };
    let exact = outputs(&params);
    let stored = |params: &Params<f32>, bytes: bool| {
        let matrix = |name: &str| name.ends_with(".kernel") || name.ends_with(".table");
        let width = |name: &str| {
            if bytes && matrix(name) {
                Width::Bytes
            } else {
                Width::Half
            }
        };
        quantize::write(params.tensors(), width, String::new()).unwrap()
    };
    for (bytes, megabytes, limit) in [(false, 46.0, 2e-3), (true, 24.5, 3e-2)] {
        let file = stored(&params, bytes);
        let size = file.len() as f64 / 1e6;
        let mut quantized = params.clone();
        quantized
            .load_tensors(quantize::read(&file).unwrap())
            .unwrap();
        let off = distance(&outputs(&quantized), &exact);
        let bits = if bytes { 8 } else { 16 };
        eprintln!(
            "MiniLM in {bits} bits: {size:.1} MB, outputs off by {:.3} %",
            100.0 * off
        );
        assert!(size < megabytes, "{size} MB");
        assert!(off < limit, "outputs off by {off}");
        // Quantizing twice changes nothing.
        assert!(stored(&quantized, bytes) == file);
    }
    // The distance is large enough to notice a lost layer norm.
    let gain = params
        .find("encoder.layers.3.feed_forward.norm.gain")
        .unwrap();
    params.get_mut(gain).data_mut().fill(1.0);
    assert!(distance(&outputs(&params), &exact) > 0.1);
}

#[test]
fn a_sequence_gets_the_same_bits_in_every_batch() {
    let _kernels = KERNELS.lock().unwrap_or_else(PoisonError::into_inner);
    let full = same_bits_in_every_batch(Precision::F32);
    if Precision::Bf16.is_available() {
        let rounded = same_bits_in_every_batch(Precision::Bf16);
        let off = distance(&rounded, &full);
        assert!((1e-4..0.03).contains(&off), "{off}");
    }
}

/// The same bits alone and in any batch, on one thread and on several, for all tokens and for a
/// subset. Returns the output of a sequence.
fn same_bits_in_every_batch(precision: Precision) -> Vec<f32> {
    let config = TransformerConfig {
        vocabulary: 60,
        hidden: 96,
        layers: 3,
        heads: 6,
        intermediate: 400,
        positions: 64,
        ..TransformerConfig::default()
    };
    let mut params = Params::<f32>::new();
    let mut builder = params.builder(3);
    let init = Init::Normal { std: 0.2 };
    let encoder = TransformerEncoder::new(&mut builder.scope("encoder"), &config, init);
    params.set_precision(precision);
    let ids = |n: usize| (0..n).map(|i| (i * 7 + n) as u32 % 60).collect::<Vec<_>>();
    let run = |lengths: &[usize], gap: usize, split: bool| {
        let layout = Arc::new(Layout::new(lengths.iter().copied(), gap));
        let ids: Vec<u32> = lengths.iter().flat_map(|&n| ids(n)).collect();
        let mut tape = Tape::infer(&params);
        if split {
            tape = tape.split();
        }
        let input = TokenInput {
            layout: &layout,
            ids: &ids,
            extra: None,
        };
        let y = encoder.forward(&mut tape, input, None);
        tape.token_values(y)
    };
    let alone = run(&[23], 0, false);
    let rows = |values: &[f32], first: usize| values[first * 96..(first + 23) * 96].to_vec();
    assert!(rows(&run(&[5, 23, 64], 0, false), 5) == alone);
    assert!(rows(&run(&[1, 0, 23, 2], 2, false), 1) == alone);
    // Long enough to be split over threads.
    let long = run(&[64], 0, false);
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let split = pool.build().unwrap().install(|| run(&[64], 0, true));
        assert!(split == long, "{threads} threads");
    }

    // The words of two sentences, the second of which is in two windows.
    let layout = Arc::new(Layout::new([23, 9, 12], 0));
    let all: Vec<u32> = [23, 9, 12].into_iter().flat_map(ids).collect();
    let input = TokenInput {
        layout: &layout,
        ids: &all,
        extra: None,
    };
    let tokens = [1, 2, 4, 21, 24, 24, 30, 36, 33];
    let words = Arc::new(Layout::new([4, 5], 2));
    let mut tape = Tape::infer(&params);
    let y = encoder.forward(&mut tape, input, None);
    let subset = Subset {
        rows: Rows::Tokens(words),
        tokens: &tokens,
    };
    let some = encoder.forward(&mut tape, input, Some(subset));
    let (y, some) = (tape.token_values(y), tape.token_values(some));
    for (row, &token) in some.chunks_exact(96).zip(&tokens) {
        assert!(row == &y[token as usize * 96..][..96], "token {token}");
    }
    alone
}

/// A weight file of zeros with changed shapes; `None` leaves a tensor out.
fn changed(changes: &[(&str, Option<&[usize]>)]) -> Vec<u8> {
    let tensors = fixture("bert/model");
    let mut shapes: Vec<(String, Vec<usize>)> = tensors
        .into_iter()
        .map(|(name, (shape, _))| (name, shape))
        .collect();
    for (name, shape) in changes {
        shapes.retain(|(other, _)| other != name);
        shapes.extend(shape.map(|shape| ((*name).to_owned(), shape.to_vec())));
    }
    let zeros = vec![0_u8; 4 * 40 * 40];
    let views = shapes.iter().map(|(name, shape)| {
        let size = 4 * shape.iter().product::<usize>();
        let view = TensorView::new(safetensors::Dtype::F32, shape.clone(), &zeros[..size]);
        (name.clone(), view.unwrap())
    });
    safetensors::serialize(views, None).unwrap()
}

#[test]
fn errors_name_the_wrong_tensor() {
    let (encoder, mut params) = load(&golden("bert"));
    let mut load = |changes: &[(&str, Option<&[usize]>)]| {
        let before = params.get(encoder.words()).data().to_vec();
        let result = encoder.load_pretrained_bytes(&mut params, &changed(changes));
        if result.is_err() {
            assert!(before == params.get(encoder.words()).data(), "half loaded");
        }
        result.map_err(|error| error.to_string())
    };
    let key = "bert.encoder.layer.1.attention.self.key.weight";
    assert_eq!(
        load(&[(key, None)]).unwrap_err(),
        "tensor `encoder.layer.1.attention.self.key.weight` is missing"
    );
    assert_eq!(
        load(&[(key, Some(&[24, 23]))]).unwrap_err(),
        "tensor `encoder.layer.1.attention.self.key.weight` has shape [24, 23], expected [24, 24]"
    );
    let extra = "bert.encoder.layer.1.output.gate.bias";
    assert_eq!(
        load(&[(extra, Some(&[24]))]).unwrap_err(),
        "tensor `encoder.layer.1.output.gate.bias` belongs to no parameter of this network"
    );
    // The encoder has two layers, and may be the lower part of a deeper one.
    load(&[("bert.encoder.layer.2.output.dense.bias", Some(&[24]))]).unwrap();
    // Without a prefix, with the old names of γ and β, and with the heads of other tasks.
    let old = "bert.embeddings.LayerNorm.";
    load(&[
        (&format!("{old}weight"), None),
        (&format!("{old}bias"), None),
        ("embeddings.LayerNorm.gamma", Some(&[24])),
        ("embeddings.LayerNorm.beta", Some(&[24])),
        ("cls.predictions.bias", Some(&[40])),
        ("bert.pooler.dense.weight", Some(&[24, 24])),
    ])
    .unwrap();
    let missing = encoder.load_pretrained(&mut params, Path::new("/no/such/folder"));
    assert!(
        missing
            .unwrap_err()
            .to_string()
            .contains("model.safetensors")
    );
}
