//! The texts of all clients in one queue, analysed in packed batches on threads of their own.
//!
//! ```text
//! enqueue ─ short texts ────────────────→ queue ─→ reader 1: pack, compute, answer ─→
//!       └── long texts ─→ tokenizer ────────↑  └─→ reader 2: pack, compute, answer ─→
//!                                           └────────────── texts that are not done
//! ```
//!
//! A reader takes waiting texts of one analyzer, reads a bounded number of words of them, one
//! sentence of each in turn, answers the texts that are done and puts the others at the end of the
//! queue. So the work of a batch is bounded, a long text costs short ones no more than its share of
//! a batch, and the answer is the one that the text alone would get
//! ([`imn::analyze::StepwiseText`]).
//!
//! There is a reader per core: while one packs a batch or makes answers of it, the other computes.
//! A reader that finds nothing else to do uses all cores for its batch.

mod queue;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use imn::analyze::StepwiseText;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::oneshot;

use queue::{Queue, Stage, Waiting, estimated_words, share};

use crate::error::{ApiError, ErrorKind};
use crate::metrics::Metrics;
use crate::models::{Choice, Models};
use crate::settings::Limits;

/// Words up to which texts stay together in one batch although another reader is free. Below it,
/// reading the weights costs more than a second core gains.
const TOGETHER: usize = 384;

/// Texts of more bytes are tokenized on a thread of their own: misspelt words take a while.
const LONG_TEXT: usize = 1 << 12;

struct Shared {
    queue: Mutex<Queue>,
    /// A text arrived for the readers.
    arrived: Condvar,
    /// A text arrived for the tokenizer.
    arrived_long: Condvar,
    /// The words of the queue, readable without its lock.
    words: AtomicUsize,
    models: Arc<Models>,
    metrics: Arc<Metrics>,
    limits: Limits,
    readers: usize,
    /// All cores, for a reader without company.
    wide: ThreadPool,
}

/// Texts that are read together.
struct Batch {
    texts: Vec<Waiting>,
    /// Whether nobody else has anything to do.
    alone: bool,
}

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

/// The answer to one text, as soon as it is there.
#[derive(Debug)]
pub struct Answer(oneshot::Receiver<StepwiseText>);

impl Answer {
    /// Waits for the text. Dropping the answer takes the text out of the queue.
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

