//! Command graphs: commands that are recorded once, put in order once, and replayed with one call.
//!
//! - A [`Graph`] records commands. The event of a recorded command stands for it: later commands of the graph may
//!   follow it, and an update may name it. Waiting for it is an error, because it never runs itself.
//! - [`Graph::instantiate`] works out the order, by the rules that submitted commands obey (module `plan`).
//! - [`Command::replay`] makes one command of the whole: it takes its place among all others with the memory that the
//!   graph takes from outside and leaves behind, and when its turn comes, its commands run in their order (module
//!   `run`). What costs a submitted command its place in the order costs the graph once.
//!
//! Replays of the executable graphs of one recording follow each other. An update does not wait for those that are pending: they keep
//! the commands that they were submitted with.

mod failures;
mod outside;
mod plan;
mod run;
mod times;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use self::plan::Step;
pub(crate) use self::plan::{Plan, StepWork};
pub(crate) use self::run::{GraphRun, StepCall, Strands, first_cause};
pub use self::times::CommandTimes;
use self::times::LastTimes;
use crate::backends::Admission;
use crate::command::{HostTask, Kernel, Work};
use crate::node::{Link, NO_PANIC, Node};
use crate::sync::{Mutex, MutexGuard};
use crate::{Aspect, Command, Device, Error, Event, Name, Result, scheduler};

/// Commands that are being recorded.
///
/// ```
/// use syclone_runtime::{Command, Device, Graph, MemoryObject, Queue};
///
/// let device = Device::default_device()?;
/// let queue = Queue::new(&device)?;
/// let (a, b) = (MemoryObject::allocate(&device, 8)?, MemoryObject::from_vec(vec![0u8; 8]));
/// let recorded = Graph::new(&device, false);
/// let fill = recorded.record(Command::fill(&a, 0, 8, &[1])?)?;
/// recorded.record(Command::copy(&a, 0, &b, 0, 8)?)?;
/// let graph = recorded.instantiate()?;
/// queue.submit(Command::replay(&graph))?.wait()?;
/// graph.update(&fill, Command::fill(&a, 0, 8, &[2])?)?;
/// queue.submit(Command::replay(&graph))?.wait()?;
/// // Both hold the memory of their commands.
/// drop((recorded, graph));
/// assert_eq!(b.try_into_vec::<u8>().unwrap(), [2; 8]);
/// # Ok::<(), syclone_runtime::Error>(())
/// ```
pub struct Graph {
    device: Device,
    in_order: bool,
    recording: Mutex<Recording>,
    last: Last,
}

/// The last replay; the next one follows it. Shared by all executable graphs of a recording, since they share its kernels.
type Last = Arc<Mutex<Option<Arc<Node>>>>;

#[derive(Default, Clone)]
struct Recording {
    steps: Vec<Step>,
    numbers: Numbers,
    /// The last barrier, which every later command follows.
    barrier: Option<usize>,
}

/// Which command an event stands for.
#[derive(Default, Clone)]
struct Numbers {
    /// They keep the addresses below from being used again.
    nodes: Vec<Arc<Node>>,
    by_address: HashMap<usize, usize>,
}

impl Numbers {
    fn of(&self, event: &Event) -> Option<usize> {
        self.by_address.get(&Arc::as_ptr(event.node()).addr()).copied()
    }
}

impl Graph {
    /// A graph without commands, whose commands will run on `device`; with `in_order` each follows the one before.
    pub fn new(device: &Device, in_order: bool) -> Graph {
        Graph { device: device.clone(), in_order, recording: Mutex::default(), last: Last::default() }
    }

    /// Records a command, and returns the event that stands for it.
    ///
    /// What the command follows must be recorded in this graph too. A host task must be one that can be called again
    /// ([`Command::replayed_host_task`]).
    pub fn record(&self, command: Command) -> Result<Event> {
        self.record_after(command, None)
    }

    /// Records a barrier: it follows `events`, or all commands so far if there are none given, and every later
    /// command follows it.
    pub fn record_barrier(&self, events: Option<&[Event]>) -> Result<Event> {
        let mut command = Command::empty("barrier");
        for event in events.unwrap_or_default() {
            command = command.after(event);
        }
        self.record_after(command, Some(events.is_none()))
    }

    /// Records a command, or a barrier with whether it is one for all commands so far.
    fn record_after(&self, mut command: Command, barrier: Option<bool>) -> Result<Event> {
        let mut step = Step::new(&self.device, &mut command)?;
        let mut recording = self.lock();
        let number = recording.steps.len();
        for event in &command.dependencies {
            let Some(earlier) = recording.numbers.of(event) else {
                return Err(Error::NotInGraph { command: command.name.clone(), event: event.name().clone() });
            };
            step.after.push((earlier, Link::Data));
        }
        if self.in_order && number > 0 {
            step.after.push((number - 1, Link::Order));
        }
        if let Some(earlier) = recording.barrier {
            step.after.push((earlier, Link::Order));
        }
        if let Some(all) = barrier {
            if all {
                step.after.extend((recording.barrier.unwrap_or(0)..number).map(|earlier| (earlier, Link::Order)));
            }
            recording.barrier = Some(number);
        }
        let node = scheduler::recorded(step.name.clone());
        recording.numbers.by_address.insert(Arc::as_ptr(&node).addr(), number);
        recording.numbers.nodes.push(Arc::clone(&node));
        recording.steps.push(step);
        Ok(Event::new(node))
    }

    /// The device of its commands.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// How many commands have been recorded.
    pub fn len(&self) -> usize {
        self.lock().steps.len()
    }

