//! Runs a program on the runtime and on a sequential model at once, and compares whatever can be seen.
//!
//! The model is written from what the runtime promises, without its data structures: a command follows *every* earlier one
//! that uses a word it needs, each word knows who wrote it last, and what failed is asked of those. It predicts:
//!
//! - the words of every object, or that they hold no result;
//! - each event's status and error, with the first cause (one of those possible, where several predecessors failed);
//! - what `submit`, a wait, and a host access return, also that a wait would never end;
//! - on stepped devices, after every step: that nothing ended before what it follows, and which commands are ready;
//! - which errors the queue's handler was told, and that nothing is left in the devices' memory at the end.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use syclone_runtime::{
    AccessMode, Command, Device, DryRun, DryRunOptions, Error, Event, EventStatus, ExecutableGraph, FaultKind, Graph,
    HostAccessToken, MemoryObject, Queue, QueueOptions,
};

use crate::common::Words;
use crate::program::{DeviceKind, DeviceSpec, Effect, Op, Part, Program, WORDS, Work};
use crate::work::{Kind, Resolved, Use, mix};

/// What was wrong.
type Failure = String;
type Checked<T = ()> = Result<T, Failure>;

macro_rules! ensure {
    ($condition:expr, $($text:tt)*) => {
        if !$condition {
            return Err(format!($($text)*));
        }
    };
}

/// One bit for each word.
type Mask = u16;

fn mask(words: &std::ops::Range<usize>) -> Mask {
    words.clone().fold(0, |mask, word| mask | 1 << word)
}

/// A word of the model.
#[derive(Clone, Copy)]
struct Cell {
    value: u64,
    /// Its last writer.
    writer: Option<usize>,
}

struct Object {
    handle: Option<Words>,
    cells: [Cell; WORDS],
}

/// A command or host access of the model.
struct Node {
    name: String,
    /// None for a host access.
    device: Option<usize>,
    /// What it waits for.
    follows: Vec<usize>,
    /// What it needs the results of.
    needs: Vec<usize>,
    /// Words that it reads and writes, by object.
    uses: BTreeMap<usize, (Mask, Mask)>,
    event: Option<Event>,
    /// A host access that has not ended.
    held: bool,
    /// Whether it has a turn on its device.
    needs_device: bool,
    is_graph: bool,
    /// One of these is its own error; none if it succeeds by itself.
    own: Vec<Error>,
    /// Its first causes if it failed, once that is known.
    outcome: Option<Vec<Error>>,
}

struct ModelDevice {
    device: Device,
    /// None for a CPU device.
    dry: Option<DryRun>,
    counts: [u64; FaultKind::ALL.len()],
    faults: Vec<(FaultKind, u64)>,
    /// It is lost, or may be at any time.
    losable: bool,
}

struct ModelQueue {
    queue: Option<Queue>,
    device: usize,
    in_order: bool,
    nodes: Vec<usize>,
    barrier: Option<usize>,
    /// Commands since the last wait.
    unreported: Vec<usize>,
    /// What its handler was told.
    told: Arc<Mutex<Vec<Error>>>,
}

struct ModelGraph {
    executable: Option<ExecutableGraph>,
    device: usize,
    steps: Vec<(Resolved, Vec<usize>, Event)>,
    last: Option<usize>,
}

/// What becomes of a command that its device takes.
enum Fate {
    Fine,
    Fails(&'static str),
    Loses,
}

pub struct Machine {
    devices: Vec<ModelDevice>,
    queues: Vec<ModelQueue>,
    objects: Vec<Object>,
    graphs: Vec<ModelGraph>,
    nodes: Vec<Node>,
    held: Vec<(HostAccessToken, usize)>,
    stepped: bool,
    events_dropped: bool,
    tags: u64,
    /// A mistake in the model, to see that it would be found.
    planted: bool,
}

/// Runs a program; the error says what was not as the model has it.
pub fn run(program: &Program, planted: bool) -> Checked {
    let stepped = program.devices.iter().all(|spec| spec.kind == DeviceKind::Stepped);
    let mut machine = Machine {
        devices: program.devices.iter().enumerate().map(|(idx, spec)| model_device(idx, spec)).collect(),
        queues: Vec::new(),
        objects: Vec::new(),
        graphs: Vec::new(),
        nodes: Vec::new(),
        held: Vec::new(),
        stepped,
        events_dropped: false,
        tags: 0,
        planted,
    };
    for (position, op) in program.ops.iter().enumerate() {
        let at = |failure| format!("operation {position}, {op:?}: {failure}");
        machine.op(op).map_err(at)?;
    }
    machine.end().map_err(|failure| format!("at the end: {failure}"))
}

fn model_device(idx: usize, spec: &DeviceSpec) -> ModelDevice {
    let options = || {
        let options = DryRunOptions::new(format!("d{idx}")).compute_units(spec.at_once).seed(spec.seed);
        options.local_memory(64).run_kernels()
    };
    let dry = match spec.kind {
        DeviceKind::Stepped => Some(options().stepped().build().unwrap()),
        DeviceKind::Threads => Some(options().build().unwrap()),
        DeviceKind::Cpu => None,
    };
    let device = match &dry {
        Some(dry) => dry.device().clone(),
        None => Device::cpu_with_threads(spec.at_once).unwrap(),
    };
    ModelDevice { device, dry, counts: Default::default(), faults: Vec::new(), losable: false }
}

fn is_done(event: &Event) -> bool {
    matches!(event.status(), EventStatus::Complete | EventStatus::Failed)
}

impl ModelDevice {
    fn selector(&self) -> &str {
        &self.device.info().selector
    }

