//! What the tests of control-flow shapes share: random groups of inputs, every way to run a kernel, and the comparison
//! with plain Rust on the host.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::fmt::Debug;

use syclone::abi::Kernel;
use syclone::abi::ways::{Way, with_way};
use syclone::prelude::*;

/// Group sizes: one item, no multiple of anything, one more than a strip, one and a half strips.
pub const SIZES: [usize; 5] = [1, 3, 8, 33, 48];
/// Groups of a launch.
pub const GROUPS: usize = 3;

#[path = "../rig/device.rs"]
mod device;

use device::{device, expect_no_reports};

/// A queue of the device that tests run on.
pub fn queue() -> Queue {
    Queue::new(&device()).expect("a queue")
}

/// Small random numbers; the seed is printed, and `SYCLONE_TEST_SEED` repeats it.
pub struct Random(u64);

impl Random {
    pub fn new() -> Self {
        let seed = std::env::var("SYCLONE_TEST_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or_else(|| {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.map_or(1, |now| now.subsec_nanos().into())
        });
        eprintln!("SYCLONE_TEST_SEED={seed}");
        Random(seed)
    }

    pub fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as u32 % limit
    }

    pub fn vec(&mut self, n: usize) -> Vec<u32> {
        (0..n).map(|_| self.below(100)).collect()
    }
}

/// The kernel, which must have a region form.
#[track_caller]
pub fn splits<const D: usize, K: Kernel<D>>(kernel: K) -> K {
    let meta = kernel.meta();
    assert_eq!(meta.not_split, None, "{}", meta.name);
    kernel
}

/// The kernel, which must have no region form for a reason that says this.
#[track_caller]
pub fn falls_back<const D: usize, K: Kernel<D>>(reason: &str, kernel: K) -> K {
    let meta = kernel.meta();
    let why = meta.not_split.unwrap_or_else(|| panic!("{} splits", meta.name));
    assert!(why.contains(reason), "{why}");
    kernel
}

/// Runs a launch in every way and compares what it wrote, value by value as they print.
#[track_caller]
pub fn agree<T: DeviceCopy + Debug>(
    what: &str,
    expected: &[T],
    launch: impl Fn(&Handler<'_>, &Buffer<T>) -> Result<()>,
) {
    let expected: Vec<String> = expected.iter().map(|value| format!("{value:?}")).collect();
    let queue = queue();
    for way in Way::ALL {
        let out = Buffer::<T>::new(expected.len());
        let event = with_way(way, || queue.submit(|h| launch(h, &out))).expect("the launch is valid");
        event.wait().unwrap_or_else(|error| panic!("{way:?}, {what}: {error}"));
        expect_no_reports(queue.device());
        let got: Vec<String> = out.host_read().expect("the result").iter().map(|value| format!("{value:?}")).collect();
        if let Some(at) = (0..got.len()).find(|&i| got[i] != expected[i]) {
            panic!("{way:?}, {what}: at {at} {} for {}\n     {got:?}\nfor  {expected:?}", got[at], expected[at]);
        }
    }
}

/// Runs a kernel over groups of every size in every way. `reference` gives what a group writes, from its inputs and its
/// number.
#[track_caller]
pub fn groups<T: DeviceCopy + Debug>(
    reference: impl Fn(&[u32], usize) -> Vec<T>,
    launch: impl Fn(&Handler<'_>, NdRange<1>, &Buffer<u32>, &Buffer<T>) -> Result<()>,
) {
    let mut random = Random::new();
    for size in SIZES {
        let inputs = random.vec(size * GROUPS);
        let expected: Vec<T> = inputs.chunks(size).enumerate().flat_map(|(g, x)| reference(x, g)).collect();
        let x = Buffer::from_vec(inputs);
        let shape = NdRange::new(size * GROUPS, size);
        agree(&format!("groups of {size}"), &expected, |h, out| launch(h, shape, &x, out));
    }
}

/// Runs a launch in every way, each of which must end in an error, and gives their texts.
#[track_caller]
pub fn failures(launch: impl Fn(&Handler<'_>) -> Result<()>) -> [String; 3] {
    let queue = queue();
    Way::ALL.map(|way| {
        let event = with_way(way, || queue.submit(&launch)).expect("the launch is valid");
        event.wait().expect_err(&format!("{way:?} must not end well")).to_string()
    })
}

/// [`failures`] that must all be the same.
#[track_caller]
pub fn same_failure(launch: impl Fn(&Handler<'_>) -> Result<()>) -> String {
    let texts = failures(launch);
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:#?}");
    texts[0].clone()
}

/// A test of one kernel `(item, x, out)` against a function of a group's inputs and number.
#[macro_export]
macro_rules! shape {
    ($name:ident, $kernel:path, $reference:expr) => {
        #[test]
        fn $name() {
            $crate::shapes::groups($reference, |h, shape, x, out| {
                h.parallel_for(shape, $crate::shapes::splits($kernel(x.read(h), out.write(h))))
            });
        }
    };
    ($name:ident, $kernel:path, $reference:expr, not split: $reason:literal) => {
        #[test]
        fn $name() {
            $crate::shapes::groups($reference, |h, shape, x, out| {
                h.parallel_for(shape, $crate::shapes::falls_back($reason, $kernel(x.read(h), out.write(h))))
            });
        }
    };
}
