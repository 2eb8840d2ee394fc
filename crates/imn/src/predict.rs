//! From sentences to tags and sentiments, many at a time.

use imn_nn::{Params, Tape};
use rayon::prelude::*;

use crate::data::{AeTag, AnnotatedSentence, Aspect, Polarity, decode_tags};
use crate::model::{Imn, Input, Opinions};
use crate::text::Vocabulary;

/// Sentences that go through the network together: enough for its products, few enough for a core's cache.
const TOGETHER: usize = 16;

/// Words of a sentence that the network reads at once. Its self-attention grows with the square of the length; anything longer
/// (the longest sentence of the paper's sets has 82 words) is read in pieces of so many words.
pub const LONGEST: usize = 1000;

/// What the network says of one sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Tagged {
    /// The likeliest tag of every word.
    pub tags: Vec<AeTag>,
    /// The likeliest sentiment of every word.
    pub polarities: Vec<Polarity>,
}

/// Tags sentences that are given as word numbers. The result does not depend on which sentences stand together.
#[must_use]
pub fn tag(network: &Imn, params: &Params<f32>, sentences: &[Vec<u32>]) -> Vec<Tagged> {
    let pieces: Vec<(usize, &[u32])> = sentences
        .iter()
        .enumerate()
        .flat_map(|(i, words)| words.chunks(LONGEST).map(move |piece| (i, piece)))
        .collect();
    // Like lengths together; the order of the results is that of the pieces.
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by_key(|&i| pieces[i].1.len());
    let groups: Vec<&[usize]> = order.chunks(TOGETHER).collect();
    let tagged: Vec<Vec<Tagged>> = groups
        .par_iter()
        .map(|group| {
            let input = Input::sentences(group.iter().map(|&i| pieces[i].1));
            tag_together(network, params, &input)
        })
        .collect();
    let nothing = Tagged {
        tags: Vec::new(),
        polarities: Vec::new(),
    };
    let mut by_piece = vec![nothing.clone(); pieces.len()];
    for (&i, tagged) in order.iter().zip(tagged.into_iter().flatten()) {
        by_piece[i] = tagged;
    }
    let mut results = vec![nothing; sentences.len()];
    for ((i, _), tagged) in pieces.into_iter().zip(by_piece) {
        results[i].tags.extend(tagged.tags);
        results[i].polarities.extend(tagged.polarities);
    }
    results
}

fn tag_together(network: &Imn, params: &Params<f32>, input: &Input) -> Vec<Tagged> {
    let mut tape = Tape::infer(params);
    let round = network.forward(&mut tape, input, None).last();
    let classes = network.config().tag_set().tags();
    let (ae, sentiment) = (tape.value(round.ae), tape.value(round.r#as));
    let polarities = [Polarity::Positive, Polarity::Negative, Polarity::Neutral];
    let spans = input.layout.spans().iter();
    spans
        .map(|span| Tagged {
            tags: span
                .clone()
                .map(|row| classes[likeliest(ae, row, classes.len())])
                .collect(),
            polarities: span
                .clone()
                .map(|row| polarities[likeliest(sentiment, row, 3)])
                .collect(),
        })
        .collect()
}

/// The column with the largest number of a row; the first of equals.
fn likeliest(values: &[f32], row: usize, columns: usize) -> usize {
    let row = &values[row * columns..][..columns];
    (1..columns).fold(0, |best, i| if row[i] > row[best] { i } else { best })
}

/// The sentences with the annotation that the network gives them. An aspect has the sentiment of its first word.
#[must_use]
pub fn annotate(
    network: &Imn,
    params: &Params<f32>,
    vocabulary: &Vocabulary,
    sentences: &[AnnotatedSentence],
) -> Vec<AnnotatedSentence> {
    let words: Vec<Vec<u32>> = sentences
        .iter()
        .map(|sentence| sentence.words().map(|word| vocabulary.id(word)).collect())
        .collect();
    let has_opinions = network.config().opinions != Opinions::Unlabelled;
    let tagged = tag(network, params, &words);
    let annotated = sentences.iter().zip(tagged).map(|(sentence, tagged)| {
        let decoded = decode_tags(&tagged.tags);
        let aspects = decoded.aspects.into_iter();
        AnnotatedSentence {
            id: sentence.id.clone(),
            text: sentence.text.clone(),
            tokens: sentence.tokens.clone(),
            aspects: aspects
                .map(|span| Aspect {
                    span,
                    polarity: Some(tagged.polarities[span.start]),
                })
                .collect(),
            opinions: has_opinions.then_some(decoded.opinions),
            ..AnnotatedSentence::default()
        }
    });
    annotated.collect()
}
