//! The state of Adam, in memory and as tensors of a checkpoint.
//!
//! In a checkpoint, `mean.NAME` and `square.NAME` are floats and `count.NAME` is one U64. For
//! tables, `rows.NAME` (U32) lists the rows that the moments belong to and, if untouched rows move,
//! `last.NAME` (U64) the count at their last touch.

use std::collections::HashMap;

use super::Adam;
use crate::params::Tensor;
use crate::store::{MixedTensors, Values};
use crate::{Error, Params, Result, Scalar};

/// The state of one parameter.
#[derive(Debug, Clone)]
pub(super) struct Moments<S> {
    pub(super) count: u64,
    /// For a table, the rows that were ever touched: `mean` and `square` hold only those.
    pub(super) rows: Option<TouchedRows>,
    pub(super) mean: Vec<S>,
    pub(super) square: Vec<S>,
}

impl<S> Default for Moments<S> {
    fn default() -> Self {
        Self {
            count: 0,
            rows: None,
            mean: Vec::new(),
            square: Vec::new(),
        }
    }
}

/// Rows of a table in the order in which they were first touched.
#[derive(Debug, Clone, Default)]
pub(super) struct TouchedRows {
    order: Vec<u32>,
    indices: HashMap<u32, usize>,
    /// The count at the last touch of each row; empty unless untouched rows move.
    last: Vec<u64>,
}

impl TouchedRows {
    fn new(order: Vec<u32>) -> Self {
        let indices = order.iter().enumerate();
        Self {
            indices: indices.map(|(index, &row)| (row, index)).collect(),
            order,
            last: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The index of a row; a new row gets the next free one.
    pub(super) fn index_of(&mut self, row: u32) -> usize {
        *self.indices.entry(row).or_insert_with(|| {
            self.order.push(row);
            self.order.len() - 1
        })
    }

    /// Notes that the row of this index is touched in step `count`. Returns the number of steps in
    /// which it rested: those after the first `moving` steps since its last touch.
    pub(super) fn touch(&mut self, index: usize, count: u64, moving: u64) -> u64 {
        // A new row has no moments that could decay.
        self.last.resize(self.order.len(), count);
        let last = std::mem::replace(&mut self.last[index], count);
        (count - last).saturating_sub(1 + moving)
    }

    /// Row and index of each row that is not touched in step `count`, but was in one of the
    /// `moving` steps before.
    pub(super) fn moving(&self, count: u64, moving: u64) -> impl Iterator<Item = (u32, usize)> {
        let rows = self.order.iter().zip(&self.last).enumerate();
        rows.filter(move |(_, (_, last))| (1..=moving).contains(&(count - **last)))
            .map(|(index, (&row, _))| (row, index))
    }
}

impl<S: Scalar> Adam<S> {
    /// Moments, counts and rows, for a checkpoint.
    #[must_use]
    pub fn tensors(&self, params: &Params<S>) -> MixedTensors<S> {
        let mut tensors = MixedTensors::new();
        for ((_, tensor), moments) in params.iter().zip(&self.moments) {
            if moments.count == 0 {
                continue;
            }
            let name = tensor.name();
            let mut shape = tensor.shape().to_vec();
            if let Some(rows) = &moments.rows {
                shape = vec![rows.len(), tensor.cols()];
                let order = Values::U32(rows.order.clone());
                tensors.insert(format!("rows.{name}"), (vec![rows.len()], order));
                if !rows.last.is_empty() {
                    let last = Values::U64(rows.last.clone());
                    tensors.insert(format!("last.{name}"), (vec![rows.len()], last));
                }
            }
            let (mean, square) = (moments.mean.clone(), moments.square.clone());
            let count = Values::U64(vec![moments.count]);
            tensors.insert(format!("count.{name}"), (vec![1], count));
            tensors.insert(
                format!("mean.{name}"),
                (shape.clone(), Values::Floats(mean)),
            );
            tensors.insert(format!("square.{name}"), (shape, Values::Floats(square)));
        }
        tensors
    }

    /// Restores the state from the tensors that [`Adam::tensors`] returned for the same parameters.
    ///
    /// # Errors
    /// If a tensor is missing, unexpected, or has the wrong shape or type. On error, nothing is
    /// changed.
    pub fn load_tensors(&mut self, params: &Params<S>, mut tensors: MixedTensors<S>) -> Result<()> {
        let mut loaded = Vec::with_capacity(params.len());
        for (_, tensor) in params.iter() {
            loaded.push(read_moments(tensor, &mut tensors)?);
        }
        if let Some(name) = tensors.into_keys().next() {
            return Err(Error::Unexpected { name });
        }
        self.moments = loaded;
        Ok(())
    }
}

fn read_moments<S: Scalar>(
    tensor: &Tensor<S>,
    tensors: &mut MixedTensors<S>,
) -> Result<Moments<S>> {
    let mut moments = Moments::default();
    let mut take = |kind: &str| {
        let name = format!("{kind}.{}", tensor.name());
        tensors
            .remove(&name)
            .map(|(shape, values)| (name, shape, values))
    };
    let Some((name, found, count)) = take("count") else {
        return Ok(moments);
    };
    let wrong = |name: String, found: Vec<usize>, expected: &[usize]| Error::Shape {
        name,
        found,
        expected: expected.to_vec(),
    };
    moments.count = match *count.u64s(&name)? {
        [count] => count,
        _ => return Err(wrong(name, found, &[1])),
    };
    let mut expected = tensor.shape().to_vec();
    if let Some((name, found, rows)) = take("rows") {
        let order = rows.u32s(&name)?;
        expected = vec![order.len(), tensor.cols()];
        let mut rows = TouchedRows::new(order);
        let beyond = rows.order.iter().any(|&row| row as usize >= tensor.rows());
        if beyond || rows.indices.len() != rows.order.len() {
            return Err(wrong(name, found, &[tensor.rows()]));
        }
        if let Some((name, found, last)) = take("last") {
            rows.last = last.u64s(&name)?;
            let later = rows.last.iter().any(|&last| last > moments.count);
            if later || rows.last.len() != rows.len() {
                return Err(wrong(name, found, &[rows.len()]));
            }
        }
        moments.rows = Some(rows);
    }
    for (kind, slot) in [("mean", &mut moments.mean), ("square", &mut moments.square)] {
        let missing = || Error::Missing {
            name: format!("{kind}.{}", tensor.name()),
        };
        let (name, found, values) = take(kind).ok_or_else(missing)?;
        if found != expected {
            return Err(wrong(name, found, &expected));
        }
        *slot = values.floats(&name)?;
    }
    Ok(moments)
}
