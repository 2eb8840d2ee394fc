//! A whole system: one network, or an extractor and a classifier in a row. One file holds it.
//!
//! The file is safetensors; everything that is not a tensor is one JSON text in its metadata. Tensors of the first network have names that begin
//! with `0.`, those of the second with `1.`.

use std::path::{Path, PathBuf};

use imn::bundle::write_atomically;
use imn::data::{AnnotatedSentence, Aspect, Span};
use imn::model::WordVectors;
use imn::predict::LONGEST;
use imn::text::{TOKENIZER_VERSION, Vocabulary};
use imn_nn::Params;
use imn_nn::store::{self, Tensors};
use serde::{Deserialize, Serialize};

use crate::config::{OpinionLabels, SystemConfig};
use crate::network::{EMBEDDING, Prediction, Role, Setting};
use crate::systems::NetworkConfig;
use crate::trained::{Record, Trained};

/// What the metadata calls this format.
const FORMAT: &str = "imn-system";
/// The version that this program writes and reads.
const VERSION: u32 = 1;

/// A trained system.
pub enum System {
    /// One network.
    Alone(Box<Trained>),
    /// An extractor, and a classifier that is told what it found.
    Pipeline {
        /// AE.
        extractor: Box<Trained>,
        /// AS.
        classifier: Box<Trained>,
    },
}

/// What is wrong with a system or its file.
#[derive(Debug, thiserror::Error)]
pub enum SystemError {
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
    /// Not a safetensors file, or tensors that do not fit the networks.
    #[error("not a usable system: {0}")]
    Tensors(#[from] imn_nn::Error),
    /// The header is not of its form.
    #[error("not a usable system: its header is malformed: {0}")]
    Header(#[from] serde_json::Error),
    /// A configuration in it makes no sense.
    #[error("not a usable system: {0}")]
    Config(#[from] imn::config::ConfigError),
    /// Parts that contradict each other.
    #[error("not a usable system: {0}")]
    Inconsistent(String),
    /// Networks that are no pipeline.
    #[error(
        "a pipeline is an extractor and then a classifier that is told no more than the extractor knows; these are `{0}` and `{1}`"
    )]
    NoPipeline(String, String),
    /// A classifier on its own.
    #[error(
        "a classifier alone finds no aspects: it is the second part of a pipeline, after an extractor (decnn, cmla)"
    )]
    NoExtractor,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: String,
    version: u32,
    tokenizer: u32,
    parts: Vec<PartHeader>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartHeader {
    config: SystemConfig,
    dimensions: usize,
    record: Record,
    vocabulary: Vocabulary,
}

impl System {
    /// A system of an extractor and a classifier.
    ///
    /// # Errors
    /// If they are not one of each, or the classifier was told of opinions that the extractor does not look for.
    pub fn pipeline(extractor: Trained, classifier: Trained) -> Result<Self, SystemError> {
        let roles = (extractor.network.role(), classifier.network.role());
        let told = match classifier.config.network {
            NetworkConfig::AspectSentiment(_) => OpinionLabels::Unused,
            _ => classifier.config.opinions,
        };
        let knows =
            extractor.config.opinions == OpinionLabels::Used || told == OpinionLabels::Unused;
        if roles != (Role::Extractor, Role::Classifier) || !knows {
            let [first, second] = [extractor, classifier].map(|part| part.config.name);
            return Err(SystemError::NoPipeline(first, second));
        }
        Ok(Self::Pipeline {
            extractor: Box::new(extractor),
            classifier: Box::new(classifier),
        })
    }

    /// Its networks, in the order in which they work.
    #[must_use]
    pub fn parts(&self) -> Vec<&Trained> {
        match self {
            Self::Alone(trained) => vec![trained],
            Self::Pipeline {
                extractor,
                classifier,
            } => vec![extractor, classifier],
        }
    }

