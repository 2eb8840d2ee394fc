//! The scorer of all systems, and the statistics that compare systems.
//!
//! ```text
//! two annotated files ─ pairing ─┐
//! tags of a model ─── decoding ──┴→ SentenceSpans × 2 → Counts (addable) → Scores (ratios)
//!                                                    ├→ bootstrap: intervals
//!                                                    └→ paired: is A better on these sentences?
//! scores of several runs ────────────────────────────┬→ t_test: is A better over runs?
//!                                                    └→ seeds: by how much, paired by seed?
//! ```
//!
//! The metrics are the five of the paper, in percent:
//!
//! | name | what is counted |
//! |---|---|
//! | F1-a | all aspect spans, including *conflict* |
//! | F1-o | opinion spans in the five-class tags (a token of an aspect is not part of an opinion) |
//! | acc-s | accuracy of the sentiments of correctly extracted aspects that are not *conflict* |
//! | F1-s | harmonic mean of macro precision and macro recall of these sentiments |
//! | F1-I | aspects with correct span and sentiment; *conflict* is ignored |
//!
//! The ordinary macro-F1 is reported beside F1-s.
//!
//! ```
//! use imn::data::{Aspect, Polarity, Span};
//! use imn::eval::{Counts, Metric, SentenceSpans};
//!
//! let aspect =
//!     |start, end, polarity| Aspect { span: Span::new(start, end), polarity: Some(polarity) };
//! // "great soup , slow service": both aspects found, one sentiment wrong.
//! let gold = SentenceSpans {
//!     aspects: vec![aspect(1, 2, Polarity::Positive), aspect(4, 5, Polarity::Negative)],
//!     opinions: Some(vec![Span::new(0, 1), Span::new(3, 4)]),
//!     orphans: 0,
//! };
//! let mut predicted = gold.clone();
//! predicted.aspects[1].polarity = Some(Polarity::Positive);
//!
//! let scores = Counts::of(&gold, &predicted).scores();
//! assert_eq!(scores.get(Metric::F1A), Some(100.0));
//! assert_eq!(scores.get(Metric::AccS), Some(50.0));
//! assert_eq!(scores.get(Metric::F1I), Some(50.0));
//! ```

mod bootstrap;
mod by_class;
mod calibration;
mod counts;
mod decoding;
mod paired;
mod pairing;
mod random;
mod report;
mod scheme_calibration;
mod scores;
mod seeds;
mod spans;
mod student;
mod t_test;

#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod property_tests;

pub use bootstrap::{Bootstrap, Interval, Intervals};
pub use calibration::{Calibration, CalibrationErrors, Outcome, Outcomes, Platt};
pub use counts::{Counts, Matches};
pub use paired::{PairedTest, SentenceCountsDiffer, paired_test};
pub use pairing::{PairingError, Side, pair};
pub use report::{RunsTest, ScoreError, ScoreReport, ScoreRequest, ScoredRun, ScoredSystem};
pub use scheme_calibration::SchemeCalibration;
pub use scores::{Metric, Prf, Scores, SentimentScores};
pub use seeds::MeanDifference;
pub use spans::SentenceSpans;
pub use t_test::{TTest, TTestError, Tail, Variance, t_test};
