//! Back ends: who runs commands. One folder each, with the same file names.

use std::sync::Arc;

pub(crate) use cpu::{keep_kernels_quiet, run_chunks};

use crate::node::Node;
use crate::{Command, Result};

pub(crate) mod cpu;
pub(crate) mod dry_run;
pub(crate) mod transfer;

/// What a command is admitted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// To run once.
    Submitted,
    /// To be part of a graph, whose replays are submitted later.
    Recorded,
}

/// What the scheduler asks of a device's back end.
///
/// - `start` may be called any number of times, from any thread; after one success `enqueue` may be called.
/// - `admit` is asked before a command takes its place in the order, or in a graph; an error is the error of that call. It may
///   replace the command's work by work with the same accesses.
/// - `has_memory` is asked before memory for the device is taken.
/// - `enqueue` takes a node whose predecessors are done. It must not block on the node or on any other one,
///   and must not run the node's work on the calling thread.
/// - Nodes that are enqueued at the same time are independent: they may run at once and in any order.
/// - Each node is ended exactly once, with `scheduler::complete`, after `Node::begin`, whatever happens in between:
///   a panic in a command is that command's error.
/// - What the work wrote happens before `scheduler::complete`.
/// - Dropping the back end ends its threads. Enqueued nodes keep their device alive, so none is left then;
///   the drop may happen on one of the back end's own threads.
pub(crate) trait Backend: Send + Sync {
    /// Makes the device ready to run commands.
    fn start(&self) -> Result<()>;

    /// Whether the device takes this command.
    fn admit(&self, _command: &mut Command, _admission: Admission) -> Result<()> {
        Ok(())
    }

    /// Whether the device has `bytes` more memory; its limits are known to be kept.
    fn has_memory(&self, _bytes: usize) -> Result<bool> {
        Ok(true)
    }

    /// What a dry-run device shares with its controls; none for every other device.
    fn dry_run(&self) -> Option<&Arc<dry_run::Shared>> {
        None
    }

    /// Hands a ready command over.
    fn enqueue(&self, node: Arc<Node>);

    /// Whether the back end takes nodes of strands (module `graph::run`) and the pumps of lanes (module `lane`), which it
    /// runs and does not end.
    fn runs_strands(&self) -> bool {
        false
    }

    /// Whether nodes wait for a worker now: what a strand looks at to let others have their turn.
    fn has_waiting(&self) -> bool {
        false
    }

    /// Hands several ready commands over, the first one first.
    fn enqueue_all(&self, nodes: Vec<Arc<Node>>) {
        nodes.into_iter().for_each(|node| self.enqueue(node));
    }
}
