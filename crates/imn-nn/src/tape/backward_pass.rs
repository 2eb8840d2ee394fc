//! The backward pass: operations in reverse order, each adding to the gradients of its inputs.

use super::{Mode, Node, Tape, Var, Workspace};
use crate::grads::Grads;
use crate::kernels::elementwise::add;
use crate::{Freeze, ParamId, Params, Scalar, Shape};

/// How an operation computes the gradients of its inputs from the gradient of its output.
pub(crate) trait Backward<S: Scalar>: Send {
    /// Adds to the gradients of the inputs. `this` is the output and `grad` its gradient, which is
    /// zero in separator rows.
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>);
}

/// The tape and the gradients so far, as an operation sees them.
pub(crate) struct BackwardPass<'a, S: Scalar> {
    params: &'a Params<S>,
    freeze: &'a Freeze,
    nodes: &'a [Node<S>],
    slots: Vec<Option<Vec<S>>>,
    workspace: &'a mut Workspace<S>,
}

impl<S: Scalar> Tape<'_, S> {
    /// The gradients of a loss with respect to all parameters that are not frozen.
    ///
    /// # Panics
    /// If the tape is for inference, or the loss is not a single number.
    #[must_use]
    pub fn backward(self, loss: Var) -> Grads<S> {
        let (_, workspace) = self.backward_in(loss, &[]);
        workspace.grads
    }

    /// Like [`Tape::backward`], and also returns the gradients of these leaves, which
    /// [`Tape::variable`] made.
    ///
    /// # Panics
    /// If the tape is for inference, or the loss is not a single number.
    #[must_use]
    pub fn backward_to(self, loss: Var, leaves: &[Var]) -> (Vec<Vec<S>>, Grads<S>) {
        let (gradients, workspace) = self.backward_in(loss, leaves);
        (gradients, workspace.grads)
    }

    pub(crate) fn backward_in(mut self, loss: Var, leaves: &[Var]) -> (Vec<Vec<S>>, Workspace<S>) {
        assert_eq!(self.value(loss).len(), 1, "a loss is a single number");
        let freeze = match &self.mode {
            Mode::Infer => panic!("a tape for inference has no backward pass"),
            Mode::Train { freeze, .. } => *freeze,
        };
        let mut slots: Vec<Option<Vec<S>>> = Vec::new();
        slots.resize_with(self.nodes.len(), || None);
        let mut one = self.workspace.pool.zeros(1);
        one[0] = S::one();
        slots[loss.0] = Some(one);
        let mut pass = BackwardPass {
            params: self.params,
            freeze,
            nodes: &self.nodes,
            slots,
            workspace: &mut self.workspace,
        };
        for i in (0..=loss.0).rev() {
            if let Some(operation) = &pass.nodes[i].backward
                && let Some(grad) = pass.slots[i].take()
            {
                operation.backward(Var(i), &grad, &mut pass);
                pass.workspace.pool.recycle(grad);
            }
        }
        let mut slots = pass.slots;
        let gradients = leaves
            .iter()
            .map(|leaf| {
                let zeros = || vec![S::zero(); self.nodes[leaf.0].shape.len()];
                slots[leaf.0].take().unwrap_or_else(zeros)
            })
            .collect();
        slots
            .into_iter()
            .flatten()
            .for_each(|slot| self.workspace.pool.recycle(slot));
        self.workspace.grads.fold_tiles(self.params);
        self.workspace.grads.merge_rows();
        (gradients, self.into_workspace())
    }
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

    /// The gradient of `var`, to add to; `None` if it needs none.
    pub(crate) fn grad(&mut self, var: Var) -> Option<&mut [S]> {
        let node = &self.nodes[var.0];
        if !node.needs_grad {
            return None;
        }
        let pool = &mut self.workspace.pool;
        Some(self.slots[var.0].get_or_insert_with(|| pool.zeros(node.shape.len())))
    }

    /// The gradient of `var` and whether it is new, or `None` if it needs none. The caller adds to
    /// an existing gradient, and overwrites every live row of a new one.
    pub(crate) fn grad_or_new(&mut self, var: Var) -> Option<(&mut [S], bool)> {
        let node = &self.nodes[var.0];
        if !node.needs_grad {
            return None;
        }
        let slot = &mut self.slots[var.0];
        let new = slot.is_none();
        let grad = slot.get_or_insert_with(|| self.workspace.unwritten(&node.shape));
        Some((grad, new))
    }

    /// Takes the gradient of `var` out of the pass, so that several can be changed at a time;
    /// `None` if it needs none. Return it with [`BackwardPass::put_grad`].
    pub(crate) fn take_grad(&mut self, var: Var) -> Option<Vec<S>> {
        let node = &self.nodes[var.0];
        if !node.needs_grad {
            return None;
        }
        let pool = &mut self.workspace.pool;
        let slot = self.slots[var.0].take();
        Some(slot.unwrap_or_else(|| pool.zeros(node.shape.len())))
    }

    /// Returns what [`BackwardPass::take_grad`] took.
    pub(crate) fn put_grad(&mut self, var: Var, grad: Vec<S>) {
        self.slots[var.0] = Some(grad);
    }

    /// Adds a gradient whose buffer the caller no longer needs. The first one becomes the sum
    /// without a copy.
    pub(crate) fn add_grad(&mut self, var: Var, grad: Vec<S>) {
        let slot = &mut self.slots[var.0];
        match slot {
            None if self.nodes[var.0].needs_grad => *slot = Some(grad),
            None => self.workspace.pool.recycle(grad),
            Some(sum) => {
                add(sum, &grad);
                self.workspace.pool.recycle(grad);
            }
        }
    }

    /// See [`Workspace::unwritten`].
    pub(crate) fn unwritten(&mut self, shape: &Shape) -> Vec<S> {
        self.workspace.unwritten(shape)
    }

    fn is_trainable(&self, id: ParamId) -> bool {
        !self.freeze.covers(self.params.get(id).name())
    }

    /// The gradient of a parameter, to add to; `None` if it is frozen.
    pub(crate) fn param_grad(&mut self, id: ParamId) -> Option<&mut [S]> {
        let len = self.params.get(id).data().len();
        self.is_trainable(id)
            .then(|| self.workspace.grads.dense_slot(id, len))
    }

    /// The gradient of a parameter and whether to add to it, or `None` if it is frozen. If there is
    /// nothing to add to, the caller overwrites every number.
    pub(crate) fn param_grad_or_new(&mut self, id: ParamId) -> Option<(&mut [S], bool)> {
        let len = self.params.get(id).data().len();
        self.is_trainable(id)
            .then(|| self.workspace.grads.dense_or_new(id, len))
    }

    /// The gradient of a table by rows; `None` if it is frozen.
    pub(crate) fn row_grad(&mut self, id: ParamId) -> Option<&mut crate::RowGradient<S>> {
        let cols = self.params.get(id).cols();
        self.is_trainable(id)
            .then(|| self.workspace.grads.row_slot(id, cols))
    }

    /// The gradient of a kernel that is applied in tiles, with one matrix per point, and whether to
    /// add to it; `None` if it is frozen.
    pub(crate) fn tiled_grad(&mut self, id: ParamId) -> Option<(&mut [S], bool)> {
        let (_, inputs, outputs) = self.params.get(id).kernel();
        self.is_trainable(id)
            .then(|| self.workspace.grads.tiled_slot(id, inputs * outputs))
    }

    /// A buffer with arbitrary contents, for a caller that overwrites all of it.
    pub(crate) fn scratch(&mut self, len: usize) -> Vec<S> {
        self.workspace.pool.scratch(len)
    }

    pub(crate) fn zeros(&mut self, len: usize) -> Vec<S> {
        self.workspace.pool.zeros(len)
    }

    pub(crate) fn recycle(&mut self, buffer: Vec<S>) {
        self.workspace.pool.recycle(buffer);
    }
}
