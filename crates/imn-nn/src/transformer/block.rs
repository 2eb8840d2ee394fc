//! a = LayerNorm(x + Attention(x) W_o + b_o), y = LayerNorm(a + GELU(a W₁ + b₁) W₂ + b₂)

use super::{Subset, TransformerConfig};
use crate::layers::{LayerNorm, Linear};
use crate::{Attention, Builder, Columns, Init, RelativePositions, Scalar, Tape, Var};

/// One block. Keys and values come from one product; queries have their own, because the last block
/// may need fewer of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) attention: SelfAttention,
    pub(super) feed_forward: FeedForward,
    dropout: f64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct SelfAttention {
    pub(super) query: Linear,
    pub(super) key_value: Linear,
    pub(super) output: Linear,
    pub(super) norm: LayerNorm,
    columns: usize,
    heads: usize,
    dropout: f64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct FeedForward {
    pub(super) inner: Linear,
    pub(super) output: Linear,
    pub(super) norm: LayerNorm,
}

impl Block {
    pub(super) fn new<S: Scalar>(
        builder: &mut Builder<'_, S>,
        config: &TransformerConfig,
        init: Init,
    ) -> Self {
        let (hidden, inner) = (config.hidden, config.intermediate);
        let mut scope = builder.scope("attention");
        let mut linear = |name: &str, inputs: usize, outputs: usize| {
            Linear::with_init(&mut scope.scope(name), inputs, outputs, init)
        };
        let (query, key_value) = (
            linear("query", hidden, hidden),
            linear("key_value", hidden, 2 * hidden),
        );
        let output = linear("output", hidden, hidden);
        let attention = SelfAttention {
            query,
            key_value,
            output,
            norm: LayerNorm::new(&mut scope.scope("norm"), hidden, config.epsilon),
            columns: hidden,
            heads: config.heads,
            dropout: config.attention_dropout,
        };
        let mut scope = builder.scope("feed_forward");
        let mut linear = |name: &str, inputs: usize, outputs: usize| {
            Linear::with_init(&mut scope.scope(name), inputs, outputs, init)
        };
        let (inner, output) = (
            linear("inner", hidden, inner),
            linear("output", inner, hidden),
        );
        let feed_forward = FeedForward {
            inner,
            output,
            norm: LayerNorm::new(&mut scope.scope("norm"), hidden, config.epsilon),
        };
        Self {
            attention,
            feed_forward,
            dropout: config.dropout,
        }
    }

    /// One row per token of `x`, or per token of `subset`. Tokens outside the subset are still
    /// attended to.
    pub(super) fn forward<S: Scalar>(
        &self,
        tape: &mut Tape<'_, S>,
        x: Var,
        positions: Option<RelativePositions>,
        subset: Option<&Subset<'_>>,
    ) -> Var {
        let layer = &self.attention;
        let own = match subset {
            None => x,
            Some(subset) => {
                let index: Vec<Option<u32>> = subset.tokens.iter().copied().map(Some).collect();
                tape.take_rows(x, &index, subset.rows.clone())
            }
        };
        let query = layer.query.forward(tape, own);
        let key_value = layer.key_value.forward(tape, x);
        let columns = |first: usize| Columns {
            var: key_value,
            first,
        };
        let heads = tape.attention(&Attention {
            query: query.into(),
            key: columns(0),
            value: columns(layer.columns),
            columns: layer.columns,
            heads: layer.heads,
            positions,
            dropout: layer.dropout,
            tokens: subset.map(|subset| subset.tokens),
        });
        let heads = layer.output.forward(tape, heads);
        let x = layer.norm.forward_residual(tape, heads, own, self.dropout);
        let layer = &self.feed_forward;
        let inner = layer.inner.forward_gelu(tape, x);
        let y = layer.output.forward(tape, inner);
        layer.norm.forward_residual(tape, y, x, self.dropout)
    }
}
