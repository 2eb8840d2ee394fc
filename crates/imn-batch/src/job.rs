//! The job: reading, analysing and writing at the same time, chunk by chunk, in order.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use imn::analyze::{Analysis, Analyzer, Explanation};
use imn::io::Compression;
use serde_json::{Value, json};

use crate::columns::Layout;
use crate::errors_file::ErrorsFile;
use crate::journal::{Durable, Fingerprint, Journal, JournalError, Mark, Position};
use crate::read::{Input, ReadSettings, Rows, Source};
use crate::write::parquet::{Parts, folder_of, remove_parts};
use crate::write::sink::Sink;
use crate::write::stream::{Destination, Stream};
use crate::write::{Analysed, Context, OutputFormat, WriteSettings, encoder};
use crate::{BatchError, Event, InputError, Language, Row, RowError, Totals, Verdict, keep_sure};

/// A chunk has so many rows, or so many bytes, whichever comes first.
const CHUNK_ROWS: usize = 256;
const CHUNK_BYTES: usize = 1 << 18;
/// The same with explanations, which can be megabytes each.
const EXPLAINED_ROWS: usize = 8;

/// Chunks that wait between two stages.
const WAITING: usize = 2;

/// The least time between two entries of the journal: each waits for the disk.
const BETWEEN_ENTRIES: Duration = Duration::from_millis(200);

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

/// Rows on their way to the network.
struct Chunk {
    rows: Vec<Row>,
    errors: Vec<RowError>,
    end: Position,
    /// Bytes of all sources that were read up to its end.
    bytes: u64,
}

enum Read {
    Chunk(Chunk),
    Failed(InputError),
    End,
}

/// A chunk on its way to the output.
struct Done {
    chunk: Chunk,
    analyses: Vec<Analysis>,
    /// One a row, or none at all.
    explanations: Vec<Explanation>,
}

/// What the writing stage works with.
struct Writing<'a> {
    sink: Box<dyn Sink>,
    errors: Option<ErrorsFile>,
    journal: Option<&'a Journal>,
    totals: Totals,
    position: Position,
    saved: Instant,
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

/// The reading stage.
struct Reading {
    rows_together: usize,
    sources: Vec<Source>,
    settings: ReadSettings,
    sizes: Vec<Option<u64>>,
    from: Position,
    stop: Arc<AtomicBool>,
    send: SyncSender<Read>,
}

impl Reading {
    fn run(self, opened: Vec<Option<Box<dyn Rows>>>) {
        let last = match self.read(opened) {
            Ok(true) => Read::End,
            Ok(false) => return,
            Err(error) => Read::Failed(error),
        };
        // Nobody listens where the job has ended already.
        let _ = self.send.send(last);
    }

    /// Whether all rows were read.
    fn read(&self, mut opened: Vec<Option<Box<dyn Rows>>>) -> Result<bool, InputError> {
        let mut chunk = Chunk {
            rows: Vec::new(),
            errors: Vec::new(),
            end: self.from,
            bytes: 0,
        };
        let mut size = 0;
        for (number, source) in self.sources.iter().enumerate().skip(self.from.source) {
            let done = if number == self.from.source {
                self.from.rows
            } else {
                0
            };
            let mut rows = match opened.get_mut(number).and_then(Option::take) {
                Some(rows) => rows,
                None => source.open(number, &self.settings)?,
            };
            let before: u64 = self.sizes[..number].iter().flatten().sum();
            let mut read = 0;
            while let Some(item) = rows.next_row()? {
                read += 1;
                if read <= done {
                    continue;
                }
                match item {
                    Ok(row) => {
                        size += row.bytes();
                        chunk.rows.push(row);
                    }
                    Err(error) => chunk.errors.push(error),
                }
                chunk.end = Position {
                    source: number,
                    rows: read,
                };
                chunk.bytes = before + rows.bytes_read();
                if chunk.rows.len() + chunk.errors.len() >= self.rows_together
                    || size >= CHUNK_BYTES
                {
                    let next = Chunk {
                        rows: Vec::new(),
                        errors: Vec::new(),
                        ..chunk
                    };
                    let full = std::mem::replace(&mut chunk, next);
                    size = 0;
                    if self.stop.load(Ordering::Relaxed)
                        || self.send.send(Read::Chunk(full)).is_err()
                    {
                        return Ok(false);
                    }
                }
            }
        }
        if !chunk.rows.is_empty() || !chunk.errors.is_empty() {
            let _ = self.send.send(Read::Chunk(chunk));
        }
        Ok(true)
    }
}

impl Writing<'_> {
    fn run(
        mut self,
        chunks: &Receiver<Done>,
        names: &[String],
        vocabulary: &imn::text::Vocabulary,
        observer: &mut (dyn FnMut(Event<'_>) + Send),
    ) -> Result<Self, BatchError> {
        let mut language = Some(Language::default());
        for Done {
            chunk,
            analyses,
            explanations,
        } in chunks
        {
            if let Some(counts) = &mut language {
                for row in &chunk.rows {
                    counts.count(&row.text, vocabulary);
                }
                if !counts.wants_more() {
                    warn(counts, observer);
                    language = None;
                }
            }
            for error in &chunk.errors {
                let source = names.get(error.place.source).map_or("", String::as_str);
                match &mut self.errors {
                    Some(file) => file.add(source, error)?,
                    None => observer(Event::BadRow { source, error }),
                }
            }
            self.totals.errors += chunk.errors.len() as u64;
            self.totals.reviews += chunk.rows.len() as u64;
            let aspects: usize = analyses.iter().map(|found| found.aspects.len()).sum();
            self.totals.aspects += aspects as u64;
            let mut explanations = explanations.into_iter();
            let rows = chunk.rows.into_iter().zip(analyses);
            let rows = rows.map(|(row, analysis)| Analysed {
                row,
                analysis,
                explanation: explanations.next(),
            });
            self.sink.write(rows.collect())?;
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
        if let Some(counts) = &language {
            warn(counts, observer);
        }
        Ok(self)
    }

    fn save(&mut self, journal: &Journal) -> Result<(), BatchError> {
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
        Ok(())
    }
}

fn warn(language: &Language, observer: &mut (dyn FnMut(Event<'_>) + Send)) {
    if let Verdict::Other { function_words } = language.verdict() {
        observer(Event::NotEnglish { function_words });
    }
}
