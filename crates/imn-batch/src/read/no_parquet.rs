//! What there is of Parquet in a program that was built without it: an error that says so.

use std::path::Path;

use super::{ReadSettings, RowReader};
use crate::InputError;

pub(super) fn open(
    _: &Path,
    _: &ReadSettings,
    (_, source_name): (usize, String),
) -> Result<Box<dyn RowReader>, InputError> {
    Err(InputError::NoParquet { source_name })
}
