//! Views of matrices with strides.

/// A matrix inside a slice: element (i, j) is at `start + i · row_stride + j · col_stride`.
#[derive(Debug, Clone, Copy)]
pub struct Strided {
    /// Index of element (0, 0).
    pub start: usize,
    /// Distance between rows.
    pub row_stride: usize,
    /// Distance between columns.
    pub col_stride: usize,
}

impl Strided {
    /// Consecutive rows of `cols` numbers each.
    #[must_use]
    pub const fn rows(start: usize, cols: usize) -> Self {
        Self {
            start,
            row_stride: cols,
            col_stride: 1,
        }
    }

    /// The transpose.
    #[must_use]
    pub const fn t(self) -> Self {
        Self {
            start: self.start,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
        }
    }

    /// Panics unless the matrix is inside `len` numbers.
    pub(super) fn check(self, rows: usize, cols: usize, len: usize) {
        if rows > 0 && cols > 0 {
            let last_row = (rows - 1).checked_mul(self.row_stride);
            let last = last_row
                .and_then(|at| at.checked_add((cols - 1).checked_mul(self.col_stride)?))
                .and_then(|at| at.checked_add(self.start));
            assert!(
                last.is_some_and(|last| last < len),
                "matrix of {rows} × {cols} ({self:?}) is out of range of {len} numbers"
            );
        }
    }
}
