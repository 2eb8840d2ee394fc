//! A table of vectors, looked up by number.

use std::sync::Arc;

use crate::{Builder, Init, Layout, ParamId, Scalar, Tape, Var};

/// A table of shape `[words, dimensions]`.
#[derive(Debug, Clone, Copy)]
pub struct Embedding {
    table: ParamId,
}

impl Embedding {
    /// A table that begins as `init` says.
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

    /// A table of `words` rows with these values, row after row.
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

    /// The parameter.
    #[must_use]
    pub fn table(&self) -> ParamId {
        self.table
    }

    /// One number a token → `[tokens, dimensions]`.
    pub fn forward<S: Scalar>(
        &self,
        tape: &mut Tape<'_, S>,
        ids: &[u32],
        layout: &Arc<Layout>,
    ) -> Var {
        tape.embed(self.table, ids, layout)
    }
}
