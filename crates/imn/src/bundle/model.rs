//! A model: one network, or an extractor and a classifier in a row.

use super::{ImnPart, ModelError, Part};
use crate::data::AnnotatedSentence;
use crate::model::{Role, TagSet};

/// A trained model that annotates sentences, whatever is inside.
#[derive(Debug)]
pub struct Model {
    parts: Parts,
}

#[derive(Debug)]
enum Parts {
    Alone(Box<Part>),
    Pipeline {
        extractor: Box<Part>,
        classifier: Box<Part>,
    },
}

impl Model {
    /// A model of one network.
    #[must_use]
    pub fn alone(part: Part) -> Self {
        Self {
            parts: Parts::Alone(Box::new(part)),
        }
    }

    /// A model of an extractor and a classifier that is given what the extractor finds.
    ///
    /// # Errors
    /// If they are not one network each, one of each role, or the classifier learnt from opinions that the extractor does not
    /// look for.
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

    fn pipeline_of(extractor: Part, classifier: Part) -> Result<Self, ModelError> {
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

    pub(super) fn from_parts(mut parts: Vec<Part>) -> Result<Self, ModelError> {
        let second = (parts.len() == 2).then(|| parts.pop()).flatten();
        match (parts.pop(), second) {
            (Some(part), None) if parts.is_empty() => Ok(Self::alone(part)),
            (Some(extractor), Some(classifier)) => Self::pipeline_of(extractor, classifier),
            _ => {
                let text = "a model has one part or two";
                Err(ModelError::Inconsistent(text.to_owned()))
            }
        }
    }

    /// Its networks, in the order in which they work.
    #[must_use]
    pub fn parts(&self) -> Vec<&Part> {
        match &self.parts {
            Parts::Alone(part) => vec![part],
            Parts::Pipeline {
                extractor,
                classifier,
            } => vec![extractor, classifier],
        }
    }

    /// The only part of a model of one network.
    #[must_use]
    pub fn only_part(&self) -> Option<&Part> {
        match &self.parts {
            Parts::Alone(part) => Some(part),
            Parts::Pipeline { .. } => None,
        }
    }

    /// The same, taking the model apart.
    #[must_use]
    pub fn into_only_part(self) -> Option<Part> {
        match self.parts {
            Parts::Alone(part) => Some(*part),
            Parts::Pipeline { .. } => None,
        }
    }

    /// What it is, in a few words.
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

    /// IMN with its probabilities, attention and calibration.
    ///
    /// # Errors
    /// If the model is something else.
    pub fn imn(&self) -> Result<ImnPart<'_>, ModelError> {
        let imn = self.only_part().and_then(Part::imn);
        imn.ok_or_else(|| ModelError::NotImn {
            found: self.describe(),
        })
    }

    /// The annotation schemes that it learnt, the default first; none where it learnt from sentences
    /// of one kind.
    #[must_use]
    pub fn schemes(&self) -> &[String] {
        let imn = self.only_part().and_then(|part| part.network.as_imn());
        imn.map_or(&[], |imn| &imn.config().schemes)
    }

    /// The same model, answering in an annotation scheme that it learnt.
    ///
    /// # Errors
    /// If it learnt no such scheme.
    pub fn in_scheme(mut self, name: &str) -> Result<Self, ModelError> {
        if let Parts::Alone(part) = &mut self.parts
            && let Some(imn) = part.network.as_imn()
            && let Some(network) = imn.clone().in_scheme(name)
        {
            part.network = Box::new(network);
            return Ok(self);
        }
        Err(ModelError::Scheme {
            asked: name.to_owned(),
            known: match self.schemes() {
                [] => "it learnt from sentences of one kind only".to_owned(),
                known => format!("it knows {}", known.join(", ")),
            },
        })
    }

    /// The sentences with the annotation that the model gives them; it sees their words only.
    ///
    /// # Errors
    /// If it is a classifier alone.
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
                let told = classifier.network.tag_set();
                let examples = sentences.iter().zip(&found).map(|(sentence, found)| {
                    let mut example = classifier.example(sentence);
                    example.aspects = found.aspects.iter().map(|aspect| aspect.span).collect();
                    if told == TagSet::AspectsAndOpinions {
                        example.opinion.clone_from(&found.opinion);
                    }
                    example
                });
                let judged = classifier.predict_examples(&examples.collect::<Vec<_>>());
                for (found, judged) in found.iter_mut().zip(judged) {
                    found.aspects = judged.aspects;
                }
                (found, extractor.network.tag_set())
            }
        };
        let annotated = sentences.iter().zip(predictions);
        Ok(annotated
            .map(|(sentence, prediction)| prediction.annotate(sentence, tags))
            .collect())
    }
}
