//! Parameter names from nested scopes.

use super::{ParamId, Params};
use crate::{Init, Scalar};

/// Adds parameters under a prefix, so that their names mirror the fields of the structs that hold
/// them.
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
    pub(super) params: &'p mut Params<S>,
    pub(super) seed: u64,
    pub(super) prefix: String,
}

impl<S: Scalar> Builder<'_, S> {
    /// A builder with `name.` appended to the prefix.
    pub fn scope(&mut self, name: &str) -> Builder<'_, S> {
        let prefix = format!("{}{name}.", self.prefix);
        Builder {
            params: self.params,
            seed: self.seed,
            prefix,
        }
    }

    /// Adds a parameter with initial values from `init`.
    ///
    /// # Panics
    /// If there is already a parameter of that name.
    pub fn add(&mut self, name: &str, shape: &[usize], init: Init) -> ParamId {
        let name = format!("{}{name}", self.prefix);
        let data = if self.params.shapes_only {
            Vec::new()
        } else {
            init.draw(shape, self.seed, &name)
        };
        self.params.add(name, shape, data)
    }

    /// Adds a parameter with the given values.
    ///
    /// # Panics
    /// If there is already a parameter of that name, or the values do not fit the shape.
    pub fn add_values(&mut self, name: &str, shape: &[usize], data: Vec<S>) -> ParamId {
        self.params
            .add(format!("{}{name}", self.prefix), shape, data)
    }
}
