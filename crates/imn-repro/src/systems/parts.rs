//! Building blocks that several networks share.

use std::sync::Arc;

use imn::model::{EMBEDDING, FIXED, Input, Prediction, SentenceBatch, WordVectors};
use imn_nn::layers::{Embedding, Linear, Lstm};
use imn_nn::{Builder, Direction, Layout, ParamId, Rows, Shape, Tape, Var};

use super::readout::predictions_of_sentiments;

/// Word vectors.
#[derive(Debug, Clone)]
pub(super) struct Words {
    table: Embedding,
    /// Dimensions of a vector.
    pub(super) dimensions: usize,
}

impl Words {
    pub(super) fn new(builder: &mut Builder<'_, f32>, vectors: WordVectors) -> Self {
        let WordVectors {
            words,
            dimensions,
            data,
            ..
        } = vectors;
        let mut scope = builder.scope(EMBEDDING.trim_end_matches('.'));
        Self {
            table: Embedding::from_values(&mut scope, words, dimensions, data),
            dimensions,
        }
    }

    pub(super) fn forward(&self, tape: &mut Tape<'_, f32>, input: &Input) -> Var {
        self.table.forward(tape, &input.ids, &input.layout)
    }

    /// The mean word vector of every aspect of the batch, one row per aspect.
    pub(super) fn aspects(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Var {
        let (mut words, mut lengths) = (Vec::new(), Vec::new());
        for (i, span, _) in batch.mentions() {
            words.extend_from_slice(&batch.sentences[i].features.ids()[span.start..span.end]);
            lengths.push(span.end - span.start);
        }
        let layout = Arc::new(Layout::new(lengths, 2));
        let vectors = self.table.forward(tape, &words, &layout);
        tape.mean_rows(vectors)
    }
}

/// A bidirectional LSTM. The outputs of both directions are concatenated.
#[derive(Debug, Clone)]
pub(super) struct BiLstm {
    forward: Lstm,
    backward: Lstm,
}

impl BiLstm {
    pub(super) fn new(builder: &mut Builder<'_, f32>, inputs: usize, hidden: usize) -> Self {
        let mut lstm =
            |name: &str, direction| Lstm::new(&mut builder.scope(name), inputs, hidden, direction);
        Self {
            forward: lstm("forward", Direction::Forward),
            backward: lstm("backward", Direction::Backward),
        }
    }

    pub(super) fn forward(&self, tape: &mut Tape<'_, f32>, x: Var) -> Var {
        let forward = self.forward.forward(tape, x);
        let backward = self.backward.forward(tape, x);
        tape.concat(&[forward, backward])
    }
}

/// The batch with one copy of a sentence per aspect: a sentence with two aspects occurs twice, a
/// sentence without aspects not at all.
pub(super) struct OncePerAspect {
    /// The layout of the copies.
    pub(super) layout: Arc<Layout>,
    /// The row of every word in the original batch.
    from: Vec<Option<u32>>,
    /// P^op of every word; empty if opinions are not labelled.
    opinion: Vec<f32>,
}

impl OncePerAspect {
    pub(super) fn new(batch: &SentenceBatch<'_>) -> Self {
        let starts = batch.starts();
        let (mut lengths, mut from, mut opinion) = (Vec::new(), Vec::new(), Vec::new());
        for (i, ..) in batch.mentions() {
            let sentence = batch.sentences[i];
            lengths.push(sentence.len());
            let start = starts[i];
            from.extend((start..start + sentence.len() as u32).map(Some));
            opinion.extend_from_slice(&sentence.opinion);
        }
        Self {
            layout: Arc::new(Layout::new(lengths, 2)),
            from,
            opinion,
        }
    }

    /// Copies rows of the original batch.
    pub(super) fn rows(&self, tape: &mut Tape<'_, f32>, x: Var) -> Var {
        let rows = Rows::Tokens(Arc::clone(&self.layout));
        tape.take_rows(x, &self.from, rows)
    }

    /// a'_i = a_i · P^op_i (the paper's Appendix B), then a softmax over the sentence.
    pub(super) fn attention(&self, tape: &mut Tape<'_, f32>, scores: Var) -> Var {
        let mut scores = scores;
        if !self.opinion.is_empty() {
            let opinion = tape.tokens(&self.layout, 1, &self.opinion);
            scores = tape.mul(scores, opinion);
        }
        tape.sequence_softmax(scores)
    }
}

/// Sums the columns of each row in groups of equal size, as a product with a constant matrix of
/// ones and zeros.
#[derive(Debug, Clone)]
pub(super) struct GroupSums {
    kernel: ParamId,
}

impl GroupSums {
    /// `groups` groups of `size` columns each.
    pub(super) fn new(
        builder: &mut Builder<'_, f32>,
        name: &str,
        groups: usize,
        size: usize,
    ) -> Self {
        let mut ones = vec![0.0; groups * size * groups];
        for column in 0..groups * size {
            ones[column * groups + column / size] = 1.0;
        }
        Self {
            kernel: constant(builder, name, &[groups * size, groups], ones),
        }
    }

    pub(super) fn forward(&self, tape: &mut Tape<'_, f32>, x: Var) -> Var {
        tape.linear(x, self.kernel, None)
    }
}

/// Adds a constant to the weights.
pub(super) fn constant(
    builder: &mut Builder<'_, f32>,
    name: &str,
    shape: &[usize],
    data: Vec<f32>,
) -> ParamId {
    let mut scope = builder.scope(FIXED.trim_end_matches('.'));
    scope.add_values(name, shape, data)
}

/// The row of a parameter, repeated for each sequence of the layout.
pub(super) fn once_per_sequence(
    tape: &mut Tape<'_, f32>,
    parameter: ParamId,
    layout: &Layout,
) -> Var {
    let row = tape.param(parameter);
    let sequences = layout.sequences();
    tape.take_rows(row, &vec![Some(0); sequences], Rows::Plain(sequences))
}

/// Dropout, then the decoder.
pub(super) fn decode(tape: &mut Tape<'_, f32>, decoder: &Linear, x: Var, dropout: f64) -> Var {
    let x = tape.dropout(x, dropout);
    decoder.forward(tape, x)
}

/// The loss of a classifier with one row of logits per aspect; 0 for a batch without aspects.
pub(super) fn loss_of_aspects(
    tape: &mut Tape<'_, f32>,
    batch: &SentenceBatch<'_>,
    logits: impl FnOnce(&mut Tape<'_, f32>) -> Var,
) -> Var {
    let classes: Vec<Option<u32>> = batch.mentions().map(|(.., class)| class).collect();
    if classes.is_empty() {
        return tape.constant(Shape::plain(1, 1), &[0.0]);
    }
    let logits = logits(tape);
    tape.sequence_cross_entropy(logits, &classes, batch.aspects)
}

/// The predictions of such a classifier.
pub(super) fn predict_aspects(
    tape: &mut Tape<'_, f32>,
    batch: &SentenceBatch<'_>,
    logits: impl FnOnce(&mut Tape<'_, f32>) -> Var,
) -> Vec<Prediction> {
    if batch.mentions().next().is_none() {
        return vec![Prediction::default(); batch.sentences.len()];
    }
    let logits = logits(tape);
    predictions_of_sentiments(tape, logits, batch)
}
