//! Inference skips and caches computations. Its results equal those of the training forward pass
//! without dropout, and are the same bits for any batch, any number of threads, and with a cold or
//! warm cache.

use imn::features::Features;
use imn::model::{
    AeRepresentation, CnnConfig, EncoderConfig, Imn, Input, ModelConfig, Round, SelfAttention,
    WordVectors,
};
use imn::predict::{self, Rounds, SentenceOutput};
use imn_nn::{Engine, Freeze, Init, Params, Tape, Var};

const WORDS: usize = 300;
const DIMENSIONS: usize = 24;

fn network(config: &ModelConfig) -> (Imn, Params<f32>) {
    let vectors = WordVectors::new(
        DIMENSIONS,
        16..DIMENSIONS,
        Init::Normal { std: 0.5 }.draw(&[WORDS, DIMENSIONS], 1, "vectors"),
    );
    let mut params = Params::new();
    let network = Imn::new(&mut params, config, vectors, 2, 1).expect("a valid network");
    (network, params)
}

fn configs() -> [ModelConfig; 3] {
    let plain = ModelConfig {
        encoder: EncoderConfig::Cnn(CnnConfig {
            filters: 64,
            ..CnnConfig::default()
        }),
        dropout: 0.0,
        ..ModelConfig::default()
    };
    [
        ModelConfig {
            ae_representation: AeRepresentation::EverySharedLayer,
            self_attention: SelfAttention::BiasTanh,
            as_layers: 1,
            ..plain.clone()
        },
        ModelConfig {
            ae_representation: AeRepresentation::TaskOnly,
            encoder: EncoderConfig::Cnn(CnnConfig {
                filters: 64,
                layers: 1,
            }),
            ae_layers: 1,
            ..plain.clone()
        },
        plain,
    ]
}

/// Sentences of 0 to 29 words.
fn sentences() -> Vec<Features> {
    let word = |i: usize| (i * i * 31 % WORDS) as u32;
    (0..60)
        .map(|i| {
            let words = (0..i * 7 % 30).map(|j| word(100 * i + j));
            words.collect::<Vec<_>>().into()
        })
        .collect()
}

fn assert_close(tape: &Tape<'_, f32>, var: Var, found: &[f32], what: &str) {
    let expected = tape.token_values(var);
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() < 1e-5,
            "{what}: {found} {expected}"
        );
    }
}

#[test]
fn inference_equals_the_training_forward_pass() {
    for config in configs() {
        let (network, params) = network(&config);
        let sentences = sentences();
        let slices: Vec<&Features> = sentences.iter().collect();
        let outputs = predict::infer(&Engine::new(), &network, &params, &slices, Rounds::All);
        let freeze = Freeze::none();
        for (sentence, rounds) in slices.iter().zip(&outputs) {
            let mut tape = Tape::train(&params, &freeze, 1);
            let input = Input::sentences([*sentence]);
            let expected = network.forward(&mut tape, &input, None);
            assert_eq!(expected.rounds.len(), rounds.len());
            for (round, output) in expected.rounds.iter().zip(rounds) {
                compare(&tape, round, output);
            }
        }
    }
}

fn compare(tape: &Tape<'_, f32>, round: &Round, output: &SentenceOutput) {
    assert_close(tape, round.ae, &output.tags, "AE");
    assert_close(tape, round.r#as, &output.polarities, "AS");
    assert_close(tape, round.attention, &output.attention, "A");
    let (sentiment, ds, dd) = round.document.expect("document-level messages");
    let document = output.document.as_ref().expect("document-level messages");
    assert_close(tape, sentiment, &document.sentiment, "DS");
    assert_close(tape, ds, &document.sentiment_attention, "a^ds");
    assert_close(tape, dd, &document.domain_attention, "a^dd");
}

#[test]
fn batches_threads_and_caches_do_not_change_the_result() {
    for config in configs() {
        let (network, params) = network(&config);
        let sentences = sentences();
        let slices: Vec<&Features> = sentences.iter().collect();
        let engine = Engine::new();
        let infer = |slices: &[&Features], threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("a pool of threads");
            pool.install(|| predict::infer(&engine, &network, &params, slices, Rounds::Last))
        };
        let together = infer(&slices, 2);
        assert_eq!(together, infer(&slices, 1), "again, on one thread");
        for (sentence, expected) in slices.iter().zip(&together) {
            for threads in [1, 3] {
                assert_eq!(
                    &infer(&[sentence], threads)[0],
                    expected,
                    "{} words on {threads} threads",
                    sentence.len()
                );
            }
        }
    }
}
