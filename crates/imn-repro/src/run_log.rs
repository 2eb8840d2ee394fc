//! What a training run leaves beside its model: `events.jsonl`, one epoch per line, and
//! `curves.svg`, the learning curves.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use imn::render::learning_curves;
use imn::train::{EpochRecord, Event, Fitted, TrainError, Trainer};

/// Where the record of a run is written.
pub(crate) struct RunLog {
    /// The events.
    pub(crate) events: PathBuf,
    /// The learning curves.
    pub(crate) curves: PathBuf,
    /// The title of the learning curves.
    pub(crate) title: String,
}

/// Why a recorded run failed or stopped.
pub(crate) enum LoggedError {
    /// Training failed or was stopped.
    Train(TrainError),
    /// The record cannot be written.
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The record of an earlier run cannot be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
}

impl RunLog {
    /// Duration of all recorded epochs in seconds.
    pub(crate) fn seconds(&self) -> Result<f64, LoggedError> {
        let unreadable = |error| LoggedError::Unreadable {
            path: self.events.clone(),
            error,
        };
        let text = fs::read_to_string(&self.events).map_err(unreadable)?;
        let seconds = text.lines().map(|line| {
            let record: EpochRecord = serde_json::from_str(line)?;
            Ok(record.seconds)
        });
        seconds.sum::<io::Result<f64>>().map_err(unreadable)
    }

    /// Runs a trainer to its end and records it. `watch` sees every event and says whether to go
    /// on.
    pub(crate) fn follow(
        &self,
        trainer: Trainer,
        watch: &mut dyn FnMut(&Event<'_>) -> bool,
    ) -> Result<Fitted, LoggedError> {
        let cannot_write = |error| LoggedError::File {
            path: self.events.clone(),
            error,
        };
        // Epochs before a checkpoint are written at once, so that a resumed run that is killed here
        // still has them.
        let mut before = Vec::new();
        for record in trainer.history() {
            write_record(&mut before, record).map_err(cannot_write)?;
        }
        imn_io::atomic::write(&self.events, &before).map_err(cannot_write)?;
        let log = File::options().append(true).open(&self.events);
        let mut log = BufWriter::new(log.map_err(cannot_write)?);
        let mut failed = None;
        let trained = trainer.run(&mut |event: &Event<'_>| {
            if let Event::Epoch(record) = event
                && let Err(error) = write_record(&mut log, record)
            {
                failed = Some(error);
                return false;
            }
            watch(event)
        });
        if let Some(error) = failed {
            return Err(cannot_write(error));
        }
        let fitted = trained.map_err(LoggedError::Train)?;
        let curves = learning_curves(&self.title, &fitted.history);
        imn_io::atomic::write(&self.curves, curves.as_bytes()).map_err(|error| {
            LoggedError::File {
                path: self.curves.clone(),
                error,
            }
        })?;
        Ok(fitted)
    }
}

fn write_record(log: &mut impl Write, record: &EpochRecord) -> io::Result<()> {
    serde_json::to_writer(&mut *log, record)?;
    writeln!(log)?;
    log.flush()
}
