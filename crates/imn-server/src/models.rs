//! The models of a server, each with all its annotation schemes.

use imn::analyze::Analyzer;
use imn::bundle::{Model, ModelError};
use imn_batch::ModelIdentity;

use crate::error::ApiError;

/// Why models cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ModelsError {
    /// A model cannot be used.
    #[error("{name}: {error}")]
    Model {
        /// The name of the model.
        name: String,
        /// Why.
        #[source]
        error: ModelError,
    },
    /// Two models have one name.
    #[error("two models are called `{name}`; give one of them another name")]
    SameName {
        /// The name.
        name: String,
    },
    /// There is no model.
    #[error("no model to serve")]
    None,
}

/// A model and its name.
#[derive(Debug)]
pub struct ServedModel {
    /// The name that requests use.
    pub name: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// Its annotation schemes, the default first; empty if it was trained without schemes.
    pub schemes: Vec<String>,
    /// One analyzer per scheme, all with the same weights; one if there are no schemes.
    analyzers: Vec<Analyzer>,
}

impl ServedModel {
    /// Prepares a model. Its schemes share one set of weights.
    ///
    /// # Errors
    /// If the model is not IMN.
    pub fn new(name: String, model: Model, sha256: String) -> Result<Self, ModelsError> {
        let in_model = |error| ModelsError::Model {
            name: name.clone(),
            error,
        };
        let schemes = model.schemes().to_vec();
        let first = Analyzer::new(model).map_err(in_model)?;
        let others: Result<Vec<Analyzer>, _> = schemes
            .iter()
            .skip(1)
            .map(|scheme| first.in_scheme(scheme).map_err(in_model))
            .collect();
        let mut analyzers = vec![first];
        analyzers.extend(others?);
        Ok(Self {
            name,
            sha256,
            schemes,
            analyzers,
        })
    }

    /// The analyzer of its default scheme.
    #[must_use]
    pub fn analyzer(&self) -> &Analyzer {
        &self.analyzers[0]
    }
}

/// All models of a server.
#[derive(Debug)]
pub struct Models {
    models: Vec<ServedModel>,
}

/// One analyzer among those of all models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Choice {
    model: usize,
    scheme: usize,
}

impl Models {
    /// These models, the default first.
    ///
    /// # Errors
    /// If there is none, or two have the same name.
    pub fn new(models: Vec<ServedModel>) -> Result<Self, ModelsError> {
        if models.is_empty() {
            return Err(ModelsError::None);
        }
        for (at, model) in models.iter().enumerate() {
            if models[..at].iter().any(|other| other.name == model.name) {
                let name = model.name.clone();
                return Err(ModelsError::SameName { name });
            }
        }
        Ok(Self { models })
    }

    /// The models, the default first.
    #[must_use]
    pub fn all(&self) -> &[ServedModel] {
        &self.models
    }

    /// The analyzer of a model and a scheme; `None` selects the default.
    ///
    /// # Errors
    /// If there is no model or scheme of this name.
    pub fn choose(&self, model: Option<&str>, scheme: Option<&str>) -> Result<Choice, ApiError> {
        let model = match model {
            None => 0,
            Some(name) => {
                let found = self.models.iter().position(|model| model.name == name);
                found.ok_or_else(|| {
                    let names: Vec<&str> = self.models.iter().map(|m| m.name.as_str()).collect();
                    let names = names.join(", ");
                    ApiError::validation(format!("no model `{name}`; there are: {names}"))
                })?
            }
        };
        let schemes = &self.models[model].schemes;
        let scheme = match scheme {
            None => 0,
            Some(name) => {
                let found = schemes.iter().position(|scheme| scheme == name);
                found.ok_or_else(|| {
                    let names = match schemes.as_slice() {
                        [] => "none".to_owned(),
                        names => names.join(", "),
                    };
                    let model = &self.models[model].name;
                    ApiError::validation(format!(
                        "model `{model}` has no scheme `{name}`; there are: {names}"
                    ))
                })?
            }
        };
        Ok(Choice { model, scheme })
    }

    /// The analyzer of a choice.
    #[must_use]
    pub fn analyzer(&self, choice: Choice) -> &Analyzer {
        &self.models[choice.model].analyzers[choice.scheme]
    }

    /// The model of a choice.
    #[must_use]
    pub fn model(&self, choice: Choice) -> &ServedModel {
        &self.models[choice.model]
    }

    /// The identity of the model of a choice, for the journal of a job.
    #[must_use]
    pub fn identity(&self, choice: Choice) -> ModelIdentity {
        let (model, scheme) = (self.model(choice), self.scheme(choice));
        ModelIdentity::new(self.analyzer(choice), &model.name, &model.sha256, scheme)
    }

    /// The name of the scheme of a choice, if its model has schemes.
    #[must_use]
    pub fn scheme(&self, choice: Choice) -> Option<&str> {
        let schemes = &self.models[choice.model].schemes;
        schemes.get(choice.scheme).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use imn::bundle::Precision;

    use super::*;

    #[test]
    fn schemes_share_one_set_of_weights() {
        let model = Model::built_in().unwrap();
        let served = ServedModel::new("a".to_owned(), model, String::new()).unwrap();
        assert_eq!(served.analyzers.len(), served.schemes.len().max(1));
        for analyzer in &served.analyzers {
            assert!(std::ptr::eq(analyzer.part(), served.analyzer().part()));
        }
        for (number, analyzer) in served.analyzers.iter().enumerate() {
            assert_eq!(analyzer.network().scheme() as usize, number);
        }
    }

    /// Otherwise a job of a stopped server would be resumed in another precision.
    #[test]
    fn the_identity_of_a_model_includes_its_precision() {
        for precision in Precision::ALL.into_iter().filter(|p| p.is_available()) {
            let model = Model::built_in().unwrap().in_precision(precision).unwrap();
            let served = ServedModel::new("a".to_owned(), model, "aa".to_owned()).unwrap();
            let scheme = served.schemes.last().cloned();
            let models = Models::new(vec![served]).unwrap();
            let choice = models.choose(None, scheme.as_deref()).unwrap();
            let expected = ModelIdentity {
                name: Some("a".to_owned()),
                sha256: "aa".to_owned(),
                scheme,
                precision,
            };
            assert_eq!(models.identity(choice), expected);
        }
    }
}
