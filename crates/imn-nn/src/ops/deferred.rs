//! Products with deferred values, in inference: rows of a table (see [`crate::inference_cache`]),
//! and concatenations as Σ x_p · K_p + b, with one product per concatenated value.

use super::columns::add_to;
use super::conv::row_set;
use crate::inference_cache::KernelSlice;
use crate::kernels::{Epilogue, RowProduct};
use crate::tape::Deferred;
use crate::{ParamId, Precision, Scalar, Shape, Tape, Var};

/// Maximum number of outputs for which the values of a concatenation are multiplied one by one.
/// With few outputs, reading the inputs costs far more than adding to the outputs several times.
pub(super) const MAX_SPLIT_OUTPUTS: usize = 16;

impl<S: Scalar> Tape<'_, S> {
    /// f(Σ_t x_{i+t−c} · K_t + b) directly over rows of a table.
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

    /// Adds Σ_t x_{i+t−c} · K_t for rows of a table, from their cached products.
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

    /// f(Σ x · K + b) over the values of a concatenation, without concatenating them. Often only
    /// the last value changes from one iteration of a network to the next, so the sum over the
    /// others is kept.
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
        let (last, rest) = parts.split_last().expect("at least one value");
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

    /// Adds x · K for one value of a concatenation, whose slice of the kernel begins at input
    /// `first`. Returns where the slice of the next value begins.
    #[allow(clippy::too_many_arguments, reason = "a product and its epilogue")]
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
            precision: Precision::F32,
        });
        first + width
    }
}

/// Sets every live row to the bias, or to zero.
fn fill_rows<S: Scalar>(value: &mut [S], shape: &Shape, bias: Option<&[S]>) {
    for row in shape.live_rows().flatten() {
        let to = &mut value[row * shape.cols..][..shape.cols];
        match bias {
            Some(bias) => to.copy_from_slice(bias),
            None => to.fill(S::zero()),
        }
    }
}

/// max(0, x); a NaN stays a NaN.
fn relu_in_place<S: Scalar>(value: &mut [S]) {
    for x in value {
        *x = if *x < S::zero() { S::zero() } else { *x };
    }
}
