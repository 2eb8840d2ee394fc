//! Strings of an Arrow column, borrowed from its buffers.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, LargeStringArray, StringArray, StringViewArray};
use arrow_schema::{ArrowError, DataType};

/// A column of strings.
pub(super) enum TextColumn<'a> {
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
    Dictionary {
        array: &'a dyn Array,
        values: Box<TextColumn<'a>>,
        /// The index of each row's value; arbitrary for a null row.
        keys: Vec<usize>,
    },
    /// All rows are null.
    Null,
}

impl<'a> TextColumn<'a> {
    pub(super) fn new(array: &'a dyn Array) -> Result<Self, ArrowError> {
        Ok(match array.data_type() {
            DataType::Utf8 => Self::Utf8(array.as_string()),
            DataType::LargeUtf8 => Self::LargeUtf8(array.as_string()),
            DataType::Utf8View => Self::Utf8View(array.as_string_view()),
            DataType::Null => Self::Null,
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                // There are no keys to normalize if there are no values.
                if dictionary.values().is_empty() {
                    return Ok(Self::Null);
                }
                Self::Dictionary {
                    array,
                    values: Box::new(Self::new(dictionary.values().as_ref())?),
                    keys: dictionary.normalized_keys(),
                }
            }
            other => {
                let text = format!("the text column has the type {other}");
                return Err(ArrowError::SchemaError(text));
            }
        })
    }

    /// The string of a row; `None` if it is null.
    pub(super) fn get(&self, i: usize) -> Option<&'a str> {
        match self {
            Self::Utf8(array) => array.is_valid(i).then(|| array.value(i)),
            Self::LargeUtf8(array) => array.is_valid(i).then(|| array.value(i)),
            Self::Utf8View(array) => array.is_valid(i).then(|| array.value(i)),
            Self::Dictionary {
                array,
                values,
                keys,
            } => array.is_valid(i).then(|| values.get(keys[i])).flatten(),
            Self::Null => None,
        }
    }
}

/// What the values of a type are, if they are not strings.
pub(super) fn type_problem(kind: &DataType) -> Option<String> {
    let found = match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => return None,
        DataType::Dictionary(_, values) => return type_problem(values),
        DataType::Boolean => "true or false",
        DataType::Struct(_) | DataType::Map(..) => "an object",
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => "a list",
        kind if kind.is_numeric() => "a number",
        kind => return Some(format!("of type {kind}")),
    };
    Some(found.to_owned())
}
