//! y_i = f(Σ_t x_{i+t−c} · K_t + b), t = 0 … 2c: a 1-D convolution over each sequence; with one
//! tap, a linear layer.
//!
//! Rows are consecutive in memory, so the window of row `i` is `(2c + 1) · inputs` consecutive
//! numbers from row `i − c` on, and the whole convolution is one product without im2col. The
//! gradient of the input is the same product with the taps in reverse order and each tap
//! transposed. Kernels of 3 and 5 taps are applied in tiles, which need fewer multiplications;
//! see [`winograd`].

use rayon::prelude::*;

use super::columns::add_to;
use super::deferred::MAX_SPLIT_OUTPUTS;
use crate::kernels::elementwise::add;
use crate::kernels::winograd::{self, POINTS, Tiles};
use crate::kernels::{Epilogue, GradientProduct, PARALLEL_THRESHOLD, Packed, RowProduct, RowSet};
use crate::tape::{Backward, BackwardPass, Deferred};
use crate::{ParamId, Precision, Rows, Scalar, Shape, Tape, Var};

struct Conv {
    x: Var,
    kernel: ParamId,
    bias: Option<ParamId>,
    relu: bool,
}

/// The live rows of a shape.
pub(super) fn row_set(shape: &Shape) -> RowSet<'_> {
    match &shape.rows {
        Rows::Tokens(layout) => layout.row_set(),
        rows => RowSet::First(rows.count()),
    }
}

impl<S: Scalar> Tape<'_, S> {
    /// x · K + b with a kernel of shape `[inputs, outputs]`, or a convolution with a kernel of
    /// shape `[taps, inputs, outputs]`.
    ///
    /// # Panics
    /// If `x` does not have `inputs` columns, the bias does not have `outputs` numbers, the number
    /// of taps is even, or the gap of the layout is less than half the taps.
    pub fn linear(&mut self, x: Var, kernel: ParamId, bias: Option<ParamId>) -> Var {
        self.convolve(x, kernel, bias, false)
    }

    /// max(0, x · K + b), see [`Tape::linear`].
    ///
    /// # Panics
    /// As [`Tape::linear`].
    pub fn linear_relu(&mut self, x: Var, kernel: ParamId, bias: Option<ParamId>) -> Var {
        self.convolve(x, kernel, bias, true)
    }

    fn convolve(&mut self, x: Var, kernel: ParamId, bias: Option<ParamId>, relu: bool) -> Var {
        let params = self.params();
        let (taps, inputs, outputs) = params.get(kernel).kernel();
        let name = params.get(kernel).name();
        assert_eq!(self.shape(x).cols, inputs, "number of inputs of `{name}`");
        let half = half_width(taps, self.shape(x), name);
        let shape = self.shape(x).with_cols(outputs);
        match self.deferred(x) {
            Some(Deferred::Rows { table, ids }) => {
                return self.convolve_rows(table, &ids, shape, kernel, bias, relu);
            }
            Some(Deferred::Concat(parts)) if taps == 1 && outputs <= MAX_SPLIT_OUTPUTS => {
                return self.convolve_concat(&parts, shape, kernel, bias, relu);
            }
            _ => self.materialize(x),
        }
        let needs_grad = self.needs_grad(x)
            || self.is_trainable(kernel)
            || bias.is_some_and(|bias| self.is_trainable(bias));
        if winograd::outputs(taps).is_some() {
            return self.convolve_tiles(x, shape, kernel, bias, relu, needs_grad);
        }
        let mut value = self.unwritten(&shape);
        let split = self.splits();
        S::row_product(RowProduct {
            rows: row_set(&shape),
            a: self.value(x),
            a_stride: inputs,
            shift: -half,
            b: &params.get(kernel).packed_forward()[0],
            c: &mut value,
            c_stride: outputs,
            accumulate: false,
            bias: bias.map(|bias| params.get(bias).data()),
            epilogue: Epilogue::relu(relu),
            split,
            precision: params.precision(),
        });
        self.push_node(shape, value, needs_grad, || {
            Box::new(Conv {
                x,
                kernel,
                bias,
                relu,
            })
        })
    }

    fn convolve_tiles(
        &mut self,
        x: Var,
        shape: Shape,
        kernel: ParamId,
        bias: Option<ParamId>,
        relu: bool,
        needs_grad: bool,
    ) -> Var {
        let params = self.params();
        let (taps, inputs, outputs) = params.get(kernel).kernel();
        let tiles = Tiles::new(shape.token_layout(), taps).expect("a kernel with tiles");
        let mut points = self.scratch(POINTS * tiles.stride(inputs));
        tiles.inputs(self.value(x), inputs, &mut points);
        let mut products = self.scratch(POINTS * tiles.stride(outputs));
        let packed = params.get(kernel).packed_forward();
        let precision = point_precision(params.precision());
        let split = self.splits();
        point_products(&tiles, packed, &points, &mut products, split, precision);
        let mut value = self.unwritten(&shape);
        let bias_values = bias.map(|bias| params.get(bias).data());
        tiles.outputs(&products, outputs, bias_values, relu, &mut value);
        self.recycle(products);
        if !(needs_grad && self.is_training()) {
            self.recycle(points);
            return self.push_node(shape, value, false, || {
                unreachable!("no gradient is needed")
            });
        }
        let points = self.push_leaf(Shape::plain(1, points.len()), points);
        self.push_node(shape, value, true, || {
            Box::new(TiledConv {
                x,
                points,
                tiles,
                kernel,
                bias,
                relu,
            })
        })
    }
}

