//! Running one command: claiming its chunks, catching what goes wrong, and deciding who ends it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::quiet;
use crate::command::Work;
use crate::node::Node;
use crate::sync::Ordering;
use crate::trace::Run;
use crate::{Error, Result, Worker};

/// Claims and runs chunks until none is left. If this call ran the last unfinished one, the command's result:
/// the caller must then complete it.
pub(crate) fn run_chunks(node: &Node, worker: &mut Worker) -> Option<Result<()>> {
    let chunks = &node.chunks;
    let mut ran = 0;
    let mut payload = None;
    let mut run = None;
    loop {
        let chunk = chunks.next.fetch_add(1, Ordering::Relaxed);
        if chunk >= chunks.total {
            break;
        }
        if chunk == 0 {
            node.begin();
        }
        if run.is_none() {
            run = Some(Run::begin(node, worker.index()));
        }
        // SAFETY: a chunk is claimed and counted as finished only below, after the last use.
        let payload = *payload.get_or_insert_with(|| unsafe { node.payload() });
        if chunks.failure.get().is_none()
            && let Err(error) = run_one(node, &payload.work, chunk, worker)
        {
            // A worker that failed at the same time may have been faster; one failure is enough.
            let _ = chunks.failure.set(error);
        }
        ran += 1;
    }
    if let Some(run) = run {
        run.end(worker.index(), ran);
    }
    if ran == 0 || chunks.unfinished.fetch_sub(ran, Ordering::AcqRel) != ran {
        return None;
    }
    if let Some(error) = chunks.failure.get() {
        return Some(Err(error.clone()));
    }
    // SAFETY: all chunks are finished, so only this call decides about the node, and it has not ended it yet.
    match &unsafe { node.payload() }.work {
        Work::Kernel(kernel) => Some(catching(|| quiet::in_kernel(|| kernel.finish()), kernel_panic(node))),
        _ => Some(Ok(())),
    }
}

fn run_one(node: &Node, work: &Work, chunk: usize, worker: &mut Worker) -> Result<()> {
    match work {
        // Zero chunks are one turn in which nothing runs but the end.
        Work::Kernel(kernel) if chunk >= kernel.chunks() => Ok(()),
        Work::Kernel(kernel) => {
            worker.scratch().reset();
            // SAFETY: the payload holds the accesses, hence the memory; the scheduler has ordered the command
            // after all that conflict with it, and they follow it; each chunk is claimed once.
            catching(|| quiet::in_kernel(|| unsafe { kernel.run(chunk, worker) }), kernel_panic(node))
        }
        Work::HostTask(task) => {
            catching(|| task.call(), |message| Error::HostTaskPanic { task: node.name.clone(), message })
        }
        Work::Empty | Work::HostAccess | Work::Graph(_) => Ok(()),
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

fn kernel_panic(node: &Node) -> impl FnOnce(String) -> Error {
    |message| {
        let message = match quiet::take_place() {
            Some((file, line)) => format!("{message} in line {line} of {file}"),
            None => message,
        };
        Error::KernelPanic { kernel: node.name.clone(), message }
    }
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
