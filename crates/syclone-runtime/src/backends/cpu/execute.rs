//! Running one command: claiming its chunks, catching what goes wrong, and deciding who ends it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};

use super::quiet;
use crate::check::{self, commands};
use crate::command::Work;
use crate::graph::{GraphRun, StepCall};
use crate::node::{Node, Payload, nanoseconds};
use crate::sync::Ordering;
use crate::trace::Run;
use crate::{Error, KernelWork, Name, Result, Worker, scheduler};

/// What the worker that ran some chunks must complete.
pub(crate) enum Ended {
    /// The node that they are of.
    Node(Result<()>),
    /// The replay whose last command they ran.
    Replay(Arc<Node>, Result<()>),
}

/// How many commands a strand runs before it looks whether others wait for the worker.
const MAX_STRAND: usize = 32;

/// [`run_node`] for a back end that runs no strands: the node's result, if the caller must complete it.
pub(crate) fn run_chunks(node: &Node, worker: &mut Worker) -> Option<Result<()>> {
    match run_node(node, worker)? {
        Ended::Node(result) => Some(result),
        Ended::Replay(outer, result) => {
            scheduler::complete(&outer, result);
            None
        }
    }
}

/// Claims and runs chunks until none is left. If this call ran the last unfinished one, what the caller must complete.
pub(crate) fn run_node(node: &Node, worker: &mut Worker) -> Option<Ended> {
    if node.is_pump {
        if let Some(queue) = node.pumped_queue() {
            queue.drain_lane(|kernel, name| run_whole(kernel, name, worker));
        }
        return None;
    }
    let chunks = &node.chunks;
    let mut ran = 0;
    let mut payload = None;
    let mut run = None;
    let mut replay = None;
    while let Some(claimed) = chunks.claim() {
        if claimed.start == 0 {
            node.begin();
        }
        if run.is_none() {
            run = Some(Run::begin(node, worker.index()));
        }
        ran += claimed.len();
        // SAFETY: the chunks are counted as finished only below, after the last use.
        let payload = *payload.get_or_insert_with(|| unsafe { node.payload() });
        if let Work::Strands(strands) = &payload.work {
            if let Some(result) = run_strands(&strands.run, &strands.steps[claimed], worker) {
                replay = Some(Ended::Replay(Arc::clone(strands.run.outer()), result));
            }
            continue;
        }
        for chunk in claimed {
            if chunks.failure.get().is_none()
                && let Err(error) = run_one(node, payload, chunk, worker)
            {
                // A worker that failed at the same time may have been faster; one failure is enough.
                let _ = chunks.failure.set(error);
            }
        }
    }
    if let Some(run) = run {
        run.end(worker.index(), ran);
    }
    if ran == 0 || chunks.unfinished.fetch_sub(ran, Ordering::AcqRel) != ran {
        return replay;
    }
    if let Some(error) = chunks.failure.get() {
        return Some(Ended::Node(Err(error.clone())));
    }
    // SAFETY: all chunks are finished, so only this call decides about the node, and it has not ended it yet.
    match &unsafe { node.payload() }.work {
        Work::Kernel(kernel) => Some(Ended::Node(in_kernel(&node.name, worker, |_| kernel.finish()))),
        Work::Strands(_) => {
            // Strands have ended their commands. The node may lie in the pool's queue for a while, and its payload keeps
            // the device.
            // SAFETY: all chunks are finished, and nobody else ends the node.
            drop(unsafe { node.take_payload() });
            replay
        }
        _ => Some(Ended::Node(Ok(()))),
    }
}

