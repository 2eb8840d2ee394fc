//! The analyzer: from texts to analyses.

use std::sync::Arc;

use imn_nn::Engine;

use super::budget::Budget;
use super::pairing::{self, PairingRule};
use super::tokenized::{Piece, Tokenized};
use super::{Analysis, FoundAspect, FoundOpinion, LinkedOpinion, TextSentiment};
use crate::bundle::{Model, ModelError, ModelPart};
use crate::eval::Calibration;
use crate::features::Features;
use crate::model::{Imn, Network as _};
use crate::predict::{self, Rounds, SentenceOutput, Term, Terms, TextEvidence};
use crate::text::Span;

/// Words that determine the sentiment of a text: all of a short one, and sentences from everywhere
/// in a long one. Documents are truncated in training too.
const DOCUMENT_WORDS: usize = 200;

/// Maximum number of words or subwords in a batch. It takes a few seconds at most, and the caller
/// can stop the analysis between two batches.
const MAX_IDS: usize = 1 << 14;

/// An analysis to which pieces of its text are still added.
#[derive(Debug, Clone, Default)]
pub(super) struct Unfinished {
    pub(super) analysis: Analysis,
    /// The sentiment evidence of the pieces added so far.
    pub(super) evidence: Option<TextEvidence>,
}

/// A model that analyzes texts.
///
/// ```
/// use imn::analyze::Analyzer;
/// use imn::data::Sentiment;
///
/// let analyzer = Analyzer::built_in()?;
/// let analyses = analyzer.analyze_all(&["Great ramen!", "The waiter was rude."]);
/// assert_eq!(analyses[0].aspects[0].term, "ramen");
/// assert_eq!(analyses[1].aspects[0].sentiment, Sentiment::Negative);
/// # Ok::<(), imn::bundle::ModelError>(())
/// ```
#[derive(Debug)]
pub struct Analyzer {
    part: Arc<ModelPart>,
    /// The network of `part`, in the annotation scheme of this analyzer.
    network: Imn,
    /// Its calibration curves.
    calibration: Calibration,
    engine: Arc<Engine<f32>>,
}

impl Analyzer {
    /// An analyzer with this model.
    ///
    /// # Errors
    /// If the model is not IMN. Other networks give no confidences, attention or text sentiment.
    pub fn new(model: Model) -> Result<Self, ModelError> {
        let imn = model.imn()?;
        let (network, calibration) = (imn.network.clone(), imn.calibration);
        let found = model.describe();
        let part = model.into_only_part();
        Ok(Self {
            part: Arc::new(part.ok_or(ModelError::NotImn { found })?),
            network,
            calibration,
            engine: Arc::default(),
        })
    }

    /// An analyzer in another annotation scheme of the same model. The two share their weights.
    ///
    /// ```
    /// use imn::analyze::Analyzer;
    ///
    /// let analyzer = Analyzer::built_in()?;
    /// for scheme in &analyzer.network().config().schemes {
    ///     let analysis = analyzer.in_scheme(scheme)?.analyze("Great ramen!");
    ///     assert_eq!(analysis.aspects[0].term, "ramen");
    /// }
    /// assert!(analyzer.in_scheme("topics").is_err());
    /// # Ok::<(), imn::bundle::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If the model was not trained on this scheme.
    pub fn in_scheme(&self, name: &str) -> Result<Self, ModelError> {
        let schemes = &self.network.config().schemes;
        let network = self.network.clone().in_scheme(name);
        Ok(Self {
            network: network.ok_or_else(|| ModelError::unknown_scheme(name, schemes))?,
            calibration: self.part.calibration.of(Some(name)),
            part: Arc::clone(&self.part),
            engine: Arc::clone(&self.engine),
        })
    }

    /// An analyzer with the default built-in model.
    ///
    /// # Errors
    /// If the program was built with a model file that it cannot read.
    pub fn built_in() -> Result<Self, ModelError> {
        Self::new(Model::built_in()?)
    }

    /// The model's only part.
    #[must_use]
    pub fn part(&self) -> &ModelPart {
        &self.part
    }

    /// The network of the model.
    #[must_use]
    pub fn network(&self) -> &Imn {
        &self.network
    }

    /// Analyzes one text. Offsets are in bytes.
    ///
    /// ```
    /// use imn::analyze::Analyzer;
    ///
    /// let text = "The screen is bright but the battery dies quickly.";
    /// let analysis = Analyzer::built_in()?.analyze(text);
    /// let aspect = &analysis.aspects[0];
    /// assert_eq!(&text[aspect.start..aspect.end], "screen");
    /// # Ok::<(), imn::bundle::ModelError>(())
    /// ```
    #[must_use]
    pub fn analyze(&self, text: &str) -> Analysis {
        self.analyze_all(&[text]).pop().unwrap_or_default()
    }

    /// Analyzes texts on all threads of the current rayon pool. The analysis of a text does not
    /// depend on the other texts.
    #[must_use]
    pub fn analyze_all(&self, texts: &[&str]) -> Vec<Analysis> {
        // Nothing stops it, so there is a result.
        self.tokenize(texts).analyze(&|| true).unwrap_or_default()
    }

