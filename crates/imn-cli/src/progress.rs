//! Messages and progress bars on standard error.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Writes a line to standard error.
pub fn say(line: &str) {
    #[expect(clippy::print_stderr, reason = "messages go to standard error")]
    {
        eprintln!("{line}");
    }
}

/// Sets the template of a bar. An invalid template is ignored.
pub fn set_template(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

/// A progress bar of unknown length. It is hidden if `quiet` is set or standard error is not a
/// terminal.
pub fn bar(quiet: bool, template: &str) -> ProgressBar {
    let target = match quiet {
        true => ProgressDrawTarget::hidden(),
        false => ProgressDrawTarget::stderr(),
    };
    let bar = ProgressBar::with_draw_target(Some(0), target);
    set_template(&bar, template);
    bar
}

/// A spinner for work of unknown length. It is hidden if standard error is not a terminal.
pub fn spinner() -> ProgressBar {
    let spinner = ProgressBar::new_spinner();
    set_template(&spinner, "{spinner} {elapsed} {msg}");
    spinner.enable_steady_tick(Duration::from_millis(200));
    spinner
}