    /// The sentences with the annotation that the system gives them; it sees their words only, at most [`LONGEST`] of them at a time.
    ///
    /// # Errors
    /// If it is a classifier alone.
    pub fn annotate(
        &self,
        sentences: &[AnnotatedSentence],
    ) -> Result<Vec<AnnotatedSentence>, SystemError> {
        if sentences
            .iter()
            .all(|sentence| sentence.tokens.len() <= LONGEST)
        {
            return self.annotate_pieces(sentences);
        }
        let pieces: Vec<AnnotatedSentence> = sentences
            .iter()
            .flat_map(|sentence| {
                let pieces = sentence.tokens.chunks(LONGEST);
                pieces.map(|tokens| AnnotatedSentence {
                    text: sentence.text.clone(),
                    tokens: tokens.to_vec(),
                    ..AnnotatedSentence::default()
                })
            })
            .collect();
        let mut said = self.annotate_pieces(&pieces)?.into_iter();
        let joined = sentences.iter().map(|sentence| {
            let mut whole = Prediction::default();
            let mut opinions = OpinionLabels::Unused;
            for start in (0..sentence.tokens.len()).step_by(LONGEST) {
                let Some(piece) = said.next() else { break };
                let moved = |span: Span| Span::new(span.start + start, span.end + start);
                let aspects = piece.aspects.into_iter();
                whole.aspects.extend(aspects.map(|aspect| Aspect {
                    span: moved(aspect.span),
                    ..aspect
                }));
                if let Some(found) = piece.opinions {
                    opinions = OpinionLabels::Used;
                    whole.opinions.extend(found.into_iter().map(moved));
                }
            }
            whole.annotate(sentence, opinions)
        });
        Ok(joined.collect())
    }

    /// The same for sentences that are read at once.
    fn annotate_pieces(
        &self,
        sentences: &[AnnotatedSentence],
    ) -> Result<Vec<AnnotatedSentence>, SystemError> {
        let (said, opinions) = match self {
            Self::Alone(trained) if trained.network.role() == Role::Classifier => {
                return Err(SystemError::NoExtractor);
            }
            Self::Alone(trained) => (trained.read(sentences), trained.config.opinions),
            Self::Pipeline {
                extractor,
                classifier,
            } => {
                let mut found = extractor.read(sentences);
                let told = classifier.config.opinions;
                let classified = classifier.read_given(sentences, |i, mut sentence| {
                    let Prediction {
                        aspects, opinion, ..
                    } = &found[i];
                    sentence.aspects = aspects.iter().map(|aspect| aspect.span).collect();
                    if told == OpinionLabels::Used {
                        sentence.opinion.clone_from(opinion);
                    }
                    sentence
                });
                for (found, classified) in found.iter_mut().zip(classified) {
                    found.aspects = classified.aspects;
                }
                (found, extractor.config.opinions)
            }
        };
        let annotated = sentences.iter().zip(said);
        let annotated = annotated.map(|(sentence, said)| said.annotate(sentence, opinions));
        Ok(annotated.collect())
    }

