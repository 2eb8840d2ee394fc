//! The model file: a safetensors file whose metadata holds one JSON header with everything that
//! is not a tensor (see `docs/bundle.md`).
//!
//! Names of tensors of part i begin with `i.`. A file is checked before anything large is
//! allocated: the network is built from its configuration with shapes only, and the stored tensors
//! must have exactly these names and shapes.

use std::ops::Range;
use std::path::Path;

use imn_nn::quantize::{self, Width};
use imn_nn::store::{self, Tensors};
use imn_nn::transformer::TransformerConfig;
use imn_nn::{Params, Precision};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::family::{Blueprint, NetworkFamily};
use super::{Model, ModelError, ModelPart, TrainingRecord};
use crate::config;
use crate::data::{AeTag, Sentiment};
use crate::eval::{Calibration, SchemeCalibration};
use crate::features::{Featurizer, Lexicon, SubwordTokenizer};
use crate::model::{EncoderSource, Network, WordVectors};
use crate::text::{TokenizerRules, Vocabulary};

/// Name of this format in the header.
pub(super) const FORMAT: &str = "imn-model";
/// Name of the format up to version 2: a file held one IMN, and its tensors had no prefix.
const OLD_FORMAT: &str = "imn-bundle";
/// The format version that this program writes, and the newest that it reads.
///
/// Version 2 added tensors of 16 and 8 bits and calibration curves. Version 3 added pipelines and
/// networks other than IMN.
pub const VERSION: u32 = 3;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelHeader {
    format: String,
    version: u32,
    parts: Vec<PartHeader>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartHeader {
    kind: String,
    config: Value,
    labels: Labels,
    encoder: StoredEncoder,
    domains: usize,
    record: TrainingRecord,
    tokenizer: u32,
    calibration: SchemeCalibration,
    /// The precision in which the network multiplies unless the caller chooses another.
    #[serde(default, skip_serializing_if = "is_full")]
    precision: Precision,
}

fn is_full(precision: &Precision) -> bool {
    *precision == Precision::F32
}

/// The encoder's input, and the sizes that the encoder is built with.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum StoredEncoder {
    /// Word vectors.
    Words {
        dimensions: usize,
        domain_columns: Range<usize>,
        vocabulary: Vocabulary,
    },
    /// A transformer over subwords.
    Subwords {
        sizes: TransformerConfig,
        tokenizer: SubwordTokenizer,
    },
}

impl StoredEncoder {
    fn of(part: &ModelPart) -> Self {
        match (part.featurizer.lexicon(), &part.encoder) {
            (Lexicon::Subwords(tokenizer), EncoderSource::Subwords(sizes)) => Self::Subwords {
                sizes: sizes.clone(),
                tokenizer: tokenizer.clone(),
            },
            (lexicon, source) => {
                let vectors = source.words();
                Self::Words {
                    dimensions: vectors.map_or(0, |vectors| vectors.dimensions),
                    domain_columns: vectors.map_or(0..0, |v| v.domain_columns.clone()),
                    vocabulary: lexicon.words().cloned().unwrap_or_default(),
                }
            }
        }
    }

    /// Checks the stored sizes, and gives the lexicon and the encoder source.
    fn open(self) -> Result<(Lexicon, EncoderSource), ModelError> {
        match self {
            Self::Words {
                dimensions,
                domain_columns: columns,
                vocabulary,
            } => {
                if dimensions == 0 || columns.start > columns.end || columns.end > dimensions {
                    return Err(inconsistent(format!(
                        "word vectors of {dimensions} dimensions with domain columns {columns:?}"
                    )));
                }
                let vectors = WordVectors::shape(vocabulary.len(), dimensions, columns);
                Ok((Lexicon::Words(vocabulary), vectors.into()))
            }
            Self::Subwords { sizes, tokenizer } => {
                if let Some(problem) = sizes.problem() {
                    return Err(inconsistent(format!("sizes of the encoder: {problem}")));
                }
                if tokenizer.len() > sizes.vocabulary {
                    return Err(inconsistent(format!(
                        "the tokenizer has {} subwords, but the embedding table has {} rows",
                        tokenizer.len(),
                        sizes.vocabulary
                    )));
                }
                Ok((Lexicon::Subwords(tokenizer), EncoderSource::Subwords(sizes)))
            }
        }
    }
}

