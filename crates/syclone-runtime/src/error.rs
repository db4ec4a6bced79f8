//! Every way in which the runtime says no.
//!
//! Errors are values with fields. Their text is a lower-case sentence with the values that broke the rule,
//! then a second line that says what to do. They are cheap to clone, because one failure is shared by the
//! event, its queue and everything that depended on it.

#[cfg(test)]
mod tests;
mod text;

use std::borrow::Cow;
use std::sync::Arc;

use text::{dividing, fitting_tile, for_item, in_dimension, list, place, where_exactly};

use crate::Aspect;
use crate::environment::printable;

/// A kernel's, command's or parameter's name: usually a literal, sometimes made at run time.
pub type Name = Cow<'static, str>;

/// A result whose error is the runtime's [`Error`] unless said otherwise.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, with the values that say where and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A well-formed selector matches no device of this machine.
    #[error(
        "no device matches '{}'\navailable here: {}; choose one of them with --device or SYCLONE_DEVICE",
        printable(selector), list(.available)
    )]
    NoDevice {
        /// What was asked for.
        selector: String,
        /// The selectors of the devices that exist.
        available: Vec<String>,
    },
    /// A selector that can never match: not of the form `backend`, `backend:index`, `backend:*` or `*`.
    #[error(
        "'{}' is not a device selector\n\
         available here: {}; '*' means any of them, a back end alone or with ':*' any of its own; back ends: {}",
        printable(selector), list(.available), .backends.join(", ")
    )]
    InvalidSelector {
        /// What was asked for.
        selector: String,
        /// The selectors of the devices that exist.
        available: Vec<String>,
        /// The back-end names that a selector may start with.
        backends: &'static [&'static str],
    },
    /// An environment variable holds a value that can't be used.
    #[error("{variable} is set to '{}'\nset it to {expected}, or unset it", printable(value))]
    InvalidEnvironment {
        /// The variable.
        variable: &'static str,
        /// What it holds.
        value: String,
        /// What it may hold.
        expected: String,
    },
    /// A dry-run device whose description makes no sense.
    #[error(
        "{}: {}\ncorrect the description (of a file: the one that SYCLONE_DRY_RUN names); the page on testing has an example",
        printable(place),
        printable(problem)
    )]
    InvalidDryRun {
        /// The device, or the file and line.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// A device was asked for with a number of threads that it can't have.
    #[error("a CPU device with {asked} worker threads\nask for 1 to {limit}")]
    InvalidThreadCount {
        /// How many were asked for.
        asked: usize,
        /// The most a device may have.
        limit: usize,
    },
    /// The operating system would not start a worker thread.
    #[error(
        "{device}: worker thread {index} did not start: {reason}\nset SYCLONE_CPU_THREADS to a smaller number, or raise the process limit"
    )]
    WorkerStart {
        /// The device's selector.
        device: String,
        /// Which of its workers.
        index: usize,
        /// The operating system's words.
        reason: String,
    },
    /// A work-group size of zero in some dimension.
    #[error("kernel '{kernel}': the work-group size in dimension {dimension} is 0\nuse at least 1")]
    WorkGroupSizeZero {
        /// The kernel.
        kernel: Name,
        /// The dimension, counted from 0.
        dimension: usize,
    },
    /// The global size is no multiple of the work-group size.
    #[error(
        "kernel '{kernel}': work-group size {local} does not divide the global size {global} in dimension {dimension}\n\
         {}", dividing(*.global, *.local)
    )]
    WorkGroupDoesNotDivide {
        /// The kernel.
        kernel: Name,
        /// The dimension, counted from 0.
        dimension: usize,
        /// The global size there.
        global: usize,
        /// The work-group size there.
        local: usize,
    },
    /// A launch whose shape, or way of running, does not fit the kernel.
    #[error("kernel '{kernel}': {problem}\n{advice}")]
    LaunchShape {
        /// The kernel.
        kernel: Name,
        /// What does not fit.
        problem: String,
        /// What to do.
        advice: String,
    },
    /// More work-items in a group than the device takes, in all or in one dimension.
    #[error(
        "kernel '{kernel}': a work-group of {asked} items{} is over the limit of {limit} on {device}\n\
         choose a smaller work-group size", in_dimension(*.dimension)
    )]
    WorkGroupTooLarge {
        /// The kernel.
        kernel: Name,
        /// The device's selector.
        device: String,
        /// The dimension whose limit was passed; none when it was the product's.
        dimension: Option<usize>,
        /// How many were asked for.
        asked: usize,
        /// The device's limit.
        limit: usize,
    },
    /// More local memory than a work-group of the device has.
    #[error(
        "kernel '{kernel}': {asked} bytes of local memory are over the limit of {limit} bytes on {device}\n{}",
        fitting_tile(*.largest_tile)
    )]
    LocalMemoryTooLarge {
        /// The kernel.
        kernel: Name,
        /// The device's selector.
        device: String,
        /// How many bytes were asked for.
        asked: usize,
        /// The device's limit.
        limit: usize,
        /// The largest square tile that fits, where the caller knows what a tile is.
        largest_tile: Option<usize>,
    },
    /// A sub-group size that the device does not offer.
    #[error("kernel '{kernel}': sub-group size {asked} is not supported on {device}\nchoose one of {supported:?}")]
    SubGroupSizeUnsupported {
        /// The kernel.
        kernel: Name,
        /// The device's selector.
        device: String,
        /// What was asked for.
        asked: usize,
        /// What the device offers.
        supported: Vec<usize>,
    },
    /// A size whose element or byte count does not fit the address space.
    #[error(
        "{what}: {extents:?} elements of {element_bytes} bytes are more than {} bytes\nuse a smaller size",
        isize::MAX
    )]
    SizeOverflow {
        /// What was being sized.
        what: Name,
        /// The extents that were asked for.
        extents: Vec<usize>,
        /// The size of one element.
        element_bytes: usize,
    },
    /// The device, or the host, has not enough memory left.
    #[error(
        "{device}: out of memory: {asked} bytes asked, {in_use} of {limit} in use\n\
         use a smaller size, or drop buffers that are no longer needed"
    )]
    OutOfMemory {
        /// The device's selector.
        device: String,
        /// How many bytes were asked for.
        asked: usize,
        /// How many bytes the device's allocations held already.
        in_use: usize,
        /// The most that they may hold.
        limit: usize,
    },
    /// The device has the memory, but not in one allocation.
    #[error(
        "{device}: an allocation of {asked} bytes is over the limit of {limit} bytes for one\n\
         use several smaller ones, or another device"
    )]
    AllocationTooLarge {
        /// The device's selector.
        device: String,
        /// How many bytes were asked for.
        asked: usize,
        /// The most that one allocation may hold.
        limit: usize,
    },
    /// One command names the same bytes twice, at least once to write them.
    #[error(
        "'{command}': parameters '{first}' and '{second}' overlap in memory, and one of them is written\n\
         pass the memory once as read-write, or use separate or disjoint memory"
    )]
    AccessConflict {
        /// The command.
        command: Name,
        /// One of the two parameters.
        first: Name,
        /// The other.
        second: Name,
    },
    /// A byte range that does not lie inside its memory object.
    #[error(
        "'{command}': bytes {start}..{end} of a memory object of {bytes} bytes\nkeep offset and length inside the object"
    )]
    RangeOutsideObject {
        /// The command.
        command: Name,
        /// Where the range begins.
        start: usize,
        /// Where the range ends (saturated, when it does not fit).
        end: usize,
        /// The object's size.
        bytes: usize,
    },
    /// A part of memory, given by its indices, that reaches beyond the memory's extent.
    #[error(
        "{command}: indices {start}..{end} of an extent of {extent}\nkeep begin and end inside the extent, in this order"
    )]
    PartOutside {
        /// The operation: `slice` for the first dimension, `columns` for the last.
        command: Name,
        /// Where the part begins.
        start: usize,
        /// Where it ends (saturated, when it does not fit).
        end: usize,
        /// How many indices there are.
        extent: usize,
    },
    /// A fill whose pattern is empty or does not divide the filled length.
    #[error("'{command}': a pattern of {pattern} bytes does not divide {bytes} bytes\nfill a whole number of elements")]
    PatternDoesNotDivide {
        /// The command.
        command: Name,
        /// The pattern's length.
        pattern: usize,
        /// The length to fill.
        bytes: usize,
    },
    /// A kernel read or wrote outside a parameter's memory.
    ///
    /// Which item it was, at which index and in which line, is what `cpu:check` reports: a kernel at full speed does not
    /// know any more.
    #[error(
        "kernel '{kernel}' on {device}: access outside {} (seen: {count})\n\
         reads gave zero and writes were dropped; check the index against the extent before use\n{}",
        place(parameter, extents),
        where_exactly(device)
    )]
    OutOfBounds {
        /// The kernel.
        kernel: Name,
        /// The device that ran it.
        device: String,
        /// The parameter's name, or words for what has none, such as "a local or private array, or a vector".
        parameter: Name,
        /// The parameter's elements in each dimension; empty for what is no parameter.
        extents: Vec<usize>,
        /// How many were seen (at least; back ends may stop counting).
        count: u64,
    },
    /// Not every work-item of a group reached a barrier or group operation.
    #[error(
        "kernel '{kernel}' on {device}: {arrived} of {expected} work-items reached the barrier or group operation at line {line}\n\
         move it out of the branch, or make the condition the same for the whole group"
    )]
    Divergence {
        /// The kernel.
        kernel: Name,
        /// The device that ran it.
        device: String,
        /// The source line.
        line: u32,
        /// How many work-items arrived.
        arrived: usize,
        /// How many should have.
        expected: usize,
    },
    /// A kernel panicked: an integer division by zero or of the least number by −1, an overflow in a debug build.
    #[error("kernel '{kernel}' panicked on {device}: {message}\nits outputs hold no result; the device goes on")]
    KernelPanic {
        /// The kernel.
        kernel: Name,
        /// The device that ran it.
        device: String,
        /// The panic's message.
        message: String,
    },
    /// A `kassert!` of a kernel did not hold.
    #[error(
        "kernel '{kernel}' on {device}: {message}\n\
         {}in line {line} of {file}; its outputs hold no result; the device goes on", for_item(.item)
    )]
    AssertionFailed {
        /// The kernel.
        kernel: Name,
        /// The device that ran it; as short as it can be, since every result is as large as the largest error.
        device: Box<str>,
        /// What the assertion says.
        message: String,
        /// The item's global id; empty for a kernel that runs once.
        item: Vec<usize>,
        /// The source file, of the kernel or of a device function that it called.
        file: Name,
        /// The line there.
        line: u32,
    },
    /// A host task panicked.
    #[error("host task '{task}' panicked: {message}\nwhat depends on it does not run; the device goes on")]
    HostTaskPanic {
        /// The task.
        task: Name,
        /// The panic's message.
        message: String,
    },
    /// A host task returned an error of its own.
    #[error("host task '{task}' failed: {message}\nwhat depends on it does not run")]
    HostTaskFailed {
        /// The task.
        task: Name,
        /// The error's text.
        message: String,
    },
    /// The device's compiler refused a kernel.
    #[error(
        "kernel '{kernel}' was not built for {device}: {log}\nnothing was submitted; correct the kernel, or choose another device"
    )]
    BuildFailed {
        /// The kernel.
        kernel: Name,
        /// The device's selector.
        device: String,
        /// What the compiler said.
        log: String,
    },
    /// The device's driver refused a command.
    #[error("'{command}' was not launched on {device}: {reason}\nnothing was submitted; the device goes on")]
    LaunchFailed {
        /// The command.
        command: Name,
        /// The device's selector.
        device: String,
        /// The driver's words.
        reason: String,
    },
    /// The device began a command and could not end it.
    #[error("'{command}' failed on {device}: {reason}\nits outputs hold no result; the device goes on")]
    ExecutionFailed {
        /// The command.
        command: Name,
        /// The device's selector.
        device: String,
        /// The driver's words.
        reason: String,
    },
    /// The device is gone: unplugged, reset or crashed.
    #[error("{what}: {device} is lost\nuse another device; what lay in this one's memory is gone")]
    DeviceLost {
        /// The command or operation that met the loss.
        what: Name,
        /// The device's selector.
        device: String,
    },
    /// Something that this command needs failed, so it did not run.
    #[error("'{command}' did not run, because what it depends on failed\nfirst failure: {first}")]
    DependencyFailed {
        /// The command that did not run.
        command: Name,
        /// The failure that began it.
        first: Arc<Error>,
    },
    /// Memory that belongs to another device, and that can't be used or moved here.
    #[error(
        "'{command}': parameter '{parameter}' belongs to {owner}, not to {device}\n\
         allocate it on the queue's device, or copy it there first"
    )]
    ForeignArgument {
        /// The command.
        command: Name,
        /// The parameter.
        parameter: Name,
        /// The queue's device.
        device: String,
        /// The memory's device.
        owner: String,
    },
    /// A graph that was made for another device than the queue's.
    #[error(
        "'{command}': the graph was made for {owner}, not for {device}\n\
         replay it in a queue of {owner}, or record its commands in a graph for {device}"
    )]
    ForeignGraph {
        /// The command that replays it.
        command: Name,
        /// The queue's device.
        device: String,
        /// The graph's device.
        owner: String,
    },
    /// An access, or a view of USM memory, that this command can't use: it was made in another command group, or
    /// its memory is gone.
    #[error(
        "'{command}': parameter '{parameter}' does not belong to this command group\n\
         make the access inside the closure that launches the command, and keep USM memory alive until then"
    )]
    StaleArgument {
        /// The command.
        command: Name,
        /// The parameter.
        parameter: Name,
    },
    /// Source and target of an operation, or data and the extents given for it, differ in their number of elements.
    #[error("{command}: {source_len} elements do not fit {target_len} exactly\ngive both the same number of elements")]
    LengthMismatch {
        /// The operation.
        command: Name,
        /// How many elements there are.
        source_len: usize,
        /// How many are needed.
        target_len: usize,
    },
    /// Memory whose rows lie apart, where its elements were asked for as one slice.
    #[error("{command}: rows of {row} elements that lie {pitch} apart are no slice\ntake them row by row")]
    RowsApart {
        /// The operation.
        command: Name,
        /// The elements of a row.
        row: usize,
        /// The elements from the beginning of one row to the next.
        pitch: usize,
    },
    /// Rows that would begin before the ones above them end.
    #[error("{command}: rows of {row} elements do not fit a pitch of {pitch}\ngive a pitch of at least {row}")]
    PitchTooSmall {
        /// The operation.
        command: Name,
        /// The elements of a row.
        row: usize,
        /// The elements from the beginning of one row to the next that were asked for.
        pitch: usize,
    },
    /// The device lacks something that was asked of it.
    #[error("{device} has no {aspect}\nchoose a device that has it (`syclone devices` lists aspects)")]
    AspectMissing {
        /// The device's selector.
        device: String,
        /// What it lacks.
        aspect: Aspect,
    },
    /// The kernel needs something that the device lacks.
    #[error(
        "kernel '{kernel}' needs {aspect}, which {device} does not have\nchoose a device that has it (`syclone devices` lists aspects), or write the kernel without"
    )]
    KernelNotSupported {
        /// The kernel.
        kernel: Name,
        /// The device's selector.
        device: String,
        /// What it lacks.
        aspect: Aspect,
    },
    /// A command group launched two commands.
    #[error(
        "command group: '{second}' after '{first}'; a command group launches one command\nsubmit the second one in a command group of its own"
    )]
    DuplicateLaunch {
        /// What was launched first.
        first: Name,
        /// What came after it.
        second: Name,
    },
    /// The event of a recorded command, used as if the command had been submitted.
    #[error(
        "'{command}' was recorded in a graph and does not run by itself\nwait for the replay's event, or let a command of the same graph follow it"
    )]
    Recorded {
        /// The command.
        command: Name,
    },
    /// A command that can't be part of a graph.
    #[error("'{command}' can't be replayed: {reason}\nchange the command, or submit it outside of the graph")]
    NotReplayable {
        /// The command.
        command: Name,
        /// Why.
        reason: Name,
    },
    /// An event that stands for no command of the graph.
    #[error(
        "'{command}': the event of '{event}' stands for no command of this graph\nname an event that this graph's recording returned; let the replay depend on all others"
    )]
    NotInGraph {
        /// The command that named the event.
        command: Name,
        /// The command that the event is of.
        event: Name,
    },
    /// A wait that could never end: this thread itself holds what would have to be released first.
    #[error(
        "waiting for '{command}' would never end: this thread holds a host access that it depends on\n\
         drop the host access first"
    )]
    WaitWouldDeadlock {
        /// What was waited for.
        command: Name,
    },
    /// A wait for unfinished work inside a kernel or host task, which would block a worker.
    #[error(
        "waiting for '{command}' inside a command would block a worker of the device\n\
         make the command depend on it instead, or wait on the host"
    )]
    WaitInsideCommand {
        /// What was waited for.
        command: Name,
    },
}

impl Error {
    /// The failure that began it: the first cause of a [`Error::DependencyFailed`], or else the error itself.
    pub fn first_cause(&self) -> &Error {
        match self {
            Error::DependencyFailed { first, .. } => first.first_cause(),
            other => other,
        }
    }
}
