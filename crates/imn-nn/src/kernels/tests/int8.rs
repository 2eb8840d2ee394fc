//! Products of integers against plain loops over the same integers, and against exact products.

use std::sync::Arc;

use super::super::int8::{Int8Kernel, row_product_with};
use super::*;

const BLOCK: usize = 64;

/// The integers and the scale of a block, as the module's documentation defines them.
fn quantized(block: &[f32]) -> (Vec<i32>, f32) {
    let largest = block
        .iter()
        .fold(0.0_f32, |largest, x| largest.max(x.abs()));
    let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    let numbers = block.iter().map(|x| (x * inverse).round_ties_even() as i32);
    (numbers.collect(), largest / 127.0)
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sum = 0.0;
    for (a, b) in a.chunks(BLOCK).zip(b.chunks(BLOCK)) {
        let ((a, a_scale), (b, b_scale)) = (quantized(a), quantized(b));
        let exact: i32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        sum += exact as f32 * (a_scale * b_scale);
    }
    sum
}

fn product(
    kernel: Int8Kernel,
    rows: &[u32],
    (a, stride): (&[f32], usize),
    b: &Packed<f32>,
    bias: Option<&[f32]>,
    (accumulate, epilogue, split): (bool, Epilogue, bool),
) -> Vec<f32> {
    let n = b.n;
    let mut c = vec![1.0; 40 * n];
    row_product_with(
        kernel,
        RowProduct {
            rows: RowSet::List(rows),
            a,
            a_stride: stride,
            shift: 1,
            b,
            c: &mut c,
            c_stride: n,
            accumulate,
            bias,
            epilogue,
            split,
            precision: Precision::Int8,
        },
    );
    c
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_kernel_returns_the_bits_of_the_definition(
        seed: u64,
        rows in proptest::collection::vec(0_u32..40, 0..45),
        k in 1_usize..200,
        n in 1_usize..70,
        accumulate: bool,
        relu: bool,
        biased: bool,
        split: bool,
    ) {
        let stride = k + 3;
        let mut a = numbers(42 * stride, seed, "a");
        // A block of zeros, and one number that is much larger than its neighbours.
        a[stride..][..k.min(BLOCK)].fill(0.0);
        a[2 * stride] = 1e4;
        let b = numbers(k * n, seed, "b");
        let bias = numbers(n, seed, "bias");
        let mut rows = rows;
        rows.sort_unstable();
        rows.dedup();
        let mut expected = vec![1.0; 40 * n];
        for &row in &rows {
            for j in 0..n {
                let column: Vec<f32> = (0..k).map(|i| b[i * n + j]).collect();
                let mut sum = dot(&a[(row as usize + 1) * stride..][..k], &column);
                let c = &mut expected[row as usize * n + j];
                if accumulate { sum += *c; }
                if biased { sum += bias[j]; }
                *c = if relu { sum.max(0.0) } else { sum };
            }
        }
        for (pack, ..) in kernels() {
            let packed = pack(&Stacked::row_major(&b, k, n));
            for kernel in Int8Kernel::available() {
                let settings = (accumulate, Epilogue::relu(relu), split);
                let bias = biased.then_some(&*bias);
                let found = product(kernel, &rows, (&a, stride), &packed, bias, settings);
                prop_assert_eq!(&found, &expected, "{:?}", kernel);
            }
        }
    }
}

#[test]
fn products_are_close_to_the_exact_ones() {
    let (k, n) = (384, 48);
    let (a, b) = (numbers(42 * k, 1, "a"), numbers(k * n, 1, "b"));
    let bias = numbers(n, 1, "bias");
    let packed = portable::pack(&Stacked::row_major(&b, k, n));
    let rows: Vec<u32> = (0..40).collect();
    for epilogue in [Epilogue::Identity, Epilogue::Gelu] {
        let mut exact = vec![0.0; 40 * n];
        portable::row_product(RowProduct {
            rows: RowSet::List(&rows),
            a: &a,
            a_stride: k,
            shift: 1,
            b: &packed,
            c: &mut exact,
            c_stride: n,
            accumulate: false,
            bias: Some(&bias),
            epilogue,
            split: false,
            precision: Precision::F32,
        });
        for kernel in Int8Kernel::available() {
            let settings = (false, epilogue, true);
            let found = product(kernel, &rows, (&a, k), &packed, Some(&bias), settings);
            let error: f32 = found.iter().zip(&exact).map(|(f, e)| (f - e).powi(2)).sum();
            let size: f32 = exact.iter().map(|e| e * e).sum();
            let relative = (error / size).sqrt();
            assert!(relative < 0.01, "{kernel:?}, {epilogue:?}: {relative}");
            assert!(relative > 0.0, "{kernel:?} does not quantize");
        }
    }
}

#[test]
fn a_matrix_that_is_packed_again_is_quantized_again() {
    let (k, n) = (64, 32);
    let (a, b) = (numbers(42 * k, 1, "a"), numbers(k * n, 1, "b"));
    let mut packed = Packed::empty();
    packed.refill(&b, Strided::rows(0, n), (k, n), n);
    let settings = (false, Epilogue::Identity, false);
    let kernel = Int8Kernel::Portable;
    let before = product(kernel, &[0], (&a, k), &packed, None, settings);
    let doubled: Vec<f32> = b.iter().map(|x| 2.0 * x).collect();
    packed.refill(&doubled, Strided::rows(0, n), (k, n), n);
    let after = product(kernel, &[0], (&a, k), &packed, None, settings);
    for (before, after) in before[..n].iter().zip(&after[..n]) {
        assert_eq!(2.0 * before, *after);
    }
}

/// A thread that quantizes a matrix in parallel takes other work while it waits for its helpers.
/// That work may need the same matrix, so nothing may be locked meanwhile.
#[test]
fn threads_that_need_the_same_matrix_do_not_wait_for_each_other() {
    const TASKS: usize = 64;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.unwrap();
    let (k, n) = (1024, 256);
    let (a, b) = (numbers(2 * k, 1, "a"), numbers(k * n, 1, "b"));
    for _ in 0..20 {
        let packed = Arc::new(pack_f32(&Stacked::row_major(&b, k, n)));
        let (done, finished) = std::sync::mpsc::channel();
        for _ in 0..TASKS {
            let (a, packed, done) = (a.clone(), Arc::clone(&packed), done.clone());
            pool.spawn(move || {
                let plain = (false, Epilogue::Identity, false);
                product(Int8Kernel::Portable, &[0], (&a, k), &packed, None, plain);
                done.send(()).unwrap();
            });
        }
        for _ in 0..TASKS {
            let limit = std::time::Duration::from_secs(60);
            assert!(
                finished.recv_timeout(limit).is_ok(),
                "the threads are stuck"
            );
        }
    }
}
