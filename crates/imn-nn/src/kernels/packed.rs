//! Right-hand sides of products, in the layout that a kernel reads.

use std::sync::OnceLock;
#[cfg(target_arch = "x86_64")]
use std::sync::{Arc, Mutex};

#[cfg(target_arch = "x86_64")]
use super::PANEL;
use super::Strided;
use super::int8::QuantizedPanels;
use crate::Scalar;

/// A right-hand side of `k` rows and `n` columns in the layout of the kernel that will read it.
#[derive(Debug, Clone)]
pub struct Packed<S> {
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) data: Vec<S>,
    pub(super) layout: PackedLayout,
    pub(super) copies: Copies,
}

/// The same matrix in other precisions, if products have asked for them.
#[derive(Debug, Clone, Default)]
pub(super) struct Copies {
    /// As integers.
    quantized: OnceLock<QuantizedPanels>,
    /// In bfloat16, as the words of `bf16.rs`: one panel after the other.
    #[cfg(target_arch = "x86_64")]
    rounded: OnceLock<Vec<u32>>,
    /// Memory of an earlier `rounded`. A new allocation for every training step would cost more
    /// than rounding.
    #[cfg(target_arch = "x86_64")]
    spare: Arc<Mutex<Vec<u32>>>,
}

impl Copies {
    /// Drops the copies, because the matrix changes.
    fn clear(&mut self) {
        self.quantized.take();
        #[cfg(target_arch = "x86_64")]
        if let (Some(rounded), Ok(mut spare)) = (self.rounded.take(), self.spare.lock()) {
            *spare = rounded;
        }
    }
}

/// The memory layout of a packed matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackedLayout {
    /// Row-major.
    RowMajor,
    /// Panels of 16 columns, each `k × 16`, the last one padded with zeros.
    #[cfg(target_arch = "x86_64")]
    Panels,
}

impl PackedLayout {
    /// Columns of a panel of a matrix of `n` columns; a row-major matrix is one panel.
    pub(super) fn width(self, n: usize) -> usize {
        match self {
            Self::RowMajor => n,
            #[cfg(target_arch = "x86_64")]
            Self::Panels => PANEL,
        }
    }
}

impl<S: Scalar> Packed<S> {
    /// Rows and columns.
    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.k, self.n)
    }

    /// A matrix in the memory of an earlier one. The caller overwrites all of it except the padding
    /// of the last panel, which is zero.
    pub(super) fn unwritten(
        k: usize,
        n: usize,
        layout: PackedLayout,
        earlier: Option<Self>,
    ) -> Self {
        let width = layout.width(n).max(1);
        let len = n.div_ceil(width) * width * k;
        match earlier {
            // The padding is zero already.
            Some(mut earlier) if (earlier.k, earlier.n, earlier.layout) == (k, n, layout) => {
                earlier.copies.clear();
                earlier
            }
            _ => Self {
                k,
                n,
                data: vec![S::zero(); len],
                layout,
                copies: Copies::default(),
            },
        }
    }

    /// A matrix without rows and columns, see [`Packed::refill`].
    pub(crate) fn empty() -> Self {
        Self {
            k: 0,
            n: 0,
            data: Vec::new(),
            layout: PackedLayout::RowMajor,
            copies: Copies::default(),
        }
    }

    /// Replaces the matrix by `k × n` numbers of `data`, padded with zero columns to `width`.
    ///
    /// # Panics
    /// If the view is out of range of `data`, neither its rows nor its columns are consecutive, or
    /// `n` is greater than `width`.
    pub(crate) fn refill(
        &mut self,
        data: &[S],
        view: Strided,
        (k, n): (usize, usize),
        width: usize,
    ) {
        view.check(k, n, data.len());
        assert!(
            n <= width && (view.row_stride == 1 || view.col_stride == 1),
            "{n} columns of {view:?} in {width}"
        );
        self.copies.clear();
        S::repack(self, data, view, (k, n), width);
    }

    /// The transpose in the same layout, in the memory of an earlier one.
    pub(crate) fn transposed(&self, earlier: Option<Self>) -> Self {
        let (k, n) = (self.n, self.k);
        let mut packed = Self::unwritten(k, n, self.layout, earlier);
        let (width, to_width) = (self.layout.width(self.n), self.layout.width(n));
        #[cfg(target_arch = "x86_64")]
        if self.layout == PackedLayout::Panels {
            // 16 rows of 16 numbers at a time become columns of another panel.
            for (from_panel, from) in self.data.chunks_exact((width * n).max(1)).enumerate() {
                let columns = width.min(k - from_panel * width);
                for (to_panel, square) in from.chunks(width * to_width).enumerate() {
                    let at = (to_panel * k + from_panel * width) * to_width;
                    let to = &mut packed.data[at..][..columns * to_width];
                    let rows = square.len() / width;
                    S::transpose((square, width), (rows, columns), (to, to_width));
                }
            }
            return packed;
        }
        // In squares, of which both sides stay in the cache.
        for (from_panel, from) in self.data.chunks_exact((width * n).max(1)).enumerate() {
            let columns = width.min(k - from_panel * width);
            for (to_panel, square) in from.chunks(width * to_width).enumerate() {
                let at = (to_panel * k + from_panel * width) * to_width;
                let to = &mut packed.data[at..][..columns * to_width];
                for (i, row) in square.chunks_exact(width).enumerate() {
                    for (j, &value) in row[..columns].iter().enumerate() {
                        to[j * to_width + i] = value;
                    }
                }
            }
        }
        packed
    }
}

impl Packed<f32> {
    /// The matrix as integers.
    pub(super) fn quantized(&self) -> &QuantizedPanels {
        let quantized = &self.copies.quantized;
        if let Some(quantized) = quantized.get() {
            return quantized;
        }
        // Not inside `get_or_init`, which locks: several threads compute it, and a thread that
        // waits for the others may take work that needs this matrix too. If two threads compute it
        // at the same time, the first result is kept.
        let computed = QuantizedPanels::new(self);
        quantized.get_or_init(|| computed)
    }

    /// The matrix in bfloat16, which `round` computes once.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn rounded(&self, round: impl FnOnce(&Self, &mut Vec<u32>)) -> &[u32] {
        self.copies.rounded.get_or_init(|| {
            let mut words = match self.copies.spare.lock() {
                Ok(mut spare) => std::mem::take(&mut *spare),
                Err(_) => Vec::new(),
            };
            round(self, &mut words);
            words
        })
    }
}

/// A matrix to be packed: blocks of rows of one slice, stacked vertically.
#[derive(Debug, Clone)]
pub struct Stacked<'a, S> {
    /// The numbers.
    pub data: &'a [S],
    /// Where each block is in `data`, from top to bottom.
    pub blocks: Vec<Strided>,
    /// Rows of each block.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
}

impl<'a, S> Stacked<'a, S> {
    /// A single row-major matrix.
    #[must_use]
    pub fn row_major(data: &'a [S], rows: usize, cols: usize) -> Self {
        Self {
            data,
            blocks: vec![Strided::rows(0, cols)],
            rows,
            cols,
        }
    }
}
