//! Products of numbers that are rounded to bfloat16, for AVX512-BF16.
//!
//! A bfloat16 is the upper half of an `f32`: the same range, 8 bits of precision instead of 24. One
//! instruction multiplies 16 pairs of them and adds both products of a pair to one of 16 `f32`
//! sums, so a product needs half as many instructions. Both sides are rounded while they are
//! copied: `B` once for all products until it changes, `A` for every product, which costs little
//! because a number of `A` is used for every column. Sums, bias and epilogue are `f32`.
//!
//! A *word* is a pair of numbers: those of depth `2i` and `2i + 1` of the product. An odd depth
//! ends with a zero.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256i, __m512, __m512bh, __m512i, _mm512_cvtepu16_epi32, _mm512_cvtne2ps_pbh,
    _mm512_cvtneps_pbh, _mm512_dpbf16_ps, _mm512_loadu_ps, _mm512_loadu_si512,
    _mm512_mask_storeu_epi32, _mm512_maskz_loadu_ps, _mm512_or_si512, _mm512_permutexvar_epi16,
    _mm512_set1_epi32, _mm512_setzero_ps, _mm512_slli_epi32, _mm512_storeu_si512,
};
use std::cell::RefCell;
use std::ops::Range;

use super::avx2::Finish;
use super::avx512::{ROWS, TILE, finish_tile, gelu_row, mask};
use super::output::{Output, for_each_part};
use super::{Epilogue, GradientProduct, PANEL, Packed, RowProduct, RowSet};

/// Rows of a block of a gradient product: two panels of `B` take 64 kB.
const DEPTH: usize = 1024;

/// How many words of `A` stay in the L2 cache: half a megabyte.
const L2_WORDS: usize = 1 << 17;

