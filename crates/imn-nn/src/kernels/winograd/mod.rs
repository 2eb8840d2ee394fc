//! Y = Aᵀ[(G k) ⊙ (Bᵀ x)]: m consecutive outputs of a convolution with m + taps − 1 products
//! instead of m · taps.
//!
//! The outputs of a tile are coefficients of a product of polynomials. Evaluating both polynomials
//! at [`POINTS`] points (0, ±1, ±2, ±½, ∞) turns it into one product of numbers per point (Toom and
//! Cook; Winograd, *Arithmetic Complexity of Computations*, 1980). With many channels, each number
//! becomes a row, and the product at a point becomes a matrix product. With 8 points, a kernel of 5
//! taps gives 4 outputs for 8 products instead of 20, and a kernel of 3 taps gives 6 outputs for 8
//! products instead of 18. The transforms only add and scale rows.
//!
//! A tile reads nothing of other sequences: beyond the ends of its own it reads the separating
//! rows, which are zero, or counts rows as zero, and outputs past the end are dropped. A sequence
//! therefore gets the same result, bit for bit, in every batch.

mod dispatch;
mod lanes;
mod transforms;

use self::dispatch::Transform;
use super::Packed;
use crate::{Layout, Scalar};

/// Number of points at which a tile is evaluated, which is also the number of input rows it reads.
pub(crate) const POINTS: usize = 8;

/// Unused numbers between the matrices of two points, see [`stride`].
const PADDING: usize = 48;

/// Outputs per tile of a kernel of this many taps; `None` if it uses the direct product.
pub(crate) const fn outputs(taps: usize) -> Option<usize> {
    match taps {
        3 | 5 => Some(POINTS + 1 - taps),
        _ => None,
    }
}

/// Distance between the matrices of two points, which have `size` numbers each. Sizes are often a
/// power of two; without padding, the same element of every point would map to the same few cache
/// lines.
pub(crate) const fn stride(size: usize) -> usize {
    size + PADDING
}

/// Consecutive outputs of one sequence.
#[derive(Debug, Clone, Copy)]
struct Tile {
    /// Row of its first output.
    first: usize,
    /// First row of its sequence.
    start: usize,
    /// Row after the last of its sequence.
    end: usize,
}

/// The tiles of the sequences of a layout.
#[derive(Debug)]
pub(crate) struct Tiles {
    taps: usize,
    outputs: usize,
    tiles: Vec<Tile>,
}

impl Tiles {
    /// The tiles for a kernel of this many taps; `None` if it uses the direct product. The gap of
    /// the layout must be at least half the taps.
    pub(crate) fn new(layout: &Layout, taps: usize) -> Option<Self> {
        let outputs = outputs(taps)?;
        assert!(
            layout.gap() >= taps / 2,
            "the gap is too small for the kernel"
        );
        let mut tiles = Vec::with_capacity(layout.tokens() / outputs + layout.sequences());
        for span in layout.spans() {
            tiles.extend(span.clone().step_by(outputs).map(|first| Tile {
                first,
                start: span.start,
                end: span.end,
            }));
        }
        Some(Self {
            taps,
            outputs,
            tiles,
        })
    }

    /// Number of tiles.
    pub(crate) fn len(&self) -> usize {
        self.tiles.len()
    }

    /// Distance between the matrices of two points, which have one row of `cols` numbers per tile.
    pub(crate) fn stride(&self, cols: usize) -> usize {
        stride(self.len() * cols)
    }

    /// v = Bᵀ x of every tile: [`POINTS`] matrices with one row per tile.
    pub(crate) fn inputs<S: Scalar>(&self, x: &[S], cols: usize, v: &mut [S]) {
        assert_eq!(v.len(), POINTS * self.stride(cols));
        let tiles = self;
        Transform::Inputs { tiles, x, cols, v }.run();
    }

    /// The gradient of [`Tiles::inputs`], added to `dx`.
    pub(crate) fn inputs_back<S: Scalar>(&self, dv: &[S], cols: usize, dx: &mut [S]) {
        assert_eq!(dv.len(), POINTS * self.stride(cols));
        let tiles = self;
        Transform::InputsBack {
            tiles,
            dv,
            cols,
            dx,
        }
        .run();
    }

    /// y = Aᵀ m + bias, followed by ReLU if `relu` is set.
    pub(crate) fn outputs<S: Scalar>(
        &self,
        m: &[S],
        cols: usize,
        bias: Option<&[S]>,
        relu: bool,
        y: &mut [S],
    ) {
        assert_eq!(m.len(), POINTS * self.stride(cols));
        let tiles = self;
        Transform::Outputs {
            tiles,
            m,
            cols,
            bias,
            relu,
            y,
        }
        .run();
    }

