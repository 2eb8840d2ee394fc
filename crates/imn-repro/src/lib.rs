//! Reproduction of the paper's comparison: its systems, runs and tables.
//!
//! ```text
//! registry (composition, tables, the paper's values)
//!    │
//! recipe: settings from configs/ ─→ runner ─→ fit ─→ imn::train ─→ imn::bundle::Model
//!                                     │       systems/: one file per network
//!                                     └─→ imn::eval ─→ results ─→ tables
//! ```
//!
//! [`training`] is a single run in a folder, what `imn train` does; its result has the form of
//! those of the comparison.
//!
//! This crate never prints and never parses arguments. The libraries that analyse reviews do not
//! depend on it.

pub mod cases;
pub mod config;
pub mod fit;
pub mod recipe;
pub mod registry;
pub mod results;
mod run_log;
pub mod runner;
pub mod sets;
pub mod systems;
pub mod tables;
pub mod training;
