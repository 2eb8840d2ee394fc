//! Named tensors to and from safetensors, with an optional text as metadata.
//!
//! The text is stored under the single metadata key [`KEY`]. safetensors keeps metadata in a hash
//! map; with one key, the same tensors and text always give the same bytes.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use safetensors::tensor::{TensorView, View};
use safetensors::{Dtype, SafeTensors};

use crate::{Error, Result, Scalar};

/// The metadata key of the text.
pub const KEY: &str = "imn";

/// Shape and values of each tensor.
pub type Tensors<S> = BTreeMap<String, (Vec<usize>, Vec<S>)>;

/// Shape and values of each tensor, some of which hold integers.
pub type MixedTensors<S> = BTreeMap<String, (Vec<usize>, Values<S>)>;

/// The values of a tensor.
#[derive(Debug, Clone, PartialEq)]
pub enum Values<S> {
    /// Floats of the network's type.
    Floats(Vec<S>),
    /// 32-bit unsigned integers.
    U32(Vec<u32>),
    /// 64-bit unsigned integers.
    U64(Vec<u64>),
}

impl<S: Scalar> Values<S> {
    /// A borrowed view of the values.
    #[must_use]
    pub fn view(&self) -> ValuesView<'_, S> {
        match self {
            Self::Floats(data) => ValuesView::Floats(data),
            Self::U32(data) => ValuesView::U32(data),
            Self::U64(data) => ValuesView::U64(data),
        }
    }

    /// The floats of tensor `name`.
    ///
    /// # Errors
    /// If it holds integers.
    pub fn floats(self, name: &str) -> Result<Vec<S>> {
        match self {
            Self::Floats(data) => Ok(data),
            other => Err(other.wrong(name, S::DTYPE)),
        }
    }

    /// The 32-bit integers of tensor `name`.
    ///
    /// # Errors
    /// If it holds another type.
    pub fn u32s(self, name: &str) -> Result<Vec<u32>> {
        match self {
            Self::U32(data) => Ok(data),
            other => Err(other.wrong(name, Dtype::U32)),
        }
    }

    /// The 64-bit integers of tensor `name`.
    ///
    /// # Errors
    /// If it holds another type.
    pub fn u64s(self, name: &str) -> Result<Vec<u64>> {
        match self {
            Self::U64(data) => Ok(data),
            other => Err(other.wrong(name, Dtype::U64)),
        }
    }

    fn wrong(&self, name: &str, expected: Dtype) -> Error {
        wrong_type(name, self.view().dtype(), expected)
    }
}

fn wrong_type(name: &str, found: Dtype, expected: Dtype) -> Error {
    Error::Type {
        name: name.to_owned(),
        found: format!("{found:?}"),
        expected: format!("{expected:?}"),
    }
}

/// The borrowed values of a tensor.
#[derive(Debug, Clone, Copy)]
pub enum ValuesView<'a, S> {
    /// Floats of the network's type.
    Floats(&'a [S]),
    /// 32-bit unsigned integers.
    U32(&'a [u32]),
    /// 64-bit unsigned integers.
    U64(&'a [u64]),
}

impl<'a, S> From<&'a [S]> for ValuesView<'a, S> {
    fn from(data: &'a [S]) -> Self {
        Self::Floats(data)
    }
}

impl<S: Scalar> ValuesView<'_, S> {
    fn dtype(self) -> Dtype {
        match self {
            Self::Floats(_) => S::DTYPE,
            Self::U32(_) => Dtype::U32,
            Self::U64(_) => Dtype::U64,
        }
    }
}

/// A tensor that safetensors can write without a copy.
struct BorrowedTensor<'a, S> {
    shape: &'a [usize],
    values: ValuesView<'a, S>,
}

/// The numbers as little-endian bytes.
fn bytes<T: bytemuck::Pod>(data: &[T], to_le: impl Fn(T) -> T) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(bytemuck::cast_slice(data));
    }
    let swapped: Vec<T> = data.iter().map(|&number| to_le(number)).collect();
    Cow::Owned(bytemuck::cast_slice(&swapped).to_vec())
}

