//! The texts of all clients in one queue, analysed in packed batches.
//!
//! One thread takes waiting texts of one analyzer, reads at most `max_batch_tokens` words of them,
//! one sentence of each in turn, answers the texts that are done and puts the others at the end of
//! the queue. So the work of a batch is bounded, a long text costs short ones no more than its
//! share of a batch, and the answer is the one that the text alone would get
//! ([`imn::analyze::StepwiseText`]).

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use imn::analyze::StepwiseText;
use tokio::sync::oneshot;

use crate::error::{ApiError, ErrorKind};
use crate::metrics::Metrics;
use crate::models::{Choice, Models};
use crate::settings::Limits;

/// Words that one text counts at most when a batch is filled: a batch holds at least
/// `max_batch_tokens / SHARE` texts if there are so many.
const SHARE: usize = 128;

/// A text in the queue.
struct Waiting {
    choice: Choice,
    text: StepwiseText,
    done: oneshot::Sender<StepwiseText>,
    since: Instant,
    /// Whether a batch has read some of it.
    begun: bool,
}

#[derive(Default)]
struct Queue {
    texts: VecDeque<Waiting>,
    /// Texts that are being read.
    reading: usize,
    /// Words of all texts, waiting or being read, that were not read.
    words: usize,
    closed: bool,
}

struct Shared {
    queue: Mutex<Queue>,
    arrived: Condvar,
    models: Arc<Models>,
    metrics: Arc<Metrics>,
    limits: Limits,
}

/// The queue and the thread that empties it.
pub struct Batcher {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
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

impl Batcher {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the operating system has no thread left.
    pub fn start(
        models: Arc<Models>,
        metrics: Arc<Metrics>,
        limits: Limits,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            arrived: Condvar::new(),
            models,
            metrics,
            limits,
        });
        let own = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("batcher".to_owned())
            .spawn(move || own.run())?;
        Ok(Self {
            shared,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Puts texts into the queue, all or none. The answers are in the order of the texts.
    ///
    /// # Errors
    /// If the queue is full or closed.
    pub fn enqueue(
        &self,
        choice: Choice,
        texts: Vec<StepwiseText>,
    ) -> Result<Vec<Answer>, ApiError> {
        let words: usize = texts.iter().map(StepwiseText::words_left).sum();
        let mut queue = self.shared.lock();
        if queue.closed {
            let message = "the server is shutting down";
            return Err(ApiError::new(ErrorKind::Unavailable, message));
        }
        // A request that is larger than the queue is still answered if nothing else waits.
        if queue.words > 0 && queue.words + words > self.shared.limits.max_queue_tokens {
            let message = "the queue is full; try again later";
            return Err(ApiError::new(ErrorKind::Overloaded, message));
        }
        queue.words += words;
        let since = Instant::now();
        let mut answers = Vec::with_capacity(texts.len());
        for text in texts {
            let (done, answer) = oneshot::channel();
            answers.push(Answer(answer));
            queue.texts.push_back(Waiting {
                choice,
                text,
                done,
                since,
                begun: false,
            });
        }
        self.shared.observe(&queue);
        drop(queue);
        self.shared.arrived.notify_one();
        Ok(answers)
    }

    /// Refuses new texts and waits until all others are answered.
    pub fn finish(&self) {
        self.shared.lock().closed = true;
        self.shared.arrived.notify_one();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = { thread }.take();
        if let Some(thread) = thread {
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
        let texts = queue.texts.len() + queue.reading;
        self.metrics.queue_size.set(texts as i64);
        self.metrics.queue_tokens.set(queue.words as i64);
    }

    fn run(&self) {
        while let Some(mut batch) = self.next_batch() {
            let start = Instant::now();
            for waiting in &mut batch {
                if !waiting.begun {
                    waiting.begun = true;
                    let queued = start.duration_since(waiting.since);
                    self.metrics.queue_duration.observe(queued.as_secs_f64());
                }
            }
            self.metrics.batch_size.observe(batch.len() as f64);
            let left = |batch: &[Waiting]| -> usize {
                batch.iter().map(|waiting| waiting.text.words_left()).sum()
            };
            let before = left(&batch);
            let read = self.step(&mut batch);
            let Some(words) = read else {
                // The answers of this batch are dropped, which their requests see as a failure.
                let mut queue = self.lock();
                queue.words -= before.min(queue.words);
                queue.reading = 0;
                continue;
            };
            self.metrics.batch_tokens.observe(words as f64);
            let elapsed = start.elapsed().as_secs_f64();
            self.metrics.inference_duration.observe(elapsed);
            let mut again = Vec::new();
            for waiting in batch {
                if waiting.text.is_done() {
                    // A client that has gone needs no answer.
                    let _ = waiting.done.send(waiting.text);
                } else {
                    again.push(waiting);
                }
            }
            let mut queue = self.lock();
            queue.words -= words.min(queue.words);
            queue.reading = 0;
            queue.texts.extend(again);
            self.observe(&queue);
        }
    }

    /// Reads a part of a batch; `None` if that panicked.
    fn step(&self, batch: &mut [Waiting]) -> Option<usize> {
        let choice = batch.first()?.choice;
        let analyzer = self.models.analyzer(choice);
        let mut texts: Vec<&mut StepwiseText> = batch.iter_mut().map(|w| &mut w.text).collect();
        let words = self.limits.max_batch_tokens;
        let step = || StepwiseText::step(analyzer, &mut texts, words);
        match catch_unwind(AssertUnwindSafe(step)) {
            Ok(words) => Some(words),
            Err(_) => {
                tracing::error!("the analysis of a batch panicked");
                None
            }
        }
    }

    /// Waits for texts and takes those of the next batch out of the queue: texts of the analyzer of
    /// the first one, in order. `None` once the queue is closed and empty.
    fn next_batch(&self) -> Option<Vec<Waiting>> {
        let mut queue = self.lock();
        loop {
            // Requests that timed out, and clients that have gone.
            let mut gone = 0;
            queue.texts.retain(|waiting| {
                let open = !waiting.done.is_closed();
                gone += if open { 0 } else { waiting.text.words_left() };
                open
            });
            queue.words -= gone.min(queue.words);
            self.observe(&queue);
            if !queue.texts.is_empty() {
                break;
            }
            if queue.closed {
                return None;
            }
            let woken = self.arrived.wait(queue);
            queue = woken.unwrap_or_else(PoisonError::into_inner);
        }
        let choice = queue.texts.front()?.choice;
        let mut left = self.limits.max_batch_tokens;
        let mut batch = Vec::new();
        let mut others = VecDeque::new();
        while let Some(waiting) = queue.texts.pop_front() {
            if left == 0 || waiting.choice != choice {
                others.push_back(waiting);
                continue;
            }
            left = left.saturating_sub(waiting.text.words_left().clamp(1, SHARE));
            batch.push(waiting);
        }
        queue.texts = others;
        queue.reading = batch.len();
        Some(batch)
    }
}

impl Drop for Batcher {
    fn drop(&mut self) {
        self.finish();
    }
}
