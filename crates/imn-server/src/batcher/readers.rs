//! The threads of the batcher: one tokenizes long texts, the others read batches.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use imn::analyze::StepwiseText;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::queue::{Queue, Stage, Waiting, share};
use crate::metrics::Metrics;
use crate::models::Models;
use crate::settings::Limits;

/// Texts with fewer words in total are not divided between free readers: loading the weights a
/// second time would cost more than a second core gains.
const TOGETHER: usize = 384;

/// State that the threads share.
pub(super) struct Shared {
    pub(super) queue: Mutex<Queue>,
    /// A text arrived for the readers.
    pub(super) arrived: Condvar,
    /// A text arrived for the tokenizer.
    pub(super) arrived_long: Condvar,
    /// The words of the queue, readable without its lock.
    pub(super) words: AtomicUsize,
    pub(super) models: Arc<Models>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) limits: Limits,
    pub(super) readers: usize,
    /// A pool with all cores, for a batch that is the only work.
    pub(super) wide: ThreadPool,
}

/// Texts that are read together.
struct Batch {
    texts: Vec<Waiting>,
    /// Whether no other reader has a batch and the queue is empty, so that the batch can use all
    /// cores.
    alone: bool,
}

impl Shared {
    /// The queue. A panic while it was locked leaves it usable: every change is one statement.
    pub(super) fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn observe(&self, queue: &Queue) {
        let texts = queue.texts.len() + queue.long.len() + queue.reading;
        self.words.store(queue.words, Ordering::Relaxed);
        self.metrics.queue_size.set(texts as i64);
        self.metrics.queue_tokens.set(queue.words as i64);
    }

    /// Removes the texts of clients that have disconnected from the queue.
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
    pub(super) fn tokenize(&self) {
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
    pub(super) fn read(&self) {
        // A pool that consists of this thread only.
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
                    // The request of a text that is dropped without an answer fails.
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
                    // Fails if the client has disconnected.
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

    /// Maximum number of words in a batch of one reader.
    fn most_words(&self) -> usize {
        self.limits.max_batch_tokens.div_ceil(self.readers)
    }

    /// Waits for texts and removes those of the next batch from the queue: texts for the same
    /// analyzer as the first one, in order. `None` once the queue is closed and empty.
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
