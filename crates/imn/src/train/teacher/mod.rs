//! Distillation: a trained model labels sentences with probabilities, and the network learns them
//! besides the gold labels.
//!
//! A sentence is labelled in the annotation scheme that was drawn for it. Schemes are matched by
//! name, since their order may differ between the teacher and the network. Labelling takes as long
//! as analyzing the sentences, so the result can be cached in a file.

mod cache;

use std::path::{Path, PathBuf};

use imn_nn::Engine;

use super::{Corpus, TrainError};
use crate::bundle::{ImnFamily, Model};
use crate::config::{Config, TeacherConfig};
use crate::features::Features;
use crate::model::{Example, Network as _, SoftLabels};
use crate::predict::{Rounds, infer};

/// Sentences per call of the teacher: enough to keep all threads busy, few enough for progress.
const CHUNK: usize = 1024;

/// A model that labels sentences.
#[derive(Debug)]
struct Teacher {
    model: Model,
    /// SHA-256 of the model file.
    hash: String,
    name: String,
    temperature: f64,
}

impl Teacher {
    /// Opens the model of a configuration. A path is relative to the data folder `folder`.
    fn open(config: &TeacherConfig, folder: &Path) -> Result<Self, TrainError> {
        let is_built_in = |name: &str| crate::bundle::BUILT_IN.iter().any(|own| own.name == name);
        let place: PathBuf = match is_built_in(&config.model) {
            true => config.model.clone().into(),
            false => folder.join(&config.model),
        };
        let (model, hash) = Model::open_with_hash(&place.to_string_lossy(), &[&ImnFamily])?;
        model.imn()?;
        Ok(Self {
            model,
            hash,
            name: config.model.clone(),
            temperature: config.temperature,
        })
    }

    fn refuse(&self, what: String) -> TrainError {
        TrainError::Teacher {
            model: self.name.clone(),
            what,
        }
    }

    /// The number of each of the network's schemes that is used among those of the teacher.
    fn schemes(
        &self,
        names: &[String],
        used: impl Fn(usize) -> bool,
    ) -> Result<Vec<u32>, TrainError> {
        let known = self.model.schemes();
        let number = |(i, name): (usize, &String)| {
            if !used(i) {
                return Ok(0);
            }
            let found = known.iter().position(|known| known == name);
            found.map(|found| found as u32).ok_or_else(|| {
                self.refuse(match known {
                    [] => format!("has no annotation schemes, so it cannot label in `{name}`"),
                    known => format!(
                        "does not know the annotation scheme `{name}`; it knows {}",
                        known.join(", ")
                    ),
                })
            })
        };
        names.iter().enumerate().map(number).collect()
    }

    /// Labels sentences, each given by its features and its scheme. A sentence that is too long for
    /// the teacher gets no distributions.
    fn label(
        &self,
        sentences: &[(Features, u32)],
        progress: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<Vec<SoftLabels>, TrainError> {
        let imn = self.model.imn()?;
        let (limits, tags) = (imn.network.limits(), imn.network.tag_set());
        let mut labels: Vec<SoftLabels> = sentences
            .iter()
            .map(|(features, _)| SoftLabels::none(features.len(), tags))
            .collect();
        let mut order: Vec<usize> = (0..sentences.len())
            .filter(|&i| sentences[i].0.windows(limits).len() == 1)
            .collect();
        order.sort_by_key(|&i| (sentences[i].1, sentences[i].0.len()));
        let engine = Engine::new();
        let mut done = 0;
        for same_scheme in order.chunk_by(|&a, &b| sentences[a].1 == sentences[b].1) {
            let scheme = same_scheme.first().map_or(0, |&i| sentences[i].1);
            let network = imn.network.clone().in_scheme_number(scheme);
            for chunk in same_scheme.chunks(CHUNK) {
                let features: Vec<&Features> = chunk.iter().map(|&i| &sentences[i].0).collect();
                let outputs = infer(&engine, &network, imn.params, &features, Rounds::Last);
                for (&i, output) in chunk.iter().zip(outputs.into_iter().flatten()) {
                    let tags = self.soften(&output.tags, tags.tags().len());
                    let columns = crate::data::Sentiment::CLASSES.len();
                    let sentiments = self.soften(&output.polarities, columns);
                    labels[i] = SoftLabels::new(&tags, &sentiments);
                }
                done += chunk.len();
                // All labels are worth keeping, even if the run is to stop now.
                if !progress(done, order.len()) && done < order.len() {
                    return Err(TrainError::Stopped);
                }
            }
        }
        Ok(labels)
    }

    /// softmax(logits / T) from softmax(logits), row by row: p^(1/T), normalized.
    fn soften(&self, probabilities: &[f32], columns: usize) -> Vec<f32> {
        if self.temperature == 1.0 {
            return probabilities.to_vec();
        }
        let power = (1.0 / self.temperature) as f32;
        let mut softened: Vec<f32> = probabilities.iter().map(|p| p.powf(power)).collect();
        for row in softened.chunks_exact_mut(columns) {
            let sum: f32 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= sum);
        }
        softened
    }
}

