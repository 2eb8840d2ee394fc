//! A model in one file: weights, vocabulary, configuration, label sets, training record.
//!
//! The file is safetensors; everything that is not a tensor is one JSON text in its metadata (see `docs/bundle.md`). Loading checks
//! every part against the others before anything large is allocated.

use std::path::{Path, PathBuf};

use imn_nn::narrow::{self, Width};
use imn_nn::{Params, store};
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::data::{AeTag, Polarity};
use crate::eval::Calibration;
use crate::model::{
    DocumentTasks, Imn, Messages, ModelConfig, ModelConfigError, SelfAttention, WordVectors,
};
use crate::text::{TOKENIZER_VERSION, Vocabulary};
use crate::train::CorpusReport;

/// What the metadata calls this format.
const FORMAT: &str = "imn-bundle";
/// The version that this program writes, and the newest that it reads.
///
/// 2: tensors of 16 and 8 bits, curves of calibration.
pub const VERSION: u32 = 2;
/// The name of the table of word vectors.
const TABLE: &str = "shared.embedding.table";

/// What is wrong with a bundle.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The operating system refused.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Something about a file is wrong.
    #[error("{}: {error}", path.display())]
    In {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: Box<Self>,
    },
    /// Not a safetensors file, or tensors that do not fit the network.
    #[error("not a usable model bundle: {0}")]
    Tensors(#[from] imn_nn::Error),
    /// No header, or one of another program.
    #[error("not a model bundle: its metadata has no `{key}` text of format `{FORMAT}`", key = store::KEY)]
    NoHeader,
    /// The header is not of its form.
    #[error("not a usable model bundle: its header is malformed: {0}")]
    Header(#[from] serde_json::Error),
    /// Written by a newer program.
    #[error(
        "the bundle has format version {found}, this program reads up to {VERSION}; use a newer imn"
    )]
    Version {
        /// The bundle's version.
        found: u32,
    },
    /// The configuration in the bundle makes no sense.
    #[error("not a usable model bundle: {0}")]
    Config(#[from] ModelConfigError),
    /// An annotation scheme that the model does not know.
    #[error("the model has no annotation scheme `{asked}`: {known}")]
    Scheme {
        /// What was asked for.
        asked: String,
        /// What there is.
        known: String,
    },
    /// Parts that contradict each other.
    #[error("not a usable model bundle: {0}")]
    Inconsistent(String),
}

/// How a model came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingRecord {
    /// Version of the program.
    pub version: String,
    /// The seed.
    pub seed: u64,
    /// What was learnt from.
    pub corpus: CorpusReport,
    /// The epoch that was kept.
    pub best_epoch: usize,
    /// Its scores on the development split, in percent, by the paper's names.
    pub dev: std::collections::BTreeMap<String, f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: String,
    version: u32,
    config: Config,
    labels: Labels,
    dimensions: usize,
    domain_columns: std::ops::Range<usize>,
    domains: usize,
    record: TrainingRecord,
    tokenizer: u32,
    #[serde(default)]
    calibration: Calibration,
    vocabulary: Vocabulary,
}

/// The classes of the decoders in their order.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Labels {
    tags: Vec<AeTag>,
    polarities: Vec<Polarity>,
}

impl Labels {
    fn of(config: &ModelConfig) -> Self {
        Self {
            tags: config.tag_set().tags().to_vec(),
            polarities: vec![Polarity::Positive, Polarity::Negative, Polarity::Neutral],
        }
    }
}

/// How many bits numbers take in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// 32: what was trained, to the bit.
    Full,
    /// 16 for weights, 8 with scales for word vectors: a quarter of the size, the scores within a tenth of a point or so.
    Small,
}

/// A trained model.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// The resolved configuration.
    pub config: Config,
    /// Words and their numbers.
    pub vocabulary: Vocabulary,
    /// The weights.
    pub params: Params<f32>,
    /// The network that they belong to.
    pub network: Imn,
    /// How it came about.
    pub record: TrainingRecord,
    /// Numbers a word vector.
    pub dimensions: usize,
    /// Columns of the domain vectors.
    pub domain_columns: std::ops::Range<usize>,
    /// Domains that DD tells apart.
    pub domains: usize,
    /// From how sure the network is to how often it is right.
    pub calibration: Calibration,
}

