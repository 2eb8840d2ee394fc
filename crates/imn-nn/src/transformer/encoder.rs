//! The encoder: embeddings, then blocks.

use std::sync::Arc;

use super::TransformerConfig;
use super::block::Block;
use super::embeddings::Embeddings;
use crate::{Builder, Init, Layout, ParamId, RelativePositions, Rows, Scalar, Tape, Var};

/// Packed sequences of subwords.
#[derive(Debug, Clone, Copy)]
pub struct TokenInput<'a> {
    /// The sequences, with any gap between them.
    pub layout: &'a Arc<Layout>,
    /// The id of each subword, special ones included.
    pub ids: &'a [u32],
    /// One more table of the caller's, and each token's row in it, added before the norm: what is
    /// known of a token besides its subword and its position.
    pub extra: Option<(ParamId, &'a [u32])>,
}

/// The tokens whose outputs are needed. The last block computes no others.
#[derive(Debug, Clone)]
pub struct Subset<'a> {
    /// Rows of the result, for example the words of sentences: one live row per token of `tokens`.
    pub rows: Rows,
    /// The token of each row, by its index in the batch. Tokens may repeat.
    pub tokens: &'a [u32],
}

/// A transformer encoder: one id per token → `[tokens, hidden]`. The [module](super) has the
/// formulas.
///
/// Its parameters are
/// - `embeddings.{words,positions,types}.table`,
/// - `relative.table` (MPNet),
/// - `{kernel,bias}` of `layers.N.attention.{query,key_value,output}` and
///   `layers.N.feed_forward.{inner,output}`, for each block `N`,
/// - `{gain,bias}` of `embeddings.norm`, `layers.N.attention.norm` and
///   `layers.N.feed_forward.norm`.
///
/// ```
/// use std::sync::Arc;
/// use imn_nn::transformer::{TokenInput, TransformerConfig, TransformerEncoder};
/// use imn_nn::{Init, Layout, Params, Tape};
///
/// let config = TransformerConfig {
///     vocabulary: 50,
///     hidden: 8,
///     layers: 2,
///     heads: 2,
///     intermediate: 16,
///     ..TransformerConfig::default()
/// };
/// let mut params = Params::<f64>::new();
/// let init = Init::Normal { std: 0.5 };
/// let encoder = TransformerEncoder::new(&mut params.builder(1), &config, init);
///
/// let layout = Arc::new(Layout::new([3, 2], 0));
/// let input = TokenInput { layout: &layout, ids: &[2, 10, 3, 2, 3], extra: None };
/// let mut tape = Tape::infer(&params);
/// let y = encoder.forward(&mut tape, input, None);
/// let values = tape.token_values(y);
/// assert_eq!(values.len(), 5 * 8);
/// // The last operation is a layer norm with γ = 1 and β = 0.
/// for row in values.chunks(8) {
///     let mean = row.iter().sum::<f64>() / 8.0;
///     let variance = row.iter().map(|y| y * y).sum::<f64>() / 8.0;
///     assert!(mean.abs() < 1e-9 && (variance - 1.0).abs() < 1e-9);
/// }
/// ```
#[derive(Debug, Clone)]
pub struct TransformerEncoder {
    pub(super) embeddings: Embeddings,
    pub(super) relative: Option<RelativePositions>,
    pub(super) layers: Vec<Block>,
    config: TransformerConfig,
}

impl TransformerEncoder {
    /// An encoder whose kernels and tables are initialized by `init`: `Init::Normal { std: 0.02 }`
    /// to train from scratch, `Init::Zeros` if values will be loaded.
    ///
    /// # Panics
    /// If the configuration is invalid, see [`TransformerConfig::problem`].
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

    /// The configuration that it was built from.
    #[must_use]
    pub fn config(&self) -> &TransformerConfig {
        &self.config
    }

    /// The table of subwords.
    #[must_use]
    pub fn words(&self) -> ParamId {
        self.embeddings.words.table()
    }

    /// One row of `hidden` columns per token, or per token of `subset`. Training and inference run
    /// the same operations; dropout does nothing in inference.
    ///
    /// # Panics
    /// If there is not one id per token and table, an id is outside its table, a sequence has more
    /// tokens than [`TransformerConfig::max_tokens`], or the rows and tokens of the subset do not
    /// match.
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
            // Without blocks, no block has selected the subset.
            Some(subset) if self.layers.is_empty() => {
                let index: Vec<Option<u32>> = subset.tokens.iter().copied().map(Some).collect();
                tape.take_rows(x, &index, subset.rows)
            }
            _ => x,
        }
    }
}
