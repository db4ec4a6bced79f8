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

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use syclone_runtime::{
    AccessMode, DryRun, Error, Event, FaultKind, HostAccessToken, MemoryObject, Queue, QueueOptions,
};

use crate::common::Words;
use crate::model::{Cell, ModelDevice, ModelGraph, ModelQueue, Node, Object, model_device};
use crate::program::{DeviceKind, Effect, Op, Part, Program, WORDS, Work};
use crate::submit::Inbox;
use crate::work::{Kind, Mask, Resolved, Use, mix};

/// A comparison; the error says what was wrong.
pub type Checked<T = ()> = Result<T, String>;

/// Both sides of the comparison.
pub struct Machine {
    pub devices: Vec<ModelDevice>,
    pub queues: Vec<ModelQueue>,
    pub objects: Vec<Object>,
    pub graphs: Vec<ModelGraph>,
    /// The last replay of each recording.
    pub last_replays: Vec<Option<usize>>,
    pub nodes: Vec<Node>,
    pub held: Vec<(HostAccessToken, usize)>,
    pub stepped: bool,
    pub events_dropped: bool,
    pub tags: u64,
    /// What host tasks have submitted since the model last looked.
    pub inbox: Inbox,
    /// A mistake in the model, to see that it would be found.
    pub planted: bool,
}

/// Runs a program; the error says what was not as the model has it.
pub fn run(program: &Program, planted: bool) -> Checked {
    let stepped = program.devices.iter().all(|spec| spec.kind == DeviceKind::Stepped);
    let mut machine = Machine {
        devices: program.devices.iter().enumerate().map(|(idx, spec)| model_device(idx, spec)).collect(),
        queues: Vec::new(),
        objects: Vec::new(),
        graphs: Vec::new(),
        last_replays: Vec::new(),
        nodes: Vec::new(),
        held: Vec::new(),
        stepped,
        events_dropped: false,
        tags: 0,
        inbox: Inbox::default(),
        planted,
    };
    for (position, op) in program.ops.iter().enumerate() {
        let at = |failure| format!("operation {position}, {op:?}: {failure}");
        machine.op(op).map_err(at)?;
    }
    machine.end().map_err(|failure| format!("at the end: {failure}"))
}

