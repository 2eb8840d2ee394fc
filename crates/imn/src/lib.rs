//! End-to-end aspect-based sentiment analysis.
//!
//! Data flows one way: [`text`] → [`data`] → model → training / [`eval`] → bundle → prediction.
//! Nothing here prints or parses arguments.

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
