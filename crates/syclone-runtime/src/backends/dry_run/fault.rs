//! Faults on demand: what goes wrong, and when.

use std::collections::HashSet;

use super::random::Random;
use crate::{Error, Name, Result};

/// What can go wrong on a dry-run device, and what is counted for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// An allocation is refused: [`Error::OutOfMemory`]. Counts allocations.
    Allocation,
    /// A kernel is refused by the compiler: [`Error::BuildFailed`] from `submit`. Counts builds; a kernel is built when it is
    /// first submitted, and again if that failed.
    Build,
    /// A kernel, copy, fill, prefetch or replay of a graph is refused by the driver: [`Error::LaunchFailed`] from `submit`. Counts
    /// these; a graph's commands count as they are recorded.
    Launch,
    /// A copy or fill fails as it runs: [`Error::ExecutionFailed`] in its event. Counts copies and fills, not prefetches.
    Copy,
    /// A kernel, copy, fill, prefetch, host task or some command of a replay fails at its end: [`Error::ExecutionFailed`] in its
    /// event. Counts these; a replay as one.
    Completion,
    /// The device is lost when the command's turn comes: [`Error::DeviceLost`] in its event, in that of every command
    /// which has not run, and for everything that is asked of the device later. Counts what `Completion` counts.
    DeviceLost,
}

impl FaultKind {
    /// Every kind.
    pub const ALL: &'static [FaultKind] = &[
        FaultKind::Allocation,
        FaultKind::Build,
        FaultKind::Launch,
        FaultKind::Copy,
        FaultKind::Completion,
        FaultKind::DeviceLost,
    ];

    /// The name that a file of devices uses.
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::Allocation => "allocation",
            FaultKind::Build => "build",
            FaultKind::Launch => "launch",
            FaultKind::Copy => "copy",
            FaultKind::Completion => "completion",
            FaultKind::DeviceLost => "device_lost",
        }
    }
}

/// Something that goes wrong on a dry-run device.
///
/// What is counted, and asked of the seed, is counted in the order of submission, which does not depend on the order in
/// which commands run. Commands that were refused for one reason don't count for the later ones of [`FaultKind`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fault {
    kind: FaultKind,
    when: When,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum When {
    At(u64),
    Probability(f64),
}

impl Fault {
    /// Happens at the `count`th opportunity since the device was made, counted from 1.
    pub const fn at(kind: FaultKind, count: u64) -> Fault {
        Fault { kind, when: When::At(count) }
    }

    /// Happens at each opportunity with this probability, from 0 to 1.
    pub const fn with_probability(kind: FaultKind, probability: f64) -> Fault {
        Fault { kind, when: When::Probability(probability) }
    }

    /// What goes wrong.
    pub const fn kind(&self) -> FaultKind {
        self.kind
    }

    /// What makes the fault impossible, if anything does.
    pub(super) fn problem(&self) -> Option<String> {
        let kind = self.kind.name();
        match self.when {
            When::At(0) => Some(format!("fault '{kind}' at 0: opportunities are counted from 1")),
            When::Probability(probability) if !(0.0..=1.0).contains(&probability) => {
                Some(format!("fault '{kind}' with probability {probability}: it must be from 0 to 1"))
            }
            _ => None,
        }
    }
}

/// What happens to a command that was submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Nothing but its own work.
    Fine,
    /// It fails, and says so in these words; its effects happen before, or not at all.
    Fails { reason: &'static str, without_effect: bool },
    /// It takes the device with it.
    LosesDevice,
}

/// Which opportunities a device has had, and what it was told to do with the next ones.
pub(crate) struct Plan {
    faults: Vec<Fault>,
    counts: [u64; FaultKind::ALL.len()],
    random: [Random; FaultKind::ALL.len()],
    built: HashSet<Name>,
}

impl Plan {
    pub(super) fn new(faults: Vec<Fault>, seed: u64) -> Plan {
        let mut stream = 0;
        let random = [(); FaultKind::ALL.len()].map(|()| {
            stream += 1;
            Random::new(seed, stream)
        });
        Plan { faults, counts: Default::default(), random, built: HashSet::new() }
    }

    pub(super) fn add(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    pub(super) fn fail_next(&mut self, kind: FaultKind) {
        self.faults.push(Fault::at(kind, self.counts[kind as usize] + 1));
    }

    /// One of `limit` things, which are not none.
    pub(super) fn choose(&mut self, limit: usize) -> usize {
        self.random[FaultKind::Completion as usize].below(limit)
    }

    /// Counts an opportunity; whether the fault happens.
    pub(super) fn happens(&mut self, kind: FaultKind) -> bool {
        self.counts[kind as usize] += 1;
        let count = self.counts[kind as usize];
        let random = &mut self.random[kind as usize];
        // Every probability takes its number, so that one fault's does not depend on another's luck.
        self.faults.iter().filter(|fault| fault.kind == kind).fold(false, |happens, fault| {
            let now = match fault.when {
                When::At(at) => at == count,
                When::Probability(probability) => random.chance(probability),
            };
            happens || now
        })
    }

    /// Builds a kernel, unless it is built.
    pub(super) fn build(&mut self, kernel: &Name, device: &str) -> Result<()> {
        if self.built.contains(kernel) {
            return Ok(());
        }
        if self.happens(FaultKind::Build) {
            let log = "a fault was asked for".to_owned();
            return Err(Error::BuildFailed { kernel: kernel.clone(), device: device.to_owned(), log });
        }
        self.built.insert(kernel.clone());
        Ok(())
    }

    /// Decides about a command that the device has taken.
    pub(super) fn fate(&mut self, is_transfer: bool) -> Fate {
        let copy = is_transfer && self.happens(FaultKind::Copy);
        let completion = self.happens(FaultKind::Completion);
        if self.happens(FaultKind::DeviceLost) {
            return Fate::LosesDevice;
        }
        if copy {
            let without_effect = self.random[FaultKind::Copy as usize].chance(0.5);
            return Fate::Fails { reason: "a fault of the copy was asked for", without_effect };
        }
        if completion {
            return Fate::Fails { reason: "a fault at its completion was asked for", without_effect: false };
        }
        Fate::Fine
    }
}
