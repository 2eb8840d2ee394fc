//! The state of a run after an epoch, in one file that is replaced atomically.

use std::path::Path;

use imn_nn::Params;
use imn_nn::optim::Adam;
use imn_nn::store::{self, MixedTensors, Tensors, ValuesView};
use serde::{Deserialize, Serialize};

use super::{Average, EpochRecord, TrainError};

/// The best epoch so far.
#[derive(Debug, Clone)]
pub(super) struct Best {
    /// Number of the epoch, from 1.
    pub epoch: usize,
    /// Score on the development split.
    pub score: f64,
    /// Weights after the epoch.
    pub params: Params<f32>,
}

/// Identifies the run that a checkpoint belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunIdentity {
    /// All settings.
    pub configuration: String,
    /// Hash of the data, and of the files that initial weights are read from.
    pub fingerprint: String,
}

/// The state of a run after an epoch.
#[derive(Debug, Clone)]
pub(super) struct Checkpoint {
    /// The current weights.
    pub params: Params<f32>,
    /// Adam for L_a and, with separate moments, for L_d.
    pub adams: Vec<Adam<f32>>,
    /// Number of completed steps.
    pub steps: u64,
    /// Completed epochs of both phases.
    pub history: Vec<EpochRecord>,
    /// The best epoch so far.
    pub best: Option<Best>,
    /// The average of the weights (`train.average_epochs`).
    pub(super) average: Option<Average>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckpointHeader {
    identity: RunIdentity,
    steps: u64,
    history: Vec<EpochRecord>,
    best: Option<(usize, f64)>,
    average_updates: Option<u64>,
}

impl Checkpoint {
    /// Writes the state to `path`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path, identity: &RunIdentity) -> Result<(), TrainError> {
        let header = CheckpointHeader {
            identity: identity.clone(),
            steps: self.steps,
            history: self.history.clone(),
            best: self.best.as_ref().map(|best| (best.epoch, best.score)),
            average_updates: self.average.as_ref().map(|average| average.updates),
        };
        let text = serde_json::to_string(&header).map_err(|error| TrainError::Io {
            path: path.to_owned(),
            error: error.into(),
        })?;
        let moments: Vec<(String, MixedTensors<f32>)> = self
            .adams
            .iter()
            .enumerate()
            .map(|(i, adam)| (format!("adam.{i}."), adam.tensors(&self.params)))
            .collect();
        let mut named: Vec<(String, &[usize], ValuesView<'_, f32>)> = Vec::new();
        for (name, shape, data) in self.params.tensors() {
            named.push((format!("now.{name}"), shape, data.into()));
        }
        for (name, shape, data) in self.best.iter().flat_map(|best| best.params.tensors()) {
            named.push((format!("best.{name}"), shape, data.into()));
        }
        for (name, shape, data) in self.average.iter().flat_map(|a| a.params.tensors()) {
            named.push((format!("average.{name}"), shape, data.into()));
        }
        for (prefix, tensors) in &moments {
            for (name, (shape, data)) in tensors {
                named.push((format!("{prefix}{name}"), shape, data.view()));
            }
        }
        let tensors = named
            .iter()
            .map(|(name, shape, data)| (name.as_str(), *shape, *data));
        imn_io::atomic::write_at(path, |partial| {
            store::write_file(tensors, Some(text), partial)
                .map_err(|error| std::io::Error::other(error.to_string()))
        })
        .map_err(TrainError::io(path))
    }

    /// Replaces this state, the initial one of the same run, by that of `path`. On an error it does
    /// not change.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged or belongs to another run.
    pub fn load(&mut self, path: &Path, identity: &RunIdentity) -> Result<(), TrainError> {
        let damaged = |what: String| TrainError::Damaged {
            path: path.to_owned(),
            what,
        };
        let bytes = std::fs::read(path).map_err(TrainError::io(path))?;
        let header = CheckpointHeader::read(&bytes).map_err(damaged)?;
        header.identity.check(identity, path)?;
        let tensors = StoredTensors::read(&bytes, self.adams.len()).map_err(damaged)?;
        *self = self.resumed(header, tensors).map_err(damaged)?;
        Ok(())
    }

    /// The state with this header and these tensors, for the parameters of this one.
    fn resumed(&self, header: CheckpointHeader, tensors: StoredTensors) -> Result<Self, String> {
        let weights = |tensors: Tensors<f32>| {
            let mut params = self.params.clone();
            let loaded = params.load_tensors(tensors);
            loaded.map(|()| params).map_err(|error| error.to_string())
        };
        let params = weights(tensors.now)?;
        let mut adams = self.adams.clone();
        for (adam, moments) in adams.iter_mut().zip(tensors.moments) {
            let loaded = adam.load_tensors(&params, moments);
            loaded.map_err(|error| error.to_string())?;
        }
        let best = match header.best {
            None => None,
            Some((epoch, score)) => Some(Best {
                epoch,
                score,
                params: weights(tensors.best)?,
            }),
        };
        let average = match header.average_updates {
            None => None,
            Some(updates) => Some(Average {
                params: weights(tensors.average)?,
                updates,
            }),
        };
        Ok(Self {
            params,
            adams,
            steps: header.steps,
            history: header.history,
            best,
            average,
        })
    }
}

impl RunIdentity {
    /// Checks that the checkpoint at `path`, which has this identity, belongs to the run `wanted`.
    fn check(&self, wanted: &Self, path: &Path) -> Result<(), TrainError> {
        let what = if self.configuration != wanted.configuration {
            "its configuration differs"
        } else if self.fingerprint != wanted.fingerprint {
            "its data, or the weights that it starts from, differ"
        } else {
            return Ok(());
        };
        Err(TrainError::OtherRun {
            path: path.to_owned(),
            what: what.to_owned(),
        })
    }
}

impl CheckpointHeader {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let text = store::read_text(bytes).map_err(|error| error.to_string())?;
        let text = text.ok_or("no header")?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }
}

/// The tensors of a checkpoint, by what they belong to.
#[derive(Default)]
struct StoredTensors {
    now: Tensors<f32>,
    best: Tensors<f32>,
    average: Tensors<f32>,
    /// Those of each optimizer.
    moments: Vec<MixedTensors<f32>>,
}

impl StoredTensors {
    fn read(bytes: &[u8], optimizers: usize) -> Result<Self, String> {
        let mut stored = Self {
            moments: vec![MixedTensors::new(); optimizers],
            ..Self::default()
        };
        let all = store::read_mixed::<f32>(bytes).map_err(|error| error.to_string())?;
        for (name, (shape, values)) in all {
            let unknown = || format!("unknown tensor `{name}`");
            let (owner, rest) = name.split_once('.').ok_or_else(unknown)?;
            let weights = match owner {
                "now" => &mut stored.now,
                "best" => &mut stored.best,
                "average" => &mut stored.average,
                "adam" => {
                    let (i, rest) = rest.split_once('.').ok_or_else(unknown)?;
                    let i: usize = i.parse().map_err(|_| unknown())?;
                    let moments = stored.moments.get_mut(i).ok_or("too many optimizers")?;
                    moments.insert(rest.to_owned(), (shape, values));
                    continue;
                }
                _ => return Err(unknown()),
            };
            let data = values.floats(rest).map_err(|error| error.to_string())?;
            weights.insert(rest.to_owned(), (shape, data));
        }
        Ok(stored)
    }
}
