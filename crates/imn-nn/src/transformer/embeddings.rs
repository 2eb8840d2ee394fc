//! x = LayerNorm(W[token] + P[position] + T[0] + E[extra]): the input of the first block. The table
//! E is optional and belongs to the caller.

use super::{TokenInput, TransformerConfig};
use crate::layers::{Embedding, LayerNorm};
use crate::{Builder, Init, Scalar, Tape, Var};

/// The tables of subwords, positions and token types, and their norm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Embeddings {
    pub(super) words: Embedding,
    pub(super) positions: Embedding,
    pub(super) types: Option<Embedding>,
    pub(super) norm: LayerNorm,
    first_position: usize,
    max_tokens: usize,
    dropout: f64,
}

impl Embeddings {
    pub(super) fn new<S: Scalar>(
        builder: &mut Builder<'_, S>,
        config: &TransformerConfig,
        init: Init,
    ) -> Self {
        let mut table = |name: &str, rows: usize| {
            Embedding::new(&mut builder.scope(name), rows, config.hidden, init)
        };
        Self {
            words: table("words", config.vocabulary),
            positions: table("positions", config.positions),
            types: (config.token_types > 0).then(|| table("types", config.token_types)),
            norm: LayerNorm::new(&mut builder.scope("norm"), config.hidden, config.epsilon),
            first_position: config.first_position,
            max_tokens: config.max_tokens(),
            dropout: config.dropout,
        }
    }

    pub(super) fn forward<S: Scalar>(&self, tape: &mut Tape<'_, S>, input: TokenInput<'_>) -> Var {
        let TokenInput { layout, ids, extra } = input;
        let mut positions = Vec::with_capacity(ids.len());
        for span in layout.spans() {
            let (tokens, max) = (span.len(), self.max_tokens);
            assert!(
                tokens <= max,
                "a sequence has {tokens} tokens, the maximum is {max}"
            );
            let first = self.first_position as u32;
            positions.extend(first..first + tokens as u32);
        }
        let zeros = vec![0; ids.len()];
        let mut tables = vec![
            (self.words.table(), ids),
            (self.positions.table(), positions.as_slice()),
        ];
        tables.extend(self.types.map(|types| (types.table(), zeros.as_slice())));
        tables.extend(extra);
        let x = tape.embed_sum(&tables, layout);
        let x = self.norm.forward(tape, x);
        tape.dropout(x, self.dropout)
    }
}
