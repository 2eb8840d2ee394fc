//! Tokenized texts. Analysis, explanation and language detection all start from them, so that each
//! text is tokenized once.

use rayon::prelude::*;

use super::analyzer::Unfinished;
use super::explain::SentenceRounds;
use super::{Analysis, Analyzer, Explanation, MAX_WORDS};
use crate::features::{self, Features};
use crate::model::Network as _;
use crate::predict::Rounds;
use crate::text::Span;

/// A sentence of a text, or a part of a sentence that exceeds the network's limits.
#[derive(Debug)]
pub(super) struct Piece {
    /// Index of the text.
    pub(super) text: usize,
    /// Byte spans in the text.
    pub(super) tokens: Vec<Span>,
    pub(super) features: Features,
}

impl Piece {
    /// The number of words, or of subwords if the encoder reads those.
    pub(super) fn ids(&self) -> usize {
        self.features.ids().len()
    }
}

/// Texts split into sentences and tokens.
///
/// ```
/// use imn::analyze::Analyzer;
///
/// let analyzer = Analyzer::built_in()?;
/// let tokenized = analyzer.tokenize(&["Great qwzxram!"]);
/// let tokens: Vec<(&str, bool)> = tokenized.tokens().collect();
/// assert_eq!(tokens, [("Great", true), ("qwzxram", false), ("!", true)]);
/// # Ok::<(), imn::bundle::ModelError>(())
/// ```
#[derive(Debug)]
pub struct Tokenized<'a> {
    analyzer: &'a Analyzer,
    texts: &'a [&'a str],
    /// The pieces of all texts, in text order.
    pieces: Vec<Piece>,
}

impl<'a> Tokenized<'a> {
    pub(super) fn new(analyzer: &'a Analyzer, texts: &'a [&'a str]) -> Self {
        let pieces = texts
            .par_iter()
            .enumerate()
            .flat_map_iter(|(number, text)| pieces(analyzer, number, text))
            .collect();
        Self {
            analyzer,
            texts,
            pieces,
        }
    }

    /// All tokens in text order, each with whether the vocabulary of the model contains it.
    pub fn tokens(&self) -> impl Iterator<Item = (&'a str, bool)> {
        let lexicon = self.analyzer.part().featurizer.lexicon();
        let tokens = self.pieces.iter().flat_map(|piece| {
            let text = self.texts[piece.text];
            piece.tokens.iter().filter_map(move |token| token.of(text))
        });
        tokens.map(move |token| (token, lexicon.has(token)))
    }

    /// Analyzes the texts on all threads of the current rayon pool. Offsets are in bytes. `proceed`
    /// is asked every few seconds; if it answers `false`, the result is `None`.
    pub fn analyze(&self, proceed: &dyn Fn() -> bool) -> Option<Vec<Analysis>> {
        let mut analyses = self.without_terms();
        let pieces = &self.pieces;
        if !self
            .analyzer
            .add_all(&mut analyses, self.texts, pieces, proceed)
        {
            return None;
        }
        let analyses = analyses.into_iter();
        let finished = analyses.map(|unfinished| self.analyzer.finish(unfinished));
        Some(finished.collect())
    }

    /// Explains the texts. Offsets are in bytes. `proceed` is asked as in [`Tokenized::analyze`].
    pub fn explain(&self, proceed: &dyn Fn() -> bool) -> Option<Vec<Explanation>> {
        let mut analyses = self.without_terms();
        (0..self.texts.len())
            .map(|text| self.explain_text(text, &mut analyses, proceed))
            .collect()
    }

    /// Analyses with the sentiments of the texts, but without terms.
    pub(super) fn without_terms(&self) -> Vec<Unfinished> {
        let sentiments = self.analyzer.sentiments(self.texts.len(), &self.pieces);
        let unfinished = sentiments.into_iter().map(|sentiment| Unfinished {
            analysis: Analysis::of_text(sentiment),
            evidence: None,
        });
        unfinished.collect()
    }

    /// Explains one text and takes its analysis out of `analyses`. The network runs on every
    /// sentence once: all rounds are kept for explained sentences, and the last round for others.
    pub(super) fn explain_text(
        &self,
        text: usize,
        analyses: &mut [Unfinished],
        proceed: &dyn Fn() -> bool,
    ) -> Option<Explanation> {
        let first = self.pieces.partition_point(|piece| piece.text < text);
        let end = self.pieces.partition_point(|piece| piece.text <= text);
        let pieces = &self.pieces[first..end];
        let (shown, others) = pieces.split_at(explained_pieces(pieces));
        let rounds = self.analyzer.infer(shown, Rounds::All);
        for (piece, rounds) in shown.iter().zip(&rounds) {
            if let Some(last) = rounds.last() {
                let analysis = &mut analyses[text];
                self.analyzer.add(analysis, self.texts[text], piece, last);
            }
        }
        if !self.analyzer.add_all(analyses, self.texts, others, proceed) {
            return None;
        }
        let sentences: Vec<SentenceRounds<'_>> = shown
            .iter()
            .zip(rounds)
            .map(|(Piece { tokens, .. }, rounds)| SentenceRounds { tokens, rounds })
            .collect();
        Some(Explanation::new(
            self.texts[text],
            self.analyzer.network().tag_set().tags(),
            sentences,
            others.len(),
            self.analyzer.finish(std::mem::take(&mut analyses[text])),
        ))
    }
}

/// The number of leading pieces of a text that are explained.
pub(super) fn explained_pieces(pieces: &[Piece]) -> usize {
    let mut words = 0;
    let explained = pieces.iter().take_while(|piece| {
        words += piece.tokens.len();
        words <= MAX_WORDS
    });
    explained.count()
}

pub(super) fn pieces(analyzer: &Analyzer, number: usize, text: &str) -> Vec<Piece> {
    analyzer
        .part()
        .featurizer
        .pieces(text, analyzer.network().limits())
        .into_iter()
        .map(|features::Piece { tokens, features }| Piece {
            text: number,
            tokens,
            features,
        })
        .collect()
}
