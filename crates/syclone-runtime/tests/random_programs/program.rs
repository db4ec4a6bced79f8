//! Random programs, as data: made from a seed, printed when one fails, and made smaller by leaving things out.
//!
//! Whatever an operation names is taken modulo what exists when it runs, so that a program stays one after any of its
//! operations is removed.

use syclone_runtime::{AccessMode, FaultKind};

/// Words of each object.
pub const WORDS: usize = 16;
/// Words from one row to the next, where an object is used as a matrix: most often the first of these.
pub const PITCHES: [usize; 4] = [4, 3, 5, 7];

/// Under Miri, which runs everything some thousand times slower and in which spinning threads take each other's time, programs
/// are short, and their devices take turns on one thread.
const SMALL: bool = cfg!(miri);
/// The most operations of a small program, besides those that make its queues and objects.
const SMALL_OPS: usize = 12;

/// A whole program.
#[derive(Debug, Clone)]
pub struct Program {
    pub devices: Vec<DeviceSpec>,
    pub ops: Vec<Op>,
}

/// One device. Either all devices of a program are stepped, or none.
#[derive(Debug, Clone)]
pub struct DeviceSpec {
    pub kind: DeviceKind,
    pub at_once: usize,
    pub seed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceKind {
    Stepped,
    Threads,
    Cpu,
}

#[derive(Debug, Clone)]
pub enum Op {
    NewQueue {
        device: usize,
        in_order: bool,
    },
    DropQueue {
        queue: usize,
    },
    NewObject {
        device: usize,
        from_host: bool,
    },
    DropObject {
        object: usize,
    },
    Submit {
        queue: usize,
        work: Work,
        after: Vec<usize>,
    },
    /// Launches a kernel without an event.
    Launch {
        queue: usize,
        uses: Vec<(Part, AccessMode)>,
        effect: Effect,
    },
    Barrier {
        queue: usize,
        after: Option<Vec<usize>>,
    },
    /// Records commands, each after some of the earlier ones, and makes an executable graph of them.
    NewGraph {
        device: usize,
        in_order: bool,
        steps: Vec<(Work, Vec<usize>)>,
    },
    /// Makes one more executable graph of what was recorded.
    Instantiate {
        graph: usize,
    },
    Replay {
        graph: usize,
        queue: usize,
        after: Vec<usize>,
    },
    UpdateGraph {
        graph: usize,
        step: usize,
        work: Work,
    },
    DropGraph {
        graph: usize,
    },
    /// A host access that ends at once; it writes what its mode allows.
    Host {
        part: Part,
        mode: AccessMode,
        meanwhile: bool,
    },
    /// A host access that goes on until its release.
    Hold {
        part: Part,
        mode: AccessMode,
    },
    Release {
        held: usize,
    },
    Step {
        device: usize,
        times: usize,
    },
    /// Waits; `meanwhile` lets another thread take the devices' turns, instead of taking them all before.
    WaitEvent {
        event: usize,
        meanwhile: bool,
    },
    WaitQueue {
        queue: usize,
        meanwhile: bool,
    },
    DropEvent {
        event: usize,
    },
    FailNext {
        device: usize,
        kind: FaultKind,
    },
    Lose {
        device: usize,
    },
}

/// What a command does.
#[derive(Debug, Clone)]
pub enum Work {
    Kernel {
        uses: Vec<(Part, AccessMode)>,
        effect: Effect,
    },
    /// A task that submits `then` as it runs, and ends with its effect afterwards.
    HostTask {
        uses: Vec<(Part, AccessMode)>,
        effect: Effect,
        then: Vec<Inner>,
    },
    Copy {
        from: Part,
        to: Part,
    },
    Fill {
        part: Part,
        value: u64,
    },
    Empty,
}

/// What a host task submits, or launches if it is a kernel.
#[derive(Debug, Clone)]
pub struct Inner {
    pub queue: usize,
    pub work: Work,
    pub launches: bool,
}

/// How a kernel or host task ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Fine,
    Error,
    Panic,
    FinishError,
}

