//! Embeddings and blocks.

use std::sync::Arc;

use super::TransformerConfig;
use super::block::Block;
use super::embeddings::Embeddings;
use crate::{Builder, Init, Layout, ParamId, RelativePositions, Rows, Scalar, Tape, Var};

/// Packed sequences of subwords.
#[derive(Debug, Clone, Copy)]
pub struct TokenInput<'a> {
    /// The sequences. Any gap will do; without gaps nothing is between them.
    pub layout: &'a Arc<Layout>,
    /// The row of each token in the table of subwords, special ones included.
    pub ids: &'a [u32],
    /// One more table of the caller's, and each token's row in it, added before the norm: what is
    /// known of a token besides its subword and its position.
    pub extra: Option<(ParamId, &'a [u32])>,
}

/// The tokens whose outputs are wanted, and what the rows of the result stand for. The last block
/// computes no others.
#[derive(Debug, Clone)]
pub struct Subset<'a> {
    /// As many live rows as `tokens`: words of sentences, for example.
    pub rows: Rows,
    /// The token behind each row, by its number in the batch. Tokens may repeat.
    pub tokens: &'a [u32],
}

/// A transformer encoder.
///
/// Its parameters are `embeddings.{words,positions,types}.table`, `embeddings.norm.{gain,bias}`,
/// `relative.table`, and for the block `N`, with `{kernel,bias}` each,
/// `layers.N.attention.{query,key_value,output}` and `layers.N.feed_forward.{inner,output}`, and
/// `{gain,bias}` of `layers.N.attention.norm` and `layers.N.feed_forward.norm`.
#[derive(Debug, Clone)]
pub struct TransformerEncoder {
    pub(super) embeddings: Embeddings,
    pub(super) relative: Option<RelativePositions>,
    pub(super) layers: Vec<Block>,
    config: TransformerConfig,
}

impl TransformerEncoder {
    /// An encoder whose kernels and tables begin as `init` says: `Init::Normal { std: 0.02 }` to
    /// train from nothing, `Init::Zeros` where values are loaded.
    ///
    /// # Panics
    /// If there is no such encoder, see [`TransformerConfig::problem`].
    #[must_use]
    pub fn new<S: Scalar>(
        builder: &mut Builder<'_, S>,
        config: &TransformerConfig,
        init: Init,
    ) -> Self {
        if let Some(problem) = config.problem() {
            panic!("{problem}: {config:?}");
        }
        let embeddings = Embeddings::new(&mut builder.scope("embeddings"), config, init);
        let relative = config.relative.map(|relative| RelativePositions {
            table: builder
                .scope("relative")
                .add("table", &[relative.buckets, config.heads], init),
            max_distance: relative.max_distance,
        });
        let mut scope = builder.scope("layers");
        let layers = (0..config.layers)
            .map(|i| Block::new(&mut scope.scope(&i.to_string()), config, init))
            .collect();
        Self {
            embeddings,
            relative,
            layers,
            config: config.clone(),
        }
    }

    /// Its sizes.
    #[must_use]
    pub fn config(&self) -> &TransformerConfig {
        &self.config
    }

    /// The table of subwords.
    #[must_use]
    pub fn words(&self) -> ParamId {
        self.embeddings.words.table()
    }

    /// One row of `hidden` columns per token, or one for each token of `subset`. Training and
    /// inference run the same operations; dropout does nothing in inference.
    ///
    /// # Panics
    /// If there is not one id per token and table, an id is beyond its table, a sequence has more tokens
    /// than [`TransformerConfig::max_tokens`], or the subset does not fit.
    pub fn forward<S: Scalar>(
        &self,
        tape: &mut Tape<'_, S>,
        input: TokenInput<'_>,
        subset: Option<Subset<'_>>,
    ) -> Var {
        let mut x = self.embeddings.forward(tape, input);
        for (i, block) in self.layers.iter().enumerate() {
            let last = i + 1 == self.layers.len();
            let subset = subset.as_ref().filter(|_| last);
            x = block.forward(tape, x, self.relative, subset);
        }
        match subset {
            // Without blocks nobody has chosen yet.
            Some(subset) if self.layers.is_empty() => {
                let index: Vec<Option<u32>> = subset.tokens.iter().copied().map(Some).collect();
                tape.take_rows(x, &index, subset.rows)
            }
            _ => x,
        }
    }
}
