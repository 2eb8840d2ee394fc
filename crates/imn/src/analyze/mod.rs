//! The main job: from a text to its aspects, opinions and sentiments.
//!
//! ```text
//! text ─ sentences, tokens ─→ words ─ network ─→ probabilities ─→ terms ─→ pairing ─→ Analysis
//!                               └─ DS over the whole text ─→ its sentiment ────────────┘
//! ```

mod analysis;
mod analyzer;
mod explain;
mod outcomes;
pub mod pairing;
mod pairing_score;
mod terms;

pub use analysis::{Analysis, FoundAspect, FoundOpinion, LinkedOpinion, SCHEMA, TextSentiment};
pub use analyzer::Analyzer;
pub use explain::{
    ExplainedDocument, ExplainedRound, ExplainedSentence, ExplainedToken, Explanation,
    MOST_ATTENTION, MOST_WORDS,
};
pub use outcomes::{sentence_outcomes, text_outcomes};
pub use pairing_score::{PairingScore, pairing_scores};