/// The header of versions 1 and 2.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OldHeader {
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u32,
    config: Value,
    labels: Labels,
    dimensions: usize,
    domain_columns: Range<usize>,
    domains: usize,
    record: TrainingRecord,
    tokenizer: u32,
    #[serde(default)]
    calibration: Calibration,
    vocabulary: Vocabulary,
}

impl From<OldHeader> for PartHeader {
    fn from(old: OldHeader) -> Self {
        Self {
            kind: super::ImnFamily::KIND.to_owned(),
            config: old.config,
            labels: old.labels,
            encoder: StoredEncoder::Words {
                dimensions: old.dimensions,
                domain_columns: old.domain_columns,
                vocabulary: old.vocabulary,
            },
            domains: old.domains,
            record: old.record,
            tokenizer: old.tokenizer,
            calibration: old.calibration.into(),
            precision: Precision::F32,
        }
    }
}

/// The classes of the decoders, in the order of their columns.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Labels {
    tags: Vec<AeTag>,
    polarities: Vec<Sentiment>,
}

impl Labels {
    fn of(network: &dyn Network) -> Self {
        Self {
            tags: network.tag_set().tags().to_vec(),
            polarities: Sentiment::CLASSES.to_vec(),
        }
    }
}

/// Precision of the tensors in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// 32 bits: exactly the trained weights.
    Full,
    /// 16 bits for weights, 8 bits with scales for word vectors and for the layers of a
    /// transformer. Products then use 8-bit integers. The file has about a quarter of the size, and
    /// scores change by a few tenths of a point.
    Small,
}

impl Storage {
    /// The precision in which a network multiplies after it was stored.
    fn precision(self) -> Precision {
        match self {
            Self::Small => Precision::Int8,
            Self::Full => Precision::F32,
        }
    }

    fn width(name: &str) -> Width {
        let is_table =
            name.ends_with("embedding.table") || name.ends_with("embeddings.words.table");
        // The blocks of a transformer are most of its weights.
        let is_block = name.contains(".attention.") || name.contains(".feed_forward.");
        if is_table || (is_block && name.contains("shared.layers.") && name.ends_with(".kernel")) {
            Width::Bytes
        } else {
            Width::Half
        }
    }
}

impl Model {
    /// The bytes of a model file.
    ///
    /// ```
    /// use imn::bundle::{Model, Storage};
    ///
    /// let model = Model::built_in()?;
    /// let bytes = model.to_bytes(Storage::Small)?;
    /// let copy = Model::from_bytes(&bytes)?;
    /// assert_eq!(copy.describe(), model.describe());
    /// assert!(bytes.len() < model.to_bytes(Storage::Full)?.len() / 3);
    /// # Ok::<(), imn::bundle::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If the header or the tensors cannot be serialized.
    pub fn to_bytes(&self, storage: Storage) -> Result<Vec<u8>, ModelError> {
        let parts = self.parts();
        let header = ModelHeader {
            format: FORMAT.to_owned(),
            version: VERSION,
            parts: parts
                .iter()
                .map(|part| part_header(part, storage))
                .collect(),
        };
        let text = serde_json::to_string(&header)?;
        let named: Vec<(String, &[usize], &[f32])> = parts
            .iter()
            .enumerate()
            .flat_map(|(i, part)| {
                let tensors = part.params.tensors();
                tensors.map(move |(name, shape, data)| (format!("{i}.{name}"), shape, data))
            })
            .collect();
        let tensors = named
            .iter()
            .map(|(name, shape, data)| (name.as_str(), *shape, *data));
        Ok(match storage {
            Storage::Full => store::write(tensors, Some(text))?,
            Storage::Small => quantize::write(tensors, Storage::width, text)?,
        })
    }

