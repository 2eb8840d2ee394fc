//! The sentiment towards an aspect: the paper's Y^as plus SemEval's *conflict*.

use serde::{Deserialize, Serialize};

/// The sentiment towards an aspect term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Polarity {
    /// The writer likes it.
    Positive,
    /// The writer dislikes it.
    Negative,
    /// Mentioned without a leaning.
    Neutral,
    /// Liked and disliked at once; never predicted, ignored by acc-s, F1-s and F1-I.
    Conflict,
}
