//! End-to-end aspect-based sentiment analysis: the aspects that a review mentions, the opinion
//! words about them, and the sentiment towards each aspect. The network is IMN, the interactive
//! multi-task learning network.
//!
//! ```
//! let analyzer = imn::analyze::Analyzer::built_in()?;
//! let analysis = analyzer.analyze("The ramen was wonderful, but our waiter ignored us.");
//! assert_eq!(analysis.aspects[0].term, "ramen");
//! # assert_eq!(analysis.aspects[0].sentiment, imn::data::Sentiment::Positive);
//! # assert_eq!(analysis.aspects[1].term, "waiter");
//! # Ok::<(), imn::bundle::ModelError>(())
//! ```
//!
//! # What this crate holds
//!
//! Everything about aspects and sentiments, from raw text to an analysis: tokenizer, data formats,
//! networks, training, scores, model files, and rendered explanations.
//!
//! # What it does not hold
//!
//! - The terminal and the command line: nothing here prints, parses arguments or reads environment
//!   variables. Progress is reported as events ([`train::Event`]).
//! - Batch jobs (`imn-batch`), report pages (`imn-report`) and the systems that the paper compares
//!   IMN with (`imn-repro`). These crates depend on this one.
//! - Tensor operations (`imn-nn`), and compressed and atomically replaced files (`imn-io`). This
//!   crate depends on both.
//!
//! # The order of modules
//!
//! A module uses only modules above it in this table. `tests/module_order.rs` checks this.
//!
//! | module | concept |
//! |---|---|
//! | [`text`] | tokenizer rules, sentence splitting, offsets, vocabulary |
//! | [`vectors`] | word-vector files |
//! | [`data`] | annotated sentences and documents, one reader per format, the label types |
//! | [`features`] | from words to the input of an encoder |
//! | [`eval`] | scores, significance tests, calibration |
//! | [`model`] | the networks, one file per component of the paper |
//! | [`config`] | one typed configuration, saved in every model file |
//! | [`predict`] | batched inference; terms with confidences |
//! | [`bundle`] | the model file, its parts, built-in models |
//! | [`train`] | one trainer for every network: corpus, plan of steps, checkpoints |
//! | [`analyze`] | the analysis of a review and its output record |
//! | [`render`] | explanations and learning curves as SVG, HTML and terminal text |

pub mod analyze;
pub mod bundle;
pub mod config;
pub mod data;
pub mod eval;
pub mod features;
pub mod model;
pub mod predict;
pub mod render;
pub mod text;
pub mod train;
pub mod vectors;
