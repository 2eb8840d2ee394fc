//! Pre-trained weights from `model.safetensors`, as Hugging Face `transformers` stores them.
//!
//! Linear layers are stored there as `[outputs, inputs]`. They are transposed on loading, and the
//! kernels of keys and values are concatenated.

use std::collections::BTreeMap;
use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use super::TransformerEncoder;
use super::block::Block;
use crate::layers::{LayerNorm, Linear};
use crate::{Error, ParamId, Params, Result, Scalar};

/// Prefixes of all names in a file that was saved with a task head.
const PREFIXES: [&str; 2] = ["bert.", "mpnet."];

/// Prefixes of tensors that the encoder does not use: task heads and constants.
const IGNORED: [&str; 6] = [
    "pooler.",
    "cls.",
    "lm_head.",
    "classifier.",
    "qa_outputs.",
    "embeddings.position_ids",
];

/// The tensors of a file, without the prefix of their names. Each is taken once.
struct PretrainedTensors<'a> {
    views: BTreeMap<String, TensorView<'a>>,
}

impl<'a> PretrainedTensors<'a> {
    fn new(file: &SafeTensors<'a>) -> Self {
        let strip = |name: &str| {
            let rest = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
            rest.unwrap_or(name).to_owned()
        };
        let tensors = file.tensors().into_iter();
        let views = tensors
            .map(|(name, view)| (strip(&name), view))
            .filter(|(name, _)| !IGNORED.iter().any(|ignored| name.starts_with(ignored)));
        Self {
            views: views.collect(),
        }
    }

    /// The values of a tensor, which must have this shape.
    fn take<S: Scalar>(&mut self, name: &str, shape: &[usize]) -> Result<Vec<S>> {
        let view = self.views.remove(name).ok_or_else(|| Error::Missing {
            name: name.to_owned(),
        })?;
        if view.shape() != shape {
            return Err(Error::Shape {
                name: name.to_owned(),
                found: view.shape().to_vec(),
                expected: shape.to_vec(),
            });
        }
        let bytes = view.data();
        let half = |convert: fn([u8; 2]) -> f32| {
            let numbers = bytes.as_chunks().0.iter();
            numbers
                .map(|&x| S::from_f64(f64::from(convert(x))))
                .collect()
        };
        Ok(match view.dtype() {
            Dtype::F32 => {
                let numbers = bytes.as_chunks().0.iter();
                numbers
                    .map(|&x| S::from_f64(f64::from(f32::from_le_bytes(x))))
                    .collect()
            }
            Dtype::F16 => half(|x| half::f16::from_le_bytes(x).to_f32()),
            Dtype::BF16 => half(|x| half::bf16::from_le_bytes(x).to_f32()),
            other => {
                return Err(Error::Type {
                    name: name.to_owned(),
                    found: format!("{other:?}"),
                    expected: "F32, F16 or BF16".to_owned(),
                });
            }
        })
    }
}

/// Values of parameters, collected until all of them have been found.
struct Loader<'a, 's, S> {
    source: PretrainedTensors<'s>,
    params: &'a Params<S>,
    values: Vec<(ParamId, Vec<S>)>,
}

impl<S: Scalar> Loader<'_, '_, S> {
    /// Loads a tensor without changes.
    fn copy(&mut self, id: ParamId, name: &str) -> Result<()> {
        let data = self.source.take(name, self.params.get(id).shape())?;
        self.values.push((id, data));
        Ok(())
    }

    /// Loads one or more linear layers, concatenated.
    fn linear(&mut self, layer: &Linear, names: &[String]) -> Result<()> {
        let tensor = self.params.get(layer.kernel());
        let (inputs, outputs) = (tensor.rows(), tensor.cols());
        let own = outputs / names.len();
        let mut kernel = vec![S::zero(); inputs * outputs];
        let mut biases = Vec::with_capacity(outputs);
        for (index, name) in names.iter().enumerate() {
            let weight: Vec<S> = self
                .source
                .take(&format!("{name}.weight"), &[own, inputs])?;
            for (j, column) in weight.chunks_exact(inputs).enumerate() {
                for (i, &number) in column.iter().enumerate() {
                    kernel[i * outputs + index * own + j] = number;
                }
            }
            biases.extend(self.source.take::<S>(&format!("{name}.bias"), &[own])?);
        }
        self.values.push((layer.kernel(), kernel));
        self.values.extend(layer.bias().map(|bias| (bias, biases)));
        Ok(())
    }

