//! The training and development sentences.

use std::collections::HashSet;
use std::path::Path;

use imn_nn::stream;
use rand::seq::SliceRandom as _;

use super::CorpusRequest;
use crate::config::{DataConfig, Paths};
use crate::data::{self, AnnotatedSentence};
use crate::model::TagSet;
use crate::train::TrainError;

/// A sentence of a corpus.
#[derive(Debug, Clone)]
pub(in crate::train) struct GivenSentence {
    /// Its words and labels.
    pub(in crate::train) sentence: AnnotatedSentence,
    /// The number of its annotation scheme.
    pub(in crate::train) scheme: u32,
    /// How often it is seen in an epoch.
    pub(super) repeat: usize,
}

/// The sentences of a corpus.
pub(super) struct Sentences {
    /// To learn from.
    pub(super) train: Vec<GivenSentence>,
    /// To choose the best epoch on, one annotation scheme after the other.
    pub(super) dev: Vec<GivenSentence>,
    /// How many were left out because another file has them.
    pub(super) left_out: usize,
}

/// Reads the sentences and splits them.
pub(super) fn read(request: &CorpusRequest<'_>, folder: &Path) -> Result<Sentences, TrainError> {
    let DataConfig {
        train: paths,
        schemes,
        repeat,
        ..
    } = request.data;
    let path = folder.join(paths.first());
    let mut train = read_files(request, folder, paths, schemes, repeat)?;
    let all = train.len();
    let mut elsewhere = HashSet::new();
    for path in &request.data.exclude {
        let sentences = data::read(&folder.join(path))?;
        elsewhere.extend(sentences.iter().map(data::leak_key));
    }
    train.retain(|given| !elsewhere.contains(&data::leak_key(&given.sentence)));
    let left_out = all - train.len();
    let dev = match &request.data.dev {
        Some(dev) => read_files(request, folder, dev, &request.data.dev_schemes, &[])?,
        None => {
            let mut order: Vec<usize> = (0..train.len()).collect();
            order.shuffle(&mut stream(request.seed, "development split"));
            let count = (train.len() as f64 * request.data.dev_share).round() as usize;
            let mut chosen = order;
            chosen.truncate(count);
            chosen.sort_unstable();
            let dev: Vec<GivenSentence> = chosen.iter().map(|&i| train[i].clone()).collect();
            let mut i = 0;
            train.retain(|_| {
                i += 1;
                chosen.binary_search(&(i - 1)).is_err()
            });
            dev
        }
    };
    let unusable = |what: String| {
        Err(TrainError::Unusable {
            path: path.clone(),
            what,
        })
    };
    if train.is_empty() || dev.is_empty() {
        return unusable(format!(
            "{} training and {} development sentences: at least one of each is needed",
            train.len(),
            dev.len()
        ));
    }
    if train.iter().all(|given| given.sentence.aspects.is_empty()) {
        return unusable("no sentence has an aspect: nothing to learn".to_owned());
    }
    let mut unlabelled = train.iter().map(|given| given.sentence.opinions.is_none());
    let first_unlabelled = match request.allows_missing_opinions {
        true => unlabelled.all(|is_missing| is_missing).then_some(0),
        false => unlabelled.position(|is_missing| is_missing),
    };
    if request.tag_set == TagSet::AspectsAndOpinions
        && request.needs_opinions
        && let Some(i) = first_unlabelled
    {
        return unusable(format!(
            "sentence {} has no opinion labels: annotate them, or set \
             model.opinions = \"unlabelled\"",
            i + 1
        ));
    }
    let mut dev = dev;
    dev.sort_by_key(|given| given.scheme);
    Ok(Sentences {
        train,
        dev,
        left_out,
    })
}

/// The sentences of several files, each file with its annotation scheme and its repeats.
fn read_files(
    request: &CorpusRequest<'_>,
    folder: &Path,
    paths: &Paths,
    schemes: &[String],
    repeat: &[usize],
) -> Result<Vec<GivenSentence>, TrainError> {
    let mut all = Vec::new();
    for (i, path) in paths.all().iter().enumerate() {
        let scheme = schemes.get(i).and_then(|name| {
            let mut known = request.schemes.iter();
            u32::try_from(known.position(|known| known == name)?).ok()
        });
        let sentences = data::read(&folder.join(path))?.into_iter();
        all.extend(sentences.map(|sentence| GivenSentence {
            sentence,
            scheme: scheme.unwrap_or(0),
            repeat: repeat.get(i).copied().unwrap_or(1),
        }));
    }
    Ok(all)
}
