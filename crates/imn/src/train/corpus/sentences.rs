//! The training and development sentences.

use std::collections::HashSet;
use std::path::Path;

use imn_nn::stream;
use rand::seq::SliceRandom as _;

use super::CorpusRequest;
use crate::data::{self, AnnotatedSentence};
use crate::model::TagSet;
use crate::train::TrainError;

/// A sentence and the index of its annotation scheme.
pub(super) type InScheme = (u32, AnnotatedSentence);

/// The sentences of a corpus.
pub(super) struct Sentences {
    /// Training sentences.
    pub(super) train: Vec<InScheme>,
    /// Development sentences, grouped by annotation scheme.
    pub(super) dev: Vec<InScheme>,
    /// Number of training sentences that were removed because `data.exclude` contains them.
    pub(super) left_out: usize,
}

/// Reads the sentences and splits them.
pub(super) fn read(request: &CorpusRequest<'_>, folder: &Path) -> Result<Sentences, TrainError> {
    let path = folder.join(request.data.train.first());
    let mut train = Vec::new();
    for (i, path) in request.data.train.all().iter().enumerate() {
        let scheme = request.data.schemes.get(i).and_then(|name| {
            let known = &mut request.schemes.iter();
            u32::try_from(known.position(|known| known == name)?).ok()
        });
        let sentences = data::read(&folder.join(path))?.into_iter();
        train.extend(sentences.map(|sentence| (scheme.unwrap_or(0), sentence)));
    }
    let all = train.len();
    let mut elsewhere = HashSet::new();
    for path in &request.data.exclude {
        let sentences = data::read(&folder.join(path))?;
        elsewhere.extend(sentences.iter().map(data::leak_key));
    }
    train.retain(|(_, sentence)| !elsewhere.contains(&data::leak_key(sentence)));
    let left_out = all - train.len();
    let dev = match &request.data.dev {
        Some(dev) => {
            let sentences = data::read(&folder.join(dev))?.into_iter();
            sentences.map(|sentence| (0, sentence)).collect()
        }
        None => {
            let mut order: Vec<usize> = (0..train.len()).collect();
            order.shuffle(&mut stream(request.seed, "development split"));
            let count = (train.len() as f64 * request.data.dev_share).round() as usize;
            let mut chosen = order;
            chosen.truncate(count);
            chosen.sort_unstable();
            let dev: Vec<InScheme> = chosen.iter().map(|&i| train[i].clone()).collect();
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
    if train
        .iter()
        .all(|(_, sentence)| sentence.aspects.is_empty())
    {
        return unusable("no sentence has an aspect: nothing to train on".to_owned());
    }
    if request.tag_set == TagSet::AspectsAndOpinions
        && let Some(i) = train
            .iter()
            .position(|(_, sentence)| sentence.opinions.is_none())
    {
        return unusable(format!(
            "sentence {} has no opinion labels: annotate them, or set \
             model.opinions = \"unlabelled\"",
            i + 1
        ));
    }
    let mut dev = dev;
    dev.sort_by_key(|(scheme, _)| *scheme);
    Ok(Sentences {
        train,
        dev,
        left_out,
    })
}