    /// Counts an opportunity; whether the fault happens.
    fn happens(&mut self, kind: FaultKind) -> bool {
        self.counts[kind as usize] += 1;
        self.faults.contains(&(kind, self.counts[kind as usize]))
    }

    /// What a command's submission gives, and its fate; `recorded` for a graph.
    fn admit(&mut self, name: &str, kind: Kind, recorded: bool) -> Result<Fate, Error> {
        if self.dry.is_none() || kind == Kind::Empty {
            return Ok(Fate::Fine);
        }
        let device = self.selector().to_owned();
        if kind == Kind::Kernel && self.happens(FaultKind::Build) {
            let log = "a fault was asked for".into();
            return Err(Error::BuildFailed { kernel: name.to_owned().into(), device, log });
        }
        if kind != Kind::HostTask && self.happens(FaultKind::Launch) {
            let reason = "a fault was asked for".into();
            return Err(Error::LaunchFailed { command: name.to_owned().into(), device, reason });
        }
        Ok(if recorded { Fate::Fine } else { self.fate(matches!(kind, Kind::Copy | Kind::Fill(_))) })
    }

    fn fate(&mut self, is_transfer: bool) -> Fate {
        let copy = is_transfer && self.happens(FaultKind::Copy);
        let completion = self.happens(FaultKind::Completion);
        if self.happens(FaultKind::DeviceLost) {
            self.losable = true;
            return Fate::Loses;
        }
        match (copy, completion) {
            (true, _) => Fate::Fails("a fault of the copy was asked for"),
            (_, true) => Fate::Fails("a fault at its completion was asked for"),
            _ => Fate::Fine,
        }
    }

    fn execution_failed(&self, name: &str, reason: &str) -> Error {
        let (command, device) = (name.to_owned().into(), self.selector().to_owned());
        Error::ExecutionFailed { command, device, reason: reason.to_owned() }
    }
}

impl Machine {
    fn op(&mut self, op: &Op) -> Checked {
        match op {
            Op::NewQueue { device, in_order } => self.new_queue(*device, *in_order),
            Op::DropQueue { queue } => {
                let live = self.live_queues();
                if live.len() > 1 {
                    self.queues[live[queue % live.len()]].queue = None;
                }
                Ok(())
            }
            Op::NewObject { device, from_host } => self.new_object(*device, *from_host),
            Op::DropObject { object } => {
                let live = self.live_objects();
                if live.len() > 1 {
                    self.objects[live[object % live.len()]].handle = None;
                }
                Ok(())
            }
            Op::Submit { queue, work, after } => self.submit(*queue, work, after),
            Op::Barrier { queue, after } => self.barrier(*queue, after.as_deref()),
            Op::NewGraph { device, in_order, steps } => self.new_graph(*device, *in_order, steps),
            Op::Replay { graph, queue, after } => self.replay(*graph, *queue, after),
            Op::UpdateGraph { graph, step, work } => self.update_graph(*graph, *step, work),
            Op::DropGraph { graph } => {
                let live = self.live_graphs();
                if !live.is_empty() {
                    let graph = &mut self.graphs[live[graph % live.len()]];
                    graph.executable = None;
                    graph.steps.clear();
                }
                Ok(())
            }
            Op::Host { part, mode, meanwhile } => {
                if let Some((token, node)) = self.host(*part, *mode, *meanwhile)? {
                    drop(token);
                    self.nodes[node].held = false;
                }
                Ok(())
            }
            Op::Hold { part, mode } => {
                let held = self.host(*part, *mode, false)?;
                self.held.extend(held);
                Ok(())
            }
            Op::Release { held } => {
                if !self.held.is_empty() {
                    let (token, node) = self.held.swap_remove(held % self.held.len());
                    drop(token);
                    self.nodes[node].held = false;
                }
                Ok(())
            }
            Op::Step { device, times } => self.step(*device, *times),
            Op::WaitEvent { event, meanwhile } => self.wait_event(*event, *meanwhile),
            Op::WaitQueue { queue, meanwhile } => {
                let live = self.live_queues();
                if live.is_empty() { Ok(()) } else { self.wait_queue(live[queue % live.len()], *meanwhile) }
            }
            Op::DropEvent { event } => {
                let live = self.live_events();
                // On threads nobody would know when such a command has ended.
                if !live.is_empty() && self.stepped {
                    self.nodes[live[event % live.len()]].event = None;
                    self.events_dropped = true;
                }
                Ok(())
            }
            Op::FailNext { device, kind } => {
                let idx = device % self.devices.len();
                let device = &mut self.devices[idx];
                if let Some(dry) = &device.dry {
                    dry.fail_next(*kind);
                    device.faults.push((*kind, device.counts[*kind as usize] + 1));
                }
                Ok(())
            }
            Op::Lose { device } => {
                let idx = device % self.devices.len();
                let device = &mut self.devices[idx];
                if let Some(dry) = &device.dry {
                    dry.lose();
                    device.losable = true;
                }
                Ok(())
            }
        }
    }

