//! P_w = [E_w K_0 : … : E_w K_2c]: in inference, a table E and a kernel K are constants, so the
//! product of a row with the kernel depends on the row's id w only.
//!
//! A convolution directly over looked-up rows is then a sum of one cached row per tap,
//! y_i = Σ_t P_{w(i+t−c), t}, without a multiplication. Products are computed when a row is first
//! looked up, and cached for up to [`MAX_ROWS`] rows per kernel. Further rows are multiplied every
//! time, with the same result bit for bit. The cache is cleared when a parameter may have changed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use crate::kernels::{Epilogue, Packed, RowProduct, RowSet, Stacked};
use crate::params::Tensor;
use crate::{ParamId, Precision, Scalar};

/// Maximum number of cached rows per kernel. With a first layer of 3 × 128 + 5 × 128 columns, 16384
/// rows take 64 MB.
pub(crate) const MAX_ROWS: usize = 16_384;

/// The slice of a kernel that multiplies one input of a concatenation: consecutive inputs, the same
/// for every tap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct KernelSlice {
    pub(crate) kernel: ParamId,
    pub(crate) first: usize,
    pub(crate) width: usize,
}

impl KernelSlice {
    /// The packed matrix of a tap.
    fn pack<S: Scalar>(self, kernel: &Tensor<S>, tap: usize) -> Packed<S> {
        let (_, inputs, outputs) = kernel.kernel();
        let from = (tap * inputs + self.first) * outputs;
        let data = &kernel.data()[from..][..self.width * outputs];
        S::pack(&Stacked::row_major(data, self.width, outputs))
    }
}

type Shared<K, V> = RwLock<BTreeMap<K, Arc<V>>>;

/// Products and packed matrices of constant parameters.
#[derive(Debug)]
pub(crate) struct InferenceCache<S> {
    products: Shared<(ParamId, KernelSlice), Products<S>>,
    packed: Shared<KernelSlice, Packed<S>>,
}

impl<S> Default for InferenceCache<S> {
    fn default() -> Self {
        Self {
            products: RwLock::default(),
            packed: RwLock::default(),
        }
    }
}

impl<S> Clone for InferenceCache<S> {
    /// The clone has an empty cache: parameters are usually cloned in order to change them.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The value of a key, which `make` computes if it is missing.
fn get_or_insert<K: Ord, V>(cache: &Shared<K, V>, key: K, make: impl FnOnce() -> V) -> Arc<V> {
    let read = cache.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(value) = read.get(&key) {
        return Arc::clone(value);
    }
    drop(read);
    let mut write = cache.write().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(write.entry(key).or_insert_with(|| Arc::new(make())))
}

impl<S: Scalar> InferenceCache<S> {
    /// Empties the cache because a parameter may change.
    pub(crate) fn clear(&mut self) {
        let (products, packed) = (self.products.get_mut(), self.packed.get_mut());
        products.unwrap_or_else(PoisonError::into_inner).clear();
        packed.unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The products of the rows of a table with a slice of a kernel.
    pub(crate) fn products(
        &self,
        id: ParamId,
        table: &Tensor<S>,
        slice: KernelSlice,
        kernel: &Tensor<S>,
    ) -> Arc<Products<S>> {
        get_or_insert(&self.products, (id, slice), || {
            let (taps, _, outputs) = kernel.kernel();
            Products {
                outputs,
                taps: (0..taps).map(|tap| slice.pack(kernel, tap)).collect(),
                rows: (0..table.rows()).map(|_| OnceLock::new()).collect(),
                left: AtomicUsize::new(MAX_ROWS),
            }
        })
    }

    /// The packed slice of a kernel of one tap.
    pub(crate) fn packed(&self, slice: KernelSlice, kernel: &Tensor<S>) -> Arc<Packed<S>> {
        get_or_insert(&self.packed, slice, || slice.pack(kernel, 0))
    }
}

/// P_w of the rows that have been looked up so far.
#[derive(Debug)]
pub(crate) struct Products<S> {
    outputs: usize,
    taps: Vec<Packed<S>>,
    rows: Vec<OnceLock<Box<[S]>>>,
    /// How many more rows may be cached.
    left: AtomicUsize,
}

impl<S: Scalar> Products<S> {
    /// P_w for these rows of the table. Threads that look up the same row at the same time may both
    /// compute it.
    pub(crate) fn lookup(&self, table: &Tensor<S>, ids: &[u32]) -> Lookup<'_, S> {
        let cached = |id: u32| self.rows[id as usize].get();
        let mut missing: Vec<u32> = ids
            .iter()
            .copied()
            .filter(|&id| cached(id).is_none())
            .collect();
        missing.sort_unstable();
        missing.dedup();
        let mut uncached = BTreeMap::new();
        for (id, row) in missing.iter().zip(self.multiply(table, &missing)) {
            let take_one = |left: usize| left.checked_sub(1);
            let reserved = self
                .left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_one);
            if reserved.is_err() {
                uncached.insert(*id, row);
            } else if self.rows[*id as usize].set(row).is_err() {
                self.left.fetch_add(1, Ordering::Relaxed);
            }
        }
        Lookup {
            products: self,
            uncached,
        }
    }

