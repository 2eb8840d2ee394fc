//! The six transforms, compiled for the vector instructions of the machine.

use pulp::{Arch, Simd, WithSimd};

use super::Tiles;
use super::transforms::{
    inputs, inputs_back, kernel_points, kernel_taps, outputs_back, outputs_of,
};
use crate::Scalar;
use crate::kernels::Packed;

/// One of the six transforms. An enum and not a closure: only inlined code is compiled for the
/// vector instructions of the machine, and `with_simd` can be marked `#[inline(always)]`.
pub(super) enum Transform<'a, S> {
    Inputs {
        tiles: &'a Tiles,
        x: &'a [S],
        cols: usize,
        v: &'a mut [S],
    },
    InputsBack {
        tiles: &'a Tiles,
        dv: &'a [S],
        cols: usize,
        dx: &'a mut [S],
    },
    Outputs {
        tiles: &'a Tiles,
        m: &'a [S],
        cols: usize,
        bias: Option<&'a [S]>,
        relu: bool,
        y: &'a mut [S],
    },
    OutputsBack {
        tiles: &'a Tiles,
        dy: &'a [S],
        cols: usize,
        y: Option<&'a [S]>,
        dm: &'a mut [S],
    },
    Kernel {
        k: &'a [S],
        taps: usize,
        to: &'a mut [Packed<S>],
    },
    KernelBack {
        du: &'a [S],
        taps: usize,
        size: usize,
        dk: &'a mut [S],
        accumulate: bool,
    },
}

impl<S: Scalar> Transform<'_, S> {
    pub(super) fn run(self) {
        Arch::new().dispatch(self);
    }
}

impl<S: Scalar> WithSimd for Transform<'_, S> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: Simd>(self, _: V) {
        match self {
            Self::Inputs { tiles, x, cols, v } => inputs(tiles, x, cols, v),
            Self::InputsBack {
                tiles,
                dv,
                cols,
                dx,
            } => inputs_back(tiles, dv, cols, dx),
            Self::Outputs {
                tiles,
                m,
                cols,
                bias,
                relu,
                y,
            } => match tiles.outputs {
                4 => outputs_of::<S, 4>(tiles, m, cols, bias, relu, y),
                _ => outputs_of::<S, 6>(tiles, m, cols, bias, relu, y),
            },
            Self::OutputsBack {
                tiles,
                dy,
                cols,
                y,
                dm,
            } => match tiles.outputs {
                4 => outputs_back::<S, 4>(tiles, dy, cols, y, dm),
                _ => outputs_back::<S, 6>(tiles, dy, cols, y, dm),
            },
            Self::Kernel { k, taps, to } => match taps {
                3 => kernel_points::<S, 3>(k, to),
                _ => kernel_points::<S, 5>(k, to),
            },
            Self::KernelBack {
                du,
                taps,
                size,
                dk,
                accumulate,
            } => match taps {
                3 => kernel_taps::<S, 3>(du, size, dk, accumulate),
                _ => kernel_taps::<S, 5>(du, size, dk, accumulate),
            },
        }
    }
}
