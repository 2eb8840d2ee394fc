//! Scores: precision = correct / predicted, recall = correct / gold, F1 = 2PR / (P + R), in
//! percent.
//!
//! 0 / 0 is 0, as in the scorer of the paper's authors: a text without aspects in which none was
//! found scores 0, not 100. A score that does not exist, because something was not annotated or not
//! predicted at all, is `None`, which is not 0.
//!
//! F1-s, as the authors compute it, takes P and R as means over the three polarities, with 0 for
//! those that do not occur, and then 2PR / (P + R). On a text without neutral aspects, even a
//! perfect system gets 66.67. The ordinary macro-F1, which is reported too, is the mean F1 of the
//! polarities that occur in gold or prediction among the correctly extracted aspects.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::counts::{Counts, Matches};
use crate::data::Sentiment;

/// Precision, recall and F1, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Prf {
    /// correct / predicted.
    pub precision: f64,
    /// correct / gold.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
}

/// Scores of the sentiments of correctly extracted aspects, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SentimentScores {
    /// Accuracy: acc-s.
    pub accuracy: f64,
    /// Macro precision, macro recall, and their harmonic mean, F1-s.
    pub f1_s: Prf,
    /// Ordinary macro-F1: the mean F1 of the classes that occur.
    pub macro_f1: f64,
    /// Scores of the classes, in the order of [`Sentiment::CLASSES`].
    #[serde(with = "super::by_class")]
    pub classes: [Prf; Sentiment::CLASSES.len()],
}

/// The scores of one system on one text, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Scores {
    /// Aspect term extraction: F1-a.
    pub aspect: Prf,
    /// Opinion term extraction: F1-o. `None` if gold or system has no opinions at all.
    pub opinion: Option<Prf>,
    /// acc-s and F1-s. `None` if gold or system has no polarities at all.
    pub sentiment: Option<SentimentScores>,
    /// Aspects with sentiments: F1-I. `None` if gold or system has no polarities at all.
    pub integrated: Option<Prf>,
}

/// A metric of the paper's tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Metric {
    /// Aspect term extraction.
    #[serde(rename = "F1-a")]
    F1A,
    /// Opinion term extraction.
    #[serde(rename = "F1-o")]
    F1O,
    /// Accuracy of the sentiments.
    #[serde(rename = "acc-s")]
    AccS,
    /// Harmonic mean of macro precision and macro recall of the sentiments.
    #[serde(rename = "F1-s")]
    F1S,
    /// Ordinary macro-F1 of the sentiments.
    #[serde(rename = "macro-F1-s")]
    MacroF1S,
    /// Aspects with sentiments.
    #[serde(rename = "F1-I")]
    F1I,
}

impl Metric {
    /// All metrics, in the order of the paper's tables.
    pub const ALL: [Self; 6] = [
        Self::F1A,
        Self::F1O,
        Self::AccS,
        Self::F1S,
        Self::MacroF1S,
        Self::F1I,
    ];

    /// Name of the metric in the paper.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F1A => "F1-a",
            Self::F1O => "F1-o",
            Self::AccS => "acc-s",
            Self::F1S => "F1-s",
            Self::MacroF1S => "macro-F1-s",
            Self::F1I => "F1-I",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        100.0 * part as f64 / whole as f64
    }
}

impl Prf {
    fn new(precision: f64, recall: f64) -> Self {
        let sum = precision + recall;
        let f1 = if sum > 0.0 {
            2.0 * precision * recall / sum
        } else {
            0.0
        };
        Self {
            precision,
            recall,
            f1,
        }
    }
}

impl Matches {
    /// Precision, recall and F1, in percent.
    #[must_use]
    pub fn prf(&self) -> Prf {
        Prf::new(
            percent(self.correct, self.predicted),
            percent(self.correct, self.gold),
        )
    }
}

impl Counts {
    /// All scores, in percent.
    #[must_use]
    pub fn scores(&self) -> Scores {
        let polarised = self.polarised();
        Scores {
            aspect: self.aspects.prf(),
            opinion: (self.opinion_sentences > 0).then(|| self.opinions.prf()),
            sentiment: polarised.then(|| self.sentiment_scores()),
            integrated: polarised.then(|| self.integrated.prf()),
        }
    }

    /// Whether both sides have polarities. A side has none if it has aspects, all without a
    /// polarity.
    fn polarised(&self) -> bool {
        let known = |aspects, without| aspects == 0 || without < aspects;
        known(self.aspects.gold, self.gold_unpolarised)
            && known(self.aspects.predicted, self.predicted_unpolarised)
    }

    fn sentiment_scores(&self) -> SentimentScores {
        let classes = self.sentiments.map(|matches| matches.prf());
        let mean = |of: fn(&Prf) -> f64| classes.iter().map(of).sum::<f64>() / 3.0;
        let occurring = self
            .sentiments
            .iter()
            .filter(|matches| matches.gold + matches.predicted > 0)
            .count();
        let gold = self.sentiments.iter().map(|matches| matches.gold).sum();
        let correct = self.sentiments.iter().map(|matches| matches.correct).sum();
        SentimentScores {
            accuracy: percent(correct, gold),
            f1_s: Prf::new(mean(|class| class.precision), mean(|class| class.recall)),
            // A class that does not occur has F1 = 0 and does not change the sum.
            macro_f1: classes.iter().map(|class| class.f1).sum::<f64>() / occurring.max(1) as f64,
            classes,
        }
    }
}

impl Scores {
    /// The existing scores by their names in the paper.
    #[must_use]
    pub fn named(&self) -> BTreeMap<String, f64> {
        Metric::ALL
            .into_iter()
            .filter_map(|metric| Some((metric.name().to_owned(), self.get(metric)?)))
            .collect()
    }

    /// The value of a metric; `None` if it does not exist.
    #[must_use]
    pub fn get(&self, metric: Metric) -> Option<f64> {
        match metric {
            Metric::F1A => Some(self.aspect.f1),
            Metric::F1O => self.opinion.map(|opinion| opinion.f1),
            Metric::AccS => self.sentiment.map(|sentiment| sentiment.accuracy),
            Metric::F1S => self.sentiment.map(|sentiment| sentiment.f1_s.f1),
            Metric::MacroF1S => self.sentiment.map(|sentiment| sentiment.macro_f1),
            Metric::F1I => self.integrated.map(|integrated| integrated.f1),
        }
    }

    /// Precision, recall and F1 of a metric; `None` for acc-s and macro-F1, which have none.
    #[must_use]
    pub fn prf(&self, metric: Metric) -> Option<Prf> {
        match metric {
            Metric::F1A => Some(self.aspect),
            Metric::F1O => self.opinion,
            Metric::F1S => self.sentiment.map(|sentiment| sentiment.f1_s),
            Metric::F1I => self.integrated,
            Metric::AccS | Metric::MacroF1S => None,
        }
    }

    /// All values in the order of [`Metric::ALL`], with 0 for those that do not exist.
    pub(super) fn all(&self) -> [f64; Metric::ALL.len()] {
        Metric::ALL.map(|metric| self.get(metric).unwrap_or(0.0))
    }
}
