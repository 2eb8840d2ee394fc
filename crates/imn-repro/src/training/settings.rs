//! The configuration of a run: from a file, or made from a model that is adapted.

use std::fs;
use std::path::{Path, PathBuf};

use imn::bundle::{Model, ModelPart};
use imn::config::{Config, Override};
use imn::data::{self, DataFormat};
use imn::train::adapted_config;

use super::TrainingRunError;

/// Reads a configuration file and applies overrides to it. `init` replaces the model that the file
/// starts from.
///
/// # Errors
/// If the file cannot be read or is not a valid configuration.
pub fn read_config(
    path: &Path,
    overrides: &[Override],
    init: Option<&str>,
) -> Result<Config, TrainingRunError> {
    let text = fs::read_to_string(path).map_err(|error| TrainingRunError::ConfigFile {
        path: path.to_owned(),
        error,
    })?;
    parse_config(&path.display().to_string(), &text, overrides, init)
}

/// Parses a configuration that messages call `name`, like [`read_config`].
///
/// # Errors
/// If the text is not a valid configuration.
pub fn parse_config(
    name: &str,
    text: &str,
    overrides: &[Override],
    init: Option<&str>,
) -> Result<Config, TrainingRunError> {
    let init = init.map(|model| Override::string("init", model));
    let changes: Vec<Override> = overrides.iter().cloned().chain(init).collect();
    Config::from_toml(text, &changes).map_err(|error| TrainingRunError::Config {
        name: name.to_owned(),
        overridden: !overrides.is_empty(),
        error,
    })
}

/// Opens a model to start training from.
///
/// # Errors
/// If it cannot be opened, or is a pipeline.
pub fn initial_model(name_or_path: &str) -> Result<ModelPart, TrainingRunError> {
    let part = Model::open(name_or_path)?.into_only_part();
    part.ok_or_else(|| TrainingRunError::Pipeline {
        name: name_or_path.to_owned(),
    })
}

/// The settings that adapt the model `name` to a file or four-file folder of labelled sentences in
/// one of its annotation schemes, the folder that contains it, and the model.
///
/// # Errors
/// If it does not exist, or the model cannot be opened, is a pipeline or lacks the scheme.
pub fn adapted(
    name: &str,
    file: &Path,
    scheme: Option<&str>,
    overrides: &[Override],
) -> Result<(Config, PathBuf, ModelPart), TrainingRunError> {
    if file.is_dir() && data::detect(file).ok() != Some(DataFormat::FourFile) {
        return Err(TrainingRunError::NotLabelled {
            path: file.to_owned(),
        });
    }
    // The set is called after its file or folder, and `..` has no name.
    let resolved = file.canonicalize().unwrap_or_default();
    let file = if file.file_name().is_some() {
        file
    } else {
        &resolved
    };
    let part = initial_model(name)?;
    let relative = file.file_name().map_or(file, Path::new);
    let config =
        adapted_config(&part, name, relative, scheme).map_err(|error| TrainingRunError::Adapt {
            name: name.to_owned(),
            error,
        })?;
    let settings = format!("the settings that adapt {name}");
    let text = config.to_toml().map_err(|error| TrainingRunError::Config {
        name: settings.clone(),
        overridden: false,
        error,
    })?;
    let config = parse_config(&settings, &text, overrides, Some(name))?;
    let folder = file.parent().map(Path::to_owned).unwrap_or_default();
    Ok((config, folder, part))
}
