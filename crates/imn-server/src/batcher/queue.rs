//! Texts that wait, and the count of their words.

use std::collections::VecDeque;
use std::time::Instant;

use imn::analyze::{Detail, StepwiseText};
use tokio::sync::oneshot;

use crate::models::{Choice, Models};

/// Words that one text counts at most when a batch is filled: a batch holds at least
/// `max_batch_tokens / SHARE` texts if there are so many.
const SHARE: usize = 128;

/// A text in the queue.
pub(super) struct Waiting {
    pub(super) choice: Choice,
    pub(super) text: Stage,
    pub(super) done: oneshot::Sender<StepwiseText>,
    pub(super) since: Instant,
    /// Whether a batch has read some of it.
    pub(super) begun: bool,
    /// Words that it counts in the queue.
    pub(super) counted: usize,
}

/// A text before and after it is tokenized.
pub(super) enum Stage {
    Plain { text: String, detail: Detail },
    Tokenized(Box<StepwiseText>),
}

impl Waiting {
    /// The text with its tokens, which are found if they are not known.
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

    /// Tokens that were not read.
    pub(super) fn tokens_left(&self) -> usize {
        match &self.text {
            Stage::Tokenized(text) => text.tokens_left(),
            Stage::Plain { text, .. } => estimated_words(text),
        }
    }
}

/// About the number of words of a text, at no cost. Characters without spaces count too.
pub(super) fn estimated_words(text: &str) -> usize {
    let spaces = text.bytes().filter(u8::is_ascii_whitespace).count();
    1 + spaces.max(text.len() / 16)
}

#[derive(Default)]
pub(super) struct Queue {
    pub(super) texts: VecDeque<Waiting>,
    /// Texts for the tokenizer.
    pub(super) long: VecDeque<Waiting>,
    /// Texts that are being tokenized or read.
    pub(super) reading: usize,
    /// Readers that have a batch.
    pub(super) busy: usize,
    /// Words of all texts that were not read.
    pub(super) words: usize,
    pub(super) closed: bool,
}

impl Queue {
    /// Takes the words of a text out of the count.
    pub(super) fn uncount(&mut self, waiting: &Waiting) {
        self.words = self.words.saturating_sub(waiting.counted);
    }

    /// Counts the words that a text has left now.
    pub(super) fn recount(&mut self, waiting: &mut Waiting) {
        self.uncount(waiting);
        waiting.counted = waiting.tokens_left();
        self.words += waiting.counted;
    }
}

/// Words that a text counts when a batch is filled.
pub(super) fn share(waiting: &Waiting) -> usize {
    waiting.counted.clamp(1, SHARE)
}
