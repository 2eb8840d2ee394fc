//! What the tests of several crates share: a toy set that a small network learns in seconds, and the
//! way to data that is not part of the repository.
//!
//! Only `dev-dependencies` may name this crate.
#![allow(clippy::expect_used, reason = "a failed expectation is a failed test")]

pub mod encoder;
pub mod skip;
pub mod toy;

pub use skip::shared_data;
