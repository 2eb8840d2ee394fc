//! Reused buffers: a training step asks for the same sizes thousands of times.

/// Free buffers by size class.
#[derive(Debug, Default)]
pub(crate) struct Pool<S> {
    classes: Vec<Vec<Vec<S>>>,
}

impl<S: Copy + Default> Pool<S> {
    /// `len` zeros.
    pub(crate) fn zeros(&mut self, len: usize) -> Vec<S> {
        let mut buffer = self.take(len);
        buffer.clear();
        buffer.resize(len, S::default());
        buffer
    }

    /// `len` numbers with arbitrary contents, for a caller that overwrites all of them.
    pub(crate) fn scratch(&mut self, len: usize) -> Vec<S> {
        let mut buffer = self.take(len);
        // Truncates, or appends zeros; the other numbers are left alone.
        buffer.resize(len, S::default());
        buffer
    }

    fn take(&mut self, len: usize) -> Vec<S> {
        let class = class(len);
        match self.classes.get_mut(class).and_then(Vec::pop) {
            Some(buffer) => buffer,
            None => Vec::with_capacity(1 << class),
        }
    }

    /// Returns a buffer to the pool.
    pub(crate) fn recycle(&mut self, buffer: Vec<S>) {
        // A buffer that the pool did not allocate may have any capacity: round down to its class.
        let Some(class) = buffer.capacity().checked_ilog2() else {
            return;
        };
        let class = class as usize;
        if self.classes.len() <= class {
            self.classes.resize_with(class + 1, Vec::new);
        }
        self.classes[class].push(buffer);
    }
}

/// log₂ of the smallest power of two that is at least `len`.
fn class(len: usize) -> usize {
    len.max(1).next_power_of_two().ilog2() as usize
}
