//! A tensor, and its packed copies for the product kernels.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::Scalar;
use crate::kernels::{Packed, Stacked, Strided, winograd};

/// A named tensor. A clone has the values only, and packs them again when a product needs them.
#[derive(Debug)]
pub struct Tensor<S> {
    pub(super) name: String,
    pub(super) shape: Vec<usize>,
    pub(super) data: Vec<S>,
    /// Packed for the forward product: one matrix, or one per point for a kernel that is applied in
    /// tiles. Packed on first use and dropped when the values change.
    forward: OnceLock<Vec<Packed<S>>>,
    /// The transpose of `forward`, for the gradient of the input; a single matrix also has its taps
    /// in reverse order.
    backward: OnceLock<Vec<Packed<S>>>,
    /// `forward` and `backward` from before the values changed. [`Tensor::repack`] packs them again
    /// in the same memory: a matrix that was needed once will be needed again.
    stale: (Vec<Packed<S>>, Vec<Packed<S>>),
}

impl<S: Clone> Clone for Tensor<S> {
    fn clone(&self) -> Self {
        Self::new(self.name.clone(), &self.shape, self.data.clone())
    }
}

impl<S> Tensor<S> {
    pub(super) fn new(name: String, shape: &[usize], data: Vec<S>) -> Self {
        Self {
            name,
            shape: shape.to_vec(),
            data,
            forward: OnceLock::new(),
            backward: OnceLock::new(),
            stale: (Vec::new(), Vec::new()),
        }
    }
}

impl<S: Scalar> Tensor<S> {
    /// The full name, with the scopes that it was built in.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The dimensions.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The values in row-major order.
    #[must_use]
    pub fn data(&self) -> &[S] {
        &self.data
    }

    /// The last dimension.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.shape.last().copied().unwrap_or(1)
    }

    /// The product of the other dimensions.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.shape.iter().rev().skip(1).product()
    }

    /// Taps, inputs and outputs of a kernel; a matrix is a kernel of one tap.
    pub(crate) fn kernel(&self) -> (usize, usize, usize) {
        match *self.shape {
            [inputs, outputs] => (1, inputs, outputs),
            [taps, inputs, outputs] => (taps, inputs, outputs),
            _ => panic!("`{}` of shape {:?} is not a kernel", self.name, self.shape),
        }
    }

    pub(crate) fn packed_forward(&self) -> &[Packed<S>] {
        self.forward.get_or_init(|| self.pack_forward(Vec::new()))
    }

    pub(crate) fn packed_backward(&self) -> &[Packed<S>] {
        if let Some(packed) = self.backward.get() {
            return packed;
        }
        // Not inside `get_or_init`, which locks: several threads pack it, and a thread that waits
        // for the others may take work that needs this matrix too. If two threads pack it at the
        // same time, the first result is kept.
        let packed = self.pack_backward(Vec::new());
        self.backward.get_or_init(|| packed)
    }

    fn pack_forward(&self, earlier: Vec<Packed<S>>) -> Vec<Packed<S>> {
        let (taps, inputs, outputs) = self.kernel();
        if winograd::outputs(taps).is_some() {
            return winograd::kernel(&self.data, (taps, inputs, outputs), earlier);
        }
        // Reuses the memory: allocating it again takes as long as the copy.
        let mut packed = earlier.into_iter().next().unwrap_or_else(Packed::empty);
        let view = Strided::rows(0, outputs);
        packed.refill(&self.data, view, (taps * inputs, outputs), outputs);
        vec![packed]
    }

    fn pack_backward(&self, earlier: Vec<Packed<S>>) -> Vec<Packed<S>> {
        let (taps, inputs, outputs) = self.kernel();
        if taps == 1 || winograd::outputs(taps).is_some() {
            let forward = self.packed_forward();
            let mut earlier: Vec<_> = earlier.into_iter().map(Some).collect();
            earlier.resize_with(forward.len(), || None);
            return forward
                .par_iter()
                .zip(earlier)
                .map(|(matrix, earlier)| matrix.transposed(earlier))
                .collect();
        }
        vec![S::pack(&Stacked {
            data: &self.data,
            blocks: (0..taps)
                .rev()
                .map(|tap| Strided::rows(tap * inputs * outputs, outputs).t())
                .collect(),
            rows: outputs,
            cols: inputs,
        })]
    }

    /// Packs again what was packed before the values changed.
    pub(super) fn repack(&mut self) {
        let (forward, backward) = std::mem::take(&mut self.stale);
        if !forward.is_empty() && self.forward.get().is_none() {
            self.forward = OnceLock::from(self.pack_forward(forward));
        }
        if !backward.is_empty() && self.backward.get().is_none() {
            self.backward = OnceLock::from(self.pack_backward(backward));
        }
    }

    /// The values, for writing. Drops the packed copies.
    pub fn data_mut(&mut self) -> &mut [S] {
        if let Some(forward) = self.forward.take() {
            self.stale.0 = forward;
        }
        if let Some(backward) = self.backward.take() {
            self.stale.1 = backward;
        }
        &mut self.data
    }
}
