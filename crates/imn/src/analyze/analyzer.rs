//! Texts in, analyses out.

use imn_nn::Engine;
use rayon::prelude::*;

use super::pairing::{self, PairingRule};
use super::terms::{self, Terms};
use super::{Analysis, FoundAspect, FoundOpinion, LinkedOpinion, TextSentiment};
use crate::bundle::Bundle;
use crate::models::{self, ModelError};
use crate::predict::{self, LONGEST, Reading, Rounds};
use crate::text::{Span, split_sentences, tokenize_into};

/// Words of a text that its sentiment is told from: documents are cut in training too.
const DOCUMENT: usize = 200;

/// Numbers of attention that are held at a time: a sentence has the square of its words, and hostile texts have many long ones.
const HELD: usize = 1 << 23;

/// A model that analyses texts.
#[derive(Debug)]
pub struct Analyzer {
    bundle: Bundle,
    engine: Engine<f32>,
}

/// Consecutive words of one text that the network reads at once: a sentence, or a part of a very long one.
struct Piece {
    text: usize,
    /// Byte spans in the text.
    tokens: Vec<Span>,
    words: Vec<u32>,
}

/// A piece with every round of its reading.
pub(super) struct PieceRounds {
    /// Byte spans in the text.
    pub(super) tokens: Vec<Span>,
    pub(super) rounds: Vec<Reading>,
}

impl Analyzer {
    /// An analyzer with this model.
    #[must_use]
    pub fn new(bundle: Bundle) -> Self {
        Self {
            bundle,
            engine: Engine::new(),
        }
    }

    /// An analyzer with the model that is part of the program.
    ///
    /// # Errors
    /// None that a user can cause: the bytes were read when the program was tested.
    pub fn built_in() -> Result<Self, ModelError> {
        Ok(Self::new(models::built_in()?))
    }

    /// The model.
    #[must_use]
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// Analyses one text. Offsets are bytes.
    #[must_use]
    pub fn analyze(&self, text: &str) -> Analysis {
        self.analyze_all(&[text]).pop().unwrap_or_default()
    }

