//! Tiles of 6 rows × 16 columns for AVX2 and FMA.
//!
//! Twelve accumulators, two registers for a row of `B` and one for a broadcast number of `A` fill 15 of the 16 AVX
//! registers. Rows of `A` are read where they are, through one pointer each, so that a convolution needs no im2col,
//! separator rows are simply not in the list, and a recurrent step can gather its rows.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256, _mm256_add_ps, _mm256_broadcast_ss, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_max_ps,
    _mm256_setzero_ps, _mm256_storeu_ps,
};
use std::cell::RefCell;
use std::ops::Range;

use rayon::prelude::*;

use super::{GradientProduct, PANEL, Packed, PackedLayout, RowProduct, RowSet, Stacked};

/// Rows of a tile.
const TILE: usize = 6;
/// Depth of a block. A panel of `B` this deep takes 32 kB: shallower ones stay in the first-level cache, but then `C` is loaded and
/// stored more often, which costs more (256 to 1280 were measured).
const DEPTH: usize = 512;

/// Panels of 16 columns.
pub(super) fn pack(matrix: &Stacked<'_, f32>) -> Packed<f32> {
    let Stacked {
        data: from,
        ref blocks,
        rows,
        cols: n,
    } = *matrix;
    let k = rows * blocks.len();
    let mut data = vec![0.0; n.div_ceil(PANEL) * PANEL * k];
    for (panel, chunk) in data.chunks_exact_mut((PANEL * k).max(1)).enumerate() {
        let first = panel * PANEL;
        let columns = PANEL.min(n - first);
        for (view, out) in blocks
            .iter()
            .zip(chunk.chunks_exact_mut((PANEL * rows).max(1)))
        {
            let start = view.start + first * view.col_stride;
            if view.col_stride == 1 {
                for (i, row) in out.chunks_exact_mut(PANEL).enumerate() {
                    let at = start + i * view.row_stride;
                    row[..columns].copy_from_slice(&from[at..at + columns]);
                }
            } else {
                // A transposed block: its columns are what is consecutive in memory, or nearly so.
                for j in 0..columns {
                    let column = &from[start + j * view.col_stride..];
                    for (i, row) in out.chunks_exact_mut(PANEL).enumerate() {
                        row[j] = column[i * view.row_stride];
                    }
                }
            }
        }
    }
    Packed {
        k,
        n,
        data,
        layout: PackedLayout::Panels,
    }
}

/// What happens to a tile of `C` besides the product.
#[derive(Clone, Copy)]
struct Finish {
    /// Start from what `C` holds.
    load: bool,
    /// 16 numbers to add at the end, or null.
    bias: *const f32,
    relu: bool,
}

/// `C[r][0..16] (+)= Σ_k A[r][k] · B[k][0..16]` for `R` rows.
///
/// # Safety
/// AVX2 and FMA must be there; `a[r]` points to `k` numbers, `b` to `16 k`, `c[r]` to `columns` ≤ 16 numbers that nobody
/// else uses, and `finish.bias` is null or points to 16 numbers.
#[target_feature(enable = "avx2,fma")]
unsafe fn tile<const R: usize>(
    k: usize,
    a: [*const f32; R],
    b: *const f32,
    c: [*mut f32; R],
    columns: usize,
    finish: Finish,
) {
    let mut sums = [[_mm256_setzero_ps(); 2]; R];
    // SAFETY: `b + 16 i` and `a[r] + i` stay within the `16 k` and `k` numbers that the caller vouches for.
    unsafe {
        let mut b = b;
        let mut i = 0;
        while i + 4 <= k {
            for step in 0..4 {
                multiply(&mut sums, &a, i + step, b.add(PANEL * step));
            }
            b = b.add(PANEL * 4);
            i += 4;
        }
        while i < k {
            multiply(&mut sums, &a, i, b);
            b = b.add(PANEL);
            i += 1;
        }
    }
    // Whole tiles are written where they belong; partial ones go through a buffer on the stack.
    let whole = columns == PANEL;
    let mut buffer = [[0.0; PANEL]; R];
    let mut rows = c;
    // SAFETY: `columns` numbers of each row of `c` are ours, and a row of the buffer has 16.
    unsafe {
        if !whole {
            for r in 0..R {
                if finish.load {
                    std::ptr::copy_nonoverlapping(c[r], buffer[r].as_mut_ptr(), columns);
                }
                rows[r] = buffer[r].as_mut_ptr();
            }
        }
        // The only call, so that it is inlined and the sums never leave their registers.
        finish_tile::<R, false>(&sums, rows, finish);
        if !whole {
            for r in 0..R {
                std::ptr::copy_nonoverlapping(buffer[r].as_ptr(), c[r], columns);
            }
        }
    }
}

