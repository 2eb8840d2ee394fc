//! Parameters: named tensors that mirror the fields of the network.

mod builder;
mod freeze;
mod tensor;

use std::collections::BTreeMap;

use rayon::prelude::*;

pub use builder::Builder;
pub use freeze::Freeze;
pub use tensor::Tensor;

use crate::inference_cache::InferenceCache;
use crate::{Error, Precision, Result, Scalar};

/// A parameter of a [`Params`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParamId(pub(crate) usize);

/// All parameters of a network, in the order in which they were added.
#[derive(Debug, Clone, Default)]
pub struct Params<S> {
    tensors: Vec<Tensor<S>>,
    by_name: BTreeMap<String, ParamId>,
    inference_cache: InferenceCache<S>,
    /// Parameters have names and shapes, but no values until they are loaded.
    shapes_only: bool,
    precision: Precision,
}

impl<S: Scalar> Params<S> {
    /// An empty set of parameters.
    #[must_use]
    pub fn new() -> Self {
        Self {
            tensors: Vec::new(),
            by_name: BTreeMap::new(),
            inference_cache: InferenceCache::default(),
            shapes_only: false,
            precision: Precision::F32,
        }
    }

    /// The precision in which layers multiply with these parameters.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Sets the precision in which layers multiply with these parameters. A machine without
    /// instructions for it ([`Precision::is_available`]) keeps full precision.
    pub fn set_precision(&mut self, precision: Precision) {
        self.precision = precision;
    }

    /// An empty set whose parameters have names and shapes, but no values until
    /// [`Params::load_tensors`] sets them.
    ///
    /// A network that is built on it takes next to no memory, whatever its configuration says. A
    /// file can therefore be checked against its own configuration before anything large is
    /// allocated:
    ///
    /// ```
    /// use imn_nn::{Init, Params};
    /// let mut params = Params::<f32>::shapes_only();
    /// params.builder(0).add("kernel", &[1 << 20, 1 << 20], Init::GlorotUniform);
    /// let values = [("kernel".to_owned(), (vec![2, 2], vec![0.0; 4]))];
    /// assert!(params.load_tensors(values.into()).is_err());
    /// ```
    #[must_use]
    pub fn shapes_only() -> Self {
        Self {
            shapes_only: true,
            ..Self::new()
        }
    }

    /// Adds a parameter with these values.
    ///
    /// # Panics
    /// If there is already a parameter of that name, or the values do not fit the shape.
    pub fn add(&mut self, name: impl Into<String>, shape: &[usize], data: Vec<S>) -> ParamId {
        let name = name.into();
        assert!(
            self.shapes_only || data.len() == shape.iter().product::<usize>(),
            "{} values for `{name}` of shape {shape:?}",
            data.len()
        );
        let id = ParamId(self.tensors.len());
        assert!(
            self.by_name.insert(name.clone(), id).is_none(),
            "two parameters named `{name}`"
        );
        self.tensors.push(Tensor::new(name, shape, data));
        id
    }

    /// A builder that draws initial values from `seed`.
    pub fn builder(&mut self, seed: u64) -> Builder<'_, S> {
        Builder {
            params: self,
            seed,
            prefix: String::new(),
        }
    }

    /// The parameter of that name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<ParamId> {
        self.by_name.get(name).copied()
    }

    /// A parameter.
    #[must_use]
    pub fn get(&self, id: ParamId) -> &Tensor<S> {
        &self.tensors[id.0]
    }

    /// A parameter, for writing. Clears the inference cache.
    pub fn get_mut(&mut self, id: ParamId) -> &mut Tensor<S> {
        self.inference_cache.clear();
        &mut self.tensors[id.0]
    }

    /// Products of these values that inference has computed before.
    pub(crate) fn inference_cache(&self) -> &InferenceCache<S> {
        &self.inference_cache
    }

    /// Every parameter in order.
    pub fn iter(&self) -> impl Iterator<Item = (ParamId, &Tensor<S>)> {
        self.tensors
            .iter()
            .enumerate()
            .map(|(i, tensor)| (ParamId(i), tensor))
    }

    /// Number of parameters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tensors.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tensors.is_empty()
    }

    /// Number of values of all parameters together.
    #[must_use]
    pub fn count(&self) -> usize {
        self.tensors.iter().map(|tensor| tensor.data.len()).sum()
    }

    /// Packs again, on all threads, what was packed before the values changed. Otherwise the next
    /// step would pack one tensor at a time while its shards wait.
    pub(crate) fn repack(&mut self) {
        self.tensors
            .par_iter_mut()
            .with_max_len(1)
            .for_each(Tensor::repack);
    }

    /// Name, shape and values of every parameter, as [`crate::store::write`] takes them.
    pub fn tensors(&self) -> impl Iterator<Item = (&str, &[usize], &[S])> {
        self.tensors
            .iter()
            .map(|t| (t.name.as_str(), &*t.shape, &*t.data))
    }

    /// The values in the safetensors format.
    ///
    /// # Errors
    /// Only if `safetensors` refuses the tensors.
    pub fn to_safetensors(&self) -> Result<Vec<u8>> {
        crate::store::write(self.tensors(), None)
    }

    /// Loads every value from safetensors. Names and shapes must be exactly those of this network.
    ///
    /// # Errors
    /// If the bytes are malformed, or a tensor is missing, unexpected or has the wrong shape or
    /// type. On error, nothing is changed.
    pub fn load_safetensors(&mut self, bytes: &[u8]) -> Result<()> {
        self.load_tensors(crate::store::read::<S>(bytes)?)
    }

    /// Loads every value from tensors. Names and shapes must be exactly those of this network.
    ///
    /// # Errors
    /// If a tensor is missing, unexpected or has the wrong shape. On error, nothing is changed.
    pub fn load_tensors(&mut self, mut tensors: crate::store::Tensors<S>) -> Result<()> {
        let mut values = Vec::with_capacity(self.tensors.len());
        for tensor in &self.tensors {
            let (shape, data) = tensors.remove(&tensor.name).ok_or_else(|| Error::Missing {
                name: tensor.name.clone(),
            })?;
            if shape != tensor.shape {
                return Err(Error::Shape {
                    name: tensor.name.clone(),
                    found: shape,
                    expected: tensor.shape.clone(),
                });
            }
            values.push(data);
        }
        if let Some(name) = tensors.into_keys().next() {
            return Err(Error::Unexpected { name });
        }
        self.inference_cache.clear();
        self.shapes_only = false;
        for (tensor, data) in self.tensors.iter_mut().zip(values) {
            // Moved, not copied: copying a large table would need its memory twice.
            tensor.data_mut();
            tensor.data = data;
        }
        Ok(())
    }
}
