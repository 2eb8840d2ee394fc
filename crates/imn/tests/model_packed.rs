//! The output for a sentence in a packed batch is bit for bit the same as for the sentence alone,
//! for the whole network.

use imn::features::Features;
use imn::model::{CnnConfig, DocumentTask, EncoderConfig, Imn, Input, ModelConfig, WordVectors};
use imn_nn::{Init, Params, Tape, Var};
use proptest::prelude::*;

const WORDS: u32 = 40;
const DIMENSIONS: usize = 12;
const DOMAINS: usize = 2;

/// IMN with a number of filters that is not a multiple of any vector register's size, and weights
/// that make attention peaked.
fn network(seed: u64) -> (Imn, Params<f32>) {
    let config = ModelConfig {
        encoder: EncoderConfig::Cnn(CnnConfig {
            filters: 10,
            ..CnnConfig::default()
        }),
        as_layers: 1,
        ..ModelConfig::default()
    };
    let vectors = WordVectors::new(
        DIMENSIONS,
        8..DIMENSIONS,
        Init::Normal { std: 1.0 }.draw(&[WORDS as usize, DIMENSIONS], seed, "vectors"),
    );
    let mut params = Params::new();
    let network = Imn::new(&mut params, &config, vectors, DOMAINS, seed).expect("a valid network");
    let ids: Vec<_> = params.iter().map(|(id, _)| id).collect();
    for id in ids {
        let tensor = params.get_mut(id);
        let noise = Init::Normal { std: 0.4 }.draw(tensor.shape(), seed, tensor.name());
        let values = tensor.data_mut().iter_mut();
        values
            .zip(noise)
            .for_each(|(value, n): (_, f32)| *value += n);
    }
    (network, params)
}

/// Sentences; at least one has one word, and at least one has none.
fn sentences() -> impl Strategy<Value = Vec<Vec<u32>>> {
    let words = |size| prop::collection::vec(0..WORDS, size);
    let rest = prop::collection::vec(words(0..12_usize), 0..6);
    (rest, words(1..2), words(0..1))
        .prop_map(|(rest, one, none)| [rest, vec![one, none]].concat())
        .prop_shuffle()
}

/// How the numbers of a value are assigned to sentences.
#[derive(Clone, Copy)]
enum Per {
    Sentence(usize),
    Token(usize),
    Pair,
}

impl Per {
    fn numbers(self, tokens: usize) -> usize {
        match self {
            Self::Sentence(columns) => columns,
            Self::Token(columns) => columns * tokens,
            Self::Pair => tokens * tokens,
        }
    }
}

/// The bits of all outputs of the network, by sentence.
fn outputs(network: &Imn, params: &Params<f32>, sentences: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let features: Vec<Features> = sentences.iter().cloned().map(Features::from).collect();
    let slices = || features.iter();
    let input = Input::sentences(slices());
    let mut tape = Tape::infer(params);
    let output = network.forward(&mut tape, &input, None);
    let mut values: Vec<(Var, Per)> = Vec::new();
    for round in &output.rounds {
        let (ds, ds_attention, dd_attention) = round.document.expect("document-level messages");
        values.extend([
            (round.ae, Per::Token(5)),
            (round.r#as, Per::Token(3)),
            (round.attention, Per::Pair),
            (ds, Per::Sentence(3)),
            (ds_attention, Per::Token(1)),
            (dd_attention, Per::Token(1)),
        ]);
    }
    let documents = Input::documents(slices());
    for (task, classes) in [
        (DocumentTask::Sentiment, 3),
        (DocumentTask::Domain, DOMAINS),
    ] {
        let logits = network.read_documents(&mut tape, &documents, task);
        values.push((
            logits.expect("the network has the task"),
            Per::Sentence(classes),
        ));
    }
    let mut found = vec![Vec::new(); sentences.len()];
    for (var, per) in values {
        let numbers = tape.token_values(var);
        let mut rest = numbers.as_slice();
        for (found, sentence) in found.iter_mut().zip(sentences) {
            let (own, others) = rest.split_at(per.numbers(sentence.len()));
            assert!(own.iter().all(|number| number.is_finite()));
            found.extend(own.iter().map(|number| number.to_bits()));
            rest = others;
        }
        assert!(rest.is_empty(), "numbers that belong to no sentence");
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn other_sentences_of_the_batch_do_not_matter(sentences in sentences(), seed in 0_u64..8) {
        let (network, params) = network(seed);
        let together = outputs(&network, &params, &sentences);
        for (sentence, found) in sentences.iter().zip(together) {
            let alone = outputs(&network, &params, std::slice::from_ref(sentence));
            prop_assert_eq!(&alone[0], &found, "{:?}", sentence);
        }
    }
}
