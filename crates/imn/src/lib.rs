//! End-to-end aspect-based sentiment analysis.
//!
//! Data flows one way: [`text`] → [`data`] → model → training / [`eval`] → bundle → prediction.
//! Nothing here prints or parses arguments.
//!
//! ```
//! let analyzer = imn::analyze::Analyzer::built_in()?;
//! let analysis = analyzer.analyze("The ramen was wonderful, but our waiter ignored us.");
//! assert_eq!(analysis.aspects[0].term, "ramen");
//! # assert_eq!(analysis.aspects[0].sentiment, imn::data::Polarity::Positive);
//! # assert_eq!(analysis.aspects[1].term, "waiter");
//! # Ok::<(), imn::models::ModelError>(())
//! ```

pub mod analyze;
pub mod bundle;
pub mod config;
pub mod data;
pub mod eval;
pub mod io;
pub mod model;
pub mod models;
pub mod picture;
pub mod predict;
pub mod results;
pub mod text;
pub mod train;
pub mod vectors;
