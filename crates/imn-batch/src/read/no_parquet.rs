//! Replaces the Parquet reader in a program without the feature `parquet`: opening is an error.

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
