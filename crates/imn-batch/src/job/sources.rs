//! The sources of a job, opened before anything is written, so that mistakes show at once.

use crate::InputError;
use crate::columns::{TableHeader, TableLayout};
use crate::read::{InputSource, ReadSettings, RowReader};

/// Sources that stay open until it is their turn. A job may have thousands, and each has buffers and
/// a file handle: the others are opened again.
const KEPT_OPEN: usize = 16;

/// A source that was opened and found to be readable.
pub(super) struct OpenSource {
    source: InputSource,
    pub(super) name: String,
    header: Option<TableHeader>,
    /// The bytes that will be read, if that is known.
    pub(super) bytes: Option<u64>,
    /// Its rows, unless it was closed again.
    rows: Option<Box<dyn RowReader>>,
}

impl OpenSource {
    /// Opens every source.
    pub(super) fn open_all(
        sources: &[InputSource],
        settings: &ReadSettings,
    ) -> Result<Vec<Self>, InputError> {
        let sources = sources.iter().enumerate();
        let open = |(number, source): (usize, &InputSource)| {
            let rows = source.open(number, settings)?;
            let bytes = source.bytes();
            // A pipe cannot be opened again.
            let keep = number < KEPT_OPEN || bytes.is_none();
            Ok(Self {
                name: source.name(),
                header: rows.header(),
                bytes,
                rows: keep.then_some(rows),
                source: source.clone(),
            })
        };
        sources.map(open).collect()
    }

    /// The columns of the output.
    pub(super) fn layout(sources: &[Self]) -> TableLayout {
        TableLayout::of(sources.iter().map(|source| source.header.as_ref()))
    }

    /// Its rows, from the start; `number` is its position among the sources.
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
