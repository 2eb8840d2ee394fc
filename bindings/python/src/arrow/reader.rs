//! The analysed batches of an input, computed when they are read.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use imn_batch::BatchAnalysis;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use super::input::Input;
use crate::analyzer::Loaded;
use crate::guard::guarded;
use crate::work;

/// The maximum number of rows of a batch. Larger batches of the input are divided, so that memory
/// does not grow with them and the first rows arrive early.
const BATCH_ROWS: usize = 4096;

/// Analyses the batches of an input.
pub(super) struct Reader {
    loaded: Arc<Loaded>,
    analysis: Arc<BatchAnalysis>,
    /// `None` after the end and after an error.
    input: Option<Input>,
    /// The part of the last input batch that is not analysed yet.
    rest: Option<RecordBatch>,
    /// Number of the next row.
    row: u64,
}

impl Reader {
    pub(super) fn new(loaded: Arc<Loaded>, analysis: Arc<BatchAnalysis>, input: Input) -> Self {
        Self {
            loaded,
            analysis,
            input: Some(input),
            rest: None,
            row: 1,
        }
    }

    /// The next rows of the input.
    fn rows(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        let batch = match self.rest.take() {
            Some(rest) => rest,
            None => match self.input.as_mut()?.next()? {
                Ok(batch) => batch,
                Err(error) => return Some(Err(error)),
            },
        };
        let rows = batch.num_rows();
        if rows <= BATCH_ROWS {
            return Some(Ok(batch));
        }
        self.rest = Some(batch.slice(BATCH_ROWS, rows - BATCH_ROWS));
        Some(Ok(batch.slice(0, BATCH_ROWS)))
    }

    /// The next batch; `None` at the end.
    fn read(&mut self, py: Python<'_>) -> PyResult<Option<Result<RecordBatch, ArrowError>>> {
        // Another library may need the interpreter lock in another thread to make its batch.
        let rows = match py.detach(|| self.rows()) {
            None => return Ok(None),
            Some(Err(error)) => return Ok(Some(Err(error))),
            Some(Ok(rows)) => rows,
        };
        let (first, analysis, analyzer) = (self.row, &self.analysis, &self.loaded.analyzer);
        self.row += rows.num_rows() as u64;
        let pool = self.loaded.threads.pool()?;
        let analyzed = work::run(py, &pool, |caller| {
            analysis.analyze(analyzer, &rows, first, &mut || caller.proceed())
        })?;
        Ok(analyzed.transpose())
    }
}

/// The exception as an error of the stream. A consumer raises an exception of its own for it.
/// Ctrl-C is repeated, so that the program is interrupted too.
fn stream_error(py: Python<'_>, error: &PyErr) -> ArrowError {
    let text = error.to_string();
    if error.is_instance_of::<PyKeyboardInterrupt>(py)
        && let Ok(thread) = py.import("_thread")
    {
        let _ = thread.call_method0("interrupt_main");
    }
    ArrowError::ComputeError(text)
}

/// The error without NUL, which would end the process: C strings cannot hold it.
fn as_c_string(error: ArrowError) -> ArrowError {
    let text = error.to_string();
    if text.contains('\0') {
        return ArrowError::ComputeError(text.replace('\0', " "));
    }
    error
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = Python::try_attach(|py| {
            let read = guarded(|| self.read(py));
            read.unwrap_or_else(|error| Some(Err(stream_error(py, &error))))
        });
        let ended = || {
            let text = "the Python interpreter has ended";
            Some(Err(ArrowError::ComputeError(text.to_owned())))
        };
        let item = read.unwrap_or_else(ended);
        if !matches!(item, Some(Ok(_))) {
            (self.input, self.rest) = (None, None);
        }
        item.map(|item| item.map_err(as_c_string))
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(self.analysis.schema())
    }
}
