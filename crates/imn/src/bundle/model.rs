//! A model: one network, or an extractor followed by a classifier.

use super::{ImnPart, ModelError, ModelPart, Precision};
use crate::data::AnnotatedSentence;
use crate::model::{Role, TagSet};

/// A trained model that annotates sentences.
///
/// It is one network ([`Model::alone`]), or a [`Model::pipeline`] of an extractor that finds aspect
/// and opinion terms and a classifier that predicts the sentiment towards the found aspects.
#[derive(Debug)]
pub struct Model {
    parts: Parts,
}

#[derive(Debug)]
enum Parts {
    Alone(Box<ModelPart>),
    Pipeline {
        extractor: Box<ModelPart>,
        classifier: Box<ModelPart>,
    },
}

impl Model {
    /// A model of one network.
    #[must_use]
    pub fn alone(part: ModelPart) -> Self {
        Self {
            parts: Parts::Alone(Box::new(part)),
        }
    }

    /// A model of an extractor and a classifier; the classifier is given the terms that the
    /// extractor finds.
    ///
    /// # Errors
    /// If one of them is a pipeline itself, the roles are not extractor and classifier, or the
    /// classifier needs opinion terms that the extractor does not predict.
    pub fn pipeline(extractor: Self, classifier: Self) -> Result<Self, ModelError> {
        let names = [&extractor, &classifier].map(Self::describe);
        match (extractor.parts, classifier.parts) {
            (Parts::Alone(extractor), Parts::Alone(classifier)) => {
                Self::pipeline_of(*extractor, *classifier)
            }
            _ => {
                let [first, second] = names;
                Err(ModelError::NoPipeline(first, second))
            }
        }
    }

    fn pipeline_of(extractor: ModelPart, classifier: ModelPart) -> Result<Self, ModelError> {
        let roles = (extractor.network.role(), classifier.network.role());
        let finds_opinions = extractor.network.tag_set() == TagSet::AspectsAndOpinions;
        let wants_opinions = classifier.network.tag_set() == TagSet::AspectsAndOpinions;
        if roles != (Role::Extractor, Role::Classifier) || (wants_opinions && !finds_opinions) {
            let [first, second] =
                [&extractor, &classifier].map(|part| format!("`{}`", part.name()));
            return Err(ModelError::NoPipeline(first, second));
        }
        Ok(Self {
            parts: Parts::Pipeline {
                extractor: Box::new(extractor),
                classifier: Box::new(classifier),
            },
        })
    }

    pub(super) fn from_parts(mut parts: Vec<ModelPart>) -> Result<Self, ModelError> {
        let second = (parts.len() == 2).then(|| parts.pop()).flatten();
        match (parts.pop(), second) {
            (Some(part), None) if parts.is_empty() => Ok(Self::alone(part)),
            (Some(extractor), Some(classifier)) => Self::pipeline_of(extractor, classifier),
            _ => {
                let text = "a model has one or two parts";
                Err(ModelError::Inconsistent(text.to_owned()))
            }
        }
    }

    /// The networks, in the order in which they run.
    #[must_use]
    pub fn parts(&self) -> Vec<&ModelPart> {
        match &self.parts {
            Parts::Alone(part) => vec![part],
            Parts::Pipeline {
                extractor,
                classifier,
            } => vec![extractor, classifier],
        }
    }

    /// The part of a model of one network; `None` for a pipeline.
    #[must_use]
    pub fn only_part(&self) -> Option<&ModelPart> {
        match &self.parts {
            Parts::Alone(part) => Some(part),
            Parts::Pipeline { .. } => None,
        }
    }

    /// Like [`Model::only_part`], but takes the part out of the model.
    #[must_use]
    pub fn into_only_part(self) -> Option<ModelPart> {
        match self.parts {
            Parts::Alone(part) => Some(*part),
            Parts::Pipeline { .. } => None,
        }
    }

    /// A short description for messages, e.g. ``a pipeline of `decnn` and `alstm` ``.
    #[must_use]
    pub fn describe(&self) -> String {
        match &self.parts {
            Parts::Alone(part) => match part.network.role() {
                Role::Extractor => format!("the extractor `{}`", part.name()),
                Role::Classifier => format!("the classifier `{}`", part.name()),
                Role::Integrated => format!("`{}`", part.name()),
            },
            Parts::Pipeline {
                extractor,
                classifier,
            } => format!(
                "a pipeline of `{}` and `{}`",
                extractor.name(),
                classifier.name()
            ),
        }
    }

