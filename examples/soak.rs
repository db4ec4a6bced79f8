//! A soak: every kind of work at once for as long as asked, and nothing may be left over.
//!
//! ```sh
//! cargo run --release --example soak -- --minutes 60
//! ```
//!
//! Threads allocate, launch, copy, fail, drop and measure at random. In between everything comes to rest, and the
//! program prints what is left: the blocks of the process's heap, its memory as the system sees it, and what the device
//! counts. After the first rounds these must not grow. Without arguments it runs for two seconds.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::ExitCode;
use std::sync::atomic::{AtomicIsize, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use syclone::{Advice, PitchedBuffer, QueueOptions, Trace, prelude::*};

/// The system's allocator, and how many bytes and blocks are taken from it.
struct Counting;

static LIVE_BYTES: AtomicIsize = AtomicIsize::new(0);
static LIVE_BLOCKS: AtomicIsize = AtomicIsize::new(0);

fn count(bytes: usize, sign: isize) {
    LIVE_BYTES.fetch_add(sign * bytes.cast_signed(), Ordering::Relaxed);
    LIVE_BLOCKS.fetch_add(sign, Ordering::Relaxed);
}

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 1);
        // SAFETY: the caller's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 1);
        // SAFETY: the caller's contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count(layout.size(), -1);
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(ptr, layout) };
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[kernel]
fn affine(item: Item<1>, a: i32, x: View<i32>, y: ItemMut<i32>) {
    y[item] = a * x[item] + 1;
}

#[kernel]
fn increment(item: Item<2>, x: ItemMut<i32, 2>) {
    x[item] += 1;
}

#[kernel]
fn advance(item: Item<1>, x: ItemMut<i32>) {
    x[item] += 1;
}

#[kernel]
fn sum(item: Item<1>, x: View<i32>, total: Reducer<i32, Plus>) {
    total.combine(x[item]);
}

