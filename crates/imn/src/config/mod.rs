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
pub mod stored;
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
        if let Some(problem) = self.model.kernel_init.problem() {
            let init = format!("{:?}", self.model.kernel_init);
            return Err(ConfigError::range("model.kernel_init", &init, problem));
        }
        self.data.validate(&self.model.schemes)?;
        self.vectors.validate()?;
        self.train.validate()?;
        let documents = self.data.documents.as_ref();
        let domains = documents.map(|documents| documents.domains.len());
        let and_domains = match (self.model.documents, domains) {
            (DocumentTasks::Sentiment, None) => "",
            (DocumentTasks::SentimentAndDomain, None | Some(0 | 1)) => " and two or more `domains`",
            _ => return Ok(()),
        };
        Err(ConfigError::NoDocuments { and_domains })
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
