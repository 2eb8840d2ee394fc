//! The way back over a tape: what an operation sees of it, and where it leaves gradients.

use super::{Node, Var, Workspace};
use crate::{Freeze, ParamId, Params, Scalar, Shape};

/// What an operation sees on the way back.
pub(crate) struct WayBack<'a, S: Scalar> {
    pub(super) params: &'a Params<S>,
    pub(super) freeze: &'a Freeze,
    pub(super) nodes: &'a [Node<S>],
    pub(super) slots: Vec<Option<Vec<S>>>,
    pub(super) workspace: &'a mut Workspace<S>,
}

impl<'a, S: Scalar> WayBack<'a, S> {
    pub(crate) fn params(&self) -> &'a Params<S> {
        self.params
    }

    pub(crate) fn value(&self, var: Var) -> &'a [S] {
        let value = self.nodes[var.0].value.get();
        value.expect("training defers nothing")
    }

    pub(crate) fn shape(&self, var: Var) -> &'a Shape {
        &self.nodes[var.0].shape
    }

    /// The gradient of `var` to add to, unless it needs none.
    pub(crate) fn grad(&mut self, var: Var) -> Option<&mut [S]> {
        let node = &self.nodes[var.0];
        if !node.needs_grad {
            return None;
        }
        let pool = &mut self.workspace.pool;
        Some(self.slots[var.0].get_or_insert_with(|| pool.zeros(node.shape.len())))
    }

    /// The gradient of `var`, unless it needs none, and whether it is new: then every live row has to be written, not added to.
    pub(crate) fn grad_or_new(&mut self, var: Var) -> Option<(&mut [S], bool)> {
        let node = &self.nodes[var.0];
        if !node.needs_grad {
            return None;
        }
        let slot = &mut self.slots[var.0];
        let new = slot.is_none();
        let slot = slot.get_or_insert_with(|| self.workspace.unwritten(&node.shape));
        Some((slot, new))
    }

    fn learns(&self, id: ParamId) -> bool {
        !self.freeze.covers(self.params.get(id).name())
    }

    /// The gradient of a parameter to add to, unless it is frozen.
    pub(crate) fn param_grad(&mut self, id: ParamId) -> Option<&mut [S]> {
        let len = self.params.get(id).data().len();
        self.learns(id)
            .then(|| self.workspace.grads.dense_slot(id, len))
    }

    /// The gradient of a table by rows, unless it is frozen.
    pub(crate) fn row_grad(&mut self, id: ParamId) -> Option<&mut crate::RowGradient<S>> {
        let cols = self.params.get(id).cols();
        self.learns(id)
            .then(|| self.workspace.grads.row_slot(id, cols))
    }

    /// The gradient of a kernel by point, for one that is applied in tiles, unless it is frozen.
    pub(crate) fn tiled_grad(&mut self, id: ParamId) -> Option<(&mut [S], bool)> {
        let (_, inputs, outputs) = self.params.get(id).kernel();
        self.learns(id)
            .then(|| self.workspace.grads.tiled_slot(id, inputs * outputs))
    }

    /// A buffer of any numbers, for whoever writes all of them.
    pub(crate) fn any(&mut self, len: usize) -> Vec<S> {
        self.workspace.pool.any(len)
    }

    pub(crate) fn zeros(&mut self, len: usize) -> Vec<S> {
        self.workspace.pool.zeros(len)
    }

    pub(crate) fn give(&mut self, buffer: Vec<S>) {
        self.workspace.pool.give(buffer);
    }
}
