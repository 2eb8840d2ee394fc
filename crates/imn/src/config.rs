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

use std::path::{Path, PathBuf};
use std::str::FromStr;

use imn_nn::TokenMean;
use imn_nn::optim::Schedule;
use serde::{Deserialize, Serialize};

use crate::model::{DocumentTasks, ModelConfig, ModelConfigError};
use crate::text::Spelling;
use crate::vectors::{Lookup, Unknown};

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

/// What is read. Paths are relative to the data folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataConfig {
    /// What the set is called in results; the last folder or file name where it is not said.
    #[serde(default)]
    pub set: Option<String>,
    /// Annotated sentences to learn from, in any format: a file or folder, or a list of them.
    pub train: Paths,
    /// The annotation scheme of each of `train`, by its name in `model.schemes`; empty where there are none.
    #[serde(default)]
    pub schemes: Vec<String>,
    /// How often a sentence of each of `model.schemes` is seen in an epoch; empty: once. A scheme with few sentences is drowned by the others.
    #[serde(default)]
    pub repeat: Vec<usize>,
    /// Sentences that stand in one of these leave `train` before anything is learnt or split off: what a test set of another name holds
    /// must not be learnt. Compared by letters and digits.
    #[serde(default)]
    pub without: Vec<PathBuf>,
    /// Annotated sentences to choose the best epoch on; where not said, a share of `train`.
    #[serde(default)]
    pub dev: Option<PathBuf>,
    /// The share of `train` that becomes the development split.
    #[serde(default = "default_dev_share")]
    pub dev_share: f64,
    /// Annotated sentences for the final score; nothing else ever sees them.
    #[serde(default)]
    pub test: Option<PathBuf>,
    /// Documents for DS and DD.
    #[serde(default)]
    pub documents: Option<DocumentsConfig>,
}

/// One path or several: a string or a list in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "OneOrMore", into = "OneOrMore")]
pub struct Paths(Vec<PathBuf>);

#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(PathBuf),
    More(Vec<PathBuf>),
}

impl Paths {
    /// The paths, at least one.
    #[must_use]
    pub fn all(&self) -> &[PathBuf] {
        &self.0
    }

    /// The first of them.
    #[must_use]
    pub fn first(&self) -> &Path {
        self.0.first().map_or(Path::new(""), PathBuf::as_path)
    }
}

impl From<PathBuf> for Paths {
    fn from(path: PathBuf) -> Self {
        Self(vec![path])
    }
}

impl TryFrom<OneOrMore> for Paths {
    type Error = &'static str;

    fn try_from(paths: OneOrMore) -> Result<Self, Self::Error> {
        match paths {
            OneOrMore::One(path) => Ok(path.into()),
            OneOrMore::More(paths) if paths.is_empty() => Err("an empty list: name a file"),
            OneOrMore::More(paths) => Ok(Self(paths)),
        }
    }
}

impl From<Paths> for OneOrMore {
    fn from(Paths(mut paths): Paths) -> Self {
        match paths.pop() {
            Some(path) if paths.is_empty() => Self::One(path),
            last => {
                paths.extend(last);
                Self::More(paths)
            }
        }
    }
}

fn default_dev_share() -> f64 {
    0.2
}

/// Document sets. Paths are relative to the data folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentsConfig {
    /// D^ds: documents with sentiments, of the domain of the sentences: a file, or a list of them.
    pub sentiment: Paths,
    /// D^dd: one file a domain.
    #[serde(default)]
    pub domains: Vec<PathBuf>,
    /// The share of D^ds that nothing is learnt from: how sure the model may be of the sentiment of a text is told from it.
    #[serde(default)]
    pub held_out: f64,
    /// Documents are cut to so many tokens.
    #[serde(default = "default_max_tokens")]
    pub max_tokens: usize,
}

fn default_max_tokens() -> usize {
    100
}

/// What words begin as.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VectorsConfig {
    /// General vectors, side by side, relative to the data folder.
    pub general: Vec<PathBuf>,
    /// Domain vectors, side by side: masked for DD.
    pub domain: Vec<PathBuf>,
    /// Dimensions of random vectors, where no file is given.
    pub dimensions: usize,
    /// How words are found in the files.
    pub lookup: Lookup,
    /// What a word without a vector gets.
    pub unknown: Unknown,
    /// Which losses change the vectors.
    pub learn: Learning,
    /// The learning rate of the vectors, as a share of that of everything else.
    pub rate: f64,
    /// The most frequent words of the training text that are kept; words of the vector files come on top.
    pub vocabulary: usize,
    /// How many words of the vector files may come on top, in the order of the files; none: all.
    pub on_top: Option<usize>,
    /// What becomes of words that the vocabulary does not have.
    pub spelling: Spelling,
}

impl Default for VectorsConfig {
    fn default() -> Self {
        Self {
            general: Vec::new(),
            domain: Vec::new(),
            dimensions: 300,
            lookup: Lookup::default(),
            unknown: Unknown::default(),
            learn: Learning::Always,
            rate: 1.0,
            vocabulary: 20_000,
            on_top: None,
            spelling: Spelling::Exact,
        }
    }
}

