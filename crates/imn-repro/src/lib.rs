//! The paper's comparison: every system that it compares, every run, every table.
//!
//! ```text
//! registry (composition, tables, the paper's values)
//!    │
//! recipe: Settings from configs/ ─→ runner ─→ fit ─→ imn::train ─→ imn::bundle::Model
//!                                     │       systems/: one file per network
//!                                     └─→ imn::eval ─→ results ─→ tables
//! ```

pub mod cases;
pub mod config;
pub mod fit;
pub mod recipe;
pub mod registry;
pub mod results;
pub mod runner;
pub mod sets;
pub mod systems;
pub mod tables;
