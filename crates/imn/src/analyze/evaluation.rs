//! The evaluation of a model on annotated sentences: what `imn evaluate` reports.

use std::path::PathBuf;

use serde::Serialize;

use super::{PairingScore, TripletScores, pairing_scores, triplet_scores};
use crate::bundle::{Model, ModelError};
use crate::data::AnnotatedSentence;
use crate::eval::{Bootstrap, CalibrationErrors, PairingError, ScoredRun, pair};
use crate::model::Network as _;
use crate::predict::{infer_annotated, sentence_outcomes};

/// Sentences that the network reads before it is asked whether to proceed.
const CHUNK: usize = 512;

/// Predictions of a model for annotated sentences, and the scores that need its probabilities.
///
/// ```
/// use imn::analyze::Evaluation;
/// use imn::bundle::Model;
/// use imn::data::AnnotatedSentence;
///
/// let gold = [AnnotatedSentence::from_text("The ramen was wonderful.")];
/// let evaluation = Evaluation::new(&Model::built_in()?, &gold, &mut || true)?;
/// assert_eq!(evaluation.expect("it was not stopped").predicted[0].aspects.len(), 1);
/// # Ok::<(), imn::bundle::ModelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// The sentences with the model's predictions as their annotation.
    pub predicted: Vec<AnnotatedSentence>,
    /// The annotation scheme, if the model has several.
    pub scheme: Option<EvaluatedScheme>,
    /// Expected calibration errors.
    pub calibration: CalibrationErrors,
    /// Scores of the rules that predict links; empty if the data has no links.
    pub pairing: Vec<PairingScore>,
    /// Scores of pairs and triplets, end to end.
    pub triplets: Option<TripletScores>,
}

/// The annotation scheme that a model was evaluated in.
#[derive(Debug, Clone, Serialize)]
pub struct EvaluatedScheme {
    /// Its name.
    pub name: String,
    /// Whether its confidences are calibrated by curves of its own; otherwise by those that were
    /// fitted to all schemes together.
    pub own_calibration: bool,
}

impl EvaluatedScheme {
    fn of(model: &Model) -> Option<Self> {
        let part = model.only_part()?;
        let name = part.network.as_imn()?.scheme_name()?.to_owned();
        let own_calibration = part.calibration.schemes().any(|scheme| scheme == name);
        Some(Self {
            name,
            own_calibration,
        })
    }
}

/// The scores of a model, as `imn evaluate --json` prints them.
#[derive(Debug, Clone, Serialize)]
pub struct EvaluatedRun {
    /// Counts, scores and intervals.
    #[serde(flatten)]
    pub run: ScoredRun,
    /// The annotation scheme, if the model has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<EvaluatedScheme>,
    /// Expected calibration errors.
    pub calibration: CalibrationErrors,
    /// Scores of the rules that predict links.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairing: Vec<PairingScore>,
    /// Scores of pairs and triplets, end to end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triplets: Option<TripletScores>,
}

impl Evaluation {
    /// Runs the model once. Only IMN has confidences and attention; other models return predictions
    /// alone. `proceed` is asked after every few hundred sentences; if it answers `false`, the
    /// result is `None`.
    ///
    /// # Errors
    /// If the model is a classifier without an extractor.
    pub fn new(
        model: &Model,
        gold: &[AnnotatedSentence],
        proceed: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Self>, ModelError> {
        let Ok(imn) = model.imn() else {
            let mut predicted = Vec::with_capacity(gold.len());
            for chunk in gold.chunks(CHUNK) {
                predicted.extend(model.annotate(chunk)?);
                if !proceed() {
                    return Ok(None);
                }
            }
            return Ok(Some(Self {
                predicted,
                scheme: None,
                calibration: CalibrationErrors::default(),
                pairing: Vec::new(),
                triplets: None,
            }));
        };
        let tags = imn.network.tag_set();
        let mut read = Vec::with_capacity(gold.len());
        for chunk in gold.chunks(CHUNK) {
            let inferred = infer_annotated(imn.network, imn.params, imn.featurizer, chunk);
            read.extend(inferred);
            if !proceed() {
                return Ok(None);
            }
        }
        let outcomes = sentence_outcomes(imn.network, &read).calibrated(&imn.calibration);
        Ok(Some(Self {
            predicted: read.iter().map(|read| read.annotated(tags)).collect(),
            scheme: EvaluatedScheme::of(model),
            calibration: outcomes.errors(),
            pairing: pairing_scores(&read),
            triplets: triplet_scores(&read, tags),
        }))
    }

    /// Scores the predictions against the sentences that they were made for. `model` names the
    /// model in the result.
    ///
    /// # Errors
    /// If `gold` has other sentences.
    pub fn score(
        &self,
        model: PathBuf,
        gold: &[AnnotatedSentence],
        bootstrap: &Bootstrap,
    ) -> Result<EvaluatedRun, PairingError> {
        let sentences = pair(gold, &self.predicted)?;
        Ok(EvaluatedRun {
            run: ScoredRun::new(model, sentences, bootstrap),
            scheme: self.scheme.clone(),
            calibration: self.calibration,
            pairing: self.pairing.clone(),
            triplets: self.triplets,
        })
    }
}
