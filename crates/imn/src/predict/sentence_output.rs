//! Probabilities and attention of IMN in each round of message passing.

use imn_nn::{Engine, Params, Tape, Var};

use super::{TextEvidence, batches_by_length, in_order};
use crate::data::Sentiment;
use crate::features::Features;
use crate::model::{DocumentTask, Imn, Input, Network as _, Prediction, Round, TagSet};

/// Which rounds of message passing to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounds {
    /// Round T, from which predictions are made.
    Last,
    /// Rounds 0 … T, for explanations.
    All,
}

/// Output of IMN for a sentence of n words after a round of message passing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SentenceOutput {
    /// ŷ^ae: one row per word, one column per tag of the network's tag set.
    pub tags: Vec<f32>,
    /// ŷ^as: one row per word, one column per [`Sentiment::CLASSES`].
    pub polarities: Vec<f32>,
    /// A, n × n: row i is the attention of word i to each word.
    pub attention: Vec<f32>,
    /// ŷ^ds, a^ds and a^dd. `None` if the network's messages do not include them.
    pub document: Option<DocumentMessages>,
    /// Evidence for the sentiment of the text, if the network reads texts by sentence.
    pub evidence: Option<TextEvidence>,
}

impl SentenceOutput {
    /// The most probable terms and sentiments.
    #[must_use]
    pub fn prediction(&self, tag_set: TagSet) -> Prediction {
        Prediction::decode(&self.tags, &self.polarities, tag_set)
    }
}

/// Output of the document-level components for a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentMessages {
    /// ŷ^ds: one value per [`Sentiment::CLASSES`].
    pub sentiment: Vec<f32>,
    /// a^ds: one value per word.
    pub sentiment_attention: Vec<f32>,
    /// a^dd: one value per word.
    pub domain_attention: Vec<f32>,
}

/// Runs IMN on sentences within its limits, and gives the output of each sentence in each of
/// `rounds`. The result does not depend on how sentences are batched.
///
/// ```
/// use imn::bundle::Model;
/// use imn::predict::{self, Rounds, Terms};
///
/// let model = Model::built_in()?;
/// let imn = model.imn()?;
/// let words = imn.featurizer.words(["Great", "soup", "."]);
/// let engine = imn_nn::Engine::new();
/// let outputs = predict::infer(&engine, imn.network, imn.params, &[&words], Rounds::All);
/// assert_eq!(outputs[0].len(), imn.network.config().rounds + 1);
/// let terms = Terms::of(&outputs[0][2], imn.network.config().tag_set().tags());
/// assert_eq!((terms.aspects[0].span.start, terms.opinions[0].span.start), (1, 0));
/// # Ok::<(), imn::bundle::ModelError>(())
/// ```
#[must_use]
pub fn infer(
    engine: &Engine<f32>,
    network: &Imn,
    params: &Params<f32>,
    sentences: &[&Features],
    rounds: Rounds,
) -> Vec<Vec<SentenceOutput>> {
    let (order, groups) = batches_by_length(&lengths(sentences));
    let outputs = engine.infer(params, &groups, |tape, group| {
        let input = Input::sentences(order[group.clone()].iter().map(|&i| sentences[i]));
        let output = network.forward(tape, &input, None);
        let kept = match rounds {
            Rounds::Last => output.rounds.len() - 1..output.rounds.len(),
            Rounds::All => 0..output.rounds.len(),
        };
        let classes = network.tag_set().tags().len();
        let evidence = network.sentence_evidence(tape, &output);
        (0..group.len())
            .map(|i| {
                output.rounds[kept.clone()]
                    .iter()
                    .map(|round| SentenceOutput {
                        evidence: evidence.and_then(|vars| evidence_of(tape, &input, vars, i)),
                        ..sentence_output(tape, &input, round, i, classes)
                    })
                    .collect()
            })
            .collect::<Vec<Vec<SentenceOutput>>>()
    });
    in_order(&order, outputs)
}

/// ŷ^ds of documents: one value per [`Sentiment::CLASSES`]. `None` for a document without words,
/// and for all documents if the network has no DS.
#[must_use]
pub fn sentiments(
    engine: &Engine<f32>,
    network: &Imn,
    params: &Params<f32>,
    documents: &[&Features],
) -> Vec<Option<Vec<f32>>> {
    classes_of_documents(engine, network, params, DocumentTask::Sentiment, documents)
}

/// ŷ^ds or ŷ^dd of documents: the probabilities of the classes of `task`. `None` for a document
/// without words, and for all documents if the network does not have the task.
#[must_use]
pub(crate) fn classes_of_documents(
    engine: &Engine<f32>,
    network: &Imn,
    params: &Params<f32>,
    task: DocumentTask,
    documents: &[&Features],
) -> Vec<Option<Vec<f32>>> {
    let (order, groups) = batches_by_length(&lengths(documents));
    let outputs = engine.infer(params, &groups, |tape, group| {
        let group = &order[group.clone()];
        let input = Input::documents(group.iter().map(|&i| documents[i]));
        let Some(logits) = network.read_documents(tape, &input, task) else {
            return vec![None; group.len()];
        };
        let probabilities = tape.softmax(logits);
        let values = tape.value(probabilities);
        let rows = values.chunks_exact(values.len() / group.len());
        group
            .iter()
            .zip(rows)
            .map(|(&i, row)| (!documents[i].is_empty()).then(|| row.to_vec()))
            .collect::<Vec<_>>()
    });
    in_order(&order, outputs)
}

/// The output of a round for sentence `i` of a batch.
fn sentence_output(
    tape: &Tape<'_, f32>,
    input: &Input,
    round: &Round,
    i: usize,
    classes: usize,
) -> SentenceOutput {
    let span = input.layout.span(i);
    let rows =
        |var, columns: usize| tape.value(var)[span.start * columns..span.end * columns].to_vec();
    SentenceOutput {
        tags: rows(round.ae, classes),
        polarities: rows(round.r#as, Sentiment::CLASSES.len()),
        attention: tape.value(round.attention)[input.layout.pairs(i)].to_vec(),
        document: round.document.map(|(sentiment, ds, dd)| {
            let at = i * Sentiment::CLASSES.len();
            DocumentMessages {
                sentiment: tape.value(sentiment)[at..at + Sentiment::CLASSES.len()].to_vec(),
                sentiment_attention: rows(ds, 1),
                domain_attention: rows(dd, 1),
            }
        }),
        evidence: None,
    }
}

/// The evidence of sentence `i` of a batch for the sentiment of its text.
fn evidence_of(
    tape: &Tape<'_, f32>,
    input: &Input,
    (logits, scores): (Var, Var),
    i: usize,
) -> Option<TextEvidence> {
    let classes = Sentiment::CLASSES.len();
    let span = input.layout.span(i);
    let logits = &tape.value(logits)[i * classes..][..classes];
    TextEvidence::new(logits, &tape.value(scores)[span.start..span.end])
}

fn lengths(texts: &[&Features]) -> Vec<usize> {
    texts.iter().map(|text| text.len()).collect()
}
