//! Command graphs: command groups that are recorded once and replayed with one call.

use std::fmt;

use syclone_runtime::{Command, CommandTimes, Device, Error, Event, Name, Result};

use super::handler::Handler;
use super::queue::Queue;
use crate::abi::message::output_here;

/// Recorded commands: what a model's step, or any other sequence that runs again and again, is made of.
///
/// Commands are recorded by [`Graph::add`], or by a queue while [`Queue::record`] runs. Recording runs nothing. The
/// commands are ordered by the memory that they use, by events and by barriers, as submitted ones are.
///
/// The event of a recorded command stands for it: other commands of the graph may depend on it
/// ([`Handler::depends_on`]), and [`ExecutableGraph::update`] names the command by it. Waiting for it is an error.
///
/// ```
/// use syclone::prelude::*;
///
/// #[kernel]
/// fn add(item: Item<1>, step: u32, x: ItemMut<u32>) {
///     x[item] += step;
/// }
///
/// # fn main() -> Result<()> {
/// let queue = Queue::new(&Device::select("cpu")?)?;
/// let x = Buffer::<u32>::new(100);
/// let graph = Graph::new(queue.device());
/// let first = graph.add(|h| h.parallel_for(100, add(1, x.read_write(h))))?;
/// graph.add(|h| h.parallel_for(100, add(10, x.read_write(h))))?;
///
/// let graph = graph.instantiate()?;
/// for _ in 0..5 {
///     queue.replay(&graph)?;
/// }
/// assert_eq!(x.host_read()?[99], 55);
///
/// // Other arguments for one of the commands, from the next replay on.
/// graph.update(&first, |h| h.parallel_for(100, add(1000, x.read_write(h))))?;
/// queue.replay(&graph)?.wait()?;
/// assert_eq!(x.host_read()?[99], 1065);
/// # Ok(())
/// # }
/// ```
///
/// A graph keeps the memory that its commands use. It can't hold what can be run once only: commands on buffers of a
/// [`scope`](crate::scope), and host tasks other than [replayed ones](Handler::replayed_host_task).
pub struct Graph(pub(crate) syclone_runtime::Graph);

impl Graph {
    /// An empty graph for commands of `device`, ordered by their memory and events.
    pub fn new(device: &Device) -> Self {
        Graph(syclone_runtime::Graph::new(device, false))
    }

    /// An empty graph each of whose commands also follows the one recorded before it.
    pub fn in_order(device: &Device) -> Self {
        Graph(syclone_runtime::Graph::new(device, true))
    }

