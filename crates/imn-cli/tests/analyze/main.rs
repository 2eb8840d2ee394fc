//! `imn analyze` as a user runs it.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod columns;
mod common;
mod mistakes;
mod resume;
mod tables;
mod texts;
mod views;
