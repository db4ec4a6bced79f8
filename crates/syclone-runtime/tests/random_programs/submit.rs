//! Submissions: by the program, and by host tasks as they run.
//!
//! What a host task submits takes its place in the order when the task runs, so the model learns of it afterwards: the task
//! leaves a note, and whoever let it run takes note before anything else is submitted. On stepped devices that is after
//! each step. On threads the program waits for each task that submits, and tasks that are submitted by tasks submit nothing.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use syclone_runtime::{AccessMode, DryRun, Error, Event, Queue};

use crate::common::Words;
use crate::machine::{Checked, Machine};
use crate::model::{Fate, Node};
use crate::program::{Effect, Inner, Part, Work};
use crate::work::{Kind, Mask, Resolved};

/// What host tasks have submitted, in the order in which they have.
pub type Inbox = Arc<Mutex<Vec<Note>>>;

/// One submission: to which queue, of what, and what the call returned.
pub struct Note {
    queue: usize,
    resolved: Resolved,
    result: Result<Option<Event>, Error>,
}

/// What a host task is going to submit.
#[derive(Clone)]
pub struct Prepared {
    number: usize,
    queue: Arc<Queue>,
    resolved: Box<Resolved>,
    objects: Vec<Words>,
    launches: bool,
    inbox: Inbox,
}

impl Prepared {
    pub fn submit(&self) {
        let objects = self.objects.clone();
        let result = if self.launches {
            self.resolved.launch(&self.queue, objects).map(|()| None)
        } else {
            self.queue.submit(self.resolved.command(objects, false)).map(Some)
        };
        let note = Note { queue: self.number, resolved: (*self.resolved).clone(), result };
        self.inbox.lock().unwrap().push(note);
    }
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared").field("resolved", &self.resolved).finish_non_exhaustive()
    }
}

impl Node {
    /// Whether `error` is that of the launch without an event, which has ended.
    pub fn fails_with(&self, error: &Error) -> bool {
        let causes = self.outcome.as_deref().unwrap_or_default();
        self.launched
            && match error {
                Error::DependencyFailed { command, first } => {
                    self.doomed && *command == self.name && causes.contains(first)
                }
                error => !self.doomed && causes.contains(error),
            }
    }
}

impl Machine {
    /// How deep host tasks may be inside of host tasks that are submitted later, if they submit anything.
    pub fn depth(&self) -> usize {
        if self.stepped { 2 } else { 0 }
    }

    /// What a host task that is being made will submit.
    pub fn resolve_inner(&mut self, inner: &Inner, depth: usize) -> Option<Prepared> {
        let live = self.live_queues();
        let number = *live.get(inner.queue % live.len().max(1))?;
        let resolved = self.resolve(&inner.work, depth)?;
        let (queue, inbox) = (self.queues[number].queue.clone()?, Arc::clone(&self.inbox));
        let (objects, launches) = (self.handles(&resolved), inner.launches && resolved.kind == Kind::Kernel);
        Some(Prepared { number, queue, resolved: Box::new(resolved), objects, launches, inbox })
    }

    /// Puts what host tasks have submitted into the model.
    pub fn take_note(&mut self) -> Checked {
        let notes = std::mem::take(&mut *self.inbox.lock().unwrap());
        notes.into_iter().try_for_each(|note| self.submitted(note, &[]).map(drop))
    }

    pub fn submit(&mut self, queue: usize, work: &Work, after: &[usize]) -> Checked {
        let after = self.after(after);
        // On threads a task that submits has to run before anything else happens, so nothing may hold it up.
        let depth = if self.stepped { self.depth() } else { usize::from(self.held.is_empty()) };
        let queues = self.live_queues();
        let Some(&queue) = queues.get(queue % queues.len().max(1)) else { return Ok(()) };
        let Some(mut resolved) = self.resolve(work, depth) else { return Ok(()) };
        resolved.place = self.place(queue);
        let mut command = resolved.command(self.handles(&resolved), false);
        for &earlier in &after {
            command = command.after(self.nodes[earlier].event.as_ref().expect("a live event"));
        }
        let device = self.queues[queue].device;
        let is_lost = self.devices[device].dry.as_ref().is_some_and(DryRun::is_lost);
        let result = self.queues[queue].queue.as_ref().expect("a live queue").submit(command);
        ensure!(!is_lost || result.is_err(), "a lost device took a command");
        let submits = !resolved.then.is_empty();
        let node = self.submitted(Note { queue, resolved, result: result.map(Some) }, &after)?;
        if let (Some(node), true, false) = (node, submits, self.stepped) {
            let _ = self.nodes[node].event.as_ref().expect("it was submitted").wait();
            self.take_note()?;
        }
        Ok(())
    }