    /// P_w of these rows, with the products of all taps concatenated.
    fn multiply(&self, table: &Tensor<S>, ids: &[u32]) -> Vec<Box<[S]>> {
        let cols = table.cols();
        let row = |&id: &u32| &table.data()[id as usize * cols..][..cols];
        let a: Vec<S> = ids.iter().flat_map(row).copied().collect();
        let mut rows = vec![vec![S::zero(); self.taps.len() * self.outputs]; ids.len()];
        let mut c = vec![S::zero(); ids.len() * self.outputs];
        for (tap, b) in self.taps.iter().enumerate() {
            S::row_product(RowProduct {
                rows: RowSet::First(ids.len()),
                a: &a,
                a_stride: cols,
                shift: 0,
                b,
                c: &mut c,
                c_stride: self.outputs,
                accumulate: false,
                bias: None,
                epilogue: Epilogue::Identity,
                split: false,
                precision: Precision::F32,
            });
            let products = c.chunks_exact(self.outputs.max(1));
            for (row, product) in rows.iter_mut().zip(products) {
                row[tap * self.outputs..][..self.outputs].copy_from_slice(product);
            }
        }
        rows.into_iter().map(Vec::into_boxed_slice).collect()
    }
}

/// P_w of the requested rows.
pub(crate) struct Lookup<'a, S> {
    products: &'a Products<S>,
    /// Rows for which the cache had no room.
    uncached: BTreeMap<u32, Box<[S]>>,
}

impl<S> Lookup<'_, S> {
    /// P_w of a requested row: the products of all taps, concatenated.
    pub(crate) fn get(&self, id: u32) -> &[S] {
        match self.products.rows[id as usize].get() {
            Some(row) => row,
            None => &self.uncached[&id],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::MAX_ROWS;
    use crate::{Freeze, Init, Layout, ParamId, Params, Tape};

    const INPUTS: usize = 7;

    struct Network {
        table: ParamId,
        kernel: ParamId,
        bias: ParamId,
        decoder: ParamId,
    }

    fn network(words: usize) -> (Params<f32>, Network) {
        let mut params = Params::new();
        let mut builder = params.builder(3);
        let normal = Init::Normal { std: 1.0 };
        let network = Network {
            table: builder.add("table", &[words, INPUTS], normal),
            kernel: builder.add("kernel", &[5, INPUTS, 9], normal),
            bias: builder.add("bias", &[9], normal),
            decoder: builder.add("decoder", &[INPUTS + 9, 3], normal),
        };
        (params, network)
    }

    /// A convolution over looked-up rows, then a linear layer over the concatenation of both.
    fn run(tape: &mut Tape<'_, f32>, network: &Network, sentences: &[Vec<u32>]) -> Vec<f32> {
        let layout = Arc::new(Layout::new(sentences.iter().map(Vec::len), 2));
        let x = tape.embed(network.table, &sentences.concat(), &layout);
        let x = tape.dropout(x, 0.0);
        let h = tape.linear_relu(x, network.kernel, Some(network.bias));
        let both = tape.concat(&[x, h]);
        let y = tape.linear(both, network.decoder, None);
        let mut numbers = tape.token_values(h);
        numbers.extend(tape.token_values(y));
        numbers.extend(tape.token_values(both));
        numbers
    }

    #[test]
    fn inference_equals_the_forward_of_training() {
        let (params, network) = network(50);
        let sentences = vec![vec![1, 2, 3, 2, 1], vec![], vec![49], vec![7, 0, 49, 49]];
        let freeze = Freeze::none();
        let expected = run(&mut Tape::train(&params, &freeze, 1), &network, &sentences);
        for _ in 0..2 {
            let found = run(&mut Tape::infer(&params), &network, &sentences);
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-5, "{found} {expected}");
            }
        }
    }

    #[test]
    fn changed_parameters_clear_the_cache() {
        for name in ["table", "kernel", "decoder"] {
            let (mut params, network) = network(50);
            let sentences = vec![vec![1, 2, 3]];
            let before = run(&mut Tape::infer(&params), &network, &sentences);
            let id = params.find(name).expect("a parameter");
            params
                .get_mut(id)
                .data_mut()
                .iter_mut()
                .for_each(|x| *x += 1.0);
            let after = run(&mut Tape::infer(&params), &network, &sentences);
            assert_ne!(before, after, "{name}");
            let freeze = Freeze::none();
            let expected = run(&mut Tape::train(&params, &freeze, 1), &network, &sentences);
            for (found, expected) in after.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-4, "{found} {expected}");
            }
        }
    }

    #[test]
    fn rows_beyond_the_limit_get_the_same_bits() {
        let words = u32::try_from(MAX_ROWS).expect("a small number") + 10;
        let (params, network) = network(words as usize);
        let last = vec![(words - 3..words).collect::<Vec<u32>>()];
        let before = run(&mut Tape::infer(&params), &network, &last);
        let (params, _) = self::network(words as usize);
        run(
            &mut Tape::infer(&params),
            &network,
            &[(0..words - 5).collect()],
        );
        let after = run(&mut Tape::infer(&params), &network, &last);
        assert_eq!(before, after);
    }
}
