//! Strict JSON objects, and error messages without Rust terms.
//!
//! Serde also accepts a list in place of an object, with the fields in order. It would read
//! `[0, 4]` as a term, although its author may have meant something else.

use std::fmt;
use std::marker::PhantomData;

use imn_io::message::plain_json;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Description of an object, for error messages.
pub(super) trait Shape {
    /// Follows "expected" in the message.
    const SHAPE: &'static str;
}

/// A value that is read only from an object.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Object<T>(pub(super) T);

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Shape> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::SHAPE)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Object)
    }
}

impl<'de, T: Deserialize<'de> + Shape> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

/// The message of an error in one line, without Rust terms.
pub(super) fn plain_message(error: &serde_json::Error) -> String {
    // serde_json was given a single line, so only the column is useful.
    let message = plain_json(&error.to_string());
    // serde_json was given a single line, so only the column is useful.
    let message = message.replace(" at line 1 column ", ", column ");
    message.replace("unknown variant", "unknown polarity")
}
