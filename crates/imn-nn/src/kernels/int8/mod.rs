//! Products of 8-bit integers, for inference.
//!
//! A number is s · q, with an integer q from −127 to 127 and a scale s. [`BLOCK`] consecutive
//! numbers of a row of `A`, or of a column of `B`, share a scale, so that a large number spoils the
//! resolution of few others:
//!
//! `C[r][c] = Σ_blocks s_A[r][block] · s_B[c][block] · Σ_{i in block} q_A[r][i] · q_B[i][c]`
//!
//! The inner sums are exact, so all kernels return the same bits. `B` is quantized once and kept
//! with the packed matrix; the rows of `A` are quantized for every product.
//!
//! AVX512-VNNI multiplies 64 pairs in one instruction (`vnni.rs`), AVX2 16 (`avx2.rs`). Other
//! machines use plain loops (`portable.rs`).

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;
mod quantized;
#[cfg(target_arch = "x86_64")]
mod vnni;

use std::cell::RefCell;
use std::ops::Range;

pub(super) use quantized::QuantizedPanels;

use super::output::{Output, for_each_part};
use super::{Epilogue, Packed, RowProduct};
use quantized::QuantizedRows;

/// Numbers that share a scale.
const BLOCK: usize = 64;

/// Columns of a panel of `B`.
const PANEL: usize = 16;

/// Panels that a kernel reads together.
const PAIR: usize = 2;

/// Consecutive numbers of a column that are side by side in memory: the depth of an instruction.
const QUAD: usize = 4;

/// Added to the integers of `A`, which VNNI reads as unsigned.
const OFFSET: i32 = 128;

/// Rows of the largest tile.
const ROWS: usize = 6;

thread_local! {
    /// The quantized rows of `A`. Their memory is kept from product to product.
    static LEFT: RefCell<QuantizedRows> = const { RefCell::new(QuantizedRows::new()) };
}

/// Whether a product with this right-hand side uses integers. Small products are not worth it, and
/// the layers with few columns are the last ones, whose numbers decide.
pub(super) fn is_worth_it(b: &Packed<f32>) -> bool {
    b.n >= PAIR * PANEL && b.k >= BLOCK
}

/// An implementation of the sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Int8Kernel {
    /// Plain loops.
    Portable,
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX512-VNNI.
    #[cfg(target_arch = "x86_64")]
    Vnni,
}

impl Int8Kernel {
    /// The kernels that this machine can run, the fastest first.
    pub(super) fn available() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let simd = [
            (super::use_avx2() && vnni::is_available()).then_some(Self::Vnni),
            super::use_avx2().then_some(Self::Avx2),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let simd = [None; 2];
        simd.into_iter().flatten().chain([Self::Portable])
    }

    /// The sums of some rows of `A` and one or two panels of `B`.
    ///
    /// # Safety
    /// The machine must have the instructions.
    #[allow(unsafe_code)]
    unsafe fn sums(self, a: &[QuantizedRow<'_>], b: &[Panel<'_>], sums: &mut TileSums) {
        match self {
            Self::Portable => portable::sums(a, b, sums),
            // SAFETY: the caller guarantees the instructions.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { avx2::sums(a, b, sums) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Vnni => unsafe { vnni::sums(a, b, sums) },
        }
    }
}

/// A row of `A`: whole blocks of integers plus [`OFFSET`], and one scale per block.
#[derive(Clone, Copy)]
struct QuantizedRow<'a> {
    numbers: &'a [u8],
    scales: &'a [f32],
}

/// A panel of `B`. The integers of a block are in groups of 16 columns × [`QUAD`] rows.
#[derive(Clone, Copy)]
struct Panel<'a> {
    numbers: &'a [i8],
    /// One per block and column.
    scales: &'a [f32],
    /// −[`OFFSET`] · Σ q, one per block and column: the sums start here.
    starts: &'a [i32],
}

/// The sums of up to [`ROWS`] rows and [`PAIR`] panels.
type TileSums = [[f32; PAIR * PANEL]; ROWS];

/// See [`RowProduct`]. Uses the fastest kernel.
pub(super) fn row_product(product: RowProduct<'_, f32>) {
    let mut kernels = Int8Kernel::available();
    row_product_with(kernels.next().unwrap_or(Int8Kernel::Portable), product);
}