    /// Refuses if the queue is full. It costs nothing, so requests are refused before their bodies
    /// are read.
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
    /// If the queue is full or closed.
    pub fn enqueue(
        &self,
        choice: Choice,
        texts: Vec<String>,
        explain: bool,
    ) -> Result<Vec<Answer>, ApiError> {
        let words: usize = texts.iter().map(|text| estimated_words(text)).sum();
        let mut queue = self.shared.lock();
        if queue.closed {
            let message = "the server is shutting down";
            return Err(ApiError::new(ErrorKind::Unavailable, message));
        }
        // A request that is larger than the queue is still answered if nothing else waits.
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
                text: Stage::Plain { text, explain },
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

impl Shared {
    /// The queue. A panic while it was locked leaves it usable: every change is one statement.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn observe(&self, queue: &Queue) {
        let texts = queue.texts.len() + queue.long.len() + queue.reading;
        self.words.store(queue.words, Ordering::Relaxed);
        self.metrics.queue_size.set(texts as i64);
        self.metrics.queue_tokens.set(queue.words as i64);
    }

    /// Takes texts whose clients have gone out of the queue.
    fn drop_abandoned(&self, queue: &mut Queue) {
        let Queue {
            texts, long, words, ..
        } = queue;
        for texts in [texts, long] {
            texts.retain(|waiting| {
                let open = !waiting.done.is_closed();
                *words = words.saturating_sub(if open { 0 } else { waiting.counted });
                open
            });
        }
        self.observe(queue);
    }

    /// Tokenizes long texts, one after the other.
    fn tokenize(&self) {
        let mut queue = self.lock();
        loop {
            self.drop_abandoned(&mut queue);
            let Some(mut waiting) = queue.long.pop_front() else {
                if queue.closed {
                    return;
                }
                let woken = self.arrived_long.wait(queue);
                queue = woken.unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            queue.reading += 1;
            drop(queue);
            let tokenized = catch_unwind(AssertUnwindSafe(|| {
                waiting.tokenized(&self.models);
            }));
            queue = self.lock();
            queue.reading -= 1;
            match tokenized {
                Ok(()) => {
                    queue.recount(&mut waiting);
                    queue.texts.push_back(waiting);
                }
                Err(_) => queue.uncount(&waiting),
            }
            self.arrived.notify_one();
        }
    }

    /// Reads batches until the queue is closed and empty.
    fn read(&self) {
        // A pool of this thread alone: work in it never leaves the thread.
        let alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        let Ok(narrow) = alone.build() else {
            tracing::error!("a reader cannot be started");
            return;
        };
        while let Some(mut batch) = self.next_batch() {
            let start = Instant::now();
            for waiting in &mut batch.texts {
                if !waiting.begun {
                    waiting.begun = true;
                    let queued = start.duration_since(waiting.since);
                    self.metrics.queue_duration.observe(queued.as_secs_f64());
                }
            }
            let count = batch.texts.len();
            self.metrics.batch_size.observe(count as f64);
            let pool = if batch.alone { &self.wide } else { &narrow };
            let step = || pool.install(|| self.step(&mut batch.texts));
            let read = catch_unwind(AssertUnwindSafe(step));
            let elapsed = start.elapsed().as_secs_f64();
            let mut again = Vec::new();
            let mut finished = Vec::new();
            match read {
                Ok(words) => {
                    self.metrics.batch_tokens.observe(words as f64);
                    self.metrics.inference_duration.observe(elapsed);
                    for waiting in batch.texts {
                        match waiting.text {
                            Stage::Tokenized(ref text) if text.is_done() => finished.push(waiting),
                            _ => again.push(waiting),
                        }
                    }
                }
                Err(_) => {
                    tracing::error!("the analysis of a batch panicked");
                    // Dropping a text without an answer tells its request of the failure.
                    let mut queue = self.lock();
                    batch.texts.iter().for_each(|text| queue.uncount(text));
                }
            }
            let mut queue = self.lock();
            queue.busy -= 1;
            queue.reading -= count;
            finished.iter().for_each(|waiting| queue.uncount(waiting));
            for mut waiting in again {
                queue.recount(&mut waiting);
                queue.texts.push_back(waiting);
            }
            self.observe(&queue);
            drop(queue);
            for waiting in finished {
                if let Stage::Tokenized(text) = waiting.text {
                    // A client that has gone needs no answer.
                    let _ = waiting.done.send(*text);
                }
            }
        }
    }

    /// Reads a part of a batch; returns the number of words that were read.
    fn step(&self, batch: &mut [Waiting]) -> usize {
        let Some(choice) = batch.first().map(|waiting| waiting.choice) else {
            return 0;
        };
        let analyzer = self.models.analyzer(choice);
        let texts = batch.iter_mut();
        let mut texts: Vec<&mut StepwiseText> =
            texts.map(|text| text.tokenized(&self.models)).collect();
        StepwiseText::step(analyzer, &mut texts, self.most_words())
    }

    /// Words that one reader reads at once.
    fn most_words(&self) -> usize {
        self.limits.max_batch_tokens.div_ceil(self.readers)
    }

    /// Waits for texts and takes those of the next batch out of the queue: texts of the analyzer of
    /// the first one, in order. `None` once the queue is closed and empty.
    fn next_batch(&self) -> Option<Batch> {
        let mut queue = self.lock();
        loop {
            self.drop_abandoned(&mut queue);
            if !queue.texts.is_empty() {
                break;
            }
            // The tokenizer and other readers may still put texts into the queue.
            if queue.closed && queue.long.is_empty() && queue.reading == 0 {
                self.arrived.notify_all();
                return None;
            }
            let woken = self.arrived.wait(queue);
            queue = woken.unwrap_or_else(PoisonError::into_inner);
        }
        let choice = queue.texts.front()?.choice;
        let waiting: usize = queue.texts.iter().map(share).sum();
        let free = self.readers.saturating_sub(queue.busy).max(1);
        let fair = waiting.div_ceil(free).max(TOGETHER);
        let mut left = fair.min(self.most_words());
        let mut texts = Vec::new();
        let mut others = VecDeque::new();
        while let Some(waiting) = queue.texts.pop_front() {
            if left == 0 || waiting.choice != choice {
                others.push_back(waiting);
                continue;
            }
            left = left.saturating_sub(share(&waiting));
            texts.push(waiting);
        }
        queue.texts = others;
        queue.reading += texts.len();
        queue.busy += 1;
        let alone = queue.busy == 1 && queue.texts.is_empty();
        if !queue.texts.is_empty() {
            self.arrived.notify_one();
        }
        Some(Batch { texts, alone })
    }
}

impl Drop for Batcher {
    fn drop(&mut self) {
        self.finish();
    }
}
