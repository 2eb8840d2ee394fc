//! The training and development sentences.

use std::collections::HashSet;
use std::path::Path;

use imn_nn::stream;
use rand::seq::SliceRandom as _;

use super::CorpusRequest;
use crate::config::{DataConfig, Paths};
use crate::data::{self, AnnotatedSentence, Place};
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
    /// Where it was read, for messages. `None` for a sentence of a longer text.
    pub(super) place: Option<Place>,
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

/// Reads the sentences and splits them. A network that starts from a trained model need not see
/// opinion labels (`needs_opinions`): it already knows what opinions are.
pub(super) fn read(
    request: &CorpusRequest<'_>,
    folder: &Path,
    needs_opinions: bool,
) -> Result<Sentences, TrainError> {
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
    let mut left_out = all - train.len();
    let mut dev = match &request.data.dev {
        Some(dev) => read_files(request, folder, dev, &request.data.dev_schemes, &[])?,
        None => split_off(&mut train, request),
    };
    // Another file may have the same sentences, perhaps in another annotation scheme. If there is
    // only one file, its repeats stay, as with the paper's sets. Files that the user names for the
    // development split may be training files too (`data.exclude` keeps them apart).
    if request.data.dev.is_none() && paths.all().len() > 1 {
        let before = train.len();
        let held_out: HashSet<_> = dev.iter().map(|d| data::leak_key(&d.sentence)).collect();
        train.retain(|given| !held_out.contains(&data::leak_key(&given.sentence)));
        left_out += before - train.len();
    }
    let unusable = |what: String| {
        Err(TrainError::Unusable {
            path: path.clone(),
            what,
        })
    };
    if train.is_empty() || dev.is_empty() {
        let elsewhere = match left_out {
            0 => String::new(),
            count => format!(
                " (sentences left out because data.exclude or the development split has them: \
                 {count})"
            ),
        };
        return unusable(format!(
            "{} training and {} development sentences: at least one of each is needed{elsewhere}",
            train.len(),
            dev.len()
        ));
    }
    if train.iter().all(|given| given.sentence.aspects.is_empty()) {
        return unusable("no sentence has an aspect: nothing to learn".to_owned());
    }
    if needs_opinions && request.tag_set == TagSet::AspectsAndOpinions {
        check_opinions(request, &train, &dev, &path)?;
    }
    dev.sort_by_key(|given| given.scheme);
    Ok(Sentences {
        train,
        dev,
        left_out,
    })
}

/// Moves a random share of the training sentences to the development split. Both keep their order.
fn split_off(train: &mut Vec<GivenSentence>, request: &CorpusRequest<'_>) -> Vec<GivenSentence> {
    let mut order: Vec<usize> = (0..train.len()).collect();
    order.shuffle(&mut stream(request.seed, "development split"));
    let count = (train.len() as f64 * request.data.dev_share).round() as usize;
    let mut is_dev = vec![false; train.len()];
    order.iter().take(count).for_each(|&i| is_dev[i] = true);
    let (dev, rest): (Vec<_>, Vec<_>) = std::mem::take(train)
        .into_iter()
        .zip(is_dev)
        .partition(|(_, is_dev)| *is_dev);
    *train = rest.into_iter().map(|(given, _)| given).collect();
    dev.into_iter().map(|(given, _)| given).collect()
}

/// Checks that the sentences have the opinion labels that the network needs: some of the training
/// sentences, or, if the network allows none to be missing, all sentences. `path` is the first
/// training file.
fn check_opinions(
    request: &CorpusRequest<'_>,
    train: &[GivenSentence],
    dev: &[GivenSentence],
    path: &Path,
) -> Result<(), TrainError> {
    let setting = match request.allows_missing_opinions {
        true => "model.opinions = \"unlabelled\"",
        false => "opinions = \"unused\"",
    };
    let is_missing = |given: &&GivenSentence| given.sentence.opinions.is_none();
    if train.iter().all(|given| is_missing(&given)) {
        return Err(TrainError::Unusable {
            path: path.to_owned(),
            what: format!(
                "no training sentence has opinion labels: annotate them, or set {setting}"
            ),
        });
    }
    if request.allows_missing_opinions {
        return Ok(());
    }
    let first = train.iter().chain(dev).find(is_missing);
    match first.and_then(|given| given.place.clone()) {
        Some(place) => Err(TrainError::NoOpinions { place }),
        None => Ok(()),
    }
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
        let path = folder.join(path);
        let mut loaded = data::load(&path, None)?;
        let lines = std::mem::take(&mut loaded.lines);
        let sentences = loaded.strict()?.into_iter().zip(lines);
        all.extend(sentences.map(|(sentence, line)| GivenSentence {
            sentence,
            scheme: scheme.unwrap_or(0),
            repeat: repeat.get(i).copied().unwrap_or(1),
            place: Some(Place::new(&path, line)),
        }));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn a_sentence_without_opinion_labels_is_named_by_its_file_and_line() {
        let folder = tempfile::tempdir().unwrap();
        let labelled = |i| {
            format!(
                "{{\"text\":\"good soup {i}\",\"aspects\":[{{\"start\":5,\"end\":9,\
                 \"polarity\":\"positive\"}}],\"opinions\":[{{\"start\":0,\"end\":4}}]}}\n"
            )
        };
        let bare = |i: usize| {
            let line = labelled(i);
            let kept = line.split(",\"opinions\"").next().unwrap();
            format!("{kept}}}\n")
        };
        let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text);
        write("a.jsonl", (0..5).map(labelled).collect()).unwrap();
        write("b.jsonl", labelled(5) + &labelled(6) + &bare(7)).unwrap();
        write("bare.jsonl", (0..5).map(bare).collect()).unwrap();
        // Left out, so that line numbers are not those of the remaining sentences.
        write("test.jsonl", labelled(0) + &labelled(5)).unwrap();
        write("dev.jsonl", (10..13).map(labelled).collect()).unwrap();
        let error = |files: &str, allows_missing_opinions: bool| {
            let text = format!(
                "name = \"t\"\n[data]\ntrain = {files}\ndev = \"dev.jsonl\"\n\
                 exclude = [\"test.jsonl\"]\n\
                 [model]\nmessages = \"aspect\"\ndocuments = \"none\"\n"
            );
            let config = Config::from_toml(&text, &[]).unwrap();
            let request = CorpusRequest {
                allows_missing_opinions,
                ..(&config).into()
            };
            read(&request, folder.path(), true).err()
        };
        let both = "[\"a.jsonl\", \"b.jsonl\"]";
        let place = Place::new(&folder.path().join("b.jsonl"), 3);
        match error(both, false) {
            Some(TrainError::NoOpinions { place: named }) => assert_eq!(named, place),
            other => panic!("{other:?}"),
        }
        assert!(error(both, true).is_none());
        let none = error("\"bare.jsonl\"", true).unwrap().to_string();
        assert!(
            none.contains("no training sentence has opinion labels"),
            "{none}"
        );
        assert!(none.contains("model.opinions"), "{none}");
    }
}
