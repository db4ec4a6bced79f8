//! The progress bar: on standard error, and only when that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Counts runs.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar of `runs` runs. It is drawn between runs only, so that it does not disturb what is timed.
    pub fn new(runs: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(runs as u64), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} runs  {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style);
        Progress { bar }
    }

    /// A bar that is never drawn.
    #[cfg(test)]
    pub fn hidden() -> Self {
        Progress { bar: ProgressBar::hidden() }
    }

    /// Says what runs now.
    pub fn show(&self, version: &str, phase: &str) {
        self.bar.set_message(format!("{version} ({phase})"));
    }

    /// Says what happens outside the runs.
    pub fn step(&self, text: &str) {
        self.bar.set_message(text.to_owned());
        self.bar.tick();
    }

    /// Counts runs that are done.
    pub fn advance(&self, runs: usize) {
        self.bar.inc(runs as u64);
    }

    /// Takes off runs that will not happen.
    pub fn skip(&self, runs: usize) {
        let length = self.bar.length().unwrap_or(0);
        self.bar.set_length(length.saturating_sub(runs as u64));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
