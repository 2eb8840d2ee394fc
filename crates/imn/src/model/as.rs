//! AS, aspect sentiment: score_ij = (h_i W h_jᵀ) · 1/|i − j| · P^op_j, A = softmax over j ≠ i,
//! h'_i = Σ_j A_ij h_j, ŷ^as_i = softmax(W [h^s(0)_i : h'_i] + b).

use imn_nn::layers::Linear;
use imn_nn::{Builder, Init, ParamId, Shape, Tape, Var};

use super::encoder::Encoded;
use super::task_layers::TaskLayers;
use super::{Input, ModelConfig, SelfAttention};
use crate::data::Sentiment;

/// The AS component f_θas.
#[derive(Debug, Clone)]
pub struct As {
    layers: TaskLayers,
    /// W^as, with a bias for [`SelfAttention::QueryBiasTanh`].
    relevance: Linear,
    /// Bias of the scores ([`SelfAttention::BiasTanh`]).
    score_bias: Option<ParamId>,
    has_tanh: bool,
    decoder: Linear,
    decoder_dropout: f64,
}

impl As {
    /// Initializes the component for an encoder with `width` output columns.
    #[must_use]
    pub fn new(builder: &mut Builder<'_, f32>, config: &ModelConfig, width: usize) -> Self {
        Self {
            layers: TaskLayers::new(builder, config, width, config.as_layers),
            relevance: match config.self_attention {
                SelfAttention::Plain | SelfAttention::BiasTanh => {
                    Linear::without_bias(&mut builder.scope("relevance"), width, width)
                }
                SelfAttention::QueryBiasTanh => {
                    Linear::new(&mut builder.scope("relevance"), width, width)
                }
            },
            score_bias: match config.self_attention {
                SelfAttention::Plain | SelfAttention::QueryBiasTanh => None,
                SelfAttention::BiasTanh => Some(builder.add("score_bias", &[1, 1], Init::Zeros)),
            },
            has_tanh: config.self_attention != SelfAttention::Plain,
            decoder: Linear::new(
                &mut builder.scope("decoder"),
                2 * width,
                Sentiment::CLASSES.len(),
            ),
            decoder_dropout: config.decoder_dropout,
        }
    }

    /// The logits of ŷ^as from h^s(t), and A. `opinion` is P^op, one column, with opinion
    /// transmission.
    pub fn forward(
        &self,
        tape: &mut Tape<'_, f32>,
        input: &Input,
        encoded: &Encoded,
        shared: Var,
        opinion: Option<Var>,
    ) -> (Var, Var) {
        let h = self.layers.forward(tape, shared);
        let q = self.relevance.forward(tape, h);
        let mut scores = tape.pair_scores(q, h);
        if let Some(bias) = self.score_bias {
            // All pairs share one bias. The product with a column of ones broadcasts it.
            let pairs = Shape::pairs(&input.layout);
            let ones = tape.constant(pairs.clone(), &vec![1.0; pairs.len()]);
            let bias = tape.linear(ones, bias, None);
            scores = tape.add(scores, bias);
        }
        let nearness = tape.constant(Shape::pairs(&input.layout), &input.nearness);
        scores = tape.mul(scores, nearness);
        if let Some(opinion) = opinion {
            scores = tape.mul_pair_columns(scores, opinion);
        }
        if self.has_tanh {
            scores = tape.tanh(scores);
        }
        let attention = tape.pair_softmax(scores, false);
        let context = tape.pair_apply(attention, h);
        let joined = tape.concat(&[encoded.initial(), context]);
        let dropped = tape.dropout(joined, self.decoder_dropout);
        (self.decoder.forward(tape, dropped), attention)
    }
}
