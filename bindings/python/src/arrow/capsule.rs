//! Capsules of the Arrow PyCapsule interface: the only unsafe code of this crate.
#![allow(
    unsafe_code,
    reason = "the capsules of other libraries hold pointers to C structs"
)]

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{ArrayRef, RecordBatchReader, make_array};
use arrow_schema::{Field, Schema};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors;

/// Takes the stream out of a capsule.
pub(super) fn stream(capsule: &Bound<'_, PyAny>) -> PyResult<ArrayStreamReader> {
    let capsule = capsule.cast::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    let pointer = pointer.cast::<FFI_ArrowArrayStream>().as_ptr();
    // SAFETY: by the PyCapsule interface, a capsule of this name holds a valid stream. It is moved
    // out; a stream that was moved out before is marked as released, which `try_new` checks.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer) };
    ArrayStreamReader::try_new(stream).map_err(|error| errors::data(&error))
}

/// Takes the array out of a pair of capsules.
pub(super) fn array(
    schema: &Bound<'_, PyAny>,
    array: &Bound<'_, PyAny>,
) -> PyResult<(Field, ArrayRef)> {
    let (schema, array) = (schema.cast::<PyCapsule>()?, array.cast::<PyCapsule>()?);
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?;
    let array = array.pointer_checked(Some(c"arrow_array"))?;
    // SAFETY: by the PyCapsule interface, a capsule of this name holds a valid schema. The capsule
    // outlives the reference.
    let schema = unsafe { schema.cast::<FFI_ArrowSchema>().as_ref() };
    let pointer = array.cast::<FFI_ArrowArray>().as_ptr();
    // SAFETY: by the PyCapsule interface, a capsule of this name holds a valid array. It is moved
    // out.
    let array = unsafe { FFI_ArrowArray::from_raw(pointer) };
    if array.is_released() {
        return Err(errors::DataError::new_err(
            "Arrow data: the array was already taken",
        ));
    }
    let imported = || {
        // SAFETY: the two capsules come from one call, so the schema is that of the array.
        let data = unsafe { from_ffi(array, schema) }?;
        Ok((Field::try_from(schema)?, make_array(data)))
    };
    imported().map_err(|error: arrow_schema::ArrowError| errors::data(&error))
}

/// A capsule with a stream of the batches of a reader.
pub(super) fn of_reader<'py>(
    py: Python<'py>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let stream = FFI_ArrowArrayStream::new(reader);
    PyCapsule::new_with_value_and_destructor(py, stream, c"arrow_array_stream", |_, _| ())
}

/// A capsule with a schema.
pub(super) fn of_schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(|error| errors::data(&error))?;
    PyCapsule::new_with_value_and_destructor(py, schema, c"arrow_schema", |_, _| ())
}
