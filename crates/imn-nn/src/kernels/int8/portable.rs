//! The sums in plain loops.

use super::{BLOCK, PANEL, Panel, QUAD, QuantizedRow, TileSums};

/// The sums of some rows and panels.
pub(super) fn sums(a: &[QuantizedRow<'_>], b: &[Panel<'_>], sums: &mut TileSums) {
    for (row, sums) in a.iter().zip(sums) {
        for (panel, sums) in b.iter().zip(sums.as_chunks_mut::<PANEL>().0) {
            *sums = panel_sums(row, panel);
        }
    }
}

fn panel_sums(row: &QuantizedRow<'_>, panel: &Panel<'_>) -> [f32; PANEL] {
    let mut sums = [0.0; PANEL];
    let (quads, _) = panel.numbers.as_chunks::<{ QUAD * PANEL }>();
    let (starts, _) = panel.starts.as_chunks::<PANEL>();
    let (scales, _) = panel.scales.as_chunks::<PANEL>();
    for (block, scale) in row.scales.iter().enumerate() {
        let mut exact = starts[block];
        let numbers = &row.numbers[block * BLOCK..][..BLOCK];
        let quads = &quads[block * BLOCK / QUAD..][..BLOCK / QUAD];
        for (a, b) in numbers.as_chunks::<QUAD>().0.iter().zip(quads) {
            for (sum, b) in exact.iter_mut().zip(b.as_chunks::<QUAD>().0) {
                for (&a, &b) in a.iter().zip(b) {
                    *sum += i32::from(a) * i32::from(b);
                }
            }
        }
        for ((sum, &exact), of_column) in sums.iter_mut().zip(&exact).zip(&scales[block]) {
            *sum += exact as f32 * (scale * of_column);
        }
    }
    sums
}