/// One step of depth.
///
/// # Safety
/// As for [`tile`]: `a[r] + i` and 16 numbers at `b` are readable.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn multiply<const R: usize>(
    sums: &mut [[__m256; 2]; R],
    a: &[*const f32; R],
    i: usize,
    b: *const f32,
) {
    // SAFETY: the caller vouches for the memory.
    unsafe {
        let low = _mm256_loadu_ps(b);
        let high = _mm256_loadu_ps(b.add(8));
        for r in 0..R {
            let x = _mm256_broadcast_ss(&*a[r].add(i));
            sums[r][0] = _mm256_fmadd_ps(x, low, sums[r][0]);
            sums[r][1] = _mm256_fmadd_ps(x, high, sums[r][1]);
        }
    }
}

/// Adds what `C` holds and the bias, clips, stores. `GRADIENT` only makes one copy a caller, which is then inlined there.
///
/// # Safety
/// `c[r]` points to 16 numbers that nobody else uses; `finish.bias` is null or points to 16 numbers.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn finish_tile<const R: usize, const GRADIENT: bool>(
    sums: &[[__m256; 2]; R],
    c: [*mut f32; R],
    finish: Finish,
) {
    for r in 0..R {
        for (half, &sum) in sums[r].iter().enumerate() {
            // SAFETY: the caller vouches for 16 numbers at `c[r]` and at the bias.
            unsafe {
                let out = c[r].add(8 * half);
                let mut sum = sum;
                if finish.load {
                    sum = _mm256_add_ps(_mm256_loadu_ps(out), sum);
                }
                if !finish.bias.is_null() {
                    sum = _mm256_add_ps(sum, _mm256_loadu_ps(finish.bias.add(8 * half)));
                }
                if finish.relu {
                    // The order of the operands keeps a NaN a NaN.
                    sum = _mm256_max_ps(_mm256_setzero_ps(), sum);
                }
                _mm256_storeu_ps(out, sum);
            }
        }
    }
}

/// The output of a product whose panels of columns may be computed by several threads.
#[derive(Clone, Copy)]
struct Output(*mut f32);

// SAFETY: threads that share an `Output` write disjoint columns, see `row_product`.
unsafe impl Send for Output {}
// SAFETY: as above.
unsafe impl Sync for Output {}

impl Output {
    /// # Safety
    /// `offset` must be inside the matrix.
    unsafe fn at(self, offset: usize) -> *mut f32 {
        // SAFETY: the caller vouches for the offset.
        unsafe { self.0.add(offset) }
    }
}

/// Multiplications below which a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 1 << 20;

/// See [`RowProduct`].
pub(super) fn row_product(product: RowProduct<'_, f32>) {
    product.check();
    let RowProduct {
        rows,
        a,
        a_stride,
        shift,
        b,
        c,
        accumulate,
        bias,
        relu,
        split,
    } = product;
    let panels = b.n.div_ceil(PANEL);
    let padded_bias: Option<Vec<f32>> = bias.map(|bias| {
        let mut padded = bias.to_vec();
        padded.resize(panels * PANEL, 0.0);
        padded
    });
    let job = Job {
        rows,
        a,
        a_stride,
        shift,
        b,
        c: Output(c.as_mut_ptr()),
        accumulate,
        bias: padded_bias.as_deref(),
        relu,
    };
    let parts = if split {
        let work = rows.len() * b.k * b.n / WORTH_A_THREAD;
        work.clamp(1, rayon::current_num_threads())
            .min(panels.max(1))
    } else {
        1
    };
    // Every number is computed in the same order whoever computes it: the parts share out columns only.
    let part = |i: usize| panels * i / parts..panels * (i + 1) / parts;
    if parts == 1 {
        job.run(part(0));
    } else {
        (0..parts)
            .into_par_iter()
            .with_max_len(1)
            .for_each(|i| job.run(part(i)));
    }
}

/// A checked row product.
struct Job<'a> {
    rows: RowSet<'a>,
    a: &'a [f32],
    a_stride: usize,
    shift: isize,
    b: &'a Packed<f32>,
    c: Output,
    accumulate: bool,
    /// Filled up to whole panels.
    bias: Option<&'a [f32]>,
    relu: bool,
}