impl Corpus {
    /// Lets the teacher of the configuration label the unlabelled sentences, which become training
    /// sentences with soft labels. Does nothing without a teacher.
    ///
    /// If `cache` is a file with the labels of the same teacher for the same sentences, they are
    /// read from it; otherwise they are written to it. `progress` gets the number of labelled
    /// sentences and of all, and returns whether to go on. A stopped corpus is as it was before.
    ///
    /// # Errors
    /// If the teacher cannot be opened, predicts other tags or does not know a scheme, the cache
    /// cannot be read or written, or `progress` stops the labelling ([`TrainError::Stopped`]).
    pub fn teach(
        &mut self,
        config: &Config,
        folder: &Path,
        cache: Option<&Path>,
        progress: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<(), TrainError> {
        let Some(teacher) = &config.train.teacher else {
            return Ok(());
        };
        let teacher = Teacher::open(teacher, folder)?;
        let fingerprint = self.fingerprint_with(&teacher, config);
        let (tags, schemes) = (config.model.tag_set(), &config.model.schemes);
        let imn = teacher.model.imn()?;
        if imn.network.tag_set() != tags {
            let text = "predicts other tags: set the same model.opinions for both";
            return Err(teacher.refuse(text.to_owned()));
        }
        // A scheme that no sentence was drawn in need not be known.
        let used = |i: usize| {
            self.unlabelled
                .iter()
                .any(|given| given.scheme as usize == i)
        };
        let numbers = teacher.schemes(schemes, used)?;
        let unlabelled = &self.unlabelled;
        let identity = cache::identity(&teacher, schemes, unlabelled);
        let lengths = || unlabelled.iter().map(|given| given.sentence.tokens.len());
        let cached = match cache {
            Some(path) => cache::load(path, &identity, lengths(), tags)?,
            None => None,
        };
        let labels = match cached {
            Some(labels) => labels,
            None => {
                let sentences: Vec<(Features, u32)> = unlabelled
                    .iter()
                    .map(|given| {
                        let scheme = numbers.get(given.scheme as usize).copied();
                        let features = imn.featurizer.sentence(&given.sentence);
                        (features, scheme.unwrap_or_default())
                    })
                    .collect();
                let labels = teacher.label(&sentences, progress)?;
                if let Some(path) = cache {
                    cache::save(path, &identity, &labels)?;
                }
                labels
            }
        };
        let limits = self.limits();
        let taught = unlabelled.iter().zip(labels).flat_map(|(given, labels)| {
            let features = self.featurizer.sentence(&given.sentence);
            let example = Example::taught(features, labels, tags).in_scheme(given.scheme);
            example.pieces(limits).into_iter().map(|(_, piece)| piece)
        });
        self.soft = taught.collect();
        self.unlabelled = Vec::new();
        self.report.unlabelled = self.soft.len();
        self.report.teacher = Some(teacher.hash.clone());
        self.report.fingerprint = fingerprint;
        Ok(())
    }

    /// The fingerprint that [`Corpus::teach`] gives this corpus, without labelling.
    ///
    /// # Errors
    /// If the teacher cannot be opened.
    pub fn taught_fingerprint(&self, config: &Config, folder: &Path) -> Result<String, TrainError> {
        let Some(teacher) = &config.train.teacher else {
            return Ok(self.report.fingerprint.clone());
        };
        Ok(self.fingerprint_with(&Teacher::open(teacher, folder)?, config))
    }

    fn fingerprint_with(&self, teacher: &Teacher, config: &Config) -> String {
        let identity = cache::identity(teacher, &config.model.schemes, &self.unlabelled);
        imn_io::sha256(format!("{}{identity}", self.report.fingerprint).as_bytes())
    }
}
