//! Polarity of an annotated aspect: the paper's Y^as and SemEval's *conflict*.

use serde::{Deserialize, Serialize};

/// The sentiment towards an aspect term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Polarity {
    /// The writer likes it.
    Positive,
    /// The writer dislikes it.
    Negative,
    /// The writer mentions it without judgement.
    Neutral,
    /// The writer likes and dislikes it. Never predicted; ignored by acc-s, F1-s and F1-I.
    Conflict,
}

impl Polarity {
    /// All polarities, in the order of their codes in the four-file layout.
    pub const ALL: [Self; 4] = [
        Self::Positive,
        Self::Negative,
        Self::Neutral,
        Self::Conflict,
    ];

    /// `positive`, `negative`, `neutral` or `conflict`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
            Self::Neutral => "neutral",
            Self::Conflict => "conflict",
        }
    }

    /// The code of the four-file layout: 1 positive, 2 negative, 3 neutral, 4 conflict.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Positive => 1,
            Self::Negative => 2,
            Self::Neutral => 3,
            Self::Conflict => 4,
        }
    }

    /// The polarity with this code in the four-file layout.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            1 => Some(Self::Positive),
            2 => Some(Self::Negative),
            3 => Some(Self::Neutral),
            4 => Some(Self::Conflict),
            _ => None,
        }
    }

    /// Parses a name in any of the usual spellings.
    ///
    /// ```
    /// use imn::data::Polarity;
    ///
    /// assert_eq!(Polarity::from_name("POS"), Some(Polarity::Positive));
    /// assert_eq!(Polarity::from_name("glad"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let is = |names: &[&str]| names.iter().any(|n| name.eq_ignore_ascii_case(n));
        if is(&["positive", "pos"]) {
            Some(Self::Positive)
        } else if is(&["negative", "neg"]) {
            Some(Self::Negative)
        } else if is(&["neutral", "neu"]) {
            Some(Self::Neutral)
        } else if is(&["conflict", "conf", "con"]) {
            Some(Self::Conflict)
        } else {
            None
        }
    }

    /// The polarity of a span that is annotated with both: *conflict* if they differ.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        if self == other { self } else { Self::Conflict }
    }
}

impl std::fmt::Display for Polarity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
