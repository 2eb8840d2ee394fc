//! The queue of texts, and the number of words in it.

use std::collections::VecDeque;
use std::time::Instant;

use imn::analyze::{Detail, StepwiseText};
use tokio::sync::oneshot;

use crate::models::{Choice, Models};

/// Maximum number of words counted for one text when a batch is filled. A batch therefore holds at
/// least `max_batch_tokens / SHARE` texts if the queue has as many.
const SHARE: usize = 128;

/// A text in the queue.
pub(super) struct Waiting {
    pub(super) choice: Choice,
    pub(super) text: Stage,
    pub(super) done: oneshot::Sender<StepwiseText>,
    pub(super) since: Instant,
    /// Whether a batch has read some of it.
    pub(super) begun: bool,
    /// Words that are counted for it in the queue.
    pub(super) counted: usize,
}

/// A text, before and after tokenization.
pub(super) enum Stage {
    Plain { text: String, detail: Detail },
    Tokenized(Box<StepwiseText>),
}

impl Waiting {
    /// The tokenized text; tokenizes it first if necessary.
    pub(super) fn tokenized(&mut self, models: &Models) -> &mut StepwiseText {
        if let Stage::Plain { text, detail } = &mut self.text {
            let analyzer = models.analyzer(self.choice);
            let text = StepwiseText::new(analyzer, std::mem::take(text), *detail);
            self.text = Stage::Tokenized(Box::new(text));
        }
        match &mut self.text {
            Stage::Tokenized(text) => text,
            Stage::Plain { .. } => unreachable!("it was tokenized above"),
        }
    }

    /// Number of unread tokens.
    pub(super) fn tokens_left(&self) -> usize {
        match &self.text {
            Stage::Tokenized(text) => text.tokens_left(),
            Stage::Plain { text, .. } => estimated_words(text),
        }
    }
}

/// A cheap estimate of the number of words of a text, also of one without spaces.
pub(super) fn estimated_words(text: &str) -> usize {
    let spaces = text.bytes().filter(u8::is_ascii_whitespace).count();
    1 + spaces.max(text.len() / 16)
}

#[derive(Default)]
pub(super) struct Queue {
    pub(super) texts: VecDeque<Waiting>,
    /// Texts for the tokenizer.
    pub(super) long: VecDeque<Waiting>,
    /// Number of texts that are being tokenized or read.
    pub(super) reading: usize,
    /// Number of readers that have a batch.
    pub(super) busy: usize,
    /// Number of unread words of all texts.
    pub(super) words: usize,
    pub(super) closed: bool,
}

impl Queue {
    /// Subtracts the words of a text from the count.
    pub(super) fn uncount(&mut self, waiting: &Waiting) {
        self.words = self.words.saturating_sub(waiting.counted);
    }

    /// Updates the count to the unread words of a text.
    pub(super) fn recount(&mut self, waiting: &mut Waiting) {
        self.uncount(waiting);
        waiting.counted = waiting.tokens_left();
        self.words += waiting.counted;
    }
}

/// Number of words counted for a text when a batch is filled.
pub(super) fn share(waiting: &Waiting) -> usize {
    waiting.counted.clamp(1, SHARE)
}
