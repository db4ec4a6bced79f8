//! What the commands of a program do: on real memory when they run, and on the model's values when they are submitted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use syclone_runtime::{Access, AccessMode, Command, Error, KernelWork, Name, Queue, Region, Result, Worker};

use crate::common::Words;
use crate::program::{Effect, Part, WORDS};
use crate::submit::Prepared;

/// A use of an object, by its number.
#[derive(Debug, Clone, Copy)]
pub struct Use {
    pub object: usize,
    pub start: usize,
    pub len: usize,
    pub rows: usize,
    pub pitch: usize,
    pub mode: AccessMode,
}

impl Use {
    /// The part of an object, as far as it lies inside.
    pub fn new(object: usize, part: Part, mode: AccessMode) -> Use {
        let Part { start, pitch, .. } = part;
        let room = WORDS - start;
        if part.rows == 1 || part.len == 0 {
            return Use { object, start, len: part.len.min(room), rows: 1, pitch, mode };
        }
        let len = part.len.min(pitch - start % pitch).min(room);
        let rows = part.rows.min((room - len) / pitch + 1);
        Use { object, start, len, rows, pitch, mode }
    }

    /// The words, in their order.
    pub fn words(self) -> impl Iterator<Item = usize> {
        (0..self.rows).flat_map(move |row| (0..self.len).map(move |word| self.start + row * self.pitch + word))
    }

    /// One bit for each word.
    pub fn mask(self) -> Mask {
        self.words().fold(0, |mask, word| mask | 1 << word)
    }

    fn region(self) -> Region {
        if self.rows == 1 {
            return Region::range(self.start * 8..(self.start + self.len) * 8);
        }
        Region::rows(self.start * 8, self.len * 8, self.rows, self.pitch * 8)
    }
}

/// One bit for each word of an object.
pub type Mask = u16;

/// A command whose objects are known.
#[derive(Debug, Clone)]
pub struct Resolved {
    pub kind: Kind,
    pub name: String,
    /// Different for each command of a program: what it writes and its errors depend on it.
    pub tag: u64,
    pub uses: Vec<Use>,
    pub effect: Effect,
    /// How often a kernel or host task has run.
    pub ran: Arc<AtomicUsize>,
    /// What a host task submits.
    pub then: Vec<Prepared>,
    /// Its place among the commands of an in-order queue, and the last place whose command has run.
    pub place: Option<(Arc<AtomicU64>, u64)>,
    /// It takes some time, so that later ones wait.
    pub slow: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Kernel,
    HostTask,
    Copy,
    Fill(u64),
    Empty,
}

pub fn mix(sum: u64, value: u64) -> u64 {
    (sum ^ value).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(17)
}

/// The value of one word that a kernel or host task writes.
fn written(old: Option<u64>, tag: u64, inputs: impl Iterator<Item = u64>, idx: usize) -> u64 {
    mix(inputs.fold(old.unwrap_or(tag), mix), idx as u64)
}

impl Resolved {
    /// Two uses that the runtime must refuse in one command.
    pub fn conflicts_with_itself(&self) -> bool {
        let overlap =
            |a: &Use, b: &Use| a.object == b.object && (a.mode.writes() || b.mode.writes()) && a.mask() & b.mask() != 0;
        self.uses.iter().enumerate().any(|(idx, a)| self.uses[idx + 1..].iter().any(|b| overlap(a, b)))
    }

    /// Whether it has a turn on its device.
    pub fn needs_device(&self) -> bool {
        self.kind != Kind::Empty
    }

    /// The error that its own effect gives on a device.
    pub fn own_error(&self, device: &str) -> Option<Error> {
        let name = Name::Owned(self.name.clone());
        let message = format!("tag {}", self.tag);
        match (self.kind, self.effect) {
            (_, Effect::Fine) | (Kind::Copy | Kind::Fill(_) | Kind::Empty, _) => None,
            (Kind::HostTask, Effect::Panic) => Some(Error::HostTaskPanic { task: name, message }),
            (Kind::Kernel, Effect::Panic) => {
                Some(Error::KernelPanic { kernel: name, device: device.to_owned(), message })
            }
            _ => {
                // Which device runs it, the command itself does not know.
                let (device, parameter, extents) = (String::new(), "x".into(), vec![1]);
                Some(Error::OutOfBounds { kernel: name, device, parameter, extents, count: self.tag })
            }
        }
    }

    /// What it writes, in the model: object, word and value.
    pub fn outputs(&self, value: impl Fn(usize, usize) -> u64) -> Vec<(usize, usize, u64)> {
        let words = |read: bool| {
            let uses = self.uses.iter().filter(move |used| (used.mode == AccessMode::Read) == read);
            uses.flat_map(|used| used.words().map(move |idx| (used, idx)))
        };
        match self.kind {
            Kind::Empty => Vec::new(),
            Kind::Fill(value) => words(false).map(|(used, idx)| (used.object, idx, value)).collect(),
            Kind::Copy => {
                let sources = words(true).map(|(used, idx)| value(used.object, idx));
                words(false).zip(sources).map(|((used, idx), value)| (used.object, idx, value)).collect()
            }
            Kind::Kernel | Kind::HostTask => words(false)
                .map(|(used, idx)| {
                    let old = (used.mode == AccessMode::ReadWrite).then(|| value(used.object, idx));
                    let inputs = words(true).map(|(used, idx)| value(used.object, idx));
                    (used.object, idx, written(old, self.tag, inputs, idx))
                })
                .collect(),
        }
    }

