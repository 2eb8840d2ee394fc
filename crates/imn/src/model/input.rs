//! Sentences as the network takes them: features, packed.

use std::sync::Arc;

use imn_nn::Layout;

use crate::features::Features;

/// Rows between sequences: the widest convolution has five taps.
const GAP: usize = 2;

/// A packed batch of sentences or documents.
#[derive(Debug, Clone)]
pub struct Input {
    /// Where each sentence stands.
    pub layout: Arc<Layout>,
    /// The number of every word, sentence after sentence; empty for subwords.
    pub ids: Vec<u32>,
    /// The same for an encoder over subwords.
    pub(super) subwords: Option<SubwordInput>,
    /// 1 / |i − j| for every pair of words of a sentence, 0 on the diagonal; empty where no self-attention is needed.
    pub(super) nearness: Vec<f32>,
    /// The annotation scheme of every word's sentence; empty where the network is to answer in its own.
    pub(super) schemes: Vec<u32>,
}

/// Sentences as a transformer reads them, markers included.
#[derive(Debug, Clone)]
pub(super) struct SubwordInput {
    /// Where each sequence of subwords stands.
    pub(super) layout: Arc<Layout>,
    /// The number of every subword.
    pub(super) ids: Vec<u32>,
    /// The first subword of every word.
    pub(super) firsts: Vec<u32>,
}

impl SubwordInput {
    /// Packs texts; `None` where they are not of subwords.
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

    /// Packs documents, which are read by DS and DD only.
    pub fn documents<'a>(documents: impl IntoIterator<Item = &'a Features>) -> Self {
        let documents: Vec<&Features> = documents.into_iter().collect();
        let lengths = documents.iter().map(|document| document.len());
        let lengths: Vec<usize> = lengths.collect();
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

    /// The same sentences, each in the annotation scheme of this number.
    #[must_use]
    pub fn with_schemes(mut self, schemes: impl IntoIterator<Item = u32>) -> Self {
        let spans = self.layout.spans().iter().zip(schemes);
        let words = spans.flat_map(|(span, scheme)| std::iter::repeat_n(scheme, span.len()));
        self.schemes = words.collect();
        self
    }
}