    /// The gradient of [`Tiles::outputs`] with respect to m. `y` is given if ReLU was applied. Each
    /// row of the second point (+1) is the sum over the outputs of a tile, so the gradient of the
    /// bias is the sum of these rows.
    pub(crate) fn outputs_back<S: Scalar>(
        &self,
        dy: &[S],
        cols: usize,
        y: Option<&[S]>,
        dm: &mut [S],
    ) {
        assert_eq!(dm.len(), POINTS * self.stride(cols));
        let tiles = self;
        Transform::OutputsBack {
            tiles,
            dy,
            cols,
            y,
            dm,
        }
        .run();
    }
}

/// G k: [`POINTS`] packed matrices from one matrix per tap, in the memory of earlier ones.
pub(crate) fn kernel<S: Scalar>(
    k: &[S],
    (taps, inputs, outputs): (usize, usize, usize),
    earlier: Vec<Packed<S>>,
) -> Vec<Packed<S>> {
    let mut earlier = earlier.into_iter();
    let mut points: Vec<_> = (0..POINTS)
        .map(|_| Packed::unwritten(inputs, outputs, S::packed_layout(), earlier.next()))
        .collect();
    let to = points.as_mut_slice();
    Transform::Kernel { k, taps, to }.run();
    points
}

/// The gradient of [`kernel`]: added to `dk` if `accumulate` is set, otherwise replacing it.
pub(crate) fn kernel_back<S: Scalar>(du: &[S], taps: usize, dk: &mut [S], accumulate: bool) {
    let size = dk.len() / taps;
    assert_eq!(du.len(), POINTS * stride(size));
    Transform::KernelBack {
        du,
        taps,
        size,
        dk,
        accumulate,
    }
    .run();
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::outputs;
    use crate::{Init, Layout, Params, Scalar, Tape};

    /// The convolution by its formula.
    fn direct(layout: &Layout, x: &[f64], kernel: &[f64], taps: usize, n: usize) -> Vec<f64> {
        let cols = kernel.len() / taps / n;
        let mut y = Vec::new();
        let mut first = 0;
        for span in layout.spans() {
            let rows = &x[first * cols..(first + span.len()) * cols];
            first += span.len();
            for i in 0..span.len() {
                for o in 0..n {
                    let mut sum = 0.0;
                    for t in 0..taps {
                        let Some(row) = (i + t).checked_sub(taps / 2).filter(|&r| r < span.len())
                        else {
                            continue;
                        };
                        for c in 0..cols {
                            sum += rows[row * cols + c] * kernel[(t * cols + c) * n + o];
                        }
                    }
                    y.push(sum);
                }
            }
        }
        y
    }

    fn worst<S: Scalar>(taps: usize, cols: usize, n: usize) -> f64 {
        let layout = Arc::new(Layout::new([1, 0, 2, 3, 4, 5, 6, 7, 8, 13, 40], taps / 2));
        let mut params = Params::<S>::new();
        let kernel = Init::Normal { std: 1.0 }.draw::<f64>(&[taps, cols, n], 1, "kernel");
        let id = params.add(
            "kernel",
            &[taps, cols, n],
            kernel.iter().map(|&k| S::from_f64(k)).collect(),
        );
        let x = Init::Normal { std: 1.0 }.draw::<f64>(&[layout.tokens(), cols], 1, "x");
        let mut tape = Tape::infer(&params);
        let rounded: Vec<S> = x.iter().map(|&x| S::from_f64(x)).collect();
        let input = tape.tokens(&layout, cols, &rounded);
        let y = tape.linear(input, id, None);
        let expected = direct(&layout, &x, &kernel, taps, n);
        let largest = expected.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        tape.token_values(y)
            .iter()
            .zip(&expected)
            .map(|(found, expected)| (found.as_f64() - expected).abs() / largest)
            .fold(0.0, f64::max)
    }

    #[test]
    fn tiles_equal_the_formula() {
        for taps in [3, 5] {
            assert!(outputs(taps).is_some());
            for (cols, n) in [(1, 1), (8, 16), (13, 21), (64, 40)] {
                let exact = worst::<f64>(taps, cols, n);
                assert!(exact < 1e-13, "{taps} taps in f64: {exact}");
                let error = worst::<f32>(taps, cols, n);
                assert!(error < 1e-5, "{taps} taps in f32: {error}");
            }
        }
    }
}