thread_local! {
    /// Rounded copies of both sides. Their memory is kept from product to product.
    static COPIES: RefCell<(Vec<u32>, Vec<u32>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

/// Whether this machine has the instructions.
pub(super) fn is_available() -> bool {
    super::has_avx512()
        && is_x86_feature_detected!("avx512bf16")
        && is_x86_feature_detected!("avx512bw")
}

/// Rounds consecutive numbers to words: `out[i]` holds `row[2i]` and `row[2i + 1]`.
///
/// # Safety
/// Requires AVX512-BF16.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
unsafe fn round_row(row: &[f32], out: &mut [u32]) {
    for (numbers, words) in row.chunks(2 * PANEL).zip(out.chunks_mut(PANEL)) {
        // SAFETY: the masks exclude numbers and words beyond the chunks.
        unsafe {
            let low = _mm512_maskz_loadu_ps(mask(numbers.len(), 0), numbers.as_ptr());
            let high = numbers.as_ptr().wrapping_add(PANEL);
            let high = _mm512_maskz_loadu_ps(mask(numbers.len(), 1), high);
            let both: __m512i = std::mem::transmute(_mm512_cvtne2ps_pbh(high, low));
            _mm512_mask_storeu_epi32(words.as_mut_ptr().cast(), mask(words.len(), 0), both);
        }
    }
}

/// Rounds two rows to words: `out[j]` holds `first[j]` and `second[j]`. Without a second row, it is
/// zero.
///
/// # Safety
/// Requires AVX512-BF16.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
unsafe fn round_rows(first: &[f32], second: Option<&[f32]>, out: &mut [u32]) {
    let widen = |numbers: __m512| {
        // SAFETY: a `__m256bh` is 16 numbers of 16 bits.
        let rounded: __m256i = unsafe { std::mem::transmute(_mm512_cvtneps_pbh(numbers)) };
        _mm512_cvtepu16_epi32(rounded)
    };
    let mut second = second.map(|second| second.chunks(PANEL));
    for (first, words) in first.chunks(PANEL).zip(out.chunks_mut(PANEL)) {
        let mask = mask(words.len().min(first.len()), 0);
        // SAFETY: the mask excludes numbers and words beyond the chunks, and the second row has
        // the length of the first.
        unsafe {
            let mut both = widen(_mm512_maskz_loadu_ps(mask, first.as_ptr()));
            if let Some(second) = second.as_mut().and_then(Iterator::next) {
                let high = widen(_mm512_maskz_loadu_ps(mask, second.as_ptr()));
                both = _mm512_or_si512(both, _mm512_slli_epi32::<16>(high));
            }
            _mm512_mask_storeu_epi32(words.as_mut_ptr().cast(), mask, both);
        }
    }
}

/// One step of the loop over the depth: `sums[r][p] += a[r] · b[p]` for a word each.
///
/// # Safety
/// Requires AVX512-BF16; `a(r)` is readable for `r < R`, and so are 16 words at `b(p)` for `p < P`.
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
unsafe fn multiply<const R: usize, const P: usize>(
    sums: &mut [[__m512; P]; R],
    a: impl Fn(usize) -> *const u32,
    b: impl Fn(usize) -> *const u32,
) {
    // SAFETY: the caller guarantees the memory; a `__m512bh` is 16 words.
    unsafe {
        let word = |word: __m512i| -> __m512bh { std::mem::transmute(word) };
        let b: [__m512bh; P] = std::array::from_fn(|p| word(_mm512_loadu_si512(b(p).cast())));
        for (r, sums) in sums.iter_mut().enumerate() {
            let x = word(_mm512_set1_epi32((*a(r)).cast_signed()));
            for p in 0..P {
                sums[p] = _mm512_dpbf16_ps(sums[p], x, b[p]);
            }
        }
    }
}

/// `C[r][0..16 P] (+)= Σ_i A[r][i] · B[i][0..16 P]` over `words` words, for `R` rows.
///
/// # Safety
/// Requires AVX512-BF16; `a[r]` points to `words` words, the panel `p` of `B` begins at
/// `b + p · 16 words` and has as many, `c[r]` points to `columns` ≤ 16 `P` numbers that have no
/// other reference, and `finish.bias` is null or points to 16 `P` numbers.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bf16,avx2,fma")]
unsafe fn row_tile<const R: usize, const P: usize>(
    words: usize,
    a: [*const u32; R],
    b: *const u32,
    c: [*mut f32; R],
    columns: usize,
    finish: Finish,
) {
    let mut sums = [[_mm512_setzero_ps(); P]; R];
    // SAFETY: the caller guarantees the memory.
    unsafe {
        for i in 0..words {
            multiply(
                &mut sums,
                |r| a[r].add(i),
                |p| b.add((p * words + i) * PANEL),
            );
        }
        finish_tile(&sums, |r| c[r], columns, finish);
        if finish.epilogue == Epilogue::Gelu {
            for row in c {
                gelu_row(row, columns);
            }
        }
    }
}

/// `C[0..R][0..16 P] (+)= Σ_i A[i][0..R] · B[i][0..16 P]` over `words` words.
///
/// # Safety
/// Requires AVX512-BF16; `a` points to `12 words` words, the panel `p` of `B` begins at
/// `b + p · 16 words` and has as many, and `c + r · stride` points to `columns` ≤ 16 `P` numbers
/// that have no other reference for `r < R`.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bf16,avx2,fma")]
unsafe fn gradient_tile<const R: usize, const P: usize>(
    words: usize,
    a: *const u32,
    b: *const u32,
    (c, stride): (*mut f32, usize),
    columns: usize,
    load: bool,
) {
    let mut sums = [[_mm512_setzero_ps(); P]; R];
    // SAFETY: the caller guarantees the memory.
    unsafe {
        for i in 0..words {
            multiply(
                &mut sums,
                |r| a.add(i * TILE + r),
                |p| b.add((p * words + i) * PANEL),
            );
        }
        let finish = Finish {
            load,
            bias: std::ptr::null(),
            epilogue: Epilogue::Identity,
        };
        finish_tile(&sums, |r| c.add(r * stride), columns, finish);
    }
}

/// See [`RowProduct`].
///
/// # Panics
/// If the machine does not have the instructions.
pub(super) fn row_product(product: RowProduct<'_, f32>) {
    assert!(is_available(), "AVX512-BF16");
    product.check();
    let panels = product.b.n.div_ceil(PANEL);
    let bias = product.padded_bias(PANEL);
    let words = product.b.k.div_ceil(2);
    let mut a_copy = COPIES.with_borrow_mut(|(a_copy, _)| std::mem::take(a_copy));
    a_copy.resize(product.rows.len() * words, 0);
    for (i, out) in a_copy.chunks_exact_mut(words.max(1)).enumerate() {
        let row = product.rows.get(i).wrapping_add_signed(product.shift);
        // SAFETY: the machine has the instructions, as asserted above.
        unsafe { round_row(&product.a[row * product.a_stride..][..product.b.k], out) };
    }
    let job = Job {
        rows: product.rows,
        words,
        a: &a_copy,
        b: product.b.rounded(round_panels),
        n: product.b.n,
        c: Output::new(product.c),
        c_stride: product.c_stride,
        accumulate: product.accumulate,
        bias: bias.as_deref(),
        epilogue: product.epilogue,
    };
    let work = product.split.then(|| job.rows.len() * product.b.k * job.n);
    for_each_part(panels, work, |panels| job.run(panels));
    COPIES.with_borrow_mut(|(kept, _)| *kept = a_copy);
}

/// The words of every panel of a matrix.
fn round_panels(b: &Packed<f32>, out: &mut Vec<u32>) {
    let words = b.k.div_ceil(2);
    out.resize(b.n.div_ceil(PANEL) * words * PANEL, 0);
    let panels = b.data.chunks_exact((b.k * PANEL).max(1));
    for (panel, out) in panels.zip(out.chunks_exact_mut((words * PANEL).max(1))) {
        // SAFETY: `row_product` asserts that the machine has the instructions.
        unsafe { round_panel(panel.as_chunks().0, out.as_chunks_mut().0) };
    }
}

/// Rounds the rows of a panel in pairs, as [`round_rows`] does.
///
/// # Safety
/// Requires AVX512-BF16.
#[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
unsafe fn round_panel(panel: &[[f32; PANEL]], out: &mut [[u32; PANEL]]) {
    // The lower half of the 32 rounded numbers is the first row, the upper half the second.
    let interleave: [u16; 2 * PANEL] =
        std::array::from_fn(|i| (i / 2 + if i % 2 == 0 { 0 } else { PANEL }) as u16);
    // SAFETY: a register is 32 numbers of 16 bits.
    let interleave = unsafe { _mm512_loadu_si512(interleave.as_ptr().cast()) };
    for (rows, words) in panel.chunks(2).zip(out) {
        // SAFETY: every row has 16 numbers, and so has `words`.
        unsafe {
            let first = _mm512_loadu_ps(rows[0].as_ptr());
            let second = match rows.get(1) {
                Some(row) => _mm512_loadu_ps(row.as_ptr()),
                None => _mm512_setzero_ps(),
            };
            let both: __m512i = std::mem::transmute(_mm512_cvtne2ps_pbh(second, first));
            let both = _mm512_permutexvar_epi16(interleave, both);
            _mm512_storeu_si512(words.as_mut_ptr().cast(), both);
        }
    }
}

/// A checked row product with rounded sides.
struct Job<'a> {
    rows: RowSet<'a>,
    words: usize,
    /// One row of words for each of `rows`.
    a: &'a [u32],
    /// Panels of words.
    b: &'a [u32],
    n: usize,
    c: Output,
    c_stride: usize,
    accumulate: bool,
    /// Padded to whole panels.
    bias: Option<&'a [f32]>,
    epilogue: Epilogue,
}

impl Job<'_> {
    /// Computes the columns of some panels. Concurrent calls must not share a panel.
    fn run(&self, panels: Range<usize>) {
        let size = self.words * PANEL;
        for panel in panels.clone().step_by(2) {
            let pair = panel..(panel + 2).min(panels.end);
            self.pair(pair.clone(), &self.b[pair.start * size..pair.end * size]);
        }
    }

    /// All rows of one or two panels.
    fn pair(&self, panels: Range<usize>, b: &[u32]) {
        let (rows, words) = (self.rows, self.words);
        assert!(b.len() >= panels.len() * words * PANEL && self.a.len() >= rows.len() * words);
        let finish = Finish {
            load: self.accumulate,
            bias: match self.bias {
                Some(bias) => bias[panels.start * PANEL..panels.end * PANEL].as_ptr(),
                None => std::ptr::null(),
            },
            epilogue: self.epilogue,
        };
        let column = panels.start * PANEL;
        let columns = (panels.len() * PANEL).min(self.n - column);
        // SAFETY: there is one row of words for each row, as asserted above.
        let a_row = |i: usize| unsafe { self.a.as_ptr().add(i * words) };
        // SAFETY: `check` ensures that every row is inside `c`.
        let c_row = |i: usize| unsafe { self.c.at(rows.get(i) * self.c_stride + column) };
        let tiles = rows.len().div_ceil(ROWS);
        for tile in 0..tiles {
            let (i, end) = (rows.len() * tile / tiles, rows.len() * (tile + 1) / tiles);
            // SAFETY: `row_product` asserts that the machine has the instructions; rows of words,
            // the panels and the rows of `c` are inside their memory, as shown above.
            unsafe {
                macro_rules! run {
                    ($($rows:literal)*) => {
                        match (end - i, panels.len()) {
                            $(($rows, 2) => row_tile::<$rows, 2>(
                                words,
                                std::array::from_fn(|r| a_row(i + r)),
                                b.as_ptr(),
                                std::array::from_fn(|r| c_row(i + r)),
                                columns,
                                finish,
                            ),
                            ($rows, _) => row_tile::<$rows, 1>(
                                words,
                                std::array::from_fn(|r| a_row(i + r)),
                                b.as_ptr(),
                                std::array::from_fn(|r| c_row(i + r)),
                                columns,
                                finish,
                            ),)*
                            _ => unreachable!("a tile has 1 to 10 rows"),
                        }
                    };
                }
                run!(1 2 3 4 5 6 7 8 9 10);
            }
        }
    }
}

