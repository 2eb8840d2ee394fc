//! Settings of the data.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{ConfigError, UnlabelledConfig};

/// Training, development and test data. Paths are relative to the data folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataConfig {
    /// Name of the data set in results. Default: the file or folder name of `train`.
    #[serde(default)]
    pub set: Option<String>,
    /// Annotated training sentences: a file or folder in any format, or a list of them.
    pub train: Paths,
    /// The annotation scheme of each entry of `train`, a name of `model.schemes`. Empty if
    /// `model.schemes` is empty.
    #[serde(default)]
    pub schemes: Vec<String>,
    /// How many times an epoch contains the sentences of each entry of `train`. Default: once. A
    /// larger value keeps a small set from being outweighed by the others.
    #[serde(default)]
    pub repeat: Vec<usize>,
    /// Whether texts are split into sentences, as `imn analyze` does: for reviews of several
    /// sentences. The development set and `imn evaluate` follow it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub split_sentences: bool,
    /// Sentences of these files are removed from `train` before the development split is made, for
    /// test sets that share sentences with `train`. Only letters and digits are compared.
    #[serde(default)]
    pub exclude: Vec<PathBuf>,
    /// Development set, on which the best epoch is chosen: a file or folder, or a list of them.
    /// Default: a random share of `train`.
    #[serde(default)]
    pub dev: Option<Paths>,
    /// The annotation scheme of each entry of `dev`. Empty if `model.schemes` is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dev_schemes: Vec<String>,
    /// The share of `train` that becomes the development split if `dev` is not set.
    #[serde(default = "default_dev_share")]
    pub dev_share: f64,
    /// Test set, used for the final score only.
    #[serde(default)]
    pub test: Option<PathBuf>,
    /// Documents for DS and DD.
    #[serde(default)]
    pub documents: Option<DocumentsConfig>,
    /// Sentences for `train.teacher` to label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlabelled: Option<UnlabelledConfig>,
}

impl DataConfig {
    /// Checks the settings for a network with the annotation schemes `known`.
    ///
    /// # Errors
    /// The first problem found.
    pub fn validate(&self, known: &[String]) -> Result<(), ConfigError> {
        let range = |field, value: &dyn ToString, text| Err(ConfigError::range(field, value, text));
        if self.dev.is_none() && !(self.dev_share > 0.0 && self.dev_share < 1.0) {
            return range("data.dev_share", &self.dev_share, "must be between 0 and 1");
        }
        if let Some(held_out) = self.documents.as_ref().map(|documents| documents.held_out)
            && !(0.0..1.0).contains(&held_out)
        {
            let text = "must be at least 0 and below 1";
            return range("data.documents.held_out", &held_out, text);
        }
        if let Some(DocumentsConfig { max_tokens: 0, .. }) = self.documents {
            return range("data.documents.max_tokens", &0, "must be at least 1");
        }
        if known.is_empty() != self.schemes.is_empty() {
            let text = "model.schemes and data.schemes must be set together";
            return range("data.schemes", &self.schemes.join(", "), text);
        }
        if !self.schemes.is_empty() && self.schemes.len() != self.train.all().len() {
            let text = "must have one name per file of data.train";
            return range("data.schemes", &self.schemes.join(", "), text);
        }
        let fits = self.repeat.is_empty() || self.repeat.len() == self.train.all().len();
        if !fits || self.repeat.contains(&0) {
            let text = "must have one number of at least 1 per file of data.train";
            return range("data.repeat", &format!("{:?}", self.repeat), text);
        }
        let dev_files = self.dev.as_ref().map_or(0, |dev| dev.all().len());
        let needed = if known.is_empty() { 0 } else { dev_files };
        if self.dev_schemes.len() != needed {
            let text = "must have one name per file of data.dev where there are model.schemes";
            return range("data.dev_schemes", &self.dev_schemes.join(", "), text);
        }
        if let Some(unlabelled) = &self.unlabelled {
            unlabelled.validate(known)?;
        }
        for (field, names) in [
            ("data.schemes", &self.schemes),
            ("data.dev_schemes", &self.dev_schemes),
        ] {
            if let Some(name) = names.iter().find(|name| !known.contains(name)) {
                return range(field, name, "is not among model.schemes");
            }
        }
        Ok(())
    }
}

/// One or more paths: a string or a list of strings in the file.
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

    /// The first path.
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
            OneOrMore::More(paths) if paths.is_empty() => {
                Err("an empty list; name at least one file")
            }
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
    /// D^ds, documents with sentiment labels from the domain of the sentences: a file or a list of
    /// files.
    pub sentiment: Paths,
    /// D^dd, documents with domain labels: one file per domain.
    #[serde(default)]
    pub domains: Vec<PathBuf>,
    /// The share of D^ds and of D^dd that is not trained on. Each epoch reports the accuracy of DS
    /// and DD on these documents; those of D^ds calibrate the confidences of text sentiments.
    #[serde(default)]
    pub held_out: f64,
    /// Documents are truncated to this many tokens.
    #[serde(default = "default_max_tokens")]
    pub max_tokens: usize,
    /// The punctuation of documents.
    #[serde(default, skip_serializing_if = "is_default")]
    pub punctuation: DocumentPunctuation,
    /// Whether training sentences with sentiments are documents of D^ds too. Rated documents are
    /// long; without short ones, DS calls a single sentence neutral. A sentence has the sentiment
    /// of its aspects, and is neutral if they disagree.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sentences: bool,
}

/// Which tokens of a document without a letter or digit are kept.
///
/// The paper's sentences have no full stops, colons or quotation marks, while documents are raw
/// text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentPunctuation {
    /// All.
    #[default]
    All,
    /// Those that a training sentence contains too.
    OfSentences,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn default_max_tokens() -> usize {
    100
}
