//! The result of one run as a small JSON file, from which tables are made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use imn::eval::{Metric, Scores};
use serde::{Deserialize, Serialize};

/// The scores of a run, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultScores {
    /// F1-a.
    pub f1_a: f64,
    /// F1-o, if opinions are labelled and predicted.
    pub f1_o: Option<f64>,
    /// acc-s.
    pub acc_s: Option<f64>,
    /// F1-s by the authors' formula.
    pub f1_s: Option<f64>,
    /// Plain macro-F1 of the sentiments.
    pub f1_s_macro: Option<f64>,
    /// F1-I.
    pub f1_i: Option<f64>,
}

impl ResultScores {
    /// The value of a metric, if there is one.
    #[must_use]
    pub const fn get(&self, metric: Metric) -> Option<f64> {
        match metric {
            Metric::F1A => Some(self.f1_a),
            Metric::F1O => self.f1_o,
            Metric::AccS => self.acc_s,
            Metric::F1S => self.f1_s,
            Metric::MacroF1S => self.f1_s_macro,
            Metric::F1I => self.f1_i,
        }
    }
}

impl From<&Scores> for ResultScores {
    fn from(scores: &Scores) -> Self {
        Self {
            f1_a: scores.get(Metric::F1A).unwrap_or_default(),
            f1_o: scores.get(Metric::F1O),
            acc_s: scores.get(Metric::AccS),
            f1_s: scores.get(Metric::F1S),
            f1_s_macro: scores.get(Metric::MacroF1S),
            f1_i: scores.get(Metric::F1I),
        }
    }
}

/// One run: its system, set and seed, and its scores.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunResult {
    /// The system.
    pub system: String,
    /// The set.
    pub set: String,
    /// The seed.
    pub seed: u64,
    /// Scores on the test set.
    pub scores: ResultScores,
    /// Scores of the same weights on the development split.
    pub dev: BTreeMap<String, f64>,
    /// The epoch that was kept.
    pub best_epoch: usize,
    /// Seconds of training.
    pub seconds: f64,
    /// Version of the program that trained the system.
    pub version: String,
    /// Everything else that the run depends on: the configuration of its system.
    pub config: serde_json::Value,
}

impl RunResult {
    /// The path of a run's file in a folder of results.
    #[must_use]
    pub fn path(folder: &Path, system: &str, set: &str, seed: u64) -> PathBuf {
        folder.join(system).join(format!("{set}.seed{seed}.json"))
    }

    /// Writes the result to its path in `folder`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, folder: &Path) -> std::io::Result<PathBuf> {
        let path = Self::path(folder, &self.system, &self.set, self.seed);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        imn_io::atomic::write(&path, text.as_bytes())?;
        Ok(path)
    }
}

/// Why results cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ResultError {
    /// An I/O error.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        error: std::io::Error,
    },
    /// A file is not a result.
    #[error("{}: not the result of a run: {error}", path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: serde_json::Error,
    },
}

/// Reads the result in a file.
///
/// # Errors
/// If the file cannot be read or is not a result.
pub fn read_result(path: &Path) -> Result<RunResult, ResultError> {
    let text = std::fs::read_to_string(path).map_err(|error| ResultError::Io {
        path: path.to_owned(),
        error,
    })?;
    let mut result: RunResult = serde_json::from_str(&text).map_err(|error| ResultError::Form {
        path: path.to_owned(),
        error,
    })?;
    imn::config::stored::upgrade(&mut result.config);
    Ok(result)
}

/// Reads all results in a folder, sorted by system, set and seed.
///
/// # Errors
/// If the folder or a `.json` file in it cannot be read.
pub fn read_results(folder: &Path) -> Result<Vec<RunResult>, ResultError> {
    let mut results: Vec<RunResult> = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let io = |error| ResultError::Io {
            path: folder.clone(),
            error,
        };
        for entry in std::fs::read_dir(&folder).map_err(io)? {
            let path = entry.map_err(io)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "json") {
                results.push(read_result(&path)?);
            }
        }
    }
    results.sort_by(|a, b| (&a.system, &a.set, a.seed).cmp(&(&b.system, &b.set, b.seed)));
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(set: &str, seed: u64, f1_i: f64) -> RunResult {
        RunResult {
            system: "imn-no-docs".to_owned(),
            set: set.to_owned(),
            seed,
            scores: ResultScores {
                f1_a: 80.0,
                f1_i: Some(f1_i),
                ..ResultScores::default()
            },
            dev: BTreeMap::from([("F1-I".to_owned(), 60.0)]),
            best_epoch: 3,
            seconds: 90.0,
            version: "0".to_owned(),
            config: serde_json::json!({ "name": "imn-no-docs" }),
        }
    }

    #[test]
    fn files_are_found_by_system_set_and_seed() {
        let folder = tempfile::tempdir().unwrap();
        for result in [
            result("res14", 2, 1.0),
            result("lap14", 1, 2.0),
            result("lap14", 1, 3.0),
        ] {
            result.save(folder.path()).unwrap();
        }
        let read = read_results(folder.path()).unwrap();
        // The third result replaced the second one, which is of the same run.
        assert_eq!(read, [result("lap14", 1, 3.0), result("res14", 2, 1.0)]);
        std::fs::write(folder.path().join("x.json"), "{}").unwrap();
        let error = read_results(folder.path()).unwrap_err().to_string();
        assert!(error.contains("x.json"), "{error}");
    }
}
