//! From sentences to probabilities, tags and sentiments, many at a time.

use std::ops::Range;

use imn_nn::{Engine, Params, Tape};

use crate::data::{AeTag, AnnotatedSentence, Aspect, Polarity, decode_tags};
use crate::model::{DocumentTask, Imn, Input, Opinions, Round};
use crate::text::Vocabulary;

/// Words that go through the network together: enough to pay for reading all weights, few enough for the caches (64 to 512 were measured).
const TOGETHER: usize = 384;

/// Words of a sentence that the network reads at once. Its self-attention grows with the square of the length; anything longer
/// (the longest sentence of the paper's sets has 82 words) is read in pieces of so many words.
pub const LONGEST: usize = 1000;

/// The polarities of AS and DS in the order of their columns.
pub const POLARITIES: [Polarity; 3] = [Polarity::Positive, Polarity::Negative, Polarity::Neutral];

/// Which rounds of message passing to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounds {
    /// Round T, which counts.
    Last,
    /// Rounds 0 … T, for explanation.
    All,
}

/// What the network says of one sentence of n words after a round of message passing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// ŷ^ae: a row a word, a column a tag of the network's tag set.
    pub tags: Vec<f32>,
    /// ŷ^as: a row a word, a column of [`POLARITIES`].
    pub polarities: Vec<f32>,
    /// A: n × n, what each word of a row looks at.
    pub attention: Vec<f32>,
    /// ŷ^ds, a^ds and a^dd, where the network passes them on.
    pub document: Option<DocumentReading>,
}

/// What the document-level components say of one sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentReading {
    /// ŷ^ds: a number for each of [`POLARITIES`].
    pub sentiment: Vec<f32>,
    /// a^ds: a number a word.
    pub sentiment_attention: Vec<f32>,
    /// a^dd: a number a word.
    pub domain_attention: Vec<f32>,
}

/// Reads sentences of at most [`LONGEST`] words, given as word numbers: for each, its rounds. The result does not depend on which
/// sentences stand together.
#[must_use]
pub fn read(
    engine: &Engine<f32>,
    network: &Imn,
    params: &Params<f32>,
    sentences: &[&[u32]],
    rounds: Rounds,
) -> Vec<Vec<Reading>> {
    let (order, groups) = groups_of_like_length(sentences);
    let read = engine.infer(params, &groups, |tape, group| {
        let input = Input::sentences(order[group.clone()].iter().map(|&i| sentences[i]));
        let output = network.forward(tape, &input, None);
        let kept = match rounds {
            Rounds::Last => output.rounds.len() - 1..output.rounds.len(),
            Rounds::All => 0..output.rounds.len(),
        };
        let classes = network.config().tag_set().tags().len();
        (0..group.len())
            .map(|i| {
                let rounds = output.rounds[kept.clone()].iter();
                rounds
                    .map(|round| reading(tape, &input, round, i, classes))
                    .collect()
            })
            .collect::<Vec<Vec<Reading>>>()
    });
    in_order(&order, read)
}

/// ŷ^ds of documents: a number for each of [`POLARITIES`]; `None` for a document without words, and where the network has no DS.
#[must_use]
pub fn sentiments(
    engine: &Engine<f32>,
    network: &Imn,
    params: &Params<f32>,
    documents: &[&[u32]],
) -> Vec<Option<Vec<f32>>> {
    let (order, groups) = groups_of_like_length(documents);
    let read = engine.infer(params, &groups, |tape, group| {
        let group = &order[group.clone()];
        let input = Input::documents(group.iter().map(|&i| documents[i]));
        let Some(logits) = network.read_documents(tape, &input, DocumentTask::Sentiment) else {
            return vec![None; group.len()];
        };
        let probabilities = tape.softmax(logits);
        let rows = tape.value(probabilities).chunks_exact(POLARITIES.len());
        let rows = group.iter().zip(rows);
        rows.map(|(&i, row)| (!documents[i].is_empty()).then(|| row.to_vec()))
            .collect::<Vec<_>>()
    });
    in_order(&order, read)
}

/// Sentence `i` of a batch after a round.
fn reading(
    tape: &Tape<'_, f32>,
    input: &Input,
    round: &Round,
    i: usize,
    classes: usize,
) -> Reading {
    let span = input.layout.span(i);
    let rows =
        |var, columns: usize| tape.value(var)[span.start * columns..span.end * columns].to_vec();
    Reading {
        tags: rows(round.ae, classes),
        polarities: rows(round.r#as, POLARITIES.len()),
        attention: tape.value(round.attention)[input.layout.pairs(i)].to_vec(),
        document: round.document.map(|(sentiment, ds, dd)| {
            let at = i * POLARITIES.len();
            DocumentReading {
                sentiment: tape.value(sentiment)[at..at + POLARITIES.len()].to_vec(),
                sentiment_attention: rows(ds, 1),
                domain_attention: rows(dd, 1),
            }
        }),
    }
}

/// Sentences ordered by length, and stretches of that order that go through the network together.
fn groups_of_like_length(sentences: &[&[u32]]) -> (Vec<usize>, Vec<Range<usize>>) {
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    order.sort_by_key(|&i| sentences[i].len());
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut words = usize::MAX;
    for (at, &i) in order.iter().enumerate() {
        words = words.saturating_add(sentences[i].len());
        match groups.last_mut() {
            Some(group) if words <= TOGETHER => group.end = at + 1,
            _ => {
                groups.push(at..at + 1);
                words = sentences[i].len();
            }
        }
    }
    (order, groups)
}

/// Results of groups in the order of what they are the results of.
fn in_order<T: Default + Clone>(order: &[usize], results: Vec<Vec<T>>) -> Vec<T> {
    let mut ordered = vec![T::default(); order.len()];
    for (&i, result) in order.iter().zip(results.into_iter().flatten()) {
        ordered[i] = result;
    }
    ordered
}

/// The likeliest tags and sentiments of one sentence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tagged {
    /// The likeliest tag of every word.
    pub tags: Vec<AeTag>,
    /// The likeliest sentiment of every word.
    pub polarities: Vec<Polarity>,
}

/// Tags sentences of any length that are given as word numbers.
#[must_use]
pub fn tag(network: &Imn, params: &Params<f32>, sentences: &[Vec<u32>]) -> Vec<Tagged> {
    let pieces: Vec<(usize, &[u32])> = sentences
        .iter()
        .enumerate()
        .flat_map(|(i, words)| words.chunks(LONGEST).map(move |piece| (i, piece)))
        .collect();
    let words: Vec<&[u32]> = pieces.iter().map(|&(_, words)| words).collect();
    let classes = network.config().tag_set().tags();
    let mut results = vec![Tagged::default(); sentences.len()];
    let read = read(&Engine::new(), network, params, &words, Rounds::Last);
    for (&(i, _), rounds) in pieces.iter().zip(read) {
        let Some(reading) = rounds.last() else {
            continue;
        };
        let tags = reading.tags.chunks_exact(classes.len()).map(likeliest);
        results[i].tags.extend(tags.map(|class| classes[class]));
        let polarities = reading.polarities.chunks_exact(POLARITIES.len());
        let polarities = polarities.map(likeliest).map(|class| POLARITIES[class]);
        results[i].polarities.extend(polarities);
    }
    results
}

/// The column with the largest number; the first of equals.
#[must_use]
pub fn likeliest(row: &[f32]) -> usize {
    (1..row.len()).fold(0, |best, i| if row[i] > row[best] { i } else { best })
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
