//! Texts in, analyses out.

use imn_nn::Engine;

use super::pairing::{self, PairingRule};
use super::tokenized::{Piece, Tokenized};
use super::{Analysis, FoundAspect, FoundOpinion, LinkedOpinion, TextSentiment};
use crate::bundle::{Model, ModelError, ModelPart};
use crate::features::Features;
use crate::model::{Imn, Network as _};
use crate::predict::{self, Rounds, SentenceOutput, Term, Terms, TextEvidence};
use crate::text::Span;

/// Words of a text that its sentiment is told from: documents are cut in training too.
const DOCUMENT: usize = 200;

/// Numbers of attention that are held at a time: a sentence has the square of its words, and hostile texts have many long ones.
const HELD: usize = 1 << 23;

/// An analysis to which pieces of its text are still added.
#[derive(Debug, Clone, Default)]
pub(super) struct Unfinished {
    pub(super) analysis: Analysis,
    /// What the pieces so far say of the sentiment of the text.
    pub(super) evidence: Option<TextEvidence>,
}

/// A model that analyses texts.
#[derive(Debug)]
pub struct Analyzer {
    part: ModelPart,
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
    pub fn part(&self) -> &ModelPart {
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
    pub(super) fn read(&self, pieces: &[Piece], rounds: Rounds) -> Vec<Vec<SentenceOutput>> {
        let words: Vec<&Features> = pieces.iter().map(|piece| &piece.features).collect();
        predict::read(
            &self.engine,
            &self.network,
            &self.part.params,
            &words,
            rounds,
        )
    }

    /// Adds what is found in pieces to the analyses of their texts.
    pub(super) fn add_all(&self, analyses: &mut [Unfinished], texts: &[&str], pieces: &[Piece]) {
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

    /// The sentiment of every text as a whole; `None` for all if it comes from their sentences.
    pub(super) fn sentiments(&self, texts: usize, pieces: &[Piece]) -> Vec<Option<TextSentiment>> {
        if self.network.reads_texts_by_sentence() {
            return vec![None; texts];
        }
        let empty = self.part.featurizer.words([]);
        let mut documents: Vec<Features> = vec![empty; texts];
        for piece in pieces {
            let document = &mut documents[piece.text];
            let left = DOCUMENT - document.len().min(DOCUMENT);
            document.extend(&piece.features, left);
        }
        let limits = self.network.limits();
        let documents = documents.into_iter().map(|text| text.beginning(limits));
        let documents: Vec<Features> = documents.collect();
        let documents: Vec<&Features> = documents.iter().collect();
        let (network, params) = (&self.network, &self.part.params);
        let probabilities = predict::sentiments(&self.engine, network, params, &documents);
        let probabilities = probabilities.into_iter();
        let sentiments = probabilities.map(|row| Some(self.text_sentiment(&row?)));
        sentiments.collect()
    }

    fn text_sentiment(&self, probabilities: &[f32]) -> TextSentiment {
        let (polarity, confidence) = predict::polarity(probabilities);
        TextSentiment {
            polarity,
            confidence: self.part.calibration.texts.apply(confidence),
        }
    }

    /// The analysis of a text all of whose pieces were added.
    pub(super) fn finish(&self, unfinished: Unfinished) -> Analysis {
        let Unfinished { analysis, evidence } = unfinished;
        match evidence {
            None => analysis,
            Some(evidence) => Analysis {
                sentiment: Some(self.text_sentiment(&evidence.probabilities())),
                ..analysis
            },
        }
    }

    /// Adds what is found in a piece.
    pub(super) fn add(
        &self,
        unfinished: &mut Unfinished,
        text: &str,
        piece: &Piece,
        reading: &SentenceOutput,
    ) {
        let Unfinished { analysis, evidence } = unfinished;
        *evidence = match (*evidence, reading.evidence) {
            (Some(before), Some(now)) => Some(before.and(now)),
            (before, now) => now.or(before),
        };
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
