//! Both sides of a product as integers and scales.

use rayon::prelude::*;

use super::{BLOCK, OFFSET, PANEL, Panel, QUAD, QuantizedRow};
use crate::kernels::elementwise::{ROUND, vectorize};
use crate::kernels::{Packed, PackedLayout, RowProduct};

/// The largest integer.
const MOST: f32 = 127.0;

/// The nearest integer of a number of up to 22 bits, without a conversion: adding [`ROUND`] shifts
/// the integer to the lowest bits.
#[inline(always)]
fn rounded(value: f32) -> i32 {
    (value + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i32
}

/// The scale of a block whose largest number has this size, and its inverse.
#[inline(always)]
fn scale(largest: f32) -> (f32, f32) {
    if largest > 0.0 {
        (largest / MOST, MOST / largest)
    } else {
        (0.0, 0.0)
    }
}

/// The right-hand side of a product.
#[derive(Debug, Clone)]
pub(in crate::kernels) struct QuantizedPanels {
    pub(super) k: usize,
    pub(super) n: usize,
    blocks: usize,
    numbers: Vec<i8>,
    scales: Vec<f32>,
    starts: Vec<i32>,
}

impl QuantizedPanels {
    pub(in crate::kernels) fn new(packed: &Packed<f32>) -> Self {
        let (k, n) = (packed.k, packed.n);
        let (blocks, panels) = (k.div_ceil(BLOCK), n.div_ceil(PANEL));
        let mut this = Self {
            k,
            n,
            blocks,
            numbers: vec![0; panels * blocks * BLOCK * PANEL],
            scales: vec![0.0; panels * blocks * PANEL],
            starts: vec![0; panels * blocks * PANEL],
        };
        let (numbers, _) = this.numbers.as_chunks_mut::<{ BLOCK * PANEL }>();
        let (scales, _) = this.scales.as_chunks_mut::<PANEL>();
        let (starts, _) = this.starts.as_chunks_mut::<PANEL>();
        let parts = (numbers, scales, starts).into_par_iter().enumerate();
        parts.for_each(|(part, (numbers, scales, starts))| {
            let (panel, block) = (part / blocks, part % blocks);
            let rows = block * BLOCK..((block + 1) * BLOCK).min(k);
            let mut values = [[0.0; PANEL]; BLOCK];
            for (to, row) in values.iter_mut().zip(rows) {
                copy_row(packed, row, panel, to);
            }
            quantize_block(&values, numbers, scales, starts);
        });
        this
    }

    /// A panel of columns.
    pub(super) fn panel(&self, panel: usize) -> Panel<'_> {
        let (size, columns) = (self.blocks * BLOCK * PANEL, self.blocks * PANEL);
        Panel {
            numbers: &self.numbers[panel * size..][..size],
            scales: &self.scales[panel * columns..][..columns],
            starts: &self.starts[panel * columns..][..columns],
        }
    }
}

/// Copies the columns of a panel from a row of `B`.
fn copy_row(packed: &Packed<f32>, row: usize, panel: usize, to: &mut [f32; PANEL]) {
    let columns = PANEL.min(packed.n - panel * PANEL);
    let at = match packed.layout {
        PackedLayout::RowMajor => row * packed.n + panel * PANEL,
        #[cfg(target_arch = "x86_64")]
        PackedLayout::Panels => (panel * packed.k + row) * PANEL,
    };
    to[..columns].copy_from_slice(&packed.data[at..][..columns]);
}

fn quantize_block(
    values: &[[f32; PANEL]; BLOCK],
    numbers: &mut [i8; BLOCK * PANEL],
    scales: &mut [f32; PANEL],
    starts: &mut [i32; PANEL],
) {
    let mut largest = [0.0_f32; PANEL];
    for row in values {
        for (largest, value) in largest.iter_mut().zip(row) {
            *largest = largest.max(value.abs());
        }
    }
    let mut inverse = [0.0; PANEL];
    for ((&largest, scale_of), inverse) in largest.iter().zip(scales).zip(&mut inverse) {
        (*scale_of, *inverse) = scale(largest);
    }
    let (quads, _) = numbers.as_chunks_mut::<{ QUAD * PANEL }>();
    for (quad, rows) in quads.iter_mut().zip(values.as_chunks::<QUAD>().0) {
        for (depth, row) in rows.iter().enumerate() {
            for (column, (value, inverse)) in row.iter().zip(&inverse).enumerate() {
                let number = rounded(value * inverse) as i8;
                quad[column * QUAD + depth] = number;
                starts[column] -= OFFSET * i32::from(number);
            }
        }
    }
}

/// The rows of the left-hand side of a product.
#[derive(Debug, Default)]
pub(super) struct QuantizedRows {
    blocks: usize,
    numbers: Vec<u8>,
    scales: Vec<f32>,
}

impl QuantizedRows {
    pub(super) const fn new() -> Self {
        Self {
            blocks: 0,
            numbers: Vec::new(),
            scales: Vec::new(),
        }
    }

    /// Quantizes the rows that a product reads, one after the other.
    pub(super) fn fill(&mut self, product: &RowProduct<'_, f32>) {
        let k = product.b.k;
        self.blocks = k.div_ceil(BLOCK);
        let rows = product.rows.len();
        self.numbers.resize(rows * self.blocks * BLOCK, 0);
        self.scales.resize(rows * self.blocks, 0.0);
        let numbers = self.numbers.chunks_exact_mut((self.blocks * BLOCK).max(1));
        let scales = self.scales.chunks_exact_mut(self.blocks.max(1));
        vectorize(
            #[inline(always)]
            || {
                for (i, (numbers, scales)) in numbers.zip(scales).enumerate() {
                    let row = product.rows.get(i).wrapping_add_signed(product.shift);
                    quantize_row(&product.a[row * product.a_stride..][..k], numbers, scales);
                }
            },
        );
    }

    pub(super) fn row(&self, i: usize) -> QuantizedRow<'_> {
        let size = self.blocks * BLOCK;
        QuantizedRow {
            numbers: &self.numbers[i * size..][..size],
            scales: &self.scales[i * self.blocks..][..self.blocks],
        }
    }
}

#[inline(always)]
fn quantize_row(row: &[f32], numbers: &mut [u8], scales: &mut [f32]) {
    let (whole, rest) = row.as_chunks::<BLOCK>();
    let (blocks, _) = numbers.as_chunks_mut::<BLOCK>();
    for ((values, numbers), scale) in whole.iter().zip(&mut *blocks).zip(&mut *scales) {
        *scale = quantize_values(values, numbers);
    }
    if !rest.is_empty() {
        let mut values = [0.0; BLOCK];
        values[..rest.len()].copy_from_slice(rest);
        scales[whole.len()] = quantize_values(&values, &mut blocks[whole.len()]);
    }
}

/// Quantizes a block and returns its scale.
#[inline(always)]
fn quantize_values(values: &[f32; BLOCK], numbers: &mut [u8; BLOCK]) -> f32 {
    let mut largest = [0.0_f32; PANEL];
    for some in values.as_chunks::<PANEL>().0 {
        for (largest, value) in largest.iter_mut().zip(some) {
            *largest = largest.max(value.abs());
        }
    }
    let (scale, inverse) = scale(largest.into_iter().fold(0.0, f32::max));
    for (number, value) in numbers.iter_mut().zip(values) {
        *number = (rounded(value * inverse) + OFFSET) as u8;
    }
    scale
}
