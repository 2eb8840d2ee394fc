//! Reverse-mode differentiation. A [`Tape`] runs operations as they are written; in training it
//! also records them, and [`Tape::backward`] runs the record in reverse.

mod backward_pass;
mod deferred;
mod leaves;
mod workspace;

use std::cell::OnceCell;

use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

pub(crate) use backward_pass::{Backward, BackwardPass};
pub(crate) use deferred::Deferred;
pub(crate) use workspace::Workspace;

use crate::{Freeze, Layout, ParamId, Params, Rows, Scalar, Shape};
use deferred::PartialSum;

/// A value on a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Var(usize);

struct Node<S: Scalar> {
    shape: Shape,
    /// Empty while the value is deferred and has not been read.
    value: OnceCell<Vec<S>>,
    /// How to compute a deferred value.
    deferred: Option<Deferred>,
    needs_grad: bool,
    backward: Option<Box<dyn Backward<S>>>,
}

enum Mode<'p> {
    Infer,
    Train {
        freeze: &'p Freeze,
        rng: Box<Xoshiro256PlusPlus>,
    },
}

/// The operations of one forward pass over a packed batch.
///
/// A tape for inference records nothing for a backward pass, and dropout does nothing on it.
pub struct Tape<'p, S: Scalar> {
    params: &'p Params<S>,
    mode: Mode<'p>,
    nodes: Vec<Node<S>>,
    partial_sums: Vec<PartialSum<S>>,
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
            partial_sums: Vec::new(),
            workspace,
            split: false,
        }
    }

    /// A tape for training. `seed` determines the dropout masks; frozen parameters get no gradient.
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
            partial_sums: Vec::new(),
            workspace,
            split: false,
        }
    }

    /// Splits large products over the threads of the current pool, which lowers the latency of a
    /// single sequence. Batches are faster with one tape per thread. The results are the same bit
    /// for bit. The portable kernels ignore this setting.
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

    /// The random stream of dropout; `None` in inference.
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

    /// The numbers of a value in memory order, separator rows included.
    #[must_use]
    pub fn value(&self, var: Var) -> &[S] {
        let node = &self.nodes[var.0];
        node.value.get_or_init(|| {
            let mut value = vec![S::zero(); node.shape.len()];
            self.gather(node, &mut value);
            value
        })
    }

    /// The numbers of a value in memory order, without separator rows.
    #[must_use]
    pub fn token_values(&self, var: Var) -> Vec<S> {
        let value = self.value(var);
        let live = self.shape(var).live();
        live.flat_map(|range| value[range].iter().copied())
            .collect()
    }

    /// The number of a value that has only one, such as a loss.
    ///
    /// # Panics
    /// If the value does not have exactly one number.
    #[must_use]
    pub fn scalar(&self, var: Var) -> S {
        let value = self.value(var);
        assert_eq!(value.len(), 1, "not a single number");
        value[0]
    }

    /// Whether a parameter gets a gradient on this tape.
    pub(crate) fn is_trainable(&self, id: ParamId) -> bool {
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

    /// See [`Workspace::unwritten`].
    pub(crate) fn unwritten(&mut self, shape: &Shape) -> Vec<S> {
        self.workspace.unwritten(shape)
    }

    /// A buffer with arbitrary contents, for a caller that overwrites all of it.
    pub(crate) fn scratch(&mut self, len: usize) -> Vec<S> {
        self.workspace.pool.scratch(len)
    }

    pub(crate) fn recycle(&mut self, buffer: Vec<S>) {
        self.workspace.pool.recycle(buffer);
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
    pub(crate) fn push_scalar<B: Backward<S> + 'static>(
        &mut self,
        number: S,
        inputs: &[Var],
        backward: impl FnOnce() -> B,
    ) -> Var {
        let mut value = self.zeros(1);
        value[0] = number;
        self.push(Shape::plain(1, 1), value, inputs, backward)
    }

    /// Adds the result of an operation. `backward` is called only if `needs_grad` is set and the
    /// tape is for training.
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

    /// The memory of this tape, for the next one.
    pub(crate) fn into_workspace(mut self) -> Workspace<S> {
        // Not the deferred values: the pool did not allocate them, and would grow with every tape.
        let values = self
            .nodes
            .drain(..)
            .filter(|node| node.deferred.is_none())
            .filter_map(|node| node.value.into_inner());
        let sums = self.partial_sums.drain(..).map(|partial| partial.sum);
        for buffer in values.chain(sums) {
            self.workspace.pool.recycle(buffer);
        }
        self.workspace
    }
}

/// Panics unless a value has one row per sequence of `layout`.
pub(crate) fn assert_sequences(shape: &Shape, layout: &Layout) {
    match shape.rows {
        Rows::Plain(rows) if rows == layout.sequences() => {}
        ref other => panic!(
            "expected {} rows, one per sequence, found {other:?}",
            layout.sequences()
        ),
    }
}