impl Bundle {
    /// The file's bytes.
    ///
    /// # Errors
    /// Only if the tensors cannot be serialised.
    pub fn to_bytes(&self, storage: Storage) -> Result<Vec<u8>, BundleError> {
        let header = Header {
            format: FORMAT.to_owned(),
            version: VERSION,
            config: self.config.clone(),
            labels: Labels::of(&self.config.model),
            dimensions: self.dimensions,
            domain_columns: self.domain_columns.clone(),
            domains: self.domains,
            record: self.record.clone(),
            tokenizer: TOKENIZER_VERSION,
            calibration: self.calibration,
            vocabulary: self.vocabulary.clone(),
        };
        let text = serde_json::to_string(&header)?;
        let tensors = self.params.tensors();
        Ok(match storage {
            Storage::Full => store::write(tensors, Some(text))?,
            Storage::Small => {
                let width = |name: &str| match name {
                    TABLE => Width::Bytes,
                    _ => Width::Half,
                };
                narrow::write(tensors, width, text)?
            }
        })
    }

    /// Reads and checks a bundle.
    ///
    /// # Errors
    /// If anything about it is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BundleError> {
        let text = store::read_text(bytes)?.ok_or(BundleError::NoHeader)?;
        // Format and version first: a newer header may have another form.
        #[derive(Deserialize)]
        struct Kind {
            format: String,
            version: u32,
        }
        let kind: Kind = serde_json::from_str(&text).map_err(|_| BundleError::NoHeader)?;
        if kind.format != FORMAT {
            return Err(BundleError::NoHeader);
        }
        if kind.version == 0 || kind.version > VERSION {
            return Err(BundleError::Version {
                found: kind.version,
            });
        }
        let header: Header = serde_json::from_str(&text)?;
        header.config.model.validate()?;
        let inconsistent = |what: String| Err(BundleError::Inconsistent(what));
        if header.tokenizer != TOKENIZER_VERSION {
            return inconsistent(format!(
                "it learnt from tokens of tokenizer version {}, this program has {TOKENIZER_VERSION}; train it again",
                header.tokenizer
            ));
        }
        if header.labels != Labels::of(&header.config.model) {
            return inconsistent("its label sets are not those of its configuration".to_owned());
        }
        let columns = &header.domain_columns;
        if header.dimensions == 0 || columns.start > columns.end || columns.end > header.dimensions
        {
            return inconsistent(format!(
                "domain columns {columns:?} of vectors of {} dimensions",
                header.dimensions
            ));
        }
        let tensors = narrow::read(bytes)?;
        if let Some((name, _)) = tensors
            .iter()
            .find(|(_, (_, data))| data.iter().any(|value| !value.is_finite()))
        {
            return inconsistent(format!("tensor `{name}` holds a number that is not finite"));
        }
        // The network is built from the configuration: its size must be that of the tensors before it is.
        let table = tensors.get(TABLE).map(|(shape, _)| shape.as_slice());
        if table != Some(&[header.vocabulary.len(), header.dimensions]) {
            return inconsistent(format!(
                "{} words of {} dimensions, but `{TABLE}` has shape {table:?}",
                header.vocabulary.len(),
                header.dimensions
            ));
        }
        let stored: usize = tensors
            .iter()
            .filter(|(name, _)| *name != TABLE)
            .map(|(_, (_, data))| data.len())
            .sum();
        let expected = weights(&header.config.model, header.dimensions, header.domains);
        if expected != Some(stored) {
            return inconsistent(format!(
                "{stored} weights, but its configuration makes a network of {}",
                expected.map_or("far too many".to_owned(), |count| count.to_string())
            ));
        }
        let mut params = Params::new();
        let vectors = WordVectors {
            data: vec![0.0; header.vocabulary.len() * header.dimensions],
            dimensions: header.dimensions,
            domain_columns: header.domain_columns.clone(),
        };
        let network = Imn::new(
            &mut params,
            &header.config.model,
            vectors,
            header.domains,
            header.config.seed,
        )?;
        params.load_tensors(tensors)?;
        Ok(Self {
            config: header.config,
            vocabulary: header.vocabulary,
            params,
            network,
            record: header.record,
            dimensions: header.dimensions,
            domain_columns: header.domain_columns,
            domains: header.domains,
            calibration: header.calibration,
        })
    }

    /// The same model, answering in an annotation scheme that it learnt.
    ///
    /// # Errors
    /// If it learnt no such scheme.
    pub fn in_scheme(mut self, name: &str) -> Result<Self, BundleError> {
        match self.network.clone().in_scheme(name) {
            Some(network) => {
                self.network = network;
                Ok(self)
            }
            None => Err(BundleError::Scheme {
                asked: name.to_owned(),
                known: match self.config.model.schemes.as_slice() {
                    [] => "it learnt from sentences of one kind only".to_owned(),
                    known => format!("it knows {}", known.join(", ")),
                },
            }),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or anything about it is wrong.
    pub fn open(path: &Path) -> Result<Self, BundleError> {
        let bytes = std::fs::read(path).map_err(|error| BundleError::Io {
            path: path.to_owned(),
            error,
        })?;
        Self::from_bytes(&bytes).map_err(|error| BundleError::In {
            path: path.to_owned(),
            error: Box::new(error),
        })
    }

    /// Writes a file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: &Path, storage: Storage) -> Result<(), BundleError> {
        write_atomically(path, &self.to_bytes(storage)?).map_err(|error| BundleError::Io {
            path: path.to_owned(),
            error,
        })
    }
}