    /// Splits texts into sentences and tokens, which can then be analyzed or explained.
    #[must_use]
    pub fn tokenize<'a>(&'a self, texts: &'a [&'a str]) -> Tokenized<'a> {
        Tokenized::new(self, texts)
    }

    /// Runs the network on pieces, and gives the output of each in each of `rounds`.
    pub(super) fn infer(&self, pieces: &[Piece], rounds: Rounds) -> Vec<Vec<SentenceOutput>> {
        let words: Vec<&Features> = pieces.iter().map(|piece| &piece.features).collect();
        self.infer_features(&words, rounds)
    }

    /// Runs the network on the features of pieces.
    pub(super) fn infer_features(
        &self,
        words: &[&Features],
        rounds: Rounds,
    ) -> Vec<Vec<SentenceOutput>> {
        let (network, params) = (&self.network, &self.part.params);
        predict::infer(&self.engine, network, params, words, rounds)
    }

    /// Adds the terms of pieces to the analyses of their texts. Returns `false` if `proceed`, which
    /// is asked between batches, has stopped it.
    pub(super) fn add_all(
        &self,
        analyses: &mut [Unfinished],
        texts: &[&str],
        pieces: &[Piece],
        proceed: &dyn Fn() -> bool,
    ) -> bool {
        let mut rest = pieces;
        while !rest.is_empty() {
            if !proceed() {
                return false;
            }
            let mut budget = Budget::new(MAX_IDS);
            let count = rest.iter().take_while(|piece| budget.take(piece)).count();
            let (batch, later) = rest.split_at(count);
            rest = later;
            for (piece, rounds) in batch.iter().zip(&self.infer(batch, Rounds::Last)) {
                if let Some(output) = rounds.last() {
                    self.add(&mut analyses[piece.text], texts[piece.text], piece, output);
                }
            }
        }
        true
    }

    /// The sentiment of every text; `None` for all if it comes from their sentences.
    pub(super) fn sentiments(&self, texts: usize, pieces: &[Piece]) -> Vec<Option<TextSentiment>> {
        let mut of_texts: Vec<Vec<&Piece>> = vec![Vec::new(); texts];
        for piece in pieces {
            of_texts[piece.text].push(piece);
        }
        let scores = self.sentiment_scores(&of_texts).into_iter();
        scores.map(|row| Some(self.text_sentiment(&row?))).collect()
    }

    /// The most probable sentiment of a text, with its calibrated confidence.
    pub(super) fn text_sentiment(&self, scores: &[f32]) -> TextSentiment {
        let (polarity, confidence) = predict::polarity(scores);
        TextSentiment {
            polarity,
            confidence: self.calibration.texts.apply(confidence),
        }
    }

    /// ŷ^ds of texts, each given by its pieces; `None` if it comes from their sentences.
    pub(super) fn sentiment_scores(&self, texts: &[Vec<&Piece>]) -> Vec<Option<Vec<f32>>> {
        let limits = self.network.limits();
        if self.network.reads_texts_by_sentence() {
            return vec![None; texts.len()];
        }
        let document = |pieces: &Vec<&Piece>| {
            let mut document = self.part.featurizer.words([]);
            let words: usize = pieces.iter().map(|piece| piece.features.len()).sum();
            let mut before = 0;
            for piece in pieces {
                // A text within the limit is taken whole. Otherwise, its share at every place is
                // about that of the text before this place.
                if document.len() * words <= before * DOCUMENT_WORDS {
                    document.extend(&piece.features, DOCUMENT_WORDS - document.len());
                }
                before += piece.features.len();
            }
            document.beginning(limits)
        };
        let documents: Vec<Features> = texts.iter().map(document).collect();
        let inputs: Vec<&Features> = documents.iter().collect();
        let (network, params) = (&self.network, &self.part.params);
        predict::sentiments(&self.engine, network, params, &inputs)
    }

    /// The complete analysis of a text, after all its pieces were added.
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

    /// Adds the terms of a piece to the analysis of its text.
    pub(super) fn add(
        &self,
        unfinished: &mut Unfinished,
        text: &str,
        piece: &Piece,
        output: &SentenceOutput,
    ) {
        let Unfinished { analysis, evidence } = unfinished;
        *evidence = match (*evidence, output.evidence) {
            (Some(before), Some(now)) => Some(before.and(now)),
            (before, now) => now.or(before),
        };
        let words: Vec<&str> = piece
            .tokens
            .iter()
            .map(|token| &text[token.start..token.end])
            .collect();
        let terms = Terms::of(output, self.network.tag_set().tags()).unquoted(&words);
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
                confidence: self.calibration.opinions.apply(opinion.confidence),
            });
        }
        let spans = |terms: &[Term]| terms.iter().map(|term| term.span).collect::<Vec<_>>();
        let (aspects, opinions) = (spans(&terms.aspects), spans(&terms.opinions));
        let shares =
            pairing::attention_shares(&output.attention, piece.features.len(), &aspects, &opinions);
        let links = pairing::links(PairingRule::default(), &shares, &words, &aspects, &opinions);
        for (i, aspect) in terms.aspects.iter().enumerate() {
            let (term, start, end) = place(aspect.span);
            let (sentiment, confidence) = predict::sentiment(output, aspect.span);
            let mut opinions: Vec<LinkedOpinion> = links
                .iter()
                .filter(|link| link.aspect == i)
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
                span_confidence: self.calibration.aspects.apply(aspect.confidence),
                sentiment_confidence: self.calibration.sentiments.apply(confidence),
                opinions,
            });
        }
    }
}
