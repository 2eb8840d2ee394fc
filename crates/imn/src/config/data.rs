//! What is read.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ConfigError;

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
    /// How often a sentence of each of `train` is seen in an epoch [default: once]. Without it, a
    /// small set counts for little beside large ones.
    #[serde(default)]
    pub repeat: Vec<usize>,
    /// Whether texts are split into sentences, as `imn analyze` does: for reviews of several
    /// sentences. The development split and `imn evaluate` follow it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub split_sentences: bool,
    /// Sentences that stand in one of these leave `train` before anything is learnt or split off: what a test set of another name holds
    /// must not be learnt. Compared by letters and digits.
    #[serde(default)]
    pub without: Vec<PathBuf>,
    /// Annotated sentences to choose the best epoch on: a file or folder, or a list of them
    /// [default: a share of `train`].
    #[serde(default)]
    pub dev: Option<Paths>,
    /// The annotation scheme of each of `dev`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dev_schemes: Vec<String>,
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

impl DataConfig {
    /// Whether the settings make sense for a network that knows these annotation schemes.
    ///
    /// # Errors
    /// If they do not: the reason.
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
        if known.is_empty() != self.schemes.is_empty() {
            let text = "model.schemes and data.schemes must both be there or both be missing";
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
