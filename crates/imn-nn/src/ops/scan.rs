//! h̃_t = g_t ⊙ h_t + (1 − g_t) ⊙ h̃_{t−1} with h̃_0 = 0: a gated scan along each sequence.

use crate::tape::{Backward, BackwardPass};
use crate::{Scalar, Tape, Var};

struct GatedScan {
    gate: Var,
    h: Var,
}

impl<S: Scalar> Tape<'_, S> {
    /// h̃_t = g_t ⊙ h_t + (1 − g_t) ⊙ h̃_{t−1} with h̃_0 = 0, along each sequence.
    ///
    /// # Panics
    /// If `gate` and `h` do not have the same shape with one row per token, or the layout has no
    /// gap: the separator row before a sequence serves as h̃_0.
    pub fn gated_scan(&mut self, gate: Var, h: Var) -> Var {
        let shape = self.shape(h).clone();
        shape.assert_same(self.shape(gate));
        let layout = shape.token_layout();
        assert!(layout.gap() > 0, "a scan needs a gap between sequences");
        let cols = shape.cols;
        let mut value = self.zeros(shape.len());
        let (g, h_in) = (self.value(gate), self.value(h));
        for i in shape.live().flatten() {
            // The row before the first token is a separator, which is zero.
            value[i] = g[i] * h_in[i] + (S::one() - g[i]) * value[i - cols];
        }
        self.push(shape, value, &[gate, h], || GatedScan { gate, h })
    }
}

impl<S: Scalar> Backward<S> for GatedScan {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let (g, h, out, shape) = (
            pass.value(self.gate),
            pass.value(self.h),
            pass.value(this),
            pass.shape(this),
        );
        let cols = shape.cols;
        // The gradient of h̃_t: `grad` plus the contribution of h̃_{t+1}.
        let mut total = pass.zeros(grad.len());
        total.copy_from_slice(grad);
        for range in shape.live() {
            for i in (range.start + cols..range.end).rev() {
                let back = total[i] * (S::one() - g[i]);
                total[i - cols] += back;
            }
        }
        if let Some(slot) = pass.grad(self.h) {
            for i in shape.live().flatten() {
                slot[i] += total[i] * g[i];
            }
        }
        if let Some(slot) = pass.grad(self.gate) {
            for i in shape.live().flatten() {
                slot[i] += total[i] * (h[i] - out[i - cols]);
            }
        }
        pass.recycle(total);
    }
}
