//! `key=value` given besides the file.

use std::str::FromStr;

use super::ConfigError;

/// One `key=value` given besides the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    key: String,
    value: toml::Value,
}

impl FromStr for Override {
    type Err = ConfigError;

    /// `train.epochs=40`; a value that is not TOML is a string, so that `model.messages=aspect` works.
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
    /// What it changes.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Reads a configuration of any form and applies overrides.
    ///
    /// # Errors
    /// If the text is not of this form, or an override goes through something that has no parts.
    pub fn read<T: serde::de::DeserializeOwned>(
        text: &str,
        overrides: &[Self],
    ) -> Result<T, ConfigError> {
        if overrides.is_empty() {
            // Straight from the text: errors then show the line.
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
