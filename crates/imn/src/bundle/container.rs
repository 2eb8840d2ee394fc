//! The model file: safetensors, with everything that is not a tensor as one JSON text in its metadata
//! (see `docs/bundle.md`).
//!
//! Tensors of part i have names that begin with `i.`. Loading checks every part against the others
//! before anything large is allocated: the network is built from its configuration in a shape-only
//! mode, and the stored tensors must be exactly its own.

use std::ops::Range;
use std::path::Path;

use imn_nn::Params;
use imn_nn::quantize::{self, Width};
use imn_nn::store::{self, Tensors};
use imn_nn::transformer::TransformerConfig;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::family::{Blueprint, NetworkFamily};
use super::{Model, ModelError, ModelPart, TrainingRecord};
use crate::config;
use crate::data::{AeTag, Sentiment};
use crate::eval::Calibration;
use crate::features::{Featurizer, Lexicon, SubwordTokenizer};
use crate::model::{EncoderSource, Network, WordVectors};
use crate::text::{TokenizerRules, Vocabulary};

/// What the metadata calls this format.
pub(super) const FORMAT: &str = "imn-model";
/// What it was called up to version 2, when a file held one IMN and its tensors had no prefix.
const OLD_FORMAT: &str = "imn-bundle";
/// The version that this program writes, and the newest that it reads.
///
/// 2: tensors of 16 and 8 bits, calibration curves. 3: several parts, networks other than IMN.
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
    calibration: Calibration,
}

/// What the encoder reads, and what it is built from.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum StoredEncoder {
    /// Vectors of words.
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

    /// The lexicon and the source, checked.
    fn open(self) -> Result<(Lexicon, EncoderSource), ModelError> {
        match self {
            Self::Words {
                dimensions,
                domain_columns: columns,
                vocabulary,
            } => {
                if dimensions == 0 || columns.start > columns.end || columns.end > dimensions {
                    return Err(inconsistent(format!(
                        "domain columns {columns:?} of vectors of {dimensions} dimensions"
                    )));
                }
                let vectors = WordVectors::shape(vocabulary.len(), dimensions, columns);
                Ok((Lexicon::Words(vocabulary), vectors.into()))
            }
            Self::Subwords { sizes, tokenizer } => {
                if let Some(problem) = sizes.problem() {
                    return Err(inconsistent(format!("its encoder: {problem}")));
                }
                if tokenizer.len() > sizes.vocabulary {
                    return Err(inconsistent(format!(
                        "{} subwords, but a table of {}",
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
        let mut config = old.config;
        config::stored::upgrade(&mut config);
        Self {
            kind: super::ImnFamily::KIND.to_owned(),
            config,
            labels: old.labels,
            encoder: StoredEncoder::Words {
                dimensions: old.dimensions,
                domain_columns: old.domain_columns,
                vocabulary: old.vocabulary,
            },
            domains: old.domains,
            record: old.record,
            tokenizer: old.tokenizer,
            calibration: old.calibration,
        }
    }
}

/// The classes of the decoders in their order.
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

/// How many bits numbers take in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// 32: what was trained, to the bit.
    Full,
    /// 16 for weights, 8 with scales for word vectors: a quarter of the size, the scores within a
    /// tenth of a point or so.
    Small,
}

impl Storage {
    fn width(name: &str) -> Width {
        if name.ends_with("embedding.table") || name.ends_with("embeddings.words.table") {
            Width::Bytes
        } else {
            Width::Half
        }
    }
}

impl Model {
    /// The file's bytes.
    ///
    /// # Errors
    /// Only if the tensors cannot be serialised.
    pub fn to_bytes(&self, storage: Storage) -> Result<Vec<u8>, ModelError> {
        let parts = self.parts();
        let header = ModelHeader {
            format: FORMAT.to_owned(),
            version: VERSION,
            parts: parts.iter().map(|part| part_header(part)).collect(),
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
        let tensors = named.iter();
        let tensors = tensors.map(|(name, shape, data)| (name.as_str(), *shape, *data));
        Ok(match storage {
            Storage::Full => store::write(tensors, Some(text))?,
            Storage::Small => quantize::write(tensors, Storage::width, text)?,
        })
    }

    /// Reads and checks a model whose networks are of these families.
    ///
    /// # Errors
    /// If anything about it is wrong.
    pub fn from_bytes_with(
        bytes: &[u8],
        families: &[&dyn NetworkFamily],
    ) -> Result<Self, ModelError> {
        // Format and version first: a newer header may have another form.
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
        let parts = headers.into_iter().zip(tensors);
        let parts: Result<Vec<ModelPart>, ModelError> = parts
            .map(|(header, tensors)| open_part(header, tensors, families))
            .collect();
        Self::from_parts(parts?)
    }

    /// Writes a file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: &Path, storage: Storage) -> Result<(), ModelError> {
        let bytes = self.to_bytes(storage)?;
        imn_io::atomic::write(path, &bytes).map_err(|error| ModelError::Io {
            path: path.to_owned(),
            error,
        })
    }
}

fn part_header(part: &ModelPart) -> PartHeader {
    PartHeader {
        kind: part.kind.clone(),
        config: part.config.clone(),
        labels: Labels::of(part.network.as_ref()),
        encoder: StoredEncoder::of(part),
        domains: part.domains,
        record: part.record.clone(),
        tokenizer: part.featurizer.rules().version(),
        calibration: part.calibration,
    }
}

fn inconsistent(text: String) -> ModelError {
    ModelError::Inconsistent(text)
}

/// The tensors of each part by their own names.
fn split_by_part(
    tensors: Tensors<f32>,
    parts: usize,
    old: bool,
) -> Result<Vec<Tensors<f32>>, ModelError> {
    let mut split: Vec<Tensors<f32>> = vec![Tensors::new(); parts];
    for (name, tensor) in tensors {
        if tensor.1.iter().any(|value| !value.is_finite()) {
            let text = format!("tensor `{name}` holds a number that is not finite");
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
            None => return Err(inconsistent(format!("an unknown tensor `{name}`"))),
        };
    }
    Ok(split)
}

/// One part, checked.
fn open_part(
    header: PartHeader,
    tensors: Tensors<f32>,
    families: &[&dyn NetworkFamily],
) -> Result<ModelPart, ModelError> {
    let rules = TokenizerRules::from_version(header.tokenizer).ok_or(ModelError::Tokenizer {
        version: header.tokenizer,
    })?;
    let (lexicon, encoder) = header.encoder.open()?;
    let blueprint = Blueprint {
        kind: &header.kind,
        config: &header.config,
        lexicon: &lexicon,
        encoder: &encoder,
        domains: header.domains,
    };
    let mut params = Params::shapes_only();
    let mut built = families.iter();
    let built = built.find_map(|family| family.build(blueprint, &mut params));
    let network = built.ok_or_else(|| ModelError::Kind {
        kind: header.kind.clone(),
    })??;
    if header.labels != Labels::of(network.as_ref()) {
        let text = "its label sets are not those of its configuration";
        return Err(inconsistent(text.to_owned()));
    }
    params.load_tensors(tensors)?;
    Ok(ModelPart {
        kind: header.kind,
        config: header.config,
        featurizer: Featurizer::new(rules, lexicon),
        encoder,
        domains: header.domains,
        network,
        params,
        record: header.record,
        calibration: header.calibration,
    })
}
