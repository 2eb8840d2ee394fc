//! The job: reads, analyses and writes chunks concurrently, in order.

mod analyzing;
mod chunk;
mod output_paths;
mod outputs;
mod reading;
mod sources;
#[cfg(test)]
mod tests;
mod writing;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use imn::analyze::Analyzer;

use analyzing::AnalyzeStage;
use outputs::Resumed;
#[cfg(feature = "parquet")]
pub(crate) use reading::CHUNK_BYTES;
use reading::{Read, ReadStage};
use sources::OpenSource;
use writing::{WriteStage, warn};

use crate::errors_file::ErrorsFile;
use crate::journal::{Durable, Mark, Position};
use crate::read::{InputSource, ReadSettings};
use crate::write::{Context, OutputFormat, WriteSettings};
use crate::{BatchError, Event, JobTotals, Language, ModelIdentity};

/// The maximum number of rows in a chunk.
pub(crate) const CHUNK_ROWS: usize = 256;
/// The same for jobs with explanations, which can be megabytes each.
const EXPLAINED_ROWS: usize = 8;

/// How many chunks may wait between two stages.
const WAITING: usize = 2;

/// How often a waiting stage checks whether to stop.
const CHECK: Duration = Duration::from_millis(50);

/// Where records are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputTarget {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

/// What happens if the output exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfExists {
    /// The job is refused.
    Refuse,
    /// The output is overwritten.
    Overwrite,
    /// The job is resumed; it starts if there is nothing to resume.
    Resume,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All rows are done.
    Finished(JobTotals),
    /// The job was asked to stop. Its output so far is kept. If it has no review and cannot be
    /// resumed, an output file stays as it was before the job, and none is created.
    Stopped {
        /// Counts of the output so far.
        totals: JobTotals,
        /// Whether the job can be resumed.
        resumable: bool,
    },
    /// There was nothing to resume: an earlier run finished the job.
    FinishedBefore(JobTotals),
}

/// A batch job.
#[derive(Debug)]
pub struct Job<'a> {
    /// The analyzer.
    pub analyzer: &'a Analyzer,
    /// Identity of the model, recorded in the journal.
    pub model: ModelIdentity,
    /// The inputs.
    pub sources: Vec<InputSource>,
    /// How the inputs are read.
    pub read: ReadSettings,
    /// How records are written.
    pub write: WriteSettings,
    /// Terms with a lower confidence are left out.
    pub min_confidence: f32,
    /// Whether records have an explanation.
    pub explain: bool,
    /// Where records are written.
    pub output: OutputTarget,
    /// The file for bad rows; without one, they are sent to the observer.
    pub errors: Option<PathBuf>,
    /// What happens if the output exists.
    pub if_exists: IfExists,
}

