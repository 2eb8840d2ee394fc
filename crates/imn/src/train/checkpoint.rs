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
        let damaged = |what: &dyn ToString| TrainError::Damaged {
            path: path.to_owned(),
            what: what.to_string(),
        };
        let bytes = std::fs::read(path).map_err(TrainError::io(path))?;
        let text = store::read_text(&bytes)
            .map_err(|error| damaged(&error))?
            .ok_or_else(|| damaged(&"no header"))?;
        let header: CheckpointHeader =
            serde_json::from_str(&text).map_err(|error| damaged(&error))?;
        let other = |what: &str| {
            Err(TrainError::OtherRun {
                path: path.to_owned(),
                what: what.to_owned(),
            })
        };
        if header.identity.configuration != identity.configuration {
            return other("its configuration differs");
        }
        if header.identity.fingerprint != identity.fingerprint {
            return other("its data, or the weights that it starts from, differ");
        }
        let (mut now, mut best, mut average) = (Tensors::new(), Tensors::new(), Tensors::new());
        let mut moments = vec![MixedTensors::new(); self.adams.len()];
        let tensors = store::read_mixed::<f32>(&bytes).map_err(|error| damaged(&error))?;
        for (name, (shape, values)) in tensors {
            let weights = [
                ("now.", &mut now),
                ("best.", &mut best),
                ("average.", &mut average),
            ];
            let place = weights
                .into_iter()
                .find_map(|(prefix, tensors)| Some((name.strip_prefix(prefix)?, tensors)));
            if let Some((name, tensors)) = place {
                let data = values.floats(name).map_err(|error| damaged(&error))?;
                tensors.insert(name.to_owned(), (shape, data));
            } else {
                let (i, name) = name
                    .strip_prefix("adam.")
                    .and_then(|rest| rest.split_once('.'))
                    .and_then(|(i, name)| Some((i.parse::<usize>().ok()?, name)))
                    .ok_or_else(|| damaged(&format!("unknown tensor `{name}`")))?;
                let tensors = moments
                    .get_mut(i)
                    .ok_or_else(|| damaged(&"too many optimizers"))?;
                tensors.insert(name.to_owned(), (shape, values));
            }
        }
        let mut state = self.clone();
        state
            .params
            .load_tensors(now)
            .map_err(|error| damaged(&error))?;
        state.best = match header.best {
            None => None,
            Some((epoch, score)) => {
                let mut params = self.params.clone();
                params.load_tensors(best).map_err(|error| damaged(&error))?;
                Some(Best {
                    epoch,
                    score,
                    params,
                })
            }
        };
        state.average = match header.average_updates {
            None => None,
            Some(updates) => {
                let mut params = self.params.clone();
                params
                    .load_tensors(average)
                    .map_err(|error| damaged(&error))?;
                Some(Average { params, updates })
            }
        };
        for (adam, tensors) in state.adams.iter_mut().zip(moments) {
            adam.load_tensors(&state.params, tensors)
                .map_err(|error| damaged(&error))?;
        }
        state.steps = header.steps;
        state.history = header.history;
        *self = state;
        Ok(())
    }
}
