//! Random programs on parts of memory, on queues of two devices at once, against a model that runs them one by one:
//! contents, results, and which bytes a failure has tainted.

mod common;

use std::sync::Arc;

use syclone_runtime::{Access, AccessMode, Command, Device, Error, Event, MemoryObject, Queue, QueueOptions, Region};

use common::{failing, kernel};

/// Rows of each object, and bytes from one to the next.
const ROWS: usize = 7;
const PITCH: usize = 16;
const BYTES: usize = ROWS * PITCH;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// A rectangle, sometimes of rows of another length, or a range of bytes.
    fn region(&mut self) -> Region {
        if self.below(4) == 0 {
            let start = self.below(BYTES);
            return Region::range(start..start + self.below(BYTES - start + 1));
        }
        let pitch = if self.below(2) == 0 { PITCH } else { 3 + self.below(30) };
        let (row, column) = (self.below(BYTES / pitch), self.below(pitch));
        let (rows, columns) = (1 + self.below(BYTES / pitch - row), 1 + self.below(pitch - column));
        Region::rows(row * pitch + column, columns, rows, pitch)
    }
}

/// The bytes of a region in their order.
fn positions(region: &Region) -> Vec<usize> {
    let first = region.bounds().start;
    let position = |byte: usize| first + byte / region.row_bytes() * region.pitch() + byte % region.row_bytes();
    (0..region.bytes()).map(position).collect()
}

/// What an object should hold, and which of its bytes no one may rely on.
#[derive(Clone)]
struct Model {
    bytes: Vec<u8>,
    tainted: Vec<bool>,
}

impl Model {
    fn is_tainted(&self, region: &Region) -> bool {
        positions(region).iter().any(|&position| self.tainted[position])
    }

    fn taint(&mut self, region: &Region, tainted: bool) {
        positions(region).iter().for_each(|&position| self.tainted[position] = tainted);
    }
}

struct Program {
    random: Random,
    objects: Vec<Arc<MemoryObject>>,
    models: Vec<Model>,
    queues: Vec<Queue>,
    /// The events, with whether each command should end well.
    expected: Vec<(Event, bool)>,
    log: Vec<String>,
}

impl Program {
    fn new(seed: u64, devices: &[Device]) -> Program {
        let queue = |number: usize| {
            let options = QueueOptions { in_order: number == 2, ..QueueOptions::default() };
            Queue::with(&devices[number % 2], options).unwrap()
        };
        let object = |number: usize| MemoryObject::allocate(&devices[number % 2], BYTES).unwrap();
        Program {
            random: Random(seed),
            objects: (0..3).map(object).collect(),
            models: vec![Model { bytes: vec![0; BYTES], tainted: vec![false; BYTES] }; 3],
            queues: (0..4).map(queue).collect(),
            expected: Vec::new(),
            log: Vec::new(),
        }
    }

    fn submit(&mut self, command: Command, ends_well: bool) {
        let queue = self.random.below(self.queues.len());
        self.expected.push((self.queues[queue].submit(command).unwrap(), ends_well));
    }

