//! What inference leaves out or remembers changes nothing: it says what the forward run of training
//! says without dropout, and the same bits whatever stands beside a sentence, on any number of
//! threads, the first time and later.

use imn::features::Features;
use imn::model::{
    AeRepresentation, CnnConfig, EncoderConfig, Imn, Input, ModelConfig, Round, SelfAttention,
    WordVectors,
};
use imn::predict::{self, SentenceOutput, Rounds};
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
fn inference_equals_the_forward_of_training() {
    for config in configs() {
        let (network, params) = network(&config);
        let sentences = sentences();
        let slices: Vec<&Features> = sentences.iter().collect();
        let read = predict::infer(&Engine::new(), &network, &params, &slices, Rounds::All);
        let freeze = Freeze::none();
        for (sentence, rounds) in slices.iter().zip(&read) {
            let mut tape = Tape::train(&params, &freeze, 1);
            let input = Input::sentences([*sentence]);
            let output = network.forward(&mut tape, &input, None);
            assert_eq!(output.rounds.len(), rounds.len());
            for (round, reading) in output.rounds.iter().zip(rounds) {
                compare(&tape, round, reading);
            }
        }
    }
}

fn compare(tape: &Tape<'_, f32>, round: &Round, reading: &SentenceOutput) {
    assert_close(tape, round.ae, &reading.tags, "AE");
    assert_close(tape, round.r#as, &reading.polarities, "AS");
    assert_close(tape, round.attention, &reading.attention, "A");
    let (sentiment, ds, dd) = round.document.expect("messages of documents");
    let document = reading.document.as_ref().expect("messages of documents");
    assert_close(tape, sentiment, &document.sentiment, "DS");
    assert_close(tape, ds, &document.sentiment_attention, "a^ds");
    assert_close(tape, dd, &document.domain_attention, "a^dd");
}

#[test]
fn neighbours_threads_and_what_is_remembered_do_not_matter() {
    for config in configs() {
        let (network, params) = network(&config);
        let sentences = sentences();
        let slices: Vec<&Features> = sentences.iter().collect();
        let engine = Engine::new();
        let read = |slices: &[&Features], threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("a pool of threads");
            pool.install(|| predict::infer(&engine, &network, &params, slices, Rounds::Last))
        };
        let together = read(&slices, 2);
        assert_eq!(together, read(&slices, 1), "again, on one thread");
        for (sentence, expected) in slices.iter().zip(&together) {
            for threads in [1, 3] {
                assert_eq!(
                    &read(&[sentence], threads)[0],
                    expected,
                    "{} words on {threads} threads",
                    sentence.len()
                );
            }
        }
    }
}
