//! Products with rounded factors against the triple loop over rounded factors.

use super::*;

/// The nearest bfloat16, with ties to even.
fn rounded(value: f32) -> f32 {
    let bits = value.to_bits();
    f32::from_bits((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff_0000)
}

fn dot(pairs: impl Iterator<Item = (f32, f32)>) -> f32 {
    let products = pairs.map(|(a, b)| f64::from(rounded(a)) * f64::from(rounded(b)));
    products.sum::<f64>() as f32
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn row_products_round_both_sides(
        seed: u64,
        rows in proptest::collection::vec(0_u32..40, 0..45),
        k in 0_usize..70,
        n in 1_usize..70,
        accumulate: bool,
        split: bool,
    ) {
        if !Precision::Bf16.is_available() {
            return Ok(());
        }
        let (stride, shift) = (k + 3, 1_isize);
        let a = numbers(42 * stride, seed, "a");
        let b = numbers(k * n, seed, "b");
        let bias = numbers(n, seed, "bias");
        let packed = avx2::pack(&Stacked::row_major(&b, k, n));
        let mut c = vec![1.0; 40 * n];
        let mut rows = rows;
        rows.sort_unstable();
        rows.dedup();
        row_product_f32(RowProduct {
            rows: RowSet::List(&rows),
            a: &a,
            a_stride: stride,
            shift,
            b: &packed,
            c: &mut c,
            c_stride: n,
            accumulate,
            bias: Some(&bias),
            epilogue: Epilogue::Relu,
            split,
            precision: Precision::Bf16,
        });
        let mut expected = vec![1.0; 40 * n];
        for &row in &rows {
            let a = &a[(row as usize + 1) * stride..][..k];
            for j in 0..n {
                let sum = dot(a.iter().enumerate().map(|(i, &a)| (a, b[i * n + j])));
                let before = if accumulate { 1.0 } else { 0.0 };
                expected[row as usize * n + j] = (before + sum + bias[j]).max(0.0);
            }
        }
        assert_close(&c, &expected);
    }

    #[test]
    fn gradient_products_round_both_sides(
        seed: u64,
        cuts in proptest::collection::vec(0_usize..30, 0..6),
        m in 1_usize..40,
        n in 1_usize..70,
        accumulate: bool,
    ) {
        if !Precision::Bf16.is_available() {
            return Ok(());
        }
        // Segments with gaps of one row between them.
        let mut segments = Vec::new();
        let mut end = 0;
        for length in cuts {
            segments.push(end..end + length);
            end += length + 1;
        }
        let a = numbers((end + 1) * m, seed, "a");
        let b = numbers(end * n, seed, "b");
        let mut c = vec![1.0; m * n];
        gradient_product_f32(GradientProduct {
            segments: &segments,
            a: &a,
            m,
            shift: 1,
            taps: 1,
            b: &b,
            n,
            c: &mut c,
            accumulate,
            precision: Precision::Bf16,
        });
        let expected: Vec<f32> = (0..m * n)
            .map(|at| {
                let (i, j) = (at / n, at % n);
                let rows = segments.iter().cloned().flatten();
                let sum = dot(rows.map(|row| (a[(row + 1) * m + i], b[row * n + j])));
                sum + if accumulate { 1.0 } else { 0.0 }
            })
            .collect();
        assert_close(&c, &expected);
    }
}

#[test]
fn many_rows_are_summed_in_blocks() {
    if !Precision::Bf16.is_available() {
        return;
    }
    let (rows, m, n) = (2500, 3, 17);
    let (a, b) = (numbers(rows * m, 1, "a"), numbers(rows * n, 1, "b"));
    let mut c = vec![f32::NAN; m * n];
    gradient_product_f32(GradientProduct {
        segments: std::slice::from_ref(&(0..rows)),
        a: &a,
        m,
        shift: 0,
        taps: 1,
        b: &b,
        n,
        c: &mut c,
        accumulate: false,
        precision: Precision::Bf16,
    });
    for (at, &found) in c.iter().enumerate() {
        let expected = dot((0..rows).map(|row| (a[row * m + at / n], b[row * n + at % n])));
        assert!(
            (found - expected).abs() < 0.01,
            "{found}, expected {expected}"
        );
    }
}

#[test]
fn a_matrix_is_rounded_anew_after_it_changes() {
    if !Precision::Bf16.is_available() {
        return;
    }
    let (k, n) = (5, 20);
    let a = numbers(k, 1, "a");
    let mut packed = avx2::pack(&Stacked::row_major(&numbers(k * n, 1, "b"), k, n));
    for seed in 1..4 {
        let b = numbers(k * n, seed, "b");
        packed.refill(&b, Strided::rows(0, n), (k, n), n);
        let mut c = vec![0.0; n];
        row_product_f32(RowProduct {
            rows: RowSet::List(&[0]),
            a: &a,
            a_stride: k,
            shift: 0,
            b: &packed,
            c: &mut c,
            c_stride: n,
            accumulate: false,
            bias: None,
            epilogue: Epilogue::Identity,
            split: false,
            precision: Precision::Bf16,
        });
        let expected: Vec<f32> = (0..n)
            .map(|j| dot(a.iter().enumerate().map(|(i, &a)| (a, b[i * n + j]))))
            .collect();
        assert_close(&c, &expected);
    }
}
