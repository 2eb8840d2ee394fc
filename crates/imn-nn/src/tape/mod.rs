//! Reverse-mode differentiation: operations run as they are written and are remembered for the way back.

mod backward_pass;

use std::cell::OnceCell;
use std::sync::Arc;

use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

pub(crate) use backward_pass::BackwardPass;

use crate::grads::Grads;
use crate::pool::Pool;
use crate::{Freeze, Layout, ParamId, Params, Rows, Scalar, Shape};

/// A value on a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Var(usize);

/// How an operation hands the gradient of its output to its inputs.
pub(crate) trait Backward<S: Scalar>: Send {
    /// Adds to the gradients of the inputs. `this` is the output, `grad` its gradient (zero in separator rows).
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>);
}

struct Node<S: Scalar> {
    shape: Shape,
    /// Empty until somebody asks for what is deferred.
    value: OnceCell<Vec<S>>,
    /// Where the numbers come from, where they may never be needed.
    deferred: Option<Deferred>,
    needs_grad: bool,
    backward: Option<Box<dyn Backward<S>>>,
}

/// A value of which a tape for inference notes only what it is: what it is multiplied with may be remembered, or known from an earlier round.
#[derive(Debug, Clone)]
pub(crate) enum Deferred {
    /// Rows of a table, one a token.
    Rows {
        /// The table.
        table: ParamId,
        /// The row of every token.
        ids: Arc<[u32]>,
    },
    /// Values side by side.
    Concat(Arc<[Var]>),
}

/// Σ x K over values side by side, without bias.
struct Known<S> {
    kernel: ParamId,
    parts: Vec<Var>,
    sum: Vec<S>,
}

/// Memory that a tape leaves for the next one.
#[derive(Debug)]
pub(crate) struct Workspace<S> {
    pool: Pool<S>,
    pub(crate) grads: Grads<S>,
}

impl<S: Scalar> Workspace<S> {
    pub(crate) fn new() -> Self {
        Self {
            pool: Pool::default(),
            grads: Grads::new(),
        }
    }

    /// A buffer of which every live row will be written; separator rows are zero already.
    fn unwritten(&mut self, shape: &Shape) -> Vec<S> {
        let mut value = self.pool.scratch(shape.len());
        let mut at = 0;
        for live in shape.live() {
            value[at..live.start].fill(S::zero());
            at = live.end;
        }
        value[at..].fill(S::zero());
        value
    }
}

enum Mode<'p> {
    Infer,
    Train {
        freeze: &'p Freeze,
        rng: Box<Xoshiro256PlusPlus>,
    },
}

/// The operations of one forward run over a packed batch.
///
/// In inference nothing is remembered for the way back and dropout does nothing.
pub struct Tape<'p, S: Scalar> {
    params: &'p Params<S>,
    mode: Mode<'p>,
    nodes: Vec<Node<S>>,
    known: Vec<Known<S>>,
    workspace: Workspace<S>,
    split: bool,
}

impl<S: Scalar> std::fmt::Debug for Tape<'_, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tape")
            .field("values", &self.nodes.len())
            .finish_non_exhaustive()
    }
}

impl<'p, S: Scalar> Tape<'p, S> {
    /// A tape for inference.
    #[must_use]
    pub fn infer(params: &'p Params<S>) -> Self {
        Self::infer_in(params, Workspace::new())
    }

    pub(crate) fn infer_in(params: &'p Params<S>, workspace: Workspace<S>) -> Self {
        Self {
            params,
            mode: Mode::Infer,
            nodes: Vec::new(),
            known: Vec::new(),
            workspace,
            split: false,
        }
    }

    /// A tape for training. `seed` draws the dropout masks; frozen parameters get no gradient.
    #[must_use]
    pub fn train(params: &'p Params<S>, freeze: &'p Freeze, seed: u64) -> Self {
        Self::train_in(params, freeze, seed, Workspace::new())
    }

    pub(crate) fn train_in(
        params: &'p Params<S>,
        freeze: &'p Freeze,
        seed: u64,
        workspace: Workspace<S>,
    ) -> Self {
        let rng = Box::new(Xoshiro256PlusPlus::seed_from_u64(seed));
        let mode = Mode::Train { freeze, rng };
        Self {
            params,
            mode,
            nodes: Vec::new(),
            known: Vec::new(),
            workspace,
            split: false,
        }
    }