/// How the network is trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainConfig {
    /// Sentences, or documents, of a batch.
    pub batch: usize,
    /// Learning rate of Adam.
    pub learning_rate: f64,
    /// How the learning rate changes.
    pub schedule: Schedule,
    /// Largest norm of a gradient (the authors' program: 10).
    pub clip_norm: Option<f64>,
    /// Epochs of pre-training on documents, each one pass over D^dd.
    pub pretrain_epochs: usize,
    /// Epochs on sentences.
    pub epochs: usize,
    /// r: every r-th batch of sentences is followed by one of documents.
    pub ratio: usize,
    /// Gold opinion labels for the self-attention of AS.
    pub sampling: Sampling,
    /// What the loss of a batch is averaged over.
    pub loss_mean: LossMean,
    /// L_a and L_d keep Adam moments of their own (the authors' program) instead of sharing them.
    pub separate_moments: bool,
    /// The weights that are evaluated and kept are a mean over about so many of the last epochs; none: they are those of the last step
    /// (the paper).
    pub average_epochs: Option<f64>,
    /// The first epoch that may be chosen as the best.
    pub select_from: usize,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            batch: 32,
            learning_rate: 1e-4,
            schedule: Schedule::Constant,
            clip_norm: None,
            pretrain_epochs: 5,
            epochs: 80,
            ratio: 2,
            sampling: Sampling::Batch,
            loss_mean: LossMean::Sentences,
            separate_moments: false,
            average_epochs: None,
            select_from: 1,
        }
    }
}

/// Which losses change the word vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Learning {
    /// None.
    Never,
    /// L_a alone: documents do not move them.
    Sentences,
    /// L_a and L_d.
    Always,
}

/// When gold opinion labels replace the predicted ones, with probability ε_i = 5 / (5 + exp(i / 5)) in epoch i.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sampling {
    /// Never.
    Never,
    /// Drawn for every batch.
    Batch,
    /// Drawn once an epoch for all of it (the authors' program).
    Epoch,
}

impl Sampling {
    /// ε_i of epoch `i`, from 1.
    #[must_use]
    pub fn probability(self, epoch: usize) -> f64 {
        match self {
            Self::Never => 0.0,
            Self::Batch | Self::Epoch => 5.0 / (5.0 + (epoch as f64 / 5.0).exp()),
        }
    }
}

/// What the loss of a batch is averaged over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossMean {
    /// The tokens of each sentence, then the sentences (the paper's L_a).
    Sentences,
    /// All tokens of the batch (the authors' program).
    Tokens,
}

impl LossMean {
    /// What the losses of words are divided by in a batch of so many sentences and words.
    #[must_use]
    pub fn over(self, sentences: usize, words: usize) -> TokenMean {
        match self {
            Self::Sentences => TokenMean::Sequences {
                count: sentences as f64,
            },
            Self::Tokens => TokenMean::Tokens {
                count: words as f64,
            },
        }
    }
}

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

/// One `key=value` given besides the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    key: String,
    value: toml::Value,
}

impl FromStr for Override {
    type Err = ConfigError;

    /// `train.epochs=40`; a value that is not TOML is a string, so that `model.messages=aspect` works.
    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let bad = || ConfigError::Override(text.to_owned());
        let (key, value) = text.split_once('=').ok_or_else(bad)?;
        let (key, value) = (key.trim(), value.trim());
        if key.is_empty() || value.is_empty() {
            return Err(bad());
        }
        let parsed = format!("value = {value}").parse::<toml::Table>().ok();
        let value = parsed
            .and_then(|mut table| table.remove("value"))
            .unwrap_or_else(|| toml::Value::String(value.to_owned()));
        Ok(Self {
            key: key.to_owned(),
            value,
        })
    }
}

impl Override {
    /// What it changes.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Reads a configuration of any form and applies overrides.
    ///
    /// # Errors
    /// If the text is not of this form, or an override goes through something that has no parts.
    pub fn read<T: serde::de::DeserializeOwned>(
        text: &str,
        overrides: &[Self],
    ) -> Result<T, ConfigError> {
        if overrides.is_empty() {
            // Straight from the text: errors then show the line.
            return Ok(toml::from_str(text)?);
        }
        let mut table: toml::Table = toml::from_str(text)?;
        for change in overrides {
            apply(&mut table, change)?;
        }
        Ok(table.try_into()?)
    }
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

fn apply(table: &mut toml::Table, change: &Override) -> Result<(), ConfigError> {
    let mut parts: Vec<&str> = change.key.split('.').collect();
    let last = parts.pop().unwrap_or_default();
    let mut section = table;
    for part in parts {
        let entry = section
            .entry(part)
            .or_insert_with(|| toml::Value::Table(toml::Table::new()));
        section = entry
            .as_table_mut()
            .ok_or_else(|| ConfigError::NotASection {
                key: change.key.clone(),
                part: part.to_owned(),
            })?;
    }
    section.insert(last.to_owned(), change.value.clone());
    Ok(())
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

    #[test]
    fn the_sampling_decays_as_the_paper_says() {
        let first = Sampling::Batch.probability(1);
        assert!((first - 5.0 / (5.0 + 0.2_f64.exp())).abs() < 1e-12);
        assert!(Sampling::Batch.probability(40) < 0.002);
        assert_eq!(Sampling::Never.probability(1), 0.0);
    }
}
