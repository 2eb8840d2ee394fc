//! How many pieces the network reads together.

use super::tokenized::Piece;

/// Maximum number of attention values in memory at a time. A sentence of n words or subwords has
/// n², and a hostile text can have many long sentences.
const MAX_ATTENTION_VALUES: usize = 1 << 23;

/// The memory and the time that the pieces of one batch may take.
#[derive(Debug)]
pub(super) struct Budget {
    ids: usize,
    attention_values: usize,
    is_new: bool,
}

impl Budget {
    /// A batch of at most `ids` words or subwords.
    pub(super) fn new(ids: usize) -> Self {
        Self {
            ids,
            attention_values: MAX_ATTENTION_VALUES,
            is_new: true,
        }
    }

    /// Adds a piece to the batch if it fits. The first piece is always added; otherwise a long one
    /// would never be read.
    pub(super) fn take(&mut self, piece: &Piece) -> bool {
        self.take_ids(piece.ids())
    }

    fn take_ids(&mut self, ids: usize) -> bool {
        let attention_values = ids.saturating_mul(ids);
        let fits = ids <= self.ids && attention_values <= self.attention_values;
        if fits || self.is_new {
            self.ids = self.ids.saturating_sub(ids);
            self.attention_values = self.attention_values.saturating_sub(attention_values);
            self.is_new = false;
            return true;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_limited_by_their_ids_and_their_attention() {
        let mut by_ids = Budget::new(100);
        let taken = [60, 50, 40, 1].map(|ids| by_ids.take_ids(ids));
        assert_eq!(taken, [true, false, true, false]);
        let mut by_attention = Budget::new(usize::MAX);
        let taken = [2048, 2048, 1].map(|ids| by_attention.take_ids(ids));
        assert_eq!(taken, [true, true, false]);
    }

    #[test]
    fn the_first_piece_is_taken_whatever_its_size() {
        let mut budget = Budget::new(10);
        assert_eq!([20, 1].map(|ids| budget.take_ids(ids)), [true, false]);
    }
}
