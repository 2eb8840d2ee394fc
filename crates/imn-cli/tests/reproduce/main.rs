//! `imn reproduce` as a user runs it.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;
mod parallel;
mod requests;
mod runs;
mod saved_results;
