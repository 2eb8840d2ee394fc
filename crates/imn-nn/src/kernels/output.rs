//! The output of a row product, of which several threads may compute different columns.
#![allow(unsafe_code)]

use std::ops::Range;

use rayon::prelude::*;

use super::PARALLEL_THRESHOLD;

/// A matrix that is written panel by panel.
#[derive(Clone, Copy)]
pub(super) struct Output(*mut f32);

// SAFETY: threads that share an `Output` write disjoint columns, see `for_each_part`.
unsafe impl Send for Output {}
// SAFETY: as above.
unsafe impl Sync for Output {}

impl Output {
    pub(super) fn new(matrix: &mut [f32]) -> Self {
        Self(matrix.as_mut_ptr())
    }

    /// # Safety
    /// `offset` must be inside the matrix.
    pub(super) unsafe fn at(self, offset: usize) -> *mut f32 {
        // SAFETY: the caller guarantees the offset.
        unsafe { self.0.add(offset) }
    }
}

/// Calls `run` for all panels, in as many parts as threads are worth it. `multiplications` is the
/// size of the product if it may be split. Only the columns are split, so every number is summed in
/// the same order on any number of threads.
pub(super) fn for_each_part(
    panels: usize,
    multiplications: Option<usize>,
    run: impl Fn(Range<usize>) + Sync,
) {
    let parts = multiplications.map_or(1, |multiplications| {
        (multiplications / PARALLEL_THRESHOLD)
            .clamp(1, rayon::current_num_threads())
            .min(panels.max(1))
    });
    let part = |i: usize| panels * i / parts..panels * (i + 1) / parts;
    if parts == 1 {
        run(part(0));
    } else if parts == 2 {
        rayon::join(|| run(part(0)), || run(part(1)));
    } else {
        (0..parts)
            .into_par_iter()
            .with_max_len(1)
            .for_each(|i| run(part(i)));
    }
}