    /// Analyses texts, on all threads of the current pool. The result for a text does not depend on the others.
    #[must_use]
    pub fn analyze_all(&self, texts: &[&str]) -> Vec<Analysis> {
        let pieces: Vec<Piece> = texts
            .par_iter()
            .enumerate()
            .flat_map_iter(|(i, text)| self.pieces(i, text))
            .collect();
        let sentiments = self.sentiments(texts.len(), &pieces);
        let mut analyses: Vec<Analysis> = sentiments
            .into_iter()
            .map(|sentiment| Analysis {
                sentiment,
                ..Analysis::default()
            })
            .collect();
        let Bundle {
            network, params, ..
        } = &self.bundle;
        let mut rest = pieces.as_slice();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(held_together(rest));
            rest = later;
            let words: Vec<&[u32]> = now.iter().map(|piece| piece.words.as_slice()).collect();
            let readings = predict::read(&self.engine, network, params, &words, Rounds::Last);
            for (piece, rounds) in now.iter().zip(&readings) {
                if let Some(reading) = rounds.last() {
                    self.add(&mut analyses[piece.text], texts[piece.text], piece, reading);
                }
            }
        }
        analyses
    }

    /// Sentence by sentence the tokens and the rounds of the first sentences that hold at most `words` words together, and how many
    /// sentences come after them.
    pub(super) fn rounds(&self, text: &str, words: usize) -> (Vec<PieceRounds>, usize) {
        let mut pieces = self.pieces(0, text);
        pieces.retain(|piece| !piece.tokens.is_empty());
        let mut left = words;
        let fits = |piece: &Piece| {
            let rest = left.checked_sub(piece.tokens.len());
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        let shown = pieces.iter().map(fits).take_while(|&fits| fits).count();
        let after = pieces.split_off(shown).len();
        let read: Vec<&[u32]> = pieces.iter().map(|piece| piece.words.as_slice()).collect();
        let Bundle {
            network, params, ..
        } = &self.bundle;
        let readings = predict::read(&self.engine, network, params, &read, Rounds::All);
        let read = pieces.into_iter().zip(readings);
        let read = read.map(|(Piece { tokens, .. }, rounds)| PieceRounds { tokens, rounds });
        (read.collect(), after)
    }

    fn pieces(&self, number: usize, text: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for sentence in split_sentences(text) {
            let mut tokens = Vec::new();
            tokenize_into(text, sentence, &mut tokens);
            pieces.extend(tokens.chunks(LONGEST).map(|tokens| {
                Piece {
                    text: number,
                    words: tokens
                        .iter()
                        .map(|token| self.bundle.vocabulary.id(&text[token.start..token.end]))
                        .collect(),
                    tokens: tokens.to_vec(),
                }
            }));
        }
        pieces
    }

    /// The sentiment of every text as a whole.
    fn sentiments(&self, texts: usize, pieces: &[Piece]) -> Vec<Option<TextSentiment>> {
        let mut documents: Vec<Vec<u32>> = vec![Vec::new(); texts];
        for piece in pieces {
            let document = &mut documents[piece.text];
            let left = DOCUMENT - document.len().min(DOCUMENT);
            document.extend(piece.words.iter().take(left));
        }
        let documents: Vec<&[u32]> = documents.iter().map(Vec::as_slice).collect();
        let Bundle {
            network, params, ..
        } = &self.bundle;
        let probabilities = predict::sentiments(&self.engine, network, params, &documents);
        let sentiment = |row: Option<Vec<f32>>| {
            let (polarity, confidence) = terms::polarity(&row?);
            Some(TextSentiment {
                polarity,
                confidence: self.bundle.calibration.texts.apply(confidence),
            })
        };
        probabilities.into_iter().map(sentiment).collect()
    }

    /// Adds what is found in a piece.
    fn add(&self, analysis: &mut Analysis, text: &str, piece: &Piece, reading: &Reading) {
        let terms = Terms::of(reading, self.bundle.network.config().tag_set().tags());
        let place = |span: Span| {
            let (start, end) = (
                piece.tokens[span.start].start,
                piece.tokens[span.end - 1].end,
            );
            (text[start..end].to_owned(), start, end)
        };
        let first = analysis.opinions.len();
        for opinion in &terms.opinions {
            let (term, start, end) = place(opinion.span);
            analysis.opinions.push(FoundOpinion {
                term,
                start,
                end,
                confidence: self.bundle.calibration.opinions.apply(opinion.confidence),
            });
        }
        let spans = |terms: &[terms::Term]| terms.iter().map(|term| term.span).collect::<Vec<_>>();
        let (aspects, opinions) = (spans(&terms.aspects), spans(&terms.opinions));
        let shares =
            pairing::attention_shares(&reading.attention, piece.words.len(), &aspects, &opinions);
        let words = piece
            .tokens
            .iter()
            .map(|token| &text[token.start..token.end]);
        let words: Vec<&str> = words.collect();
        let links = pairing::links(PairingRule::default(), &shares, &words, &aspects, &opinions);
        for (i, aspect) in terms.aspects.iter().enumerate() {
            let (term, start, end) = place(aspect.span);
            let (sentiment, confidence) = terms::sentiment(reading, aspect.span);
            let about = links.iter().filter(|link| link.aspect == i);
            let mut opinions: Vec<LinkedOpinion> = about
                .map(|link| LinkedOpinion {
                    opinion: first + link.opinion,
                    weight: shares[i][link.opinion],
                })
                .collect();
            opinions.sort_by(|a, b| b.weight.total_cmp(&a.weight));
            analysis.aspects.push(FoundAspect {
                term,
                start,
                end,
                sentiment,
                span_confidence: self.bundle.calibration.aspects.apply(aspect.confidence),
                sentiment_confidence: self.bundle.calibration.sentiments.apply(confidence),
                opinions,
            });
        }
    }
}

/// How many of these pieces, at least one, may be held together.
fn held_together(pieces: &[Piece]) -> usize {
    let mut held = 0;
    let fits = pieces.iter().take_while(|piece| {
        held += piece.words.len() * piece.words.len();
        held <= HELD
    });
    fits.count().max(1)
}
