//! Opening a model by name or path: `NAME|PATH` on the command line.
//!
//! A name is that of a [`BUILT_IN`] model, whose bytes are part of the program. Everything else is
//! a path.

use std::borrow::Cow;
use std::path::Path;

use super::{ImnFamily, Model, ModelError, NetworkFamily};

/// A model that is part of the program.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn {
    /// Name for [`Model::open`].
    pub name: &'static str,
    /// One-line description.
    pub about: &'static str,
    bytes: &'static [u8],
}

impl BuiltIn {
    /// Size of the model file in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.bytes.len()
    }
}

/// The models that are part of the program, the default first. A static: the bytes of a constant
/// would be in the program once for every crate that uses it.
pub static BUILT_IN: [BuiltIn; 2] = [
    BuiltIn {
        name: "reviews",
        about: "IMN on a pre-trained transformer, for reviews of many domains, in English",
        bytes: include_bytes!("../../../../models/reviews.imn"),
    },
    BuiltIn {
        name: "fast",
        about: "the paper's CNN, taught by `reviews`: several times as fast, less accurate",
        bytes: include_bytes!("../../../../models/fast.imn"),
    },
];

/// The name of the default model.
pub const DEFAULT: &str = "reviews";

impl Model {
    /// Opens a built-in model by name, or a model file by path. Every network in it must be IMN.
    ///
    /// ```
    /// use imn::bundle::{Model, ModelError};
    ///
    /// let model = Model::open("reviews")?;
    /// assert_eq!(model.schemes(), ["judged", "terms", "targets", "phrases"]);
    /// assert!(matches!(Model::open("no such file"), Err(ModelError::Unknown { .. })));
    /// # Ok::<(), ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such model, the file cannot be read or is not a model file, or the model
    /// contains another network than IMN.
    pub fn open(name_or_path: &str) -> Result<Self, ModelError> {
        Self::open_with(name_or_path, &[&ImnFamily])
    }

    /// Opens a model like [`Model::open`]; its networks may belong to any of `families`.
    ///
    /// # Errors
    /// If there is no such model, the file cannot be read or is not a model file, or a network
    /// belongs to none of the families.
    pub fn open_with(
        name_or_path: &str,
        families: &[&dyn NetworkFamily],
    ) -> Result<Self, ModelError> {
        let bytes = bytes_of(name_or_path)?;
        Self::from_bytes_with(&bytes, families).map_err(in_model(name_or_path))
    }

    /// Opens a model like [`Model::open_with`], and gives the SHA-256 of its bytes in hexadecimal.
    /// The hash identifies the model independently of its name and path.
    ///
    /// # Errors
    /// The same as those of [`Model::open_with`].
    pub fn open_with_hash(
        name_or_path: &str,
        families: &[&dyn NetworkFamily],
    ) -> Result<(Self, String), ModelError> {
        let bytes = bytes_of(name_or_path)?;
        let model = Self::from_bytes_with(&bytes, families).map_err(in_model(name_or_path))?;
        Ok((model, imn_io::sha256(&bytes)))
    }

    /// Opens the [`DEFAULT`] model.
    ///
    /// # Errors
    /// If the program was built with a model file that it cannot read.
    pub fn built_in() -> Result<Self, ModelError> {
        Self::open(DEFAULT)
    }

    /// Parses and checks a model file whose networks are all IMN.
    ///
    /// # Errors
    /// The same as those of [`Model::from_bytes_with`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        Self::from_bytes_with(bytes, &[&ImnFamily])
    }
}

/// Adds the path of the model file to an error. A built-in model has no path.
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

/// The bytes of a built-in model or of a file.
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
