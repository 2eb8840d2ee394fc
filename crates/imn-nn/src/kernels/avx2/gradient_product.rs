//! `C[t] (+)= Σ_r A[r + shift + t]ᵀ · B[r]`, see [`GradientProduct`].
#![allow(unsafe_code)]

use std::arch::x86_64::_mm256_setzero_ps;
use std::cell::RefCell;
use std::ops::Range;

use super::{DEPTH, Finish, Instructions, TILE, finish_tile, multiply, prefetch};
use crate::kernels::avx512;
use crate::kernels::{Epilogue, GradientProduct, PANEL};

/// `C[0..R][0..16] (+)= Σ_p A[p][0..R] · B[p][0..16]` over packed rows.
///
/// With one loop over a list of rows, instead of two over segments and their rows, the compiler
/// keeps all sums in registers.
///
/// # Safety
/// Requires AVX2 and FMA; `a + 6 p` (6 numbers) and `b + 16 p` (16 numbers) are readable for every
/// row `p`, and `c + r · stride` points to `columns` ≤ 16 numbers that have no other reference for
/// `r < R`.
#[target_feature(enable = "avx2,fma")]
unsafe fn gradient_tile<const R: usize>(
    rows: &[u32],
    a: *const f32,
    b: *const f32,
    c: *mut f32,
    stride: usize,
    columns: usize,
    load: bool,
) {
    let mut sums = [[_mm256_setzero_ps(); 2]; R];
    // SAFETY: prefetching dereferences no pointer.
    unsafe { prefetch::<R>(&std::array::from_fn(|r| c.wrapping_add(r * stride))) };
    let pairs = rows.chunks_exact(2);
    let odd = pairs.remainder();
    // SAFETY: the caller guarantees every row of the list.
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
    // SAFETY: the caller guarantees the rows of `c`; partial tiles use a buffer on the stack.
    unsafe {
        let mut out: [*mut f32; R] = std::array::from_fn(|r| c.add(r * stride));
        if !whole {
            out = std::array::from_fn(|r| buffer[r].as_mut_ptr());
        }
        let finish = Finish {
            load: load && whole,
            bias: std::ptr::null(),
            epilogue: Epilogue::Identity,
        };
        finish_tile::<R, true>(&sums, out, finish);
        if !whole {
            for (r, row) in buffer.iter().enumerate() {
                for (j, &sum) in row[..columns].iter().enumerate() {
                    let slot = c.add(r * stride + j);
                    *slot = if load { *slot + sum } else { sum };
                }
            }
        }
    }
}

/// How many numbers of `A` stay in the L2 cache: half a megabyte.
const L2_NUMBERS: usize = 1 << 17;

thread_local! {
    /// Packed copies of both sides. Their memory is kept, because it is needed thousands of times
    /// per second.
    static COPIES: RefCell<(Vec<f32>, Vec<f32>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

/// Packs some rows of a matrix into panels of `WIDTH` columns, the last one padded with zeros.
fn pack_rows<const WIDTH: usize>(
    out: &mut Vec<f32>,
    data: &[f32],
    columns: usize,
    rows: Range<usize>,
) {
    let panels = columns.div_ceil(WIDTH);
    let count = rows.len();
    // The old contents are overwritten below.
    out.resize(panels * count * WIDTH, 0.0);
    let (out, _) = out.as_chunks_mut::<WIDTH>();
    for (i, row) in data[rows.start * columns..rows.end * columns]
        .chunks_exact(columns)
        .enumerate()
    {
        let (whole, rest) = row.as_chunks::<WIDTH>();
        for (panel, chunk) in whole.iter().enumerate() {
            out[panel * count + i] = *chunk;
        }
        if !rest.is_empty() {
            let last = &mut out[whole.len() * count + i];
            *last = [0.0; WIDTH];
            last[..rest.len()].copy_from_slice(rest);
        }
    }
}

/// See [`GradientProduct`]. Both sides are first copied into panels: their rows are often powers of
/// two apart, and would map to the same few cache lines.
///
/// # Panics
/// If the machine does not have the instructions.
pub(in crate::kernels) fn gradient_product(product: GradientProduct<'_, f32>, with: Instructions) {
    assert!(with.are_available(), "{with:?}");
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
        accumulate,
        precision: _,
    } = product;
    if !accumulate && segments.iter().all(Range::is_empty) {
        c.fill(0.0);
    }
    if m == 0 || n == 0 || taps == 0 {
        return;
    }
    COPIES.with_borrow_mut(|(a_copy, b_copy)| {
        for (number, block) in blocks(segments).iter().enumerate() {
            let (Some(first), Some(last)) = (block.first(), block.last()) else {
                continue;
            };
            let rows = first.start..last.end;
            let a_first = rows.start.wrapping_add_signed(shift);
            let a_rows = a_first..a_first + rows.len() + taps - 1;
            if with == Instructions::Avx512 {
                pack_rows::<{ avx512::TILE }>(a_copy, a, m, a_rows.clone());
            } else {
                pack_rows::<TILE>(a_copy, a, m, a_rows.clone());
            }
            pack_rows::<PANEL>(b_copy, b, n, rows.clone());
            let local: Vec<u32> = (0..rows.len() as u32)
                .filter(|&row| {
                    let row = row as usize + rows.start;
                    block.iter().any(|segment| segment.contains(&row))
                })
                .collect();
            let tiles = Tiles {
                rows: rows.len(),
                local: &local,
                a: a_copy,
                a_rows: a_rows.len(),
                m,
                taps,
                b: b_copy,
                n,
                load: accumulate || number > 0,
            };
            if with == Instructions::Avx512 {
                tiles.avx512(c);
            } else {
                tiles.avx2(c);
            }
        }
    });
}

/// A block of rows, both sides of which are packed into panels.
struct Tiles<'a> {
    /// Rows of a panel of `B`.
    rows: usize,
    /// The rows that belong to a segment.
    local: &'a [u32],
    a: &'a [f32],
    /// Rows of a panel of `A`.
    a_rows: usize,
    m: usize,
    taps: usize,
    b: &'a [f32],
    n: usize,
    load: bool,
}

