//! Whether our scores reach the paper's.

use std::fmt;

use super::sheet::Cell;

/// How far below the paper's value a mean may be, in points, to count as near it.
pub const NEAR: f64 = 2.0;

/// What the mean of the very same values may be off by.
const ROUNDING: f64 = 1e-9;

/// How a mean stands to the paper's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// At it or above.
    Above,
    /// Below it by no more than [`NEAR`].
    Near,
    /// Further below.
    Below,
    /// There are no runs.
    Unknown,
}

impl Reach {
    /// All of them, the best first.
    pub const ALL: [Self; 4] = [Self::Above, Self::Near, Self::Below, Self::Unknown];

    /// How the mean of a cell stands.
    #[must_use]
    pub fn of(cell: &Cell) -> Self {
        match cell.difference() {
            None => Self::Unknown,
            Some(difference) if difference >= -ROUNDING => Self::Above,
            Some(difference) if difference >= -NEAR - ROUNDING => Self::Near,
            Some(_) => Self::Below,
        }
    }

    /// A name of one word, for a style.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Above => "above",
            Self::Near => "near",
            Self::Below => "below",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Above => f.pad("at or above"),
            Self::Near => f.pad(&format!("within {NEAR:.1} points")),
            Self::Below => f.pad(&format!("more than {NEAR:.1} below")),
            Self::Unknown => f.pad("no runs"),
        }
    }
}
