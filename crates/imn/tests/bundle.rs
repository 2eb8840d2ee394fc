//! Model files: writing and reading them is lossless, and damaged files are rejected.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::sync::OnceLock;

use imn::bundle::{Model, ModelError, Storage};
use imn_nn::store;
use imn_testkit::toy;
use proptest::prelude::*;

/// The bytes of a small model.
fn bytes() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        toy::write(folder.path());
        let config = toy::config(&[
            "train.epochs=1",
            "model.encoder.cnn.filters=4",
            "vectors.dimensions=3",
        ]);
        let trained = toy::train(&config, folder.path());
        trained.model.to_bytes(Storage::Full).unwrap()
    })
}

/// Opens the model with a changed header.
fn with_header(change: impl Fn(String) -> String) -> Result<Model, ModelError> {
    let text = change(store::read_text(bytes()).unwrap().unwrap());
    let tensors = store::read::<f32>(bytes()).unwrap();
    let views = tensors
        .iter()
        .map(|(name, (shape, data))| (name.as_str(), &**shape, &**data));
    Model::from_bytes(&store::write(views, Some(text)).unwrap())
}

#[test]
fn a_model_survives_writing_and_reading() {
    let model = Model::from_bytes(bytes()).unwrap();
    assert!(model.to_bytes(Storage::Full).unwrap() == bytes());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.imn");
    model.save(&path, Storage::Full).unwrap();
    let again = Model::open(path.to_str().unwrap()).unwrap();
    assert!(again.to_bytes(Storage::Full).unwrap() == bytes());
    assert!(!path.with_file_name("model.imn.partial").exists());
}

#[test]
fn quantized_weights_are_close_to_the_original_ones() {
    let model = Model::from_bytes(bytes()).unwrap();
    let bytes = model.to_bytes(Storage::Small).unwrap();
    let small = Model::from_bytes(&bytes).unwrap();
    let [full, quantized] = [&model, &small].map(|model| model.only_part().unwrap());
    assert_eq!(full.calibration, quantized.calibration);
    let pairs = full.params.tensors().zip(quantized.params.tensors());
    for ((name, shape, full), (_, _, quantized)) in pairs {
        assert!(full.len() == shape.iter().product::<usize>() && full.len() == quantized.len());
        let largest = full.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        let errors = full.iter().zip(quantized).map(|(a, b)| (a - b).abs());
        let error = errors.fold(0.0, f32::max);
        assert!(error <= largest / 250.0, "{name}: {error} of {largest}");
    }
    // Quantizing again loses nothing.
    assert!(small.to_bytes(Storage::Small).unwrap() == bytes);
    for cut in (0..bytes.len()).step_by(97) {
        assert!(Model::from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
    }
}

#[test]
fn truncated_files_are_rejected() {
    for cut in (0..bytes().len()).step_by(97).chain([bytes().len() - 1]) {
        assert!(Model::from_bytes(&bytes()[..cut]).is_err(), "cut at {cut}");
    }
    let error = Model::open("no/such/model.imn").unwrap_err().to_string();
    assert!(
        error.contains("no/such/model.imn") && error.contains("reviews"),
        "{error}"
    );
}

#[test]
fn each_invalid_header_has_its_own_error() {
    let rejected = |from: &str, to: &str, word: &str| {
        let text = store::read_text(bytes()).unwrap().unwrap();
        assert!(text.contains(from), "{from} is not in the header");
        let error = with_header(|text| text.replacen(from, to, 1))
            .unwrap_err()
            .to_string();
        assert!(error.contains(word), "{from} → {to}: {error}");
    };
    rejected("imn-model", "another", "not a model file");
    rejected("\"version\":3,", "\"version\":7,", "use a newer imn");
    rejected("\"version\":3,", "\"version\":3,\"more\":2,", "more");
    rejected("\"kind\":\"imn\"", "\"kind\":\"other\"", "`other`");
    rejected("\"filters\":4", "\"filters\":5", "even");
    rejected("\"filters\":4", "\"filters\":6", "shape");
    let huge = "\"filters\":18446744073709551614";
    rejected("\"filters\":4", huge, "encoder.cnn.filters");
    rejected("\"ae_layers\":2", "\"ae_layers\":9000000000", "ae_layers");
    rejected("\"ae_layers\":2", "\"ae_layers\":3", "ae.layers.2");
    rejected("\"ae_layers\":2", "\"ae_layers\":1", "ae.layers.1");
    let fewer = "\"dimensions\":2,\"domain_columns";
    rejected("\"dimensions\":3,\"domain_columns", fewer, "shape");
    let swapped = "\"tags\":[\"IA\",\"BA\"";
    rejected("\"tags\":[\"BA\",\"IA\"", swapped, "label sets");
    let beyond = "\"start\":0,\"end\":9";
    rejected("\"start\":0,\"end\":0", beyond, "domain columns");
    rejected("\"tokenizer\":", "\"tokenizer\":9", "version 91");
    rejected("\"<unk>\"", "\"<who>\"", "<unk>");
    assert!(matches!(
        with_header(|_| "{}".to_owned()),
        Err(ModelError::NoHeader)
    ));
}

#[test]
fn earlier_names_of_settings_are_read() {
    let earlier = |text: String| {
        let renamed = text
            .replacen("\"max_extra_words\":", "\"on_top\":", 1)
            .replacen("\"exclude\":", "\"without\":", 1);
        assert_ne!(renamed, text);
        renamed
    };
    let model = with_header(earlier).unwrap();
    assert!(model.to_bytes(Storage::Full).unwrap() == bytes());
}

#[test]
fn weights_that_are_not_finite_are_rejected() {
    let text = store::read_text(bytes()).unwrap();
    let mut tensors = store::read::<f32>(bytes()).unwrap();
    tensors.get_mut("0.as.decoder.bias").unwrap().1[1] = f32::NAN;
    let views = tensors
        .iter()
        .map(|(name, (shape, data))| (name.as_str(), &**shape, &**data));
    let error = Model::from_bytes(&store::write(views, text).unwrap()).unwrap_err();
    assert!(error.to_string().contains("as.decoder.bias"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damage_never_panics(at in 0..1_000_000_usize, with: Vec<u8>, extra: bool) {
        let mut damaged = bytes().to_vec();
        let at = at % damaged.len();
        for (old, new) in damaged[at..].iter_mut().zip(&with) {
            *old = *new;
        }
        if extra {
            damaged.extend_from_slice(&with);
        }
        // A changed weight can be valid. Anything else must be an error, never a panic.
        let _ = Model::from_bytes(&damaged);
    }

    #[test]
    fn any_bytes_never_panic(any: Vec<u8>) {
        prop_assert!(Model::from_bytes(&any).is_err());
    }
}
