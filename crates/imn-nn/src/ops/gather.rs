//! Rows by index: y_i = E[id_i] for a table (an embedding), y_i = x[index_i] for a value.

use std::sync::Arc;

use super::columns::add_to;
use crate::tape::{Backward, BackwardPass, Deferred};
use crate::{Layout, ParamId, Rows, Scalar, Shape, Tape, Var};

struct Embed {
    table: ParamId,
    ids: Vec<u32>,
}

struct EmbedSum {
    tables: Vec<(ParamId, Vec<u32>)>,
}

struct TakeRows {
    x: Var,
    /// Pairs of a row of the output and a row of `x`.
    moves: Vec<(usize, usize)>,
}

impl<S: Scalar> Tape<'_, S> {
    /// Row `ids[i]` of `table` for the `i`th token of `layout`. Only the rows that are looked up
    /// get gradients.
    ///
    /// # Panics
    /// If there is not one id per token, or an id is out of range. The backward pass panics if the
    /// same table is also used as a value ([`Tape::param`]) or in a product: its gradient is either
    /// by rows or dense.
    pub fn embed(&mut self, table: ParamId, ids: &[u32], layout: &Arc<Layout>) -> Var {
        assert_eq!(ids.len(), layout.tokens(), "one id per token");
        let params = self.params();
        let tensor = params.get(table);
        let (rows, cols) = (tensor.rows(), tensor.cols());
        let shape = Shape::tokens(layout, cols);
        let largest = ids.iter().copied().max();
        assert!(
            largest.is_none_or(|id| (id as usize) < rows),
            "row {largest:?} of a table of {rows}"
        );
        if !self.is_training() {
            let ids = ids.into();
            return self.push_deferred(shape, Deferred::Rows { table, ids });
        }
        let mut value = self.unwritten(&shape);
        for (&id, &row) in ids.iter().zip(layout.token_rows()) {
            let from = &tensor.data()[id as usize * cols..][..cols];
            value[row as usize * cols..][..cols].copy_from_slice(from);
        }
        let needs_grad = self.is_trainable(table);
        self.push_node(shape, value, needs_grad, || {
            Box::new(Embed {
                table,
                ids: ids.to_vec(),
            })
        })
    }

    /// `Σ E[ids[i]]` over several tables E, each with its own ids, for the `i`th token of `layout`.
    /// Only the rows that are looked up get gradients.
    ///
    /// # Panics
    /// As [`Tape::embed`], or if there are no tables, or they have different numbers of columns.
    pub fn embed_sum(&mut self, tables: &[(ParamId, &[u32])], layout: &Arc<Layout>) -> Var {
        let params = self.params();
        let (first, _) = tables.first().expect("at least one table");
        let cols = params.get(*first).cols();
        let shape = Shape::tokens(layout, cols);
        let mut value = self.unwritten(&shape);
        for (i, &(table, ids)) in tables.iter().enumerate() {
            let tensor = params.get(table);
            assert_eq!(ids.len(), layout.tokens(), "one id per token");
            assert_eq!(
                tensor.cols(),
                cols,
                "number of columns of `{}`",
                tensor.name()
            );
            for (&id, &row) in ids.iter().zip(layout.token_rows()) {
                let rows = tensor.rows();
                assert!((id as usize) < rows, "row {id} of a table of {rows}");
                let from = &tensor.data()[id as usize * cols..][..cols];
                let to = &mut value[row as usize * cols..][..cols];
                if i == 0 {
                    to.copy_from_slice(from);
                } else {
                    add_to(to, from);
                }
            }
        }
        let needs_grad = tables.iter().any(|&(table, _)| self.is_trainable(table));
        self.push_node(shape, value, needs_grad, || {
            let tables = tables.iter().map(|&(table, ids)| (table, ids.to_vec()));
            Box::new(EmbedSum {
                tables: tables.collect(),
            })
        })
    }

    /// Row `index[i]` of `x`, or zeros for `None`, for the `i`th live row of `rows`.
    ///
    /// An index counts live rows: it is the index of a token, not of its row in memory.
    ///
    /// # Panics
    /// If there is not one index per live row of `rows`, or an index is out of range.
    pub fn take_rows(&mut self, x: Var, index: &[Option<u32>], rows: Rows) -> Var {
        let cols = self.shape(x).cols;
        let shape = Shape { rows, cols };
        let sources: Vec<usize> = self.shape(x).live_rows().flatten().collect();
        let targets: Vec<usize> = shape.live_rows().flatten().collect();
        assert_eq!(index.len(), targets.len(), "one index per row");
        let moves: Vec<(usize, usize)> = targets
            .into_iter()
            .zip(index)
            .filter_map(|(target, source)| Some((target, sources[(*source)? as usize])))
            .collect();
        let mut value = self.zeros(shape.len());
        let input = self.value(x);
        for &(to, from) in &moves {
            value[to * cols..][..cols].copy_from_slice(&input[from * cols..][..cols]);
        }
        self.push(shape, value, &[x], || TakeRows { x, moves })
    }
}

impl<S: Scalar> Backward<S> for Embed {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let shape = pass.shape(this);
        if let Some(slot) = pass.row_grad(self.table) {
            for (&id, &row) in self.ids.iter().zip(shape.token_layout().token_rows()) {
                slot.push(id, &grad[row as usize * shape.cols..][..shape.cols]);
            }
        }
    }
}

impl<S: Scalar> Backward<S> for EmbedSum {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let shape = pass.shape(this);
        let rows = shape.token_layout().token_rows();
        for (table, ids) in &self.tables {
            if let Some(slot) = pass.row_grad(*table) {
                slot.push_all(ids, |i| {
                    &grad[rows[i] as usize * shape.cols..][..shape.cols]
                });
            }
        }
    }
}

impl<S: Scalar> Backward<S> for TakeRows {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let cols = pass.shape(this).cols;
        if let Some(slot) = pass.grad(self.x) {
            for &(to, from) in &self.moves {
                add_to(&mut slot[from * cols..][..cols], &grad[to * cols..][..cols]);
            }
        }
    }
}
