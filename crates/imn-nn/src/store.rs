//! Named tensors to and from safetensors.

use std::collections::BTreeMap;

use safetensors::SafeTensors;
use safetensors::tensor::TensorView;

use crate::{Error, Result, Scalar};

/// Serialises tensors.
pub(crate) fn write<'a, S: Scalar>(
    tensors: impl Iterator<Item = (&'a str, &'a [usize], &'a [S])>,
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
    Ok(safetensors::serialize(views, None)?)
}

/// Shape and values of each tensor.
pub(crate) type Tensors<S> = BTreeMap<String, (Vec<usize>, Vec<S>)>;

/// Reads tensors of type `S`.
pub(crate) fn read<S: Scalar>(bytes: &[u8]) -> Result<Tensors<S>> {
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
