//! The main job: from a text to its aspects, opinions and sentiments.
//!
//! ```text
//! text ─ sentences, tokens ─→ words ─ network ─→ probabilities ─→ terms ─→ pairing ─→ Analysis
//!                               └─ DS over the whole text ─→ its sentiment ────────────┘
//! Analysis + text, row, id, columns ─→ AnalyzedReview ─→ every output
//! ```

mod analysis;
mod analyzer;
mod explain;
pub mod pairing;
mod pairing_score;
mod raw_json;
mod review;
mod stepwise;
mod tokenized;

pub use analysis::{Analysis, FoundAspect, FoundOpinion, LinkedOpinion, SCHEMA, TextSentiment};
pub use analyzer::Analyzer;
pub use explain::{
    ExplainedDocument, ExplainedRound, ExplainedSentence, ExplainedSentences, ExplainedToken,
    Explanation, ExplanationView, MOST_ATTENTION, MOST_WORDS,
};
pub use pairing_score::{PairingScore, pairing_scores};
pub use raw_json::{InputColumns, RawJson};
pub use review::AnalyzedReview;
pub use stepwise::{SentenceScores, StepwiseText};
pub use tokenized::Tokenized;
