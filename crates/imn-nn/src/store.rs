//! Named tensors to and from safetensors, with one text beside them.
//!
//! The text is the value of the one metadata key [`KEY`]: safetensors keeps metadata in a hash map, and with one key
//! the same tensors and text always give the same bytes.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use safetensors::tensor::View;
use safetensors::{Dtype, SafeTensors};

use crate::{Error, Result, Scalar};

/// The metadata key of the text.
pub const KEY: &str = "imn";

/// Shape and values of each tensor.
pub type Tensors<S> = BTreeMap<String, (Vec<usize>, Vec<S>)>;

/// A tensor that gives its bytes where they are.
struct Lent<'a, S> {
    shape: &'a [usize],
    data: &'a [S],
}

impl<S: Scalar> View for Lent<'_, S> {
    fn dtype(&self) -> Dtype {
        S::DTYPE
    }

    fn shape(&self) -> &[usize] {
        self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        if cfg!(target_endian = "little") {
            return Cow::Borrowed(bytemuck::cast_slice(self.data));
        }
        let swapped: Vec<S> = self.data.iter().map(|number| number.to_le()).collect();
        Cow::Owned(bytemuck::cast_slice(&swapped).to_vec())
    }

    fn data_len(&self) -> usize {
        self.data.len() * S::BYTES
    }
}

fn lent<'a, S: Scalar>(
    tensors: impl Iterator<Item = (&'a str, &'a [usize], &'a [S])>,
) -> impl Iterator<Item = (&'a str, Lent<'a, S>)> {
    tensors.map(|(name, shape, data)| (name, Lent { shape, data }))
}

fn metadata(text: Option<String>) -> Option<HashMap<String, String>> {
    text.map(|text| HashMap::from([(KEY.to_owned(), text)]))
}

/// Serialises tensors, and a text beside them.
///
/// # Errors
/// Only if `safetensors` refuses the tensors.
pub fn write<'a, S: Scalar>(
    tensors: impl Iterator<Item = (&'a str, &'a [usize], &'a [S])>,
    text: Option<String>,
) -> Result<Vec<u8>> {
    Ok(safetensors::serialize(lent(tensors), metadata(text))?)
}

/// Writes what [`write()`] gives to a file without holding it in memory.
///
/// # Errors
/// If the file cannot be written.
pub fn write_file<'a, S: Scalar>(
    tensors: impl Iterator<Item = (&'a str, &'a [usize], &'a [S])>,
    text: Option<String>,
    path: &Path,
) -> Result<()> {
    Ok(safetensors::serialize_to_file(
        lent(tensors),
        metadata(text),
        path,
    )?)
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
