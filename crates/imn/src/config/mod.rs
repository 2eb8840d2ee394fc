//! The configuration of a training run: a TOML file, and a copy in every model file.
//!
//! ```
//! use imn::config::Config;
//!
//! let text = r#"
//!     name = "imn-no-docs"
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
mod distillation;
mod error;
mod overrides;
mod pretraining;
pub mod stored;
mod train;
mod vectors;

pub use data::{DataConfig, DocumentPunctuation, DocumentsConfig, Paths};
pub use distillation::{TeacherConfig, UnlabelledConfig};
pub use error::ConfigError;
pub use overrides::Override;
pub use train::{LossMean, Sampling, TrainConfig};
pub use vectors::{Learning, VectorsConfig};

use serde::{Deserialize, Serialize};

use crate::model::{DocumentTasks, ModelConfig};

/// Everything that a training run depends on besides the contents of the data files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Name of the system in results.
    pub name: String,
    /// Seed of every random draw: initialization, dropout, shuffling, sampling.
    #[serde(default)]
    pub seed: u64,
    /// The model that training starts from: a built-in name or a file. Its network, vocabulary and
    /// weights are used, so neither word vectors nor documents are needed: without documents, DS
    /// and DD stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<String>,
    /// Training, development and test data.
    pub data: DataConfig,
    /// Word vectors and vocabulary.
    #[serde(default)]
    pub vectors: VectorsConfig,
    /// Architecture of the network.
    #[serde(default)]
    pub model: ModelConfig,
    /// Optimization.
    #[serde(default)]
    pub train: TrainConfig,
}

impl Config {
    /// Parses a configuration and applies overrides to it.
    ///
    /// ```
    /// use imn::config::Config;
    ///
    /// let text = "name = \"small\"\n[data]\ntrain = \"train.jsonl\"\n\
    ///     [model]\nmessages = \"aspect\"\ndocuments = \"none\"\n";
    /// assert_eq!(Config::from_toml(text, &[])?.train.batch, 32);
    /// let error = Config::from_toml(text, &["train.batch=0".parse()?]).unwrap_err();
    /// assert_eq!(error.to_string(), "train.batch = 0: must be at least 1");
    /// # Ok::<(), imn::config::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// If the text is not TOML, a key is unknown or missing, a value has the wrong type or is out
    /// of range, or settings contradict each other.
    pub fn from_toml(text: &str, overrides: &[Override]) -> Result<Self, ConfigError> {
        let config: Self = Override::read(text, overrides)?;
        config.validate()?;
        Ok(config)
    }

    /// Checks ranges of values, and that the settings do not contradict each other.
    ///
    /// # Errors
    /// The first problem found.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.model.validate()?;
        if let Some(problem) = self.model.kernel_init.problem() {
            let init = format!("{:?}", self.model.kernel_init);
            return Err(ConfigError::range("model.kernel_init", &init, problem));
        }
        self.data.validate(&self.model.schemes)?;
        self.vectors.validate()?;
        self.train.validate()?;
        if self.train.teacher.is_some() != self.data.unlabelled.is_some() {
            return Err(ConfigError::Distillation);
        }
        let documents = self.data.documents.as_ref();
        if documents.is_none() && self.init.is_some() {
            return Ok(());
        }
        let domains = documents.map(|documents| documents.domains.len());
        let and_domains = match (self.model.documents, domains) {
            (DocumentTasks::Sentiment, None) => "",
            (DocumentTasks::SentimentAndDomain, None | Some(0 | 1)) => " and two or more `domains`",
            _ => return Ok(()),
        };
        Err(ConfigError::NoDocuments { and_domains })
    }

    /// The configuration as TOML, with every default written out.
    ///
    /// ```
    /// use imn::config::Config;
    ///
    /// let text = "name = \"small\"\n[data]\ntrain = \"train.jsonl\"\n\
    ///     [model]\nmessages = \"aspect\"\ndocuments = \"none\"\n";
    /// let config = Config::from_toml(text, &[])?;
    /// assert!(config.to_toml()?.contains("batch = 32"));
    /// assert_eq!(Config::from_toml(&config.to_toml()?, &[])?, config);
    /// # Ok::<(), imn::config::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// If TOML cannot express a setting: a path that is not UTF-8, for example.
    pub fn to_toml(&self) -> Result<String, ConfigError> {
        Ok(toml::to_string(self)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "name = \"x\"\n[data]\ntrain = \"a\"\n\
        [model]\nmessages = \"aspect\"\ndocuments = \"none\"\n";

    fn with(changes: &[&str]) -> Result<Config, ConfigError> {
        let changes: Result<Vec<Override>, _> = changes.iter().map(|c| c.parse()).collect();
        Config::from_toml(SMALL, &changes?)
    }

    #[test]
    fn a_configuration_survives_writing_and_parsing() {
        let config = with(&["train.clip_norm=10", "vectors.general=[\"a\", \"b\"]"]).unwrap();
        assert_eq!(config.train.clip_norm, Some(10.0));
        assert_eq!(
            Config::from_toml(&config.to_toml().unwrap(), &[]).unwrap(),
            config
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_configuration_that_toml_cannot_express_is_an_error() {
        use std::os::unix::ffi::OsStrExt as _;

        let mut config = with(&[]).unwrap();
        config.data.test = Some(std::ffi::OsStr::from_bytes(b"\xff.jsonl").into());
        let error = config.to_toml().unwrap_err();
        assert!(matches!(error, ConfigError::Write(_)), "{error}");
    }

    #[test]
    fn words_need_no_quotes_in_overrides() {
        assert_eq!(
            with(&["train.sampling=epoch"]).unwrap().train.sampling,
            Sampling::Epoch
        );
    }

    #[test]
    fn errors_name_the_setting() {
        let error = |changes: &[&str]| with(changes).unwrap_err().to_string();
        assert!(error(&["train.epoch=3"]).contains("`epoch`"));
        assert!(error(&["train"]).contains("key=value"));
        assert!(error(&["name.first=3"]).contains("not a section"));
        assert!(error(&["model.documents=sentiment"]).contains("data.documents"));
        assert!(error(&["train.select_from=81"]).contains("select_from"));
        assert!(error(&["data.dev_share=1.0"]).contains("dev_share"));
        assert!(error(&["model.rounds=x"]).contains("rounds"));
        assert!(error(&["train.clip_norm=-1"]).contains("clip_norm"));
        for schedule in [
            "{inverse_epoch={decay=-1.0}}",
            "{exponential={decay=nan}}",
            "{linear={epochs=5,to=-1.0}}",
            "{warmup_share={share=1.5}}",
        ] {
            let change = format!("train.schedule={schedule}");
            assert!(error(&[&change]).contains("train.schedule"), "{schedule}");
        }
        let documents = "data.documents={sentiment=\"a.tsv\",max_tokens=0}";
        assert!(error(&[documents]).contains("max_tokens"));
        assert!(error(&["model.kernel_init={normal={std=-1}}"]).contains("kernel_init"));
        let line = Config::from_toml("name = \"x\"\n[data]\ntrain = \"a\"\ntets = 3\n", &[]);
        assert!(line.unwrap_err().to_string().contains("line 4"));
    }
}