    /// The place of the next command in an in-order queue.
    fn place(&self, queue: usize) -> Option<(Arc<AtomicU64>, u64)> {
        let queue = &self.queues[queue];
        queue.in_order.then(|| (Arc::clone(&queue.order), queue.nodes.len() as u64))
    }

    pub fn launch(&mut self, queue: usize, uses: &[(Part, AccessMode)], effect: Effect) -> Checked {
        let queues = self.live_queues();
        let Some(&queue) = queues.get(queue % queues.len().max(1)) else { return Ok(()) };
        let work = Work::Kernel { uses: uses.to_vec(), effect };
        let Some(mut resolved) = self.resolve(&work, 0) else { return Ok(()) };
        resolved.place = self.place(queue);
        // So that some launches run at once, and some wait behind others and behind those that fail.
        resolved.slow = !self.stepped && (resolved.tag.is_multiple_of(4) || effect != Effect::Fine);
        let handles = self.handles(&resolved);
        let result = resolved.launch(self.queues[queue].queue.as_ref().expect("a live queue"), handles);
        self.submitted(Note { queue, resolved, result: result.map(|()| None) }, &[]).map(drop)
    }

    /// Compares what a submission returned, and puts it into the model; its node if there is one.
    fn submitted(&mut self, note: Note, after: &[usize]) -> Checked<Option<usize>> {
        let Note { queue, resolved, result } = note;
        let device = self.queues[queue].device;
        if resolved.conflicts_with_itself() {
            let is_conflict =
                matches!(&result, Err(Error::AccessConflict { command, .. }) if *command == resolved.name);
            ensure!(is_conflict, "uses that conflict gave {result:?}");
            return Ok(None);
        }
        if let Err(error @ Error::DeviceLost { .. }) = &result {
            return self.expect_loss(device, error).map(|()| None);
        }
        let fate = match (self.devices[device].admit(&resolved.name, resolved.kind, false), &result) {
            (Ok(fate), Ok(_)) => fate,
            (Err(expected), Err(error)) if expected == *error => return Ok(None),
            (expected, _) => return Err(format!("gave {result:?}, not {:?}", expected.err())),
        };
        let mut uses: BTreeMap<usize, (Mask, Mask)> = BTreeMap::new();
        for used in &resolved.uses {
            let entry = uses.entry(used.object).or_default();
            let mask = used.mask();
            entry.0 |= if used.mode.reads() { mask } else { 0 };
            entry.1 |= if used.mode.writes() { mask } else { 0 };
        }
        let mut node = self.node(resolved.name.clone(), uses);
        node.needs_device = resolved.needs_device();
        node.own.extend(resolved.own_error(self.devices[device].selector()));
        if let (Fate::Fails(reason), true) = (&fate, node.own.is_empty()) {
            node.own.push(self.devices[device].execution_failed(&resolved.name, reason));
        }
        let is_sure = !matches!(fate, Fate::Loses);
        if matches!(resolved.kind, Kind::Kernel | Kind::HostTask) {
            node.runs.push((resolved.tag, Arc::clone(&resolved.ran), is_sure));
        }
        let mut outputs = resolved.outputs(|object, word| self.objects[object].cells[word].value);
        if let (Kind::Fill(_), true) = (resolved.kind, self.planted) {
            outputs.iter_mut().for_each(|output| output.2 ^= 1);
        }
        let event = result.expect("compared above");
        if let Some(event) = &event {
            ensure!(*event.name() == resolved.name, "the event's name is {}", event.name());
        }
        node.launched = event.is_none();
        // Nobody sees when it ends.
        self.events_dropped |= self.stepped && node.launched;
        let node = self.queue_node(queue, node, after, event);
        self.write(node, outputs);
        Ok(Some(node))
    }
}
