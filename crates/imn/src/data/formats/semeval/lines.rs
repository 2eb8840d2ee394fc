//! Converts byte offsets of the XML reader to line numbers.

/// Counts lines up to increasing byte offsets.
pub(super) struct LineCounter<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> LineCounter<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            bytes: text.as_bytes(),
            at: 0,
            line: 1,
        }
    }

    pub(super) fn line_at(&mut self, offset: u64) -> usize {
        let offset = usize::try_from(offset)
            .unwrap_or(usize::MAX)
            .min(self.bytes.len());
        if let Some(passed) = self.bytes.get(self.at..offset) {
            self.line += passed.iter().filter(|b| **b == b'\n').count();
            self.at = offset;
        }
        self.line
    }
}
