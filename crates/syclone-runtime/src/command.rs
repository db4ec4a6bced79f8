//! Commands: what is submitted. A command names its work, the memory that it touches, and what it follows.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::graph::{Executable, Plan, Strands};
use crate::lane::{LaneWork, PumpOf};
use crate::{Error, Event, MemoryObject, Name, Region, Result, Worker};

/// A kernel launch, as the runtime sees it: independent chunks of work, in any order, on any worker.
///
/// - `run` is called once for each chunk in `0..chunks()`, from several workers at once.
/// - After the first chunk that fails or panics, chunks that have not begun are skipped.
/// - `finish` is called once, on a worker, after every chunk succeeded (also when there are none): the place
///   to combine partial results, and to report what the chunks recorded, such as accesses out of bounds.
/// - The object is dropped before the command's event completes, unless a command graph holds it: then all of this
///   happens again for each replay, after a call of `rewind`, and never for two replays at once.
pub trait KernelWork: Send + Sync {
    /// The kernel's name, for errors.
    fn name(&self) -> Name;

    /// How many chunks there are. Zero is a launch of no work-items: nothing runs, the command completes.
    fn chunks(&self) -> usize;

    /// What kind of work it is, for back ends that treat transfers in their own way.
    fn kind(&self) -> WorkKind {
        WorkKind::Kernel
    }

    /// Told, before the submission to a checked device, what the command declares.
    fn uses(&mut self, accesses: &[Access]) {
        let _ = accesses;
    }

    /// Whether it tells a checked device itself what it has touched and written. For others, what the command declares
    /// counts as touched.
    fn checks_itself(&self) -> bool {
        false
    }

    /// Runs one chunk. The worker's scratch memory has just been reset.
    ///
    /// # Safety
    /// The caller guarantees that the memory which the command's accesses name is alive, and that no
    /// conflicting access to it happens during the call; and that it passes each chunk at most once.
    unsafe fn run(&self, chunk: usize, worker: &mut Worker) -> Result<()>;

    /// Combines and reports; see above.
    fn finish(&self) -> Result<()> {
        Ok(())
    }

    /// Puts back what the last run, perhaps a failed one, left in the object, so that it can run again. What it prints goes
    /// to `output` in that run, if there is one.
    fn rewind(&self, output: Option<&TextOutput>) {
        let _ = output;
    }
}

/// Takes the text that kernels print.
pub type TextOutput = Arc<dyn Fn(&str) + Send + Sync>;

/// What a [`KernelWork`] does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WorkKind {
    /// A kernel of the user's.
    Kernel,
    /// A copy between memory objects.
    Copy,
    /// A fill of memory with a pattern.
    Fill,
    /// A hint that memory will be used.
    Prefetch,
}

/// How a command uses memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessMode {
    /// Only reads.
    Read,
    /// Only writes. What the bytes held does not matter: the command runs even if their last writer failed.
    Write,
    /// Reads and writes.
    ReadWrite,
}

impl AccessMode {
    /// Whether values are read.
    pub const fn reads(self) -> bool {
        matches!(self, AccessMode::Read | AccessMode::ReadWrite)
    }

    /// Whether values are written.
    pub const fn writes(self) -> bool {
        matches!(self, AccessMode::Write | AccessMode::ReadWrite)
    }
}

/// One use of memory by a command.
///
/// ```
/// use syclone_runtime::{Access, AccessMode, MemoryObject};
///
/// let object = MemoryObject::from_vec(vec![0u8; 64]);
/// assert_eq!(Access::whole(&object, AccessMode::Read, "input").range, 0..64);
/// let half = Access::range(&object, AccessMode::Write, 32..64, "output");
/// assert!(half.mode.writes() && !half.mode.reads());
/// ```
#[derive(Debug, Clone)]
pub struct Access {
    /// The memory; kept alive until the command ends.
    pub object: Arc<MemoryObject>,
    /// How it is used.
    pub mode: AccessMode,
    /// Which of its bytes; from the first to the last if they are rows.
    pub range: Range<usize>,
    /// The rows that the command keeps to inside the range; none if it may use all of it.
    pub rows: Option<RowShape>,
    /// The parameter's name, for errors.
    pub parameter: Name,
}

/// Rows inside of a range: the first begins with it, and the last ends with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RowShape {
    /// The bytes of one row.
    pub row_bytes: usize,
    /// The bytes from the beginning of one row to the next.
    pub pitch: usize,
}