/// Rounds pairs of rows of a matrix to words, in panels of `WIDTH` columns. The last panel is
/// padded with zeros.
fn round_to_panels<const WIDTH: usize>(
    out: &mut Vec<u32>,
    data: &[f32],
    columns: usize,
    rows: &[u32],
    shift: isize,
) {
    let (panels, count) = (columns.div_ceil(WIDTH), rows.len().div_ceil(2));
    out.resize(panels * count * WIDTH, 0);
    let (out, _) = out.as_chunks_mut::<WIDTH>();
    let mut words = vec![0; panels * WIDTH];
    let row = |row: u32| {
        let row = (row as usize).wrapping_add_signed(shift);
        &data[row * columns..][..columns]
    };
    for (i, pair) in rows.chunks(2).enumerate() {
        // SAFETY: `gradient_product` asserts that the machine has the instructions.
        unsafe {
            round_rows(
                row(pair[0]),
                pair.get(1).map(|&it| row(it)),
                &mut words[..columns],
            )
        };
        for (panel, chunk) in words.as_chunks::<WIDTH>().0.iter().enumerate() {
            out[panel * count + i] = *chunk;
        }
    }
}

/// See [`GradientProduct`].
///
/// # Panics
/// If the machine does not have the instructions, or there is more than one tap.
pub(super) fn gradient_product(product: GradientProduct<'_, f32>) {
    assert!(is_available(), "AVX512-BF16");
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
    assert_eq!(taps, 1, "number of taps");
    let rows: Vec<u32> = segments
        .iter()
        .flat_map(|segment| segment.start as u32..segment.end as u32)
        .collect();
    if !accumulate && rows.is_empty() {
        c.fill(0.0);
    }
    if m == 0 || n == 0 {
        return;
    }
    COPIES.with_borrow_mut(|(a_copy, b_copy)| {
        for (number, rows) in rows.chunks(DEPTH).enumerate() {
            round_to_panels::<TILE>(a_copy, a, m, rows, shift);
            round_to_panels::<PANEL>(b_copy, b, n, rows, 0);
            let words = rows.len().div_ceil(2);
            let load = accumulate || number > 0;
            gradient_tiles(words, (a_copy, m), (b_copy, n), c, load);
        }
    });
}