fn half_width(taps: usize, shape: &Shape, name: &str) -> isize {
    assert!(
        taps % 2 == 1,
        "`{name}` has {taps} taps, but the number of taps must be odd"
    );
    let half = taps / 2;
    if half > 0 {
        let gap = shape.token_layout().gap();
        assert!(
            half <= gap,
            "`{name}` has {taps} taps, but sequences are only {gap} rows apart"
        );
    }
    isize::try_from(half).expect("a kernel has few taps")
}

impl<S: Scalar> Backward<S> for Conv {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let y = pass.value(this);
        let shape = pass.shape(this);
        let mut clipped = pass.scratch(if self.relu { grad.len() } else { 0 });
        let grad = if self.relu {
            for (slot, (&g, &y)) in clipped.iter_mut().zip(grad.iter().zip(y)) {
                *slot = if y > S::zero() { g } else { S::zero() };
            }
            &clipped
        } else {
            grad
        };
        linear_back(pass, shape, self.x, (self.kernel, self.bias), grad);
        pass.recycle(clipped);
    }
}

/// The backward pass of x · K + b. `shape` is the shape of the output.
pub(super) fn linear_back<S: Scalar>(
    pass: &mut BackwardPass<'_, S>,
    shape: &Shape,
    x: Var,
    (kernel_id, bias): (ParamId, Option<ParamId>),
    grad: &[S],
) {
    let input = pass.value(x);
    let kernel = pass.params().get(kernel_id);
    let precision = pass.params().precision();
    let (taps, inputs, outputs) = kernel.kernel();
    let half = half_width(taps, shape, kernel.name());
    if let Some(slot) = bias.and_then(|bias| pass.param_grad(bias)) {
        for row in shape.live_rows().flatten() {
            add(slot, &grad[row * outputs..][..outputs]);
        }
    }
    if let Some((slot, accumulate)) = pass.param_grad_or_new(kernel_id) {
        let segments: Vec<_> = shape.live_rows().collect();
        S::gradient_product(GradientProduct {
            segments: &segments,
            a: input,
            m: inputs,
            shift: -half,
            taps,
            b: grad,
            n: outputs,
            c: slot,
            accumulate,
            precision,
        });
    }
    if let Some((slot, new)) = pass.grad_or_new(x) {
        S::row_product(RowProduct {
            rows: row_set(shape),
            a: grad,
            a_stride: outputs,
            shift: -half,
            b: &kernel.packed_backward()[0],
            c: slot,
            c_stride: inputs,
            accumulate: !new,
            bias: None,
            epilogue: Epilogue::Identity,
            split: false,
            precision,
        });
    }
}