    fn accesses(&self, objects: &[Words]) -> Vec<Access> {
        let access = |(used, words): (&Use, &Words)| Access::region(&words.0, used.mode, used.region(), "x");
        self.uses.iter().zip(objects).map(access).collect()
    }

    fn body(&self, objects: Vec<Words>) -> Body {
        Body { resolved: self.clone(), objects, busy: AtomicBool::new(false) }
    }

    /// Launches the kernel without an event.
    pub fn launch(&self, queue: &Queue, objects: Vec<Words>) -> Result<()> {
        let mut accesses: Vec<Option<Access>> = self.accesses(&objects).into_iter().map(Some).collect();
        // SAFETY: the body touches the words of its uses, which are the accesses.
        unsafe { queue.launch(self.body(objects), &mut accesses) }
    }

    /// The command; `objects` are those of `uses`. A `replayed` one is for a graph.
    pub fn command(&self, objects: Vec<Words>, replayed: bool) -> Command {
        let accesses = self.accesses(&objects);
        let name = self.name.clone();
        match self.kind {
            Kind::Empty => Command::empty(name),
            Kind::Fill(value) => {
                let range = self.uses[0].region().bounds();
                let pattern = value.to_ne_bytes();
                Command::fill(&objects[0].0, range.start, range.len(), &pattern).expect("the part fits")
            }
            Kind::Copy => {
                let (from, to) = (self.uses[0].region(), self.uses[1].region());
                Command::copy_region(&objects[0].0, from, &objects[1].0, to).expect("both parts fit")
            }
            Kind::Kernel => {
                // SAFETY: the body touches the words of its uses, which are the accesses.
                unsafe { Command::kernel(Box::new(self.body(objects)), accesses) }
            }
            Kind::HostTask => {
                let body = self.body(objects);
                let task = move || {
                    body.write_all();
                    body.resolved.then.iter().for_each(Prepared::submit);
                    body.end()
                };
                let command =
                    if replayed { Command::replayed_host_task(name, task) } else { Command::host_task(name, task) };
                accesses.into_iter().fold(command, Command::access)
            }
        }
    }
}

/// A kernel or host task as it runs.
struct Body {
    resolved: Resolved,
    /// Those of the uses.
    objects: Vec<Words>,
    /// No two runs of a host task overlap.
    busy: AtomicBool,
}

impl Body {
    fn pairs(&self, read: bool) -> impl Iterator<Item = (&Words, AccessMode, usize)> {
        let uses = self.resolved.uses.iter().zip(&self.objects);
        let uses = uses.filter(move |(used, _)| (used.mode == AccessMode::Read) == read);
        uses.flat_map(|(used, words)| used.words().map(move |idx| (words, used.mode, idx)))
    }

    fn write(&self, (words, mode, idx): (&Words, AccessMode, usize)) {
        let old = (mode == AccessMode::ReadWrite).then(|| words.get(idx));
        let inputs = self.pairs(true).map(|(words, _, idx)| words.get(idx));
        words.set(idx, written(old, self.resolved.tag, inputs, idx));
    }

    /// Takes its time, and sees to it that the commands of an in-order queue run one after another.
    fn begin(&self) {
        if let Some((last, place)) = &self.resolved.place {
            let before = last.fetch_max(*place, Ordering::Relaxed);
            assert!(before <= *place, "place {place} of an in-order queue runs after place {before}");
        }
        let start = Instant::now();
        while self.resolved.slow && start.elapsed() < Duration::from_micros(50) {
            std::hint::spin_loop();
        }
    }

    /// A host task's whole work.
    fn write_all(&self) {
        self.begin();
        self.resolved.ran.fetch_add(1, Ordering::Relaxed);
        assert!(!self.busy.swap(true, Ordering::Acquire), "two replays of one host task overlap");
        self.pairs(false).for_each(|output| self.write(output));
        self.busy.store(false, Ordering::Release);
    }

    /// What the effect asks for.
    fn end(&self) -> Result<()> {
        match self.resolved.effect {
            Effect::Fine => Ok(()),
            // Without the panic hook, which would print.
            Effect::Panic => std::panic::resume_unwind(Box::new(format!("tag {}", self.resolved.tag))),
            Effect::Error | Effect::FinishError => Err(self.resolved.own_error("").expect("the effect is an error")),
        }
    }
}

impl KernelWork for Body {
    fn name(&self) -> Name {
        Name::Owned(self.resolved.name.clone())
    }

    fn chunks(&self) -> usize {
        self.pairs(false).count()
    }

    unsafe fn run(&self, chunk: usize, _worker: &mut Worker) -> Result<()> {
        self.begin();
        let output = self.pairs(false).nth(chunk).expect("a chunk is one output");
        self.write(output);
        if chunk == 0 {
            self.resolved.ran.fetch_add(1, Ordering::Relaxed);
        }
        if chunk == 0 && self.resolved.effect != Effect::FinishError { self.end() } else { Ok(()) }
    }

    fn finish(&self) -> Result<()> {
        if self.chunks() == 0 {
            self.begin();
            self.resolved.ran.fetch_add(1, Ordering::Relaxed);
        }
        // Without chunks nothing has failed yet.
        self.end()
    }
}
