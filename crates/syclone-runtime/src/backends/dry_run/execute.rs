//! Admission: which command the device takes, and the work that it does instead of the submitted one.

use std::sync::{Arc, Mutex};

use super::fault::{Fate, FaultKind};
use super::pool::Shared;
use crate::backends::Admission;
use crate::command::{HostTask, Kernel, Work};
use crate::graph::{Plan, StepWork};
use crate::{Command, Error, KernelWork, Name, Result, TextOutput, WorkKind, Worker};

/// Takes a command, or refuses it; its work is replaced by one that meets its fate.
///
/// A command of a graph is built and launched when it is recorded. Each replay has a fate of its own, which one of the
/// graph's commands meets.
pub(super) fn admit(shared: &Arc<Shared>, command: &mut Command, admission: Admission) -> Result<()> {
    shared.check_alive(&command.name)?;
    let fate = match &command.work {
        Work::Empty | Work::HostAccess | Work::Strands(_) | Work::Pump(_) => return Ok(()),
        Work::Kernel(work) => {
            let kind = work.kind();
            let mut plan = shared.plan();
            if kind == WorkKind::Kernel {
                plan.build(&command.name, &shared.selector)?;
            }
            launch(&mut plan, shared, &command.name)?;
            fate(&mut plan, admission, matches!(kind, WorkKind::Copy | WorkKind::Fill))
        }
        Work::HostTask(_) => fate(&mut shared.plan(), admission, false),
        Work::Graph(..) => {
            let mut plan = shared.plan();
            launch(&mut plan, shared, &command.name)?;
            plan.fate(false)
        }
    };
    command.work = match std::mem::replace(&mut command.work, Work::Empty) {
        Work::Kernel(work) => Work::Kernel(Kernel::Once(Box::new(Admitted::new(work, fate, shared)))),
        Work::HostTask(task) => Work::HostTask(admitted_task(task, command.name.clone(), fate, shared)),
        Work::Graph(plan, output) if fate != Fate::Fine => Work::Graph(admitted_graph(&plan, fate, shared), output),
        other => other,
    };
    Ok(())
}

/// The fate of a command that was submitted; one that is recorded leaves it to the replays.
fn fate(plan: &mut super::fault::Plan, admission: Admission, is_transfer: bool) -> Fate {
    match admission {
        Admission::Submitted => plan.fate(is_transfer),
        Admission::Recorded => Fate::Fine,
    }
}

fn launch(plan: &mut super::fault::Plan, shared: &Shared, name: &Name) -> Result<()> {
    if !plan.happens(FaultKind::Launch) {
        return Ok(());
    }
    Err(Error::LaunchFailed {
        command: name.clone(),
        device: shared.selector.clone(),
        reason: "a fault was asked for".to_owned(),
    })
}

/// What becomes of a command whose work is done.
fn meet(fate: Fate, name: &Name, shared: &Shared) -> Result<()> {
    match fate {
        Fate::Fine => Ok(()),
        Fate::Fails { reason, .. } => Err(Error::ExecutionFailed {
            command: name.clone(),
            device: shared.selector.clone(),
            reason: reason.to_owned(),
        }),
        Fate::LosesDevice => {
            shared.lose();
            shared.check_alive(name)
        }
    }
}

/// A host task that meets its fate.
fn admitted_task(task: HostTask, name: Name, fate: Fate, shared: &Arc<Shared>) -> HostTask {
    let shared = Arc::clone(shared);
    let is_replayed = matches!(task, HostTask::Replayed(_));
    let call = move || {
        shared.check_alive(&name)?;
        if fate != Fate::LosesDevice {
            task.call()?;
        }
        meet(fate, &name, &shared)
    };
    if is_replayed {
        HostTask::Replayed(Arc::new(Mutex::new(call)))
    } else {
        HostTask::Once(Mutex::new(Some(Box::new(call))))
    }
}

/// A graph in which one command, which the seed chooses, meets the fate.
fn admitted_graph(plan: &Arc<Plan>, fate: Fate, shared: &Arc<Shared>) -> Arc<Plan> {
    let is_run = |number: &usize| !matches!(plan.steps[*number].work, StepWork::Empty);
    let candidates: Vec<usize> = (0..plan.steps.len()).filter(is_run).collect();
    if candidates.is_empty() {
        // The device has no part in it.
        return Arc::clone(plan);
    }
    let chosen = candidates[shared.plan().choose(candidates.len())];
    let mut plan = Plan::clone(plan);
    let step = &mut plan.steps[chosen];
    step.work = match std::mem::replace(&mut step.work, StepWork::Empty) {
        StepWork::Kernel(work) => StepWork::Kernel(Arc::new(Admitted::new(Kernel::Replayed(work), fate, shared))),
        StepWork::HostTask(task) => match admitted_task(HostTask::Replayed(task), step.name.clone(), fate, shared) {
            HostTask::Replayed(task) => StepWork::HostTask(task),
            HostTask::Once(_) => unreachable!("a replayed task stays one"),
        },
        StepWork::Empty => StepWork::Empty,
    };
    Arc::new(plan)
}

/// The work of a kernel or transfer that the device has taken.
struct Admitted {
    work: Kernel,
    fate: Fate,
    has_effect: bool,
    shared: Arc<Shared>,
}

impl Admitted {
    fn new(work: Kernel, fate: Fate, shared: &Arc<Shared>) -> Admitted {
        let happens = !matches!(fate, Fate::Fails { without_effect: true, .. } | Fate::LosesDevice);
        let has_effect = happens && (work.kind() != WorkKind::Kernel || shared.run_kernels);
        Admitted { work, fate, has_effect, shared: Arc::clone(shared) }
    }
}

impl KernelWork for Admitted {
    fn name(&self) -> Name {
        self.work.name()
    }

    fn chunks(&self) -> usize {
        if self.has_effect { self.work.chunks() } else { 0 }
    }

    fn kind(&self) -> WorkKind {
        self.work.kind()
    }

    unsafe fn run(&self, chunk: usize, worker: &mut Worker) -> Result<()> {
        self.shared.check_alive(&self.work.name())?;
        // SAFETY: the caller's promises are this function's own, and the chunk is one of the work's.
        unsafe { self.work.run(chunk, worker) }
    }

    fn finish(&self) -> Result<()> {
        let name = self.work.name();
        self.shared.check_alive(&name)?;
        if self.has_effect {
            self.work.finish()?;
        }
        meet(self.fate, &name, &self.shared)
    }

    fn rewind(&self, output: Option<&TextOutput>) {
        self.work.rewind(output);
    }
}
