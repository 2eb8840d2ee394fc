//! Settings for adapting a trained model to a small set of labelled sentences.
//!
//! The network, its vocabulary and its schemes stay; a few short epochs change the weights. Word
//! vectors and subword embeddings are fixed: a few hundred sentences contain few of the words, and
//! moving those away from the others would make the network worse for all words that it does not
//! see.

use std::path::Path;

use imn_nn::optim::Schedule;

use crate::bundle::{ModelError, ModelPart};
use crate::config::{Config, DataConfig, Learning, TrainConfig};
use crate::model::EncoderConfig;

/// Epochs over the labelled sentences.
const EPOCHS: usize = 8;
/// Sentences per batch: few, so that a small set makes enough steps.
const BATCH: usize = 8;
/// The share of the sentences on which the best epoch is chosen.
const DEV_SHARE: f64 = 0.2;
/// The share of all steps over which the learning rate rises.
const WARM_UP: f64 = 0.1;

/// The configuration for adapting a model to the sentences of `train`, a path relative to the data
/// folder. `init` is the name or path of the model, and `scheme` the annotation scheme of the
/// sentences [default: the model's first].
///
/// ```
/// use imn::bundle::Model;
/// use imn::train::adapted_config;
///
/// let model = Model::open("reviews")?;
/// let part = model.only_part().expect("one network");
/// let config = adapted_config(part, "reviews", "shoes.jsonl".as_ref(), Some("targets"))?;
/// assert_eq!((config.name.as_str(), config.data.schemes[0].as_str()), ("shoes", "targets"));
/// config.validate().expect("settings that can be trained with");
/// # Ok::<(), imn::bundle::ModelError>(())
/// ```
///
/// # Errors
/// If the model is not IMN or does not have the scheme.
pub fn adapted_config(
    part: &ModelPart,
    init: &str,
    train: &Path,
    scheme: Option<&str>,
) -> Result<Config, ModelError> {
    let own: Config = part.config()?;
    let known = &own.model.schemes;
    let scheme = match scheme {
        None => known.first().cloned(),
        Some(name) if known.iter().any(|known| known == name) => Some(name.to_owned()),
        Some(name) => return Err(ModelError::unknown_scheme(name, known)),
    };
    let name = train.file_name().unwrap_or_default().to_string_lossy();
    let name = name.split('.').next().unwrap_or_default().to_owned();
    let mut vectors = own.vectors;
    vectors.learn = Learning::Never;
    // A CNN learns slowly while its word vectors are fixed: twice its rate was better than once on
    // a set that it had not seen. The rate of a transformer was not varied.
    let rate = match own.model.encoder {
        EncoderConfig::Transformer(_) => 1.0,
        EncoderConfig::Cnn(_) => 2.0,
    };
    Ok(Config {
        name: name.clone(),
        seed: own.seed,
        init: Some(init.to_owned()),
        data: DataConfig {
            set: Some(name),
            train: train.to_owned().into(),
            schemes: scheme.into_iter().collect(),
            repeat: Vec::new(),
            // Analysis splits texts, whatever the model was trained on.
            split_sentences: true,
            exclude: Vec::new(),
            dev: None,
            dev_schemes: Vec::new(),
            dev_share: DEV_SHARE,
            test: None,
            documents: None,
            unlabelled: None,
        },
        vectors,
        model: own.model,
        train: TrainConfig {
            batch: BATCH,
            learning_rate: rate * own.train.learning_rate,
            schedule: Schedule::WarmupShare { share: WARM_UP },
            clip_norm: own.train.clip_norm,
            groups: own.train.groups,
            pretrain_epochs: 0,
            epochs: EPOCHS,
            sampling: own.train.sampling,
            loss_mean: own.train.loss_mean,
            sentiment_weight: own.train.sentiment_weight,
            ..TrainConfig::default()
        },
    })
}
