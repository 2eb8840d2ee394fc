//! Analysis of texts: aspects, opinions and sentiments.
//!
//! ```text
//! text ─ sentences, tokens ─→ words ─ network ─→ probabilities ─→ terms ─→ pairing ─→ Analysis
//!                               └─ DS over the whole text ─→ its sentiment ────────────┘
//! Analysis + text, row, id, columns ─→ AnalyzedReview ─→ every output format
//! ```

mod analysis;
mod analyzer;
mod budget;
mod evaluation;
mod explain;
pub mod pairing;
mod pairing_score;
mod raw_json;
mod review;
mod stepwise;
mod stored;
mod tokenized;
mod triplet_score;

pub use analysis::{Analysis, FoundAspect, FoundOpinion, LinkedOpinion, SCHEMA, TextSentiment};
pub use analyzer::Analyzer;
pub use evaluation::{EvaluatedRun, EvaluatedScheme, Evaluation};
pub use explain::{
    ExplainedDocument, ExplainedRound, ExplainedSentence, ExplainedSentences, ExplainedToken,
    Explanation, ExplanationView, MAX_WORDS,
};
pub use pairing_score::{PairingScore, pairing_scores};
pub use raw_json::{InputColumns, RawJson};
pub use review::AnalyzedReview;
pub use stepwise::{Detail, SentenceScores, StepwiseText};
pub use stored::{BadLine, StoredError, StoredReviews};
pub use tokenized::Tokenized;
pub use triplet_score::{TripletScores, triplet_scores};