/// See [`RowProduct`].
///
/// # Panics
/// If the kernel is none of [`Int8Kernel::available`].
pub(super) fn row_product_with(kernel: Int8Kernel, product: RowProduct<'_, f32>) {
    assert!(
        Int8Kernel::available().any(|it| it == kernel),
        "{kernel:?} needs instructions that this machine lacks"
    );
    product.check();
    let b = product.b.quantized();
    let mut a = LEFT.with_borrow_mut(std::mem::take);
    a.fill(&product);
    let work = product.split.then(|| product.rows.len() * b.k * b.n);
    let job = Job {
        kernel,
        a: &a,
        b,
        c: Output::new(product.c),
        rows: product.rows,
        c_stride: product.c_stride,
        accumulate: product.accumulate,
        bias: product.bias,
        epilogue: product.epilogue,
    };
    for_each_part(b.n.div_ceil(PANEL), work, |panels| job.run(panels));
    LEFT.with_borrow_mut(|kept| *kept = a);
}

/// A checked product with a quantized left-hand side.
struct Job<'a> {
    kernel: Int8Kernel,
    a: &'a QuantizedRows,
    b: &'a QuantizedPanels,
    c: Output,
    rows: super::RowSet<'a>,
    c_stride: usize,
    accumulate: bool,
    bias: Option<&'a [f32]>,
    epilogue: Epilogue,
}

impl Job<'_> {
    /// Computes the columns of some panels. Concurrent calls must not share a panel.
    fn run(&self, panels: Range<usize>) {
        let mut sums: TileSums = [[0.0; PAIR * PANEL]; ROWS];
        let tiles = self.rows.len().div_ceil(ROWS);
        for panel in panels.clone().step_by(PAIR) {
            let count = PAIR.min(panels.end - panel);
            let pair = [panel, panel + count - 1].map(|panel| self.b.panel(panel));
            for tile in 0..tiles {
                // Tiles of nearly the same height.
                let from = self.rows.len() * tile / tiles;
                let height = self.rows.len() * (tile + 1) / tiles - from;
                let rows: [_; ROWS] = std::array::from_fn(|r| self.a.row(from + r.min(height - 1)));
                // SAFETY: `row_product_with` asserts that the machine has the instructions.
                #[allow(unsafe_code)]
                unsafe {
                    self.kernel.sums(&rows[..height], &pair[..count], &mut sums)
                };
                for (r, sums) in sums[..height].iter().enumerate() {
                    self.store(from + r, panel * PANEL, sums);
                }
            }
        }
        if self.epilogue == Epilogue::Gelu {
            let columns = panels.start * PANEL..(panels.end * PANEL).min(self.b.n);
            for i in 0..self.rows.len() {
                super::elementwise::gelu(self.output(i, columns.clone()));
            }
        }
    }

    /// Adds the contents of `C` and the bias, applies ReLU if it is the epilogue, and stores.
    fn store(&self, i: usize, first: usize, sums: &[f32; PAIR * PANEL]) {
        let columns = first..(first + PAIR * PANEL).min(self.b.n);
        let bias = self.bias.map(|bias| &bias[columns.clone()]);
        let row = self.output(i, columns);
        for (j, (c, &sum)) in row.iter_mut().zip(sums).enumerate() {
            let mut sum = if self.accumulate { *c + sum } else { sum };
            if let Some(bias) = bias {
                sum += bias[j];
            }
            // Not `max`, which would replace a NaN by 0.
            *c = match self.epilogue {
                Epilogue::Relu if sum < 0.0 => 0.0,
                Epilogue::Identity | Epilogue::Relu | Epilogue::Gelu => sum,
            };
        }
    }

    /// Some columns of the `i`th row of the output. Only the part of the job that computes these
    /// columns may ask for them.
    #[allow(unsafe_code, clippy::mut_from_ref)]
    fn output(&self, i: usize, columns: Range<usize>) -> &mut [f32] {
        let at = self.rows.get(i) * self.c_stride + columns.start;
        // SAFETY: `RowProduct::check` ensures that the row is inside `c`; parts of a job have
        // disjoint columns, and a part holds one row at a time.
        unsafe { std::slice::from_raw_parts_mut(self.c.at(at), columns.len()) }
    }
}