    fn live_queues(&self) -> Vec<usize> {
        (0..self.queues.len()).filter(|&idx| self.queues[idx].queue.is_some()).collect()
    }

    fn live_objects(&self) -> Vec<usize> {
        (0..self.objects.len()).filter(|&idx| self.objects[idx].handle.is_some()).collect()
    }

    fn live_graphs(&self) -> Vec<usize> {
        (0..self.graphs.len()).filter(|&idx| self.graphs[idx].executable.is_some()).collect()
    }

    fn live_events(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|&idx| self.nodes[idx].event.is_some()).collect()
    }

    /// The nodes that an operation wants to follow.
    fn after(&self, after: &[usize]) -> Vec<usize> {
        let live = self.live_events();
        if live.is_empty() {
            Vec::new()
        } else {
            after.iter().map(|back| live[live.len() - 1 - back % live.len()]).collect()
        }
    }

    fn new_queue(&mut self, device: usize, in_order: bool) -> Checked {
        let idx = device % self.devices.len();
        let device = &self.devices[idx];
        let told: Arc<Mutex<Vec<Error>>> = Arc::default();
        let tell = Arc::clone(&told);
        let handler = Arc::new(move |error: &Error| tell.lock().unwrap().push(error.clone()));
        let options = QueueOptions { in_order, profiling: false };
        match Queue::with_handler(&device.device, options, Some(handler)) {
            Ok(queue) => {
                let (nodes, unreported) = (Vec::new(), Vec::new());
                let queue = Some(queue);
                self.queues.push(ModelQueue { queue, device: idx, in_order, nodes, barrier: None, unreported, told });
            }
            Err(error) => self.expect_loss(idx, &error)?,
        }
        Ok(())
    }

    /// Checks that an unforeseen error is the loss of a device that may be lost.
    fn expect_loss(&self, device: usize, error: &Error) -> Checked {
        let device = &self.devices[device];
        let is_loss = matches!(error, Error::DeviceLost { device: lost, .. } if lost == device.selector());
        ensure!(is_loss && device.losable, "unexpected error {error:?}");
        Ok(())
    }

    fn new_object(&mut self, device: usize, from_host: bool) -> Checked {
        let idx = device % self.devices.len();
        if from_host {
            let values: Vec<u64> = (0..WORDS as u64).map(|word| mix(self.objects.len() as u64, word)).collect();
            let cells = std::array::from_fn(|word| Cell { value: values[word], writer: None });
            self.objects.push(Object { handle: Some(Words(MemoryObject::from_vec(values))), cells });
            return Ok(());
        }
        let device = &mut self.devices[idx];
        let is_lost = device.dry.as_ref().is_some_and(DryRun::is_lost);
        let fails = device.dry.is_some() && !is_lost && device.happens(FaultKind::Allocation);
        match MemoryObject::allocate(&device.device, WORDS * 8) {
            Ok(object) => {
                ensure!(!fails && !is_lost, "an allocation succeeded");
                let cells = [Cell { value: 0, writer: None }; WORDS];
                self.objects.push(Object { handle: Some(Words(object)), cells });
            }
            Err(Error::OutOfMemory { device: named, asked, .. }) => {
                ensure!(fails && named == device.selector() && asked == WORDS * 8, "out of memory: {named} {asked}");
            }
            Err(error) => self.expect_loss(idx, &error)?,
        }
        Ok(())
    }

    fn resolve_part(&self, part: Part, mode: AccessMode) -> Option<Use> {
        let live = self.live_objects();
        let object = *live.get(part.object % live.len().max(1))?;
        let end = (part.start + part.len).min(WORDS);
        Some(Use { object, words: part.start..end, mode })
    }

    /// The command that `work` is now; nothing without objects to work on.
    fn resolve(&mut self, work: &Work) -> Option<Resolved> {
        self.tags += 1;
        let tag = self.tags;
        let mut resolved =
            Resolved { kind: Kind::Empty, name: String::new(), tag, uses: Vec::new(), effect: Effect::Fine };
        match work {
            Work::Kernel { uses, effect } | Work::HostTask { uses, effect } => {
                resolved.kind = if matches!(work, Work::Kernel { .. }) { Kind::Kernel } else { Kind::HostTask };
                resolved.name = format!("command {tag}");
                resolved.effect = *effect;
                resolved.uses = uses.iter().filter_map(|&(part, mode)| self.resolve_part(part, mode)).collect();
            }
            Work::Copy { from, to_object, to_start } => {
                resolved.kind = Kind::Copy;
                resolved.name = "copy".into();
                let mut from = self.resolve_part(*from, AccessMode::Read)?;
                let to = Part { object: *to_object, start: *to_start, len: from.words.len() };
                let to = self.resolve_part(to, AccessMode::Write)?;
                from.words.end = from.words.start + to.words.len();
                resolved.uses = vec![from, to];
            }
            Work::Fill { part, value } => {
                resolved.kind = Kind::Fill(*value);
                resolved.name = "fill".into();
                resolved.uses = vec![self.resolve_part(*part, AccessMode::Write)?];
            }
            Work::Empty => resolved.name = format!("empty {tag}"),
        }
        Some(resolved)
    }

