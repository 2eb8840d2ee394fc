//! The sources of a job. All are opened before anything is written, so that mistakes are reported
//! immediately.

use crate::InputError;
use crate::columns::{TableHeader, TableLayout};
use crate::read::{ColumnNote, InputSource, ReadSettings, RowReader};

/// How many sources stay open until they are read. A job may have thousands of sources, each with
/// buffers and a file handle, so the others are closed and opened again.
const KEPT_OPEN: usize = 16;

/// A source that was opened successfully.
pub(super) struct OpenSource {
    source: InputSource,
    pub(super) name: String,
    header: Option<TableHeader>,
    /// A remark on the text column.
    pub(super) note: Option<ColumnNote>,
    /// The size of the source in bytes, if known.
    pub(super) bytes: Option<u64>,
    /// The open reader, unless it was closed again.
    rows: Option<Box<dyn RowReader>>,
}

impl OpenSource {
    /// Opens every source.
    pub(super) fn open_all(
        sources: &[InputSource],
        settings: &ReadSettings,
    ) -> Result<Vec<Self>, InputError> {
        let open = |(number, source): (usize, &InputSource)| {
            let rows = source.open(number, settings)?;
            let bytes = source.bytes();
            // A pipe cannot be opened again.
            let keep = number < KEPT_OPEN || bytes.is_none();
            Ok(Self {
                name: source.name(),
                header: rows.header(),
                note: rows.note().cloned(),
                bytes,
                rows: keep.then_some(rows),
                source: source.clone(),
            })
        };
        sources.iter().enumerate().map(open).collect()
    }

    /// The layout of a flat output for these sources.
    pub(super) fn layout(sources: &[Self]) -> TableLayout {
        TableLayout::of(sources.iter().map(|source| source.header.as_ref()))
    }

    /// A reader from the first row on; `number` is the index of the source.
    pub(super) fn into_rows(
        self,
        number: usize,
        settings: &ReadSettings,
    ) -> Result<Box<dyn RowReader>, InputError> {
        match self.rows {
            Some(rows) => Ok(rows),
            None => self.source.open(number, settings),
        }
    }
}
