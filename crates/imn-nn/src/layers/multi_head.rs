//! head_h = softmax(q_h k_hᵀ / √d) v_h within each sequence; y = [head_1 : … : head_H] W_o + b_o

use super::Linear;
use crate::{Attention, Builder, Scalar, Tape, Var};

/// Multi-head self-attention within each sequence.
#[derive(Debug, Clone, Copy)]
pub struct MultiHeadAttention {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    columns: usize,
    heads: usize,
}

impl MultiHeadAttention {
    /// A layer of `heads` heads over `columns` columns.
    ///
    /// # Panics
    /// If the columns cannot be shared out evenly.
    #[must_use]
    pub fn new<S: Scalar>(builder: &mut Builder<'_, S>, columns: usize, heads: usize) -> Self {
        assert!(
            heads > 0 && columns.is_multiple_of(heads),
            "{columns} columns for {heads} heads"
        );
        Self {
            query: Linear::new(&mut builder.scope("query"), columns, columns),
            key: Linear::new(&mut builder.scope("key"), columns, columns),
            value: Linear::new(&mut builder.scope("value"), columns, columns),
            output: Linear::new(&mut builder.scope("output"), columns, columns),
            columns,
            heads,
        }
    }

    /// `[tokens, columns]` → the same shape.
    pub fn forward<S: Scalar>(&self, tape: &mut Tape<'_, S>, x: Var) -> Var {
        let [query, key, value] =
            [&self.query, &self.key, &self.value].map(|layer| layer.forward(tape, x).into());
        let heads = tape.attention(&Attention {
            query,
            key,
            value,
            columns: self.columns,
            heads: self.heads,
            positions: None,
            dropout: 0.0,
            tokens: None,
        });
        self.output.forward(tape, heads)
    }
}
