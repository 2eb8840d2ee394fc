//! One typed configuration: complete in the file, saved inside every model bundle.
//!
//! ```
//! use imn::config::Config;
//!
//! let text = r#"
//!     name = "imn-d"
//!     seed = 1
//!     [data]
//!     train = "reviews/train.jsonl"
//!     [model]
//!     messages = "aspect"
//!     documents = "none"
//! "#;
//! let config = Config::from_toml(text, &["train.epochs=3".parse()?])?;
//! assert_eq!(config.train.epochs, 3);
//! assert_eq!(config.model.rounds, 2);
//! # Ok::<(), imn::config::ConfigError>(())
//! ```

mod data;
mod error;
mod overrides;
mod train;
mod vectors;

pub use data::{DataConfig, DocumentsConfig, Paths};
pub use error::ConfigError;
pub use overrides::Override;
pub use train::{LossMean, Sampling, TrainConfig};
pub use vectors::{Learning, VectorsConfig};

use serde::{Deserialize, Serialize};

use crate::model::{DocumentTasks, ModelConfig};

/// Everything that a training run depends on besides the data itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What the system is called in results.
    pub name: String,
    /// All randomness comes from this.
    #[serde(default)]
    pub seed: u64,
    /// What is read.
    pub data: DataConfig,
    /// What words begin as.
    #[serde(default)]
    pub vectors: VectorsConfig,
    /// The network.
    #[serde(default)]
    pub model: ModelConfig,
    /// How it is trained.
    #[serde(default)]
    pub train: TrainConfig,
}

impl Config {
    /// Reads a configuration and applies overrides.
    ///
    /// # Errors
    /// If the text is not of this form, a field is unknown, or the settings make no sense together.
    pub fn from_toml(text: &str, overrides: &[Override]) -> Result<Self, ConfigError> {
        let config: Self = Override::read(text, overrides)?;
        config.validate()?;
        Ok(config)
    }