impl Job<'_> {
    /// Computes the columns of some panels. No two calls at a time may share a panel.
    fn run(&self, panels: Range<usize>) {
        let Packed { k, n, .. } = *self.b;
        // A product without depth still sets the bias.
        let blocks = k.div_ceil(DEPTH).max(1);
        for block in 0..blocks {
            let depth = DEPTH.min(k - block * DEPTH);
            let last = block + 1 == blocks;
            for panel in panels.clone() {
                let b = &self.b.data[(panel * k + block * DEPTH) * PANEL..][..depth * PANEL];
                let finish = Finish {
                    load: self.accumulate || block > 0,
                    bias: match self.bias {
                        Some(bias) if last => bias[panel * PANEL..(panel + 1) * PANEL].as_ptr(),
                        _ => std::ptr::null(),
                    },
                    relu: self.relu && last,
                };
                let columns = PANEL.min(n - panel * PANEL);
                self.panel(
                    block * DEPTH,
                    depth,
                    b.as_ptr(),
                    panel * PANEL,
                    columns,
                    finish,
                );
            }
        }
    }

    /// All rows of one panel and one block of depth.
    fn panel(
        &self,
        start: usize,
        depth: usize,
        b: *const f32,
        column: usize,
        columns: usize,
        finish: Finish,
    ) {
        let rows = self.rows;
        let a_row = |i: usize| {
            let row = rows.get(i).wrapping_add_signed(self.shift);
            // SAFETY: `check` has seen that the whole window of every row is inside `a`.
            unsafe { self.a.as_ptr().add(row * self.a_stride + start) }
        };
        // SAFETY: `check` has seen that every row is inside `c`.
        let c_row = |i: usize| unsafe { self.c.at(rows.get(i) * self.b.n + column) };
        let mut i = 0;
        while i < rows.len() {
            let count = TILE.min(rows.len() - i);
            // SAFETY: AVX2 and FMA were detected before the matrix was packed in panels; the windows, the panel and the rows
            // of `c` are inside their memory as said above. Rows of a list may repeat without harm to memory safety, as one
            // thread writes these columns, one row after the other.
            unsafe {
                macro_rules! run {
                    ($($rows:literal)*) => {
                        match count {
                            $($rows => tile::<$rows>(
                                depth,
                                std::array::from_fn(|r| a_row(i + r)),
                                b,
                                std::array::from_fn(|r| c_row(i + r)),
                                columns,
                                finish,
                            ),)*
                            _ => unreachable!("a tile has 1 to 6 rows"),
                        }
                    };
                }
                run!(1 2 3 4 5 6);
            }
            i += count;
        }
    }
}

/// `C[0..R][0..16] += Σ_p A[p][0..R] · B[p][0..16]` over packed rows.
///
/// One loop over a list of rows, not two over segments and their rows: the compiler then keeps all sums in registers.
///
/// # Safety
/// AVX2 and FMA must be there; `a + 6 p` (6 numbers) and `b + 16 p` (16 numbers) are readable for every row `p`,
/// `c + r · stride` points to `columns` ≤ 16 numbers that nobody else uses for `r < R`.
#[target_feature(enable = "avx2,fma")]
unsafe fn gradient_tile<const R: usize>(
    rows: &[u32],
    a: *const f32,
    b: *const f32,
    c: *mut f32,
    stride: usize,
    columns: usize,
) {
    let mut sums = [[_mm256_setzero_ps(); 2]; R];
    let pairs = rows.chunks_exact(2);
    let odd = pairs.remainder();
    // SAFETY: the caller vouches for every row of the list.
    unsafe {
        for pair in pairs {
            for &row in pair {
                let a: [*const f32; R] = std::array::from_fn(|r| a.add(row as usize * TILE + r));
                multiply(&mut sums, &a, 0, b.add(row as usize * PANEL));
            }
        }
        for &row in odd {
            let a: [*const f32; R] = std::array::from_fn(|r| a.add(row as usize * TILE + r));
            multiply(&mut sums, &a, 0, b.add(row as usize * PANEL));
        }
    }
    let whole = columns == PANEL;
    let mut buffer = [[0.0; PANEL]; R];
    // SAFETY: as the caller vouches; partial tiles go through a buffer on the stack.
    unsafe {
        let mut out: [*mut f32; R] = std::array::from_fn(|r| c.add(r * stride));
        if !whole {
            out = std::array::from_fn(|r| buffer[r].as_mut_ptr());
        }
        let finish = Finish {
            load: true,
            bias: std::ptr::null(),
            relu: false,
        };
        finish_tile::<R, true>(&sums, out, finish);
        if !whole {
            for (r, row) in buffer.iter().enumerate() {
                for (j, &sum) in row[..columns].iter().enumerate() {
                    *c.add(r * stride + j) += sum;
                }
            }
        }
    }
}