    fn handles(&self, resolved: &Resolved) -> Vec<Words> {
        let handle = |used: &Use| self.objects[used.object].handle.clone().expect("only live objects are used");
        resolved.uses.iter().map(handle).collect()
    }

    /// A node for what uses these words: who it follows because of them, and whose results it needs.
    fn node(&self, name: String, uses: BTreeMap<usize, (Mask, Mask)>) -> Node {
        let conflicts = |node: &Node| {
            uses.iter().any(|(object, &(reads, writes))| {
                let &(earlier_reads, earlier_writes) = node.uses.get(object).unwrap_or(&(0, 0));
                writes & (earlier_reads | earlier_writes) != 0 || reads & earlier_writes != 0
            })
        };
        let follows = (0..self.nodes.len()).filter(|&idx| conflicts(&self.nodes[idx])).collect();
        let mut needs = Vec::new();
        for (object, &(reads, _)) in &uses {
            let read = (0..WORDS).filter(|word| reads & 1 << word != 0);
            needs.extend(read.filter_map(|word| self.objects[*object].cells[word].writer));
        }
        Node {
            name,
            device: None,
            follows,
            needs,
            uses,
            event: None,
            held: false,
            needs_device: false,
            is_graph: false,
            own: Vec::new(),
            outcome: None,
        }
    }

    /// Puts a node into its queue's order, and says what it needs besides.
    fn queue_node(&mut self, queue: usize, mut node: Node, after: &[usize], event: Event) -> usize {
        let idx = self.nodes.len();
        let queue = &mut self.queues[queue];
        node.device = Some(queue.device);
        node.event = Some(event);
        node.follows.extend(after);
        node.needs.extend(after);
        node.follows.extend(queue.barrier);
        if queue.in_order {
            node.follows.extend(queue.nodes.last());
        }
        queue.nodes.push(idx);
        queue.unreported.push(idx);
        self.nodes.push(node);
        idx
    }

    fn write(&mut self, node: usize, outputs: Vec<(usize, usize, u64)>) {
        for (object, word, value) in outputs {
            self.objects[object].cells[word] = Cell { value, writer: Some(node) };
        }
    }

    fn submit(&mut self, queue: usize, work: &Work, after: &[usize]) -> Checked {
        let queues = self.live_queues();
        let (Some(&queue), Some(resolved)) = (queues.get(queue % queues.len().max(1)), self.resolve(work)) else {
            return Ok(());
        };
        let after = self.after(after);
        let mut command = resolved.command(self.handles(&resolved), false);
        for &earlier in &after {
            command = command.after(self.nodes[earlier].event.as_ref().expect("a live event"));
        }
        let device = self.queues[queue].device;
        let is_lost = self.devices[device].dry.as_ref().is_some_and(DryRun::is_lost);
        let result = self.queues[queue].queue.as_ref().expect("a live queue").submit(command);
        if resolved.conflicts_with_itself() {
            let is_conflict =
                matches!(&result, Err(Error::AccessConflict { command, .. }) if *command == resolved.name);
            ensure!(is_conflict, "uses that conflict gave {result:?}");
            return Ok(());
        }
        if let Err(error @ Error::DeviceLost { .. }) = &result {
            return self.expect_loss(device, error);
        }
        ensure!(!is_lost, "a lost device took a command");
        let fate = match (self.devices[device].admit(&resolved.name, resolved.kind, false), &result) {
            (Ok(fate), Ok(_)) => fate,
            (Err(expected), Err(error)) if expected == *error => return Ok(()),
            (expected, _) => return Err(format!("gave {result:?}, not {:?}", expected.err())),
        };
        let mut uses: BTreeMap<usize, (Mask, Mask)> = BTreeMap::new();
        for used in &resolved.uses {
            let entry = uses.entry(used.object).or_default();
            let mask = mask(&used.words);
            entry.0 |= if used.mode.reads() { mask } else { 0 };
            entry.1 |= if used.mode.writes() { mask } else { 0 };
        }
        let mut node = self.node(resolved.name.clone(), uses);
        node.needs_device = resolved.needs_device();
        node.own.extend(resolved.own_error());
        if let (Fate::Fails(reason), true) = (fate, node.own.is_empty()) {
            node.own.push(self.devices[device].execution_failed(&resolved.name, reason));
        }
        let mut outputs = resolved.outputs(|object, word| self.objects[object].cells[word].value);
        if let (Kind::Fill(_), true) = (resolved.kind, self.planted) {
            outputs.iter_mut().for_each(|output| output.2 ^= 1);
        }
        let event = result.expect("compared above");
        ensure!(*event.name() == resolved.name, "the event's name is {}", event.name());
        let node = self.queue_node(queue, node, &after, event);
        self.write(node, outputs);
        Ok(())
    }

