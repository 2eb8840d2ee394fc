//! Errors of comparing two annotated texts.

/// One of the two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The reference.
    Gold,
    /// The output of the system.
    Predicted,
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Gold => "gold",
            Self::Predicted => "predicted",
        })
    }
}

/// Why two texts cannot be compared. Sentences are numbered from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PairingError {
    /// The numbers of sentences differ, but the sentences that both sides have agree.
    #[error(
        "{gold} gold sentences but {predicted} predicted ones, which agree up to sentence {}: \
         predict every sentence, in the order of the gold file",
        gold.min(predicted)
    )]
    Length {
        /// Number of gold sentences.
        gold: usize,
        /// Number of predicted sentences.
        predicted: usize,
    },
    /// The ids of a sentence differ.
    #[error(
        "sentence {number}: the gold id is {gold:?}, the predicted one {predicted:?}: \
         put the predictions in the order of the gold file"
    )]
    Id {
        /// Number of the sentence.
        number: usize,
        /// Its gold id.
        gold: String,
        /// Its predicted id.
        predicted: String,
    },
    /// The texts of a sentence differ by more than white space and letter case.
    #[error(
        "sentence {number}: the texts differ from character {at} on{}\n  \
         gold      {number}: {gold}\n  predicted {number}: {predicted}",
        advice(*elsewhere)
    )]
    Text {
        /// Number of the sentence.
        number: usize,
        /// The first character of the gold text that differs, from 1.
        at: usize,
        /// The gold text.
        gold: String,
        /// The predicted text.
        predicted: String,
        /// The number of a gold sentence that has the predicted text, if there is one.
        elsewhere: Option<usize>,
    },
    /// An annotation is out of bounds of its sentence.
    #[error(
        "sentence {number} ({side}): tokens {start}..{end} do not exist, the sentence has {tokens}"
    )]
    OutOfRange {
        /// Number of the sentence.
        number: usize,
        /// The text with the annotation.
        side: Side,
        /// First token of the span.
        start: usize,
        /// First token after the span.
        end: usize,
        /// Number of tokens of the sentence.
        tokens: usize,
    },
}

fn advice(elsewhere: Option<usize>) -> String {
    match elsewhere {
        Some(number) => format!(
            ": the predicted text is gold sentence {number}; \
             put the predictions in the order of the gold file"
        ),
        None => ": no gold sentence has the predicted text; \
                 predict the texts of the gold file (white space and letter case may differ)"
            .to_owned(),
    }
}
