//! x ≈ s · q: tensors in 8 or 16 bits, for small files.
//!
//! A tensor is stored as 16-bit floats, or as 8-bit integers q with a 16-bit scale s for every
//! [`BLOCK`] numbers of a row. A row of word vectors concatenates parts of different magnitude, for
//! which a single scale would be too coarse. The scales of `NAME` are the tensor `NAME.scales`.
//!
//! All tensors are read back as 32-bit floats. Files that [`crate::store`] wrote can be read too.

use std::borrow::Cow;
use std::collections::HashMap;

use half::f16;
use safetensors::tensor::{TensorView, View};
use safetensors::{Dtype, SafeTensors};

use crate::store::{KEY, Tensors};
use crate::{Error, Result};

/// Numbers of a row that share a scale.
pub const BLOCK: usize = 32;

/// Suffix of the name of a tensor of scales.
const SCALES: &str = ".scales";

/// The storage format of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// 16-bit floats, with 11 bits of precision.
    Half,
    /// 8-bit integers with scales.
    Bytes,
}

struct OwnedTensor {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl View for OwnedTensor {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.bytes)
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

/// Serializes tensors and a text. `width` chooses the format of each tensor by its name.
///
/// # Errors
/// Only if `safetensors` refuses the tensors.
pub fn write<'a>(
    tensors: impl Iterator<Item = (&'a str, &'a [usize], &'a [f32])>,
    width: impl Fn(&str) -> Width,
    text: String,
) -> Result<Vec<u8>> {
    let mut stored = Vec::new();
    for (name, shape, data) in tensors {
        let tensor = |dtype, bytes| OwnedTensor {
            dtype,
            shape: shape.to_vec(),
            bytes,
        };
        match width(name) {
            Width::Half => stored.push((name.to_owned(), tensor(Dtype::F16, f16_bytes(data)))),
            Width::Bytes => {
                let columns = shape.last().copied().unwrap_or(1);
                let (numbers, scales) = quantize(data, columns);
                let scales = OwnedTensor {
                    dtype: Dtype::F16,
                    shape: vec![scales.len()],
                    bytes: f16_bytes(&scales),
                };
                stored.push((format!("{name}{SCALES}"), scales));
                stored.push((name.to_owned(), tensor(Dtype::I8, numbers)));
            }
        }
    }
    let text = HashMap::from([(KEY.to_owned(), text)]);
    Ok(safetensors::serialize(stored, Some(text))?)
}

fn f16_bytes(data: &[f32]) -> Vec<u8> {
    let numbers = data.iter().map(|&x| f16::from_f32(x));
    numbers.flat_map(f16::to_le_bytes).collect()
}

/// 8-bit integers as bytes, and the scales of their blocks.
fn quantize(data: &[f32], columns: usize) -> (Vec<u8>, Vec<f32>) {
    let mut numbers = Vec::with_capacity(data.len());
    let mut scales = Vec::new();
    for block in data
        .chunks(columns.max(1))
        .flat_map(|row| row.chunks(BLOCK))
    {
        let largest = block.iter().fold(0.0_f32, |max, x| max.max(x.abs()));
        // Round to 16 bits first: the reader multiplies with the rounded scale.
        let scale = f16::from_f32(largest / f32::from(i8::MAX)).to_f32();
        scales.push(scale);
        numbers.extend(block.iter().map(|&x| {
            let number = if scale > 0.0 { x / scale } else { 0.0 };
            let max = f32::from(i8::MAX);
            (number.round().clamp(-max, max) as i8).cast_unsigned()
        }));
    }
    (numbers, scales)
}

/// Reads tensors of any format.
///
/// # Errors
/// If the bytes are malformed, a tensor has an unsupported type, or its scales do not match.
pub fn read(bytes: &[u8]) -> Result<Tensors<f32>> {
    let file = SafeTensors::deserialize(bytes)?;
    let views: HashMap<String, TensorView<'_>> = file.tensors().into_iter().collect();
    let mut tensors = Tensors::new();
    for (name, view) in &views {
        let scaled = name
            .strip_suffix(SCALES)
            .and_then(|name| views.get(name))
            .is_some_and(|view| view.dtype() == Dtype::I8);
        if scaled {
            continue;
        }
        let shape = view.shape().to_vec();
        let wrong = |found: String| Error::Type {
            name: name.clone(),
            found,
            expected: "F32, F16, or I8 with scales".to_owned(),
        };
        let data = match view.dtype() {
            Dtype::F32 => view
                .data()
                .as_chunks()
                .0
                .iter()
                .map(|&x| f32::from_le_bytes(x))
                .collect(),
            Dtype::F16 => f16_values(view),
            Dtype::I8 => {
                let columns = shape.last().copied().unwrap_or(1).max(1);
                let scales = views
                    .get(&format!("{name}{SCALES}"))
                    .filter(|scales| scales.dtype() == Dtype::F16)
                    .map(f16_values)
                    .ok_or_else(|| wrong("I8 without scales".to_owned()))?;
                let expected = view.data().len() / columns * columns.div_ceil(BLOCK);
                if scales.len() != expected {
                    let found = format!("I8 with {} scales instead of {expected}", scales.len());
                    return Err(wrong(found));
                }
                dequantize(view.data(), &scales, columns)
            }
            other => return Err(wrong(format!("{other:?}"))),
        };
        tensors.insert(name.clone(), (shape, data));
    }
    Ok(tensors)
}

fn f16_values(view: &TensorView<'_>) -> Vec<f32> {
    let numbers = view.data().as_chunks().0.iter();
    numbers.map(|&x| f16::from_le_bytes(x).to_f32()).collect()
}

fn dequantize(numbers: &[u8], scales: &[f32], columns: usize) -> Vec<f32> {
    let mut data = Vec::with_capacity(numbers.len());
    let blocks = numbers
        .chunks(columns)
        .flat_map(|row| row.chunks(BLOCK))
        .zip(scales);
    for (block, &scale) in blocks {
        data.extend(block.iter().map(|&x| f32::from(x.cast_signed()) * scale));
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> (Vec<usize>, Vec<f32>) {
        // Two rows of 40: a full block and a partial one, of very different magnitudes.
        let values = (0..80).map(|i: i32| {
            let size = if i % 40 < 32 { 5.0 } else { 0.01 };
            size * ((i * 37 % 41) as f32 / 20.0 - 1.0)
        });
        (vec![2, 40], values.collect())
    }

    #[test]
    fn rounding_errors_are_within_the_precision() {
        let (shape, data) = table();
        for (width, off) in [(Width::Half, 1.0 / 2048.0), (Width::Bytes, 1.2 / 254.0)] {
            let tensors = [("t", shape.as_slice(), data.as_slice())];
            let bytes = write(tensors.into_iter(), |_| width, "text".to_owned()).unwrap();
            let read = read(&bytes).unwrap();
            assert_eq!(read.len(), 1);
            assert_eq!(read["t"].0, shape);
            for (i, (a, b)) in read["t"].1.iter().zip(&data).enumerate() {
                let block = if i % 40 < 32 { 5.0 } else { 0.01 };
                assert!((a - b).abs() <= off * block, "{width:?}: {a} {b}");
            }
            assert_eq!(crate::store::read_text(&bytes).unwrap().unwrap(), "text");
        }
    }

    #[test]
    fn quantizing_twice_changes_nothing() {
        let (shape, data) = table();
        for width in [Width::Half, Width::Bytes] {
            let write = |data: &[f32]| {
                let tensors = [("t", shape.as_slice(), data)];
                write(tensors.into_iter(), |_| width, String::new()).unwrap()
            };
            let once = write(&data);
            assert_eq!(write(&read(&once).unwrap()["t"].1), once);
        }
    }

    #[test]
    fn wrong_scales_are_rejected() {
        let (shape, data) = table();
        let tensors = [
            ("t", shape.as_slice(), data.as_slice()),
            ("s", &[3], &[1.0; 3]),
        ];
        let bytes = write(
            tensors.into_iter(),
            |name| {
                if name == "t" {
                    Width::Bytes
                } else {
                    Width::Half
                }
            },
            String::new(),
        )
        .unwrap();
        let rename = |from: &str, to: &str| {
            let mut text = bytes.clone();
            let at = text.windows(from.len()).position(|w| w == from.as_bytes());
            text[at.unwrap()..][..to.len()].copy_from_slice(to.as_bytes());
            read(&text).unwrap_err().to_string()
        };
        assert!(rename("\"t.scales\"", "\"u.scales\"").contains("without scales"));
        assert!(rename("[2,40]", "[1,80]").contains("instead of 3"));
    }
}