    /// IMN, which gives probabilities, attention and calibrated confidences besides annotations.
    ///
    /// # Errors
    /// If the model is a pipeline or another network.
    pub fn imn(&self) -> Result<ImnPart<'_>, ModelError> {
        let imn = self.only_part().and_then(ModelPart::imn);
        imn.ok_or_else(|| ModelError::NotImn {
            found: self.describe(),
        })
    }

    /// The annotation schemes that the model was trained on, the default first. Empty if all
    /// training sentences followed the same scheme.
    #[must_use]
    pub fn schemes(&self) -> &[String] {
        let imn = self.only_part().and_then(|part| part.network.as_imn());
        imn.map_or(&[], |imn| &imn.config().schemes)
    }

    /// Makes the model annotate in one of its [`schemes`](Model::schemes).
    ///
    /// ```
    /// let model = imn::bundle::Model::built_in()?.in_scheme("targets")?;
    /// assert!(model.in_scheme("topics").is_err());
    /// # Ok::<(), imn::bundle::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If the model was not trained on this scheme.
    pub fn in_scheme(mut self, name: &str) -> Result<Self, ModelError> {
        if let Parts::Alone(part) = &mut self.parts
            && let Some(imn) = part.network.as_imn()
            && let Some(network) = imn.clone().in_scheme(name)
        {
            part.network = Box::new(network);
            return Ok(self);
        }
        Err(ModelError::unknown_scheme(name, self.schemes()))
    }

    /// Makes the layers multiply in this precision.
    ///
    /// ```
    /// use imn::bundle::{Model, Precision};
    ///
    /// assert!(Model::built_in()?.in_precision(Precision::F32).is_ok());
    /// # Ok::<(), imn::bundle::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If this machine does not support it.
    pub fn in_precision(mut self, precision: Precision) -> Result<Self, ModelError> {
        if !precision.is_available() {
            return Err(ModelError::Precision);
        }
        match &mut self.parts {
            Parts::Alone(part) => part.params.set_precision(precision),
            Parts::Pipeline {
                extractor,
                classifier,
            } => {
                extractor.params.set_precision(precision);
                classifier.params.set_precision(precision);
            }
        }
        Ok(self)
    }

    /// Replaces the annotation of sentences by the model's predictions. The model sees the words of
    /// the sentences only.
    ///
    /// ```
    /// use imn::bundle::Model;
    /// use imn::data::{AnnotatedSentence, Polarity};
    ///
    /// let sentence = AnnotatedSentence::from_text("The ramen was wonderful.");
    /// let annotated = Model::built_in()?.annotate(&[sentence])?;
    /// assert_eq!(annotated[0].aspects[0].polarity, Some(Polarity::Positive));
    /// # Ok::<(), imn::bundle::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If the model is a classifier without an extractor.
    pub fn annotate(
        &self,
        sentences: &[AnnotatedSentence],
    ) -> Result<Vec<AnnotatedSentence>, ModelError> {
        let (predictions, tags) = match &self.parts {
            Parts::Alone(part) if part.network.role() == Role::Classifier => {
                return Err(ModelError::NoExtractor(part.name().to_owned()));
            }
            Parts::Alone(part) => (part.predict(sentences), part.network.tag_set()),
            Parts::Pipeline {
                extractor,
                classifier,
            } => {
                let mut found = extractor.predict(sentences);
                let classifier_tags = classifier.network.tag_set();
                let examples = sentences.iter().zip(&found).map(|(sentence, found)| {
                    let mut example = classifier.example(sentence);
                    example.aspects = found.aspects.iter().map(|aspect| aspect.span).collect();
                    if classifier_tags == TagSet::AspectsAndOpinions {
                        example.opinion.clone_from(&found.opinion);
                    }
                    example
                });
                let classified = classifier.predict_examples(&examples.collect::<Vec<_>>());
                for (found, classified) in found.iter_mut().zip(classified) {
                    found.aspects = classified.aspects;
                }
                (found, extractor.network.tag_set())
            }
        };
        Ok(sentences
            .iter()
            .zip(predictions)
            .map(|(sentence, prediction)| prediction.annotate(sentence, tags))
            .collect())
    }
}