    fn barrier(&mut self, queue: usize, after: Option<&[usize]>) -> Checked {
        let queues = self.live_queues();
        let Some(&queue) = queues.get(queue % queues.len().max(1)) else { return Ok(()) };
        let nodes = after.map(|after| self.after(after));
        let events = nodes.as_ref().map(|nodes| {
            nodes.iter().map(|&node| self.nodes[node].event.clone().expect("a live event")).collect::<Vec<_>>()
        });
        let model = &self.queues[queue];
        let queue_ref = model.queue.as_ref().expect("a live queue");
        let result = match &events {
            Some(events) => queue_ref.barrier_after(events),
            None => queue_ref.barrier(),
        };
        let event = match result {
            Ok(event) => event,
            Err(error) => return self.expect_loss(model.device, &error),
        };
        let mut node = self.node("barrier".into(), BTreeMap::new());
        if nodes.is_none() {
            node.follows.extend(&model.nodes);
        }
        let idx = self.queue_node(queue, node, &nodes.unwrap_or_default(), event);
        self.queues[queue].barrier = Some(idx);
        Ok(())
    }

    fn new_graph(&mut self, device: usize, in_order: bool, steps: &[(Work, Vec<usize>)]) -> Checked {
        let device = device % self.devices.len();
        let graph = Graph::new(&self.devices[device].device, in_order);
        let mut recorded: Vec<(Resolved, Vec<usize>, Event)> = Vec::new();
        for (work, after) in steps {
            let Some(resolved) = self.resolve(work) else { continue };
            let after: Vec<usize> =
                if recorded.is_empty() { Vec::new() } else { after.iter().map(|idx| idx % recorded.len()).collect() };
            let mut command = resolved.command(self.handles(&resolved), true);
            for &earlier in &after {
                command = command.after(&recorded[earlier].2);
            }
            if let Some(event) = self.record(device, &resolved, || graph.record(command))? {
                recorded.push((resolved, after, event));
            }
        }
        let executable = graph.instantiate().map_err(|error| format!("instantiate gave {error:?}"))?;
        ensure!(executable.len() == recorded.len(), "{} commands in the graph", executable.len());
        self.graphs.push(ModelGraph { executable: Some(executable), device, steps: recorded, last: None });
        Ok(())
    }

    /// Records or updates, and checks what that gives.
    fn record<T>(
        &mut self,
        device: usize,
        resolved: &Resolved,
        call: impl FnOnce() -> syclone_runtime::Result<T>,
    ) -> Checked<Option<T>> {
        let result = call();
        if resolved.conflicts_with_itself() {
            ensure!(matches!(&result, Err(Error::AccessConflict { .. })), "recording a conflict worked");
            return Ok(None);
        }
        if let Err(error @ Error::DeviceLost { .. }) = &result {
            self.expect_loss(device, error)?;
            return Ok(None);
        }
        match (self.devices[device].admit(&resolved.name, resolved.kind, true), result) {
            (Ok(_), Ok(value)) => Ok(Some(value)),
            (Err(expected), Err(error)) if expected == error => Ok(None),
            (expected, result) => Err(format!("recording gave {:?}, not {:?}", result.err(), expected.err())),
        }
    }

    fn update_graph(&mut self, graph: usize, step: usize, work: &Work) -> Checked {
        let live = self.live_graphs();
        let Some(&graph) = live.get(graph % live.len().max(1)) else { return Ok(()) };
        if self.graphs[graph].steps.is_empty() {
            return Ok(());
        }
        let step = step % self.graphs[graph].steps.len();
        let Some(resolved) = self.resolve(work) else { return Ok(()) };
        let command = resolved.command(self.handles(&resolved), true);
        let executable = self.graphs[graph].executable.clone().expect("a live graph");
        let event = self.graphs[graph].steps[step].2.clone();
        let device = self.graphs[graph].device;
        if self.record(device, &resolved, || executable.update(&event, command))?.is_some() {
            self.graphs[graph].steps[step].0 = resolved;
        }
        Ok(())
    }

