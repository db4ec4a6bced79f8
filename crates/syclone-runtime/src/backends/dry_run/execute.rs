//! Admission: which command the device takes, and the work that it does instead of the submitted one.

use std::sync::{Arc, Mutex};

use super::fault::{Fate, FaultKind};
use super::pool::Shared;
use crate::command::{HostTask, Work};
use crate::{Command, Error, KernelWork, Name, Result, WorkKind, Worker};

/// Takes a command, or refuses it; its work is replaced by one that meets its fate.
pub(super) fn admit(shared: &Arc<Shared>, command: &mut Command) -> Result<()> {
    shared.check_alive(&command.name)?;
    match &mut command.work {
        Work::Kernel(work) => {
            let kind = work.kind();
            let fate = {
                let mut plan = shared.plan();
                if kind == WorkKind::Kernel {
                    plan.build(&command.name, &shared.selector)?;
                }
                if plan.happens(FaultKind::Launch) {
                    return Err(Error::LaunchFailed {
                        command: command.name.clone(),
                        device: shared.selector.clone(),
                        reason: "a fault was asked for".to_owned(),
                    });
                }
                plan.fate(kind != WorkKind::Kernel)
            };
            let work = std::mem::replace(work, Box::new(Nothing));
            let has_effect = (kind != WorkKind::Kernel || shared.run_kernels)
                && !matches!(fate, Fate::Fails { without_effect: true, .. } | Fate::LosesDevice);
            let admitted = Admitted { work, fate, has_effect, shared: Arc::clone(shared) };
            command.work = Work::Kernel(Box::new(admitted));
        }
        Work::HostTask(task) => {
            let fate = shared.plan().fate(false);
            let task = task.get_mut().ok().and_then(Option::take);
            let (name, shared) = (command.name.clone(), Arc::clone(shared));
            let replaced: HostTask = Box::new(move || {
                shared.check_alive(&name)?;
                if fate != Fate::LosesDevice
                    && let Some(task) = task
                {
                    task()?;
                }
                meet(fate, &name, &shared)
            });
            command.work = Work::HostTask(Mutex::new(Some(replaced)));
        }
        Work::Empty | Work::HostAccess => {}
    }
    Ok(())
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

/// The work of a kernel or transfer that the device has taken.
struct Admitted {
    work: Box<dyn KernelWork>,
    fate: Fate,
    has_effect: bool,
    shared: Arc<Shared>,
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
}

/// Holds the place of a work that is being wrapped.
struct Nothing;

impl KernelWork for Nothing {
    fn name(&self) -> Name {
        Name::Borrowed("nothing")
    }

    fn chunks(&self) -> usize {
        0
    }

    unsafe fn run(&self, _chunk: usize, _worker: &mut Worker) -> Result<()> {
        Ok(())
    }
}
