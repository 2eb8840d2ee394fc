//! Named tensors to and from safetensors, with one text beside them.
//!
//! The text is the value of the one metadata key [`KEY`]: safetensors keeps metadata in a hash map, and with one key
//! the same tensors and text always give the same bytes.

use std::collections::{BTreeMap, HashMap};

use safetensors::SafeTensors;
use safetensors::tensor::TensorView;

use crate::{Error, Result, Scalar};

/// The metadata key of the text.
pub const KEY: &str = "imn";

/// Shape and values of each tensor.
pub type Tensors<S> = BTreeMap<String, (Vec<usize>, Vec<S>)>;

/// Serialises tensors, and a text beside them.
///
/// # Errors
/// Only if `safetensors` refuses the tensors.
pub fn write<'a, S: Scalar>(
    tensors: impl Iterator<Item = (&'a str, &'a [usize], &'a [S])>,
    text: Option<String>,
) -> Result<Vec<u8>> {
    let bytes: Vec<(&str, &[usize], Vec<u8>)> = tensors
        .map(|(name, shape, data)| {
            let mut bytes = Vec::with_capacity(data.len() * S::BYTES);
            data.iter().for_each(|value| value.write_le(&mut bytes));
            (name, shape, bytes)
        })
        .collect();
    let views = bytes
        .iter()
        .map(|(name, shape, bytes)| Ok((*name, TensorView::new(S::DTYPE, shape.to_vec(), bytes)?)))
        .collect::<Result<Vec<_>>>()?;
    let metadata = text.map(|text| HashMap::from([(KEY.to_owned(), text)]));
    Ok(safetensors::serialize(views, metadata)?)
}

/// Reads tensors of type `S`.
///
/// # Errors
/// If the bytes are malformed or a tensor has another type.
pub fn read<S: Scalar>(bytes: &[u8]) -> Result<Tensors<S>> {
    let file = SafeTensors::deserialize(bytes)?;
    file.tensors()
        .into_iter()
        .map(|(name, view)| {
            if view.dtype() != S::DTYPE {
                let (found, expected) = (format!("{:?}", view.dtype()), format!("{:?}", S::DTYPE));
                return Err(Error::Type {
                    name,
                    found,
                    expected,
                });
            }
            let data = view.data().chunks_exact(S::BYTES).map(S::read_le).collect();
            Ok((name, (view.shape().to_vec(), data)))
        })
        .collect()
}

/// Reads the text beside the tensors, if there is one.
///
/// # Errors
/// If the bytes are malformed.
pub fn read_text(bytes: &[u8]) -> Result<Option<String>> {
    let (_, header) = SafeTensors::read_metadata(bytes)?;
    Ok(header
        .metadata()
        .as_ref()
        .and_then(|map| map.get(KEY).cloned()))
}
