//! The order of a graph's commands, worked out before it runs.
//!
//! Each command follows those that its memory, its explicit dependencies, barriers and an in-order recording make it
//! follow, found with the rules of submitted commands (module `hazard`) applied to the commands' numbers. What the
//! graph as a whole does to memory follows from the same list (module `outside`).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::outside::outside;
use super::times::LastTimes;
use crate::command::ReplayedTask;
use crate::hazard::{Hazards, User};
use crate::node::Link;
use crate::sync::{AtomicU64, Ordering};
use crate::{Access, KernelWork, Name};

/// A graph's commands in their order.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    /// The steps that follow no other.
    pub(crate) roots: Vec<usize>,
    /// What the whole graph does to memory, as the accesses of one command.
    pub(crate) accesses: Vec<Access>,
    pub(crate) step_cost: StepCost,
    /// Where the times of its replays are kept, if they are.
    pub(crate) times: Option<LastTimes>,
}

/// How long a step of one chunk takes, as its replays have shown.
#[derive(Clone)]
pub(crate) struct StepCost(Arc<AtomicU64>);

impl Default for StepCost {
    fn default() -> Self {
        // Nothing is known, so every worker is worth waking.
        StepCost(Arc::new(AtomicU64::new(u64::from(u32::MAX))))
    }
}

impl StepCost {
    /// In nanoseconds; not more than 32 bits of them.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Takes note of so many steps, which took one worker so many nanoseconds.
    pub(crate) fn took(&self, nanoseconds: u64, steps: usize) {
        let (seen, known) = ((nanoseconds / steps.max(1) as u64).min(u32::MAX.into()), self.get());
        // Steps that turn out longer count at once: too many workers cost less than too few.
        let cost = if known == u64::from(u32::MAX) || seen > known { seen } else { (7 * known + seen) / 8 };
        if cost != known {
            self.0.store(cost, Ordering::Relaxed);
        }
    }
}

/// One command.
#[derive(Clone)]
pub(crate) struct Step {
    pub(crate) name: Name,
    pub(crate) work: StepWork,
    /// They keep the memory alive as long as the graph.
    pub(crate) accesses: Vec<Access>,
    /// Which steps it follows whatever its memory.
    pub(crate) after: Vec<(usize, Link)>,
    /// Which steps it follows in all, and why.
    pub(crate) follows: Vec<(usize, Link)>,
    /// Those that follow it, and why.
    pub(crate) successors: Vec<(usize, Link)>,
}

/// What a step does; shared by the replays.
#[derive(Clone)]
pub(crate) enum StepWork {
    Kernel(Arc<dyn KernelWork>),
    HostTask(Arc<ReplayedTask>),
    Empty,
}

/// Nobody is forgotten before the graph runs.
impl User for usize {
    fn forgotten_as_writer(&self) -> bool {
        false
    }

    fn forgotten_as_reader(&self) -> bool {
        false
    }
}

impl Plan {
    pub(crate) fn new(steps: Vec<Step>, times: Option<LastTimes>) -> Plan {
        let mut plan = Plan { steps, roots: Vec::new(), accesses: Vec::new(), step_cost: StepCost::default(), times };
        plan.link();
        plan
    }

    /// Puts a command in the place of another one.
    pub(crate) fn replace(&mut self, number: usize, step: Step) {
        let old = &mut self.steps[number];
        let same = |(a, b): (&Access, &Access)| {
            Arc::ptr_eq(&a.object, &b.object) && a.bytes() == b.bytes() && a.mode == b.mode
        };
        let same_memory =
            old.accesses.len() == step.accesses.len() && old.accesses.iter().zip(&step.accesses).all(same);
        old.name = step.name;
        old.work = step.work;
        old.accesses = step.accesses;
        if !same_memory {
            self.link();
        }
    }

    /// For each step its name and what it waits for.
    pub(crate) fn order(&self) -> Vec<(Name, Vec<usize>)> {
        let waits = |step: &Step| step.follows.iter().map(|&(earlier, _)| earlier).collect();
        self.steps.iter().map(|step| (step.name.clone(), waits(step))).collect()
    }

    /// Works out who follows whom, and what the whole does to memory.
    fn link(&mut self) {
        let mut objects: BTreeMap<u64, Hazards<usize>> = BTreeMap::new();
        self.steps.iter_mut().for_each(|step| step.successors.clear());
        self.roots.clear();
        for number in 0..self.steps.len() {
            let step = &self.steps[number];
            let mut follows: BTreeMap<usize, Link> = BTreeMap::new();
            let mut follow = |earlier: usize, link: Link| {
                // A need for results is an order in time as well.
                let known = follows.entry(earlier).or_insert(link);
                if link == Link::Data {
                    *known = link;
                }
            };
            step.after.iter().for_each(|&(earlier, link)| follow(earlier, link));
            for access in &step.accesses {
                let hazards = objects.entry(access.object.id()).or_default();
                hazards.place(&number, access.mode, &access.bytes(), |&earlier, _, link| follow(earlier, link));
            }
            // A command that names parts of one object meets itself.
            follows.remove(&number);
            if follows.is_empty() {
                self.roots.push(number);
            }
            for (&earlier, &link) in &follows {
                self.steps[earlier].successors.push((number, link));
            }
            self.steps[number].follows = follows.into_iter().collect();
        }
        self.accesses = outside(&self.steps);
    }
}
