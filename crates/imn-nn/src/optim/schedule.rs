//! Learning-rate schedules as data, so that a configuration file can contain one.

use serde::{Deserialize, Serialize};

/// The factor on the learning rate as a function of the step or epoch.
///
/// ```
/// use imn_nn::optim::Schedule;
/// assert_eq!(Schedule::Constant.factor(100, 7), 1.0);
/// assert_eq!(Schedule::InverseEpoch { decay: 0.05 }.factor(0, 20), 0.5);
/// assert_eq!(Schedule::Linear { epochs: 20, to: 0.2 }.factor(0, 10), 0.6);
/// assert_eq!(Schedule::Warmup { steps: 10, total: 30 }.factor(20, 0), 0.5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Schedule {
    /// 1
    #[default]
    Constant,
    /// 1 / (1 + decay · epoch)
    InverseEpoch {
        /// The decay.
        decay: f64,
    },
    /// decay^epoch
    Exponential {
        /// The decay.
        decay: f64,
    },
    /// Falls linearly from 1 to `to` over `epochs` epochs, then stays there.
    Linear {
        /// Number of epochs over which the rate falls.
        epochs: u64,
        /// The final factor.
        to: f64,
    },
    /// Rises linearly over a share of all steps, then falls linearly to zero at the last step. The
    /// trainer supplies the number of steps, see [`Schedule::over`].
    WarmupShare {
        /// The share of warm-up steps.
        share: f64,
    },
    /// Rises linearly over `steps`, then falls linearly to zero at `total`.
    Warmup {
        /// Number of warm-up steps.
        steps: u64,
        /// Step at which the rate reaches zero.
        total: u64,
    },
}

impl Schedule {
    /// Why the settings are invalid; `None` if they are valid.
    #[must_use]
    pub fn problem(&self) -> Option<&'static str> {
        let is_share = |number: f64| (0.0..=1.0).contains(&number);
        match *self {
            Self::InverseEpoch { decay } | Self::Exponential { decay }
                if !(decay.is_finite() && decay >= 0.0) =>
            {
                Some("decay must be 0 or more")
            }
            Self::Linear { to, .. } if !is_share(to) => Some("to must be from 0 to 1"),
            Self::WarmupShare { share } if !is_share(share) => Some("share must be from 0 to 1"),
            _ => None,
        }
    }

    /// The schedule of a run of `total` steps.
    ///
    /// ```
    /// use imn_nn::optim::Schedule;
    /// let schedule = Schedule::WarmupShare { share: 0.1 }.over(200);
    /// assert_eq!(schedule, Schedule::Warmup { steps: 20, total: 200 });
    /// assert_eq!(Schedule::Constant.over(200), Schedule::Constant);
    /// ```
    #[must_use]
    pub fn over(self, total: u64) -> Self {
        match self {
            Self::WarmupShare { share } => Self::Warmup {
                steps: (total as f64 * share).round() as u64,
                total,
            },
            other => other,
        }
    }

    /// The factor at `step` in `epoch`, both counted from 0. Steps count over the whole run. Epochs
    /// count within a phase of it: those after pre-training begin at 0 again.
    #[must_use]
    pub fn factor(self, step: u64, epoch: u64) -> f64 {
        match self {
            Self::Constant | Self::WarmupShare { .. } => 1.0,
            Self::InverseEpoch { decay } => 1.0 / (1.0 + decay * epoch as f64),
            Self::Exponential { decay } => decay.powf(epoch as f64),
            Self::Linear { epochs, to } => {
                let done = epoch.min(epochs) as f64 / epochs.max(1) as f64;
                1.0 - (1.0 - to) * done
            }
            Self::Warmup { steps, .. } if step < steps => (step + 1) as f64 / steps as f64,
            Self::Warmup { steps, total } => {
                let left = total.saturating_sub(step) as f64;
                left / total.saturating_sub(steps).max(1) as f64
            }
        }
    }
}