    fn replay(&mut self, graph: usize, queue: usize, after: &[usize]) -> Checked {
        let live = self.live_graphs();
        let Some(&graph) = live.get(graph % live.len().max(1)) else { return Ok(()) };
        let device = self.graphs[graph].device;
        let queues = self.live_queues();
        let queues: Vec<usize> = queues.into_iter().filter(|&queue| self.queues[queue].device == device).collect();
        let Some(&queue) = queues.get(queue % queues.len().max(1)) else { return Ok(()) };
        let after = self.after(after);
        let mut command = Command::replay(self.graphs[graph].executable.as_ref().expect("a live graph"));
        for &earlier in &after {
            command = command.after(self.nodes[earlier].event.as_ref().expect("a live event"));
        }
        let is_lost = self.devices[device].dry.as_ref().is_some_and(DryRun::is_lost);
        let result = self.queues[queue].queue.as_ref().expect("a live queue").submit(command);
        if let Err(error @ Error::DeviceLost { .. }) = &result {
            return self.expect_loss(device, error);
        }
        ensure!(!is_lost, "a lost device took a replay");
        let mut fate = Fate::Fine;
        if self.devices[device].dry.is_some() {
            if self.devices[device].happens(FaultKind::Launch) {
                let is_refusal = matches!(&result, Err(Error::LaunchFailed { command, .. }) if command == "graph");
                ensure!(is_refusal, "a refused replay gave {result:?}");
                return Ok(());
            }
            fate = self.devices[device].fate(false);
        }
        let event = result.map_err(|error| format!("a replay gave {error:?}"))?;

        // The graph's commands, one after another. A word that is written here has a value, and whether that failed.
        let mut inside: HashMap<(usize, usize), (u64, bool)> = HashMap::new();
        let mut uses: BTreeMap<usize, (Mask, Mask)> = BTreeMap::new();
        let mut failed: Vec<bool> = Vec::new();
        let mut own: Vec<Error> = Vec::new();
        for (step, after, _) in &self.graphs[graph].steps {
            let mut fails = after.iter().any(|&earlier| failed[earlier]);
            for (used, word) in step.uses.iter().flat_map(|used| used.words.clone().map(move |word| (used, word))) {
                let masks = uses.entry(used.object).or_default();
                match inside.get(&(used.object, word)) {
                    Some(&(_, failed)) => fails |= used.mode.reads() && failed,
                    None if used.mode.reads() => masks.0 |= 1 << word,
                    None => {}
                }
            }
            if !fails && let Some(error) = step.own_error() {
                own.push(error);
                fails = true;
            }
            let outputs = step.outputs(|object, word| match inside.get(&(object, word)) {
                Some(&(value, _)) => value,
                None => self.objects[object].cells[word].value,
            });
            for (object, word, value) in outputs {
                inside.insert((object, word), (value, fails));
                uses.entry(object).or_default().1 |= 1 << word;
            }
            failed.push(fails);
        }
        // Which command meets the replay's fate is the device's choice.
        let runs = self.graphs[graph].steps.iter().filter(|(step, ..)| step.needs_device());
        if let Fate::Fails(reason) = fate {
            let device = &self.devices[device];
            own.extend(runs.clone().map(|(step, ..)| device.execution_failed(&step.name, reason)));
        }
        let needs_device = runs.count() > 0;
        let mut node = self.node("graph".into(), uses);
        node.is_graph = true;
        node.needs_device = needs_device;
        node.own = own;
        node.follows.extend(self.graphs[graph].last);
        let idx = self.queue_node(queue, node, &after, event);
        self.graphs[graph].last = Some(idx);
        self.write(idx, inside.into_iter().map(|((object, word), (value, _))| (object, word, value)).collect());
        Ok(())
    }

    /// For each node, whether it waits for a host access that is held.
    fn blocked(&self) -> Vec<bool> {
        let mut blocked: Vec<bool> = Vec::new();
        for node in &self.nodes {
            let is_blocked = node.held || node.follows.iter().any(|&earlier| blocked[earlier]);
            blocked.push(is_blocked);
        }
        blocked
    }

