//! Values of the input that are copied to the output unchanged.
//!
//! They are kept as JSON text and never parsed, so that numbers keep all their digits.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap as _, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

/// A JSON value, kept as text.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// A JSON string with this text.
    ///
    /// # Errors
    /// None in practice: every text can be written as a JSON string.
    pub fn of_text(text: &str) -> serde_json::Result<Self> {
        to_raw_value(text).map(Self)
    }

    /// A value from its JSON text.
    ///
    /// # Errors
    /// If the text is not exactly one JSON value.
    pub fn of_json(json: String) -> serde_json::Result<Self> {
        RawValue::from_string(json).map(Self)
    }

    /// The JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Whether the value is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.get() == "null"
    }

    /// The text of a JSON string; `None` for any other value.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        serde_json::from_str(self.get()).ok()
    }

    /// The value as a table cell: strings without quotation marks, null as an empty cell, other
    /// values as JSON.
    ///
    /// ```
    /// use imn::analyze::RawJson;
    /// let cell = |json: &str| RawJson::of_json(json.to_owned()).map(|value| value.cell());
    /// assert_eq!(cell("\"a\\tb\"")?, "a\tb");
    /// assert_eq!(cell("null")?, "");
    /// assert_eq!(cell("[1.10]")?, "[1.10]");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn cell(&self) -> String {
        match self.get() {
            "null" => String::new(),
            json if json.starts_with('"') => self.text().unwrap_or_else(|| json.to_owned()),
            json => json.to_owned(),
        }
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

/// Columns of the input besides text and id, in input order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InputColumns(pub Vec<(String, RawJson)>);

impl InputColumns {
    /// Whether there are no columns.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a column; the last one if a JSON object has a key twice.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&RawJson> {
        self.0
            .iter()
            .rev()
            .find(|(other, _)| other == name)
            .map(|(_, value)| value)
    }

    /// Names and values, in input order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl Serialize for InputColumns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for InputColumns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = InputColumns;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<InputColumns, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(InputColumns(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}