#[kernel]
fn outside(item: Item<1>, x: View<i32>, y: ItemMut<i32>) {
    y[item] = x[item.id(0) + 1];
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// A chain of kernels on buffers, and a reduction.
fn chain(queue: &Queue, random: &mut Random) -> Result<()> {
    let len = 1 + random.below(20_000);
    let (x, y, total) = (Buffer::from_vec(vec![2; len]), Buffer::new(len), Buffer::new(1));
    queue.submit(|h| h.parallel_for(len, affine(3, x.read(h), y.write(h))))?;
    queue.submit(|h| h.parallel_for(len, affine(2, y.read(h), x.write(h))))?;
    queue.submit(|h| h.parallel_for(len, sum(x.read(h), total.reduce(h, Plus))))?;
    assert_eq!(total.to_vec()?, [15 * len as i32]);
    Ok(())
}

/// Parts of a matrix, side by side, and a pitched copy of one.
fn parts(queue: &Queue, random: &mut Random) -> Result<()> {
    let (rows, columns) = (1 + random.below(100), 2 + random.below(100));
    let cut = 1 + random.below(columns - 1);
    let matrix = Buffer::<i32, 2>::new([rows, columns]);
    let (left, right) = (matrix.columns(..cut)?, matrix.columns(cut..)?);
    queue.submit(|h| h.parallel_for([rows, cut], increment(left.read_write(h))))?;
    queue.fill(&right, 5)?;
    let copy: PitchedBuffer<i32> = Buffer::pitched([rows, columns])?;
    queue.copy(&matrix, &copy)?;
    let expected: Vec<i32> = (0..rows * columns).map(|at| if at % columns < cut { 1 } else { 5 }).collect();
    assert_eq!(copy.to_vec()?, expected);
    Ok(())
}

/// USM of every kind, hints, and a download that is dropped.
fn usm(queue: &Queue, random: &mut Random) -> Result<()> {
    let len = 1 + random.below(100_000);
    let (mut device, mut shared) = (queue.alloc_device::<i32>(len)?, queue.alloc_shared::<i32>(len)?);
    queue.copy_from_vec(vec![4; len], &mut device)?;
    queue.prefetch(&device)?;
    queue.parallel_for(len, affine(2, device.view(), shared.item_mut()))?;
    queue.advise(&shared, Advice::MostlyRead)?;
    drop(queue.download(&device)?);
    assert_eq!(shared.host()?[len - 1], 9);
    // Large enough to be a map of its own, and dropped while in use.
    let mut large = queue.alloc_device::<u8>((4 << 20) + random.below(8 << 20))?;
    queue.fill(&mut large, 1)?;
    Ok(())
}

/// A failure, what depends on it, and the queue's recovery.
fn failure(queue: &Queue, random: &mut Random) -> Result<()> {
    let len = 1 + random.below(1000);
    let (x, y) = (Buffer::<i32>::new(len), Buffer::<i32>::new(len));
    let failed = queue.submit(|h| h.parallel_for(len, outside(x.read(h), y.write(h))))?;
    let skipped = queue.submit(|h| h.parallel_for(len, affine(1, y.read(h), x.write(h))))?;
    assert!(matches!(failed.wait(), Err(Error::OutOfBounds { .. })));
    assert!(matches!(skipped.wait(), Err(Error::DependencyFailed { .. })));
    queue.fill(&y, 1)?;
    assert_eq!(y.to_vec()?, vec![1; len]);
    assert!(queue.wait().is_err() && queue.wait().is_ok());
    Ok(())
}

/// Host tasks, explicit dependencies, borrowed data, and a queue that is dropped at work.
fn host(queue: &Queue, random: &mut Random) -> Result<()> {
    let buffer = Buffer::<i32>::new(100);
    let own = QueueOptions::new().in_order(random.below(2) == 0).profiling(true).build(queue.device())?;
    let first = own.submit(|h| {
        let mut data = buffer.write(h);
        h.host_task(move |task| task.write(&mut data).map(|data| data.fill(1)))
    })?;
    let second = own.submit(|h| {
        h.depends_on(&first);
        h.parallel_for([100, 1], increment(buffer.reshape([100, 1])?.read_write(h)))
    })?;
    drop(own);
    let _ = second.wait_timeout(Duration::from_micros(50));
    let mut data = vec![0; 100];
    syclone::scope(|s| {
        let scoped = s.buffer_mut(&mut data, 100)?;
        queue.copy(&buffer, &scoped)
    })?;
    assert_eq!(data, [2; 100]);
    assert!(second.profiling().is_some());
    Ok(())
}

/// Launches without events: long and short ones, one that fails, and some that a dropped queue leaves at work.
fn launches(queue: &Queue, random: &mut Random) -> Result<()> {
    let own = Queue::in_order(queue.device())?;
    let (len, count) = (1 + random.below(20_000), 1 + random.below(500));
    let (mut x, mut y) = (own.alloc_shared::<i32>(len)?, own.alloc_shared::<i32>(len)?);
    for _ in 0..count {
        own.launch(len, advance(x.item_mut()))?;
    }
    own.launch(len, affine(2, x.view(), y.item_mut()))?;
    assert_eq!(y.host()?[len - 1], 2 * count as i32 + 1);
    own.launch(len, outside(x.view(), y.item_mut()))?;
    assert!(matches!(own.wait(), Err(Error::OutOfBounds { .. })));
    own.fill(&mut y, 0)?;
    for _ in 0..count {
        own.launch(len, affine(1, x.view(), y.item_mut()))?;
    }
    Ok(())
}

/// Two devices, one of them made and dropped here, copies between them, limits, and a trace.
fn devices(queue: &Queue, random: &mut Random) -> Result<()> {
    let device = Device::cpu_with_threads(1)?;
    let other = Queue::new(&device)?;
    let trace = Trace::start_for(std::slice::from_ref(&device));
    let len = 1 + random.below(10_000);
    let (mut near, mut far) = (queue.alloc_device::<i32>(len)?, other.alloc_device::<i32>(len)?);
    queue.fill(&mut near, 7)?;
    other.copy(&near, &mut far)?;
    assert_eq!(other.to_vec(&far)?, vec![7; len]);
    other.wait()?;
    let report = trace.finish();
    assert!(report.commands().len() >= 2 && report.to_json().len() > 100);
    device.set_memory_limit(Some(1 << 20));
    assert!(matches!(other.alloc_device::<u8>(2 << 20), Err(Error::OutOfMemory { .. })));
    if random.below(20) == 0 {
        queue.device().trim_memory();
    }
    Ok(())
}

/// A graph that is replayed, changed, replayed again, and dropped at work; its commands work on parts of a matrix.
fn graphs(queue: &Queue, random: &mut Random) -> Result<()> {
    let rows = 1 + random.below(50);
    let matrix = Buffer::<i32, 2>::new([rows, 10]);
    let (left, right) = (matrix.columns(..4)?, matrix.columns(4..)?);
    let graph = Graph::new(queue.device());
    let first = graph.add(|h| h.parallel_for([rows, 4], increment(left.read_write(h))))?;
    graph.add(|h| h.parallel_for([rows, 6], increment(right.read_write(h))))?;
    graph.add(|h| h.copy(right.columns(..4)?.read(h), left.write(h)))?;
    let graph = graph.instantiate()?;
    let replays = 1 + random.below(20);
    for _ in 0..replays {
        queue.replay(&graph)?;
    }
    graph.update(&first, |h| h.fill(left.write(h), 0))?;
    queue.replay(&graph)?;
    drop(graph);
    assert_eq!(matrix.to_vec()?, vec![1 + replays as i32; rows * 10]);
    Ok(())
}

/// One thread's work until `end`.
fn work(device: &Device, seed: u64, end: Instant) -> Result<()> {
    type Kind = fn(&Queue, &mut Random) -> Result<()>;
    // Weighted by how often each is named.
    const KINDS: [Kind; 15] =
        [chain, chain, chain, parts, parts, parts, usm, usm, failure, host, host, graphs, graphs, launches, devices];
    let mut random = Random(seed);
    while Instant::now() < end {
        let queue = Queue::new(device)?;
        for _ in 0..1 + random.below(50) {
            KINDS[random.below(KINDS.len())](&queue, &mut random)?;
            STEPS.fetch_add(1, Ordering::Relaxed);
            if Instant::now() > end {
                break;
            }
        }
        queue.wait()?;
    }
    Ok(())
}

static STEPS: AtomicU64 = AtomicU64::new(0);

/// What is left when everything has come to rest.
#[derive(Clone, Copy, Debug)]
struct Rest {
    bytes: isize,
    blocks: isize,
    /// The resident memory of the process in KiB, and its threads, where the system says.
    resident: Option<u64>,
    threads: Option<u64>,
}

impl Rest {
    fn now() -> Rest {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let number =
            |key: &str| status.lines().find(|line| line.starts_with(key))?.split_whitespace().nth(1)?.parse().ok();
        Rest {
            bytes: LIVE_BYTES.load(Ordering::Relaxed),
            blocks: LIVE_BLOCKS.load(Ordering::Relaxed),
            resident: number("VmRSS:"),
            threads: number("Threads:"),
        }
    }

    /// Waits for the threads of dropped devices, which nobody joins, and for the last steps of dropped queues, and
    /// empties the pool.
    fn settled(device: &Device, threads: Option<u64>) -> Rest {
        let deadline = Instant::now() + Duration::from_secs(5);
        let mut last = None;
        loop {
            device.trim_memory();
            allocator::trim();
            let rest = Rest::now();
            let unused = device.memory_stats().in_use == 0 && rest.threads <= threads;
            if unused && last == Some((rest.bytes, rest.blocks)) || Instant::now() > deadline {
                return rest;
            }
            last = Some((rest.bytes, rest.blocks));
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// What the system's allocator keeps of freed memory would hide what the program does: this makes it keep little, and
/// give the rest back when asked.
mod allocator {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe extern "C" {
        fn mallopt(parameter: i32, value: i32) -> i32;
        fn malloc_trim(keep: usize) -> i32;
    }

    /// One arena for all threads, because others can't be given back, and a fixed size for what is mapped by itself.
    pub fn prepare() {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        {
            const M_MMAP_THRESHOLD: i32 = -3;
            const M_ARENA_MAX: i32 = -8;
            // SAFETY: both are settings that may be made at any time.
            unsafe {
                mallopt(M_ARENA_MAX, 1);
                mallopt(M_MMAP_THRESHOLD, 128 << 10);
            }
        }
    }

    /// Gives back what is kept of freed memory.
    pub fn trim() {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        // SAFETY: it takes no memory that is in use, and may be called at any time.
        unsafe {
            malloc_trim(0)
        };
    }
}

/// How long to run, from the program's arguments.
fn duration() -> std::result::Result<Duration, String> {
    let mut args = std::env::args().skip(1);
    let mut total = Duration::from_secs(2);
    while let Some(arg) = args.next() {
        let unit = match &*arg {
            "--minutes" => 60.0,
            "--seconds" => 1.0,
            _ => return Err(format!("unknown option {arg}; use --minutes N or --seconds N")),
        };
        let number = args.next().and_then(|text| text.parse::<f64>().ok()).filter(|number| *number > 0.0);
        let number = number.ok_or_else(|| format!("{arg} needs a number above zero"))?;
        total = Duration::try_from_secs_f64(number * unit).map_err(|error| format!("{arg}: {error}"))?;
    }
    Ok(total)
}

fn soak(total: Duration) -> Result<bool> {
    const ROUNDS: u32 = 24;
    const WARM_UP: usize = 6;
    let mut device = Device::from_env()?;
    if device.info().selector == "cpu:check" {
        println!("cpu:check keeps what it finds, and would find the planted failure: soaking cpu instead");
        device = Device::select("cpu")?;
    }
    drop(Queue::new(&device)?);
    let threads = Rest::now().threads;
    println!(
        "{:>8} {:>10} {:>12} {:>8} {:>12} {:>8}",
        "seconds", "steps", "heap bytes", "blocks", "resident KiB", "threads"
    );
    let start = Instant::now();
    let mut rests: Vec<Rest> = Vec::with_capacity(ROUNDS as usize);
    for round in 0..ROUNDS {
        let end = start + total * (round + 1) / ROUNDS;
        std::thread::scope(|scope| {
            let work = |seed| {
                scope.spawn({
                    let device = &device;
                    move || work(device, seed, end)
                })
            };
            let workers: Vec<_> = (0..3).map(|thread| work(u64::from(round) * 3 + thread)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("no thread panics"))
        })?;
        let rest = Rest::settled(&device, threads);
        let known = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
        println!(
            "{:>8.1} {:>10} {:>12} {:>8} {:>12} {:>8}",
            start.elapsed().as_secs_f64(),
            STEPS.load(Ordering::Relaxed),
            rest.bytes,
            rest.blocks,
            known(rest.resident),
            known(rest.threads)
        );
        rests.push(rest);
    }
    let stats = device.memory_stats();
    println!(
        "{} allocations, {} of them from the pool, at most {} bytes at once",
        stats.allocations, stats.reused, stats.high_water
    );
    let most = |rests: &[Rest], of: fn(&Rest) -> i64| rests.iter().map(of).max().unwrap_or(0);
    let (early, late) = (&rests[..WARM_UP + WARM_UP], &rests[rests.len() - WARM_UP..]);
    // Lists that keep their capacity, and the system's own pages, may take a little; what grows with the work may not.
    type Check = (&'static str, fn(&Rest) -> i64, i64);
    let checks: [Check; 4] = [
        ("heap bytes", |rest| rest.bytes as i64, 64 << 10),
        ("heap blocks", |rest| rest.blocks as i64, 64),
        ("resident KiB", |rest| rest.resident.unwrap_or(0) as i64, 8 << 10),
        ("threads", |rest| rest.threads.unwrap_or(0) as i64, 0),
    ];
    let mut grew = stats.in_use != 0;
    for (what, of, allowed) in checks {
        let (before, after) = (most(early, of), most(late, of));
        println!("{what}: {before} early, {after} at the end");
        grew |= after > before + allowed;
    }
    Ok(!grew)
}

fn main() -> ExitCode {
    allocator::prepare();
    let outcome = duration().and_then(|total| soak(total).map_err(|error| error.to_string()));
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("something grew with the work, or was left over");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
