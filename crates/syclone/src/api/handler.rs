//! Command groups: one command with everything that it uses and follows.

use std::cell::RefCell;
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use syclone_runtime::{Access, AccessMode, Command, Device, Error, Event, MemoryObject, Name, Region, Result};

use super::access::RawAccess;
use super::block::Block;
use super::buffer::Buffer;
use super::host_task::HostTask;
use super::queue::Advice;
use super::scope::Watch;
use super::transfer::sealed::Internal;
use super::transfer::{CopySource, CopyTarget, FillWork};
use crate::types::DeviceCopy;

/// A number that no other command and no USM allocation of the process has.
pub(crate) fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// What a command group is written with: declares what its one command uses, and launches it.
///
/// [`Queue::submit`](crate::Queue::submit) makes one and passes it to its closure, which declares accesses
/// (`buffer.read(h)`), names events to follow ([`depends_on`](Handler::depends_on)) and calls one of the launching
/// methods. Calling none submits a command that does nothing but take its place in the order; calling two is an error.
#[derive(Debug)]
pub struct Handler<'q> {
    device: &'q Device,
    id: u64,
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    /// What was declared; taken out by the operations that declare it to the runtime themselves.
    accesses: Vec<Option<Access>>,
    dependencies: Vec<Event>,
    /// The scopes that must know the command.
    watches: Vec<Arc<Watch>>,
    command: Option<Command>,
    /// The first mistake, which the launch and the submission return.
    failure: Option<Error>,
}

/// A part of a memory object that an operation moves elements from or to.
#[derive(Debug, Clone)]
pub struct Operand {
    pub(crate) object: Arc<MemoryObject>,
    pub(crate) region: Region,
    /// The number of elements.
    pub(crate) len: usize,
    /// The only device that may use the memory itself.
    pub(crate) owner: Option<Device>,
}

impl Operand {
    fn access(&self, mode: AccessMode, parameter: &'static str) -> Access {
        Access::region(&self.object, mode, self.region, parameter)
    }
}

impl<'q> Handler<'q> {
    pub(crate) fn new(device: &'q Device) -> Self {
        Handler { device, id: next_id(), state: RefCell::default() }
    }

    /// The device that the command will run on.
    pub fn device(&self) -> &Device {
        self.device
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Makes the command follow `event`: it runs after that command has ended, and not at all if it failed.
    ///
    /// The event may be of another queue or device.
    pub fn depends_on(&self, event: &Event) {
        self.state.borrow_mut().dependencies.push(event.clone());
    }

    /// Makes the command follow all of `events`.
    pub fn depends_on_all<'e>(&self, events: impl IntoIterator<Item = &'e Event>) {
        self.state.borrow_mut().dependencies.extend(events.into_iter().cloned());
    }

    /// Copies all elements of `source` to `target`, which must have as many.
    ///
    /// Both are accesses, or references to buffers or USM memory, of any devices. Copying between overlapping parts of
    /// one memory is an error.
    pub fn copy<T: DeviceCopy>(&self, source: impl CopySource<T>, target: impl CopyTarget<T>) -> Result<()> {
        self.launch("copy", || {
            let (from, to) = (source.source(self, Internal(()))?, target.target(self, Internal(()))?);
            self.copy_command(&from, &to)
        })
    }

    /// Copies `source` to `target`, which must have as many elements.
    ///
    /// The slice is copied before this returns, so it may change or go away at once;
    /// [`copy_from_vec`](Handler::copy_from_vec) saves that copy.
    pub fn copy_from_slice<T: DeviceCopy>(&self, source: &[T], target: impl CopyTarget<T>) -> Result<()> {
        self.copy_from_vec(source.to_vec(), target)
    }

    /// Copies the elements of `source`, which is moved in, to `target`, which must have as many.
    pub fn copy_from_vec<T: DeviceCopy>(&self, source: Vec<T>, target: impl CopyTarget<T>) -> Result<()> {
        self.launch("copy", || {
            let len = source.len();
            let region = Region::range(0..len * size_of::<T>());
            // SAFETY: the command reads it, and nobody writes it.
            let object = unsafe { MemoryObject::from_values(source) };
            let from = Operand { object, region, len, owner: None };
            let to = target.target(self, Internal(()))?;
            self.copy_command(&from, &to)
        })
    }

    /// Sets all elements of `target` to `value`.
    pub fn fill<T: DeviceCopy>(&self, target: impl CopyTarget<T>, value: T) -> Result<()> {
        self.launch("fill", || {
            let to = target.target(self, Internal(()))?;
            let access = to.access(AccessMode::Write, "target");
            // SAFETY: the work writes the operand and touches nothing else.
            Ok(unsafe { Command::kernel(Box::new(FillWork::new(&to, value)), vec![access]) })
        })
    }

