//! dTrans (He et al. 2018): attention over an LSTM that also learns from documents.
//!
//! h = LSTM(x); t is the mean vector of the aspect's words; β_i = tanh(h_iᵀ W t); α = softmax(β),
//! with opinion labels α = softmax(β P^op); z = Σ α_i h_i → softmax.
//!
//! A document is the mean of the LSTM's outputs (in pre-training, the last output) → softmax. After
//! pre-training, the aspect decoder starts with the weights of the document decoder, and the loss
//! is L_aspect + λ L_document.

use imn::data::Sentiment;
use imn::model::{DocumentBatch, Network, Phase, Prediction, Role, SentenceBatch, TagSet};
use imn_nn::layers::{Linear, Lstm};
use imn_nn::{Builder, Direction, End, Params, Tape, Var};
use serde::{Deserialize, Serialize};

use super::check::{self, Problem};
use super::parts::{GroupSums, OncePerAspect, Words, decode, loss_of_aspects, predict_aspects};
use super::{NetworkSettings, Setting};

/// Sizes of dTrans.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DTransConfig {
    /// Size of the LSTM's state.
    pub hidden: usize,
    /// Dropout after the embedding and before the decoders.
    pub dropout: f64,
}

impl Default for DTransConfig {
    fn default() -> Self {
        Self {
            hidden: 300,
            dropout: 0.5,
        }
    }
}

/// The network.
#[derive(Debug, Clone)]
pub struct DTrans {
    words: Words,
    lstm: Lstm,
    /// W.
    query: Linear,
    sum: GroupSums,
    aspect_decoder: Linear,
    document_decoder: Linear,
    dropout: f64,
    tag_set: TagSet,
}

impl DTrans {
    /// A network with new weights.
    #[must_use]
    pub fn new(
        builder: &mut Builder<'_, f32>,
        config: &DTransConfig,
        setting: Setting<'_>,
    ) -> Self {
        let tag_set = setting.tag_set;
        let words = Words::new(builder, setting.vectors);
        let (d, h) = (words.dimensions, config.hidden);
        let sentiments = Sentiment::CLASSES.len();
        Self {
            lstm: Lstm::new(&mut builder.scope("lstm"), d, h, Direction::Forward),
            query: Linear::without_bias(&mut builder.scope("query"), d, h),
            sum: GroupSums::new(builder, "sum", 1, h),
            aspect_decoder: Linear::new(&mut builder.scope("aspect"), h, sentiments),
            document_decoder: Linear::new(&mut builder.scope("document"), h, sentiments),
            words,
            dropout: config.dropout,
            tag_set,
        }
    }

    /// The logits, one row per aspect, and the attention, one row per word of each aspect's
    /// sentence.
    pub fn forward(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> (Var, Var) {
        let sentences = OncePerAspect::new(batch);
        let x = self.words.forward(tape, &batch.input);
        let x = tape.dropout(x, self.dropout);
        // The LSTM does not get the aspect, so it runs once per sentence.
        let h = self.lstm.forward(tape, x);
        let h = sentences.rows(tape, h);
        let aspect = self.words.aspects(tape, batch);
        let query = self.query.forward(tape, aspect);
        let query = tape.broadcast(query, &sentences.layout);
        let products = tape.mul(h, query);
        let scores = self.sum.forward(tape, products);
        let scores = tape.tanh(scores);
        let attention = sentences.attention(tape, scores);
        let z = tape.weighted_sum(attention, h);
        (
            decode(tape, &self.aspect_decoder, z, self.dropout),
            attention,
        )
    }
}

impl NetworkSettings for DTransConfig {
    fn build(&self, builder: &mut Builder<'_, f32>, setting: Setting<'_>) -> Box<dyn Network> {
        Box::new(DTrans::new(builder, self, setting))
    }

    fn problem(&self) -> Option<Problem> {
        check::hidden(self.hidden).or_else(|| check::dropout(self.dropout))
    }

    fn reads_documents(&self) -> bool {
        true
    }
}

impl Network for DTrans {
    fn role(&self) -> Role {
        Role::Classifier
    }

    fn tag_set(&self) -> TagSet {
        self.tag_set
    }

    fn loss(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Var {
        loss_of_aspects(tape, batch, |tape| self.forward(tape, batch).0)
    }

    fn predict(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> Vec<Prediction> {
        predict_aspects(tape, batch, |tape| self.forward(tape, batch).0)
    }

    fn document_loss(
        &self,
        tape: &mut Tape<'_, f32>,
        batch: &DocumentBatch,
        phase: Phase,
    ) -> Option<Var> {
        let x = self.words.forward(tape, &batch.input);
        let x = tape.dropout(x, self.dropout);
        let h = self.lstm.forward(tape, x);
        let document = match phase {
            Phase::Pretraining => tape.end_rows(h, End::Last),
            Phase::Training => tape.mean_rows(h),
        };
        let logits = decode(tape, &self.document_decoder, document, self.dropout);
        Some(tape.sequence_cross_entropy(logits, &batch.classes, batch.count))
    }

    fn after_pretraining(&self, params: &mut Params<f32>) {
        for part in ["kernel", "bias"] {
            let (from, to) = (format!("document.{part}"), format!("aspect.{part}"));
            if let (Some(from), Some(to)) = (params.find(&from), params.find(&to)) {
                let learnt = params.get(from).data().to_vec();
                params.get_mut(to).data_mut().copy_from_slice(&learnt);
            }
        }
    }
}