thread_local! {
    /// Packed copies of both sides; kept, because they are needed thousands of times a second.
    static COPIES: RefCell<(Vec<f32>, Vec<f32>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

/// Rows `rows` of a matrix of `columns` columns, in panels of `width` columns (the last one filled with zeros).
fn pack_rows(out: &mut Vec<f32>, data: &[f32], columns: usize, rows: Range<usize>, width: usize) {
    let panels = columns.div_ceil(width);
    let count = rows.len();
    out.clear();
    out.resize(panels * count * width, 0.0);
    for (i, row) in data[rows.start * columns..rows.end * columns]
        .chunks_exact(columns)
        .enumerate()
    {
        for (panel, chunk) in row.chunks(width).enumerate() {
            let at = (panel * count + i) * width;
            out[at..at + chunk.len()].copy_from_slice(chunk);
        }
    }
}

/// See [`GradientProduct`]. Both sides are copied into panels once: their rows are powers of two apart, which would make
/// them fight for the same few cache lines.
pub(super) fn gradient_product(product: GradientProduct<'_, f32>) {
    product.check();
    let GradientProduct {
        segments,
        a,
        m,
        shift,
        taps,
        b,
        n,
        c,
    } = product;
    if m == 0 || n == 0 || taps == 0 {
        return;
    }
    COPIES.with_borrow_mut(|(a_copy, b_copy)| {
        for block in blocks(segments) {
            let (Some(first), Some(last)) = (block.first(), block.last()) else {
                continue;
            };
            let rows = first.start..last.end;
            let a_first = rows.start.wrapping_add_signed(shift);
            let a_rows = a_first..a_first + rows.len() + taps - 1;
            pack_rows(a_copy, a, m, a_rows.clone(), TILE);
            pack_rows(b_copy, b, n, rows.clone(), PANEL);
            let local: Vec<u32> = (0..rows.len() as u32)
                .filter(|&row| {
                    let row = row as usize + rows.start;
                    block.iter().any(|segment| segment.contains(&row))
                })
                .collect();
            for panel in 0..n.div_ceil(PANEL) {
                let columns = PANEL.min(n - panel * PANEL);
                let b_panel = &b_copy[panel * rows.len() * PANEL..][..rows.len() * PANEL];
                for tap in 0..taps {
                    for group in 0..m.div_ceil(TILE) {
                        let height = TILE.min(m - group * TILE);
                        let a_panel =
                            &a_copy[(group * a_rows.len() + tap) * TILE..][..rows.len() * TILE];
                        let at = (tap * m + group * TILE) * n + panel * PANEL;
                        let tile = &mut c[at..][..(height - 1) * n + columns];
                        // SAFETY: AVX2 and FMA are there (the caller asked); local rows are within the `rows.len()`
                        // rows of both panels, sliced above; `tile` spans exactly the `height` rows.
                        unsafe {
                            macro_rules! run {
                                ($($rows:literal)*) => {
                                    match height {
                                        $($rows => gradient_tile::<$rows>(
                                            &local,
                                            a_panel.as_ptr(),
                                            b_panel.as_ptr(),
                                            tile.as_mut_ptr(),
                                            n,
                                            columns,
                                        ),)*
                                        _ => unreachable!("a tile has 1 to 6 rows"),
                                    }
                                };
                            }
                            run!(1 2 3 4 5 6);
                        }
                    }
                }
            }
        }
    });
}

/// Cuts segments into groups that span at most about [`DEPTH`] rows each, so that panels stay in the first-level cache.
fn blocks(segments: &[Range<usize>]) -> Vec<Vec<Range<usize>>> {
    let mut blocks: Vec<Vec<Range<usize>>> = Vec::new();
    for segment in segments {
        let mut start = segment.start;
        while start < segment.end {
            let end = segment.end.min(start + DEPTH);
            match blocks.last_mut() {
                Some(block)
                    if block.first().is_some_and(|first| {
                        // Segments in another order than that of their rows open a new block.
                        block.last().is_some_and(|last| last.end <= start)
                            && end - first.start <= DEPTH
                    }) =>
                {
                    block.push(start..end);
                }
                _ => blocks.push(std::iter::once(start..end).collect()),
            }
            start = end;
        }
    }
    blocks
}