    /// Whether nothing has been recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Works out the order of the commands recorded so far. More may be recorded later, for another executable graph.
    pub fn instantiate(&self) -> Result<ExecutableGraph> {
        Ok(self.executable(None))
    }

    /// [`Graph::instantiate`], with the times of each command: see [`ExecutableGraph::command_times`]. A replay takes a
    /// little longer then. The device must have [`Aspect::QueueProfiling`].
    pub fn instantiate_with_times(&self) -> Result<ExecutableGraph> {
        self.device.require(Aspect::QueueProfiling)?;
        Ok(self.executable(Some(LastTimes::default())))
    }

    fn executable(&self, times: Option<LastTimes>) -> ExecutableGraph {
        let Recording { steps, numbers, .. } = self.lock().clone();
        let plan = Mutex::new(Arc::new(Plan::new(steps, times)));
        let last = Arc::clone(&self.last);
        ExecutableGraph(Arc::new(Executable { device: self.device.clone(), numbers, plan, last }))
    }

    fn lock(&self) -> MutexGuard<'_, Recording> {
        self.recording.lock().expect(NO_PANIC)
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("device", &self.device).field("commands", &self.len()).finish_non_exhaustive()
    }
}

/// A graph that can be replayed; clones are the same graph.
#[derive(Clone)]
pub struct ExecutableGraph(Arc<Executable>);

pub(crate) struct Executable {
    device: Device,
    numbers: Numbers,
    plan: Mutex<Arc<Plan>>,
    last: Last,
}

impl Executable {
    fn plan(&self) -> MutexGuard<'_, Arc<Plan>> {
        self.plan.lock().expect(NO_PANIC)
    }

    /// The last replay. Whoever submits one holds the lock until it has its place.
    pub(crate) fn last(&self) -> MutexGuard<'_, Option<Arc<Node>>> {
        self.last.lock().expect(NO_PANIC)
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }
}

impl ExecutableGraph {
    /// Puts `command` in the place of the recorded one that `event` stands for: the same kernel with other arguments
    /// or another range, or any other command. Replays that were submitted before keep what they had.
    ///
    /// If the new command uses the same memory in the same way this is cheap; otherwise the order is worked out again.
    /// The explicit dependencies stay as they were recorded.
    pub fn update(&self, event: &Event, mut command: Command) -> Result<()> {
        let name = command.name.clone();
        let Some(number) = self.0.numbers.of(event) else {
            return Err(Error::NotInGraph { command: name, event: event.name().clone() });
        };
        if !command.dependencies.is_empty() {
            let reason = "an update keeps the dependencies that were recorded, and names none".into();
            return Err(Error::NotReplayable { command: name, reason });
        }
        let step = Step::new(&self.0.device, &mut command)?;
        // Copied if a replay is pending, which goes on with the old one.
        Arc::make_mut(&mut *self.0.plan()).replace(number, step);
        Ok(())
    }

    /// The device that it runs on.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// How many commands it has.
    pub fn len(&self) -> usize {
        self.0.plan().steps.len()
    }

    /// Whether it has no commands.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// When each command began and ended in the last replay that has ended, in the order of recording. None if the graph
    /// was made without ([`Graph::instantiate_with_times`]), or no replay has ended.
    ///
    /// What a replay's event has been waited for is there, unless a later replay has ended as well.
    pub fn command_times(&self) -> Option<Vec<CommandTimes>> {
        let times = self.0.plan().times.clone()?;
        times.get()
    }

    /// The order: for each command its name and the numbers of the commands that it waits for.
    pub fn order(&self) -> Vec<(Name, Vec<usize>)> {
        self.0.plan().order()
    }
}

impl fmt::Debug for ExecutableGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecutableGraph").field("device", &self.0.device).field("commands", &self.len()).finish()
    }
}

impl Command {
    /// One replay of a graph, as one command: it uses what the graph's commands use of memory from outside, its event
    /// ends with the last of them, and fails with the first error among them.
    pub fn replay(graph: &ExecutableGraph) -> Command {
        let plan = Arc::clone(&*graph.0.plan());
        let mut command = Command::with_work(Name::Borrowed("graph"), Work::Graph(Arc::clone(&plan), None));
        command.accesses = plan.accesses.clone();
        command.graph = Some(Arc::clone(&graph.0));
        command
    }
}

impl Step {
    /// The checked command as a step without a place in the order.
    fn new(device: &Device, command: &mut Command) -> Result<Step> {
        command.check_accesses()?;
        device.backend().admit(command, Admission::Recorded)?;
        let refuse = |reason: &'static str| {
            Err(Error::NotReplayable { command: command.name.clone(), reason: Name::Borrowed(reason) })
        };
        let work = match std::mem::replace(&mut command.work, Work::Empty) {
            Work::Kernel(Kernel::Once(work)) => StepWork::Kernel(Arc::from(work)),
            Work::Kernel(Kernel::Replayed(work)) => StepWork::Kernel(work),
            Work::HostTask(HostTask::Replayed(task)) => StepWork::HostTask(task),
            Work::HostTask(_) => return refuse("its host task can be called once only; record a replayed host task"),
            Work::Empty => StepWork::Empty,
            Work::Graph(..) => return refuse("a graph can't be part of a graph; record its commands"),
            Work::HostAccess | Work::Strands(_) | Work::Pump(_) | Work::Kernel(Kernel::Lane(_)) => {
                return refuse("it is no command");
            }
        };
        Ok(Step {
            name: command.name.clone(),
            work,
            accesses: std::mem::take(&mut command.accesses),
            after: Vec::new(),
            follows: Vec::new(),
            successors: Vec::new(),
        })
    }
}
