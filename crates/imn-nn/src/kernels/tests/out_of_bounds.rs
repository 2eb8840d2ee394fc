//! The checks that keep the kernels inside their memory.

use super::*;

fn product(rows: &[u32], shift: isize, a: usize, c: usize) {
    for (pack, row_product, _) in kernels() {
        let packed = pack(&Stacked::row_major(&[1.0; 12], 4, 3));
        let (a, mut c) = (vec![0.0; a], vec![0.0; c]);
        row_product(RowProduct {
            rows: RowSet::List(rows),
            a: &a,
            a_stride: 4,
            shift,
            b: &packed,
            c: &mut c,
            c_stride: 3,
            accumulate: false,
            bias: None,
            epilogue: Epilogue::Identity,
            split: false,
            precision: Precision::F32,
        });
    }
}

#[test]
fn inside() {
    product(&[0, 2], 0, 12, 9);
    product(&[1, 2], -1, 8, 9);
}

#[test]
#[should_panic(expected = "before the matrix")]
fn before_the_left_side() {
    product(&[0], -1, 12, 9);
}

#[test]
#[should_panic(expected = "out of range of 11 numbers")]
fn after_the_left_side() {
    product(&[2], 0, 11, 9);
}

#[test]
#[should_panic(expected = "out of range of the output")]
fn after_the_output() {
    product(&[2], 0, 12, 8);
}

#[test]
#[should_panic(expected = "out of range of the left-hand side")]
fn gradient_after_the_left_side() {
    for (_, _, gradient_product) in kernels() {
        gradient_product(GradientProduct {
            segments: std::slice::from_ref(&(0..2)),
            a: &[0.0; 2],
            m: 2,
            shift: 0,
            taps: 1,
            b: &[0.0; 2],
            n: 1,
            c: &mut [0.0; 2],
            accumulate: true,
            precision: Precision::F32,
        });
    }
}

#[test]
#[should_panic(expected = "out of range of 5 numbers")]
fn general_product() {
    gemm::<f32>(
        (2, 1, 3),
        (&[0.0; 5], Strided::rows(0, 3)),
        (&[0.0; 3], Strided::rows(0, 1)),
        (&mut [0.0; 2], Strided::rows(0, 1)),
    );
}
