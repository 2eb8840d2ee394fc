//! What can be wrong with a configuration.

use crate::model::ModelConfigError;

/// What is wrong with a configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Not TOML, or not of this form.
    #[error(transparent)]
    Form(#[from] toml::de::Error),
    /// An override is not `key=value`.
    #[error("`{0}` is not of the form key=value, e.g. train.epochs=40")]
    Override(String),
    /// An override goes through something that has no parts.
    #[error("`{key}` cannot be set: `{part}` is a value, not a section")]
    NotASection {
        /// The whole key.
        key: String,
        /// The part of it.
        part: String,
    },
    /// The network makes no sense.
    #[error(transparent)]
    Model(#[from] ModelConfigError),
    /// A number is out of its range.
    #[error("{field} = {value}: {range}")]
    Range {
        /// The setting.
        field: &'static str,
        /// Its value.
        value: String,
        /// What it must be.
        range: String,
    },
    /// Tasks without documents.
    #[error(
        "model.documents needs [data.documents] with `sentiment`{and_domains}; or set model.documents = \"none\" and model.messages = \"aspect\""
    )]
    NoDocuments {
        /// ` and two or more `domains``, where DD is on.
        and_domains: &'static str,
    },
}

impl ConfigError {
    /// A value that is out of its range.
    #[must_use]
    pub fn range(field: &'static str, value: &dyn ToString, range: &str) -> Self {
        Self::Range {
            field,
            value: value.to_string(),
            range: range.to_owned(),
        }
    }
}