    /// Whether the settings make sense together.
    ///
    /// # Errors
    /// If they do not: the reason.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.model.validate()?;
        let range = |field, value: &dyn ToString, range: &str| {
            Err(ConfigError::Range {
                field,
                value: value.to_string(),
                range: range.to_owned(),
            })
        };
        let (data, train) = (&self.data, &self.train);
        if data.dev.is_none() && !(data.dev_share > 0.0 && data.dev_share < 1.0) {
            return range("data.dev_share", &data.dev_share, "must be between 0 and 1");
        }
        if let Some(held_out) = data.documents.as_ref().map(|documents| documents.held_out)
            && !(0.0..1.0).contains(&held_out)
        {
            let text = "must be at least 0 and below 1";
            return range("data.documents.held_out", &held_out, text);
        }
        if self.model.schemes.is_empty() != data.schemes.is_empty() {
            let text = "model.schemes and data.schemes must both be there or both be missing";
            return range("data.schemes", &data.schemes.join(", "), text);
        }
        if !data.schemes.is_empty() && data.schemes.len() != data.train.all().len() {
            let text = "one a file of data.train";
            return range("data.schemes", &data.schemes.join(", "), text);
        }
        let fits = data.repeat.is_empty() || data.repeat.len() == self.model.schemes.len();
        if !fits || data.repeat.contains(&0) {
            let text = "a number from 1 for each of model.schemes";
            return range("data.repeat", &format!("{:?}", data.repeat), text);
        }
        if let Some(name) = data
            .schemes
            .iter()
            .find(|name| !self.model.schemes.contains(name))
        {
            return range("data.schemes", name, "is not among model.schemes");
        }
        if train.batch == 0 {
            return range("train.batch", &train.batch, "must be at least 1");
        }
        if train.ratio == 0 {
            return range("train.ratio", &train.ratio, "must be at least 1");
        }
        if train.epochs == 0 {
            return range("train.epochs", &train.epochs, "must be at least 1");
        }
        if !(train.learning_rate > 0.0 && train.learning_rate.is_finite()) {
            return range(
                "train.learning_rate",
                &train.learning_rate,
                "must be above 0",
            );
        }
        if let Some(norm) = train.clip_norm
            && !(norm > 0.0 && norm.is_finite())
        {
            return range(
                "train.clip_norm",
                &norm,
                "must be above 0; leave it out for no clipping",
            );
        }
        if let Some(problem) = self.model.kernel_init.problem() {
            return range(
                "model.kernel_init",
                &format!("{:?}", self.model.kernel_init),
                problem,
            );
        }
        if train
            .average_epochs
            .is_some_and(|epochs| !(epochs > 0.0 && epochs.is_finite()))
        {
            let text = "more than 0";
            return range(
                "train.average_epochs",
                &train.average_epochs.unwrap_or(0.0),
                text,
            );
        }
        if !(self.vectors.rate > 0.0 && self.vectors.rate.is_finite()) {
            let text = "more than 0; `vectors.learn = \"never\"` keeps vectors fixed";
            return range("vectors.rate", &self.vectors.rate, text);
        }
        if train.select_from == 0 || train.select_from > train.epochs {
            let text = "must be from 1 to train.epochs, or no epoch could be chosen";
            return range("train.select_from", &train.select_from, text);
        }
        if self.vectors.general.is_empty()
            && self.vectors.domain.is_empty()
            && self.vectors.dimensions == 0
        {
            return range(
                "vectors.dimensions",
                &0,
                "must be at least 1 where no file is given",
            );
        }
        let domains = data
            .documents
            .as_ref()
            .map(|documents| documents.domains.len());
        match (self.model.documents, domains) {
            (DocumentTasks::Sentiment, None) => Err(ConfigError::NoDocuments { and_domains: "" }),
            (DocumentTasks::SentimentAndDomain, None | Some(0 | 1)) => {
                Err(ConfigError::NoDocuments {
                    and_domains: " and two or more `domains`",
                })
            }
            _ => Ok(()),
        }
    }

    /// The configuration as TOML, complete: every default written out.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "name = \"x\"\n[data]\ntrain = \"a\"\n[model]\nmessages = \"aspect\"\ndocuments = \"none\"\n";

    fn with(changes: &[&str]) -> Result<Config, ConfigError> {
        let changes: Result<Vec<Override>, _> = changes.iter().map(|c| c.parse()).collect();
        Config::from_toml(SMALL, &changes?)
    }

    #[test]
    fn a_written_configuration_reads_the_same() {
        let config = with(&["train.clip_norm=10", "vectors.general=[\"a\", \"b\"]"]).unwrap();
        assert_eq!(config.train.clip_norm, Some(10.0));
        assert_eq!(Config::from_toml(&config.to_toml(), &[]).unwrap(), config);
    }

    #[test]
    fn words_need_no_quotes_in_overrides() {
        assert_eq!(
            with(&["train.sampling=epoch"]).unwrap().train.sampling,
            Sampling::Epoch
        );
    }

    #[test]
    fn mistakes_are_named() {
        let error = |changes: &[&str]| with(changes).unwrap_err().to_string();
        assert!(error(&["train.epoch=3"]).contains("epoch"));
        assert!(error(&["train"]).contains("key=value"));
        assert!(error(&["name.first=3"]).contains("not a section"));
        assert!(error(&["model.documents=sentiment"]).contains("data.documents"));
        assert!(error(&["train.select_from=81"]).contains("select_from"));
        assert!(error(&["data.dev_share=1.0"]).contains("dev_share"));
        assert!(error(&["model.rounds=x"]).contains("rounds"));
        assert!(error(&["train.clip_norm=-1"]).contains("clip_norm"));
        assert!(error(&["model.kernel_init={normal={std=-1}}"]).contains("kernel_init"));
        let line = Config::from_toml("name = \"x\"\n[data]\ntrain = \"a\"\ntets = 3\n", &[]);
        assert!(line.unwrap_err().to_string().contains("line 4"));
    }
}
