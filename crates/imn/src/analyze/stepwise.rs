//! Analysis of texts in steps of bounded work.
//!
//! [`Analyzer::analyze_all`] reads all sentences of its texts before it returns. A server cannot
//! wait that long: a text of ten thousand words would delay all short ones. Here each step reads a
//! bounded number of tokens, one sentence of each text in turn, so that a short text is done after
//! one step even if the other texts are long. The result is the same, bit for bit, because the
//! output for a sentence does not depend on the other sentences of a step.

use super::analyzer::Unfinished;
use super::budget::Budget;
use super::explain::SentenceRounds;
use super::tokenized::{Piece, explained_pieces, pieces};
use super::{AnalyzedReview, Analyzer, Explanation};
use crate::data::AeTag;
use crate::model::Network as _;
use crate::predict::{Rounds, SentenceOutput};
use crate::text::Span;

/// What is kept of the network's output for a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// The analysis only.
    Analysis,
    /// Also the predictions of every round for the first [`MAX_WORDS`](super::MAX_WORDS) words.
    Explanation,
}

/// A text that is being analyzed.
///
/// ```
/// use imn::analyze::{AnalyzedReview, Analyzer, Detail, StepwiseText};
///
/// let analyzer = Analyzer::built_in()?;
/// let text = "The ramen was wonderful. Our waiter ignored us.";
/// let mut stepwise = StepwiseText::new(&analyzer, text.to_owned(), Detail::Analysis);
/// while !stepwise.is_done() {
///     StepwiseText::step(&analyzer, &mut [&mut stepwise], 3);
/// }
/// let whole = AnalyzedReview::new(text, analyzer.analyze(text));
/// assert_eq!(stepwise.into_review(), whole);
/// # Ok::<(), imn::bundle::ModelError>(())
/// ```
#[derive(Debug)]
pub struct StepwiseText {
    text: String,
    pieces: Vec<Piece>,
    /// The first piece that was not read.
    next: usize,
    tokens_left: usize,
    analysis: Unfinished,
    /// Whether the sentiment of the whole text is known.
    begun: bool,
    sentences: Vec<SentenceScores>,
    explained: Option<Explained>,
}

/// A sentence and its sentiment.
#[derive(Debug, Clone, PartialEq)]
pub struct SentenceScores {
    /// Byte span in the text.
    pub span: Span,
    /// The probability of each of [`Sentiment::CLASSES`](crate::data::Sentiment::CLASSES), the
    /// network's own; `None` if the network reads no sentence as a document.
    pub scores: Option<Vec<f32>>,
}

/// What an explanation needs besides the analysis.
#[derive(Debug)]
struct Explained {
    tags: Vec<AeTag>,
    /// The number of pieces that are explained, from the first.
    pieces: usize,
    rounds: Vec<Vec<SentenceOutput>>,
}

impl StepwiseText {
    /// Splits a text into sentences and tokens.
    #[must_use]
    pub fn new(analyzer: &Analyzer, text: String, detail: Detail) -> Self {
        let pieces = pieces(analyzer, 0, &text);
        let explained = match detail {
            Detail::Analysis => None,
            Detail::Explanation => Some(Explained {
                tags: analyzer.network().tag_set().tags().to_vec(),
                pieces: explained_pieces(&pieces),
                rounds: Vec::new(),
            }),
        };
        Self {
            tokens_left: pieces.iter().map(Piece::ids).sum(),
            text,
            pieces,
            next: 0,
            analysis: Unfinished::default(),
            begun: false,
            sentences: Vec::new(),
            explained,
        }
    }

    /// The number of tokens that were not read: words, or subwords if the encoder reads those. A
    /// word of nonsense has many subwords, so words would not tell how much work is left.
    #[must_use]
    pub fn tokens_left(&self) -> usize {
        self.tokens_left
    }

    /// Whether the analysis is complete.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.begun && self.next == self.pieces.len()
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Sentences that were read, in order. A sentence that exceeds the network's
    /// [limits](crate::model::Network::limits) is split into pieces, each with its own entry.
    #[must_use]
    pub fn sentences(&self) -> &[SentenceScores] {
        &self.sentences
    }

