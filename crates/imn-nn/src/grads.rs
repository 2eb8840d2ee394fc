//! Gradients of parameters: dense, or only for the rows of a table that a batch looked up.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rayon::prelude::*;

use crate::kernels::elementwise::{add, vectorize};
use crate::kernels::winograd;
use crate::{Error, ParamId, Params, Result, Scalar};

/// The gradient of one parameter.
#[derive(Debug, Clone)]
pub enum Gradient<S> {
    /// One number per number of the parameter.
    Dense(Vec<S>),
    /// Some rows; all others are exactly zero.
    Rows(RowGradient<S>),
}

/// Gradients of some rows of a table.
#[derive(Debug, Clone)]
pub struct RowGradient<S> {
    cols: usize,
    rows: Vec<u32>,
    data: Vec<S>,
}

impl<S: Scalar> RowGradient<S> {
    fn new(cols: usize) -> Self {
        Self {
            cols,
            rows: Vec::new(),
            data: Vec::new(),
        }
    }

    /// The rows, ascending and without duplicates.
    #[must_use]
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Columns of the table.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The gradients of these rows, one after the other.
    #[must_use]
    pub fn data(&self) -> &[S] {
        &self.data
    }

    pub(crate) fn push(&mut self, row: u32, gradient: &[S]) {
        self.rows.push(row);
        self.data.extend_from_slice(gradient);
    }

    /// Adds the gradients of tokens, one for each of `rows`. Gradients of the same row are summed
    /// in the order of the tokens.
    pub(crate) fn push_all<'g>(&mut self, rows: &[u32], gradient: impl Fn(usize) -> &'g [S])
    where
        S: 'g,
    {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|&i| (rows[i], i));
        for same in order.chunk_by(|&a, &b| rows[a] == rows[b]) {
            let at = self.data.len();
            self.push(rows[same[0]], gradient(same[0]));
            for &i in &same[1..] {
                add(&mut self.data[at..], gradient(i));
            }
        }
    }

    /// Sums the gradients of the same row in the order in which they were added.
    fn merge(&mut self) {
        if self.rows.is_sorted_by(|a, b| a < b) {
            return;
        }
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|&i| (self.rows[i], i));
        let mut merged = Self::new(self.cols);
        for i in order {
            let gradient = &self.data[i * self.cols..(i + 1) * self.cols];
            if merged.rows.last() == Some(&self.rows[i]) {
                let at = merged.data.len() - self.cols;
                merged.data[at..]
                    .iter_mut()
                    .zip(gradient)
                    .for_each(|(sum, &g)| *sum += g);
            } else {
                merged.push(self.rows[i], gradient);
            }
        }
        *self = merged;
    }
}

/// The gradients of a step. A parameter that was not used or is frozen has none.
#[derive(Debug)]
pub struct Grads<S> {
    slots: Vec<Option<Gradient<S>>>,
    /// Dense buffers of earlier steps by parameter, for reuse.
    spare: Vec<Option<Vec<S>>>,
    /// Gradients of kernels that are applied in tiles, with one matrix per point; see [`winograd`].
    tiled: BTreeMap<ParamId, Vec<S>>,
    /// Buffers for `tiled`, for reuse.
    tiled_spare: BTreeMap<ParamId, Vec<S>>,
}

impl<S: Scalar> Grads<S> {
    pub(crate) fn new() -> Self {
        Self {
            slots: Vec::new(),
            spare: Vec::new(),
            tiled: BTreeMap::new(),
            tiled_spare: BTreeMap::new(),
        }
    }

    /// The gradient of a parameter.
    #[must_use]
    pub fn get(&self, id: ParamId) -> Option<&Gradient<S>> {
        self.slots.get(id.0)?.as_ref()
    }

    /// The gradient of a parameter as a dense tensor, with zeros if it has none.
    #[must_use]
    pub fn dense(&self, params: &Params<S>, id: ParamId) -> Vec<S> {
        let tensor = params.get(id);
        match self.get(id) {
            None => vec![S::zero(); tensor.data().len()],
            Some(Gradient::Dense(data)) => data.clone(),
            Some(Gradient::Rows(rows)) => {
                let mut data = vec![S::zero(); tensor.data().len()];
                for (i, &row) in rows.rows.iter().enumerate() {
                    let at = row as usize * rows.cols;
                    data[at..at + rows.cols]
                        .copy_from_slice(&rows.data[i * rows.cols..(i + 1) * rows.cols]);
                }
                data
            }
        }
    }

    fn slot(&mut self, id: ParamId) -> &mut Option<Gradient<S>> {
        if self.slots.len() <= id.0 {
            self.slots.resize_with(id.0 + 1, || None);
        }
        &mut self.slots[id.0]
    }

    /// The dense gradient of a parameter of `len` numbers, zero if it is new.
    pub(crate) fn dense_slot(&mut self, id: ParamId, len: usize) -> &mut [S] {
        let (data, exists) = self.dense_or_new(id, len);
        if !exists {
            data.fill(S::zero());
        }
        data
    }

    /// The dense gradient of a parameter and whether to add to it. If not, its contents are
    /// arbitrary and the caller overwrites every number.
    pub(crate) fn dense_or_new(&mut self, id: ParamId, len: usize) -> (&mut [S], bool) {
        let exists = self.get(id).is_some();
        if !exists {
            let spare = self.spare.get_mut(id.0).and_then(Option::take);
            let mut data = spare.unwrap_or_default();
            data.resize(len, S::zero());
            *self.slot(id) = Some(Gradient::Dense(data));
        }
        match self.slot(id) {
            Some(Gradient::Dense(data)) => (data, exists),
            _ => panic!("a table is either looked up or used as a value, not both"),
        }
    }

