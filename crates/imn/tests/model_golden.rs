//! Comparison with the PyTorch implementation in `bench/imn_torch.py`, which was written from the
//! paper: distributions and attention of every round, losses, and the gradient of every parameter.
//! `golden/generate.py` writes the fixture.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../../imn-nn/tests/golden/fixture.rs"]
mod fixture;

use std::collections::{BTreeMap, BTreeSet};

use fixture::{Tensors, assert_close, fixture};
use imn::config::stored;
use imn::features::Features;
use imn::model::{
    DocumentTask, Imn, Input, ModelConfig, Network as _, Objective, Opinions, WordVectors,
};
use imn_nn::{Freeze, Params, Tape, TokenMean, Var};
use safetensors::SafeTensors;
use serde_json::{Value, json};

/// Relative to the largest value of a tensor.
const TOLERANCE: f32 = 1e-4;
/// Columns 8 … 11 of 12 are domain-specific.
const GENERAL_COLUMNS: usize = 8;
const DOMAINS: usize = 2;

/// A configuration with weights, and the results of PyTorch with these weights.
struct Case<'a> {
    name: &'a str,
    tensors: &'a Tensors,
    config: ModelConfig,
    network: Imn,
    params: Params<f32>,
}

impl<'a> Case<'a> {
    fn new(name: &'a str, config: ModelConfig, tensors: &'a Tensors) -> Self {
        let (shape, table) = &tensors[&format!("{name}/param.shared.embedding.table")];
        let vectors = WordVectors::new(shape[1], GENERAL_COLUMNS..shape[1], table.clone());
        let mut params = Params::new();
        let network = Imn::new(&mut params, &config, vectors, DOMAINS, 1).unwrap();
        let stored: BTreeSet<&str> = tensors
            .keys()
            .filter_map(|key| key.strip_prefix(name)?.strip_prefix("/param."))
            .collect();
        let own: BTreeSet<&str> = params.iter().map(|(_, tensor)| tensor.name()).collect();
        assert_eq!(own, stored, "{name}: parameters here and in the fixture");
        let mut filled = params.clone();
        for (id, tensor) in params.iter() {
            let (shape, data) = &tensors[&format!("{name}/param.{}", tensor.name())];
            assert_eq!(tensor.shape(), shape, "{name}: {}", tensor.name());
            filled.get_mut(id).data_mut().copy_from_slice(data);
        }
        Self {
            name,
            tensors,
            config,
            network,
            params: filled,
        }
    }

    fn has(&self, key: &str) -> bool {
        self.tensors.contains_key(&format!("{}/{key}", self.name))
    }

