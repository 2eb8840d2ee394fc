//! Additive counts from which all scores are computed.
//!
//! Per sentence, with gold aspects G, predicted aspects P, and a match defined as an equal span:
//!
//! - F1-a counts |G|, |P| and the matches, including *conflict*.
//! - The sentiment counts include only matches whose gold polarity is positive, negative or
//!   neutral.
//! - For F1-I, the gold side is the aspects of G with such a polarity. The predicted side is P
//!   without the matches on other aspects (*conflict*, or not annotated). A wrong span that
//!   overlaps a *conflict* aspect still counts as predicted.
//!
//! This is the arithmetic of the paper's authors. For cases that their data does not have: a
//! prediction of *conflict*, or without a polarity, is a wrong sentiment; it stays in the
//! denominators.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

use super::SentenceSpans;
use super::spans::{distinct, merged};
use crate::data::{Polarity, Sentiment};

/// Numbers of gold, predicted and correct items.
///
/// ```
/// let matches = imn::eval::Matches { gold: 4, predicted: 2, correct: 1 };
/// let prf = matches.prf();
/// assert_eq!((prf.precision, prf.recall), (50.0, 25.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Matches {
    /// Items of the gold annotation.
    pub gold: u64,
    /// Predicted items.
    pub predicted: u64,
    /// Items that are both.
    pub correct: u64,
}

/// All counts. The sum of two is the counts of both texts together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Number of sentences.
    pub sentences: u64,
    /// Aspect spans.
    pub aspects: Matches,
    /// Number of sentences with opinions annotated on both sides. F1-o exists only if there is one.
    pub opinion_sentences: u64,
    /// Opinion spans of those sentences.
    pub opinions: Matches,
    /// Sentiments of the correctly extracted aspects, in the order of [`Sentiment::CLASSES`].
    #[serde(with = "super::by_class")]
    pub sentiments: [Matches; Sentiment::CLASSES.len()],
    /// Aspects with their sentiments, without *conflict*.
    pub integrated: Matches,
    /// Gold aspects that are *conflict*.
    pub gold_conflicts: u64,
    /// Gold aspects without a polarity.
    pub gold_unpolarised: u64,
    /// Predicted aspects without a polarity.
    pub predicted_unpolarised: u64,
    /// Inside tags without a begin tag on the gold side, which are ignored.
    pub gold_orphans: u64,
    /// Inside tags without a begin tag on the predicted side, which are ignored.
    pub predicted_orphans: u64,
}

/// Index of a polarity in [`Counts::sentiments`]; `None` for *conflict*.
fn class(polarity: Polarity) -> Option<usize> {
    Sentiment::try_from(polarity).ok().map(Sentiment::index)
}

impl Counts {
    /// Counts of one sentence.
    #[must_use]
    pub fn of(gold: &SentenceSpans, predicted: &SentenceSpans) -> Self {
        let mut counts = Self {
            sentences: 1,
            gold_orphans: gold.orphans,
            predicted_orphans: predicted.orphans,
            ..Self::default()
        };
        counts.compare_aspects(gold, predicted);
        if let (Some(gold), Some(predicted)) = (&gold.opinions, &predicted.opinions) {
            let (gold, predicted) = (distinct(gold), distinct(predicted));
            let correct = predicted
                .iter()
                .filter(|span| gold.binary_search(span).is_ok())
                .count();
            counts.opinion_sentences = 1;
            counts.opinions = Matches {
                gold: gold.len() as u64,
                predicted: predicted.len() as u64,
                correct: correct as u64,
            };
        }
        counts
    }

    fn compare_aspects(&mut self, gold: &SentenceSpans, predicted: &SentenceSpans) {
        let (gold, predicted) = (merged(&gold.aspects), merged(&predicted.aspects));
        self.aspects.gold = gold.len() as u64;
        self.aspects.predicted = predicted.len() as u64;
        for aspect in &gold {
            match aspect.polarity {
                Some(Polarity::Conflict) => self.gold_conflicts += 1,
                Some(_) => self.integrated.gold += 1,
                None => self.gold_unpolarised += 1,
            }
        }
        for aspect in &predicted {
            self.predicted_unpolarised += u64::from(aspect.polarity.is_none());
            let matched = gold.binary_search_by_key(&aspect.span, |g| g.span);
            let Some(gold) = matched.ok().and_then(|at| gold.get(at)) else {
                self.integrated.predicted += 1;
                continue;
            };
            self.aspects.correct += 1;
            let Some(gold_class) = gold.polarity.and_then(class) else {
                continue; // counts in neither denominator of F1-I
            };
            self.integrated.predicted += 1;
            self.sentiments[gold_class].gold += 1;
            if let Some(predicted_class) = aspect.polarity.and_then(class) {
                self.sentiments[predicted_class].predicted += 1;
                if predicted_class == gold_class {
                    self.sentiments[gold_class].correct += 1;
                    self.integrated.correct += 1;
                }
            }
        }
    }
}

impl AddAssign for Matches {
    fn add_assign(&mut self, other: Self) {
        self.gold += other.gold;
        self.predicted += other.predicted;
        self.correct += other.correct;
    }
}

impl AddAssign<&Self> for Counts {
    fn add_assign(&mut self, other: &Self) {
        // Destructured, so that a new field cannot be forgotten here.
        let Self {
            sentences,
            aspects,
            opinion_sentences,
            opinions,
            sentiments: [positive, negative, neutral],
            integrated,
            gold_conflicts,
            gold_unpolarised,
            predicted_unpolarised,
            gold_orphans,
            predicted_orphans,
        } = *other;
        self.sentences += sentences;
        self.aspects += aspects;
        self.opinion_sentences += opinion_sentences;
        self.opinions += opinions;
        self.sentiments[0] += positive;
        self.sentiments[1] += negative;
        self.sentiments[2] += neutral;
        self.integrated += integrated;
        self.gold_conflicts += gold_conflicts;
        self.gold_unpolarised += gold_unpolarised;
        self.predicted_unpolarised += predicted_unpolarised;
        self.gold_orphans += gold_orphans;
        self.predicted_orphans += predicted_orphans;
    }
}

impl Add for Counts {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += &other;
        self
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}

impl<'a> Sum<&'a Self> for Counts {
    fn sum<I: Iterator<Item = &'a Self>>(counts: I) -> Self {
        counts.copied().sum()
    }
}
