//! The writing stage: writes records to the output, and journal entries once output is durable.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use super::chunk::AnalyzedChunk;
use crate::errors_file::ErrorsFile;
use crate::journal::{Journal, Mark, Position};
use crate::write::sink::Sink;
use crate::{BatchError, Event, JobTotals, LanguageVerdict};

/// The minimum time between two journal entries: each waits for the disk.
const BETWEEN_ENTRIES: Duration = Duration::from_millis(200);

/// The writing stage.
pub(super) struct WriteStage<'a> {
    pub(super) sink: Box<dyn Sink>,
    pub(super) errors: Option<ErrorsFile>,
    pub(super) journal: Option<&'a Journal>,
    pub(super) totals: JobTotals,
    pub(super) position: Position,
    /// When the last journal entry was written.
    pub(super) saved: Instant,
}

impl WriteStage<'_> {
    pub(super) fn run(
        mut self,
        chunks: &Receiver<AnalyzedChunk>,
        names: &[String],
        observer: &mut (dyn FnMut(Event<'_>) + Send),
    ) -> Result<Self, BatchError> {
        for chunk in chunks {
            if let Some(verdict) = chunk.language {
                warn(verdict, observer);
            }
            for error in &chunk.errors {
                let source = names.get(error.place.source).map_or("", String::as_str);
                match &mut self.errors {
                    Some(file) => file.add(source, error)?,
                    None => observer(Event::BadRow { source, error }),
                }
            }
            self.totals.errors += chunk.errors.len() as u64;
            self.totals.reviews += chunk.reviews.len() as u64;
            let aspects: usize = chunk
                .reviews
                .iter()
                .map(|review| review.aspects.len())
                .sum();
            self.totals.aspects += aspects as u64;
            self.sink.write(chunk.reviews)?;
            self.position = chunk.end;
            if let Some(journal) = self.journal
                && self.saved.elapsed() >= BETWEEN_ENTRIES
            {
                self.save(journal)?;
            }
            observer(Event::Written {
                bytes: chunk.bytes,
                totals: self.totals,
            });
        }
        Ok(self)
    }

    /// Makes the output durable, and writes a journal entry and returns it.
    pub(super) fn save(&mut self, journal: &Journal) -> Result<Mark, BatchError> {
        let error_bytes = match &mut self.errors {
            Some(file) => file.durable()?,
            None => 0,
        };
        let mark = Mark {
            position: self.position,
            totals: self.totals,
            error_bytes,
            output: self.sink.durable()?,
        };
        journal.save(&mark)?;
        self.saved = Instant::now();
        Ok(mark)
    }
}

/// Tells the observer if the texts do not look English.
pub(super) fn warn(verdict: LanguageVerdict, observer: &mut (dyn FnMut(Event<'_>) + Send)) {
    if let LanguageVerdict::Other {
        function_words,
        language,
    } = verdict
    {
        observer(Event::NotEnglish {
            function_words,
            language,
        });
    }
}
