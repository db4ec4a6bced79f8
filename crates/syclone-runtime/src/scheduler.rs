//! From a submitted command to a settled one: who takes the next step, and in what order locks are taken.
//!
//! - *Placing* ([`place`]): with the hazards of all objects locked in ascending id, the node registers on each.
//!   Because all locks are held together, any two commands meet in one order on every object that they
//!   share, so the order has no cycles. The queue holds its own lock around that, for the same reason: barriers, and the
//!   turns of an in-order queue, are part of the order too.
//! - *Advancing* ([`advance`]): whoever meets a node's last predecessor takes it further: a failed
//!   predecessor settles it, an empty command settles at once, a host access is granted, anything else goes to its
//!   device's back end. Settling makes more nodes ready; they are worked off in a list, not by recursion.
//! - *Settling* ([`complete`]): payload dropped, error handler called, event published, queue told, successors
//!   advanced. A graph's commands tell their replay instead of the queue; the last of them settles the replay.
//!
//! Lock order: queue → hazards (ascending id) → one node's completion. Settling takes them one at a time.

use std::sync::Arc;

use crate::command::{Kernel, Work};
use crate::graph::{GraphRun, first_cause};
use crate::hazard::Hazards;
use crate::node::husk::Husk;
use crate::node::{Link, Node, Payload};
use crate::sync::MutexGuard;
use crate::{Access, Error, Event, Name, Result, trace};

/// Puts a new node into the order; accesses are sorted by object.
pub(crate) fn place(node: &Arc<Node>, accesses: &[Access], dependencies: &[Event]) {
    for event in dependencies {
        node.follow(event.node(), Link::Data);
    }
    if let [access] = accesses {
        // The common case needs no list of guards.
        lock(access).register(node, access.mode, &access.bytes());
        return;
    }
    let same = |a: &Access, b: &Access| Arc::ptr_eq(&a.object, &b.object);
    let mut locked: Vec<(MutexGuard<'_, Hazards>, &[Access])> =
        accesses.chunk_by(same).map(|group| (lock(&group[0]), group)).collect();
    for (hazards, group) in &mut locked {
        for access in *group {
            hazards.register(node, access.mode, &access.bytes());
        }
    }
}

fn lock(access: &Access) -> MutexGuard<'_, Hazards> {
    access.object.lock_hazards()
}

/// Ends the submission of a placed node.
pub(crate) fn release(node: Arc<Node>) {
    trace::placed(node.trace);
    if node.predecessor_done() {
        let mut ready = Vec::new();
        step(node, &mut ready);
        advance(ready);
    }
}

/// Takes nodes without unmet predecessors further, and those that this makes ready, and so on.
fn advance(mut ready: Vec<Arc<Node>>) {
    // Taken from the end, so that the first successor is the last to be looked at otherwise.
    ready.reverse();
    while let Some(node) = ready.pop() {
        step(node, &mut ready);
    }
}

/// Takes one such node further, and adds those that this makes ready.
fn step(node: Arc<Node>, ready: &mut Vec<Arc<Node>>) {
    if let Some(error) = node.dependency_failure() {
        settle(&node, Err(error), ready);
        return;
    }
    // SAFETY: this thread made the node ready and has not passed it on.
    let payload = unsafe { node.payload() };
    match (&payload.work, payload.device()) {
        (Work::HostAccess, _) => node.grant(),
        (Work::Graph(plan, _), Some(device)) => {
            // What is begun may end the node at once, and with it the payload.
            let (device, mut begun) = (device.clone(), Vec::new());
            let queue = payload.queue.as_ref();
            let result = queue.and_then(|queue| GraphRun::start(&node, plan, queue, &mut begun));
            device.backend().enqueue_all(begun);
            if let Some(result) = result {
                settle(&node, result, ready);
            }
        }
        (Work::Empty | Work::Pump(_), _) | (_, None) => settle(&node, Ok(()), ready),
        (Work::Kernel(_) | Work::HostTask(_) | Work::Strands(_), Some(device)) => {
            let device = device.clone();
            device.backend().enqueue(node);
        }
    }
}

/// Ends a node that its back end, or its host access, has finished with, and advances what followed it.
///
/// The caller alone decides about the node's completion, and none of its chunks is still running.
pub(crate) fn complete(node: &Arc<Node>, result: Result<()>) {
    let mut ready = Vec::new();
    settle(node, result, &mut ready);
    if !ready.is_empty() {
        advance(ready);
    }
}

fn settle(node: &Arc<Node>, result: Result<()>, ready: &mut Vec<Arc<Node>>) {
    // SAFETY: the node is ready, and by the contracts of `advance` and `complete` it is this thread's alone.
    let payload = unsafe { node.take_payload() };
    if let Some(Payload { work: Work::Kernel(Kernel::Lane(_)), queue: Some(queue), .. }) = &payload {
        // Nobody knows this node; its lane goes on.
        queue.end_in_lane(result);
        return;
    }
    let (queue, graph) = payload.map_or((None, None), |Payload { work, accesses, queue, graph }| {
        // Before the event is published: whoever has waited may rely on the memory being unused.
        node.keep_husk(Husk::of(work, accesses));
        (queue, graph)
    });
    if let Some((run, number)) = graph {
        node.settle(result, ready);
        let mut numbers = Vec::new();
        // SAFETY: this node is the step's, which has one end: this one.
        let ended = unsafe { run.end_step(number, node.error().map(first_cause), &mut numbers) };
        // SAFETY: those that are ready have not begun.
        unsafe { run.nodes(numbers, ready) };
        if let Some(result) = run.count_down(ended) {
            settle(run.outer(), result, ready);
        }
        return;
    }
    if let (Err(error), Some(queue)) = (&result, &queue) {
        queue.failing(node, error);
    }
    let failed = result.is_err();
    if let Some(queue) = &queue {
        queue.ending();
    }
    node.settle(result, ready);
    if let Some(queue) = queue {
        queue.ended(node, failed);
    }
}

/// A node that settled before anyone saw it.
pub(crate) fn completed(name: Name) -> Arc<Node> {
    settled(name, Ok(()))
}

/// The node that stands for a recorded command, which never runs itself.
pub(crate) fn recorded(name: Name) -> Arc<Node> {
    settled(name.clone(), Err(Error::Recorded { command: name }))
}

pub(crate) fn settled(name: Name, result: Result<()>) -> Arc<Node> {
    let payload = Payload { work: Work::Empty, accesses: Vec::new(), queue: None, graph: None };
    let node = Node::new(name, 0, payload, false);
    settle(&node, result, &mut Vec::new());
    node
}
