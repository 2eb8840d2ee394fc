//! ALSTM (ATAE-LSTM, Wang et al. 2016): an LSTM and an attention that both get the aspect's vector
//! at every word.
//!
//! h = LSTM([x_i : v_a]), where v_a is the mean vector of the aspect's words;
//! M_i = tanh([W_h h_i : W_v v_a]);
//! α = softmax(w · M_i), with opinion labels α = softmax((w · M_i) P^op_i);
//! r = Σ α_i h_i; h* = tanh(W_p r + W_x h_n); ŷ = softmax(W h* + b).

use imn::data::Sentiment;
use imn::model::{Network, Prediction, Role, SentenceBatch, TagSet};
use imn_nn::layers::{Linear, Lstm};
use imn_nn::{Builder, Direction, End, Init, ParamId, Tape, Var};
use serde::{Deserialize, Serialize};

use super::check::{self, Problem};
use super::parts::{OncePerAspect, Words, decode, loss_of_aspects, predict_aspects};
use super::{NetworkSettings, Setting};

/// Sizes of ALSTM.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AlstmConfig {
    /// Size of the LSTM's state.
    pub hidden: usize,
    /// Dropout after the embedding and before the decoder.
    pub dropout: f64,
}

impl Default for AlstmConfig {
    fn default() -> Self {
        Self {
            hidden: 300,
            dropout: 0.5,
        }
    }
}

/// The network.
#[derive(Debug, Clone)]
pub struct Alstm {
    words: Words,
    /// The part of the gates that depends on the words.
    word_gates: Linear,
    /// The part of the gates that depends on the aspect: [x : v_a] W = x W₁ + v_a W₂, where v_a is
    /// the same at every word.
    aspect_gates: Linear,
    recurrent: ParamId,
    word_key: Linear,
    aspect_key: Linear,
    word_score: Linear,
    aspect_score: Linear,
    from_context: Linear,
    from_last: Linear,
    decoder: Linear,
    dropout: f64,
    tag_set: TagSet,
}

impl Alstm {
    /// A network with new weights.
    #[must_use]
    pub fn new(builder: &mut Builder<'_, f32>, config: &AlstmConfig, setting: Setting<'_>) -> Self {
        let tag_set = setting.tag_set;
        let words = Words::new(builder, setting.vectors);
        let (d, h) = (words.dimensions, config.hidden);
        let recurrent = builder
            .scope("lstm")
            .add("recurrent", &[h, 4 * h], Init::Orthogonal);
        let mut plain = |name: &str, inputs, outputs| {
            Linear::without_bias(&mut builder.scope(name), inputs, outputs)
        };
        Self {
            aspect_gates: plain("lstm.aspect", d, 4 * h),
            word_key: plain("attention.words", h, h),
            aspect_key: plain("attention.aspect", d, d),
            word_score: plain("attention.word_score", h, 1),
            aspect_score: plain("attention.aspect_score", d, 1),
            from_context: plain("output.context", h, h),
            from_last: plain("output.last", h, h),
            word_gates: Linear::with_bias(
                &mut builder.scope("lstm.input"),
                d,
                Lstm::forget_bias(h),
            ),
            decoder: Linear::new(&mut builder.scope("decoder"), h, Sentiment::CLASSES.len()),
            recurrent,
            words,
            dropout: config.dropout,
            tag_set,
        }
    }

    /// The logits of ŷ, one row per aspect, and the attention α, one row per word of each aspect's
    /// sentence.
    pub fn forward(&self, tape: &mut Tape<'_, f32>, batch: &SentenceBatch<'_>) -> (Var, Var) {
        let sentences = OncePerAspect::new(batch);
        let layout = &sentences.layout;
        let x = self.words.forward(tape, &batch.input);
        let x = tape.dropout(x, self.dropout);
        let aspect = self.words.aspects(tape, batch);
        // x W₁ is computed once per word of the batch, not once per aspect.
        let gates = self.word_gates.forward(tape, x);
        let gates = sentences.rows(tape, gates);
        let aspect_gates = self.aspect_gates.forward(tape, aspect);
        let aspect_gates = tape.broadcast(aspect_gates, layout);
        let gates = tape.add(gates, aspect_gates);
        let h = tape.lstm(gates, self.recurrent, Direction::Forward);
        let word_key = self.word_key.forward(tape, h);
        let word_key = tape.tanh(word_key);
        let aspect_key = self.aspect_key.forward(tape, aspect);
        let aspect_key = tape.tanh(aspect_key);
        let word_score = self.word_score.forward(tape, word_key);
        let aspect_score = self.aspect_score.forward(tape, aspect_key);
        let aspect_score = tape.broadcast(aspect_score, layout);
        let scores = tape.add(word_score, aspect_score);
        let attention = sentences.attention(tape, scores);
        let context = tape.weighted_sum(attention, h);
        let last = tape.end_rows(h, End::Last);
        let context = self.from_context.forward(tape, context);
        let last = self.from_last.forward(tape, last);
        let both = tape.add(context, last);
        let both = tape.tanh(both);
        (decode(tape, &self.decoder, both, self.dropout), attention)
    }
}

impl NetworkSettings for AlstmConfig {
    fn build(&self, builder: &mut Builder<'_, f32>, setting: Setting<'_>) -> Box<dyn Network> {
        Box::new(Alstm::new(builder, self, setting))
    }

    fn problem(&self) -> Option<Problem> {
        check::hidden(self.hidden).or_else(|| check::dropout(self.dropout))
    }
}

impl Network for Alstm {
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
}
