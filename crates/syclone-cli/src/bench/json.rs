//! The report as one JSON document.

use super::report::Report;
use crate::failure::Failure;

/// The document, with a newline at its end. A figure that is not finite is null: JSON has no other word for it.
pub fn render(report: &Report) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(report)
        .map_err(|error| Failure::NotOk(format!("the report cannot be written as JSON: {error}")))?;
    Ok(text + "\n")
}