fn gradient_tiles(
    words: usize,
    (a, m): (&[u32], usize),
    (b, n): (&[u32], usize),
    c: &mut [f32],
    load: bool,
) {
    let groups = m.div_ceil(TILE);
    // As many panels of `A` at a time as stay in the L2 cache during a pass over all of `B`.
    let together = (L2_WORDS / (words * TILE)).max(1);
    for first in (0..groups).step_by(together) {
        for panel in (0..n.div_ceil(PANEL)).step_by(2) {
            let panels = 2.min(n.div_ceil(PANEL) - panel);
            let columns = (panels * PANEL).min(n - panel * PANEL);
            let b_panels = &b[panel * words * PANEL..][..panels * words * PANEL];
            for group in first..groups.min(first + together) {
                let height = TILE.min(m - group * TILE);
                let a_panel = &a[group * words * TILE..][..words * TILE];
                let at = group * TILE * n + panel * PANEL;
                let tile = &mut c[at..][..(height - 1) * n + columns];
                // SAFETY: `gradient_product` asserts that the machine has the instructions; the
                // panels are sliced above, and `tile` spans exactly the `height` rows.
                unsafe {
                    macro_rules! run {
                        ($($rows:literal)*) => {
                            match (height, panels) {
                                $(($rows, 2) => gradient_tile::<$rows, 2>(
                                    words,
                                    a_panel.as_ptr(),
                                    b_panels.as_ptr(),
                                    (tile.as_mut_ptr(), n),
                                    columns,
                                    load,
                                ),
                                ($rows, _) => gradient_tile::<$rows, 1>(
                                    words,
                                    a_panel.as_ptr(),
                                    b_panels.as_ptr(),
                                    (tile.as_mut_ptr(), n),
                                    columns,
                                    load,
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
