//! Optimization: Adam, gradient clipping, parameter groups, learning-rate schedules.

mod adam;
mod groups;
mod schedule;
mod state;

pub use adam::{Adam, AdamConfig, MOVING_STEPS, StepCount, StepReport, UntouchedRows};
pub use groups::{Group, Groups};
pub use schedule::Schedule;
