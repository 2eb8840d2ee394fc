//! `C[r] (+)= A[r + shift] · B`, see [`RowProduct`].
#![allow(unsafe_code)]

use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch, _mm256_setzero_ps};
use std::ops::Range;

use super::{DEPTH, Finish, Instructions, TILE, finish_tile, multiply, prefetch};
use crate::kernels::avx512;
use crate::kernels::output::{Output, for_each_part};
use crate::kernels::{Epilogue, PANEL, Packed, RowProduct, RowSet};

/// `C[r][0..16] (+)= Σ_k A[r][k] · B[k][0..16]` for `R` rows. `next` is the next panel of `B`, of
/// which one cache line is prefetched every four steps.
///
/// # Safety
/// Requires AVX2 and FMA; `a[r]` points to `k` numbers, `b` to `16 k`, `c[r]` to `columns` ≤ 16
/// numbers that have no other reference, and `finish.bias` is null or points to 16 numbers.
#[target_feature(enable = "avx2,fma")]
unsafe fn tile<const R: usize>(
    k: usize,
    a: [*const f32; R],
    b: *const f32,
    c: [*mut f32; R],
    columns: usize,
    finish: Finish,
    next: *const f32,
) {
    let mut sums = [[_mm256_setzero_ps(); 2]; R];
    // SAFETY: prefetching dereferences no pointer.
    unsafe { prefetch(&c) };
    let mut next = next;
    // SAFETY: `b + 16 i` and `a[r] + i` are within the `16 k` and `k` numbers that the caller
    // guarantees.
    unsafe {
        let mut b = b;
        let mut i = 0;
        while i + 4 <= k {
            _mm_prefetch::<_MM_HINT_T0>(next.cast::<i8>());
            next = next.wrapping_add(PANEL);
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
    // Whole tiles are written to `c`, partial ones through a buffer on the stack.
    let whole = columns == PANEL;
    let mut buffer = [[0.0; PANEL]; R];
    let mut rows = c;
    // SAFETY: each row of `c` has `columns` numbers without another reference, and a row of the
    // buffer has 16.
    unsafe {
        if !whole {
            for r in 0..R {
                if finish.load {
                    std::ptr::copy_nonoverlapping(c[r], buffer[r].as_mut_ptr(), columns);
                }
                rows[r] = buffer[r].as_mut_ptr();
            }
        }
        // The only call of this instance, so that it is inlined and the sums stay in registers.
        finish_tile::<R, false>(&sums, rows, finish);
        if !whole {
            for r in 0..R {
                std::ptr::copy_nonoverlapping(buffer[r].as_ptr(), c[r], columns);
            }
        }
    }
}

/// See [`RowProduct`].
///
/// # Panics
/// If the machine does not have the instructions of the tiles.
pub(in crate::kernels) fn row_product(product: RowProduct<'_, f32>, with: Instructions) {
    assert!(with.are_available(), "{with:?}");
    product.check();
    let bias = product.padded_bias(PANEL);
    let RowProduct {
        rows,
        a,
        a_stride,
        shift,
        b,
        c,
        c_stride,
        accumulate,
        epilogue,
        split,
        ..
    } = product;
    let panels = b.n.div_ceil(PANEL);
    let job = Job {
        rows,
        a,
        a_stride,
        shift,
        b,
        c: Output::new(c),
        c_stride,
        accumulate,
        bias: bias.as_deref(),
        epilogue,
        with,
    };
    let work = split.then(|| rows.len() * b.k * b.n);
    for_each_part(panels, work, |panels| job.run(panels));
}

/// A checked row product.
struct Job<'a> {
    rows: RowSet<'a>,
    a: &'a [f32],
    a_stride: usize,
    shift: isize,
    b: &'a Packed<f32>,
    c: Output,
    c_stride: usize,
    accumulate: bool,
    /// Padded to whole panels.
    bias: Option<&'a [f32]>,
    epilogue: Epilogue,
    with: Instructions,
}

impl Job<'_> {
    /// Computes the columns of some panels. Concurrent calls must not share a panel.
    fn run(&self, panels: Range<usize>) {
        let Packed { k, n, .. } = *self.b;
        // A product of depth 0 still sets the bias.
        let blocks = k.div_ceil(DEPTH).max(1);
        for block in 0..blocks {
            let depth = DEPTH.min(k - block * DEPTH);
            let last = block + 1 == blocks;
            // The AVX-512 tiles take two panels at a time.
            for panel in panels.clone().step_by(self.with.panels()) {
                if self.with == Instructions::Avx512 {
                    let pair = panel..(panel + 2).min(panels.end);
                    self.pair(
                        block * DEPTH,
                        depth,
                        pair,
                        last,
                        self.accumulate || block > 0,
                    );
                    continue;
                }
                let b = &self.b.data[(panel * k + block * DEPTH) * PANEL..][..depth * PANEL];
                let finish = Finish {
                    load: self.accumulate || block > 0,
                    bias: match self.bias {
                        Some(bias) if last => bias[panel * PANEL..(panel + 1) * PANEL].as_ptr(),
                        _ => std::ptr::null(),
                    },
                    epilogue: if last {
                        self.epilogue
                    } else {
                        Epilogue::Identity
                    },
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

    /// All rows of one or two panels and one block of depth, with the AVX-512 tiles.
    fn pair(&self, start: usize, depth: usize, panels: Range<usize>, last: bool, load: bool) {
        let Packed { k, n, .. } = *self.b;
        let finish = Finish {
            load,
            bias: match self.bias {
                Some(bias) if last => bias[panels.start * PANEL..panels.end * PANEL].as_ptr(),
                _ => std::ptr::null(),
            },
            epilogue: if last {
                self.epilogue
            } else {
                Epilogue::Identity
            },
        };
        let b = &self.b.data[(panels.start * k + start) * PANEL..];
        let b = &b[..((panels.len() - 1) * k + depth) * PANEL];
        let column = panels.start * PANEL;
        let columns = (panels.len() * PANEL).min(n - column);
        let rows = self.rows;
        let a_row = |i: usize| {
            let row = rows.get(i).wrapping_add_signed(self.shift);
            // SAFETY: `check` ensures that the whole window of every row is inside `a`.
            unsafe { self.a.as_ptr().add(row * self.a_stride + start) }
        };
        // SAFETY: `check` ensures that every row is inside `c`.
        let c_row = |i: usize| unsafe { self.c.at(rows.get(i) * self.c_stride + column) };
        // Tiles of about the same height: a tile of few rows has too few independent sums to keep
        // the multipliers busy.
        let tiles = rows.len().div_ceil(avx512::ROWS);
        for tile in 0..tiles {
            let (i, end) = (rows.len() * tile / tiles, rows.len() * (tile + 1) / tiles);
            // The first two tiles prefetch the next two panels, which is all there is to prefetch.
            let next = match tile {
                0 => b.as_ptr().wrapping_add(2 * k * PANEL),
                1 => b.as_ptr().wrapping_add(3 * k * PANEL),
                _ => b.as_ptr(),
            };
            // SAFETY: `row_product` asserts AVX-512; the windows, the panels and the rows of `c`
            // are inside their memory, as shown above.
            unsafe {
                macro_rules! run {
                    ($($rows:literal)*) => {
                        match (end - i, panels.len()) {
                            $(($rows, 2) => avx512::row_tile::<$rows, 2>(
                                depth,
                                std::array::from_fn(|r| a_row(i + r)),
                                (b.as_ptr(), k * PANEL),
                                std::array::from_fn(|r| c_row(i + r)),
                                columns,
                                finish,
                                next,
                            ),
                            ($rows, _) => avx512::row_tile::<$rows, 1>(
                                depth,
                                std::array::from_fn(|r| a_row(i + r)),
                                (b.as_ptr(), k * PANEL),
                                std::array::from_fn(|r| c_row(i + r)),
                                columns,
                                finish,
                                next,
                            ),)*
                            _ => unreachable!("a tile has 1 to 10 rows"),
                        }
                    };
                }
                run!(1 2 3 4 5 6 7 8 9 10);
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
            // SAFETY: `check` ensures that the whole window of every row is inside `a`.
            unsafe { self.a.as_ptr().add(row * self.a_stride + start) }
        };
        // SAFETY: `check` ensures that every row is inside `c`.
        let c_row = |i: usize| unsafe { self.c.at(rows.get(i) * self.c_stride + column) };
        // Except at the end of a block, the next panel is the following one in memory.
        let next = b.wrapping_add(self.b.k * PANEL);
        let mut i = 0;
        while i < rows.len() {
            // A tile of one or two rows has too few independent sums: seven rows are faster as four
            // and three than as six and one.
            let count = match rows.len() - i {
                7 | 8 => 4,
                left => TILE.min(left),
            };
            // SAFETY: AVX2 and FMA were detected before the matrix was packed in panels; the
            // windows, the panel and the rows of `c` are inside their memory, as shown above. Rows
            // of a list may repeat: one thread writes these columns, one row after the other.
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
                                // Every tile prefetches a quarter of the panel. Addresses beyond
                                // it do no harm.
                                next.wrapping_add(i / TILE * depth / 4 * PANEL),
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