impl<S: Scalar> View for BorrowedTensor<'_, S> {
    fn dtype(&self) -> Dtype {
        self.values.dtype()
    }

    fn shape(&self) -> &[usize] {
        self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        match self.values {
            ValuesView::Floats(data) => bytes(data, S::to_le),
            ValuesView::U32(data) => bytes(data, u32::to_le),
            ValuesView::U64(data) => bytes(data, u64::to_le),
        }
    }

    fn data_len(&self) -> usize {
        match self.values {
            ValuesView::Floats(data) => size_of_val(data),
            ValuesView::U32(data) => size_of_val(data),
            ValuesView::U64(data) => size_of_val(data),
        }
    }
}

fn views<'a, S: Scalar, V: Into<ValuesView<'a, S>>>(
    tensors: impl Iterator<Item = (&'a str, &'a [usize], V)>,
) -> impl Iterator<Item = (&'a str, BorrowedTensor<'a, S>)> {
    tensors.map(|(name, shape, values)| {
        let values = values.into();
        (name, BorrowedTensor { shape, values })
    })
}

fn metadata(text: Option<String>) -> Option<HashMap<String, String>> {
    text.map(|text| HashMap::from([(KEY.to_owned(), text)]))
}

/// Serializes tensors and an optional text.
///
/// # Errors
/// Only if `safetensors` refuses the tensors.
pub fn write<'a, S: Scalar, V: Into<ValuesView<'a, S>>>(
    tensors: impl Iterator<Item = (&'a str, &'a [usize], V)>,
    text: Option<String>,
) -> Result<Vec<u8>> {
    Ok(safetensors::serialize(views(tensors), metadata(text))?)
}

/// Like [`write()`], straight to a file.
///
/// # Errors
/// If the file cannot be written.
pub fn write_file<'a, S: Scalar, V: Into<ValuesView<'a, S>>>(
    tensors: impl Iterator<Item = (&'a str, &'a [usize], V)>,
    text: Option<String>,
    path: &Path,
) -> Result<()> {
    Ok(safetensors::serialize_to_file(
        views(tensors),
        metadata(text),
        path,
    )?)
}

/// Reads tensors of type `S`.
///
/// # Errors
/// If the bytes are malformed or a tensor has a different type.
pub fn read<S: Scalar>(bytes: &[u8]) -> Result<Tensors<S>> {
    let file = SafeTensors::deserialize(bytes)?;
    file.tensors()
        .into_iter()
        .map(|(name, view)| {
            let data = floats(&name, &view)?;
            Ok((name, (view.shape().to_vec(), data)))
        })
        .collect()
}

/// Reads tensors of type `S`, U32 and U64.
///
/// # Errors
/// If the bytes are malformed or a tensor has a different type.
pub fn read_mixed<S: Scalar>(bytes: &[u8]) -> Result<MixedTensors<S>> {
    let file = SafeTensors::deserialize(bytes)?;
    file.tensors()
        .into_iter()
        .map(|(name, view)| {
            let values = match view.dtype() {
                Dtype::U32 => {
                    let numbers = view.data().as_chunks().0.iter();
                    Values::U32(numbers.map(|&bytes| u32::from_le_bytes(bytes)).collect())
                }
                Dtype::U64 => {
                    let numbers = view.data().as_chunks().0.iter();
                    Values::U64(numbers.map(|&bytes| u64::from_le_bytes(bytes)).collect())
                }
                _ => Values::Floats(floats(&name, &view)?),
            };
            Ok((name, (view.shape().to_vec(), values)))
        })
        .collect()
}

fn floats<S: Scalar>(name: &str, view: &TensorView<'_>) -> Result<Vec<S>> {
    if view.dtype() != S::DTYPE {
        return Err(wrong_type(name, view.dtype(), S::DTYPE));
    }
    Ok(view.data().chunks_exact(S::BYTES).map(S::read_le).collect())
}

/// Reads the text, if there is one.
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