impl Access {
    /// An access to a whole object.
    pub fn whole(object: &Arc<MemoryObject>, mode: AccessMode, parameter: impl Into<Name>) -> Access {
        Access::range(object, mode, 0..object.bytes(), parameter)
    }

    /// An access to some bytes of an object.
    pub fn range(
        object: &Arc<MemoryObject>,
        mode: AccessMode,
        range: Range<usize>,
        parameter: impl Into<Name>,
    ) -> Access {
        Access { object: Arc::clone(object), mode, range, rows: None, parameter: parameter.into() }
    }

    /// An access to some rows of an object.
    pub fn region(object: &Arc<MemoryObject>, mode: AccessMode, region: Region, parameter: impl Into<Name>) -> Access {
        let rows = (!region.is_range()).then_some(RowShape { row_bytes: region.row_bytes(), pitch: region.pitch() });
        Access { rows, ..Access::range(object, mode, region.bounds(), parameter) }
    }

    /// The bytes. Rows that don't make up the range are not trusted: then it is all of the range.
    pub fn bytes(&self) -> Region {
        let whole = Region::range(self.range.clone());
        let Some(RowShape { row_bytes, pitch }) = self.rows else {
            return whole;
        };
        match self.range.len().checked_sub(row_bytes) {
            Some(before_last) if pitch > row_bytes && before_last.is_multiple_of(pitch) => {
                Region::rows(self.range.start, row_bytes, before_last / pitch + 1, pitch)
            }
            _ => whole,
        }
    }

    pub(crate) fn conflicts_with(&self, other: &Access) -> bool {
        (self.mode.writes() || other.mode.writes())
            && Arc::ptr_eq(&self.object, &other.object)
            && self.bytes().overlaps(&other.bytes())
    }
}

/// Something to submit to a [`crate::Queue`].
pub struct Command {
    pub(crate) name: Name,
    pub(crate) work: Work,
    pub(crate) accesses: Vec<Access>,
    pub(crate) dependencies: Vec<Event>,
    /// The graph of a replay.
    pub(crate) graph: Option<Arc<Executable>>,
}

/// What a command does when its turn comes.
pub(crate) enum Work {
    /// Chunks for the device's workers.
    Kernel(Kernel),
    /// One call on a worker.
    HostTask(HostTask),
    /// The commands of a graph, and where they print in this replay.
    Graph(Arc<Plan>, Option<TextOutput>),
    /// Commands of a graph's replay that are ready at once, for a back end that runs strands.
    Strands(Strands),
    /// What a queue's lane holds; runs when there is something in it, and never ends.
    Pump(PumpOf),
    /// Nothing: complete as soon as its turn comes.
    Empty,
    /// The turn of a host access, which its holder ends.
    HostAccess,
}

/// A kernel launch: a command's own, or one that a graph replays.
pub(crate) enum Kernel {
    Once(Box<dyn KernelWork>),
    Replayed(Arc<dyn KernelWork>),
    /// One that lies in a queue's lane.
    Lane(LaneWork),
}

impl std::ops::Deref for Kernel {
    type Target = dyn KernelWork;

    fn deref(&self) -> &(dyn KernelWork + 'static) {
        match self {
            Kernel::Once(work) => &**work,
            Kernel::Replayed(work) => &**work,
            Kernel::Lane(work) => &**work,
        }
    }
}

/// What a host task calls: a function that is taken out by the call, or one that can be called again.
pub(crate) enum HostTask {
    Once(Mutex<Option<OnceTask>>),
    Replayed(Arc<ReplayedTask>),
}

type OnceTask = Box<dyn FnOnce() -> Result<()> + Send>;
/// Locked for the call, which may panic; replays of a graph don't overlap, so nobody waits for the lock.
pub(crate) type ReplayedTask = Mutex<dyn FnMut() -> Result<()> + Send>;

impl HostTask {
    /// Runs it; one that can't be called again does nothing the second time.
    pub(crate) fn call(&self) -> Result<()> {
        match self {
            HostTask::Once(task) => {
                let task = task.lock().ok().and_then(|mut slot| slot.take());
                task.map_or(Ok(()), |task| task())
            }
            HostTask::Replayed(task) => (task.lock().unwrap_or_else(PoisonError::into_inner))(),
        }
    }
}