    /// The file's bytes.
    ///
    /// # Errors
    /// Only if the tensors cannot be serialised.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SystemError> {
        to_bytes(&self.parts())
    }

    /// Whether these are the bytes of a system of this crate, and not of IMN itself or something else.
    #[must_use]
    pub fn recognises(bytes: &[u8]) -> bool {
        #[derive(Deserialize)]
        struct Kind {
            format: String,
        }
        let text = store::read_text(bytes).ok().flatten();
        let kind = text.and_then(|text| serde_json::from_str::<Kind>(&text).ok());
        kind.is_some_and(|kind| kind.format == FORMAT)
    }

    /// Reads and checks a system.
    ///
    /// # Errors
    /// If anything about it is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SystemError> {
        let inconsistent = |what: String| Err(SystemError::Inconsistent(what));
        let Some(text) = store::read_text(bytes)? else {
            return inconsistent("it has no header".to_owned());
        };
        let header: Header = serde_json::from_str(&text)?;
        if header.format != FORMAT || header.version != VERSION {
            return inconsistent(format!(
                "it is `{}` of version {}, this program reads `{FORMAT}` of version {VERSION}",
                header.format, header.version
            ));
        }
        if header.tokenizer != TOKENIZER_VERSION {
            return inconsistent(format!(
                "it learnt from tokens of tokenizer version {}, this program has {TOKENIZER_VERSION}; train it again",
                header.tokenizer
            ));
        }
        let mut tensors: Vec<Tensors<f32>> = vec![Tensors::new(); header.parts.len()];
        for (name, tensor) in store::read::<f32>(bytes)? {
            if tensor.1.iter().any(|number| !number.is_finite()) {
                return inconsistent(format!("tensor `{name}` holds a number that is not finite"));
            }
            let place = name.split_once('.').and_then(|(part, name)| {
                Some((tensors.get_mut(part.parse::<usize>().ok()?)?, name))
            });
            match place {
                Some((tensors, name)) => tensors.insert(name.to_owned(), tensor),
                None => return inconsistent(format!("an unknown tensor `{name}`")),
            };
        }
        let mut parts = Vec::new();
        for (header, tensors) in header.parts.into_iter().zip(tensors) {
            parts.push(part(header, tensors)?);
        }
        let second = (parts.len() == 2).then(|| parts.pop()).flatten();
        match (parts.pop(), second) {
            (Some(trained), None) if parts.is_empty() => Ok(Self::Alone(Box::new(trained))),
            (Some(extractor), Some(classifier)) => Self::pipeline(extractor, classifier),
            _ => inconsistent("a system has one network or two".to_owned()),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or anything about it is wrong.
    pub fn open(path: &Path) -> Result<Self, SystemError> {
        let bytes = std::fs::read(path).map_err(|error| SystemError::Io {
            path: path.to_owned(),
            error,
        })?;
        Self::from_bytes(&bytes).map_err(|error| SystemError::In {
            path: path.to_owned(),
            error: Box::new(error),
        })
    }

    /// Writes a file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), SystemError> {
        save(path, &self.to_bytes()?)
    }
}

/// The bytes of a file with these networks.
fn to_bytes(parts: &[&Trained]) -> Result<Vec<u8>, SystemError> {
    let header = Header {
        format: FORMAT.to_owned(),
        version: VERSION,
        tokenizer: TOKENIZER_VERSION,
        parts: parts
            .iter()
            .map(|part| PartHeader {
                config: part.config.clone(),
                dimensions: part.dimensions,
                record: part.record.clone(),
                vocabulary: part.vocabulary.clone(),
            })
            .collect(),
    };
    let text = serde_json::to_string(&header)?;
    let tensors: Vec<(String, &[usize], &[f32])> = parts
        .iter()
        .enumerate()
        .flat_map(|(i, part)| {
            let tensors = part.params.tensors();
            tensors.map(move |(name, shape, data)| (format!("{i}.{name}"), shape, data))
        })
        .collect();
    let tensors = tensors
        .iter()
        .map(|(name, shape, data)| (name.as_str(), *shape, *data));
    Ok(store::write(tensors, Some(text))?)
}

impl Trained {
    /// Writes a file of a system that is this network alone, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), SystemError> {
        save(path, &to_bytes(&[self])?)
    }
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), SystemError> {
    write_atomically(path, bytes).map_err(|error| SystemError::Io {
        path: path.to_owned(),
        error,
    })
}

/// A network of a file, checked.
fn part(header: PartHeader, tensors: Tensors<f32>) -> Result<Trained, SystemError> {
    let PartHeader {
        config,
        dimensions,
        record,
        vocabulary,
    } = header;
    config.validate()?;
    // The network is built from the configuration: its table must be that of the file before it is.
    let table = format!("{EMBEDDING}table");
    let shape = tensors.get(&table).map(|(shape, _)| shape.as_slice());
    if dimensions == 0 || shape != Some(&[vocabulary.len(), dimensions]) {
        return Err(SystemError::Inconsistent(format!(
            "{} words of {dimensions} dimensions, but `{table}` has shape {shape:?}",
            vocabulary.len()
        )));
    }
    let mut params = Params::new();
    let setting = Setting {
        vectors: WordVectors {
            data: vec![0.0; vocabulary.len() * dimensions],
            dimensions,
            domain_columns: 0..0,
        },
        vocabulary: &vocabulary,
        tag_set: config.opinions.tag_set(),
    };
    let network = config
        .network
        .build(&mut params.builder(config.seed), setting);
    params.load_tensors(tensors)?;
    Ok(Trained {
        config,
        vocabulary,
        dimensions,
        params,
        network,
        record,
    })
}
