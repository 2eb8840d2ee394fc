//! A small network and two sentences for it.

use imn::data::{AeTag, Span};
use imn::model::{Example, GoldLabels, Labels, TagSet, WordVectors};
use imn::text::{Normalizer, Vocabulary, VocabularyBuilder};
use imn_nn::{Builder, Init, Params};
use imn_repro::systems::Setting;

const DIMENSIONS: usize = 5;

pub fn vocabulary() -> Vocabulary {
    let mut builder = VocabularyBuilder::new(Normalizer::default());
    for word in ["the", "soup", "was", "cold", "but", "waiters", "smiled"] {
        builder.count(word);
    }
    builder.build(None, [], 0)
}

/// A network with random, nonzero weights.
pub fn network<N>(make: impl FnOnce(&mut Builder<'_, f32>, Setting<'_>) -> N) -> (N, Params<f32>) {
    let vocabulary = vocabulary();
    let shape = [vocabulary.len(), DIMENSIONS];
    let vectors = WordVectors::new(
        DIMENSIONS,
        0..0,
        Init::Uniform { limit: 1.0 }.draw(&shape, 7, "vectors"),
    );
    let mut params = Params::new();
    let network = make(
        &mut params.builder(11),
        Setting {
            vocabulary: &vocabulary,
            vectors,
            tag_set: TagSet::AspectsAndOpinions,
        },
    );
    let ids: Vec<_> = params
        .iter()
        .filter(|(_, tensor)| !tensor.name().starts_with("fixed."))
        .map(|(id, _)| id)
        .collect();
    for id in ids {
        let (shape, name) = (
            params.get(id).shape().to_vec(),
            params.get(id).name().to_owned(),
        );
        let drawn: Vec<f32> = Init::Uniform { limit: 0.7 }.draw(&shape, 3, &name);
        params.get_mut(id).data_mut().copy_from_slice(&drawn);
    }
    (network, params)
}

/// Two sentences: one without aspects, and one with two aspects of one and two words.
pub fn sentences() -> [Example; 2] {
    use AeTag::{BA, BP, IA, O};
    [
        Example {
            features: vec![7, 2].into(),
            labels: Labels::Gold(GoldLabels {
                tags: vec![O, O],
                polarities: vec![None, None],
            }),
            opinion: vec![0.5, 0.5],
            aspects: vec![],
            scheme: 0,
        },
        Example {
            features: vec![1, 2, 3, 4, 5, 6].into(),
            labels: Labels::Gold(GoldLabels {
                tags: vec![O, BA, O, BP, BA, IA],
                polarities: vec![None, Some(1), None, None, Some(0), Some(0)],
            }),
            opinion: vec![0.1, 0.0, 0.3, 0.9, 0.2, 0.4],
            aspects: vec![Span::new(1, 2), Span::new(4, 6)],
            scheme: 0,
        },
    ]
}
