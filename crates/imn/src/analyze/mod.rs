//! The main job: from a text to its aspects, opinions and sentiments.
//!
//! ```text
//! text ─ sentences, tokens ─→ words ─ network ─→ probabilities ─→ terms ─→ pairing ─→ Analysis
//!                               └─ DS over the whole text ─→ its sentiment ────────────┘
//! ```

mod analysis;
mod analyzer;
mod outcomes;
mod explain;
pub mod pairing;
mod terms;

pub use analysis::{Analysis, FoundAspect, FoundOpinion, LinkedOpinion, SCHEMA, TextSentiment};
pub use analyzer::Analyzer;
pub use outcomes::{sentence_outcomes, text_outcomes};
pub use explain::{
    ExplainedDocument, ExplainedRound, ExplainedSentence, ExplainedToken, Explanation,
    MOST_ATTENTION, MOST_WORDS,
};