impl Tiles<'_> {
    /// The rows of a panel of `A` that are multiplied with the rows of `B` at a tap.
    fn a_panel(&self, height: usize, group: usize, tap: usize) -> &[f32] {
        &self.a[(group * self.a_rows + tap) * height..][..self.rows * height]
    }

    fn avx2(&self, c: &mut [f32]) {
        let Self { m, n, .. } = *self;
        for panel in 0..n.div_ceil(PANEL) {
            let columns = PANEL.min(n - panel * PANEL);
            let b_panel = &self.b[panel * self.rows * PANEL..][..self.rows * PANEL];
            for tap in 0..self.taps {
                for group in 0..m.div_ceil(TILE) {
                    let height = TILE.min(m - group * TILE);
                    let a_panel = self.a_panel(TILE, group, tap);
                    let at = (tap * m + group * TILE) * n + panel * PANEL;
                    let tile = &mut c[at..][..(height - 1) * n + columns];
                    // SAFETY: the caller has detected AVX2 and FMA; local rows are within both
                    // panels, which are sliced above; `tile` spans exactly the `height` rows.
                    unsafe {
                        macro_rules! run {
                            ($($rows:literal)*) => {
                                match height {
                                    $($rows => gradient_tile::<$rows>(
                                        self.local,
                                        a_panel.as_ptr(),
                                        b_panel.as_ptr(),
                                        tile.as_mut_ptr(),
                                        n,
                                        columns,
                                        self.load,
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

    /// The product with the AVX-512 tiles, which take two panels of `B` at a time.
    fn avx512(&self, c: &mut [f32]) {
        let Self { m, n, .. } = *self;
        let groups = m.div_ceil(avx512::TILE);
        // As many panels of `A` at a time as stay in the L2 cache during a pass over all of `B`.
        let together = (L2_NUMBERS / (self.rows * avx512::TILE).max(1)).max(1);
        for first in (0..groups).step_by(together) {
            for panel in (0..n.div_ceil(PANEL)).step_by(2) {
                let panels = 2.min(n.div_ceil(PANEL) - panel);
                let columns = (panels * PANEL).min(n - panel * PANEL);
                let b_panels = &self.b[panel * self.rows * PANEL..][..panels * self.rows * PANEL];
                for tap in 0..self.taps {
                    for group in first..groups.min(first + together) {
                        let height = avx512::TILE.min(m - group * avx512::TILE);
                        let a_panel = self.a_panel(avx512::TILE, group, tap);
                        let at = (tap * m + group * avx512::TILE) * n + panel * PANEL;
                        let tile = &mut c[at..][..(height - 1) * n + columns];
                        // SAFETY: the caller has detected AVX-512; local rows are within all
                        // panels, which are sliced above; `tile` spans exactly the `height` rows.
                        unsafe {
                            macro_rules! run {
                                ($($rows:literal)*) => {
                                    match (height, panels) {
                                        $(($rows, 2) => avx512::gradient_tile::<$rows, 2>(
                                            self.local,
                                            a_panel.as_ptr(),
                                            (b_panels.as_ptr(), self.rows * PANEL),
                                            (tile.as_mut_ptr(), n),
                                            columns,
                                            self.load,
                                        ),
                                        ($rows, _) => avx512::gradient_tile::<$rows, 1>(
                                            self.local,
                                            a_panel.as_ptr(),
                                            (b_panels.as_ptr(), self.rows * PANEL),
                                            (tile.as_mut_ptr(), n),
                                            columns,
                                            self.load,
                                        ),)*
                                        _ => unreachable!("a tile has 1 to 12 rows"),
                                    }
                                };
                            }
                            run!(1 2 3 4 5 6 7 8 9 10 11 12);
                        }
                    }
                }
            }
        }
    }
}

/// Groups segments into blocks that span at most [`DEPTH`] rows each, so that panels stay in the L1
/// cache. Longer segments are split.
fn blocks(segments: &[Range<usize>]) -> Vec<Vec<Range<usize>>> {
    let mut blocks: Vec<Vec<Range<usize>>> = Vec::new();
    for segment in segments {
        let mut start = segment.start;
        while start < segment.end {
            let end = segment.end.min(start + DEPTH);
            match blocks.last_mut() {
                Some(block)
                    if block.first().is_some_and(|first| {
                        // A segment that begins before the end of the last one starts a new block.
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
