//! The paper's comparison: every system that it compares, every run, every table.

pub mod tables;
