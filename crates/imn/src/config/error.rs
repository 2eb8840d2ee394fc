//! Errors of configurations.

use crate::model::ModelConfigError;

/// Why a configuration is not valid.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Not TOML, or a key or type that the configuration does not have.
    #[error(transparent)]
    Form(#[from] toml::de::Error),
    /// A setting that TOML cannot express.
    #[error("cannot be written as TOML: {0}")]
    Write(#[from] toml::ser::Error),
    /// An override is not `key=value`.
    #[error("`{0}` is not of the form key=value, e.g. train.epochs=40")]
    Override(String),
    /// The key of an override treats a value as a section.
    #[error("`{key}` cannot be set: `{part}` is a value, not a section")]
    NotASection {
        /// Key of the override.
        key: String,
        /// The part of the key that names a value.
        part: String,
    },
    /// Invalid settings of the network.
    #[error(transparent)]
    Model(#[from] ModelConfigError),
    /// A value that its setting does not allow.
    #[error("{field} = {value}: {range}")]
    Range {
        /// Key of the setting.
        field: &'static str,
        /// The value.
        value: String,
        /// Which values are allowed.
        range: String,
    },
    /// A teacher without sentences to label, or sentences without a teacher.
    #[error("[train.teacher] and [data.unlabelled] must be set together")]
    Distillation,
    /// Document-level tasks without documents.
    #[error(
        "model.documents needs [data.documents] with `sentiment`{and_domains}; or set \
         model.documents = \"none\" and model.messages = \"aspect\""
    )]
    NoDocuments {
        /// `` and two or more `domains` `` with DD; otherwise empty.
        and_domains: &'static str,
    },
}

impl ConfigError {
    /// A [`ConfigError::Range`].
    #[must_use]
    pub fn range(field: &'static str, value: &dyn ToString, range: &str) -> Self {
        Self::Range {
            field,
            value: value.to_string(),
            range: range.to_owned(),
        }
    }
}