    /// Runs `task` on the host when the command's turn comes, on one of the device's workers.
    ///
    /// The task reads and writes the declared memory through the [`HostTask`]. It may return `()` or a result, whose
    /// error fails the command. It may submit commands, but not wait for any.
    ///
    /// ```
    /// use syclone::prelude::*;
    /// # fn main() -> Result<()> {
    /// let queue = Queue::new(&Device::select("cpu")?)?;
    /// let buffer = Buffer::from_vec(vec![1, 2, 3]);
    /// queue.submit(|h| {
    ///     let mut data = buffer.read_write(h);
    ///     h.host_task(move |task| task.write(&mut data).map(|data| data.reverse()))
    /// })?;
    /// queue.submit(|h| {
    ///     let mut data = buffer.read_write(h);
    ///     h.host_task(move |task| {
    ///         task.write(&mut data)?[0] = 7;
    ///         // Where `?` is used, Rust must be told the error's type.
    ///         Ok::<(), Error>(())
    ///     })
    /// })?;
    /// assert_eq!(buffer.to_vec()?, [7, 2, 1]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn host_task<F, R>(&self, task: F) -> Result<()>
    where
        F: FnOnce(&HostTask) -> R + Send + 'static,
        R: HostTaskResult,
    {
        let id = self.id;
        // Where the closure is written is the best name that it has.
        let name = std::any::type_name::<F>().trim_end_matches("::{{closure}}");
        self.launch(name, || {
            let run = move || task(&HostTask::new(id)).into_result(Name::Borrowed(name));
            Ok(Command::host_task(name, run))
        })
    }

    /// [`host_task`](Handler::host_task) for a [`Graph`](crate::Graph), each replay of which calls the task again.
    pub fn replayed_host_task<F, R>(&self, mut task: F) -> Result<()>
    where
        F: FnMut(&HostTask) -> R + Send + 'static,
        R: HostTaskResult,
    {
        let id = self.id;
        let name = std::any::type_name::<F>().trim_end_matches("::{{closure}}");
        self.launch(name, || {
            let run = move || task(&HostTask::new(id)).into_result(Name::Borrowed(name));
            Ok(Command::replayed_host_task(name, run))
        })
    }

    /// Tells the device that commands will soon use `memory`; the command ends when it is at hand there.
    ///
    /// It takes a reader's turn. Memory of another device is an error: it can't come.
    pub fn prefetch<T: DeviceCopy>(&self, memory: impl CopySource<T>) -> Result<()> {
        self.launch("prefetch", || {
            let operand = self.hinted("prefetch", memory)?;
            Command::prefetch(&operand.object, operand.region)
        })
    }

    /// Tells the runtime how `memory` will be used. It changes no results; a device without use for it ignores it.
    ///
    /// It takes a reader's turn. Memory of another device is an error.
    pub fn advise<T: DeviceCopy>(&self, memory: impl CopySource<T>, advice: Advice) -> Result<()> {
        // The CPU device and the host have one memory: there is nothing to prefer.
        let _ = advice;
        self.launch("advise", || {
            let operand = self.hinted("advise", memory)?;
            Ok(Command::empty("advise").access(operand.access(AccessMode::Read, "memory")))
        })
    }

    /// The memory of a hint, which this device must be able to use.
    fn hinted<T: DeviceCopy>(&self, name: &'static str, memory: impl CopySource<T>) -> Result<Operand> {
        let operand = memory.source(self, Internal(()))?;
        match &operand.owner {
            Some(owner) if owner != self.device => Err(Error::ForeignArgument {
                command: Name::Borrowed(name),
                parameter: Name::Borrowed("memory"),
                device: self.device.info().selector.clone(),
                owner: owner.info().selector.clone(),
            }),
            _ => Ok(operand),
        }
    }

    /// Makes the command a copy to `target`, which is no access.
    pub(crate) fn copy_operand<T: DeviceCopy>(&self, from: &Operand, target: &Buffer<T>) -> Result<()> {
        self.launch("copy", || {
            let to = self.block_operand(target.block())?;
            self.copy_command(from, &to)
        })
    }

    fn copy_command(&self, from: &Operand, to: &Operand) -> Result<Command> {
        if from.len != to.len {
            return Err(Error::LengthMismatch {
                command: Name::Borrowed("copy"),
                source_len: from.len,
                target_len: to.len,
            });
        }
        Command::copy_region(&from.object, from.region, &to.object, to.region)
    }

