//! Shared test code: a toy data set that a small network fits in seconds, and access to data that
//! is not part of the repository.
//!
//! This crate may be used in `dev-dependencies` only.
#![allow(clippy::expect_used, reason = "a failed expectation is a failed test")]

pub mod encoder;
mod script;
pub mod skip;
pub mod toy;

pub use script::script_hash;
pub use skip::shared_data;
