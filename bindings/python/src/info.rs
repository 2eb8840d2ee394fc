//! What is known about a model.

use imn::bundle::{BUILT_IN, DEFAULT, Model};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::collections::BTreeMap;

/// What is known about a model.
///
/// >>> import imn
/// >>> imn.Analyzer("reviews").info.name
/// 'reviews'
#[pyclass(frozen, get_all, module = "imn")]
#[derive(Clone)]
pub(crate) struct ModelInfo {
    /// Name of the built-in model, or path of the model file.
    pub(crate) name: String,
    /// What the model consists of.
    description: String,
    /// The annotation scheme in use; None if the model has only one.
    scheme: Option<String>,
    /// All annotation schemes of the model, the default first.
    schemes: Vec<String>,
    /// Number of parameters.
    parameters: usize,
    /// Version of imn that trained the model.
    version: String,
    /// Number of training sentences.
    training_sentences: usize,
    /// Scores on the development split in percent, by their names: 'F1-a', 'F1-I', ...
    dev_scores: BTreeMap<String, f64>,
}

impl ModelInfo {
    pub(crate) fn new(name: &str, model: &Model, scheme: Option<String>) -> Self {
        let schemes = model.schemes().to_vec();
        let parts = model.parts();
        let first = parts.first().map(|part| &part.record);
        Self {
            name: name.to_owned(),
            description: model.describe(),
            scheme: scheme.or_else(|| schemes.first().cloned()),
            schemes,
            parameters: parts.iter().map(|part| part.params.count()).sum(),
            version: first
                .map(|record| record.version.clone())
                .unwrap_or_default(),
            training_sentences: first.map_or(0, |record| record.corpus.train),
            dev_scores: first.map(|record| record.dev.clone()).unwrap_or_default(),
        }
    }
}

#[pymethods]
impl ModelInfo {
    /// The information as a dictionary.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("name", &self.name)?;
        dict.set_item("description", &self.description)?;
        dict.set_item("scheme", &self.scheme)?;
        dict.set_item("schemes", &self.schemes)?;
        dict.set_item("parameters", self.parameters)?;
        dict.set_item("version", &self.version)?;
        dict.set_item("training_sentences", self.training_sentences)?;
        dict.set_item("dev_scores", &self.dev_scores)?;
        Ok(dict)
    }

    fn __repr__(&self) -> String {
        let (name, parameters) = (&self.name, self.parameters);
        let schemes = self.schemes.join(", ");
        format!("ModelInfo(name={name:?}, schemes=[{schemes}], parameters={parameters})")
    }
}

/// The built-in models, the default first: dictionaries with `name`, `about`, `bytes` and
/// `default`.
///
/// >>> import imn
/// >>> imn.models()[0]["default"]
/// True
#[pyfunction]
pub(crate) fn models(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let all = PyList::empty(py);
    for model in &BUILT_IN {
        let dict = PyDict::new(py);
        dict.set_item("name", model.name)?;
        dict.set_item("about", model.about)?;
        dict.set_item("bytes", model.size())?;
        dict.set_item("default", model.name == DEFAULT)?;
        all.append(dict)?;
    }
    Ok(all)
}
