//! Memory that passes from one tape to the next.

use crate::grads::Grads;
use crate::pool::Pool;
use crate::{Scalar, Shape};

/// Memory that a finished tape leaves for the next one.
#[derive(Debug)]
pub(crate) struct Workspace<S> {
    pub(super) pool: Pool<S>,
    pub(crate) grads: Grads<S>,
}

impl<S: Scalar> Workspace<S> {
    pub(crate) fn new() -> Self {
        Self {
            pool: Pool::default(),
            grads: Grads::new(),
        }
    }

    /// A buffer for a value of this shape. Separator rows are zero; live rows have arbitrary
    /// contents, and the caller writes all of them.
    pub(super) fn unwritten(&mut self, shape: &Shape) -> Vec<S> {
        let mut value = self.pool.scratch(shape.len());
        let mut at = 0;
        for live in shape.live() {
            value[at..live.start].fill(S::zero());
            at = live.end;
        }
        value[at..].fill(S::zero());
        value
    }
}
