//! From gradients to new values: Adam, clipping, learning-rate schedules.

mod adam;
mod schedule;

pub use adam::{Adam, AdamConfig, StepReport};
pub use schedule::Schedule;
