//! Our mean compared with the paper's value.

use std::fmt;

use super::sheet::Cell;

/// The rounding error of a mean of equal values.
const ROUNDING: f64 = 1e-9;

/// How our mean compares with the paper's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgainstPaper {
    /// Equal or higher.
    AtOrAbove,
    /// Lower.
    Below,
    /// There are no runs.
    NoRuns,
}

impl AgainstPaper {
    /// All cases, the best first.
    pub const ALL: [Self; 3] = [Self::AtOrAbove, Self::Below, Self::NoRuns];

    /// Compares the mean of a cell.
    #[must_use]
    pub fn of(cell: &Cell) -> Self {
        match cell.difference() {
            None => Self::NoRuns,
            Some(difference) if difference >= -ROUNDING => Self::AtOrAbove,
            Some(_) => Self::Below,
        }
    }

    /// The CSS class.
    #[must_use]
    pub const fn class(self) -> &'static str {
        match self {
            Self::AtOrAbove => "above",
            Self::Below => "below",
            Self::NoRuns => "unknown",
        }
    }
}

impl fmt::Display for AgainstPaper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::AtOrAbove => "at or above the paper's value",
            Self::Below => "below it",
            Self::NoRuns => "without runs",
        })
    }
}