    /// The gradient of a kernel that is applied in tiles, with a matrix of `len` numbers per point,
    /// and whether to add to it. If not, its contents are arbitrary and the caller overwrites every
    /// number. [`Grads::fold_tiles`] turns it into the gradient of the kernel.
    pub(crate) fn tiled_slot(&mut self, id: ParamId, len: usize) -> (&mut [S], bool) {
        match self.tiled.entry(id) {
            Entry::Occupied(slot) => (slot.into_mut(), true),
            Entry::Vacant(slot) => {
                let mut data = self.tiled_spare.remove(&id).unwrap_or_default();
                data.resize(winograd::POINTS * winograd::stride(len), S::zero());
                (slot.insert(data), false)
            }
        }
    }

    /// Turns gradients by point into gradients of the kernels, once for all uses of a kernel.
    pub(crate) fn fold_tiles(&mut self, params: &Params<S>) {
        while let Some((id, points)) = self.tiled.pop_first() {
            let (taps, inputs, outputs) = params.get(id).kernel();
            let (slot, exists) = self.dense_or_new(id, taps * inputs * outputs);
            winograd::kernel_back(&points, taps, slot, exists);
            self.tiled_spare.insert(id, points);
        }
    }

    /// The gradient by rows of a table of `cols` columns.
    pub(crate) fn row_slot(&mut self, id: ParamId, cols: usize) -> &mut RowGradient<S> {
        let slot = self.slot(id);
        match slot.get_or_insert_with(|| Gradient::Rows(RowGradient::new(cols))) {
            Gradient::Rows(rows) => rows,
            Gradient::Dense(_) => {
                panic!("a table is either looked up or used as a value, not both")
            }
        }
    }

    /// Drops the gradients but keeps their memory.
    pub(crate) fn clear(&mut self) {
        if self.spare.len() < self.slots.len() {
            self.spare.resize_with(self.slots.len(), || None);
        }
        for (slot, spare) in self.slots.iter_mut().zip(&mut self.spare) {
            if let Some(Gradient::Dense(data)) = slot.take() {
                *spare = Some(data);
            }
        }
    }

    /// Adds the gradients of the other shards. Every number is summed in the order of the shards,
    /// whatever the number of threads.
    pub(crate) fn sum(&mut self, others: &[&Self]) {
        const CHUNK: usize = 1 << 14;
        let count = others
            .iter()
            .map(|other| other.slots.len())
            .chain([self.slots.len()])
            .max();
        for id in (0..count.unwrap_or(0)).map(ParamId) {
            for (i, other) in others.iter().enumerate() {
                match other.get(id) {
                    None => {}
                    Some(Gradient::Dense(first)) => {
                        // This shard and all later dense ones, in one pass over memory.
                        let rest: Vec<&[S]> = others[i..]
                            .iter()
                            .filter_map(|other| match other.get(id) {
                                Some(Gradient::Dense(data)) => Some(data.as_slice()),
                                _ => None,
                            })
                            .collect();
                        let sums = self.dense_slot(id, first.len());
                        sums.par_chunks_mut(CHUNK)
                            .enumerate()
                            .for_each(|(chunk, sums)| {
                                for data in &rest {
                                    let data = &data[chunk * CHUNK..][..sums.len()];
                                    sums.iter_mut().zip(data).for_each(|(sum, &g)| *sum += g);
                                }
                            });
                        break;
                    }
                    Some(Gradient::Rows(rows)) => {
                        let slot = self.row_slot(id, rows.cols);
                        slot.rows.extend_from_slice(&rows.rows);
                        slot.data.extend_from_slice(&rows.data);
                    }
                }
            }
        }
        self.merge_rows();
    }

    /// Sorts the rows of every table and removes duplicates.
    pub(crate) fn merge_rows(&mut self) {
        for slot in self.slots.iter_mut().flatten() {
            if let Gradient::Rows(rows) = slot {
                rows.merge();
            }
        }
    }

    /// √Σ g² over all parameters.
    ///
    /// # Errors
    /// If a gradient is not finite; the error names the parameter.
    pub fn norm(&self, params: &Params<S>, step: u64) -> Result<f64> {
        self.norm_of(params, step, |_| true)
    }

    /// √Σ g² over the parameters for which `counts` is true.
    pub(crate) fn norm_of(
        &self,
        params: &Params<S>,
        step: u64,
        counts: impl Fn(ParamId) -> bool,
    ) -> Result<f64> {
        const CHUNK: usize = 1 << 14;
        let mut total = 0.0;
        for (id, tensor) in params.iter().filter(|&(id, _)| counts(id)) {
            let data = match self.get(id) {
                None => continue,
                Some(Gradient::Dense(data)) => data,
                Some(Gradient::Rows(rows)) => &rows.data,
            };
            // The sums of the chunks are added in order: the result does not depend on the number
            // of threads.
            let sums: Vec<f64> = data.par_chunks(CHUNK).map(sum_of_squares).collect();
            let sum: f64 = sums.iter().sum();
            if !sum.is_finite() {
                return Err(Error::Gradient {
                    parameter: tensor.name().to_owned(),
                    step,
                });
            }
            total += sum;
        }
        Ok(total.sqrt())
    }
}

/// Σ g² in eight independent sums: a single sum would wait for every addition.
fn sum_of_squares<S: Scalar>(data: &[S]) -> f64 {
    const LANES: usize = 8;
    vectorize(
        #[inline(always)]
        || {
            let mut sums = [0.0; LANES];
            let (chunks, rest) = data.as_chunks::<LANES>();
            for lanes in chunks.iter().map(<[S; LANES]>::as_slice).chain([rest]) {
                for (sum, g) in sums.iter_mut().zip(lanes) {
                    *sum += g.as_f64() * g.as_f64();
                }
            }
            sums.iter().sum()
        },
    )
}