/// The precision of the products of points. bfloat16 is for training too, where the errors that the
/// transforms amplify would add up over the steps.
fn point_precision(precision: Precision) -> Precision {
    match precision {
        Precision::F32 | Precision::Bf16 => Precision::F32,
        Precision::Int8 => Precision::Int8,
    }
}

/// The product of every point: `c[p] = a[p] · b[p]`, with one row per tile.
fn point_products<S: Scalar>(
    tiles: &Tiles,
    b: &[Packed<S>],
    a: &[S],
    c: &mut [S],
    split: bool,
    precision: Precision,
) {
    let Some((inputs, outputs)) = b.first().map(Packed::shape) else {
        return;
    };
    let (a_stride, c_stride) = (tiles.stride(inputs), tiles.stride(outputs));
    let product = |(a, (b, c)): (&[S], (&Packed<S>, &mut [S]))| {
        S::row_product(RowProduct {
            rows: RowSet::First(tiles.len()),
            a,
            a_stride: inputs,
            shift: 0,
            b,
            c,
            c_stride: outputs,
            accumulate: false,
            bias: None,
            epilogue: Epilogue::Identity,
            split: false,
            precision,
        });
    };
    if split && a.len() * outputs > PARALLEL_THRESHOLD {
        let right = b.par_iter().zip(c.par_chunks_mut(c_stride));
        a.par_chunks(a_stride).zip(right).for_each(product);
    } else {
        let right = b.iter().zip(c.chunks_mut(c_stride));
        a.chunks(a_stride).zip(right).for_each(product);
    }
}

struct TiledConv {
    x: Var,
    /// The input at the points of every tile.
    points: Var,
    tiles: Tiles,
    kernel: ParamId,
    bias: Option<ParamId>,
    relu: bool,
}

impl<S: Scalar> Backward<S> for TiledConv {
    fn backward(&self, this: Var, grad: &[S], pass: &mut BackwardPass<'_, S>) {
        let tiles = &self.tiles;
        let params = pass.params();
        let kernel = params.get(self.kernel);
        let (_, inputs, outputs) = kernel.kernel();
        let clipped = self.relu.then(|| pass.value(this));
        let mut products = pass.scratch(POINTS * tiles.stride(outputs));
        tiles.outputs_back(grad, outputs, clipped, &mut products);
        let stride = tiles.stride(outputs);
        if let Some(slot) = self.bias.and_then(|bias| pass.param_grad(bias)) {
            for row in products[stride..][..tiles.len() * outputs].chunks_exact(outputs.max(1)) {
                add_to(slot, row);
            }
        }
        let points = pass.value(self.points);
        if let Some((slot, accumulate)) = pass.tiled_grad(self.kernel) {
            for p in 0..POINTS {
                S::gradient_product(GradientProduct {
                    segments: std::slice::from_ref(&(0..tiles.len())),
                    a: &points[p * tiles.stride(inputs)..][..tiles.len() * inputs],
                    m: inputs,
                    shift: 0,
                    taps: 1,
                    b: &products[p * stride..][..tiles.len() * outputs],
                    n: outputs,
                    c: &mut slot[p * winograd::stride(inputs * outputs)..][..inputs * outputs],
                    accumulate,
                    precision: Precision::F32,
                });
            }
        }
        let mut inner = pass.scratch(points.len());
        if let Some(slot) = pass.grad(self.x) {
            point_products(
                tiles,
                kernel.packed_backward(),
                &products,
                &mut inner,
                false,
                Precision::F32,
            );
            tiles.inputs_back(&inner, inputs, slot);
        }
        pass.recycle(inner);
        pass.recycle(products);
    }
}
