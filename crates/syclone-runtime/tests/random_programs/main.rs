//! Random programs against a sequential model.
//!
//! Each seed gives a program: queues on several devices, commands with all their hazards, host accesses, graphs, drops and
//! faults (`program`). It runs on the runtime and on a model that executes it line by line (`machine`). A program that
//! fails is made smaller (`shrink`) and printed with its seed.
//!
//! - `SYCLONE_TEST_SEED=N` begins with the seed N.
//! - `SYCLONE_TEST_PROGRAMS=N` runs N programs instead of a few thousand.
//! - The ignored test runs 100,000.

/// Ends a comparison with a text, unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($text:tt)*) => {
        if !$condition {
            return Err(format!($($text)*));
        }
    };
}

mod checks;
#[path = "../common/mod.rs"]
mod common;
mod graphs;
mod leaks;
mod machine;
mod model;
mod program;
mod shrink;
mod submit;
mod waits;
mod work;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use program::{DeviceKind, Program};

/// How many programs an ordinary run of the tests takes; under Miri small ones ([`program`]).
const FEW: u64 = if cfg!(miri) { 20 } else { 4000 };
/// How many the runtime must stand before it is trusted.
const MANY: u64 = 100_000;
/// No program takes this long, unless it hangs. Miri is slow.
const LONG: Duration = Duration::from_secs(if cfg!(miri) { 3600 } else { 60 });

/// One test at a time: memory that is left over is looked for in the whole process.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn number(variable: &str) -> Option<u64> {
    let value = syclone_runtime::environment::variable(variable)?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable} is '{value}', not a whole number below 2^64")))
}

/// Runs one program; a panic is a failure like any other.
fn check(program: &Program, planted: bool) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| machine::run(program, planted))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Err(format!("panic: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?")))
    })
}

/// The failure of a program and its text, made as small as possible.
fn explain(seed: u64, program: &Program, failure: &str, planted: bool) -> (Program, String) {
    let smallest = shrink::shrink(program, |candidate| check(candidate, planted).is_err());
    let last = check(&smallest, planted).err().unwrap_or_else(|| "it fails now and then".to_owned());
    let text = format!("SYCLONE_TEST_SEED={seed} fails: {failure}\nmade smaller: {last}\n{smallest:#?}");
    (smallest, text)
}

/// Ends the process when a program hangs, since no test can be ended from outside.
struct Watch(std::sync::Arc<Mutex<Option<(u64, Instant)>>>);

impl Watch {
    fn start() -> Watch {
        let current: std::sync::Arc<Mutex<Option<(u64, Instant)>>> = std::sync::Arc::default();
        let watched = std::sync::Arc::clone(&current);
        std::thread::spawn(move || {
            while std::sync::Arc::strong_count(&watched) > 1 {
                std::thread::sleep(Duration::from_millis(200));
                if let Some((seed, since)) = *watched.lock().unwrap()
                    && since.elapsed() > LONG
                {
                    // Not `eprintln!`, whose text the test harness would keep to itself.
                    let text = format!("SYCLONE_TEST_SEED={seed} hangs:\n{:#?}\n", program::generate(seed));
                    let _ = std::io::stderr().write_all(text.as_bytes());
                    std::process::exit(101);
                }
            }
        });
        Watch(current)
    }

    fn begin(&self, seed: u64) {
        *self.0.lock().unwrap() = Some((seed, Instant::now()));
    }
}

fn run_programs(count: u64) {
    let _alone = alone();
    let seed = number("SYCLONE_TEST_SEED").unwrap_or_else(|| {
        u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() & 0xFFFF_FFFF_FFFF).unwrap()
    });
    let count = number("SYCLONE_TEST_PROGRAMS").unwrap_or(count);
    println!("SYCLONE_TEST_SEED={seed} SYCLONE_TEST_PROGRAMS={count}");
    let start = Instant::now();
    let watch = Watch::start();
    let mut operations = 0;
    for seed in (0..count).map(|idx| seed.wrapping_add(idx)) {
        watch.begin(seed);
        let program = program::generate(seed);
        operations += program.ops.len();
        if let Err(failure) = check(&program, false) {
            *watch.0.lock().unwrap() = None;
            panic!("{}", explain(seed, &program, &failure, false).1);
        }
        if seed % 16 == 0 && program.devices.iter().all(|spec| spec.kind == DeviceKind::Stepped) {
            let left = leaks::left_over(|| check(&program, false).unwrap());
            assert!(left == 0, "SYCLONE_TEST_SEED={seed}: {left} bytes are left over\n{program:#?}");
        }
    }
    println!("{count} programs, {operations} operations, {:?}", start.elapsed());
}

#[test]
fn thousands_of_random_programs_do_what_the_model_says() {
    run_programs(FEW);
}

#[test]
#[ignore = "under a minute in release builds: cargo test --release -p syclone-runtime --test random_programs -- --ignored"]
fn a_hundred_thousand_random_programs_do_what_the_model_says() {
    run_programs(MANY);
}

#[test]
fn a_mistake_is_found_and_its_program_made_small() {
    let _alone = alone();
    let (seed, program, failure) = (0..1000)
        .find_map(|seed| {
            let program = program::generate(seed);
            check(&program, true).err().map(|failure| (seed, program, failure))
        })
        .expect("a model that takes fills for something else is found out");
    let (smallest, text) = explain(seed, &program, &failure, true);
    // A queue, an object, and the fill.
    assert_eq!(smallest.ops.len(), 3, "{text}");
    assert!(text.contains("Fill") && text.contains(&format!("SYCLONE_TEST_SEED={seed}")), "{text}");
}

#[test]
fn a_seed_gives_the_same_program_each_time() {
    for seed in 0..100 {
        let (first, second) = (program::generate(seed), program::generate(seed));
        assert_eq!(format!("{first:?}"), format!("{second:?}"));
    }
}
