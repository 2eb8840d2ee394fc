//! End-to-end aspect-based sentiment analysis: which aspects a review names, which words judge
//! them, and how. The networks are those of the interactive multi-task learning network (IMN).
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
//! networks, training, scores, model files, and pictures of a prediction.
//!
//! # What it must not know
//!
//! - The terminal and the command line: nothing here prints, parses arguments or reads environment
//!   variables. Progress is reported as events ([`train::Event`]).
//! - Tables of many reviews (`imn-batch`), report pages (`imn-report`) and the systems that the
//!   paper compares (`imn-repro`). They depend on this crate.
//! - How tensors are computed (`imn-nn`) and how files are compressed and replaced (`imn-io`). This
//!   crate depends on both, and they know nothing of reviews.
//!
//! # The order of modules
//!
//! A module uses only modules above it in this table; a test holds the source to it.
//!
//! | module | concept |
//! |---|---|
//! | [`text`] | tokenizer rules, sentence splitting, offsets, vocabulary |
//! | [`vectors`] | word-vector files |
//! | [`data`] | annotated sentences and documents, one reader per format, the label types |
//! | [`features`] | from words to what an encoder reads |
//! | [`eval`] | scores, tests, calibration |
//! | [`model`] | the networks, one file per component of the paper |
//! | [`config`] | one typed configuration, saved in every model file |
//! | [`predict`] | a network over many sentences; terms with confidences |
//! | [`bundle`] | the model file, its parts, built-in models |
//! | [`train`] | one trainer for every network: corpus, plan of steps, checkpoints |
//! | [`analyze`] | the analysis of a review, the one output record |
//! | [`render`] | pictures: explanations, learning curves |

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
