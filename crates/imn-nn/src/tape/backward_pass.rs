//! The way back over a tape: what an operation sees of it, and where it leaves gradients.

use super::{Node, Var, Workspace};
use crate::kernels::elementwise::add;
use crate::{Freeze, ParamId, Params, Scalar, Shape};

/// What an operation sees on the way back.
pub(crate) struct BackwardPass<'a, S: Scalar> {
    pub(super) params: &'a Params<S>,
    pub(super) freeze: &'a Freeze,
    pub(super) nodes: &'a [Node<S>],
    pub(super) slots: Vec<Option<Vec<S>>>,
    pub(super) workspace: &'a mut Workspace<S>,
}

impl<'a, S: Scalar> BackwardPass<'a, S> {
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

    /// The gradient of `var` to add to, taken out so that several can be changed at a time. Give it back with
    /// [`BackwardPass::put_grad`]. None where `var` needs none.
    pub(crate) fn take_grad(&mut self, var: Var) -> Option<Vec<S>> {
        let node = &self.nodes[var.0];
        if !node.needs_grad {
            return None;
        }
        let pool = &mut self.workspace.pool;
        let slot = self.slots[var.0].take();
        Some(slot.unwrap_or_else(|| pool.zeros(node.shape.len())))
    }

    /// Gives back what [`BackwardPass::take_grad`] took.
    pub(crate) fn put_grad(&mut self, var: Var, grad: Vec<S>) {
        self.slots[var.0] = Some(grad);
    }

    /// Adds a gradient whose buffer is not needed any more: the first one becomes the sum without a copy.
    pub(crate) fn hand_grad(&mut self, var: Var, grad: Vec<S>) {
        let slot = &mut self.slots[var.0];
        match slot {
            None if self.nodes[var.0].needs_grad => *slot = Some(grad),
            None => self.workspace.pool.give(grad),
            Some(sum) => {
                add(sum, &grad);
                self.workspace.pool.give(grad);
            }
        }
    }

    /// A buffer of a shape of which every live row will be written; separator rows are zero already.
    pub(crate) fn unwritten(&mut self, shape: &Shape) -> Vec<S> {
        self.workspace.unwritten(shape)
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

    /// The gradient of a parameter, unless it is frozen, and whether it holds something to add to: if not, every number
    /// has to be written.
    pub(crate) fn param_grad_or_new(&mut self, id: ParamId) -> Option<(&mut [S], bool)> {
        let len = self.params.get(id).data().len();
        self.learns(id)
            .then(|| self.workspace.grads.dense_any(id, len))
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
    pub(crate) fn scratch(&mut self, len: usize) -> Vec<S> {
        self.workspace.pool.scratch(len)
    }

    pub(crate) fn zeros(&mut self, len: usize) -> Vec<S> {
        self.workspace.pool.zeros(len)
    }

    pub(crate) fn give(&mut self, buffer: Vec<S>) {
        self.workspace.pool.give(buffer);
    }
}
