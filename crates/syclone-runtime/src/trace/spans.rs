//! The steps of commands as spans and events of the crate `tracing`, for programs that collect those.
//!
//! A worker's time with a command is a span `command` at level INFO, entered on the worker's thread, so that what a kernel
//! or host task logs is inside. Its end is an event at level DEBUG, or WARN if it failed.

use tracing::span::EnteredSpan;

use crate::Result;
use crate::node::Node;

/// A span that lasts as long as the value.
pub(crate) type Entered = EnteredSpan;

pub(super) fn enter(node: &Node, worker: usize) -> Entered {
    tracing::info_span!(target: "syclone", "command", name = &*node.name, queue = node.queue_id, worker).entered()
}

pub(super) fn ended(node: &Node, result: &Result<()>) {
    let (name, queue) = (&*node.name, node.queue_id);
    match result {
        Ok(()) => tracing::debug!(target: "syclone", name, queue, "command complete"),
        Err(error) => tracing::warn!(target: "syclone", name, queue, %error, "command failed"),
    }
}