/// Writes a file beside its place, then moves it there: a reader sees the old one or the new one, never a part.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    atomically(path, |partial| std::fs::write(partial, bytes))
}

/// The same for whoever writes the file at the place that it is given.
pub(crate) fn atomically<E: From<std::io::Error>>(
    path: &Path,
    write: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = path.with_file_name(name);
    write(&partial)?;
    std::fs::File::open(&partial)?.sync_all()?;
    Ok(std::fs::rename(&partial, path)?)
}

/// Numbers in the weights of a network besides its word vectors; `None` where they cannot be counted.
fn weights(config: &ModelConfig, dimensions: usize, domains: usize) -> Option<usize> {
    let f = config.filters;
    let linear = |inputs: usize, outputs: usize| inputs.checked_mul(outputs)?.checked_add(outputs);
    let conv = |width: usize, inputs, outputs| {
        linear(inputs, outputs)?
            .checked_sub(outputs)?
            .checked_mul(width)?
            .checked_add(outputs)
    };
    let layers = |count: usize| conv(5, f, f)?.checked_mul(count);
    let tags = config.tag_set().tags().len();
    let concatenated = match config.ae_representation {
        crate::model::AeRepresentation::TaskOnly => f,
        crate::model::AeRepresentation::InitialShared => {
            dimensions.checked_add(f.checked_mul(2)?)?
        }
        crate::model::AeRepresentation::EverySharedLayer => {
            dimensions.checked_add(f.checked_mul(config.shared_layers.checked_add(1)?)?)?
        }
    };
    let mut parts = vec![
        conv(3, dimensions, f / 2)?,
        conv(5, dimensions, f / 2)?,
        layers(config.shared_layers - 1)?,
        layers(config.ae_layers)?,
        linear(concatenated, tags)?,
        layers(config.as_layers)?,
        f.checked_mul(f)?,
        usize::from(config.self_attention == SelfAttention::BiasTanh),
        linear(f.checked_mul(2)?, 3)?,
    ];
    if config.documents != DocumentTasks::None {
        parts.extend([layers(config.ds_layers)?, f, linear(f, 3)?]);
    }
    if config.documents == DocumentTasks::SentimentAndDomain {
        parts.extend([layers(config.dd_layers)?, f, linear(f, domains)?]);
    }
    parts.push(f.checked_mul(config.schemes.len())?);
    if config.rounds > 0 {
        match config.messages {
            Messages::None => {}
            Messages::Aspect => parts.push(linear(f.checked_add(tags + 3)?, f)?),
            Messages::AspectAndDocument => parts.push(linear(f.checked_add(tags + 8)?, f)?),
        }
    }
    parts.into_iter().try_fold(0_usize, usize::checked_add)
}
