//! Bundles: what is written is read again, and nothing that is wrong gets through.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod toy;

use std::sync::OnceLock;

use imn::bundle::{Bundle, BundleError, Storage};
use imn::train::{Corpus, Event, Trainer};
use imn_nn::store;
use proptest::prelude::*;

/// The bytes of a small bundle.
fn bytes() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        toy::write(folder.path());
        let config = toy::config(&["train.epochs=1", "model.filters=4", "vectors.dimensions=3"]);
        let corpus = Corpus::load(&config, folder.path(), None).unwrap();
        let trainer = Trainer::new(config, corpus, None).unwrap();
        trainer
            .run(&mut |_: &Event<'_>| true)
            .unwrap()
            .bundle
            .to_bytes(Storage::Full)
            .unwrap()
    })
}

/// The bundle with its header changed.
fn with_header(change: impl Fn(String) -> String) -> Result<Bundle, BundleError> {
    let text = change(store::read_text(bytes()).unwrap().unwrap());
    let tensors = store::read::<f32>(bytes()).unwrap();
    let views = tensors
        .iter()
        .map(|(name, (shape, data))| (name.as_str(), &**shape, &**data));
    Bundle::from_bytes(&store::write(views, Some(text)).unwrap())
}

#[test]
fn what_is_written_is_read_again() {
    let bundle = Bundle::from_bytes(bytes()).unwrap();
    assert!(bundle.to_bytes(Storage::Full).unwrap() == bytes());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.imn");
    bundle.save(&path, Storage::Full).unwrap();
    assert!(
        Bundle::open(&path)
            .unwrap()
            .to_bytes(Storage::Full)
            .unwrap()
            == bytes()
    );
    assert!(!path.with_file_name("model.imn.partial").exists());
}

#[test]
fn a_small_bundle_says_almost_the_same() {
    let bundle = Bundle::from_bytes(bytes()).unwrap();
    let bytes = bundle.to_bytes(Storage::Small).unwrap();
    let small = Bundle::from_bytes(&bytes).unwrap();
    assert_eq!(small.calibration, bundle.calibration);
    for ((name, shape, full), (_, _, narrow)) in bundle.params.tensors().zip(small.params.tensors())
    {
        assert!(full.len() == shape.iter().product::<usize>() && full.len() == narrow.len());
        let most = full.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        let off = full.iter().zip(narrow).map(|(a, b)| (a - b).abs());
        let off = off.fold(0.0, f32::max);
        assert!(off <= most / 250.0, "{name}: {off} of {most}");
    }
    // Again without loss: numbers that fit their width stay.
    assert!(small.to_bytes(Storage::Small).unwrap() == bytes);
    for cut in (0..bytes.len()).step_by(97) {
        assert!(Bundle::from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
    }
}

#[test]
fn truncated_bundles_are_refused() {
    for cut in (0..bytes().len()).step_by(97).chain([bytes().len() - 1]) {
        assert!(Bundle::from_bytes(&bytes()[..cut]).is_err(), "cut at {cut}");
    }
    let error = Bundle::open(std::path::Path::new("no/such/model.imn")).unwrap_err();
    assert!(error.to_string().starts_with("no/such/model.imn"));
}

#[test]
fn each_wrong_header_has_its_error() {
    let refused = |from: &str, to: &str, word: &str| {
        let text = store::read_text(bytes()).unwrap().unwrap();
        assert!(text.contains(from), "{from} is not in the header");
        let error = with_header(|text| text.replacen(from, to, 1))
            .unwrap_err()
            .to_string();
        assert!(error.contains(word), "{from} → {to}: {error}");
    };
    refused("imn-bundle", "another", "not a model bundle");
    refused("\"version\":2,", "\"version\":7,", "use a newer imn");
    refused("\"version\":2,", "\"version\":2,\"more\":2,", "more");
    refused("\"filters\":4", "\"filters\":5", "even");
    refused("\"filters\":4", "\"filters\":6", "weights");
    refused(
        "\"filters\":4",
        "\"filters\":18446744073709551614",
        "far too many",
    );
    refused("\"ae_layers\":2", "\"ae_layers\":9000000000", "weights");
    refused(
        "\"dimensions\":3,\"domain",
        "\"dimensions\":2,\"domain",
        "shape",
    );
    refused(
        "\"tags\":[\"BA\",\"IA\"",
        "\"tags\":[\"IA\",\"BA\"",
        "label sets",
    );
    refused(
        "\"start\":0,\"end\":0",
        "\"start\":0,\"end\":9",
        "domain columns",
    );
    refused("\"tokenizer\":", "\"tokenizer\":9", "train it again");
    refused("\"<unk>\"", "\"<who>\"", "<unk>");
    assert!(matches!(
        with_header(|_| "{}".to_owned()),
        Err(BundleError::NoHeader)
    ));
}

#[test]
fn a_weight_that_is_not_a_number_is_refused() {
    let text = store::read_text(bytes()).unwrap();
    let mut tensors = store::read::<f32>(bytes()).unwrap();
    tensors.get_mut("as.decoder.bias").unwrap().1[1] = f32::NAN;
    let views = tensors
        .iter()
        .map(|(name, (shape, data))| (name.as_str(), &**shape, &**data));
    let error = Bundle::from_bytes(&store::write(views, text).unwrap()).unwrap_err();
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
        // A changed weight may be fine; anything else must be an error, never a panic.
        let _ = Bundle::from_bytes(&damaged);
    }

    #[test]
    fn any_bytes_never_panic(any: Vec<u8>) {
        prop_assert!(Bundle::from_bytes(&any).is_err());
    }
}
