//! y_i = E[id_i]: vectors from a table.

use std::sync::Arc;

use crate::{Builder, Init, Layout, ParamId, Scalar, Tape, Var};

/// `y_i = E[id_i]`, one id per token → `[tokens, dimensions]`. E is `table` of shape
/// `[words, dimensions]`.
///
/// ```
/// use std::sync::Arc;
/// use imn_nn::{Layout, Params, Tape, layers::Embedding};
///
/// let mut params = Params::<f32>::new();
/// let vectors = vec![0.0, 0.1, 1.0, 1.1, 2.0, 2.1];
/// let embedding = Embedding::from_values(&mut params.builder(1), 3, 2, vectors);
///
/// let layout = Arc::new(Layout::new([2], 0));
/// let mut tape = Tape::infer(&params);
/// let y = embedding.forward(&mut tape, &[2, 0], &layout);
/// assert_eq!(tape.token_values(y), [2.0, 2.1, 0.0, 0.1]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Embedding {
    table: ParamId,
}

impl Embedding {
    /// A table that is initialized by `init`.
    #[must_use]
    pub fn new<S: Scalar>(
        builder: &mut Builder<'_, S>,
        words: usize,
        dimensions: usize,
        init: Init,
    ) -> Self {
        Self {
            table: builder.add("table", &[words, dimensions], init),
        }
    }

    /// A table with these values in row-major order.
    ///
    /// # Panics
    /// If there are not `words · dimensions` values.
    #[must_use]
    pub fn from_values<S: Scalar>(
        builder: &mut Builder<'_, S>,
        words: usize,
        dimensions: usize,
        values: Vec<S>,
    ) -> Self {
        Self {
            table: builder.add_values("table", &[words, dimensions], values),
        }
    }

    /// The table, of shape `[words, dimensions]`.
    #[must_use]
    pub fn table(&self) -> ParamId {
        self.table
    }

    /// One id per token of `layout` → `[tokens, dimensions]`.
    ///
    /// # Panics
    /// If there is not one id per token, or an id is not below `words`.
    pub fn forward<S: Scalar>(
        &self,
        tape: &mut Tape<'_, S>,
        ids: &[u32],
        layout: &Arc<Layout>,
    ) -> Var {
        tape.embed(self.table, ids, layout)
    }
}