/// Some words of an object: `len` of them, or with more than one row a part of each row of a matrix.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    pub object: usize,
    pub start: usize,
    pub len: usize,
    pub rows: usize,
    pub pitch: usize,
}

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// What a program of one seed is like.
struct Generator {
    random: Random,
    devices: usize,
    /// Commands fail, and devices are told to let things fail.
    faults: bool,
    losses: bool,
    /// Parts are single words, so that many commands use one object.
    fine: bool,
    /// Most commands are kernels without events on queues in order.
    launches: bool,
    /// Host tasks submit commands. Then nobody steps a device while the program waits: the model has to know what was
    /// submitted before what.
    nested: bool,
    /// How deep in host tasks the work is that is being made.
    depth: usize,
}

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let mut random = Random(seed);
    let devices = 1 + random.below(3);
    // Threads cost much more, and their programs can't be repeated exactly.
    let threads = random.one_in(16) && !SMALL;
    // A loss comes at any time, so the fate of what has no event could not be known.
    let (faults, losses) = (random.one_in(2), random.one_in(8));
    let launches = !losses && random.one_in(if threads { 2 } else { 16 });
    let specs = (0..devices).map(|_| DeviceSpec {
        kind: match (threads, random.one_in(3)) {
            (false, _) => DeviceKind::Stepped,
            (true, false) if !launches => DeviceKind::Threads,
            (true, _) => DeviceKind::Cpu,
        },
        at_once: 1 + random.below(3),
        seed: random.next(),
    });
    let specs = specs.collect();
    let fine = random.one_in(6);
    let nested = !losses && random.one_in(4);
    let mut generator = Generator { random, devices, faults, losses, fine, launches, nested, depth: 0 };
    let mut ops = generator.beginning();
    let len = 5 + generator.random.below(if fine { 120 } else { 50 });
    let len = if SMALL { len.min(SMALL_OPS) } else { len };
    ops.extend((0..len).map(|_| generator.op()));
    Program { devices: specs, ops }
}

impl Generator {
    fn beginning(&mut self) -> Vec<Op> {
        let queues = 1 + self.random.below(4);
        let objects = 1 + self.random.below(4);
        let mut ops: Vec<Op> = (0..queues).map(|_| self.new_queue()).collect();
        ops.extend((0..objects).map(|_| self.new_object()));
        ops
    }

    fn new_queue(&mut self) -> Op {
        let in_order = self.random.one_in(3) || self.launches && !self.random.one_in(6);
        Op::NewQueue { device: self.random.below(self.devices), in_order }
    }

    fn new_object(&mut self) -> Op {
        Op::NewObject { device: self.random.below(self.devices), from_host: self.random.one_in(4) }
    }

    fn op(&mut self) -> Op {
        let any = |random: &mut Random| random.below(64);
        match self.random.below(100) {
            0..40 if self.launches => {
                // Many to one queue, so that they depend on each other while they wait.
                let queue = if self.random.one_in(3) { any(&mut self.random) } else { 0 };
                let effect = if self.random.one_in(4) { self.effect() } else { Effect::Fine };
                Op::Launch { queue, uses: self.uses(), effect }
            }
            0..46 => {
                let work = self.work();
                Op::Submit { queue: any(&mut self.random), work, after: self.after() }
            }
            46..50 => {
                let after = if self.random.one_in(2) { None } else { Some(self.after()) };
                Op::Barrier { queue: any(&mut self.random), after }
            }
            50..65 => Op::Step { device: self.random.below(self.devices), times: 1 + self.random.below(6) },
            65..72 => Op::Host { part: self.part(), mode: self.mode(), meanwhile: self.meanwhile() },
            72..75 => Op::Hold { part: self.part(), mode: self.mode() },
            75..79 => Op::Release { held: any(&mut self.random) },
            79..82 => Op::WaitEvent { event: any(&mut self.random), meanwhile: self.meanwhile() },
            82..84 => Op::WaitQueue { queue: any(&mut self.random), meanwhile: self.meanwhile() },
            84 => self.new_queue(),
            85 => self.new_object(),
            86 => Op::DropQueue { queue: any(&mut self.random) },
            87 => Op::DropObject { object: any(&mut self.random) },
            88 => self.new_graph(),
            89..92 => Op::Replay { graph: any(&mut self.random), queue: any(&mut self.random), after: self.after() },
            92 => {
                let work = self.work();
                Op::UpdateGraph { graph: any(&mut self.random), step: any(&mut self.random), work }
            }
            98 => Op::Instantiate { graph: any(&mut self.random) },
            93 if self.random.one_in(3) => Op::DropGraph { graph: any(&mut self.random) },
            94 if !self.losses => Op::DropEvent { event: any(&mut self.random) },
            95 if self.losses && self.random.one_in(3) => Op::Lose { device: self.random.below(self.devices) },
            96..98 if self.faults => {
                let kind = loop {
                    let kind = FaultKind::ALL[self.random.below(FaultKind::ALL.len())];
                    if kind != FaultKind::DeviceLost || self.losses {
                        break kind;
                    }
                };
                Op::FailNext { device: self.random.below(self.devices), kind }
            }
            _ => Op::Step { device: self.random.below(self.devices), times: 1 },
        }
    }

