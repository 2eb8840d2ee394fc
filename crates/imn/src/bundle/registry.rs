//! Models by name or by file: `NAME|PATH` on the command line.
//!
//! A name is one of [`BUILT_IN`], whose bytes are part of the program; everything else is a path.

use std::borrow::Cow;
use std::path::Path;

use super::{ImnFamily, Model, ModelError, NetworkFamily};

/// A model that is part of the program.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn {
    /// The name that it is opened by.
    pub name: &'static str,
    /// What it is for, in one line.
    pub about: &'static str,
    bytes: &'static [u8],
}

/// The models that are part of the program, the default first.
pub const BUILT_IN: &[BuiltIn] = &[BuiltIn {
    name: "reviews",
    about: "IMN for reviews of restaurants and electronics, in English",
    bytes: include_bytes!("../../../../models/reviews.imn"),
}];

/// The name of the default model.
pub const DEFAULT: &str = BUILT_IN[0].name;

impl Model {
    /// The model of this name, or of this file.
    ///
    /// ```
    /// let model = imn::bundle::Model::open("reviews")?;
    /// assert_eq!(model.schemes(), ["terms", "targets"]);
    /// # Ok::<(), imn::bundle::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If there is none, it cannot be read, or it is not IMN.
    pub fn open(name_or_path: &str) -> Result<Self, ModelError> {
        Self::open_with(name_or_path, &[&ImnFamily])
    }

    /// The same for a model whose networks are of these families.
    ///
    /// # Errors
    /// If there is none, it cannot be read, or a network is of no such family.
    pub fn open_with(
        name_or_path: &str,
        families: &[&dyn NetworkFamily],
    ) -> Result<Self, ModelError> {
        let bytes = bytes_of(name_or_path)?;
        Self::from_bytes_with(&bytes, families).map_err(in_model(name_or_path))
    }

    /// The same, and the SHA-256 of the model's bytes in hexadecimal: the identity of the model,
    /// wherever it is and whatever it is called.
    ///
    /// # Errors
    /// As [`Model::open_with`].
    pub fn open_with_hash(
        name_or_path: &str,
        families: &[&dyn NetworkFamily],
    ) -> Result<(Self, String), ModelError> {
        let bytes = bytes_of(name_or_path)?;
        let model = Self::from_bytes_with(&bytes, families).map_err(in_model(name_or_path))?;
        Ok((model, imn_io::sha256(&bytes)))
    }

    /// The default model.
    ///
    /// # Errors
    /// If the program was built with a model that it cannot read.
    pub fn built_in() -> Result<Self, ModelError> {
        Self::open(DEFAULT)
    }

    /// Reads and checks a model of IMN.
    ///
    /// # Errors
    /// If anything about it is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        Self::from_bytes_with(bytes, &[&ImnFamily])
    }
}

/// Names the file in an error; a built-in model is in none.
fn in_model(name_or_path: &str) -> impl FnOnce(ModelError) -> ModelError + '_ {
    move |error| {
        if BUILT_IN.iter().any(|model| model.name == name_or_path) {
            return error;
        }
        ModelError::In {
            path: name_or_path.into(),
            error: Box::new(error),
        }
    }
}

/// The bytes of the model of this name or file.
fn bytes_of(name_or_path: &str) -> Result<Cow<'static, [u8]>, ModelError> {
    if let Some(model) = BUILT_IN.iter().find(|model| model.name == name_or_path) {
        return Ok(Cow::Borrowed(model.bytes));
    }
    let path = Path::new(name_or_path);
    if !path.exists() {
        let names: Vec<&str> = BUILT_IN.iter().map(|model| model.name).collect();
        return Err(ModelError::Unknown {
            asked: name_or_path.to_owned(),
            known: names.join(", "),
        });
    }
    let bytes = std::fs::read(path).map_err(|error| ModelError::Io {
        path: path.to_owned(),
        error,
    })?;
    Ok(Cow::Owned(bytes))
}
