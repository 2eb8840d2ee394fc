//! The job: reading, analysing and writing at the same time, chunk by chunk, in order.

mod chunk;
mod reading;
mod writing;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use imn::analyze::Analyzer;
use imn::io::Compression;
use serde_json::{Value, json};

use chunk::Done;
use reading::{Read, Reading};
use writing::Writing;

use crate::columns::Layout;
use crate::errors_file::ErrorsFile;
use crate::journal::{Durable, Fingerprint, Journal, JournalError, Mark, Position};
use crate::read::{Input, ReadSettings, Rows, Source};
use crate::write::parquet::{Parts, folder_of, remove_parts};
use crate::write::sink::Sink;
use crate::write::stream::{Destination, Stream};
use crate::write::{Context, OutputFormat, WriteSettings, encoder};
use crate::{BatchError, Event, InputError, Totals, keep_sure};

/// A chunk has so many rows, unless its bytes fill it sooner.
const CHUNK_ROWS: usize = 256;
/// The same with explanations, which can be megabytes each.
const EXPLAINED_ROWS: usize = 8;

/// Chunks that wait between two stages.
const WAITING: usize = 2;

/// How often a stage that waits looks whether it should stop.
const LOOK: Duration = Duration::from_millis(50);

/// Where analyses go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

/// What happens to an output that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The job is refused.
    New,
    /// It is written anew.
    Force,
    /// The job goes on with it, or begins where there is none.
    Resume,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With all rows done.
    Finished(Totals),
    /// It was asked to stop. What is done is kept.
    Stopped {
        /// What is done.
        totals: Totals,
        /// Whether it can go on from there.
        resumable: bool,
    },
    /// An earlier run had finished it.
    FinishedBefore,
}

/// Everything that a job needs.
#[derive(Debug)]
pub struct Job<'a> {
    /// Says something about a text.
    pub analyzer: &'a Analyzer,
    /// What tells its model from others.
    pub model: Value,
    /// Where reviews come from.
    pub sources: Vec<Source>,
    /// How they are read.
    pub read: ReadSettings,
    /// How analyses are written.
    pub write: WriteSettings,
    /// Terms less sure than this are left out.
    pub min_confidence: f32,
    /// Whether explanations are added.
    pub explain: bool,
    /// Where analyses go.
    pub output: Output,
    /// Where rows go that cannot be read; to the observer where this is none.
    pub errors: Option<PathBuf>,
    /// What happens to an output that is there.
    pub start: Start,
}