impl Machine {
    pub fn op(&mut self, op: &Op) -> Checked {
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
            Op::Launch { queue, uses, effect } => self.launch(*queue, uses, *effect),
            Op::Barrier { queue, after } => self.barrier(*queue, after.as_deref()),
            Op::NewGraph { device, in_order, steps } => self.new_graph(*device, *in_order, steps),
            Op::Instantiate { graph } => self.instantiate(*graph),
            Op::Replay { graph, queue, after } => self.replay(*graph, *queue, after),
            Op::UpdateGraph { graph, step, work } => self.update_graph(*graph, *step, work),
            Op::DropGraph { graph } => {
                if !self.graphs.is_empty() {
                    self.graphs.remove(graph % self.graphs.len());
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

    pub fn live_queues(&self) -> Vec<usize> {
        (0..self.queues.len()).filter(|&idx| self.queues[idx].queue.is_some()).collect()
    }

    pub fn live_objects(&self) -> Vec<usize> {
        (0..self.objects.len()).filter(|&idx| self.objects[idx].handle.is_some()).collect()
    }

    pub fn live_events(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|&idx| self.nodes[idx].event.is_some()).collect()
    }

    /// The nodes that an operation wants to follow.
    pub fn after(&self, after: &[usize]) -> Vec<usize> {
        let live = self.live_events();
        if live.is_empty() {
            Vec::new()
        } else {
            after.iter().map(|back| live[live.len() - 1 - back % live.len()]).collect()
        }
    }

    pub fn new_queue(&mut self, device: usize, in_order: bool) -> Checked {
        let idx = device % self.devices.len();
        let device = &self.devices[idx];
        let told: Arc<Mutex<Vec<Error>>> = Arc::default();
        let tell = Arc::clone(&told);
        let handler = Arc::new(move |error: &Error| tell.lock().unwrap().push(error.clone()));
        let options = QueueOptions { in_order, profiling: false };
        match Queue::with_handler(&device.device, options, Some(handler)) {
            Ok(queue) => {
                let (nodes, unreported) = (Vec::new(), Vec::new());
                let queue = Some(Arc::new(queue));
                let order = Arc::default();
                let queue = ModelQueue { queue, device: idx, in_order, nodes, barrier: None, unreported, told, order };
                self.queues.push(queue);
            }
            Err(error) => self.expect_loss(idx, &error)?,
        }
        Ok(())
    }

    /// Checks that an unforeseen error is the loss of a device that may be lost.
    pub fn expect_loss(&self, device: usize, error: &Error) -> Checked {
        let device = &self.devices[device];
        let is_loss = matches!(error, Error::DeviceLost { device: lost, .. } if lost == device.selector());
        ensure!(is_loss && device.losable, "unexpected error {error:?}");
        Ok(())
    }

    pub fn new_object(&mut self, device: usize, from_host: bool) -> Checked {
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

    pub fn resolve_part(&self, part: Part, mode: AccessMode) -> Option<Use> {
        let live = self.live_objects();
        let object = *live.get(part.object % live.len().max(1))?;
        Some(Use::new(object, part, mode))
    }

    /// The command that `work` is now; nothing without objects to work on.
    ///
    /// `depth` is how deep host tasks may submit what host tasks submit.
    pub fn resolve(&mut self, work: &Work, depth: usize) -> Option<Resolved> {
        self.tags += 1;
        let tag = self.tags;
        let mut resolved = Resolved {
            kind: Kind::Empty,
            name: String::new(),
            tag,
            uses: Vec::new(),
            effect: Effect::Fine,
            ran: Arc::default(),
            then: Vec::new(),
            place: None,
            slow: false,
        };
        match work {
            Work::Kernel { uses, effect } | Work::HostTask { uses, effect, .. } => {
                resolved.kind = if matches!(work, Work::Kernel { .. }) { Kind::Kernel } else { Kind::HostTask };
                resolved.name = format!("command {tag}");
                resolved.effect = *effect;
                resolved.uses = uses.iter().filter_map(|&(part, mode)| self.resolve_part(part, mode)).collect();
                if let (Work::HostTask { then, .. }, 1..) = (work, depth) {
                    resolved.then = then.iter().filter_map(|inner| self.resolve_inner(inner, depth - 1)).collect();
                }
            }
            Work::Copy { from, to } => {
                resolved.kind = Kind::Copy;
                resolved.name = "copy".into();
                let mut uses =
                    [self.resolve_part(*from, AccessMode::Read)?, self.resolve_part(*to, AccessMode::Write)?];
                // What fits on both sides.
                let (len, rows) = (uses[0].len.min(uses[1].len), uses[0].rows.min(uses[1].rows));
                uses.iter_mut().for_each(|used| (used.len, used.rows) = (len, if len == 0 { 1 } else { rows }));
                resolved.uses = uses.to_vec();
            }
            Work::Fill { part, value } => {
                resolved.kind = Kind::Fill(*value);
                resolved.name = "fill".into();
                resolved.uses = vec![self.resolve_part(Part { rows: 1, ..*part }, AccessMode::Write)?];
            }
            Work::Empty => resolved.name = format!("empty {tag}"),
        }
        Some(resolved)
    }

    pub fn handles(&self, resolved: &Resolved) -> Vec<Words> {
        let handle = |used: &Use| self.objects[used.object].handle.clone().expect("only live objects are used");
        resolved.uses.iter().map(handle).collect()
    }

    /// A node for what uses these words: who it follows because of them, and whose results it needs.
    pub fn node(&self, name: String, uses: BTreeMap<usize, (Mask, Mask)>) -> Node {
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
            launched: false,
            held: false,
            needs_device: false,
            is_graph: false,
            runs: Vec::new(),
            doomed: false,
            own: Vec::new(),
            outcome: None,
        }
    }

    /// Puts a node into its queue's order, and says what it needs besides.
    pub fn queue_node(&mut self, queue: usize, mut node: Node, after: &[usize], event: Option<Event>) -> usize {
        let idx = self.nodes.len();
        let queue = &mut self.queues[queue];
        node.device = Some(queue.device);
        node.event = event;
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

    pub fn write(&mut self, node: usize, outputs: Vec<(usize, usize, u64)>) {
        for (object, word, value) in outputs {
            self.objects[object].cells[word] = Cell { value, writer: Some(node) };
        }
    }

    pub fn barrier(&mut self, queue: usize, after: Option<&[usize]>) -> Checked {
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
        let idx = self.queue_node(queue, node, &nodes.unwrap_or_default(), Some(event));
        self.queues[queue].barrier = Some(idx);
        Ok(())
    }
}