    fn step(&mut self) {
        let (idx, region) = (self.random.below(3), self.random.region());
        let object = Arc::clone(&self.objects[idx]);
        let access = |mode| Access::region(&object, mode, region, "part");
        let value = self.random.below(256) as u8;
        let kind = self.random.below(8);
        self.log.push(format!("{kind} object {idx} {region:?} {value}"));
        match kind {
            // Adds to each byte.
            0..=2 => {
                let ends_well = !self.models[idx].is_tainted(&region);
                let work = Arc::clone(&object);
                let add = kernel("add", 1, vec![access(AccessMode::ReadWrite)], move |_, _| {
                    for position in positions(&region) {
                        // SAFETY: inside the object, and in the region that the access names.
                        unsafe { *work.ptr().add(position) = (*work.ptr().add(position)).wrapping_add(value) };
                    }
                    Ok(())
                });
                self.submit(add, ends_well);
                let model = &mut self.models[idx];
                positions(&region).iter().for_each(|&at| model.bytes[at] = model.bytes[at].wrapping_add(value));
                model.taint(&region, !ends_well || model.is_tainted(&region));
            }
            // Copies a vector in.
            3 => {
                let bytes: Vec<u8> = (0..region.bytes()).map(|at| value.wrapping_add(at as u8)).collect();
                let source = MemoryObject::from_vec(bytes.clone());
                let all = Region::range(0..bytes.len());
                self.submit(Command::copy_region(&source, all, &object, region).unwrap(), true);
                let model = &mut self.models[idx];
                positions(&region).iter().zip(bytes).for_each(|(&at, byte)| model.bytes[at] = byte);
                model.taint(&region, false);
            }
            // Copies from one part to another of as many bytes.
            4 | 5 => {
                let from = self.random.below(3);
                let source = (0..200)
                    .map(|_| self.random.region())
                    .find(|other| other.bytes() == region.bytes() && (from != idx || !other.overlaps(&region)));
                let Some(source) = source else { return };
                self.log.push(format!("  from object {from} {source:?}"));
                let ends_well = !self.models[from].is_tainted(&source);
                let copy = Command::copy_region(&self.objects[from], source, &object, region).unwrap();
                self.submit(copy, ends_well);
                let bytes: Vec<u8> = positions(&source).iter().map(|&at| self.models[from].bytes[at]).collect();
                let model = &mut self.models[idx];
                positions(&region).iter().zip(bytes).for_each(|(&at, byte)| model.bytes[at] = byte);
                model.taint(&region, !ends_well);
            }
            6 => {
                if self.random.below(3) == 0 && !region.is_empty() {
                    self.submit(failing("breaks", vec![access(AccessMode::Write)]), false);
                    self.models[idx].taint(&region, true);
                }
            }
            // The host looks.
            _ => {
                let tainted = self.models[idx].is_tainted(&region);
                match object.wait_for_host_region(AccessMode::Read, region) {
                    Err(Error::DependencyFailed { .. }) => assert!(tainted, "the host may read {region:?}"),
                    Err(other) => panic!("{other}"),
                    Ok(_token) => {
                        assert!(!tainted, "the host may not read {region:?}");
                        for at in positions(&region) {
                            // SAFETY: inside the object; the token keeps writers of these bytes off.
                            assert_eq!(unsafe { *object.ptr().add(at) }, self.models[idx].bytes[at], "byte {at}");
                        }
                    }
                }
            }
        }
    }

    fn finish(&mut self) {
        for (number, (event, ends_well)) in self.expected.iter().enumerate() {
            assert_eq!(event.wait().is_ok(), *ends_well, "command {number}, '{}'", event.name());
        }
        self.queues.iter().for_each(|queue| drop(queue.wait()));
        for (object, model) in self.objects.iter().zip(&self.models) {
            for at in (0..BYTES).filter(|&at| !model.tainted[at]) {
                let token = object.wait_for_host_region(AccessMode::Read, Region::range(at..at + 1)).unwrap();
                // SAFETY: inside the object; the token keeps writers off.
                assert_eq!(unsafe { *token.object().ptr().add(at) }, model.bytes[at], "byte {at}");
            }
        }
    }
}

#[test]
fn random_programs_on_parts_of_memory_do_what_they_do_one_by_one() {
    let devices = [Device::cpu_with_threads(2).unwrap(), Device::cpu_with_threads(1).unwrap()];
    for seed in 0..300 {
        let mut program = Program::new(seed, &devices);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            (0..60).for_each(|_| program.step());
            program.finish();
        }));
        if let Err(panic) = outcome {
            eprintln!("seed {seed}:\n{}", program.log.join("\n"));
            std::panic::resume_unwind(panic);
        }
    }
    for device in &devices {
        assert_eq!(device.memory_stats().in_use, 0);
    }
}
