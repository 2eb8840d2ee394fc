//! Lines of bounded length. A longer line is skipped without being held in memory.

use std::io::{self, BufRead};

/// A line without its line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    /// The whole line.
    Whole(&'a [u8]),
    /// Longer than the limit.
    TooLong,
}

/// Reads lines, which end with `\n` or `\r\n`.
///
/// ```
/// use imn_io::lines::{Line, Lines};
/// let mut lines = Lines::new(&b"one\r\nmuch too long\n"[..], 5);
/// assert_eq!(lines.next()?, Some((1, Line::Whole(b"one"))));
/// assert_eq!(lines.next()?, Some((2, Line::TooLong)));
/// assert_eq!(lines.next()?, None);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Lines<R> {
    source: R,
    limit: usize,
    line: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    /// Reads lines of at most `limit` bytes, not counting the line end.
    pub fn new(source: R, limit: usize) -> Self {
        Self {
            source,
            limit,
            line: Vec::new(),
            number: 0,
        }
    }

    /// The maximum length of a line in bytes.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The next line and its number, counted from 1; `None` at the end.
    ///
    /// # Errors
    /// If the source cannot be read.
    #[expect(
        clippy::should_implement_trait,
        reason = "a line borrows the buffer, which an iterator's item cannot"
    )]
    pub fn next(&mut self) -> io::Result<Option<(u64, Line<'_>)>> {
        self.line.clear();
        let (mut begun, mut long) = (false, false);
        loop {
            let buffer = self.source.fill_buf()?;
            if buffer.is_empty() {
                break;
            }
            begun = true;
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let part = &buffer[..end.unwrap_or(buffer.len())];
            // One byte above the limit may be the `\r` of the line end.
            if long || self.line.len() + part.len() > self.limit + 1 {
                long = true;
            } else {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.source.consume(used);
            if end.is_some() {
                break;
            }
        }
        if !begun {
            return Ok(None);
        }
        self.number += 1;
        let content = self.line.strip_suffix(b"\r").unwrap_or(&self.line);
        let line = if long || content.len() > self.limit {
            Line::TooLong
        } else {
            Line::Whole(content)
        };
        Ok(Some((self.number, line)))
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    fn all(bytes: &[u8], buffer: usize, limit: usize) -> Vec<Option<Vec<u8>>> {
        let mut lines = Lines::new(BufReader::with_capacity(buffer, bytes), limit);
        let mut found = Vec::new();
        while let Some((number, line)) = lines.next().unwrap() {
            found.push(match line {
                Line::Whole(line) => Some(line.to_vec()),
                Line::TooLong => None,
            });
            assert_eq!(number, found.len() as u64);
        }
        found
    }

    #[test]
    fn ends_limits_and_the_last_line() {
        let some = |text: &str| Some(text.as_bytes().to_vec());
        let found = all(b"one\r\n\r\n12345\r\n123456\nfive", 4, 5);
        assert_eq!(
            found,
            [some("one"), some(""), some("12345"), None, some("five")]
        );
        assert_eq!(all(b"", 4, 5), []);
    }

    proptest! {
        #[test]
        fn buffers_do_not_matter(
            bytes in prop::collection::vec(prop::sample::select(b"ab\r\n\xff\0".to_vec()), 0..60),
            buffer in 1_usize..9,
            limit in 0_usize..7,
        ) {
            prop_assert_eq!(all(&bytes, buffer, limit), all(&bytes, 1000, limit));
            let lines = bytes.split(|&b| b == b'\n').map(|line| {
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                (line.len() <= limit).then(|| line.to_vec())
            });
            let mut expected: Vec<_> = lines.collect();
            if bytes.last().is_none_or(|&b| b == b'\n') {
                expected.pop();
            }
            prop_assert_eq!(all(&bytes, buffer, limit), expected);
        }
    }
}
