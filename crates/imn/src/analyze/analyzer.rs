//! Texts in, analyses out.

use imn_nn::Engine;

use super::pairing::{self, PairingRule};
use super::tokenized::{Piece, Tokenized};
use super::{Analysis, FoundAspect, FoundOpinion, LinkedOpinion, TextSentiment};
use crate::bundle::{Model, ModelError, Part};
use crate::features::Features;
use crate::model::{Imn, Network as _};
use crate::predict::{self, Reading, Rounds, Term, Terms};
use crate::text::Span;

/// Words of a text that its sentiment is told from: documents are cut in training too.
const DOCUMENT: usize = 200;

/// Numbers of attention that are held at a time: a sentence has the square of its words, and hostile texts have many long ones.
pub(super) const HELD: usize = 1 << 23;

/// A model that analyses texts.
#[derive(Debug)]
pub struct Analyzer {
    part: Part,
    /// The network of the part.
    network: Imn,
    engine: Engine<f32>,
}

impl Analyzer {
    /// An analyzer with this model.
    ///
    /// # Errors
    /// If the model is not IMN: others give no confidences, attention or text sentiment.
    pub fn new(model: Model) -> Result<Self, ModelError> {
        let network = model.imn()?.network.clone();
        let found = model.describe();
        let part = model.into_only_part();
        Ok(Self {
            part: part.ok_or(ModelError::NotImn { found })?,
            network,
            engine: Engine::new(),
        })
    }

    /// An analyzer with the model that is part of the program.
    ///
    /// # Errors
    /// None that a user can cause: the bytes were read when the program was tested.
    pub fn built_in() -> Result<Self, ModelError> {
        Self::new(Model::built_in()?)
    }

    /// The model.
    #[must_use]
    pub fn part(&self) -> &Part {
        &self.part
    }

    /// The network of the model.
    #[must_use]
    pub fn network(&self) -> &Imn {
        &self.network
    }

    /// Analyses one text. Offsets are bytes.
    #[must_use]
    pub fn analyze(&self, text: &str) -> Analysis {
        self.analyze_all(&[text]).pop().unwrap_or_default()
    }

    /// Analyses texts, on all threads of the current pool. The result for a text does not depend on the others.
    #[must_use]
    pub fn analyze_all(&self, texts: &[&str]) -> Vec<Analysis> {
        self.tokenize(texts).analyze()
    }

    /// The first half of an analysis: sentences, tokens and their numbers.
    #[must_use]
    pub fn tokenize<'a>(&'a self, texts: &'a [&'a str]) -> Tokenized<'a> {
        Tokenized::new(self, texts)
    }

    /// Reads pieces, for each the rounds that are asked for.
    pub(super) fn read(&self, pieces: &[Piece], rounds: Rounds) -> Vec<Vec<Reading>> {
        let words: Vec<&Features> = pieces.iter().map(|piece| &piece.features).collect();
        self.read_features(&words, rounds)
    }

    /// The same for what the encoder reads of the pieces.
    pub(super) fn read_features(&self, words: &[&Features], rounds: Rounds) -> Vec<Vec<Reading>> {
        let (network, params) = (&self.network, &self.part.params);
        predict::read(&self.engine, network, params, words, rounds)
    }

    /// Adds what is found in pieces to the analyses of their texts.
    pub(super) fn add_all(&self, analyses: &mut [Analysis], texts: &[&str], pieces: &[Piece]) {
        let mut rest = pieces;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(held_together(rest));
            rest = later;
            for (piece, rounds) in now.iter().zip(&self.read(now, Rounds::Last)) {
                if let Some(reading) = rounds.last() {
                    self.add(&mut analyses[piece.text], texts[piece.text], piece, reading);
                }
            }
        }
    }

    /// The sentiment of every text as a whole.
    pub(super) fn sentiments(&self, texts: usize, pieces: &[Piece]) -> Vec<Option<TextSentiment>> {
        let mut of_texts: Vec<Vec<&Piece>> = vec![Vec::new(); texts];
        for piece in pieces {
            of_texts[piece.text].push(piece);
        }
        let scores = self.sentiment_scores(&of_texts).into_iter();
        scores.map(|row| Some(self.text_sentiment(&row?))).collect()
    }

    /// The sentiment that these probabilities of a text say.
    pub(super) fn text_sentiment(&self, scores: &[f32]) -> TextSentiment {
        let (polarity, confidence) = predict::polarity(scores);
        TextSentiment {
            polarity,
            confidence: self.part.calibration.texts.apply(confidence),
        }
    }

    /// ŷ^ds of texts, each given by its pieces.
    pub(super) fn sentiment_scores(&self, texts: &[Vec<&Piece>]) -> Vec<Option<Vec<f32>>> {
        let limits = self.network.limits();
        let document = |pieces: &Vec<&Piece>| {
            let mut document = self.part.featurizer.words([]);
            for piece in pieces {
                let left = DOCUMENT - document.len().min(DOCUMENT);
                if left == 0 {
                    break;
                }
                document.extend(&piece.features, left);
            }
            document.beginning(limits)
        };
        let documents: Vec<Features> = texts.iter().map(document).collect();
        let documents: Vec<&Features> = documents.iter().collect();
        let (network, params) = (&self.network, &self.part.params);
        predict::sentiments(&self.engine, network, params, &documents)
    }

    /// Adds what is found in a piece.
    pub(super) fn add(
        &self,
        analysis: &mut Analysis,
        text: &str,
        piece: &Piece,
        reading: &Reading,
    ) {
        let terms = Terms::of(reading, self.network.tag_set().tags());
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
                confidence: self.part.calibration.opinions.apply(opinion.confidence),
            });
        }
        let spans = |terms: &[Term]| terms.iter().map(|term| term.span).collect::<Vec<_>>();
        let (aspects, opinions) = (spans(&terms.aspects), spans(&terms.opinions));
        let shares = pairing::attention_shares(
            &reading.attention,
            piece.features.len(),
            &aspects,
            &opinions,
        );
        let words = piece
            .tokens
            .iter()
            .map(|token| &text[token.start..token.end]);
        let words: Vec<&str> = words.collect();
        let links = pairing::links(PairingRule::default(), &shares, &words, &aspects, &opinions);
        for (i, aspect) in terms.aspects.iter().enumerate() {
            let (term, start, end) = place(aspect.span);
            let (sentiment, confidence) = predict::sentiment(reading, aspect.span);
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
                span_confidence: self.part.calibration.aspects.apply(aspect.confidence),
                sentiment_confidence: self.part.calibration.sentiments.apply(confidence),
                opinions,
            });
        }
    }
}

/// How many of these pieces, at least one, may be held together.
fn held_together(pieces: &[Piece]) -> usize {
    let mut held = 0;
    let fits = pieces.iter().take_while(|piece| {
        held += piece.features.len() * piece.features.len();
        held <= HELD
    });
    fits.count().max(1)
}