    /// Reads sentences of these texts, one of each in turn, until `most` tokens are read: at least
    /// one sentence if any is left. Runs on all threads of the current pool. Returns the number of
    /// tokens that were read.
    pub fn step(analyzer: &Analyzer, texts: &mut [&mut Self], most: usize) -> usize {
        Self::begin(analyzer, texts);
        let chosen = choose(texts, most);
        // The explained pieces of a text come first, so terms are added in text order.
        for rounds in [Rounds::All, Rounds::Last] {
            let mut features = Vec::new();
            for (text, &count) in texts.iter().zip(&chosen) {
                let range = text.next..text.next + count;
                let range = range.filter(|&piece| text.rounds(piece) == rounds);
                features.extend(range.map(|piece| &text.pieces[piece].features));
            }
            if features.is_empty() {
                continue;
            }
            let mut readings = analyzer.infer_features(&features, rounds).into_iter();
            for (text, &count) in texts.iter_mut().zip(&chosen) {
                for piece in text.next..text.next + count {
                    if text.rounds(piece) == rounds
                        && let Some(reading) = readings.next()
                    {
                        text.add(analyzer, piece, reading);
                    }
                }
            }
        }
        let mut read = 0;
        for (text, count) in texts.iter_mut().zip(chosen) {
            let now = text.pieces[text.next..text.next + count].iter();
            let now: usize = now.map(Piece::ids).sum();
            text.next += count;
            text.tokens_left -= now;
            read += now;
            if text.next == text.pieces.len() {
                let unfinished = std::mem::take(&mut text.analysis);
                text.analysis.analysis = analyzer.finish(unfinished);
            }
        }
        read
    }

    /// Computes the sentiments of texts that are new in this step.
    fn begin(analyzer: &Analyzer, texts: &mut [&mut Self]) {
        let mut new: Vec<&mut &mut Self> = texts.iter_mut().filter(|text| !text.begun).collect();
        if new.is_empty() {
            return;
        }
        let pieces: Vec<Vec<&Piece>> = new
            .iter()
            .map(|text| text.pieces.iter().collect())
            .collect();
        let scores = analyzer.sentiment_scores(&pieces);
        for (text, scores) in new.iter_mut().zip(scores) {
            text.analysis.analysis.sentiment = scores.map(|row| analyzer.text_sentiment(&row));
            text.begun = true;
        }
    }

    /// The rounds that are kept for a piece.
    fn rounds(&self, piece: usize) -> Rounds {
        match &self.explained {
            Some(explained) if piece < explained.pieces => Rounds::All,
            _ => Rounds::Last,
        }
    }

    /// Adds what was found in a piece.
    fn add(&mut self, analyzer: &Analyzer, number: usize, rounds: Vec<SentenceOutput>) {
        let piece = &self.pieces[number];
        if let Some(last) = rounds.last() {
            analyzer.add(&mut self.analysis, &self.text, piece, last);
            let (first, end) = (piece.tokens.first(), piece.tokens.last());
            if let (Some(first), Some(end)) = (first, end) {
                self.sentences.push(SentenceScores {
                    span: Span::new(first.start, end.end),
                    scores: sentence_scores(last),
                });
            }
        }
        if let Some(explained) = &mut self.explained
            && number < explained.pieces
        {
            explained.rounds.push(rounds);
        }
    }

    /// The record of the text, with an explanation for [`Detail::Explanation`].
    #[must_use]
    pub fn into_review(mut self) -> AnalyzedReview {
        match self.explained.take() {
            None => AnalyzedReview::new(self.text, self.analysis.analysis),
            Some(explained) => {
                let (text, explanation) = self.explain(explained);
                AnalyzedReview::explained(text, explanation)
            }
        }
    }

    /// The text and its explanation; `None` for [`Detail::Analysis`].
    #[must_use]
    pub fn into_explanation(mut self) -> Option<(String, Explanation)> {
        let explained = self.explained.take()?;
        Some(self.explain(explained))
    }

    fn explain(self, explained: Explained) -> (String, Explanation) {
        let Explained {
            tags,
            pieces,
            rounds,
        } = explained;
        let sentences = self.pieces.iter().zip(rounds);
        let sentences =
            sentences.map(|(Piece { tokens, .. }, rounds)| SentenceRounds { tokens, rounds });
        let sentences = sentences.collect();
        let left_out = self.pieces.len() - pieces;
        let explanation = Explanation::new(
            &self.text,
            &tags,
            sentences,
            left_out,
            self.analysis.analysis,
        );
        (self.text, explanation)
    }
}

/// ŷ^ds of a sentence as a document, if the network has it.
fn sentence_scores(output: &SentenceOutput) -> Option<Vec<f32>> {
    match (&output.document, output.evidence) {
        (Some(document), _) => Some(document.sentiment.clone()),
        (None, evidence) => Some(evidence?.probabilities().to_vec()),
    }
}

/// The number of pieces of each text that are read now.
fn choose(texts: &[&mut StepwiseText], most: usize) -> Vec<usize> {
    let mut chosen = vec![0; texts.len()];
    let mut budget = Budget::new(most);
    loop {
        let mut grew = false;
        for (text, count) in texts.iter().zip(&mut chosen) {
            let Some(piece) = text.pieces.get(text.next + *count) else {
                continue;
            };
            if budget.take(piece) {
                *count += 1;
                grew = true;
            }
        }
        if !grew {
            return chosen;
        }
    }
}
