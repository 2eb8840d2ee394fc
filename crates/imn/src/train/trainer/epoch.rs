//! One epoch: its steps, its scores, and whether it is the best so far.

use std::borrow::Cow;
use std::time::Instant;

use imn_nn::{Params, Step};

use super::Trainer;
use crate::eval::Scores;
use crate::model::{Objective, Phase};
use crate::train::average::mean_with_initial;
use crate::train::plan::{self, PlannedStep};
use crate::train::steps::{self, Mean};
use crate::train::{Average, Best, Checkpoint, EpochRecord, Event, TrainError, Watch};

impl Trainer {
    /// Scores of the current weights on the development split.
    ///
    /// # Errors
    /// If the labels of a development sentence do not fit its words.
    pub fn dev_scores(&self) -> Result<Scores, TrainError> {
        self.scores(&self.evaluated())
    }

    fn scores(&self, params: &Params<f32>) -> Result<Scores, TrainError> {
        let scores = steps::dev_scores(self.network.as_ref(), params, &self.corpus);
        Ok(scores?)
    }

    /// Performs the steps of an epoch and evaluates it.
    pub(super) fn epoch(
        &mut self,
        phase: Phase,
        epoch: usize,
        watch: &mut dyn Watch,
    ) -> Result<EpochRecord, TrainError> {
        let start = Instant::now();
        let plan = plan::epoch(self.sizes(), &self.settings, phase, epoch);
        let (mut aspect, mut document) = (Mean::default(), Mean::default());
        for (i, planned) in plan.iter().enumerate() {
            let loss = self.step(planned, phase, epoch)?;
            match planned.objective() {
                Objective::Sentences | Objective::Joint => aspect.add(loss),
                Objective::Documents => document.add(loss),
            }
            if phase == Phase::Training {
                self.average(plan.len());
            }
            let loss = match phase {
                Phase::Pretraining => document.get(),
                Phase::Training => aspect.get(),
            };
            let event = Event::Step {
                phase,
                epoch,
                step: i + 1,
                steps: plan.len(),
                loss: loss.unwrap_or_default(),
            };
            if !watch.see(&event) {
                return Err(TrainError::Stopped);
            }
        }
        let mut record = EpochRecord {
            phase,
            epoch,
            aspect_loss: aspect.get(),
            document_loss: document.get(),
            dev: None,
            documents: steps::document_accuracy(
                self.network.as_ref(),
                &self.evaluated(),
                &self.corpus,
            ),
            best: false,
            seconds: 0.0,
        };
        if phase == Phase::Training {
            self.choose(&mut record)?;
        }
        record.seconds = start.elapsed().as_secs_f64();
        Ok(record)
    }

    /// Scores an epoch on the development split, and keeps its weights if they are the best so far.
    fn choose(&mut self, record: &mut EpochRecord) -> Result<(), TrainError> {
        let params = self.evaluated();
        let scores = self.scores(&params)?;
        let metric = self.network.role().metric();
        let score = scores.get(metric).unwrap_or_default();
        let best = self.state.best.as_ref();
        let better = best.is_none_or(|best| score > best.score);
        record.dev = Some(scores);
        record.best = record.epoch >= self.settings.select_from && better;
        if record.best {
            let params = params.into_owned();
            self.state.best = Some(Best {
                epoch: record.epoch,
                score,
                params,
            });
        }
        Ok(())
    }

    /// The weights to evaluate and keep: the average once it has updates, or else the current ones;
    /// with a share of the initial ones, if the settings say so.
    fn evaluated(&self) -> Cow<'_, Params<f32>> {
        let params = match &self.state.average {
            Some(average) if average.updates > 0 => &average.params,
            _ => &self.state.params,
        };
        match (&self.initial, self.settings.init_share) {
            (Some(initial), Some(share)) => Cow::Owned(mean_with_initial(initial, share, params)),
            _ => Cow::Borrowed(params),
        }
    }

    /// Updates the average of the weights after a step.
    fn average(&mut self, steps: usize) {
        let Some(epochs) = self.settings.average_epochs else {
            return;
        };
        let Checkpoint {
            params,
            steps: number,
            average,
            ..
        } = &mut self.state;
        let average = average.get_or_insert_with(|| Average::new(params));
        average.update(params, *number, epochs * steps as f64);
    }

    /// Performs one step of Adam, and gives the loss.
    fn step(
        &mut self,
        planned: &PlannedStep,
        phase: Phase,
        epoch: usize,
    ) -> Result<f64, TrainError> {
        let (network, settings) = (self.network.as_ref(), &self.settings);
        let objective = planned.objective();
        let schedule = &settings.schedule;
        let rate = settings.learning_rate * schedule.factor(self.state.steps, epoch as u64 - 1);
        self.state.steps += 1;
        let index = steps::optimizer(objective, self.state.adams.len());
        let groups = self.state.adams[index].groups();
        let step = Step {
            seed: settings.seed,
            number: self.state.steps,
            freeze: groups.freeze(steps::frozen(network, objective, settings.learn_vectors)),
        };
        let weight = match objective {
            Objective::Joint => settings.document_weight(),
            Objective::Sentences | Objective::Documents => 1.0,
        };
        let shards = steps::shards(planned, &self.corpus, network, settings);
        let result = self
            .engine
            .gradients(&self.state.params, &step, &shards, |tape, shard| {
                steps::loss(tape, network, shard, phase, weight)
            })?;
        let adam = &mut self.state.adams[index];
        adam.step(&mut self.state.params, &result.grads, rate, step.number)?;
        self.engine.recycle(result.grads);
        Ok(result.loss)
    }
}
