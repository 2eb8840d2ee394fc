//! `key=value` overrides of a configuration file: `--set` on the command line.

use std::str::FromStr;

use super::ConfigError;

/// One `key=value` that replaces or adds a setting of a configuration file.
///
/// ```
/// use imn::config::{ConfigError, Override};
///
/// let change: Override = "train.epochs=40".parse()?;
/// assert_eq!(change.key(), "train.epochs");
/// assert!("train.epochs".parse::<Override>().is_err());
/// # Ok::<(), ConfigError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    key: String,
    value: toml::Value,
}

impl FromStr for Override {
    type Err = ConfigError;

    /// A value that is not TOML becomes a string, so that `model.messages=aspect` needs no quotes.
    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let bad = || ConfigError::Override(text.to_owned());
        let (key, value) = text.split_once('=').ok_or_else(bad)?;
        let (key, value) = (key.trim(), value.trim());
        if key.is_empty() || value.is_empty() {
            return Err(bad());
        }
        let parsed = format!("value = {value}").parse::<toml::Table>().ok();
        let value = parsed
            .and_then(|mut table| table.remove("value"))
            .unwrap_or_else(|| toml::Value::String(value.to_owned()));
        Ok(Self {
            key: key.to_owned(),
            value,
        })
    }
}

impl Override {
    /// An override whose value is this text, even if it reads like a number or a list.
    ///
    /// ```
    /// use imn::config::Override;
    ///
    /// let parsed: Override = "init=\"2024\"".parse()?;
    /// assert_eq!(Override::string("init", "2024"), parsed);
    /// # Ok::<(), imn::config::ConfigError>(())
    /// ```
    #[must_use]
    pub fn string(key: &str, value: &str) -> Self {
        Self {
            key: key.to_owned(),
            value: toml::Value::String(value.to_owned()),
        }
    }

    /// The dotted key, e.g. `train.epochs`.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Parses a configuration of type `T` and applies overrides to it.
    ///
    /// # Errors
    /// If the text is not TOML or not a `T`, or the key of an override treats a value as a section.
    pub fn read<T: serde::de::DeserializeOwned>(
        text: &str,
        overrides: &[Self],
    ) -> Result<T, ConfigError> {
        if overrides.is_empty() {
            // Errors of deserializing from text include the line; those of a table do not.
            return Ok(toml::from_str(text)?);
        }
        let mut table: toml::Table = toml::from_str(text)?;
        for change in overrides {
            apply(&mut table, change)?;
        }
        Ok(table.try_into()?)
    }
}

fn apply(table: &mut toml::Table, change: &Override) -> Result<(), ConfigError> {
    let mut parts: Vec<&str> = change.key.split('.').collect();
    let last = parts.pop().unwrap_or_default();
    let mut section = table;
    for part in parts {
        let entry = section
            .entry(part)
            .or_insert_with(|| toml::Value::Table(toml::Table::new()));
        section = entry
            .as_table_mut()
            .ok_or_else(|| ConfigError::NotASection {
                key: change.key.clone(),
                part: part.to_owned(),
            })?;
    }
    section.insert(last.to_owned(), change.value.clone());
    Ok(())
}