/// Runs commands of one chunk, after each of them one that its end makes ready, and so on; hands others over. The result
/// of the replay if this ended its last command.
fn run_strands(run: &Arc<GraphRun>, first: &[usize], worker: &mut Worker) -> Option<Result<()>> {
    let start = nanoseconds();
    let (mut next, mut rest) = (None, first.iter().copied());
    let (mut ready, mut ended, mut length) = (Vec::new(), 0, 0);
    while let Some(number) = next.take().or_else(|| rest.next()) {
        length += 1;
        let error = run_step(run, number, worker).err().map(Arc::new);
        // SAFETY: the step ends here; so it does for the steps that this gives, and that the loop goes on with.
        ended += unsafe { run.end_step(number, error, &mut ready) };
        if length % MAX_STRAND == 0 && run.backend().has_waiting() {
            ready.extend(rest.by_ref());
        } else {
            // SAFETY: the steps that are ready have not begun.
            let single = ready.iter().position(|&number| unsafe { run.is_single(number) });
            next = single.map(|at| ready.remove(at));
        }
        if !ready.is_empty() {
            let mut nodes = Vec::new();
            // SAFETY: as above.
            unsafe { run.nodes(std::mem::take(&mut ready), &mut nodes) };
            run.backend().enqueue_all(nodes);
        }
    }
    // SAFETY: the steps that have ended are counted only now.
    unsafe { run.took(nanoseconds() - start, length) };
    run.count_down(ended)
}

fn run_step(run: &GraphRun, number: usize, worker: &mut Worker) -> Result<()> {
    run.begin(number);
    // SAFETY: the strand ends the step only after this call.
    match unsafe { run.call(number) } {
        (name, Some(StepCall::Kernel(kernel))) => {
            // The outer node's accesses keep the memory and are ordered against everyone else's; the steps of the graph
            // are ordered among themselves.
            run_whole(kernel, name, worker)
        }
        (name, Some(StepCall::HostTask(task))) => {
            let call = || (task.lock().unwrap_or_else(PoisonError::into_inner))();
            catching(call, |message| Error::HostTaskPanic { task: name.clone(), message })
        }
        (_, None) => Ok(()),
    }
}

/// Runs a kernel of one chunk, or of none, whose memory is alive and whose turn it is, from its beginning to its end.
fn run_whole(kernel: &dyn KernelWork, name: &Name, worker: &mut Worker) -> Result<()> {
    if kernel.chunks() > 0 {
        worker.scratch().reset();
        worker.set_command(commands::UNCHECKED);
        // SAFETY: the caller's promise; this is the one run of the one chunk.
        in_kernel(name, worker, |worker| unsafe { kernel.run(0, worker) })?;
    }
    in_kernel(name, worker, |_| kernel.finish())
}

fn run_one(node: &Node, payload: &Payload, chunk: usize, worker: &mut Worker) -> Result<()> {
    if chunk == 0 {
        check::begins(node, payload);
    }
    match &payload.work {
        // Zero chunks are one turn in which nothing runs but the end.
        Work::Kernel(kernel) if chunk >= kernel.chunks() => Ok(()),
        Work::Kernel(kernel) => {
            worker.scratch().reset();
            worker.set_command(node.check);
            // SAFETY: the payload holds the accesses, hence the memory; the scheduler has ordered the command
            // after all that conflict with it, and they follow it; each chunk is claimed once.
            in_kernel(&node.name, worker, |worker| unsafe { kernel.run(chunk, worker) })
        }
        Work::HostTask(task) => {
            catching(|| task.call(), |message| Error::HostTaskPanic { task: node.name.clone(), message })
        }
        Work::Empty | Work::HostAccess | Work::Graph(..) | Work::Strands(_) | Work::Pump(_) => Ok(()),
    }
}

/// Calls into the command; a panic is the error that `panicked` makes of its message.
fn catching(call: impl FnOnce() -> Result<()>, panicked: impl FnOnce(String) -> Error) -> Result<()> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let message = message_of(&*panic);
        // The panic's value may itself panic as it is dropped.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(panic)));
        Err(panicked(message))
    })
}

/// Calls into a kernel; a panic is an error that says where it was.
fn in_kernel(name: &Name, worker: &mut Worker, call: impl FnOnce(&mut Worker) -> Result<()>) -> Result<()> {
    let mut result = catching(
        || quiet::in_kernel(|| call(worker)),
        |message| {
            let message = match quiet::take_place() {
                Some((file, line)) => format!("{message} in line {line} of {file}"),
                None => message,
            };
            Error::KernelPanic { kernel: name.clone(), device: String::new(), message }
        },
    );
    // Only now is the worker back.
    if let Err(Error::KernelPanic { device, .. }) = &mut result {
        worker.device().clone_into(device);
    }
    result
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text.clone()
    } else {
        "a value that is not text".to_owned()
    }
}