    fn meanwhile(&mut self) -> bool {
        !self.nested && self.random.one_in(20)
    }

    fn new_graph(&mut self) -> Op {
        let len = self.random.below(6);
        let steps = (0..len).map(|number| {
            let work = self.work();
            let after = if number > 0 && self.random.one_in(3) { vec![self.random.below(number)] } else { Vec::new() };
            (work, after)
        });
        let steps = steps.collect();
        Op::NewGraph { device: self.random.below(self.devices), in_order: self.random.one_in(4), steps }
    }

    fn after(&mut self) -> Vec<usize> {
        let len = self.random.below(6).saturating_sub(3);
        // Counted from the last event backwards, near ones more often.
        (0..len).map(|_| if self.random.one_in(4) { self.random.below(64) } else { self.random.below(4) }).collect()
    }

    fn work(&mut self) -> Work {
        match self.random.below(12) {
            0..6 => Work::Kernel { uses: self.uses(), effect: self.effect() },
            6..8 => Work::HostTask { uses: self.uses(), effect: self.effect(), then: self.then() },
            8..10 => {
                let (from, to) = (self.part(), self.part());
                Work::Copy { from, to: Part { len: from.len, rows: from.rows, ..to } }
            }
            10 => Work::Fill { part: self.part(), value: self.random.next() },
            _ => Work::Empty,
        }
    }

    fn then(&mut self) -> Vec<Inner> {
        if !self.nested || self.depth > 1 || self.random.one_in(3) {
            return Vec::new();
        }
        self.depth += 1;
        let len = 1 + self.random.below(3);
        let inner = |_| Inner { queue: self.random.below(64), work: self.work(), launches: self.random.one_in(2) };
        let then = (0..len).map(inner).collect();
        self.depth -= 1;
        then
    }

    fn uses(&mut self) -> Vec<(Part, AccessMode)> {
        (0..self.random.below(4)).map(|_| (self.part(), self.mode())).collect()
    }

    fn effect(&mut self) -> Effect {
        if !self.faults || !self.random.one_in(if self.launches { 3 } else { 12 }) {
            return Effect::Fine;
        }
        [Effect::Error, Effect::Panic, Effect::FinishError][self.random.below(3)]
    }

    fn mode(&mut self) -> AccessMode {
        [AccessMode::Read, AccessMode::Write, AccessMode::ReadWrite][self.random.below(3)]
    }

    fn part(&mut self) -> Part {
        let object = if self.launches && !self.random.one_in(3) { 0 } else { self.random.below(64) };
        let pitch = PITCHES[if self.random.one_in(2) { 0 } else { self.random.below(PITCHES.len()) }];
        if self.fine && !self.random.one_in(8) {
            return Part { object, start: self.random.below(WORDS), len: 1, rows: 1, pitch };
        }
        let start = if self.random.one_in(3) { 0 } else { self.random.below(WORDS) };
        if self.random.one_in(4) {
            let (len, rows) = (1 + self.random.below(pitch - 1), 2 + self.random.below(3));
            return Part { object, start, len, rows, pitch };
        }
        let len = if self.random.one_in(4) { WORDS } else { self.random.below(WORDS) };
        Part { object, start, len, rows: 1, pitch }
    }
}
