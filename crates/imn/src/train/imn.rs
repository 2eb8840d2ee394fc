//! Training of IMN: from a configuration and a corpus to a model.

use std::path::Path;

use imn_nn::Params;

use super::{Corpus, Fitted, TrainError, TrainSettings, Trainer};
use crate::bundle::{ImnFamily, Model, ModelPart};
use crate::config::{Config, ConfigError};
use crate::data::Sentiment;
use crate::eval::{Outcomes, SchemeCalibration};
use crate::features::Features;
use crate::model::{EncoderConfig, Imn};
use crate::predict::{infer_annotated, sentence_outcomes, text_outcomes};

/// A trainer of IMN. `folder` is the data folder, which contains the pre-trained encoder if the
/// configuration names one. The initial weights are those of `init` if given; its network must have
/// the configured architecture and its vocabulary must be that of the corpus. The module
/// documentation has an [example](super).
///
/// # Errors
/// If the configuration is not valid, the pre-trained encoder cannot be read, or the weights of
/// `init` do not fit.
pub fn imn_trainer(
    config: &Config,
    folder: &Path,
    mut corpus: Corpus,
    init: Option<&ModelPart>,
) -> Result<Trainer, TrainError> {
    config.validate()?;
    if let Some(teacher) = config
        .train
        .teacher
        .as_ref()
        .filter(|_| corpus.soft.is_empty())
    {
        return Err(TrainError::Teacher {
            model: teacher.model.clone(),
            what: "has not labelled the sentences: call Corpus::teach".to_owned(),
        });
    }
    if let (Some(share), None) = (config.train.init_share, init) {
        let text = "needs a model to start from (`imn train --init`)";
        return Err(ConfigError::range("train.init_share", &share, text).into());
    }
    if !config.train.precision.is_available() {
        let text = "needs a CPU with AVX512-BF16; leave it out for full precision";
        return Err(ConfigError::range("train.precision", &"bf16", text).into());
    }
    let mut params = Params::new();
    params.set_precision(config.train.precision);
    let encoder = corpus.take_encoder();
    let network = Imn::new(
        &mut params,
        &config.model,
        encoder,
        corpus.domains,
        config.seed,
    )
    .map_err(ConfigError::from)?;
    if let (EncoderConfig::Transformer(transformer), None) = (&config.model.encoder, init) {
        network.load_pretrained(&mut params, &folder.join(&transformer.folder))?;
    }
    if let Some(part) = init {
        let weights = part
            .params
            .tensors()
            .map(|(name, shape, data)| (name.to_owned(), (shape.to_vec(), data.to_vec())))
            .collect();
        params.load_tensors(weights)?;
    }
    let settings = TrainSettings::from(config);
    let configuration = config.to_toml()?;
    Trainer::new(Box::new(network), params, corpus, settings, configuration)
}

/// The model of a finished run of IMN, with confidences calibrated on the development split. The
/// curves of the model that training started from, if any, stay where the development split is too
/// small to fit others.
///
/// # Errors
/// If the configuration cannot be written as JSON.
pub fn finish_imn(
    config: &Config,
    fitted: Fitted,
    init: Option<&ModelPart>,
) -> Result<Model, TrainError> {
    let calibration = calibrate(&fitted, init.map(|part| &part.calibration));
    let part = fitted.into_part(ImnFamily::KIND, config, config.seed, calibration)?;
    Ok(Model::alone(part))
}

fn calibrate(fitted: &Fitted, initial: Option<&SchemeCalibration>) -> SchemeCalibration {
    let Some(network) = fitted.network.as_imn() else {
        return SchemeCalibration::default();
    };
    let (params, corpus) = (&fitted.params, &fitted.corpus);
    let mut outcomes: Vec<(Option<String>, Outcomes)> = Vec::new();
    let schemes: Vec<u32> = corpus
        .dev_examples
        .iter()
        .map(|example| example.scheme)
        .collect();
    for of_scheme in schemes.chunk_by(|a, b| a == b) {
        let Some(&scheme) = of_scheme.first() else {
            continue;
        };
        let start = schemes.partition_point(|&other| other < scheme);
        let dev = &corpus.dev[start..start + of_scheme.len()];
        let network = network.clone().in_scheme_number(scheme);
        let inferred = infer_annotated(&network, params, &corpus.featurizer, dev);
        let name = network.scheme_name().map(str::to_owned);
        outcomes.push((name, sentence_outcomes(&network, &inferred)));
    }
    let class = |class: u32| Sentiment::CLASSES[class as usize];
    let held_out: Vec<(&Features, Sentiment)> = corpus
        .held_out
        .sentiment
        .iter()
        .map(|document| (&document.features, class(document.class)))
        .collect();
    let texts = text_outcomes(network, params, &held_out);
    match initial {
        None => SchemeCalibration::fit(outcomes, &texts),
        Some(initial) => initial.refit(outcomes, &texts),
    }
}
