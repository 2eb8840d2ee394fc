//! The paper's comparison: every system that it compares, every run, every table.
//!
//! ```text
//! configs/ ─→ SystemConfig ─→ fit ─→ Trained ─┬─→ System (alone, or an extractor and a classifier) ─→ annotated sentences
//!             systems/: one file a network    └─→ bundle                                               └─→ imn::eval ─→ results/ ─→ tables
//! ```

pub mod batch;
pub mod cases;
pub mod config;
pub mod fit;
pub mod lab;
pub mod network;
pub mod recipe;
pub mod system;
pub mod systems;
pub mod tables;
pub mod trained;