    /// Calls something that waits, with somebody to take the devices' turns.
    fn waiting<T>(&mut self, meanwhile: bool, call: impl FnOnce(&Machine) -> T) -> Checked<T> {
        if !self.stepped {
            return Ok(call(self));
        }
        if !meanwhile {
            self.drain()?;
            return Ok(call(self));
        }
        let stop = AtomicBool::new(false);
        let dry: Vec<DryRun> = self.devices.iter().filter_map(|device| device.dry.clone()).collect();
        Ok(std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    if !dry.iter().any(DryRun::step) {
                        std::thread::yield_now();
                    }
                }
            });
            let result = call(self);
            stop.store(true, Ordering::Relaxed);
            result
        }))
    }

    /// Takes all turns, after which everything must have ended that no host access holds up.
    fn drain(&mut self) -> Checked {
        while self.devices.iter().filter_map(|device| device.dry.as_ref()).any(|dry| dry.run_until_idle() > 0) {}
        let blocked = self.blocked();
        for (node, blocked) in self.nodes.iter().zip(blocked) {
            if let Some(event) = &node.event {
                ensure!(is_done(event) != blocked, "'{}' is {:?}, blocked: {blocked}", node.name, event.status());
            }
        }
        Ok(())
    }

    /// Some steps, and what can be seen after each.
    fn step(&mut self, device: usize, times: usize) -> Checked {
        let device = device % self.devices.len();
        if !self.stepped {
            return Ok(());
        }
        for _ in 0..times {
            let dry = self.devices[device].dry.as_ref().expect("a stepped device");
            dry.step();
            self.check_order()?;
        }
        Ok(())
    }

    /// Whether a node has ended, as far as that can be seen.
    fn ended(&self, node: usize) -> Option<bool> {
        let node = &self.nodes[node];
        match (&node.event, node.device) {
            (Some(event), _) => Some(is_done(event)),
            (None, None) => Some(!node.held),
            (None, Some(_)) => None,
        }
    }

    fn check_order(&mut self) -> Checked {
        let ended: Vec<Option<bool>> = (0..self.nodes.len()).map(|node| self.ended(node)).collect();
        let mut ready = vec![0; self.devices.len()];
        let mut graphs = vec![false; self.devices.len()];
        for idx in 0..self.nodes.len() {
            let waits = self.nodes[idx].follows.iter().find(|&&earlier| ended[earlier] == Some(false)).copied();
            let node = &self.nodes[idx];
            if let (Some(true), Some(earlier)) = (ended[idx], waits) {
                return Err(format!("'{}' ended before '{}'", node.name, self.nodes[earlier].name));
            }
            let (Some(false), None, Some(device)) = (ended[idx], waits, node.device) else { continue };
            graphs[device] |= node.is_graph;
            if self.events_dropped {
                continue;
            }
            let needs = node.needs.clone();
            let is_doomed =
                needs.iter().try_fold(false, |any, &earlier| self.causes(earlier).map(|c| any | !c.is_empty()))?;
            let node = &self.nodes[idx];
            ensure!(node.needs_device && !is_doomed, "'{}' should have ended when its turn came", node.name);
            ready[device] += 1;
        }
        for (device, ready) in self.devices.iter().zip(ready).zip(graphs).filter(|(_, graphs)| !graphs).map(|(d, _)| d)
        {
            let pending = device.dry.as_ref().expect("a stepped device").pending();
            ensure!(self.events_dropped || pending == ready, "{pending} of {ready} ready commands are pending");
        }
        Ok(())
    }

    /// The possible first causes of the failure of a node that has ended; none if it succeeded.
    fn causes(&mut self, idx: usize) -> Checked<Vec<Error>> {
        if let Some(outcome) = &self.nodes[idx].outcome {
            return Ok(outcome.clone());
        }
        let mut inherited = Vec::new();
        for earlier in self.nodes[idx].needs.clone() {
            inherited.extend(self.causes(earlier)?);
        }
        let node = &self.nodes[idx];
        let name = &node.name;
        let is_losable = node.needs_device && node.device.is_some_and(|device| self.devices[device].losable);
        let causes = match &node.event {
            Some(event) => {
                ensure!(is_done(event), "'{name}' is {:?}", event.status());
                match event.wait() {
                    Ok(()) => {
                        ensure!(inherited.is_empty() && node.own.is_empty(), "'{name}' did not fail");
                        Vec::new()
                    }
                    Err(Error::DependencyFailed { command, first }) => {
                        let is_known = command == *name && inherited.contains(&first);
                        ensure!(is_known, "'{name}' failed because of {first:?}, not one of {inherited:?}");
                        vec![(*first).clone()]
                    }
                    Err(error) => {
                        ensure!(inherited.is_empty(), "'{name}' failed with {error:?} in spite of {inherited:?}");
                        if !node.own.contains(&error) {
                            ensure!(is_losable, "'{name}' failed with {error:?}, not one of {:?}", node.own);
                            self.expect_loss(node.device.expect("a command"), &error)?;
                        }
                        vec![error]
                    }
                }
            }
            None if !inherited.is_empty() => inherited,
            None => node.own.clone(),
        };
        self.nodes[idx].outcome = Some(causes.clone());
        Ok(causes)
    }

    /// A host access, which reads what its mode reads and writes what it writes.
    fn host(&mut self, part: Part, mode: AccessMode, meanwhile: bool) -> Checked<Option<(HostAccessToken, usize)>> {
        let Some(used) = self.resolve_part(part, mode) else { return Ok(None) };
        let words = self.objects[used.object].handle.clone().expect("a live object");
        let mask = mask(&used.words);
        let masks = (if mode.reads() { mask } else { 0 }, if mode.writes() { mask } else { 0 });
        let mut node = self.node("host access".into(), BTreeMap::from([(used.object, masks)]));
        let blocked = self.blocked();
        let is_endless = node.follows.iter().any(|&earlier| blocked[earlier]);
        let range = used.words.start * 8..used.words.end * 8;
        let result = self.waiting(meanwhile, |_| words.0.wait_for_host_range(mode, range))?;
        if is_endless {
            ensure!(matches!(result, Err(Error::WaitWouldDeadlock { .. })), "an endless wait gave {result:?}");
            return Ok(None);
        }
        let mut inherited = Vec::new();
        for earlier in node.needs.clone() {
            inherited.extend(self.causes(earlier)?);
        }
        let idx = self.nodes.len();
        match result {
            Ok(token) => {
                ensure!(inherited.is_empty(), "a host access succeeded in spite of {inherited:?}");
                node.held = true;
                node.outcome = Some(Vec::new());
                self.nodes.push(node);
                for word in used.words.clone() {
                    let found = words.get(word);
                    let cell = self.objects[used.object].cells[word];
                    if mode.reads() {
                        ensure!(found == cell.value, "word {word} of object {} is {found:#x}", used.object);
                    }
                    if mode.writes() {
                        self.tags += 1;
                        let value = mix(if mode.reads() { found } else { 0 }, self.tags);
                        words.set(word, value);
                        self.objects[used.object].cells[word] = Cell { value, writer: Some(idx) };
                    }
                }
                Ok(Some((token, idx)))
            }
            Err(Error::DependencyFailed { command, first }) => {
                let is_known = command == "host access" && inherited.contains(&first);
                ensure!(is_known, "a host access failed because of {first:?}, not one of {inherited:?}");
                node.outcome = Some(vec![(*first).clone()]);
                self.nodes.push(node);
                if mode.writes() {
                    let outputs = used.words.clone().map(|word| (used.object, word, 0)).collect();
                    self.write(idx, outputs);
                }
                Ok(None)
            }
            Err(error) => Err(format!("a host access gave {error:?}")),
        }
    }

    fn wait_event(&mut self, event: usize, meanwhile: bool) -> Checked {
        let live = self.live_events();
        let Some(&idx) = live.get(event % live.len().max(1)) else { return Ok(()) };
        let event = self.nodes[idx].event.clone().expect("a live event");
        let is_endless = self.blocked()[idx];
        let result = self.waiting(meanwhile, |_| event.wait())?;
        if is_endless {
            let name = &self.nodes[idx].name;
            let is_refused = matches!(&result, Err(Error::WaitWouldDeadlock { command }) if command == name);
            ensure!(is_refused, "an endless wait gave {result:?}");
            return Ok(());
        }
        self.causes(idx)?;
        Ok(())
    }

    fn wait_queue(&mut self, queue: usize, meanwhile: bool) -> Checked {
        let blocked = self.blocked();
        let is_endless = self.queues[queue].nodes.iter().any(|&node| blocked[node]);
        let result =
            self.waiting(meanwhile, |machine| machine.queues[queue].queue.as_ref().expect("a live queue").wait())?;
        if is_endless {
            ensure!(matches!(result, Err(Error::WaitWouldDeadlock { .. })), "an endless wait gave {result:?}");
            return Ok(());
        }
        let mut errors = Vec::new();
        let mut any = false;
        for node in std::mem::take(&mut self.queues[queue].unreported) {
            any |= !self.causes(node)?.is_empty();
            errors.extend(self.nodes[node].event.as_ref().and_then(|event| event.wait().err()));
        }
        let is_known = match &result {
            Ok(()) => !any,
            Err(error) => any && (self.events_dropped || errors.contains(error)),
        };
        ensure!(is_known, "the queue's wait gave {result:?} after {errors:?}");
        Ok(())
    }

    /// The last looks: nothing is held up any more, so everything ends and can be compared.
    fn end(&mut self) -> Checked {
        for (token, node) in std::mem::take(&mut self.held) {
            drop(token);
            self.nodes[node].held = false;
        }
        if self.stepped {
            self.drain()?;
        }
        for node in self.live_events() {
            // On threads this waits; `causes` compares.
            let _ = self.nodes[node].event.as_ref().expect("a live event").wait();
            self.causes(node)?;
        }
        for queue in self.live_queues() {
            self.wait_queue(queue, false)?;
        }
        for object in self.live_objects() {
            for word in 0..WORDS {
                let part = Part { object: 0, start: word, len: 1 };
                let position = self.live_objects().iter().position(|&live| live == object).expect("it is live");
                let token = self.host(Part { object: position, ..part }, AccessMode::Read, false)?;
                if let Some((_, node)) = &token {
                    self.nodes[*node].held = false;
                }
            }
        }
        self.check_told()?;
        self.check_nothing_left()
    }

    /// Each queue's handler was told every error, once.
    fn check_told(&self) -> Checked {
        for queue in &self.queues {
            let mut told = queue.told.lock().unwrap().clone();
            for &node in &queue.nodes {
                let error = self.nodes[node].event.as_ref().and_then(|event| event.wait().err());
                if let Some(error) = error {
                    let position = told.iter().position(|known| *known == error);
                    ensure!(position.is_some(), "the handler was not told {error:?}");
                    told.swap_remove(position.unwrap_or(0));
                }
            }
            ensure!(self.events_dropped || told.is_empty(), "the handler was told {told:?} besides");
        }
        Ok(())
    }

    fn check_nothing_left(&mut self) -> Checked {
        for device in &self.devices {
            let pending = device.dry.as_ref().map_or(0, DryRun::pending);
            ensure!(pending == 0, "{pending} commands are left");
        }
        self.queues.clear();
        self.nodes.clear();
        self.graphs.clear();
        self.objects.clear();
        for device in &self.devices {
            let in_use = device.device.memory_stats().in_use;
            ensure!(in_use == 0, "{in_use} bytes are left on {}", device.selector());
        }
        Ok(())
    }
}
