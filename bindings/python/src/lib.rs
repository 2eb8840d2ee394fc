//! The native module `imn._imn` of the Python package `imn`.
//!
//! ```text
//! Analyzer ─ analyze, analyze_many ─→ Review ─→ Aspect, Opinion, LinkedOpinion, TextSentiment
//!    ├─ explain ─────────────────────→ Explanation
//!    └─ analyze_arrow ───────────────→ ArrowStream (Arrow PyCapsule interface)
//! evaluate, score, train ─→ JSON, from which the Python part of the package builds its classes
//! ```
//!
//! Every entry point releases the interpreter lock while it computes, can be interrupted by Ctrl-C
//! (`work`), and turns panics into exceptions (`guard`). Errors have the words of the command
//! line.
//!
//! It converts values and errors and has no logic of its own: what a call does is in the libraries.
//!
//! Only `arrow/capsule.rs` has unsafe code, at the border to other Arrow libraries.

mod analyzer;
mod arrow;
mod errors;
mod explanation;
mod guard;
mod info;
mod number;
mod pool;
mod review;
mod scores;
mod training;
mod work;

/// The native part of the package `imn`.
#[pyo3::pymodule]
mod _imn {
    #[pymodule_export]
    use crate::analyzer::PyAnalyzer;
    #[pymodule_export]
    use crate::arrow::ArrowStream;
    #[pymodule_export]
    use crate::errors::{ConfigError, DataError, Error, InternalError, ModelError, TrainError};
    #[pymodule_export]
    use crate::explanation::{ExplainedSentence, PyExplanation};
    #[pymodule_export]
    use crate::guard::panic_for_tests;
    #[pymodule_export]
    use crate::info::{ModelInfo, models};
    #[pymodule_export]
    use crate::review::{Aspect, LinkedOpinion, Opinion, Review, TextSentiment};
    #[pymodule_export]
    use crate::scores::{evaluate, score};
    #[pymodule_export]
    use crate::training::train;
}
