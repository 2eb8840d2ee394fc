//! Parameters: named tensors that mirror the fields of the network.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use rayon::prelude::*;

use crate::inference_cache::InferenceCache;
use crate::kernels::{Packed, Stacked, Strided, winograd};
use crate::{Error, Init, Result, Scalar};

/// A parameter of a [`Params`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParamId(pub(crate) usize);

/// One named tensor.
#[derive(Debug, Clone)]
pub struct Tensor<S> {
    name: String,
    shape: Vec<usize>,
    data: Vec<S>,
    /// For the forward product: one matrix, or one a point for a kernel that is applied in tiles. Made when first needed, dropped when
    /// the values change.
    forward: OnceLock<Vec<Packed<S>>>,
    /// The same transposed (and with taps in reverse order where there is one matrix), for the gradient of the input.
    backward: OnceLock<Vec<Packed<S>>>,
    /// What both were before the values changed: what was needed once will be again, in the same memory.
    stale: (Vec<Packed<S>>, Vec<Packed<S>>),
}

impl<S: Scalar> Tensor<S> {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its dimensions.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Its values, the last dimension fastest.
    #[must_use]
    pub fn data(&self) -> &[S] {
        &self.data
    }

    /// The last dimension.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.shape.last().copied().unwrap_or(1)
    }

    /// The product of the other dimensions.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.shape.iter().rev().skip(1).product()
    }

    /// Taps, inputs and outputs of a kernel (a matrix has one tap).
    pub(crate) fn kernel(&self) -> (usize, usize, usize) {
        match *self.shape {
            [inputs, outputs] => (1, inputs, outputs),
            [taps, inputs, outputs] => (taps, inputs, outputs),
            _ => panic!("`{}` of shape {:?} is not a kernel", self.name, self.shape),
        }
    }

    pub(crate) fn packed_forward(&self) -> &[Packed<S>] {
        self.forward.get_or_init(|| self.pack_forward(Vec::new()))
    }

    pub(crate) fn packed_backward(&self) -> &[Packed<S>] {
        self.backward.get_or_init(|| self.pack_backward(Vec::new()))
    }

    fn pack_forward(&self, earlier: Vec<Packed<S>>) -> Vec<Packed<S>> {
        let (taps, inputs, outputs) = self.kernel();
        if winograd::outputs(taps).is_some() {
            return winograd::kernel(&self.data, (taps, inputs, outputs), earlier);
        }
        // In the memory of the earlier one: asking for new memory takes as long as the copy.
        let mut packed = earlier.into_iter().next().unwrap_or_else(Packed::empty);
        let view = Strided::rows(0, outputs);
        packed.refill(&self.data, view, (taps * inputs, outputs), outputs);
        vec![packed]
    }

    fn pack_backward(&self, earlier: Vec<Packed<S>>) -> Vec<Packed<S>> {
        let (taps, inputs, outputs) = self.kernel();
        if taps == 1 || winograd::outputs(taps).is_some() {
            let forward = self.packed_forward();
            let mut earlier: Vec<_> = earlier.into_iter().map(Some).collect();
            earlier.resize_with(forward.len(), || None);
            return forward
                .par_iter()
                .zip(earlier)
                .map(|(matrix, earlier)| matrix.transposed(earlier))
                .collect();
        }
        vec![S::pack(&Stacked {
            data: &self.data,
            blocks: (0..taps)
                .rev()
                .map(|tap| Strided::rows(tap * inputs * outputs, outputs).t())
                .collect(),
            rows: outputs,
            cols: inputs,
        })]
    }

    /// Packs again what was packed before the values changed.
    fn repack(&mut self) {
        let (forward, backward) = std::mem::take(&mut self.stale);
        if !forward.is_empty() && self.forward.get().is_none() {
            self.forward = OnceLock::from(self.pack_forward(forward));
        }
        if !backward.is_empty() && self.backward.get().is_none() {
            self.backward = OnceLock::from(self.pack_backward(backward));
        }
    }

    /// The values, to change them.
    pub fn data_mut(&mut self) -> &mut [S] {
        if let Some(forward) = self.forward.take() {
            self.stale.0 = forward;
        }
        if let Some(backward) = self.backward.take() {
            self.stale.1 = backward;
        }
        &mut self.data
    }
}

/// All parameters of a network, in the order in which they were made.
#[derive(Debug, Clone, Default)]
pub struct Params<S> {
    tensors: Vec<Tensor<S>>,
    by_name: BTreeMap<String, ParamId>,
    inference_cache: InferenceCache<S>,
    /// Parameters have names and shapes, and no values until they are loaded.
    shapes_only: bool,
}