    /// Loads a layer norm. Old files call γ and β `gamma` and `beta`.
    fn norm(&mut self, layer: &LayerNorm, name: &str) -> Result<()> {
        let old = self.source.views.contains_key(&format!("{name}.gamma"));
        let (gain, bias) = if old {
            ("gamma", "beta")
        } else {
            ("weight", "bias")
        };
        self.copy(layer.gain(), &format!("{name}.{gain}"))?;
        self.copy(layer.bias(), &format!("{name}.{bias}"))
    }

    fn block(&mut self, block: &Block, name: &str, mpnet: bool) -> Result<()> {
        let own = |rest: &str| format!("{name}.{rest}");
        let (query, key, value, output, norm) = if mpnet {
            (
                "attention.attn.q",
                "attention.attn.k",
                "attention.attn.v",
                "attention.attn.o",
                "attention.LayerNorm",
            )
        } else {
            (
                "attention.self.query",
                "attention.self.key",
                "attention.self.value",
                "attention.output.dense",
                "attention.output.LayerNorm",
            )
        };
        let attention = &block.attention;
        self.linear(&attention.query, &[own(query)])?;
        self.linear(&attention.key_value, &[own(key), own(value)])?;
        self.linear(&attention.output, &[own(output)])?;
        self.norm(&attention.norm, &own(norm))?;
        let layer = &block.feed_forward;
        self.linear(&layer.inner, &[own("intermediate.dense")])?;
        self.linear(&layer.output, &[own("output.dense")])?;
        self.norm(&layer.norm, &own("output.LayerNorm"))
    }
}

/// Whether a tensor belongs to a layer above the lowest `layers`.
fn is_layer_above(name: &str, layers: usize) -> bool {
    name.strip_prefix("encoder.layer.")
        .and_then(|rest| rest.split_once('.')?.0.parse().ok())
        .is_some_and(|layer: usize| layer >= layers)
}

impl TransformerEncoder {
    /// Loads the weights from `model.safetensors` in a folder, with the names and shapes of Hugging
    /// Face `transformers`. Poolers, task heads and layers above those of the encoder are ignored.
    ///
    /// # Errors
    /// If the file cannot be read, or a tensor is missing, unexpected or has the wrong shape or
    /// type. On error, nothing is changed.
    pub fn load_pretrained<S: Scalar>(&self, params: &mut Params<S>, folder: &Path) -> Result<()> {
        let path = folder.join("model.safetensors");
        let bytes = std::fs::read(&path).map_err(|source| Error::Read {
            path: path.clone(),
            source,
        })?;
        self.load_pretrained_bytes(params, &bytes)
            .map_err(|error| Error::Pretrained {
                path,
                source: Box::new(error),
            })
    }

    /// Like [`TransformerEncoder::load_pretrained`], from the bytes of the file.
    ///
    /// # Errors
    /// If the bytes are malformed, or a tensor is missing, unexpected or has the wrong shape or
    /// type.
    pub fn load_pretrained_bytes<S: Scalar>(
        &self,
        params: &mut Params<S>,
        bytes: &[u8],
    ) -> Result<()> {
        let file = SafeTensors::deserialize(bytes)?;
        let mut loader = Loader {
            source: PretrainedTensors::new(&file),
            params,
            values: Vec::new(),
        };
        let tables = &self.embeddings;
        let named = |name: &str| format!("embeddings.{name}_embeddings.weight");
        loader.copy(tables.words.table(), &named("word"))?;
        loader.copy(tables.positions.table(), &named("position"))?;
        if let Some(types) = tables.types {
            loader.copy(types.table(), &named("token_type"))?;
        }
        loader.norm(&tables.norm, "embeddings.LayerNorm")?;
        if let Some(relative) = self.relative {
            loader.copy(relative.table, "encoder.relative_attention_bias.weight")?;
        }
        let mpnet = self.relative.is_some();
        for (i, block) in self.layers.iter().enumerate() {
            loader.block(block, &format!("encoder.layer.{i}"), mpnet)?;
        }
        let mut left = loader.source.views.into_keys();
        if let Some(name) = left.find(|name| !is_layer_above(name, self.layers.len())) {
            return Err(Error::Unexpected { name });
        }
        for (id, values) in loader.values {
            params.get_mut(id).data_mut().copy_from_slice(&values);
        }
        Ok(())
    }
}
