//! Host accesses: the host's own turns in the hazard order, and the waits that they could make endless.
//!
//! A host access is a node without a device: when its turn comes it is granted, and it ends when its token
//! is dropped, so later conflicting commands wait for that. A thread that waits for a command behind a token which
//! it holds itself would wait for ever. Each thread therefore knows its tokens, and before it parks it looks whether
//! what it waits for can be reached from one of them along the successors.

use std::cell::RefCell;
use std::collections::{HashSet, VecDeque};
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::backends::{cpu, dry_run};
use crate::command::Work;
use crate::node::{Node, Payload};
use crate::{Access, AccessMode, Error, ErrorHandler, MemoryObject, Name, Region, Result, check, scheduler};

thread_local! {
    /// The host accesses that were granted to this thread and have not ended.
    static HELD: RefCell<Vec<Arc<Node>>> = const { RefCell::new(Vec::new()) };
    /// The error with which this thread is calling a queue's error handler.
    static HANDLED: RefCell<Option<Error>> = const { RefCell::new(None) };
    /// What failed meanwhile by way of this thread, for when the handler returns.
    static FAILED_MEANWHILE: RefCell<VecDeque<(ErrorHandler, Error)>> = const { RefCell::new(VecDeque::new()) };
}

/// A granted host access. While it lives, conflicting commands and host accesses wait.
///
/// ```
/// use syclone_runtime::{AccessMode, Command, Device, MemoryObject, Queue};
///
/// let device = Device::default_device()?;
/// let queue = Queue::new(&device)?;
/// let object = MemoryObject::allocate(&device, 4)?;
/// queue.submit(Command::fill(&object, 0, 4, &[1])?)?;
/// let token = object.wait_for_host(AccessMode::Read)?;
/// // SAFETY: inside the object; the token holds writers off.
/// assert_eq!(unsafe { *object.ptr().cast::<[u8; 4]>() }, [1; 4]);
/// drop(token);
/// # Ok::<(), syclone_runtime::Error>(())
/// ```
///
/// It stays on its thread, as the guards of `std`'s locks do, so that a wait that only this thread could end is known to be one.
#[must_use = "the access ends when the token is dropped"]
pub struct HostAccessToken {
    node: Arc<Node>,
    object: Arc<MemoryObject>,
    of_this_thread: PhantomData<*const ()>,
}

// SAFETY: by reference it gives nothing but the memory object, which threads share.
unsafe impl Sync for HostAccessToken {}

impl HostAccessToken {
    /// The memory.
    pub fn object(&self) -> &Arc<MemoryObject> {
        &self.object
    }
}

impl MemoryObject {
    /// Waits for every command that conflicts with a host access to the whole object, then holds off later ones.
    ///
    /// Fails, after waiting, if the access reads and the last writer failed; the object can then be used again
    /// once it has been written with [`AccessMode::Write`].
    pub fn wait_for_host(self: &Arc<Self>, mode: AccessMode) -> Result<HostAccessToken> {
        self.wait_for_host_range(mode, 0..self.bytes())
    }

    /// [`MemoryObject::wait_for_host`] for some of the bytes.
    pub fn wait_for_host_range(self: &Arc<Self>, mode: AccessMode, range: Range<usize>) -> Result<HostAccessToken> {
        self.wait_for_host_region(mode, Region::range(range))
    }

    /// [`MemoryObject::wait_for_host`] for some rows.
    pub fn wait_for_host_region(self: &Arc<Self>, mode: AccessMode, region: Region) -> Result<HostAccessToken> {
        let name = Name::Borrowed("host access");
        let bounds = region.bounds();
        self.check_range(&name, bounds.start, bounds.len())?;
        let access = Access::region(self, mode, region, "host");
        let payload = Payload { work: Work::HostAccess, accesses: vec![access], queue: None, graph: None };
        let node = Node::new(name.clone(), 1, payload, false);
        {
            // Looked at before registering, since what is registered can't be withdrawn, and under one lock with it,
            // so that nobody comes in between.
            let mut hazards = self.lock_hazards();
            let pending = || hazards.conflicts(mode, &region).filter(|node| !node.is_done());
            if pending().next().is_some() {
                refuse_inside_command(&name)?;
                let waits_for: Vec<_> = pending().map(Arc::as_ptr).collect();
                if held_reaches(|node| waits_for.contains(&std::ptr::from_ref(node))) {
                    return Err(Error::WaitWouldDeadlock { command: name });
                }
            }
            hazards.register(&node, mode, &region);
        }
        scheduler::release(Arc::clone(&node));
        node.wait(true, None);
        if node.is_done() {
            // Granted nodes end only with their token, so this one failed with a predecessor.
            node.result()?;
        }
        HELD.with_borrow_mut(|held| held.push(Arc::clone(&node)));
        check::host_uses(self, &node, mode, &region);
        Ok(HostAccessToken { node, object: Arc::clone(self), of_this_thread: PhantomData })
    }
}

