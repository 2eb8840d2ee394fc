//! Texts after tokenization: the state from which they are analysed, explained and counted, so that
//! each text is tokenized once.

use rayon::prelude::*;

use super::explain::SentenceRounds;
use super::{Analysis, Analyzer, Explanation, MOST_WORDS};
use crate::features::{self, Features};
use crate::model::Network as _;
use crate::predict::Rounds;
use crate::text::Span;

/// Consecutive words of one text that the network reads at once: a sentence, or a part of a very long
/// one.
#[derive(Debug)]
pub(super) struct Piece {
    /// Which text.
    pub(super) text: usize,
    /// Byte spans in the text.
    pub(super) tokens: Vec<Span>,
    pub(super) features: Features,
}

/// Texts whose sentences and tokens are known.
#[derive(Debug)]
pub struct Tokenized<'a> {
    analyzer: &'a Analyzer,
    texts: &'a [&'a str],
    /// In the order of the texts.
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

    /// All tokens in order, each with whether the vocabulary of the model has exactly this word.
    pub fn tokens(&self) -> impl Iterator<Item = (&'a str, bool)> {
        let lexicon = self.analyzer.part().featurizer.lexicon();
        let spans = self.pieces.iter().flat_map(|piece| {
            let text = self.texts[piece.text];
            piece.tokens.iter().filter_map(move |token| token.of(text))
        });
        spans.map(move |token| (token, lexicon.has(token)))
    }

    /// Analyses the texts, on all threads of the current pool. Offsets are bytes.
    #[must_use]
    pub fn analyze(&self) -> Vec<Analysis> {
        let mut analyses = self.without_terms();
        self.analyzer
            .add_all(&mut analyses, self.texts, &self.pieces);
        analyses
    }

    /// Explains the texts. Offsets are bytes.
    #[must_use]
    pub fn explain(&self) -> Vec<Explanation> {
        let mut analyses = self.without_terms();
        let texts = 0..self.texts.len();
        texts
            .map(|text| self.explain_text(text, &mut analyses))
            .collect()
    }

    /// Analyses that have the sentiments of the texts only.
    pub(super) fn without_terms(&self) -> Vec<Analysis> {
        let sentiments = self.analyzer.sentiments(self.texts.len(), &self.pieces);
        sentiments.into_iter().map(Analysis::of_text).collect()
    }

    /// Explains one text and takes its analysis out of `analyses`. The network reads every sentence
    /// once: all rounds of those that are explained, the last round of the others.
    pub(super) fn explain_text(&self, text: usize, analyses: &mut [Analysis]) -> Explanation {
        let first = self.pieces.partition_point(|piece| piece.text < text);
        let end = self.pieces.partition_point(|piece| piece.text <= text);
        let pieces = &self.pieces[first..end];
        let mut left = MOST_WORDS;
        let fits = |piece: &&Piece| {
            let rest = left.checked_sub(piece.tokens.len());
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        let (shown, others) = pieces.split_at(pieces.iter().take_while(fits).count());
        let rounds = self.analyzer.read(shown, Rounds::All);
        for (piece, rounds) in shown.iter().zip(&rounds) {
            if let Some(last) = rounds.last() {
                let analysis = &mut analyses[text];
                self.analyzer.add(analysis, self.texts[text], piece, last);
            }
        }
        self.analyzer.add_all(analyses, self.texts, others);
        let sentences = shown.iter().zip(rounds);
        let sentences =
            sentences.map(|(Piece { tokens, .. }, rounds)| SentenceRounds { tokens, rounds });
        Explanation::new(
            self.texts[text],
            self.analyzer.network().tag_set().tags(),
            sentences.collect(),
            others.len(),
            std::mem::take(&mut analyses[text]),
        )
    }
}

pub(super) fn pieces(analyzer: &Analyzer, number: usize, text: &str) -> Vec<Piece> {
    let pieces = analyzer
        .part()
        .featurizer
        .pieces(text, analyzer.network().limits())
        .into_iter();
    pieces
        .map(|features::Piece { tokens, features }| Piece {
            text: number,
            tokens,
            features,
        })
        .collect()
}