    fn numbers(&self, key: &str) -> &'a [f32] {
        let key = format!("{}/{key}", self.name);
        let (_, data) = self.tensors.get(&key).unwrap_or_else(|| panic!("no {key}"));
        data
    }

    fn labels(&self, key: &str) -> Vec<Option<u32>> {
        let label = |&label: &f32| (label >= 0.0).then_some(label as u32);
        self.numbers(key).iter().map(label).collect()
    }

    /// Texts under `prefix`.
    fn texts(&self, prefix: &str) -> Vec<Features> {
        let words = self.numbers(&format!("{prefix}words"));
        let mut words = words.iter().map(|&word| word as u32);
        self.numbers(&format!("{prefix}lengths"))
            .iter()
            .map(|&length| {
                words
                    .by_ref()
                    .take(length as usize)
                    .collect::<Vec<_>>()
                    .into()
            })
            .collect()
    }

    fn close(&self, key: &str, found: &[f32]) {
        let what = format!("{}/{key}", self.name);
        assert_close(&what, found, self.numbers(key), TOLERANCE);
    }

    /// Compares all gradients of `loss` with those stored under `prefix`. Frozen parameters must
    /// have none.
    fn gradients(&self, tape: Tape<'_, f32>, loss: Var, prefix: &str, freeze: &Freeze) {
        self.close(&format!("{prefix}/loss"), &[tape.scalar(loss)]);
        let grads = tape.backward(loss);
        for (id, tensor) in self.params.iter() {
            if freeze.covers(tensor.name()) {
                assert!(grads.get(id).is_none(), "{} is fixed", tensor.name());
            } else {
                let found = grads.dense(&self.params, id);
                self.close(&format!("{prefix}/grad.{}", tensor.name()), &found);
            }
        }
    }

    /// Compares L_a, with predicted or gold opinions, with the values stored under `prefix`.
    fn aspects(&self, gold: Option<&[f32]>, prefix: &str, freeze: &Freeze) {
        let texts = self.texts("");
        let input = Input::sentences(&texts);
        let mut tape = Tape::train(&self.params, freeze, 0);
        let gold = gold.map(|gold| gold.iter().copied().map(Some).collect::<Vec<_>>());
        let output = self.network.forward(&mut tape, &input, gold.as_deref());
        assert_eq!(output.rounds.len(), self.config.rounds + 1);
        for (t, round) in output.rounds.iter().enumerate() {
            let close = |name: &str, var: Var| {
                self.close(&format!("{prefix}/{t}/{name}"), &tape.token_values(var));
            };
            close("ae", round.ae);
            close("as", round.r#as);
            close("attention", round.attention);
            let stored = self.has(&format!("{prefix}/{t}/ds"));
            assert_eq!(round.document.is_some(), stored, "document-level messages");
            if let Some((ds, ds_attention, dd_attention)) = round.document {
                close("ds", ds);
                close("ds_attention", ds_attention);
                close("dd_attention", dd_attention);
            }
        }
        let mean = TokenMean::Sequences {
            count: texts.len() as f64,
        };
        let last = output.last();
        let ae = tape.token_cross_entropy(last.ae_logits, &self.labels("ae_labels"), mean);
        let r#as = tape.token_cross_entropy(last.as_logits, &self.labels("as_labels"), mean);
        let loss = tape.add(ae, r#as);
        self.gradients(tape, loss, prefix, freeze);
    }

    /// Compares the logits of a document-level task, and gives its part of L_d.
    fn document_loss(&self, tape: &mut Tape<'_, f32>, task: DocumentTask, name: &str) -> Var {
        let texts = self.texts(&format!("{name}/"));
        let input = Input::documents(&texts);
        let logits = self.network.read_documents(tape, &input, task).unwrap();
        self.close(&format!("{name}/logits"), tape.value(logits));
        let labels = self.labels(&format!("{name}/labels"));
        tape.sequence_cross_entropy(logits, &labels, texts.len() as f64)
    }

    fn documents(&self) {
        let freeze = Freeze::none();
        let mut tape = Tape::train(&self.params, &freeze, 0);
        let ds = self.document_loss(&mut tape, DocumentTask::Sentiment, "ds");
        let dd = self.document_loss(&mut tape, DocumentTask::Domain, "dd");
        let loss = tape.add(ds, dd);
        self.gradients(tape, loss, "documents", &freeze);
    }

    fn check(&self) {
        let gold = self.numbers("gold");
        let transmitted = self.config.opinions == Opinions::Transmitted;
        for freeze in [Freeze::none(), self.network.frozen(Objective::Sentences)] {
            self.aspects(None, "predicted", &freeze);
            // Without opinion transmission, gold opinions change nothing.
            let expected = if transmitted { "gold" } else { "predicted" };
            self.aspects(Some(gold), expected, &freeze);
        }
        assert_eq!(
            self.has("documents/loss"),
            self.params.find("ds.decoder.kernel").is_some()
        );
        if self.has("documents/loss") {
            self.documents();
        }
    }
}

#[test]
fn equals_the_pytorch_network() {
    let tensors = fixture("model");
    let (_, metadata) = SafeTensors::read_metadata(&fixture::bytes("model")).unwrap();
    let json = &metadata.metadata().as_ref().unwrap()["settings"];
    let stored: BTreeMap<String, Value> = serde_json::from_str(json).unwrap();
    let settings: BTreeMap<String, ModelConfig> = stored
        .into_iter()
        .map(|(name, model)| {
            // The PyTorch network uses the earlier keys for the sizes of the encoder.
            let mut config = json!({ "model": model });
            stored::upgrade(&mut config);
            let model = serde_json::from_value(config["model"].take()).unwrap();
            (name, model)
        })
        .collect();
    let expected = [
        "document_tasks",
        "imn",
        "imn_minus_d",
        "opinion_transmission",
        "other_layers",
        "program",
        "unlabelled_opinions",
        "vanilla",
    ];
    assert!(settings.keys().eq(expected), "{settings:?}");
    for (name, config) in settings {
        Case::new(&name, config, &tensors).check();
    }
}
