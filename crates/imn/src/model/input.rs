//! Input of a network: the features of several texts, packed.

use std::sync::Arc;

use imn_nn::Layout;

use crate::features::Features;

/// Empty rows between sequences. The widest convolution reaches two rows to each side.
const GAP: usize = 2;

/// A packed batch of sentences or documents.
#[derive(Debug, Clone)]
pub struct Input {
    /// Position of each text in the packed rows.
    pub layout: Arc<Layout>,
    /// Ids of all words, text after text. Empty for an encoder over subwords.
    pub ids: Vec<u32>,
    /// The subwords, for an encoder over subwords.
    pub(super) subwords: Option<SubwordInput>,
    /// 1 / |i − j| for every pair of words of a sentence, 0 on the diagonal. Empty for documents,
    /// which need no self-attention.
    pub(super) nearness: Vec<f32>,
    /// Index of the annotation scheme for every word. Empty for the network's default scheme.
    pub(super) schemes: Vec<u32>,
}

/// Packed subwords of several texts, including their begin and end markers.
#[derive(Debug, Clone)]
pub(super) struct SubwordInput {
    /// Position of each sequence in the packed rows.
    pub(super) layout: Arc<Layout>,
    /// Ids of all subwords.
    pub(super) ids: Vec<u32>,
    /// Index of each word's first subword in `ids`.
    pub(super) firsts: Vec<u32>,
}

impl SubwordInput {
    /// Packs texts; `None` if their features are words.
    fn pack(texts: &[&Features]) -> Option<Self> {
        let (mut ids, mut firsts, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
        for text in texts {
            let (starts, markers) = text.subwords()?;
            let first = ids.len() as u32 + 1;
            firsts.extend(starts.iter().map(|start| first + start));
            ids.push(markers.begin);
            ids.extend_from_slice(text.ids());
            ids.push(markers.end);
            lengths.push(text.ids().len() + 2);
        }
        Some(Self {
            layout: Arc::new(Layout::new(lengths, 0)),
            ids,
            firsts,
        })
    }
}

impl Input {
    /// Packs sentences.
    pub fn sentences<'a>(sentences: impl IntoIterator<Item = &'a Features>) -> Self {
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

    /// Packs documents, for DS and DD.
    pub fn documents<'a>(documents: impl IntoIterator<Item = &'a Features>) -> Self {
        let documents: Vec<&Features> = documents.into_iter().collect();
        let lengths: Vec<usize> = documents.iter().map(|document| document.len()).collect();
        let subwords = SubwordInput::pack(&documents);
        let ids = match subwords {
            Some(_) => Vec::new(),
            None => documents.iter().flat_map(|d| d.ids()).copied().collect(),
        };
        Self {
            layout: Arc::new(Layout::new(lengths, GAP)),
            ids,
            subwords,
            nearness: Vec::new(),
            schemes: Vec::new(),
        }
    }

    /// Sets the annotation scheme of each sentence, by index.
    #[must_use]
    pub fn with_schemes(mut self, schemes: impl IntoIterator<Item = u32>) -> Self {
        let spans = self.layout.spans().iter().zip(schemes);
        let words = spans.flat_map(|(span, scheme)| std::iter::repeat_n(scheme, span.len()));
        self.schemes = words.collect();
        self
    }
}
