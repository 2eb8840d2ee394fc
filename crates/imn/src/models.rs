//! Models by name or by file: `NAME|PATH` on the command line.
//!
//! A name is one of [`BUILT_IN`], whose bytes are part of the program; everything else is a path.

use std::path::Path;

use crate::bundle::{Bundle, BundleError};

/// A model that is part of the program.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn {
    /// What it is asked for by.
    pub name: &'static str,
    /// What it is for, in a line.
    pub about: &'static str,
    bytes: &'static [u8],
}

/// The models that are part of the program, the default first.
pub const BUILT_IN: &[BuiltIn] = &[BuiltIn {
    name: "reviews",
    about: "IMN for reviews of restaurants and electronics, in English",
    bytes: include_bytes!("../../../models/reviews.imn"),
}];

/// The name of the model that is used where none is named.
pub const DEFAULT: &str = BUILT_IN[0].name;

/// The default model.
///
/// # Errors
/// If the program was built with a bundle that it cannot read.
pub fn built_in() -> Result<Bundle, ModelError> {
    open(DEFAULT)
}

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// Neither a name nor a file.
    #[error("no model is called `{asked}`, and no file is; built in: {known}")]
    Unknown {
        /// What was asked for.
        asked: String,
        /// The names that there are.
        known: String,
    },
    /// The bundle is of no use.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

/// The model of this name, or of this file.
///
/// # Errors
/// If there is none, or it cannot be read.
pub fn open(name_or_path: &str) -> Result<Bundle, ModelError> {
    if let Some(model) = BUILT_IN.iter().find(|model| model.name == name_or_path) {
        return Ok(Bundle::from_bytes(model.bytes)?);
    }
    let path = Path::new(name_or_path);
    if !path.exists() {
        let names: Vec<&str> = BUILT_IN.iter().map(|model| model.name).collect();
        return Err(ModelError::Unknown {
            asked: name_or_path.to_owned(),
            known: names.join(", "),
        });
    }
    Ok(Bundle::open(path)?)
}
