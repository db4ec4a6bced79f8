//! What the macro must know of a kernel before it can print the native version.
//!
//! Four steps, each of which only reads what came before:
//! 1. [`sync`] recognises what synchronises a group: barriers, collectives, calls of collective functions.
//! 2. [`normalise`] rewrites the body so that each of these stands alone as a statement.
//! 3. [`variance`] finds for every variable on which work-item ids its value can depend: *uniform* values are the
//!    same for all items of a group.
//! 4. [`plan`] splits the body into regions that run for all items before the next begins, and says where every
//!    variable lives. A kernel whose barriers cannot be proven uniform gets no plan but a reason.
//!
//! The lane translation of a later stage reads the same variance and the same region tree.

pub mod normalise;
pub mod plan;
pub mod sync;
pub mod uses;
pub mod variance;
pub mod walk;

use crate::tree::SpanId;

/// Why a body cannot be translated: one message at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnalysisError {
    /// The offending token.
    pub span: SpanId,
    /// What is wrong and what to write instead.
    pub message: String,
}

impl AnalysisError {
    pub(crate) fn new(span: SpanId, message: impl Into<String>) -> Self {
        Self { span, message: message.into() }
    }
}