impl Drop for HostAccessToken {
    fn drop(&mut self) {
        scheduler::complete(&self.node, Ok(()));
        let _ = HELD.try_with(|held| held.borrow_mut().retain(|node| !node.is_done()));
    }
}

impl std::fmt::Debug for HostAccessToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HostAccessToken({:?})", self.object)
    }
}

/// Refuses a wait for `node` that could not end.
pub(crate) fn check_wait(node: &Arc<Node>) -> Result<()> {
    if node.is_done() {
        return Ok(());
    }
    refuse_inside_command(&node.name)?;
    if held_reaches(|held| std::ptr::eq(held, &**node)) {
        return Err(Error::WaitWouldDeadlock { command: node.name.clone() });
    }
    Ok(())
}

/// Refuses a wait for all commands of a queue that could not end.
pub(crate) fn check_queue_wait(queue_id: usize) -> Result<()> {
    let command = Name::Borrowed("all commands of a queue");
    refuse_inside_command(&command)?;
    if held_reaches(|held| held.queue_id == queue_id) {
        return Err(Error::WaitWouldDeadlock { command });
    }
    Ok(())
}

/// Whether the caller is a kernel or host task, where waiting for unfinished work is
/// [`Error::WaitInsideCommand`].
pub fn is_inside_command() -> bool {
    cpu::is_worker_thread() || dry_run::is_running() || HANDLED.with_borrow(Option::is_some)
}

/// Calls a queue's error handler, in which waiting is refused as inside a command: what it would wait for may need
/// this very thread.
///
/// A handler may submit commands that fail at once. Their errors are handled after it has returned, and not inside of it,
/// where each would take more of the stack. Of those that are skipped for what is being handled only their events tell: a
/// handler that reads what has failed would go on for ever.
pub(crate) fn handle(handler: &ErrorHandler, error: &Error) {
    if let Some(handled) = HANDLED.with_borrow(|handled| handled.as_ref().map(|handled| handled.first_cause().clone()))
    {
        let is_skipped = matches!(error, Error::DependencyFailed { .. }) && *error.first_cause() == handled;
        if !is_skipped {
            FAILED_MEANWHILE.with_borrow_mut(|failed| failed.push_back((Arc::clone(handler), error.clone())));
        }
        return;
    }
    let call = |handler: &ErrorHandler, error: &Error| {
        HANDLED.set(Some(error.clone()));
        // The user's code; its panics are not this thread's.
        let _ = catch_unwind(AssertUnwindSafe(|| handler(error)));
    };
    call(handler, error);
    while let Some((handler, error)) = FAILED_MEANWHILE.with_borrow_mut(VecDeque::pop_front) {
        call(&handler, &error);
    }
    HANDLED.set(None);
}

fn refuse_inside_command(command: &Name) -> Result<()> {
    if is_inside_command() {
        return Err(Error::WaitInsideCommand { command: command.clone() });
    }
    Ok(())
}

/// Whether a node that `wanted` accepts can't settle before this thread ends one of its host accesses.
fn held_reaches(wanted: impl Fn(&Node) -> bool) -> bool {
    let mut open: Vec<Arc<Node>> =
        HELD.with_borrow(|held| held.iter().filter(|node| !node.is_done()).cloned().collect());
    let mut seen: HashSet<*const Node> = open.iter().map(Arc::as_ptr).collect();
    while let Some(node) = open.pop() {
        if wanted(&node) {
            return true;
        }
        node.for_each_successor(|successor| {
            if seen.insert(Arc::as_ptr(successor)) {
                open.push(Arc::clone(successor));
            }
        });
    }
    false
}