impl Job<'_> {
    /// Runs the job until it is done or `stop` is set.
    ///
    /// # Errors
    /// If a source or the output fails. What was written stays; a resumable job can go on.
    pub fn run(
        &self,
        stop: &Arc<AtomicBool>,
        observer: &mut (dyn FnMut(Event<'_>) + Send),
    ) -> Result<Ended, BatchError> {
        self.check_outputs()?;
        let names: Vec<String> = self.sources.iter().map(Source::name).collect();
        let (headers, opened) = self.open_all()?;
        let context = Context {
            settings: self.write.clone(),
            layout: Layout::of(&headers),
            sources: names.clone(),
        };
        let journal = self.journal()?;
        if journal.is_none() && self.start == Start::Resume {
            return Err(BatchError::NotResumable);
        }
        let mark = match (&journal, self.start) {
            (Some(journal), Start::Resume) => journal.load()?,
            _ => None,
        };
        if mark.is_none() && self.start == Start::Resume && self.finished_before() {
            if let Output::File(path) = &self.output {
                // A job that was killed after its last entry leaves these.
                let _ = remove_parts(path);
            }
            return Ok(Ended::FinishedBefore);
        }
        let mark = mark.unwrap_or(Mark {
            position: Position::default(),
            totals: Totals::default(),
            error_bytes: 0,
            output: match self.write.format {
                OutputFormat::Parquet => Durable::Parts(0),
                _ => Durable::Bytes(0),
            },
        });
        // Before the output is touched: from here on a kill is something to go on from.
        if let Some(journal) = &journal {
            journal.save(&mark)?;
        }
        let errors = match &self.errors {
            Some(path) => Some(ErrorsFile::open(path, mark.error_bytes)?),
            None => None,
        };
        let writing = Writing {
            sink: self.sink(&context, mark.output, journal.is_some())?,
            errors,
            journal: journal.as_ref(),
            totals: mark.totals,
            position: mark.position,
            saved: Instant::now(),
        };
        let sizes: Vec<Option<u64>> = self.sources.iter().map(Source::bytes).collect();
        let bytes: Option<u64> = sizes.iter().copied().sum();
        observer(Event::Started {
            bytes,
            done: mark.totals,
        });
        let rows = self.read_ahead(opened, sizes, mark.position, stop);
        let (ended, writing) = self.pump(&rows, stop, writing, &names, observer);
        let mut writing = writing?;
        if let Some(journal) = &journal {
            writing.save(journal)?;
        }
        let complete = ended?;
        let totals = writing.totals;
        // What cannot be gone on with is made whole as far as it is.
        if complete || journal.is_none() {
            writing.sink.finish()?;
            if let Some(journal) = &journal {
                journal.remove()?;
            }
            if let (OutputFormat::Parquet, Output::File(path)) = (self.write.format, &self.output) {
                remove_parts(path).map_err(BatchError::output(&folder_of(path)))?;
            }
        }
        Ok(if complete {
            Ended::Finished(totals)
        } else {
            let resumable = journal.is_some();
            Ended::Stopped { totals, resumable }
        })
    }

    /// Refuses what would destroy something.
    fn check_outputs(&self) -> Result<(), BatchError> {
        let Output::File(path) = &self.output else {
            return Ok(());
        };
        let inputs: Vec<PathBuf> = self
            .sources
            .iter()
            .filter_map(|source| match &source.input {
                Input::File(path) => fs::canonicalize(path).ok(),
                _ => None,
            })
            .collect();
        for path in [Some(path), self.errors.as_ref()].into_iter().flatten() {
            if fs::canonicalize(path).is_ok_and(|path| inputs.contains(&path)) {
                let path = path.clone();
                return Err(BatchError::IsInput { path });
            }
            let there = fs::metadata(path).is_ok_and(|about| about.is_file());
            let journal = Journal::beside(path);
            if self.start == Start::New && (there || journal.exists()) {
                return Err(BatchError::Exists {
                    path: path.clone(),
                    resumable: journal.exists(),
                });
            }
        }
        Ok(())
    }

    fn finished_before(&self) -> bool {
        matches!(&self.output, Output::File(path) if path.is_file())
    }

    /// Opens every source once, so that mistakes show before anything is written. Only what cannot be opened twice stays open.
    #[expect(clippy::type_complexity, reason = "two lists of the same length")]
    fn open_all(
        &self,
    ) -> Result<
        (
            Vec<Option<crate::columns::Header>>,
            Vec<Option<Box<dyn Rows>>>,
        ),
        InputError,
    > {
        let mut headers = Vec::new();
        let mut opened = Vec::new();
        for (number, source) in self.sources.iter().enumerate() {
            let rows = source.open(number, &self.read)?;
            headers.push(rows.header());
            opened.push((source.bytes().is_none()).then_some(rows));
        }
        Ok((headers, opened))
    }

    /// The journal of a job that can go on.
    fn journal(&self) -> Result<Option<Journal>, BatchError> {
        let Output::File(out) = &self.output else {
            return Ok(None);
        };
        if !self.write.format.resumable() || is_device(out) {
            return Ok(None);
        }
        let mut inputs = Vec::new();
        for source in &self.sources {
            let (Input::File(path), Some(_)) = (&source.input, source.bytes()) else {
                return Ok(None);
            };
            let io = |error| JournalError::Io {
                path: path.clone(),
                error,
            };
            let path = fs::canonicalize(path).map_err(io)?;
            let print = Fingerprint::of(&path).map_err(io)?;
            inputs.push(json!({"file": print, "format": source.format}));
        }
        let job = json!({
            "inputs": inputs,
            "model": self.model,
            "column": self.read.column,
            "id": self.read.id,
            "max_bytes": self.read.max_bytes,
            "format": self.write.format,
            "per": self.write.per,
            "offsets": self.write.unit,
            "min_confidence": self.min_confidence,
            "explain": self.explain,
            "errors": self.errors,
            "schema": imn::analyze::SCHEMA,
        });
        Ok(Some(Journal::new(out, job)))
    }

    fn sink(
        &self,
        context: &Context,
        durable: Durable,
        journaled: bool,
    ) -> Result<Box<dyn Sink>, BatchError> {
        let path = match &self.output {
            Output::File(path) => Some(path.as_path()),
            Output::Stdout => None,
        };
        let bytes = match (durable, path) {
            (Durable::Parts(parts), Some(path)) if !is_device(path) => {
                return Ok(Box::new(Parts::open(path, parts, context.clone())?));
            }
            (Durable::Bytes(bytes), _) => bytes,
            _ => 0,
        };
        let Some(encoder) = encoder(context) else {
            return Err(BatchError::Parquet {
                path: path.unwrap_or(Path::new("standard output")).to_owned(),
                reason: "Parquet can only be written to a file".to_owned(),
            });
        };
        let to = match path {
            None => Destination::Stdout,
            Some(path) if is_device(path) => Destination::device(path)?,
            Some(path) if journaled => Destination::after(path, bytes)?,
            Some(path) => Destination::beside(path)?,
        };
        let compression = path.map_or(Compression::None, Compression::of_name);
        Ok(Box::new(Stream::new(encoder, compression, to, bytes)))
    }

    /// Starts the reading stage. It is not waited for: it may hang on a stream that says nothing.
    fn read_ahead(
        &self,
        opened: Vec<Option<Box<dyn Rows>>>,
        sizes: Vec<Option<u64>>,
        from: Position,
        stop: &Arc<AtomicBool>,
    ) -> Receiver<Read> {
        let (send, receive) = sync_channel(WAITING);
        let reading = Reading {
            sources: self.sources.clone(),
            settings: self.read.clone(),
            rows_together: if self.explain {
                EXPLAINED_ROWS
            } else {
                CHUNK_ROWS
            },
            sizes,
            from,
            stop: Arc::clone(stop),
            send,
        };
        thread::spawn(move || reading.run(opened));
        receive
    }

    /// Analyses chunks between the reading and the writing stage. Says whether all rows came through.
    fn pump<'w>(
        &self,
        rows: &Receiver<Read>,
        stop: &AtomicBool,
        writing: Writing<'w>,
        names: &[String],
        observer: &mut (dyn FnMut(Event<'_>) + Send),
    ) -> (Result<bool, BatchError>, Result<Writing<'w>, BatchError>) {
        let (send, receive) = sync_channel(WAITING);
        thread::scope(|scope| {
            let writer = scope.spawn(move || {
                writing.run(
                    &receive,
                    names,
                    &self.analyzer.bundle().vocabulary,
                    observer,
                )
            });
            let ended = loop {
                if stop.load(Ordering::Relaxed) {
                    break Ok(false);
                }
                match rows.recv_timeout(LOOK) {
                    Ok(Read::Chunk(chunk)) => {
                        let texts: Vec<&str> =
                            chunk.rows.iter().map(|row| row.text.as_str()).collect();
                        let mut explanations = Vec::new();
                        let analyses = if self.explain {
                            let texts = texts.iter();
                            explanations.extend(texts.map(|text| self.analyzer.explain(text)));
                            let known = explanations.iter();
                            known.map(|explained| explained.analysis.clone()).collect()
                        } else {
                            self.analyzer.analyze_all(&texts)
                        };
                        let analyses = analyses.into_iter();
                        let analyses = analyses.map(|found| keep_sure(found, self.min_confidence));
                        let analyses = analyses.collect();
                        let done = Done {
                            chunk,
                            analyses,
                            explanations,
                        };
                        if send.send(done).is_err() {
                            // The writing stage has failed, and says why.
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
        })
    }
}

/// Whether a path is there and is no file: a terminal, a pipe, a device.
fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}