    /// Records the one command that `group` launches, and returns the event that stands for it.
    pub fn add(&self, group: impl FnOnce(&Handler<'_>) -> Result<()>) -> Result<Event> {
        let handler = Handler::new(self.0.device());
        group(&handler)?;
        self.0.record(recordable(handler)?)
    }

    /// Records a command that follows all commands so far, and that every later one follows.
    pub fn barrier(&self) -> Result<Event> {
        self.0.record_barrier(None)
    }

    /// Records a command that follows those which `events` stand for, and that every later one follows.
    pub fn barrier_after(&self, events: &[Event]) -> Result<Event> {
        self.0.record_barrier(Some(events))
    }

    /// The device of its commands.
    pub fn device(&self) -> &Device {
        self.0.device()
    }

    /// How many commands have been recorded.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing has been recorded.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Works out the order of the commands, for [`Queue::replay`].
    pub fn instantiate(&self) -> Result<ExecutableGraph> {
        Ok(ExecutableGraph(self.0.instantiate()?))
    }

    /// [`Graph::instantiate`], with the times of each command of the last replay: see [`ExecutableGraph::command_times`].
    ///
    /// A replay takes a little longer then. The device must have [`Aspect::QueueProfiling`](crate::Aspect::QueueProfiling).
    pub fn instantiate_with_times(&self) -> Result<ExecutableGraph> {
        Ok(ExecutableGraph(self.0.instantiate_with_times()?))
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A [`Graph`] whose order has been worked out: [`Queue::replay`] runs it. Clones are the same graph.
///
/// Replays of one executable graph follow each other; make two of one graph to let them overlap.
#[derive(Clone)]
pub struct ExecutableGraph(pub(crate) syclone_runtime::ExecutableGraph);

impl ExecutableGraph {
    /// Puts the command that `group` launches in the place of the one that `event` stands for.
    ///
    /// Usually that is the same kernel with other arguments, other memory or another range; any command will do. The
    /// order follows the new command's memory. Replays that have been submitted keep the old command, and this does not
    /// wait for them. Dependencies that were recorded stay; `group` can't add any.
    pub fn update(&self, event: &Event, group: impl FnOnce(&Handler<'_>) -> Result<()>) -> Result<()> {
        let handler = Handler::new(self.0.device());
        group(&handler)?;
        self.0.update(event, recordable(handler)?)
    }

    /// The device that it runs on.
    pub fn device(&self) -> &Device {
        self.0.device()
    }

    /// How many commands it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no commands.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// When each command began and ended in the last replay that has ended, in the order of recording.
    ///
    /// None if the graph was made without times, or no replay has ended. A replay that has been waited for is there, unless
    /// a later one has ended as well.
    ///
    /// ```
    /// use syclone::prelude::*;
    ///
    /// # fn main() -> Result<()> {
    /// let queue = Queue::new(&Device::select("cpu")?)?;
    /// let (a, b) = (Buffer::<u8>::new(1000), Buffer::<u8>::new(1000));
    /// let graph = Graph::new(queue.device());
    /// graph.add(|h| h.fill(a.write(h), 1))?;
    /// graph.add(|h| h.copy(a.read(h), b.write(h)))?;
    /// let graph = graph.instantiate_with_times()?;
    /// queue.replay(&graph)?.wait()?;
    /// let times = graph.command_times().expect("it was replayed");
    /// assert_eq!((&*times[0].name, &*times[1].name), ("fill", "copy"));
    /// assert!(times[0].end <= times[1].start);
    /// # Ok(())
    /// # }
    /// ```
    pub fn command_times(&self) -> Option<Vec<CommandTimes>> {
        self.0.command_times()
    }

    /// For each command, in the order of recording, its name and the positions of those that it waits for.
    pub fn order(&self) -> Vec<(String, Vec<usize>)> {
        self.0.order().into_iter().map(|(name, waits)| (name.into_owned(), waits)).collect()
    }
}

impl fmt::Debug for ExecutableGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The group's command, unless it uses memory that it can't keep.
pub(crate) fn recordable(handler: Handler<'_>) -> Result<Command> {
    let (command, watches) = handler.finish()?;
    if watches.is_empty() {
        return Ok(command);
    }
    let reason = Name::Borrowed("it uses a buffer over memory that is borrowed for a scope only; use a Buffer");
    Err(Error::NotReplayable { command: command.name().clone(), reason })
}

impl Handler<'_> {
    /// Replays a graph as the group's one command, which follows what the group depends on.
    pub fn replay(&self, graph: &ExecutableGraph) -> Result<()> {
        self.launch("graph", || {
            let command = Command::replay(&graph.0);
            Ok(match output_here() {
                Some(output) => command.printing_to(output),
                None => command,
            })
        })
    }
}

impl Queue {
    /// Replays a graph: one command, which takes its place in the order with the memory that the graph's commands use.
    ///
    /// Its event ends with the last of the commands. If some fail, it fails with the first error, what needs their
    /// results does not run, and all that the graph would have written counts as not written. With profiling, its times
    /// are those of the whole: the start is that of the first command, and the end that of the last. What its kernels print
    /// goes where this queue's kernels print, if [`QueueOptions::on_print`](crate::QueueOptions::on_print) says where.
    pub fn replay(&self, graph: &ExecutableGraph) -> Result<Event> {
        self.submit(|h| h.replay(graph))
    }

    /// Records what `body` submits to the queue that it is given, which runs nothing; this queue itself goes on as ever.
    ///
    /// So code that takes a queue can be recorded as it is, as long as it waits for nothing. The recording is in-order if
    /// this queue is.
    ///
    /// ```
    /// use syclone::prelude::*;
    ///
    /// fn set_and_copy(queue: &Queue, a: &Buffer<u8>, b: &Buffer<u8>) -> Result<()> {
    ///     queue.fill(a, 7)?;
    ///     queue.copy(a, b)?;
    ///     Ok(())
    /// }
    ///
    /// # fn main() -> Result<()> {
    /// let queue = Queue::new(&Device::select("cpu")?)?;
    /// let (a, b) = (Buffer::new(10), Buffer::new(10));
    /// let (graph, ()) = queue.record(|queue| set_and_copy(queue, &a, &b))?;
    /// queue.replay(&graph.instantiate()?)?;
    /// assert_eq!(b.to_vec()?, [7; 10]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn record<R>(&self, body: impl FnOnce(&Queue) -> Result<R>) -> Result<(Graph, R)> {
        let graph = if self.is_in_order() { Graph::in_order(self.device()) } else { Graph::new(self.device()) };
        let recorder = self.recorder(graph)?;
        let result = body(&recorder)?;
        Ok((recorder.into_recording().expect("the recorder was made with one"), result))
    }
}
