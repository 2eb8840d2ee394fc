//! head_h = softmax(q_h k_hᵀ / √d) v_h within each sequence; y = [head_1 : … : head_H] W_o + b_o

use super::Linear;
use crate::{Attention, Builder, Scalar, Tape, Var};

/// head_h = softmax(q_h k_hᵀ / √d) v_h, y = [head_1 : … : head_H] W_o + b_o,
/// `[tokens, columns]` → `[tokens, columns]`: self-attention within each sequence. Queries, keys
/// and values are linear in x, and each head has d = columns / H of their columns.
///
/// ```
/// use std::sync::Arc;
/// use imn_nn::{Layout, Params, Tape, layers::MultiHeadAttention};
///
/// let mut params = Params::<f32>::new();
/// let attention = MultiHeadAttention::new(&mut params.builder(1), 1, 1);
/// // Scores of 0 weigh all tokens of a sequence alike: the result is their mean.
/// for (name, value) in [("query", 0.0), ("value", 1.0), ("output", 1.0)] {
///     let id = params.find(&format!("{name}.kernel")).unwrap();
///     params.get_mut(id).data_mut()[0] = value;
/// }
/// let layout = Arc::new(Layout::new([2, 1], 0));
/// let mut tape = Tape::infer(&params);
/// let x = tape.tokens(&layout, 1, &[1.0, 3.0, 5.0]);
/// let y = attention.forward(&mut tape, x);
/// for (y, expected) in tape.token_values(y).iter().zip([2.0, 2.0, 5.0]) {
///     assert!((y - expected).abs() < 1e-6, "{y}, expected {expected}");
/// }
/// ```
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
    /// If `columns` is not a multiple of `heads`.
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

    /// `[tokens, columns]` → `[tokens, columns]`.
    ///
    /// # Panics
    /// If `x` has another number of columns.
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
