//! Ranges of settings. A file with the settings of a huge network is refused before anything is
//! allocated.

use imn_nn::Init;

/// A setting out of its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The name of the setting.
    pub field: &'static str,
    /// Its value.
    pub value: String,
    /// The allowed values.
    pub range: String,
}

impl Problem {
    fn new(field: &'static str, value: &dyn ToString, range: &str) -> Option<Self> {
        Some(Self {
            field,
            value: value.to_string(),
            range: range.to_owned(),
        })
    }
}

/// A size from 1 to `most`.
pub(super) fn size(field: &'static str, value: usize, most: usize) -> Option<Problem> {
    if (1..=most).contains(&value) {
        return None;
    }
    Problem::new(field, &value, &format!("must be from 1 to {most}"))
}

/// The size of a hidden state.
pub(super) fn hidden(value: usize) -> Option<Problem> {
    size("network.hidden", value, 1024)
}

/// The number of filters of a layer.
pub(super) fn filters(value: usize) -> Option<Problem> {
    if !value.is_multiple_of(2) {
        let text =
            "must be even: half the filters of the first layer are of width 3, half of width 5";
        return Problem::new("network.filters", &value, text);
    }
    size("network.filters", value, 2048)
}

/// The number of words in a window.
pub(super) fn window(value: usize) -> Option<Problem> {
    if [1, 3, 5, 7].contains(&value) {
        return None;
    }
    Problem::new("network.window", &value, "must be 1, 3, 5 or 7")
}

/// A fraction in [0, 1).
pub(super) fn share(field: &'static str, value: f64) -> Option<Problem> {
    if (0.0..1.0).contains(&value) {
        return None;
    }
    Problem::new(field, &value, "must be at least 0 and below 1")
}

/// A dropout rate.
pub(super) fn dropout(value: f64) -> Option<Problem> {
    share("network.dropout", value)
}

/// An initialization.
pub(super) fn init(init: Init) -> Option<Problem> {
    Problem::new("network.kernel_init", &format!("{init:?}"), init.problem()?)
}
