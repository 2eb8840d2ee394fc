//! The message of an error and its causes.

use std::error::Error;

/// The message of an error followed by those of its causes, separated by colons. Some errors
/// already include their cause, for callers that print them alone; it is not repeated.
///
/// ```
/// use imn_io::with_causes;
///
/// let cause = std::io::Error::other("no space left");
/// let error = std::io::Error::other(cause);
/// assert_eq!(with_causes(&error), "no space left");
/// ```
#[must_use]
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut message = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !message.contains(text.trim_end()) {
            message = format!("{message}: {text}");
        }
        next = cause.source();
    }
    message.truncate(message.trim_end().len());
    message
}
