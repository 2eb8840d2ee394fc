//! One queue for the texts of all clients, analysed in packed batches on dedicated threads.
//!
//! ```text
//! enqueue ─ short texts ────────────────→ queue ─→ reader 1: pack, compute, answer ─→
//!       └── long texts ─→ tokenizer ────────↑  └─→ reader 2: pack, compute, answer ─→
//!                                           └────────────── texts that are not done
//! ```
//!
//! A reader takes queued texts of one analyzer, reads a bounded number of their words, one sentence
//! of each text in turn, answers the texts that are done and puts the others at the end of the
//! queue. So the work of a batch is bounded, and a long text delays short ones by no more than its
//! share of a batch. The answer for a text does not depend on the other texts of its batch
//! ([`imn::analyze::StepwiseText`]).
//!
//! There is one reader per core: while one packs a batch or writes its answers, another computes.
//! If only one reader has a batch and the queue is empty, it uses all cores.

mod queue;
mod readers;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use imn::analyze::{Detail, StepwiseText};
use rayon::ThreadPoolBuilder;
use tokio::sync::oneshot;

use queue::{Stage, Waiting, estimated_words};
use readers::Shared;

use crate::error::{ApiError, ErrorKind};
use crate::metrics::Metrics;
use crate::models::{Choice, Models};
use crate::settings::Limits;

/// Texts of more bytes are tokenized on a separate thread: correcting misspelt words is slow.
const LONG_TEXT: usize = 1 << 12;

/// The queue and the threads that empty it.
pub struct Batcher {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl std::fmt::Debug for Batcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Batcher")
    }
}

/// The future answer to one text.
#[derive(Debug)]
pub struct Answer(oneshot::Receiver<StepwiseText>);

impl Answer {
    /// Waits until the text is analysed. Dropping the answer removes the text from the queue.
    ///
    /// # Errors
    /// If the analysis failed, which is a defect of the server.
    pub async fn wait(self) -> Result<StepwiseText, ApiError> {
        let error = |_| ApiError::new(ErrorKind::Internal, "the analysis of this text failed");
        self.0.await.map_err(error)
    }
}

fn full() -> ApiError {
    ApiError::new(ErrorKind::Overloaded, "the queue is full; try again later")
}

impl Batcher {
    /// Starts a reader per thread of the current rayon pool, and the tokenizer.
    ///
    /// # Errors
    /// If the operating system has no threads left.
    pub fn start(
        models: Arc<Models>,
        metrics: Arc<Metrics>,
        limits: Limits,
    ) -> std::io::Result<Self> {
        let readers = rayon::current_num_threads();
        let wide = ThreadPoolBuilder::new()
            .num_threads(readers)
            .thread_name(|number| format!("inference {number}"));
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            arrived: Condvar::new(),
            arrived_long: Condvar::new(),
            words: AtomicUsize::new(0),
            models,
            metrics,
            limits,
            readers,
            wide: wide.build().map_err(std::io::Error::other)?,
        });
        let batcher = Self {
            shared,
            threads: Mutex::default(),
        };
        for number in 0..readers {
            batcher.spawn(format!("reader {number}"), Shared::read)?;
        }
        batcher.spawn("tokenizer".to_owned(), Shared::tokenize)?;
        Ok(batcher)
    }

    fn spawn(&self, name: String, run: fn(&Shared)) -> std::io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let thread = thread::Builder::new().name(name);
        let thread = thread.spawn(move || run(&shared))?;
        self.lock_threads().push(thread);
        Ok(())
    }

    fn lock_threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails if the queue is full. The check takes no lock, so it can be made before the body of
    /// a request is read.
    ///
    /// # Errors
    /// If the queue is full.
    pub fn check_room(&self) -> Result<(), ApiError> {
        match self.shared.words.load(Ordering::Relaxed) < self.shared.limits.max_queue_tokens {
            true => Ok(()),
            false => Err(full()),
        }
    }

    /// Puts texts into the queue, all or none. The answers are in the order of the texts.
    ///
    /// # Errors
    /// If the queue is full or closed, or the texts would fill more than half of it.
    pub fn enqueue(
        &self,
        choice: Choice,
        texts: Vec<String>,
        detail: Detail,
    ) -> Result<Vec<Answer>, ApiError> {
        let words: usize = texts.iter().map(|text| estimated_words(text)).sum();
        // A single request must not fill the queue: all others would be refused until it is
        // answered.
        let most = self.shared.limits.max_queue_tokens / 2;
        if texts.len() > 1 && words > most {
            let message = format!(
                "the texts of a request may have about {most} words together, and these have about \
                 {words}; send fewer texts per request, or upload them as a file to /jobs"
            );
            return Err(ApiError::too_large(message));
        }
        let mut queue = self.shared.lock();
        if queue.closed {
            let message = "the server is shutting down";
            return Err(ApiError::new(ErrorKind::Unavailable, message));
        }
        // A text that is larger than the limit is accepted if the queue is empty.
        if queue.words > 0 && queue.words + words > self.shared.limits.max_queue_tokens {
            return Err(full());
        }
        let since = Instant::now();
        let mut answers = Vec::with_capacity(texts.len());
        for text in texts {
            let (done, answer) = oneshot::channel();
            answers.push(Answer(answer));
            let is_long = text.len() > LONG_TEXT;
            let mut waiting = Waiting {
                choice,
                text: Stage::Plain { text, detail },
                done,
                since,
                begun: false,
                counted: 0,
            };
            queue.recount(&mut waiting);
            match is_long {
                true => queue.long.push_back(waiting),
                false => queue.texts.push_back(waiting),
            }
        }
        self.shared.observe(&queue);
        let (short, long) = (!queue.texts.is_empty(), !queue.long.is_empty());
        drop(queue);
        if short {
            self.shared.arrived.notify_one();
        }
        if long {
            self.shared.arrived_long.notify_one();
        }
        Ok(answers)
    }

    /// Refuses new texts and waits until all others are answered.
    pub fn finish(&self) {
        self.shared.lock().closed = true;
        self.shared.arrived.notify_all();
        self.shared.arrived_long.notify_all();
        let threads = std::mem::take(&mut *self.lock_threads());
        for thread in threads {
            // A panic was reported when it happened.
            let _ = thread.join();
        }
    }
}

impl Drop for Batcher {
    fn drop(&mut self) {
        self.finish();
    }
}
