//! Deferred values: in inference, looked-up rows and concatenations are computed only when an
//! operation needs the numbers themselves.
//!
//! A product with a deferred value often does not need them. Products with rows of a table come
//! from the [`InferenceCache`](crate::inference_cache), and the product with a concatenation is a
//! sum of products with its inputs, part of which an earlier product may have computed already.

use std::cell::OnceCell;
use std::sync::Arc;

use super::{Node, Tape, Var};
use crate::{ParamId, Scalar, Shape};

/// How to compute a deferred value.
#[derive(Debug, Clone)]
pub(crate) enum Deferred {
    /// One row of a table per token.
    Rows {
        table: ParamId,
        /// The row of every token.
        ids: Arc<[u32]>,
    },
    /// The concatenated columns of several values.
    Concat(Arc<[Var]>),
}

/// Σ x K over some inputs of a concatenation, without bias.
pub(super) struct PartialSum<S> {
    kernel: ParamId,
    parts: Vec<Var>,
    pub(super) sum: Vec<S>,
}

impl<S: Scalar> Tape<'_, S> {
    /// Writes the live rows of a deferred value.
    pub(super) fn gather(&self, node: &Node<S>, value: &mut [S]) {
        let cols = node.shape.cols;
        match &node.deferred {
            None => {}
            Some(Deferred::Rows { table, ids }) => {
                let table = self.params.get(*table).data();
                for (&id, row) in ids.iter().zip(node.shape.live_rows().flatten()) {
                    let from = &table[id as usize * cols..][..cols];
                    value[row * cols..][..cols].copy_from_slice(from);
                }
            }
            Some(Deferred::Concat(parts)) => {
                let mut at = 0;
                for &part in parts.iter() {
                    let (width, input) = (self.shape(part).cols, self.value(part));
                    for row in node.shape.live_rows().flatten() {
                        let to = &mut value[row * cols + at..][..width];
                        to.copy_from_slice(&input[row * width..][..width]);
                    }
                    at += width;
                }
            }
        }
    }

    /// Computes a deferred value into a buffer of the pool; does nothing for other values.
    pub(crate) fn materialize(&mut self, var: Var) {
        if self.nodes[var.0].value.get().is_some() {
            return;
        }
        if let Some(Deferred::Concat(parts)) = self.deferred(var) {
            parts.iter().for_each(|&part| self.materialize(part));
        }
        let shape = self.shape(var).clone();
        let mut value = self.unwritten(&shape);
        self.gather(&self.nodes[var.0], &mut value);
        let node = &mut self.nodes[var.0];
        node.value = OnceCell::from(value);
        node.deferred = None;
    }

    /// How to compute a value, if it is deferred.
    pub(crate) fn deferred(&self, var: Var) -> Option<Deferred> {
        self.nodes[var.0].deferred.clone()
    }

    /// Adds a deferred value; only for inference.
    pub(crate) fn push_deferred(&mut self, shape: Shape, deferred: Deferred) -> Var {
        debug_assert!(!self.is_training());
        self.nodes.push(Node {
            shape,
            value: OnceCell::new(),
            deferred: Some(deferred),
            needs_grad: false,
            backward: None,
        });
        Var(self.nodes.len() - 1)
    }

    /// Takes Σ x K over these values out of the tape, if it was computed before. Return it with
    /// [`Tape::keep_partial_sum`].
    pub(crate) fn take_partial_sum(&mut self, kernel: ParamId, parts: &[Var]) -> Option<Vec<S>> {
        let same = |partial: &PartialSum<S>| partial.kernel == kernel && partial.parts == parts;
        let at = self.partial_sums.iter().position(same)?;
        Some(self.partial_sums.swap_remove(at).sum)
    }

    /// Keeps Σ x K over these values for later products on this tape.
    pub(crate) fn keep_partial_sum(&mut self, kernel: ParamId, parts: &[Var], sum: Vec<S>) {
        let parts = parts.to_vec();
        self.partial_sums.push(PartialSum { kernel, parts, sum });
    }
}