impl<S: Scalar> Params<S> {
    /// No parameters yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            tensors: Vec::new(),
            by_name: BTreeMap::new(),
            inference_cache: InferenceCache::default(),
            shapes_only: false,
        }
    }

    /// No parameters yet; those that are added have names and shapes, but no values until
    /// [`Params::load_tensors`] brings them.
    ///
    /// A network that is built on this costs next to no memory, whatever its configuration says, so
    /// that a file can be checked against its own configuration before anything large is allocated:
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
    /// If the name is taken or the values do not fit the shape.
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
        self.tensors.push(Tensor {
            name,
            shape: shape.to_vec(),
            data,
            forward: OnceLock::new(),
            backward: OnceLock::new(),
            stale: (Vec::new(), Vec::new()),
        });
        id
    }

    /// Makes parameters from `seed` under a prefix.
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

    /// A parameter, to change its values.
    pub fn get_mut(&mut self, id: ParamId) -> &mut Tensor<S> {
        self.inference_cache.clear();
        &mut self.tensors[id.0]
    }

    /// What inference keeps of these values.
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

    /// How many parameters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tensors.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tensors.is_empty()
    }

    /// Numbers in all parameters.
    #[must_use]
    pub fn count(&self) -> usize {
        self.tensors.iter().map(|tensor| tensor.data.len()).sum()
    }

    /// Packs again, on all threads, what was packed before the values changed: a step would otherwise do it one by one, with its
    /// shards waiting.
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

    /// Takes every value from safetensors; names and shapes must be exactly those of this network.
    ///
    /// # Errors
    /// If the bytes are malformed or a tensor is missing, unexpected or of another shape or type. Nothing is changed then.
    pub fn load_safetensors(&mut self, bytes: &[u8]) -> Result<()> {
        self.load_tensors(crate::store::read::<S>(bytes)?)
    }

    /// Takes every value from tensors; names and shapes must be exactly those of this network.
    ///
    /// # Errors
    /// If a tensor is missing, unexpected or of another shape. Nothing is changed then.
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
            // Moved, not copied: a large table would touch twice its memory.
            tensor.data_mut();
            tensor.data = data;
        }
        Ok(())
    }
}

/// Makes parameters under a prefix: names mirror the fields of the structs that hold them.
///
/// ```
/// use imn_nn::{Init, Params};
/// let mut params = Params::<f32>::new();
/// let mut builder = params.builder(17);
/// builder.scope("shared").scope("first").add("kernel", &[3, 4, 8], Init::GlorotUniform);
/// assert!(params.find("shared.first.kernel").is_some());
/// ```
#[derive(Debug)]
pub struct Builder<'p, S> {
    params: &'p mut Params<S>,
    seed: u64,
    prefix: String,
}

impl<S: Scalar> Builder<'_, S> {
    /// The same with `name.` added to the prefix.
    pub fn scope(&mut self, name: &str) -> Builder<'_, S> {
        let prefix = format!("{}{name}.", self.prefix);
        Builder {
            params: self.params,
            seed: self.seed,
            prefix,
        }
    }

    /// A new parameter.
    pub fn add(&mut self, name: &str, shape: &[usize], init: Init) -> ParamId {
        let name = format!("{}{name}", self.prefix);
        let data = if self.params.shapes_only {
            Vec::new()
        } else {
            init.draw(shape, self.seed, &name)
        };
        self.params.add(name, shape, data)
    }

    /// A new parameter with given values.
    pub fn add_values(&mut self, name: &str, shape: &[usize], data: Vec<S>) -> ParamId {
        self.params
            .add(format!("{}{name}", self.prefix), shape, data)
    }
}

/// Parameters that a step must not change, by the beginnings of their names or by whole names.
///
/// Gradients still flow through them to what stands below; their values, moments and step counts stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freeze {
    prefixes: Vec<String>,
    names: BTreeSet<String>,
}

impl Freeze {
    /// Nothing is frozen.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Everything whose name begins with one of these.
    #[must_use]
    pub fn prefixes<P: Into<String>>(prefixes: impl IntoIterator<Item = P>) -> Self {
        Self {
            prefixes: prefixes.into_iter().map(Into::into).collect(),
            names: BTreeSet::new(),
        }
    }

    /// The same and everything whose name begins with `prefix`.
    #[must_use]
    pub fn and(mut self, prefix: &str) -> Self {
        self.prefixes.push(prefix.to_owned());
        self
    }

    /// The same and the parameters of exactly these names.
    #[must_use]
    pub fn and_names<'n>(mut self, names: impl IntoIterator<Item = &'n String>) -> Self {
        self.names.extend(names.into_iter().cloned());
        self
    }

    /// Whether a parameter is frozen.
    #[must_use]
    pub fn covers(&self, name: &str) -> bool {
        self.names.contains(name)
            || self
                .prefixes
                .iter()
                .any(|prefix| name.starts_with(prefix.as_str()))
    }
}