    /// Shares large products out among the threads of the current pool: for one sequence at a time, where latency counts.
    /// Batches are faster with one tape a thread. The results are the same bit for bit. Portable kernels do not share out.
    #[must_use]
    pub fn split(mut self) -> Self {
        self.split = true;
        self
    }

    pub(crate) fn splits(&self) -> bool {
        self.split
    }

    /// The parameters that this tape computes with.
    #[must_use]
    pub fn params(&self) -> &'p Params<S> {
        self.params
    }

    /// The random stream of dropout; none in inference.
    pub(crate) fn rng(&mut self) -> Option<&mut Xoshiro256PlusPlus> {
        match &mut self.mode {
            Mode::Infer => None,
            Mode::Train { rng, .. } => Some(rng),
        }
    }

    /// Whether this tape is for training.
    #[must_use]
    pub fn is_training(&self) -> bool {
        matches!(self.mode, Mode::Train { .. })
    }

    /// The shape of a value.
    #[must_use]
    pub fn shape(&self, var: Var) -> &Shape {
        &self.nodes[var.0].shape
    }

    /// The numbers of a value as they are in memory, separator rows included.
    #[must_use]
    pub fn value(&self, var: Var) -> &[S] {
        let node = &self.nodes[var.0];
        node.value.get_or_init(|| {
            let mut value = vec![S::zero(); node.shape.len()];
            self.gather(node, &mut value);
            value
        })
    }

    /// Writes the live rows of a deferred value.
    fn gather(&self, node: &Node<S>, value: &mut [S]) {
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

    /// Makes sure that the numbers of a value are there, in memory that is used again.
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

    /// What a value is that is deferred.
    pub(crate) fn deferred(&self, var: Var) -> Option<Deferred> {
        self.nodes[var.0].deferred.clone()
    }

    /// Adds a value of which only inference may ask, and perhaps nobody does.
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

    /// Takes Σ x K over these values if it was computed before, to give it back with [`Tape::know`].
    pub(crate) fn known(&mut self, kernel: ParamId, parts: &[Var]) -> Option<Vec<S>> {
        let same = |known: &Known<S>| known.kernel == kernel && known.parts == parts;
        let at = self.known.iter().position(same)?;
        Some(self.known.swap_remove(at).sum)
    }

    /// Keeps Σ x K over these values for as long as the tape lives.
    pub(crate) fn know(&mut self, kernel: ParamId, parts: &[Var], sum: Vec<S>) {
        let parts = parts.to_vec();
        self.known.push(Known { kernel, parts, sum });
    }

    /// The numbers of a value with one row a token, without the separator rows.
    #[must_use]
    pub fn token_values(&self, var: Var) -> Vec<S> {
        let value = self.value(var);
        let live = self.shape(var).live();
        live.flat_map(|range| value[range].iter().copied())
            .collect()
    }

    /// The only number of a loss.
    #[must_use]
    pub fn scalar(&self, var: Var) -> S {
        let value = self.value(var);
        assert_eq!(value.len(), 1, "not a single number");
        value[0]
    }

    /// A constant of any shape; `data` is in memory order and separator rows are set to zero.
    pub fn constant(&mut self, shape: Shape, data: &[S]) -> Var {
        assert_eq!(
            data.len(),
            shape.len(),
            "values of a constant of shape {shape:?}"
        );
        let mut value = self.zeros(shape.len());
        for range in shape.live() {
            value[range.clone()].copy_from_slice(&data[range]);
        }
        self.push_leaf(shape, value)
    }

    /// A constant with one row a token; `data` holds the tokens of all sequences without separators.
    pub fn tokens(&mut self, layout: &Arc<Layout>, cols: usize, data: &[S]) -> Var {
        assert_eq!(
            data.len(),
            layout.tokens() * cols,
            "values of {} tokens",
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
        let learns = self.learns(id);
        self.push_node(shape, value, learns, || Box::new(Parameter { id }))
    }

    /// Whether a parameter gets a gradient on this tape.
    pub(crate) fn learns(&self, id: ParamId) -> bool {
        match &self.mode {
            Mode::Infer => false,
            Mode::Train { freeze, .. } => !freeze.covers(self.params.get(id).name()),
        }
    }

    pub(crate) fn needs_grad(&self, var: Var) -> bool {
        self.nodes[var.0].needs_grad
    }

    pub(crate) fn zeros(&mut self, len: usize) -> Vec<S> {
        self.workspace.pool.zeros(len)
    }

    /// A buffer for a value of which every live row will be written; separator rows are zero already.
    pub(crate) fn unwritten(&mut self, shape: &Shape) -> Vec<S> {
        self.workspace.unwritten(shape)
    }

    /// A buffer of any numbers, for whoever writes all of them.
    pub(crate) fn scratch(&mut self, len: usize) -> Vec<S> {
        self.workspace.pool.scratch(len)
    }

    pub(crate) fn give(&mut self, buffer: Vec<S>) {
        self.workspace.pool.give(buffer);
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

    /// Adds the result of an operation that depends on `inputs`.
    pub(crate) fn push<B: Backward<S> + 'static>(
        &mut self,
        shape: Shape,
        value: Vec<S>,
        inputs: &[Var],
        backward: impl FnOnce() -> B,
    ) -> Var {
        let needs_grad = inputs.iter().any(|&var| self.needs_grad(var));
        self.push_node(shape, value, needs_grad, || Box::new(backward()))
    }

    /// Adds a single number that depends on `inputs`.
    pub(crate) fn push_number<B: Backward<S> + 'static>(
        &mut self,
        number: S,
        inputs: &[Var],
        backward: impl FnOnce() -> B,
    ) -> Var {
        let mut value = self.zeros(1);
        value[0] = number;
        self.push(Shape::plain(1, 1), value, inputs, backward)
    }

    /// Adds the result of an operation that needs a gradient or does not.
    pub(crate) fn push_node(
        &mut self,
        shape: Shape,
        value: Vec<S>,
        needs_grad: bool,
        backward: impl FnOnce() -> Box<dyn Backward<S>>,
    ) -> Var {
        debug_assert_eq!(value.len(), shape.len());
        let needs_grad = needs_grad && self.is_training();
        let backward = needs_grad.then(backward);
        self.nodes.push(Node {
            shape,
            value: OnceCell::from(value),
            deferred: None,
            needs_grad,
            backward,
        });
        Var(self.nodes.len() - 1)
    }

    /// A leaf whose gradient can be asked for; used to check derivatives and to explain predictions.
    pub fn variable(&mut self, shape: Shape, data: &[S]) -> Var {
        let var = self.constant(shape, data);
        let training = self.is_training();
        self.nodes[var.0].needs_grad = training;
        var
    }

    /// Goes back from a loss: gradients of all parameters that learn.
    #[must_use]
    pub fn backward(self, loss: Var) -> Grads<S> {
        let (_, workspace) = self.backward_in(loss, &[]);
        workspace.grads
    }

    /// Goes back from a loss and also returns the gradients of these leaves (made by [`Tape::variable`]).
    #[must_use]
    pub fn backward_to(self, loss: Var, leaves: &[Var]) -> (Vec<Vec<S>>, Grads<S>) {
        let (gradients, workspace) = self.backward_in(loss, leaves);
        (gradients, workspace.grads)
    }

    pub(crate) fn backward_in(mut self, loss: Var, leaves: &[Var]) -> (Vec<Vec<S>>, Workspace<S>) {
        assert_eq!(self.value(loss).len(), 1, "a loss is a single number");
        let freeze = match &self.mode {
            Mode::Infer => panic!("a tape for inference cannot go back"),
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
                pass.workspace.pool.give(grad);
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
            .for_each(|slot| self.workspace.pool.give(slot));
        self.workspace.grads.fold_tiles(self.params);
        self.workspace.grads.merge_rows();
        (gradients, self.into_workspace())
    }

    /// The memory of this tape, for the next one.
    pub(crate) fn into_workspace(mut self) -> Workspace<S> {
        // What was deferred is not from the pool, which would grow with every tape.
        let values = self
            .nodes
            .drain(..)
            .filter(|node| node.deferred.is_none())
            .filter_map(|node| node.value.into_inner());
        let sums = self.known.drain(..).map(|known| known.sum);
        for buffer in values.chain(sums) {
            self.workspace.pool.give(buffer);
        }
        self.workspace
    }
}

struct Parameter {
    id: ParamId,
}

impl<S: Scalar> Backward<S> for Parameter {
    fn backward(&self, _: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        if let Some(slot) = pass.param_grad(self.id) {
            slot.iter_mut().zip(grad).for_each(|(slot, &g)| *slot += g);
        }
    }
}

/// Rows of a value that has one row a sequence of `layout`.
pub(crate) fn assert_sequences(shape: &Shape, layout: &Layout) {
    match shape.rows {
        Rows::Plain(rows) if rows == layout.sequences() => {}
        ref other => panic!(
            "expected {} rows, one a sequence, found {other:?}",
            layout.sequences()
        ),
    }
}
