//! Values that depend on no other value: constants, parameters and variables.

use std::cell::OnceCell;
use std::sync::Arc;

use super::{Backward, BackwardPass, Node, Tape, Var};
use crate::{Layout, ParamId, Scalar, Shape};

struct Parameter {
    id: ParamId,
}

impl<S: Scalar> Tape<'_, S> {
    /// A constant of any shape. `data` is in memory order; separator rows are set to zero.
    ///
    /// # Panics
    /// If `data` does not have as many numbers as the shape.
    pub fn constant(&mut self, shape: Shape, data: &[S]) -> Var {
        assert_eq!(
            data.len(),
            shape.len(),
            "number of values of a constant of shape {shape:?}"
        );
        let mut value = self.zeros(shape.len());
        for range in shape.live() {
            value[range.clone()].copy_from_slice(&data[range]);
        }
        self.push_leaf(shape, value)
    }

    /// A constant with one row per token. `data` holds the tokens of all sequences without
    /// separators.
    ///
    /// # Panics
    /// If `data` does not have `cols` numbers per token.
    pub fn tokens(&mut self, layout: &Arc<Layout>, cols: usize, data: &[S]) -> Var {
        assert_eq!(
            data.len(),
            layout.tokens() * cols,
            "number of values of {} tokens with {cols} columns",
            layout.tokens()
        );
        let shape = Shape::tokens(layout, cols);
        let mut value = self.zeros(shape.len());
        let mut rest = data;
        for range in shape.live() {
            let (head, tail) = rest.split_at(range.len());
            value[range].copy_from_slice(head);
            rest = tail;
        }
        self.push_leaf(shape, value)
    }

    /// A constant with plain rows.
    ///
    /// # Panics
    /// If `data` does not have `rows · cols` numbers.
    pub fn plain(&mut self, rows: usize, cols: usize, data: &[S]) -> Var {
        self.constant(Shape::plain(rows, cols), data)
    }

    /// A parameter as a value with plain rows.
    pub fn param(&mut self, id: ParamId) -> Var {
        let params = self.params;
        let tensor = params.get(id);
        let mut value = self.zeros(tensor.data().len());
        value.copy_from_slice(tensor.data());
        let shape = Shape::plain(tensor.rows(), tensor.cols());
        let needs_grad = self.is_trainable(id);
        self.push_node(shape, value, needs_grad, || Box::new(Parameter { id }))
    }

    /// A constant whose gradient [`Tape::backward_to`] returns, to check derivatives and to explain
    /// predictions.
    ///
    /// # Panics
    /// If `data` does not have as many numbers as the shape.
    pub fn variable(&mut self, shape: Shape, data: &[S]) -> Var {
        let var = self.constant(shape, data);
        let training = self.is_training();
        self.nodes[var.0].needs_grad = training;
        var
    }

    pub(crate) fn push_leaf(&mut self, shape: Shape, value: Vec<S>) -> Var {
        self.nodes.push(Node {
            shape,
            value: OnceCell::from(value),
            deferred: None,
            needs_grad: false,
            backward: None,
        });
        Var(self.nodes.len() - 1)
    }
}

impl<S: Scalar> Backward<S> for Parameter {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        if let Some(slot) = pass.param_grad(self.id) {
            slot.iter_mut().zip(grad).for_each(|(slot, &g)| *slot += g);
        }
    }
}