impl Command {
    /// A kernel launch.
    ///
    /// # Safety
    /// The accesses given here and added with [`Command::access`] name all memory that the kernel touches
    /// and that anyone else may touch, with the right modes.
    pub unsafe fn kernel(work: Box<dyn KernelWork>, accesses: Vec<Access>) -> Command {
        Command {
            name: work.name(),
            work: Work::Kernel(Kernel::Once(work)),
            accesses,
            dependencies: Vec::new(),
            graph: None,
        }
    }

    /// A copy of `bytes` bytes between two objects, or two disjoint ranges of one.
    pub fn copy(
        source: &Arc<MemoryObject>,
        source_offset: usize,
        destination: &Arc<MemoryObject>,
        destination_offset: usize,
        bytes: usize,
    ) -> Result<Command> {
        let range = |offset: usize| Region::range(offset..offset.saturating_add(bytes));
        Command::copy_region(source, range(source_offset), destination, range(destination_offset))
    }

    /// A copy of the bytes of one region, row by row, to those of another one, which has as many.
    ///
    /// Their rows may differ: from a range to rows, or from rows to rows of another length.
    pub fn copy_region(
        source: &Arc<MemoryObject>,
        from: Region,
        destination: &Arc<MemoryObject>,
        to: Region,
    ) -> Result<Command> {
        crate::backends::transfer::copy(source, from, destination, to)
    }

    /// A hint that commands will soon use a region: its turn is a reader's, and it ends when the memory is at hand.
    pub fn prefetch(object: &Arc<MemoryObject>, region: Region) -> Result<Command> {
        crate::backends::transfer::prefetch(object, region)
    }

    /// A fill of `bytes` bytes with repetitions of `pattern`, whose length divides `bytes`.
    pub fn fill(destination: &Arc<MemoryObject>, offset: usize, bytes: usize, pattern: &[u8]) -> Result<Command> {
        crate::backends::transfer::fill(destination, offset, bytes, pattern)
    }

    /// A host task: one call on one of the device's workers.
    ///
    /// It may submit commands; waiting inside it for unfinished ones is the error [`Error::WaitInsideCommand`].
    pub fn host_task(name: impl Into<Name>, task: impl FnOnce() -> Result<()> + Send + 'static) -> Command {
        Command::with_work(name.into(), Work::HostTask(HostTask::Once(Mutex::new(Some(Box::new(task))))))
    }

    /// A host task that can be called again, as in a [`crate::Graph`].
    pub fn replayed_host_task(name: impl Into<Name>, task: impl FnMut() -> Result<()> + Send + 'static) -> Command {
        Command::with_work(name.into(), Work::HostTask(HostTask::Replayed(Arc::new(Mutex::new(task)))))
    }

    /// A command that does nothing but take its place in the order.
    pub fn empty(name: impl Into<Name>) -> Command {
        Command::with_work(name.into(), Work::Empty)
    }

    pub(crate) fn with_work(name: Name, work: Work) -> Command {
        Command { name, work, accesses: Vec::new(), dependencies: Vec::new(), graph: None }
    }

    /// Adds an access.
    pub fn access(mut self, access: Access) -> Command {
        self.accesses.push(access);
        self
    }

    /// Makes the command follow `event`: it runs after it, and not at all if it failed.
    pub fn after(mut self, event: &Event) -> Command {
        self.dependencies.push(event.clone());
        self
    }

    /// Lets the kernels of a graph's replay print to `output`. Of any other command nothing changes: its kernel has been told
    /// where to print when it was made.
    pub fn printing_to(mut self, output: TextOutput) -> Command {
        if let Work::Graph(_, printing) = &mut self.work {
            *printing = Some(output);
        }
        self
    }

    /// The name that errors use.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// Puts accesses in the order in which hazards are locked and rejects those that conflict with each other.
    pub(crate) fn check_accesses(&mut self) -> Result<()> {
        for access in &self.accesses {
            let Range { start, end } = access.range;
            access.object.check_range(&self.name, start, end.saturating_sub(start))?;
        }
        self.accesses.sort_by_key(|access| access.object.id());
        for (position, access) in self.accesses.iter().enumerate() {
            let same_object =
                self.accesses[position + 1..].iter().take_while(|other| other.object.id() == access.object.id());
            if let Some(other) = same_object.into_iter().find(|other| access.conflicts_with(other)) {
                return Err(Error::AccessConflict {
                    command: self.name.clone(),
                    first: access.parameter.clone(),
                    second: other.parameter.clone(),
                });
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Command").field("name", &self.name).field("accesses", &self.accesses).finish_non_exhaustive()
    }
}
