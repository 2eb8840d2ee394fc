//! Finds the training and the test split of a set by their paths, and the sentences in both.

use std::collections::HashMap;
use std::path::Path;

use super::check::{Loaded, key};
use super::{AnnotatedSentence, Place, Problem, ProblemKind};

/// Key by which a test sentence is found in the training split: its letters and digits, or its
/// words if it has none.
#[must_use]
pub(crate) fn leak_key(sentence: &AnnotatedSentence) -> String {
    let letters: String = sentence
        .text
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    if letters.is_empty() {
        key(sentence)
    } else {
        letters
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Split {
    Train,
    Test,
}

/// The split that a path names last, and the text before and after that word. Words are runs of
/// letters ("latest" is not test), and a capital letter begins a new one (`RestaurantsTrain`).
fn split_of(path: &Path) -> Option<(Split, [String; 2])> {
    let name = path.to_string_lossy();
    let mut last = None;
    let mut start = 0;
    let mut before = ' ';
    let ends = name.char_indices().chain([(name.len(), ' ')]);
    for (at, c) in ends {
        let begins = c.is_uppercase() && before.is_lowercase();
        if !c.is_alphabetic() || begins {
            let word = name.get(start..at).unwrap_or("");
            let split = match word.to_lowercase().as_str() {
                "train" | "training" => Some(Split::Train),
                "test" | "testing" | "dev" | "valid" | "validation" => Some(Split::Test),
                _ => None,
            };
            if let Some(split) = split {
                last = Some((split, start, at));
            }
            start = if begins { at } else { at + c.len_utf8() };
        }
        before = c;
    }
    let (split, start, end) = last?;
    let around = [
        name.get(..start)?.to_lowercase(),
        name.get(end..)?.to_lowercase(),
    ];
    Some((split, around))
}

/// Whether two splits belong to one set: the text before the word is the same, and so is the text
/// after it, unless both are only the rest of a file name ("Test_Gold.xml").
fn same_set(a: &[String; 2], b: &[String; 2]) -> bool {
    let rest_of_name = |around: &[String; 2]| !around[1].contains(['/', '\\']);
    a[0] == b[0] && (a[1] == b[1] || (rest_of_name(a) && rest_of_name(b)))
}

/// Reports every test sentence that is also in the training split of its set.
pub(super) fn check_leaks(sets: &[Loaded], problems: &mut Vec<Problem>) {
    let splits: Vec<(&Loaded, Split, [String; 2])> = sets
        .iter()
        .filter_map(|set| split_of(&set.path).map(|(split, group)| (set, split, group)))
        .collect();
    // With exactly one split of each kind, both belong together whatever their names are.
    let only_pair = splits.iter().filter(|p| p.1 == Split::Train).count() == 1
        && splits.iter().filter(|p| p.1 == Split::Test).count() == 1;
    for (train, _, group) in splits.iter().filter(|p| p.1 == Split::Train) {
        let known: HashMap<String, &Place> = train
            .sentences
            .iter()
            .zip(&train.places)
            .map(|(s, place)| (leak_key(s), place))
            .collect();
        for (test, _, _) in splits
            .iter()
            .filter(|p| p.1 == Split::Test && (same_set(&p.2, group) || only_pair))
        {
            for (sentence, place) in test.sentences.iter().zip(&test.places) {
                if let Some(there) = known.get(&leak_key(sentence)) {
                    problems.push(Problem::new(
                        place.clone(),
                        ProblemKind::Leak,
                        format!("also in the training split, {there}"),
                        "remove it from one of the two",
                    ));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_are_recognised_by_whole_words() {
        let split = |path: &str| split_of(Path::new(path)).map(|(split, _)| split == Split::Train);
        assert_eq!(split("latest/trainer.jsonl"), None);
        assert_eq!(split("devices.jsonl"), None);
        assert_eq!(split("test/x_train.v2.jsonl"), Some(true));
        assert_eq!(split("RestaurantsTrain2.xml"), Some(true));
        assert_eq!(split("set/TEST/a.xml"), Some(false));
    }
}