    /// Parses and checks a model file whose networks belong to `families`.
    ///
    /// # Errors
    /// If the bytes are not a model file, the version is unknown, a network belongs to none of the
    /// families, or header and tensors contradict each other.
    pub fn from_bytes_with(
        bytes: &[u8],
        families: &[&dyn NetworkFamily],
    ) -> Result<Self, ModelError> {
        // Parse format and version first: the rest of a newer header may have other fields.
        #[derive(Deserialize)]
        struct Kind {
            format: String,
            version: u32,
        }
        let text = store::read_text(bytes)?.ok_or(ModelError::NoHeader)?;
        let kind: Kind = serde_json::from_str(&text).map_err(|_| ModelError::NoHeader)?;
        let old = match (kind.format.as_str(), kind.version) {
            (OLD_FORMAT, 1 | 2) => true,
            (FORMAT, VERSION) => false,
            (FORMAT | OLD_FORMAT, found) => return Err(ModelError::Version { found }),
            _ => return Err(ModelError::NoHeader),
        };
        let headers: Vec<PartHeader> = if old {
            vec![serde_json::from_str::<OldHeader>(&text)?.into()]
        } else {
            serde_json::from_str::<ModelHeader>(&text)?.parts
        };
        let tensors = split_by_part(quantize::read(bytes)?, headers.len(), old)?;
        let parts = headers
            .into_iter()
            .zip(tensors)
            .map(|(header, tensors)| open_part(header, tensors, families))
            .collect::<Result<Vec<ModelPart>, ModelError>>()?;
        Self::from_parts(parts)
    }

    /// Writes a model file. If writing fails, a file that was at `path` stays as it was.
    ///
    /// # Errors
    /// If the model cannot be serialized or the file cannot be written.
    pub fn save(&self, path: &Path, storage: Storage) -> Result<(), ModelError> {
        let bytes = self.to_bytes(storage)?;
        imn_io::atomic::write(path, &bytes).map_err(|error| ModelError::Io {
            path: path.to_owned(),
            error,
        })
    }
}

fn part_header(part: &ModelPart, storage: Storage) -> PartHeader {
    PartHeader {
        kind: part.kind.clone(),
        config: part.config.clone(),
        labels: Labels::of(part.network.as_ref()),
        encoder: StoredEncoder::of(part),
        domains: part.domains,
        record: part.record.clone(),
        tokenizer: part.featurizer.rules().version(),
        calibration: part.calibration.clone(),
        precision: storage.precision(),
    }
}

fn inconsistent(text: String) -> ModelError {
    ModelError::Inconsistent(text)
}

/// Splits the tensors of a file by part and removes the prefix of their names.
fn split_by_part(
    tensors: Tensors<f32>,
    parts: usize,
    old: bool,
) -> Result<Vec<Tensors<f32>>, ModelError> {
    let mut split: Vec<Tensors<f32>> = vec![Tensors::new(); parts];
    for (name, tensor) in tensors {
        if tensor.1.iter().any(|value| !value.is_finite()) {
            let text = format!("tensor `{name}` holds a value that is not finite");
            return Err(inconsistent(text));
        }
        let place = if old {
            split.first_mut().map(|part| (part, name.as_str()))
        } else {
            name.split_once('.')
                .and_then(|(part, rest)| Some((split.get_mut(part.parse::<usize>().ok()?)?, rest)))
        };
        match place {
            Some((part, name)) => part.insert(name.to_owned(), tensor),
            None => {
                return Err(inconsistent(format!(
                    "tensor `{name}` belongs to no part of the model"
                )));
            }
        };
    }
    Ok(split)
}

/// Builds a part from its header and checks it against its tensors.
fn open_part(
    mut header: PartHeader,
    tensors: Tensors<f32>,
    families: &[&dyn NetworkFamily],
) -> Result<ModelPart, ModelError> {
    let rules = TokenizerRules::from_version(header.tokenizer).ok_or(ModelError::Tokenizer {
        version: header.tokenizer,
    })?;
    config::stored::upgrade(&mut header.config);
    let (lexicon, encoder) = header.encoder.open()?;
    let splits = header.config["data"]["split_sentences"].as_bool() == Some(true);
    let blueprint = Blueprint {
        kind: &header.kind,
        config: &header.config,
        lexicon: &lexicon,
        encoder: &encoder,
        domains: header.domains,
    };
    let mut params = Params::shapes_only();
    let network = families
        .iter()
        .find_map(|family| family.build(blueprint, &mut params))
        .ok_or_else(|| ModelError::Kind {
            kind: header.kind.clone(),
        })??;
    if header.labels != Labels::of(network.as_ref()) {
        let text = "its label sets differ from those of its configuration";
        return Err(inconsistent(text.to_owned()));
    }
    params.load_tensors(tensors)?;
    params.set_precision(header.precision.if_accelerated());
    Ok(ModelPart {
        kind: header.kind,
        config: header.config,
        featurizer: Featurizer::new(rules, lexicon).splitting(splits),
        encoder,
        domains: header.domains,
        network,
        params,
        record: header.record,
        calibration: header.calibration,
    })
}
