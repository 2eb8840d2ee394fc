//! Rows of a table by number (an embedding), and rows of a value by number.

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
    /// Row of the output and row of `x`.
    moves: Vec<(usize, usize)>,
}

impl<S: Scalar> Tape<'_, S> {
    /// Row `ids[i]` of `table` for the `i`th token of `layout`. Only the rows that are looked up get gradients.
    ///
    /// # Panics
    /// If there is not one number a token, or a number is beyond the table. On the way back, if the same table is also used as a value
    /// ([`Tape::param`]) or in a product: its gradient is by rows or dense, not both.
    pub fn embed(&mut self, table: ParamId, ids: &[u32], layout: &Arc<Layout>) -> Var {
        assert_eq!(ids.len(), layout.tokens(), "one number a token");
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

    /// The sum of one row of each table for every token of `layout`: row `ids[i]` for the `i`th token. Only the rows that are
    /// looked up get gradients.
    ///
    /// # Panics
    /// As [`Tape::embed`], or if the tables have different numbers of columns.
    pub fn embed_sum(&mut self, tables: &[(ParamId, &[u32])], layout: &Arc<Layout>) -> Var {
        let params = self.params();
        let (first, _) = tables.first().expect("at least one table");
        let cols = params.get(*first).cols();
        let shape = Shape::tokens(layout, cols);
        let mut value = self.unwritten(&shape);
        for (i, &(table, ids)) in tables.iter().enumerate() {
            let tensor = params.get(table);
            assert_eq!(ids.len(), layout.tokens(), "one number per token");
            assert_eq!(tensor.cols(), cols, "columns of `{}`", tensor.name());
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

    /// For each live row of `rows` (tokens in order, or plain rows), row `index[i]` of `x`, or zeros where that is `None`.
    ///
    /// `x` may have any rows; its numbers count live rows: a token's number, not its row in memory.
    pub fn take_rows(&mut self, x: Var, index: &[Option<u32>], rows: Rows) -> Var {
        let cols = self.shape(x).cols;
        let shape = Shape { rows, cols };
        let sources: Vec<usize> = self.shape(x).live_rows().flatten().collect();
        let targets: Vec<usize> = shape.live_rows().flatten().collect();
        assert_eq!(index.len(), targets.len(), "one number a row");
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
