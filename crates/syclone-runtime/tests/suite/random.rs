//! Random programs, compared with a model that runs them one command after another.
//!
//! The seed is printed; `SYCLONE_TEST_SEED` repeats a run.

use crate::common::{Words, kernel, out_of_bounds};
use crate::device_with;
use syclone_runtime::{Access, AccessMode, Command, Event, Queue, QueueOptions};

const OBJECTS: usize = 4;
const LEN: usize = 16;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }

    fn range(&mut self) -> std::ops::Range<usize> {
        let start = self.below(LEN);
        start..start + 1 + self.below(LEN - start)
    }
}

/// A word of the model: its value, or none after its last writer failed.
type Cell = Option<u64>;

fn mix(sum: u64, value: u64) -> u64 {
    (sum ^ value).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(17)
}

fn bytes(range: &std::ops::Range<usize>) -> std::ops::Range<usize> {
    range.start * 8..range.end * 8
}

/// One program; returns how many of its commands failed.
fn run(seed: u64) -> usize {
    let mut random = Random(seed);
    let devices = [device_with(3), device_with(1)];
    let queues = [(0, false), (0, true), (1, false), (1, true)]
        .map(|(device, in_order)| Queue::with(&devices[device], QueueOptions { in_order, profiling: false }).unwrap());
    let objects: Vec<Words> = (0..OBJECTS).map(|idx| Words::new(&devices[idx % 2], LEN)).collect();
    let mut model = vec![[Some(0); LEN]; OBJECTS];
    let mut events: Vec<(Event, bool)> = Vec::new();
    for step in 0..300u64 {
        if random.below(12) == 0 {
            let idx = random.below(OBJECTS);
            match objects[idx].host() {
                Ok(found) => assert_eq!(found.into_iter().map(Some).collect::<Vec<_>>(), model[idx], "step {step}"),
                Err(_) => assert!(model[idx].contains(&None), "step {step}"),
            }
            continue;
        }
        let (from, to) = (random.below(OBJECTS), random.below(OBJECTS));
        let (read, written) = (random.range(), random.range());
        let overlap = from == to && read.start.max(written.start) < read.end.min(written.end);
        if overlap {
            continue;
        }
        let mode = if random.below(2) == 0 { AccessMode::Write } else { AccessMode::ReadWrite };
        let fails = random.below(25) == 0;
        let pause = random.below(40) == 0;
        let (source, target) = (objects[from].clone(), objects[to].clone());
        let accesses = vec![
            Access::range(&source.0, AccessMode::Read, bytes(&read), "in"),
            Access::range(&target.0, mode, bytes(&written), "out"),
        ];
        let (reads, writes, first) = (read.clone(), written.clone(), written.start);
        // Each chunk writes one word from everything read and, with ReadWrite, from the word's old value.
        let work = move |chunk: usize, _: &mut syclone_runtime::Worker| {
            if pause {
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
            let idx = first + chunk;
            let old = if mode == AccessMode::ReadWrite { target.get(idx) } else { step };
            let value = reads.clone().fold(old, |sum, idx| mix(sum, source.get(idx)));
            target.set(idx, value);
            if fails && chunk == 0 { Err(out_of_bounds("random")) } else { Ok(()) }
        };
        let mut command: Command = kernel("random", writes.len(), accesses, work);
        let mut depends_on_failure = false;
        if !events.is_empty() && random.below(4) == 0 {
            let (event, failed) = &events[events.len() - 1 - random.below(events.len().min(10))];
            command = command.after(event);
            depends_on_failure = *failed;
        }
        let event = queues[random.below(4)].submit(command).unwrap();
        // The model: data that failed fails the command, and the command's failure fails what it would have written.
        let inputs: Option<Vec<u64>> = model[from][read].iter().copied().collect();
        let old: Vec<Cell> = model[to][written.clone()].to_vec();
        let old_is_needed = mode == AccessMode::ReadWrite;
        let failed = fails || depends_on_failure || inputs.is_none() || (old_is_needed && old.contains(&None));
        for (idx, old) in written.zip(old) {
            model[to][idx] = (!failed).then(|| {
                let begin = if old_is_needed { old.expect("checked above") } else { step };
                inputs.iter().flatten().fold(begin, |sum, &value| mix(sum, value))
            });
        }
        events.push((event, failed));
    }
    for (step, (event, failed)) in events.iter().enumerate() {
        assert_eq!(event.wait().is_err(), *failed, "command {step}");
    }
    for (words, expected) in objects.iter().zip(&model) {
        expected.iter().enumerate().for_each(|(idx, cell)| {
            if let Some(value) = cell {
                assert_eq!(words.get(idx), *value);
            }
        });
    }
    let any_failed = events.iter().any(|(_, failed)| *failed);
    assert_eq!(queues.iter().any(|queue| queue.wait().is_err()), any_failed);
    events.iter().filter(|(_, failed)| *failed).count()
}

#[test]
fn random_programs_give_what_running_them_in_order_gives() {
    let given = syclone_runtime::environment::variable("SYCLONE_TEST_SEED");
    let given = given.map(|seed| seed.parse().expect("SYCLONE_TEST_SEED is a whole number below 2^64"));
    let seed: u64 = given.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        now.as_nanos() as u64
    });
    println!("SYCLONE_TEST_SEED={seed}");
    let failures: usize = (0..60).map(|program| run(seed.wrapping_add(program))).sum();
    assert!(failures > 0, "the programs should exercise failures");
}
