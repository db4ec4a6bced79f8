//! Device selectors: the strings that `--device` and `SYCLONE_DEVICE` take.
//!
//! `*` matches every device, `backend` and `backend:*` every device of a back end, `backend:index` one. `cpu:check` is the CPU
//! device that checks what it runs, which nothing else matches.
//! Which devices exist is not decided here: a selector for a back end that this machine lacks is well formed
//! and matches nothing.

/// Every back-end name that a selector may begin with, whether or not this build or machine has it.
pub(crate) const BACKENDS: &[&str] = &["cpu", "cuda", "dry", "hip", "level_zero", "opencl", "vulkan"];

/// A parsed selector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Selector {
    backend: Option<&'static str>,
    index: Option<usize>,
    checked: bool,
}

impl Selector {
    /// Reads a selector, if it is one; spaces around it and letter case don't matter.
    pub(crate) fn parse(text: &str) -> Option<Selector> {
        let lower = text.trim().to_ascii_lowercase();
        if lower == "*" {
            return Some(Selector { backend: None, index: None, checked: false });
        }
        if lower == "cpu:check" {
            return Some(Selector { backend: Some("cpu"), index: None, checked: true });
        }
        let (name, index) = match lower.split_once(':') {
            Some((name, index)) => (name, Some(index)),
            None => (lower.as_str(), None),
        };
        let backend = BACKENDS.iter().copied().find(|&known| known == name)?;
        let index = match index {
            None | Some("*") => None,
            // `parse` alone would accept a sign.
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits.parse().ok()?),
            Some(_) => return None,
        };
        Some(Selector { backend: Some(backend), index, checked: false })
    }

    /// Whether the device number `index` of `backend` is meant.
    pub(crate) fn matches(self, backend: &str, index: usize) -> bool {
        !self.checked
            && self.backend.is_none_or(|wanted| wanted == backend)
            && self.index.is_none_or(|wanted| wanted == index)
    }

    /// Whether some device of `backend`, and of no other back end, is meant.
    pub(crate) fn names(self, backend: &str) -> bool {
        self.backend == Some(backend)
    }

    /// Whether the CPU device that checks is meant.
    pub(crate) fn is_checked(self) -> bool {
        self.checked
    }
}

#[cfg(test)]
mod tests;
