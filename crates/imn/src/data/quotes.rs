//! Watches the quotes of CSV as it streams by.
//!
//! A CSV reader takes a quote that is never closed for a field that goes on to the end of the file, and with it every row
//! after. That is never what was meant, so the watch remembers where the open quote stands.

use std::io::{BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where in a row the next byte is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    FieldStart,
    Plain,
    Quoted,
    /// After a quote inside a quoted field: its end, or the first half of a doubled one.
    QuoteInQuoted,
}

/// The line of the quote that was open at the end of the file, if there was one and the end was reached.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenQuote(Arc<AtomicUsize>);

impl OpenQuote {
    pub(super) fn line(&self) -> Option<usize> {
        Some(self.0.load(Ordering::Relaxed)).filter(|line| *line > 0)
    }
}

/// A reader that watches what passes through it.
pub(super) struct QuoteWatch {
    source: Box<dyn BufRead + Send>,
    state: State,
    line: usize,
    opened: usize,
    at_end: OpenQuote,
}

impl QuoteWatch {
    pub(super) fn new(source: Box<dyn BufRead + Send>) -> (Self, OpenQuote) {
        let at_end = OpenQuote::default();
        let watch = Self {
            source,
            state: State::FieldStart,
            line: 1,
            opened: 0,
            at_end: at_end.clone(),
        };
        (watch, at_end)
    }

    fn pass(&mut self, byte: u8) {
        self.state = match (self.state, byte) {
            (State::FieldStart, b'"') => {
                self.opened = self.line;
                State::Quoted
            }
            (State::QuoteInQuoted, b'"') => State::Quoted,
            (State::Quoted, b'"') => State::QuoteInQuoted,
            (State::Quoted, _) => State::Quoted,
            (_, b',' | b'\n' | b'\r') => State::FieldStart,
            (_, _) => State::Plain,
        };
        self.line += usize::from(byte == b'\n');
    }
}

impl Read for QuoteWatch {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.source.read(buffer)?;
        for byte in buffer.iter().take(count) {
            self.pass(*byte);
        }
        if count == 0 && !buffer.is_empty() && self.state == State::Quoted {
            self.at_end.0.store(self.opened, Ordering::Relaxed);
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_at(text: &'static str) -> Option<usize> {
        let (mut watch, open) = QuoteWatch::new(Box::new(text.as_bytes()));
        std::io::copy(&mut watch, &mut std::io::sink()).unwrap();
        open.line()
    }

    #[test]
    fn only_a_quote_that_is_never_closed_is_open() {
        assert_eq!(open_at("pos,\"a \"\"b\"\"\nc\"\nneg,5\" screen\n"), None);
        assert_eq!(open_at("pos,a\nneg,\"b\npos,c\n"), Some(2));
        assert_eq!(open_at("\"a\",\"b\"\"\n"), Some(1));
    }
}
