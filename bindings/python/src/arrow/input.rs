//! Batches from a Python object with the Arrow PyCapsule interface.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::ffi_stream::ArrayStreamReader;
use arrow_array::{Array as _, ArrayReader as _, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::capsule;

/// The arrays of an object.
enum Arrays {
    Stream(ArrayStreamReader),
    /// An array that was not yet read.
    Single(Option<ArrayRef>),
}

/// The batches of an object.
pub(super) struct Input {
    arrays: Arrays,
    schema: SchemaRef,
}

impl Input {
    /// Opens an object. A series, which has no columns, is a table of one column with the name
    /// `column`.
    pub(super) fn open(data: &Bound<'_, PyAny>, column: &str) -> PyResult<Self> {
        let py = data.py();
        let stream = intern!(py, "__arrow_c_stream__");
        let array = intern!(py, "__arrow_c_array__");
        let (arrays, field) = if data.hasattr(stream)? {
            let reader = capsule::stream(&data.call_method0(stream)?)?;
            let reader = match without_null_columns(data, reader.field())? {
                Some(data) => capsule::stream(&data.call_method0(stream)?)?,
                None => reader,
            };
            let field = Field::clone(reader.field());
            (Arrays::Stream(reader), field)
        } else if data.hasattr(array)? {
            let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
                data.call_method0(array)?.extract()?;
            let (field, array) = capsule::array(&schema, &array)?;
            (Arrays::Single(Some(array)), field)
        } else {
            let found = data.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "data: expected an object with the Arrow PyCapsule interface, such as a table of \
                 pyarrow, Polars, DuckDB or pandas 3, not {found}"
            )));
        };
        let schema = match field.data_type() {
            DataType::Struct(fields) => Schema::new(fields.clone()),
            _ => Schema::new(vec![field.with_name(column)]),
        };
        Ok(Self {
            arrays,
            schema: Arc::new(schema),
        })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn batch(&self, array: ArrayRef) -> Result<RecordBatch, ArrowError> {
        let rows = array.len();
        let columns = match array.as_struct_opt() {
            Some(fields) => fields.columns().to_vec(),
            None => vec![array],
        };
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
    }
}

/// A frame or series of Polars with its columns of type Null cast to strings; `None` if it has no
/// such column. Polars exports them with a buffer, which Arrow does not allow.
fn without_null_columns<'py>(
    data: &Bound<'py, PyAny>,
    field: &Field,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (has_null, is_frame) = match field.data_type() {
        DataType::Null => (true, false),
        DataType::Struct(fields) => (fields.iter().any(|field| field.data_type().is_null()), true),
        _ => (false, false),
    };
    let module = data.get_type().module()?;
    if !has_null || module.to_str()?.split('.').next() != Some("polars") {
        return Ok(None);
    }
    let polars = data.py().import("polars")?;
    let (null, string) = (polars.getattr("Null")?, polars.getattr("String")?);
    let cast = if is_frame && data.is_instance(&polars.getattr("DataFrame")?)? {
        let types = PyDict::new(data.py());
        types.set_item(null, string)?;
        data.call_method1("cast", (types,))
    } else if is_frame {
        // A series of structs has no columns that could be cast one by one.
        return Ok(None);
    } else {
        data.call_method1("cast", (string,))
    };
    cast.map(Some)
}

impl Iterator for Input {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let array = match &mut self.arrays {
            Arrays::Stream(reader) => reader.next()?,
            Arrays::Single(array) => Ok(array.take()?),
        };
        Some(array.and_then(|array| self.batch(array)))
    }
}
