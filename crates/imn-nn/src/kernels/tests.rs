//! Every kernel against the plain triple loop, on shapes with partial tiles and panels.

#[cfg(target_arch = "x86_64")]
mod bf16;
mod int8;
mod out_of_bounds;

use proptest::prelude::*;

use super::*;
use crate::Init;

fn numbers(count: usize, seed: u64, name: &str) -> Vec<f32> {
    Init::Normal { std: 1.0 }.draw(&[count], seed, name)
}

fn assert_close(found: &[f32], expected: &[f32]) {
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!(
            (f - e).abs() <= 1e-4 * (1.0 + e.abs()),
            "at {i}: {f}, expected {e}"
        );
    }
}

type Pack = fn(&Stacked<'_, f32>) -> Packed<f32>;
type Rows = fn(RowProduct<'_, f32>);
type Gradients = fn(GradientProduct<'_, f32>);

/// The kernels that this machine can run.
fn kernels() -> Vec<(Pack, Rows, Gradients)> {
    let mut kernels: Vec<(Pack, Rows, Gradients)> = vec![(
        portable::pack,
        portable::row_product,
        portable::gradient_product,
    )];
    #[cfg(target_arch = "x86_64")]
    if use_avx2() {
        // First, so that the tests of bounds reach the unsafe code.
        let tiles: (Pack, Rows, Gradients) = (
            avx2::pack,
            |product| avx2::row_product(product, avx2::Instructions::Avx2),
            |product| avx2::gradient_product(product, avx2::Instructions::Avx2),
        );
        kernels.insert(0, tiles);
        if has_avx512() {
            let tiles: (Pack, Rows, Gradients) = (
                avx2::pack,
                |product| avx2::row_product(product, avx2::Instructions::Avx512),
                |product| avx2::gradient_product(product, avx2::Instructions::Avx512),
            );
            kernels.insert(0, tiles);
        }
    }
    kernels
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn row_products_equal_the_triple_loop(
        seed: u64,
        stride in 1..40_usize,
        taps in prop::sample::select(vec![1_usize, 3, 5]),
        n in 1..40_usize,
        rows in prop::collection::vec(2..30_u32, 0..20),
        accumulate: bool,
        relu: bool,
        biased: bool,
        split: bool,
    ) {
        let k = taps * stride;
        let half = (taps / 2) as isize;
        let a = numbers(33 * stride, seed, "a");
        let b = numbers(k * n, seed, "b");
        let bias = numbers(n, seed, "bias");
        let before = numbers(33 * n, seed, "c");
        let mut rows = rows;
        rows.sort_unstable();
        rows.dedup();
        let mut expected = before.clone();
        for &row in &rows {
            for j in 0..n {
                let start = (row as usize - half as usize) * stride;
                let mut sum: f32 = (0..k).map(|i| a[start + i] * b[i * n + j]).sum();
                let c = &mut expected[row as usize * n + j];
                if accumulate { sum += *c; }
                if biased { sum += bias[j]; }
                *c = if relu { sum.max(0.0) } else { sum };
            }
        }
        for (pack, row_product, _) in kernels() {
            let packed = pack(&Stacked::row_major(&b, k, n));
            let mut c = before.clone();
            row_product(RowProduct {
                rows: RowSet::List(&rows),
                a: &a,
                a_stride: stride,
                shift: -half,
                b: &packed,
                c: &mut c,
                c_stride: n,
                accumulate,
                bias: biased.then_some(&bias),
                epilogue: Epilogue::relu(relu),
                split,
                precision: Precision::F32,
            });
            assert_close(&c, &expected);
        }
    }

    #[test]
    fn gradient_products_equal_the_triple_loop(
        seed: u64,
        m in 1..20_usize,
        n in 1..40_usize,
        taps in prop::sample::select(vec![1_usize, 3, 5]),
        lengths in prop::collection::vec(0..200_usize, 0..5),
        accumulate: bool,
    ) {
        let layout = crate::Layout::new(lengths, 2);
        let half = (taps / 2) as isize;
        let a = numbers(layout.rows() * m, seed, "a");
        let b = numbers(layout.rows() * n, seed, "b");
        let before = if accumulate { 1.0 } else { 0.0 };
        let mut expected = vec![before; taps * m * n];
        for span in layout.spans() {
            for row in span.clone() {
                for tap in 0..taps {
                    for i in 0..m {
                        for j in 0..n {
                            let from = row + tap - half as usize;
                            expected[(tap * m + i) * n + j] += a[from * m + i] * b[row * n + j];
                        }
                    }
                }
            }
        }
        for (_, _, gradient_product) in kernels() {
            let mut c = vec![1.0; taps * m * n];
            gradient_product(GradientProduct {
                segments: layout.spans(),
                a: &a,
                m,
                shift: -half,
                taps,
                b: &b,
                n,
                c: &mut c,
                accumulate,
                precision: Precision::F32,
            });
            for (f, e) in c.iter().zip(&expected) {
                assert!((f - e).abs() < 2e-3 * (1.0 + e.abs()), "{f}, expected {e}");
            }
        }
    }
}

#[test]
fn a_packed_matrix_transposed_is_the_transpose_packed() {
    for (rows, cols) in [(1, 1), (16, 16), (5, 40), (40, 5), (33, 17)] {
        let data = numbers(rows * cols, 1, "matrix");
        let mut transposed = vec![0.0; data.len()];
        for i in 0..rows {
            for j in 0..cols {
                transposed[j * rows + i] = data[i * cols + j];
            }
        }
        for (pack, _, _) in kernels() {
            let packed = pack(&Stacked::row_major(&data, rows, cols)).transposed(None);
            let expected = pack(&Stacked::row_major(&transposed, cols, rows));
            assert_eq!((packed.k, packed.n), (expected.k, expected.n));
            assert_eq!(packed.data, expected.data, "{rows} × {cols}");
        }
    }
}

/// Depths around multiples of the block size, with everything that happens only at the last block.
#[test]
fn deep_products_are_summed_over_blocks() {
    for k in [511, 512, 513, 1024, 1025, 1300] {
        let (a, b) = (numbers(7 * k, 1, "a"), numbers(k * 17, 1, "b"));
        let (bias, before) = (numbers(17, 1, "bias"), numbers(7 * 17, 1, "c"));
        for (pack, row_product, _) in kernels() {
            let packed = pack(&Stacked::row_major(&b, k, 17));
            for flags in 0..8 {
                let (accumulate, relu, biased) = (flags & 1 > 0, flags & 2 > 0, flags & 4 > 0);
                let mut c = before.clone();
                row_product(RowProduct {
                    rows: RowSet::First(7),
                    a: &a,
                    a_stride: k,
                    shift: 0,
                    b: &packed,
                    c: &mut c,
                    c_stride: 17,
                    accumulate,
                    bias: biased.then_some(&bias),
                    epilogue: Epilogue::relu(relu),
                    split: false,
                    precision: Precision::F32,
                });
                for (i, &c) in c.iter().enumerate() {
                    let mut sum: f64 = (0..k)
                        .map(|d| f64::from(a[i / 17 * k + d]) * f64::from(b[d * 17 + i % 17]))
                        .sum();
                    sum += if accumulate {
                        f64::from(before[i])
                    } else {
                        0.0
                    };
                    sum += if biased { f64::from(bias[i % 17]) } else { 0.0 };
                    let sum = if relu { sum.max(0.0) } else { sum };
                    assert!((f64::from(c) - sum).abs() < 1e-3, "{c}, expected {sum}");
                }
            }
        }
    }
}

/// GELU as the epilogue, into rows that are wider than the product.
#[test]
fn an_epilogue_changes_only_the_columns_of_the_product() {
    for (rows, k, n) in [(1, 3, 5), (7, 20, 16), (23, 600, 37), (11, 8, 64)] {
        let (a, b) = (numbers(rows * k, 3, "a"), numbers(k * n, 3, "b"));
        let a: Vec<f32> = a.iter().map(|x| x / (k as f32).sqrt()).collect();
        let bias = numbers(n, 3, "bias");
        let stride = n + 3;
        for (pack, row_product, _) in kernels() {
            let packed = pack(&Stacked::row_major(&b, k, n));
            let mut c = vec![9.0; rows * stride];
            row_product(RowProduct {
                rows: RowSet::First(rows),
                a: &a,
                a_stride: k,
                shift: 0,
                b: &packed,
                c: &mut c,
                c_stride: stride,
                accumulate: false,
                bias: Some(&bias),
                epilogue: Epilogue::Gelu,
                split: false,
                precision: Precision::F32,
            });
            for (i, row) in c.chunks_exact(stride).enumerate() {
                for (j, &y) in row.iter().enumerate() {
                    let expected = if j < n {
                        let sum = |d: usize| f64::from(a[i * k + d]) * f64::from(b[d * n + j]);
                        let x = (0..k).map(sum).sum::<f64>() + f64::from(bias[j]);
                        x.gelu().0
                    } else {
                        9.0
                    };
                    assert!(
                        (f64::from(y) - expected).abs() < 1e-5,
                        "{y}, not {expected}"
                    );
                }
            }
        }
    }
}

/// AVX2 and AVX-512 tiles give the same bits.
#[cfg(target_arch = "x86_64")]
#[test]
fn avx512_tiles_give_the_same_bits() {
    if !(use_avx2() && has_avx512()) {
        return;
    }
    for (rows, k, n) in [(1, 3, 5), (25, 700, 37), (64, 96, 160)] {
        let (a, b) = (numbers(rows * k, 4, "a"), numbers(k * n, 4, "b"));
        let bias = numbers(n, 4, "bias");
        let packed = avx2::pack(&Stacked::row_major(&b, k, n));
        let run = |with: avx2::Instructions| {
            let mut c = numbers(rows * n, 4, "c");
            let product = RowProduct {
                rows: RowSet::First(rows),
                a: &a,
                a_stride: k,
                shift: 0,
                b: &packed,
                c: &mut c,
                c_stride: n,
                accumulate: true,
                bias: Some(&bias),
                epilogue: Epilogue::Gelu,
                split: false,
                precision: Precision::F32,
            };
            avx2::row_product(product, with);
            let mut gradient = vec![0.0; k * n];
            let all = 0..rows;
            let product = GradientProduct {
                segments: std::slice::from_ref(&all),
                a: &a,
                m: k,
                shift: 0,
                taps: 1,
                b: &c,
                n,
                c: &mut gradient,
                accumulate: false,
                precision: Precision::F32,
            };
            avx2::gradient_product(product, with);
            (c, gradient)
        };
        let [avx2, avx512] = [avx2::Instructions::Avx2, avx2::Instructions::Avx512].map(run);
        assert!(avx2 == avx512, "{rows} x {k} x {n}");
    }
}

proptest! {
    #[test]
    fn refilled_panels_and_transposes_equal_plain_copies(
        rows in 1..40_usize,
        cols in 1..40_usize,
        extra in 0..5_usize,
        more in 0..20_usize,
        seed: u64,
    ) {
        let stride = cols + extra;
        let data = numbers(rows * stride, seed, "data");
        let view = Strided::rows(0, stride);
        let mut packed = Packed::empty();
        for (view, k, n) in [(view, rows, cols), (view.t(), cols, rows)] {
            packed.refill(&data, view, (k, n), n + more);
            let mut plain = vec![0.0; k * (n + more)];
            for i in 0..k {
                for j in 0..n {
                    plain[i * (n + more) + j] = data[i * view.row_stride + j * view.col_stride];
                }
            }
            let expected = f32::pack(&Stacked::row_major(&plain, k, n + more));
            prop_assert_eq!(&packed.data, &expected.data);
            prop_assert_eq!(packed.shape(), expected.shape());
        }
        let width = rows.next_multiple_of(8);
        let mut out = vec![0.0; cols * width];
        f32::transpose((&data, stride), (rows, cols), (&mut out, width));
        for i in 0..rows {
            for j in 0..cols {
                prop_assert_eq!(out[j * width + i], data[i * stride + j]);
            }
        }
    }
}

/// Large enough to be split: the same bits on any number of threads.
#[test]
fn a_product_split_over_threads_is_the_same() {
    let (rows, k, n) = (50, 640, 200);
    let (a, b) = (numbers(rows * k, 2, "a"), numbers(k * n, 2, "b"));
    let bias = numbers(n, 2, "bias");
    for (pack, row_product, _) in kernels() {
        let packed = pack(&Stacked::row_major(&b, k, n));
        let run = |threads: usize, split: bool| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let mut c = vec![0.0; rows * n];
            pool.install(|| {
                row_product(RowProduct {
                    rows: RowSet::First(rows),
                    a: &a,
                    a_stride: k,
                    shift: 0,
                    b: &packed,
                    c: &mut c,
                    c_stride: n,
                    accumulate: false,
                    bias: Some(&bias),
                    epilogue: Epilogue::Relu,
                    split,
                    precision: Precision::F32,
                });
            });
            c
        };
        let whole = run(1, false);
        assert!(whole.iter().any(|&c| c > 1.0));
        for threads in [1, 2, 3, 5] {
            assert!(run(threads, true) == whole, "{threads} threads");
        }
    }
}

#[test]
fn a_nan_survives_relu() {
    for (pack, row_product, _) in kernels() {
        let packed = pack(&Stacked::row_major(&[1.0], 1, 1));
        let mut c = vec![0.0; 1];
        row_product(RowProduct {
            rows: RowSet::First(1),
            a: &[f32::NAN],
            a_stride: 1,
            shift: 0,
            b: &packed,
            c: &mut c,
            c_stride: 1,
            accumulate: false,
            bias: None,
            epilogue: Epilogue::Relu,
            split: false,
            precision: Precision::F32,
        });
        assert!(c[0].is_nan());
    }
}
