//! `imn.ArrowStream`: the result of `Analyzer.analyze_arrow`.

use std::sync::{Arc, Mutex, PoisonError};

use imn_batch::{BatchAnalysis, BatchSettings};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::capsule;
use super::input::Input;
use super::reader::Reader;
use crate::analyzer::Loaded;
use crate::errors;
use crate::guard::guarded;

/// The analysed rows of a table, computed when they are read.
///
/// It has the Arrow PyCapsule interface, so `pyarrow.table(stream)`, `polars.DataFrame(stream)`,
/// `pandas.DataFrame.from_arrow(stream)` and `SELECT ... FROM stream` in DuckDB read it. Reading it
/// again analyses the table again. An object without a length, such as a reader of pyarrow, can be
/// read only once.
#[pyclass(frozen, module = "imn")]
pub(crate) struct ArrowStream {
    loaded: Arc<Loaded>,
    analysis: Arc<BatchAnalysis>,
    data: Py<PyAny>,
    /// The name of the column of a series.
    column: String,
    /// The input whose schema was read, until it is used.
    opened: Mutex<Option<Input>>,
}

impl ArrowStream {
    pub(crate) fn new(
        loaded: Arc<Loaded>,
        data: &Bound<'_, PyAny>,
        settings: BatchSettings,
    ) -> PyResult<Self> {
        let column = settings.read.column.clone();
        let column = column.unwrap_or_else(|| "text".to_owned());
        let input = Input::open(data, &column)?;
        let analysis = BatchAnalysis::new(input.schema(), settings).map_err(errors::input)?;
        Ok(Self {
            loaded,
            analysis: Arc::new(analysis),
            data: data.clone().unbind(),
            column,
            opened: Mutex::new(Some(input)),
        })
    }

    fn take_opened(&self) -> Option<Input> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.take()
    }
}

#[pymethods]
impl ArrowStream {
    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let fields = self.analysis.schema().fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// The stream, for other libraries. `requested_schema` is ignored, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        guarded(|| {
            let input = match self.take_opened() {
                Some(input) => input,
                // A reader would give no rows the second time, silently.
                None if !self.data.bind(py).hasattr("__len__")? => {
                    let text = "Arrow data: the stream was already read, and can be read only once";
                    return Err(errors::DataError::new_err(text));
                }
                None => Input::open(self.data.bind(py), &self.column)?,
            };
            let (loaded, analysis) = (Arc::clone(&self.loaded), Arc::clone(&self.analysis));
            capsule::of_reader(py, Box::new(Reader::new(loaded, analysis, input)))
        })
    }

    /// The schema, for other libraries.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(|| capsule::of_schema(py, self.analysis.schema()))
    }

    fn __repr__(&self) -> String {
        format!("ArrowStream(columns=[{}])", self.columns().join(", "))
    }
}