impl Job<'_> {
    /// Runs the job until it is done or `stop` is set.
    ///
    /// # Errors
    /// If a source or the output fails. Written output stays, and a resumable job can be resumed.
    pub fn run(
        &self,
        stop: &Arc<AtomicBool>,
        observer: &mut (dyn FnMut(Event<'_>) + Send),
    ) -> Result<Outcome, BatchError> {
        self.check_outputs()?;
        let sources = OpenSource::open_all(&self.sources, &self.read)?;
        let names: Vec<String> = sources.iter().map(|source| source.name.clone()).collect();
        let context = Context {
            settings: self.write.clone(),
            layout: OpenSource::layout(&sources),
        };
        let journal = self.journal()?;
        if journal.is_none() && self.if_exists == IfExists::Resume {
            return Err(BatchError::NotResumable);
        }
        let mark = match (&journal, self.if_exists) {
            (Some(journal), IfExists::Resume) => match self.resumed(journal)? {
                Resumed::Nothing(totals) => return Ok(Outcome::FinishedBefore(totals)),
                Resumed::From(mark) => Some(mark),
                Resumed::Start => None,
            },
            _ => None,
        };
        let mark = mark.unwrap_or(Mark {
            position: Position::default(),
            totals: JobTotals::default(),
            error_bytes: 0,
            output: match self.write.format {
                OutputFormat::Parquet => Durable::Parts(0),
                _ => Durable::Bytes(0),
            },
        });
        // Saved before the output is touched: from here on, a killed job can be resumed.
        if let Some(journal) = &journal {
            journal.remove_stale()?;
            journal.save(&mark)?;
        } else {
            self.forget_parts()?;
        }
        let errors = match &self.errors {
            Some(path) => Some(ErrorsFile::open(path, mark.error_bytes)?),
            None => None,
        };
        if let (Some(_), Some(errors)) = (&journal, &errors) {
            errors.remove_old()?;
        }
        let writing = WriteStage {
            sink: self.sink(&context, mark.output, journal.is_some())?,
            errors,
            journal: journal.as_ref(),
            totals: mark.totals,
            position: mark.position,
            saved: Instant::now(),
        };
        let notes = sources.iter();
        let notes = notes.filter_map(|source| Some((source.name.as_str(), source.note.as_ref()?)));
        observer(Event::Started {
            bytes: sources.iter().map(|source| source.bytes).sum(),
            done: mark.totals,
            notes: &notes.collect::<Vec<_>>(),
        });
        let analyzing = AnalyzeStage {
            analyzer: self.analyzer,
            explain: self.explain,
            min_confidence: self.min_confidence,
            files: context.layout.file.then_some(names.as_slice()),
            language: Some(Language::default()),
            stop,
        };
        let rows = self.read_ahead(sources, mark.position, stop);
        let stages = (analyzing, writing);
        let (completed, written) = analyze(&rows, stop, stages, &names, observer);
        let mut writing = written?;
        let last = match &journal {
            Some(journal) => Some((journal, writing.save(journal)?)),
            None => None,
        };
        let complete = completed?;
        let totals = writing.totals;
        // A stopped job that cannot be resumed still finalizes what it wrote, if it wrote anything.
        if complete || (journal.is_none() && !self.leaves_output(totals)) {
            self.finish(writing, last)?;
        } else if journal.is_none() {
            writing.sink.discard()?;
        }
        Ok(if complete {
            Outcome::Finished(totals)
        } else {
            let resumable = journal.is_some();
            Outcome::Stopped { totals, resumable }
        })
    }

    /// Starts the reading stage. The job never joins its thread, which may block on a silent
    /// stream.
    fn read_ahead(
        &self,
        sources: Vec<OpenSource>,
        from: Position,
        stop: &Arc<AtomicBool>,
    ) -> Receiver<Read> {
        let (send, receive) = sync_channel(WAITING);
        let reading = ReadStage {
            settings: self.read.clone(),
            rows_together: if self.explain {
                EXPLAINED_ROWS
            } else {
                CHUNK_ROWS
            },
            from,
            stop: Arc::clone(stop),
            send,
        };
        thread::spawn(move || reading.run(sources));
        receive
    }
}

/// Runs the analysis stage between the other two. Returns whether all rows were analysed, and the
/// writing stage.
fn analyze<'w>(
    rows: &Receiver<Read>,
    stop: &AtomicBool,
    (mut analyzing, writing): (AnalyzeStage<'_>, WriteStage<'w>),
    names: &[String],
    observer: &mut (dyn FnMut(Event<'_>) + Send),
) -> (Result<bool, BatchError>, Result<WriteStage<'w>, BatchError>) {
    let (send, receive) = sync_channel(WAITING);
    let ended = thread::scope(|scope| {
        let observer = &mut *observer;
        let writer = scope.spawn(move || writing.run(&receive, names, observer));
        let ended = loop {
            if stop.load(Ordering::Relaxed) {
                break Ok(false);
            }
            match rows.recv_timeout(CHECK) {
                Ok(Read::Chunk(chunk)) => {
                    let Some(analyzed) = analyzing.run(chunk) else {
                        break Ok(false);
                    };
                    if send.send(analyzed).is_err() {
                        // The writing stage has failed and returns its error.
                        break Ok(false);
                    }
                }
                Ok(Read::Failed(error)) => break Err(error.into()),
                Ok(Read::End) => break Ok(true),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) if stop.load(Ordering::Relaxed) => {
                    break Ok(false);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    break Err(BatchError::Thread("reading"));
                }
            }
        };
        drop(send);
        let writing = writer.join();
        (ended, writing.unwrap_or(Err(BatchError::Thread("writing"))))
    });
    if let Some(verdict) = analyzing.verdict() {
        warn(verdict, observer);
    }
    ended
}
