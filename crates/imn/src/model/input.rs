//! Sentences as the network takes them: word numbers, packed.

use std::sync::Arc;

use imn_nn::Layout;

/// Rows between sequences: the widest convolution has five taps.
const GAP: usize = 2;

/// A packed batch of sentences or documents.
#[derive(Debug, Clone)]
pub struct Input {
    /// Where each sentence stands.
    pub layout: Arc<Layout>,
    /// The number of every word, sentence after sentence.
    pub words: Vec<u32>,
    /// 1 / |i − j| for every pair of words of a sentence, 0 on the diagonal; empty where no self-attention is needed.
    pub(super) nearness: Vec<f32>,
    /// The annotation scheme of every word's sentence; empty where the network is to answer in its own.
    pub(super) schemes: Vec<u32>,
}

impl Input {
    /// Packs sentences.
    pub fn sentences<'a>(sentences: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut input = Self::documents(sentences);
        input.nearness.reserve(input.layout.pair_count());
        for span in input.layout.spans() {
            let n = span.len();
            input
                .nearness
                .extend((0..n * n).map(|pair| match (pair / n).abs_diff(pair % n) {
                    0 => 0.0,
                    distance => 1.0 / distance as f32,
                }));
        }
        input
    }

    /// Packs documents, which are read by DS and DD only.
    pub fn documents<'a>(documents: impl IntoIterator<Item = &'a [u32]>) -> Self {
        let mut words = Vec::new();
        let mut lengths = Vec::new();
        for document in documents {
            words.extend_from_slice(document);
            lengths.push(document.len());
        }
        Self {
            layout: Arc::new(Layout::new(lengths, GAP)),
            words,
            nearness: Vec::new(),
            schemes: Vec::new(),
        }
    }

    /// The same sentences, each in the annotation scheme of this number.
    #[must_use]
    pub fn with_schemes(mut self, schemes: impl IntoIterator<Item = u32>) -> Self {
        let spans = self.layout.spans().iter().zip(schemes);
        let words = spans.flat_map(|(span, scheme)| std::iter::repeat_n(scheme, span.len()));
        self.schemes = words.collect();
        self
    }
}
