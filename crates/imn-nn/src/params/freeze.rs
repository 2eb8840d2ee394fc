//! Which parameters a training step leaves alone.

use std::collections::BTreeSet;

/// Parameters that a step must not change, chosen by name prefix or by full name.
///
/// Gradients still flow through frozen parameters to the layers below. Their values, moments and
/// step counts do not change.
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

    /// Freezes every parameter whose name begins with one of these.
    #[must_use]
    pub fn prefixes<P: Into<String>>(prefixes: impl IntoIterator<Item = P>) -> Self {
        Self {
            prefixes: prefixes.into_iter().map(Into::into).collect(),
            names: BTreeSet::new(),
        }
    }

    /// Also freezes every parameter whose name begins with `prefix`.
    #[must_use]
    pub fn and(mut self, prefix: &str) -> Self {
        self.prefixes.push(prefix.to_owned());
        self
    }

    /// Also freezes the parameters with exactly these names.
    #[must_use]
    pub fn and_names<'n>(mut self, names: impl IntoIterator<Item = &'n String>) -> Self {
        self.names.extend(names.into_iter().cloned());
        self
    }

    /// Whether the parameter of this name is frozen.
    #[must_use]
    pub fn covers(&self, name: &str) -> bool {
        self.names.contains(name)
            || self
                .prefixes
                .iter()
                .any(|prefix| name.starts_with(prefix.as_str()))
    }
}
