//! Products with values that a tape for inference has only noted: rows of a table (see [`crate::inference_cache`]), and values side by side,
//! Σ x_p · K_p + b, one product a value.

use super::columns::add_to;
use super::conv::row_set;
use crate::inference_cache::KernelSlice;
use crate::kernels::{Epilogue, RowProduct};
use crate::tape::Deferred;
use crate::{ParamId, Scalar, Shape, Tape, Var};

/// Outputs up to which values side by side are multiplied one by one: what is read of them is then far more than what is written.
pub(super) const MAX_SPLIT_OUTPUTS: usize = 16;

impl<S: Scalar> Tape<'_, S> {
    /// f(Σ_t x_{i+t−c} · K_t + b) straight over rows of a table.
    pub(super) fn convolve_rows(
        &mut self,
        table: ParamId,
        ids: &[u32],
        shape: Shape,
        kernel: ParamId,
        bias: Option<ParamId>,
        relu: bool,
    ) -> Var {
        let params = self.params();
        let (_, inputs, _) = params.get(kernel).kernel();
        let slice = KernelSlice {
            kernel,
            first: 0,
            width: inputs,
        };
        let mut value = self.unwritten(&shape);
        fill_rows(&mut value, &shape, bias.map(|id| params.get(id).data()));
        self.add_products(&mut value, &shape, table, ids, slice);
        if relu {
            relu_in_place(&mut value);
        }
        self.push_node(shape, value, false, || {
            unreachable!("no gradient is needed")
        })
    }

    /// Adds Σ_t x_{i+t−c} · K_t for rows of a table, from what is remembered of their products.
    fn add_products(
        &self,
        value: &mut [S],
        shape: &Shape,
        table: ParamId,
        ids: &[u32],
        slice: KernelSlice,
    ) {
        let params = self.params();
        let (rows, kernel) = (params.get(table), params.get(slice.kernel));
        let (taps, _, outputs) = kernel.kernel();
        let products = params
            .inference_cache()
            .products(table, rows, slice, kernel);
        let found = products.lookup(rows, ids);
        let products: Vec<&[S]> = ids.iter().map(|&id| found.get(id)).collect();
        let mut first = 0;
        for span in shape.token_layout().spans() {
            let own = &products[first..first + span.len()];
            first += span.len();
            for (i, row) in span.clone().enumerate() {
                let to = &mut value[row * outputs..][..outputs];
                for tap in 0..taps {
                    let word = (i + tap).checked_sub(taps / 2);
                    if let Some(product) = word.and_then(|word| own.get(word)) {
                        add_to(to, &product[tap * outputs..][..outputs]);
                    }
                }
            }
        }
    }

    /// Σ x · K + b over values side by side, without putting them there. All but the last are often the same in every round of a network: their
    /// sum is computed once.
    pub(super) fn convolve_concat(
        &mut self,
        parts: &[Var],
        shape: Shape,
        kernel: ParamId,
        bias: Option<ParamId>,
        relu: bool,
    ) -> Var {
        let params = self.params();
        let tensor = params.get(kernel);
        let (last, rest) = parts.split_last().expect("at least one part");
        let sum = match self.take_partial_sum(kernel, rest) {
            Some(sum) => sum,
            None => {
                let mut sum = self.zeros(shape.len());
                let mut first = 0;
                for &part in rest {
                    first = self.add_product(&mut sum, &shape, part, kernel, first, None, false);
                }
                sum
            }
        };
        let mut value = self.scratch(shape.len());
        value.copy_from_slice(&sum);
        self.keep_partial_sum(kernel, rest, sum);
        let first = tensor.rows() - self.shape(*last).cols;
        let bias = bias.map(|bias| params.get(bias).data());
        self.add_product(&mut value, &shape, *last, kernel, first, bias, relu);
        self.push_node(shape, value, false, || {
            unreachable!("no gradient is needed")
        })
    }

    /// Adds x · K for one of several values side by side, which meets the kernel's inputs from `first` on; where the next one meets it.
    #[allow(
        clippy::too_many_arguments,
        reason = "a product and what is done after it"
    )]
    fn add_product(
        &mut self,
        value: &mut [S],
        shape: &Shape,
        x: Var,
        kernel: ParamId,
        first: usize,
        bias: Option<&[S]>,
        relu: bool,
    ) -> usize {
        let params = self.params();
        let width = self.shape(x).cols;
        let slice = KernelSlice {
            kernel,
            first,
            width,
        };
        if let (Some(Deferred::Rows { table, ids }), None, false) = (self.deferred(x), bias, relu) {
            self.add_products(value, shape, table, &ids, slice);
            return first + width;
        }
        self.materialize(x);
        S::row_product(RowProduct {
            rows: row_set(shape),
            a: self.value(x),
            a_stride: width,
            shift: 0,
            b: &params.inference_cache().packed(slice, params.get(kernel)),
            c: value,
            c_stride: shape.cols,
            accumulate: true,
            bias,
            epilogue: Epilogue::relu(relu),
            split: false,
        });
        first + width
    }
}

/// Sets every live row to the bias.
fn fill_rows<S: Scalar>(value: &mut [S], shape: &Shape, bias: Option<&[S]>) {
    for row in shape.live_rows().flatten() {
        let to = &mut value[row * shape.cols..][..shape.cols];
        match bias {
            Some(bias) => to.copy_from_slice(bias),
            None => to.fill(S::zero()),
        }
    }
}

/// max(0, x); a NaN stays one.
fn relu_in_place<S: Scalar>(value: &mut [S]) {
    for x in value {
        *x = if *x < S::zero() { S::zero() } else { *x };
    }
}