    /// Makes the command that `build` gives the group's one command.
    ///
    /// Every mistake is kept too, so that a closure which ignores the result can't submit half a command.
    pub(crate) fn launch(&self, name: impl Into<Name>, build: impl FnOnce() -> Result<Command>) -> Result<()> {
        let refusal = {
            let state = self.state.borrow();
            let duplicate =
                |first: &Command| Error::DuplicateLaunch { first: first.name().clone(), second: name.into() };
            state.failure.clone().or_else(|| state.command.as_ref().map(duplicate))
        };
        let command = refusal.map_or_else(build, Err);
        let mut state = self.state.borrow_mut();
        match command {
            Ok(command) => {
                state.command = Some(command);
                Ok(())
            }
            Err(error) => {
                state.failure = Some(error.clone());
                Err(error)
            }
        }
    }

    /// Declares that the command uses `block`, and gives what its accesses hold.
    pub(crate) fn declare<T: DeviceCopy, const D: usize>(
        &self,
        block: &Block<T, D>,
        mode: AccessMode,
    ) -> RawAccess<T, D> {
        /// What errors call an access before the kernel's parameter is known.
        const NAMES: [&str; 4] = ["first access", "second access", "third access", "later access"];
        let mut state = self.state.borrow_mut();
        if let Err(error) = block.check() {
            state.failure.get_or_insert(error);
        }
        let index = state.accesses.len();
        state.accesses.push(Some(block.access(mode, NAMES[index.min(NAMES.len() - 1)])));
        state.watches.extend(block.watch().cloned());
        RawAccess { ptr: block.ptr(), extents: block.extents(), pitch: block.pitch(), command: self.id, index }
    }

    /// Lets `f` see and add to what was declared.
    pub(crate) fn with_accesses<R>(&self, f: impl FnOnce(&mut Vec<Option<Access>>) -> R) -> R {
        f(&mut self.state.borrow_mut().accesses)
    }

    /// Notes a mistake that has no result to be returned in.
    pub(crate) fn fail(&self, error: Error) {
        self.state.borrow_mut().failure.get_or_insert(error);
    }

    /// The memory of an access, whose declaration is left to the operation that uses it.
    pub(crate) fn operand<T: DeviceCopy, const D: usize>(
        &self,
        access: &RawAccess<T, D>,
        parameter: &'static str,
    ) -> Result<Operand> {
        let mut state = self.state.borrow_mut();
        let declared = state.accesses.get_mut(access.index).filter(|_| access.command == self.id);
        let Some(declared) = declared.and_then(Option::take) else {
            return Err(Error::StaleArgument { command: Name::Borrowed("copy"), parameter: Name::Borrowed(parameter) });
        };
        Ok(Operand { region: declared.bytes(), object: declared.object, len: access.len(), owner: None })
    }

    /// The memory of a block, which an operation uses without an access.
    pub(crate) fn block_operand<T: DeviceCopy, const D: usize>(&self, block: &Block<T, D>) -> Result<Operand> {
        block.check()?;
        self.state.borrow_mut().watches.extend(block.watch().cloned());
        let (object, owner) = (Arc::clone(block.object()), block.owner().cloned());
        Ok(Operand { object, region: block.region(), len: block.len(), owner })
    }

    /// The group's command and the scopes that must know its event, or the first mistake.
    pub(crate) fn finish(self) -> Result<(Command, Vec<Arc<Watch>>)> {
        let state = self.state.into_inner();
        if let Some(error) = state.failure {
            return Err(error);
        }
        let mut command = state.command.unwrap_or_else(|| Command::empty("empty command"));
        // An access may leave the scope that its buffer could not leave.
        if state.watches.iter().any(|watch| watch.is_over()) {
            return Err(Error::StaleArgument {
                command: command.name().clone(),
                parameter: Name::Borrowed("an access of borrowed memory"),
            });
        }
        for access in state.accesses.into_iter().flatten() {
            command = command.access(access);
        }
        for event in &state.dependencies {
            command = command.after(event);
        }
        Ok((command, state.watches))
    }
}

/// What a host task may return: nothing, or a result whose error fails the command. Or it may never return, but panic.
pub trait HostTaskResult {
    /// The outcome of the host task `task`.
    fn into_result(self, task: Name) -> Result<()>;
}

impl HostTaskResult for () {
    fn into_result(self, _task: Name) -> Result<()> {
        Ok(())
    }
}

/// What a function returns, which gives the type of those that do not return a name.
pub trait Returns {
    /// The type.
    type Value;
}

impl<T> Returns for fn() -> T {
    type Value = T;
}

impl HostTaskResult for <fn() -> ! as Returns>::Value {
    fn into_result(self, _task: Name) -> Result<()> {
        self
    }
}

impl<E: Display> HostTaskResult for std::result::Result<(), E> {
    fn into_result(self, task: Name) -> Result<()> {
        self.map_err(|error| Error::HostTaskFailed { task, message: error.to_string() })
    }
}
