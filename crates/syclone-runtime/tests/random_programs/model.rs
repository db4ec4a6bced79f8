//! What the model knows of devices, queues, memory and commands.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex};

use syclone_runtime::{
    Device, DryRun, DryRunOptions, Error, Event, EventStatus, ExecutableGraph, FaultKind, Graph, Queue,
};

use crate::common::Words;
use crate::program::{DeviceKind, DeviceSpec, WORDS};
use crate::work::{Kind, Mask, Resolved};

/// A word of the model.
#[derive(Clone, Copy)]
pub struct Cell {
    pub value: u64,
    /// Its last writer.
    pub writer: Option<usize>,
}

pub struct Object {
    pub handle: Option<Words>,
    pub cells: [Cell; WORDS],
}

/// A command or host access of the model.
pub struct Node {
    pub name: String,
    /// None for a host access.
    pub device: Option<usize>,
    /// What it waits for.
    pub follows: Vec<usize>,
    /// What it needs the results of.
    pub needs: Vec<usize>,
    /// Words that it reads and writes, by object.
    pub uses: BTreeMap<usize, (Mask, Mask)>,
    pub event: Option<Event>,
    /// It was launched without an event.
    pub launched: bool,
    /// A host access that has not ended.
    pub held: bool,
    /// Whether it has a turn on its device.
    pub needs_device: bool,
    pub is_graph: bool,
    /// The kernels and host tasks that run with it: their tags and counters, and whether it is known that they do.
    pub runs: Vec<(u64, Arc<AtomicUsize>, bool)>,
    /// It did not run because of something that it needed.
    pub doomed: bool,
    /// One of these is its own error; none if it succeeds by itself.
    pub own: Vec<Error>,
    /// Its first causes if it failed, once that is known.
    pub outcome: Option<Vec<Error>>,
}

pub struct ModelDevice {
    pub device: Device,
    /// None for a CPU device.
    pub dry: Option<DryRun>,
    pub counts: [u64; FaultKind::ALL.len()],
    pub faults: Vec<(FaultKind, u64)>,
    /// Kernels that need not be built again: a graph's host task submits the same ones at each replay.
    pub built: HashSet<String>,
    /// It is lost, or may be at any time.
    pub losable: bool,
}

pub struct ModelQueue {
    pub queue: Option<Arc<Queue>>,
    pub device: usize,
    pub in_order: bool,
    /// The last of its commands that has run, if they are in order.
    pub order: Arc<AtomicU64>,
    pub nodes: Vec<usize>,
    pub barrier: Option<usize>,
    /// Commands since the last wait.
    pub unreported: Vec<usize>,
    /// What its handler was told.
    pub told: Arc<Mutex<Vec<Error>>>,
}

pub struct ModelGraph {
    pub recording: Rc<Graph>,
    /// The steps as they were recorded.
    pub recorded: Vec<Step>,
    /// Which recording it is of: the replays of one follow each other.
    pub family: usize,
    pub executable: ExecutableGraph,
    pub device: usize,
    pub steps: Vec<Step>,
}

/// A command of a graph, which of the earlier ones it follows, and the event that stands for it.
pub type Step = (Resolved, Vec<usize>, Event);

/// What becomes of a command that its device takes.
pub enum Fate {
    Fine,
    Fails(&'static str),
    Loses,
}

pub fn model_device(idx: usize, spec: &DeviceSpec) -> ModelDevice {
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
    ModelDevice { device, dry, counts: Default::default(), faults: Vec::new(), built: HashSet::new(), losable: false }
}

pub fn is_done(event: &Event) -> bool {
    matches!(event.status(), EventStatus::Complete | EventStatus::Failed)
}

impl ModelDevice {
    pub fn selector(&self) -> &str {
        &self.device.info().selector
    }

    /// Counts an opportunity; whether the fault happens.
    pub fn happens(&mut self, kind: FaultKind) -> bool {
        self.counts[kind as usize] += 1;
        self.faults.contains(&(kind, self.counts[kind as usize]))
    }

    /// What a command's submission gives, and its fate; `recorded` for a graph.
    pub fn admit(&mut self, name: &str, kind: Kind, recorded: bool) -> Result<Fate, Error> {
        if self.dry.is_none() || kind == Kind::Empty {
            return Ok(Fate::Fine);
        }
        let device = self.selector().to_owned();
        if kind == Kind::Kernel && !self.built.contains(name) {
            if self.happens(FaultKind::Build) {
                let log = "a fault was asked for".into();
                return Err(Error::BuildFailed { kernel: name.to_owned().into(), device, log });
            }
            self.built.insert(name.to_owned());
        }
        if kind != Kind::HostTask && self.happens(FaultKind::Launch) {
            let reason = "a fault was asked for".into();
            return Err(Error::LaunchFailed { command: name.to_owned().into(), device, reason });
        }
        Ok(if recorded { Fate::Fine } else { self.fate(matches!(kind, Kind::Copy | Kind::Fill(_))) })
    }

    pub fn fate(&mut self, is_transfer: bool) -> Fate {
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

    pub fn execution_failed(&self, name: &str, reason: &str) -> Error {
        let (command, device) = (name.to_owned().into(), self.selector().to_owned());
        Error::ExecutionFailed { command, device, reason: reason.to_owned() }
    }
}
