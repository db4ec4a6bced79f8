//! Bad input: each mistake gives one clear error, with names, limits and values; nothing is lost, hangs or panics.

mod rig;

use std::time::Duration;

use rig::{assert_says, failure, in_every_way, run};
use syclone::prelude::*;

#[kernel(fallback)]
fn scatter_sum(item: NdItem<2>, space: LocalAccessor<f32, 2>, out: ItemMut<f32, 2>) {
    space[[item.local_id(0), item.local_id(1)]] = 1.0;
    item.barrier();
    out[item] = space[[0, 0]] + item.global_linear_id() as f32;
}

fn launch_groups(shape: NdRange<2>, space: [usize; 2]) -> String {
    let queue = rig::queue();
    let out = Buffer::<f32, 2>::new([64, 64]);
    failure(&queue, |h| h.parallel_for(shape, scatter_sum(LocalAccessor::new(space), out.write(h))))
}

#[test]
fn a_group_size_that_does_not_divide_the_range_names_kernel_dimension_and_the_next_size() {
    let text = launch_groups(NdRange::new([64, 60], [8, 16]), [1, 1]);
    assert_eq!(
        text,
        "kernel 'scatter_sum': work-group size 16 does not divide the global size 60 in dimension 1\n\
         round the global size up to 64 and guard the edge in the kernel, or choose a divisor"
    );
}

#[test]
fn a_group_over_the_devices_limit_names_kernel_device_limit_and_what_was_asked() {
    let info = rig::device().info().clone();
    let limit = info.max_work_group_size;
    let text = launch_groups(NdRange::new([2 * limit, 2], [limit, 2]), [1, 1]);
    let asked = format!("a work-group of {} items is over the limit of {limit} on {}", 2 * limit, info.selector);
    assert_says(&text, &["kernel 'scatter_sum'", &asked, "choose a smaller work-group size"]);
    let text = launch_groups(NdRange::new([1 << 40, 2], [1 << 40, 2]), [1, 1]);
    assert_says(&text, &["kernel 'scatter_sum'", &(1u64 << 40).to_string(), "in dimension 0", &info.selector]);
    // Sizes whose product overflows are too large like any other.
    let text = launch_groups(NdRange::new([1 << 40, 1 << 40], [1 << 40, 1 << 40]), [1, 1]);
    assert_says(&text, &["kernel 'scatter_sum'", "over the limit of"]);
}

#[test]
fn a_group_size_of_zero_names_the_dimension_and_a_range_of_zero_does_nothing() {
    let text = launch_groups(NdRange::new([4, 4], [0, 4]), [1, 1]);
    assert_eq!(text, "kernel 'scatter_sum': the work-group size in dimension 0 is 0\nuse at least 1");
    let out = Buffer::<f32, 2>::new([0, 4]);
    run(&rig::queue(), |h| {
        h.parallel_for(NdRange::new([0, 4], [2, 4]), scatter_sum(LocalAccessor::new([2, 4]), out.write(h)))
    });
}

#[kernel(fallback)]
fn in_blocks(item: NdItem<3>, visits: AtomicView<u32>) {
    item.barrier();
    visits.atomic(0).fetch_add(1);
}

#[test]
fn every_dimension_of_a_group_is_checked_and_named() {
    let queue = rig::queue();
    let info = queue.device().info();
    let visits = Buffer::<u32>::new(1);
    let launch = |global: [usize; 3], local: [usize; 3]| {
        failure(&queue, |h| h.parallel_for(NdRange::new(global, local), in_blocks(visits.atomic(h))))
    };
    for dim in 0..3 {
        let with = |size: usize| std::array::from_fn(|other| if other == dim { size } else { 2 });
        let text = launch([8; 3], with(3));
        assert!(
            text.starts_with(&format!(
                "kernel 'in_blocks': work-group size 3 does not divide the global size 8 in dimension {dim}\n\
                 round the global size up to 9"
            )),
            "{text}"
        );
        let text = launch([8; 3], with(0));
        assert_eq!(text, format!("kernel 'in_blocks': the work-group size in dimension {dim} is 0\nuse at least 1"));
        let limit = info.max_work_item_sizes[dim];
        let text = launch([8 * limit; 3], with(2 * limit));
        let asked = format!(
            "kernel 'in_blocks': a work-group of {} items in dimension {dim} is over the limit of {limit} on {}",
            2 * limit,
            info.selector
        );
        assert_says(&text, &[&asked, "choose a smaller work-group size"]);
        // The largest group: nothing is left for the other dimensions.
        let text = launch([limit; 3], with(limit));
        assert_says(&text, &["kernel 'in_blocks'", &format!("limit of {}", info.max_work_group_size)]);
        // More items than addresses can count, and none at all.
        let text = launch(with(1 << 62), [1; 3]);
        assert_says(&text, &["kernel 'in_blocks'", &(1u64 << 62).to_string(), "launch fewer items"]);
        let mut none = [usize::MAX; 3];
        none[dim] = 0;
        run(&queue, |h| h.parallel_for(NdRange::new(none, [1, 5, 3]), in_blocks(visits.atomic(h))));
    }
    assert_eq!(visits.to_vec().expect("nothing ran"), [0]);
    run(&queue, |h| h.parallel_for(NdRange::new([2, 4, 6], [2, 1, 3]), in_blocks(visits.atomic(h))));
    assert_eq!(visits.to_vec().expect("the next kernel works"), [48]);
}

const TILES: usize = 64;

#[kernel(work_group_size(B, B))]
fn tiled<const B: usize>(item: NdItem<2>, out: ItemMut<f64, 2>) {
    let tile = local::<[[[f64; B]; B]; TILES]>();
    tile[0][item.local_id(0)][item.local_id(1)] = 1.0;
    tile[1][item.local_id(0)][item.local_id(1)] = 2.0;
    item.barrier();
    out[item] = tile[0][0][0] + tile[1][0][0];
}

#[test]
fn too_much_local_memory_says_asked_limit_and_the_largest_tile() {
    let device = rig::device();
    let limit = device.info().local_memory_bytes;
    let text = launch_groups(NdRange::new([8, 8], [8, 8]), [limit, 1]);
    let asked = format!(
        "{} bytes of local memory are over the limit of {limit} bytes on {}",
        4 * limit,
        device.info().selector
    );
    assert_says(&text, &["kernel 'scatter_sum'", &asked, "use smaller local arrays"]);
    let text = launch_groups(NdRange::new([8, 8], [8, 8]), [usize::MAX, 8]);
    assert_says(&text, &["kernel 'scatter_sum'", "bytes of local memory are over the limit of"]);

    let queue = Queue::new(&device).expect("a queue");
    let out = Buffer::<f64, 2>::new([64, 64]);
    let bytes = |side: usize| TILES * 8 * side * side;
    let fits = (1..).take_while(|&side| bytes(side) <= limit).last().expect("a tile of one fits");
    assert!(fits < 32, "the test asks for more than there is");
    let text = failure(&queue, |h| h.parallel_for([64, 64], tiled::<32>(out.write(h))));
    assert_says(
        &text,
        &[
            "kernel 'tiled'",
            &format!("{} bytes", bytes(32)),
            &format!("limit of {limit} bytes"),
            &format!("the largest tile that fits is {fits}"),
        ],
    );
    run(&queue, |h| h.parallel_for([64, 64], tiled::<4>(out.write(h))));
}

#[kernel(work_group_size(4))]
fn in_fours(item: NdItem<1>, out: ItemMut<u32>) {
    out[item] = item.local_id(0) as u32;
}

#[kernel]
fn over_a_range(item: Item<1>, out: ItemMut<u32>) {
    out[item] = item.global_id(0) as u32;
}

#[test]
fn a_shape_that_the_kernel_was_not_written_for_is_refused_with_its_own() {
    let queue = rig::queue();
    let out = Buffer::<u32>::new(16);
    let text = failure(&queue, |h| h.parallel_for(NdRange::new(16, 8), in_fours(out.write(h))));
    assert_says(&text, &["kernel 'in_fours'", "declared for work-groups of [4]", "the launch asks for [8]"]);
    let text = failure(&queue, |h| h.parallel_for(NdRange::new(16, 8), over_a_range(out.write(h))));
    assert_says(&text, &["kernel 'over_a_range'", "takes an Item and has no work-groups"]);
    // A size that is declared need not be repeated.
    run(&queue, |h| h.parallel_for(16, in_fours(out.write(h))));
    assert_eq!(out.host_read().expect("reads")[4..8], [0, 1, 2, 3]);
}

const HALF_ARRIVE_AT: u32 = line!() + 5;

#[kernel(fallback)]
fn half_arrive(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    if x[item] > 1 {
        item.barrier();
    }
    out[item] = 1;
}

#[test]
fn a_barrier_that_not_all_reach_is_an_error_with_line_and_counts_in_every_way() {
    in_every_way(|queue, way| {
        let (x, out) = (Buffer::from_vec(vec![0u32, 1, 2, 3, 4, 5, 6, 7]), Buffer::<u32>::new(8));
        let text = failure(queue, |h| h.parallel_for(NdRange::new(8, 8), half_arrive(x.read(h), out.write(h))));
        assert_says(
            &text,
            &[
                "kernel 'half_arrive'",
                "6 of 8 work-items",
                &format!("line {HALF_ARRIVE_AT}"),
                "move it out of the branch",
            ],
        );
        queue.fill(&x, 2).expect("submits");
        run(queue, |h| h.parallel_for(NdRange::new(8, 8), half_arrive(x.read(h), out.write(h))));
        assert_eq!(out.host_read().expect("reads")[..], [1; 8], "{way:?}");
    });
}

/// A kernel for each operation that Rust panics on.
macro_rules! dividing {
    ($($name:ident $ty:ty: $op:tt;)*) => {$(
        #[kernel(fallback)]
        fn $name(item: NdItem<1>, x: View<$ty>, y: View<$ty>, out: ItemMut<$ty>) {
            item.barrier();
            out[item] = x[item] $op y[item];
        }
    )*};
}

dividing! {
    quotients_of_i32 i32: /;
    remainders_of_i32 i32: %;
    quotients_of_u64 u64: /;
    remainders_of_i8 i8: %;
}

#[kernel]
fn divide_by_an_argument(item: Item<1>, by: u32, out: ItemMut<u32>) {
    out[item] = out[item] / by;
}

/// Where that division is.
const DIVISION: u32 = line!() - 4;

#[kernel]
fn change_by_an_argument(item: Item<1>, by: u32, out: ItemMut<u32>) {
    let mut value = out[item];
    value += 1;
    value %= by;
    out[item] = value;
}

/// Where that remainder is.
const CHANGE: u32 = line!() - 5;

#[kernel(fallback)]
fn exceed(item: NdItem<1>, by: u8, out: ItemMut<u8>) {
    let old = out[item];
    item.barrier();
    out[item] = old + by;
}

/// Where that sum is.
const SUM: u32 = line!() - 4;

#[device_fn]
fn less(value: i32, by: i32) -> i32 {
    value - by
}

/// Where that difference is.
const DIFFERENCE: u32 = line!() - 4;

#[kernel]
fn fall_below(item: Item<1>, by: i32, out: ItemMut<i32>) {
    out[item] = less(out[item], by);
}

/// Divides by zero and then ends, so that its standard error can be looked at.
#[test]
#[ignore = "a_division_by_zero_prints_nothing_of_its_own runs it in a process of its own"]
fn divides_by_zero_in_a_process_of_its_own() {
    let out = Buffer::from_vec(vec![6u32; 4]);
    failure(&rig::queue(), |h| h.parallel_for(4, divide_by_an_argument(0, out.read_write(h))));
}

#[test]
fn a_division_by_zero_prints_nothing_of_its_own() {
    let this = std::env::current_exe().expect("the test has a file");
    let arguments = ["--ignored", "--exact", "--nocapture", "divides_by_zero_in_a_process_of_its_own"];
    let output = std::process::Command::new(this).args(arguments).output().expect("runs itself");
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{printed}");
    assert!(!printed.contains("panicked"), "{printed}");
}

#[device_fn]
fn even(n: u32) -> u32 {
    if n == 0 { 1 } else { odd(n - 1) }
}

#[device_fn]
fn odd(n: u32) -> u32 {
    if n == 0 { 0 } else { even(n - 1) }
}

#[derive(Clone, Copy, DeviceCopy)]
struct Steps {
    by: u32,
}

#[device_fn]
impl Steps {
    fn up(&self, n: u32) -> u32 {
        if n > 9 { n } else { self.further(n + self.by) }
    }

    fn further(&self, n: u32) -> u32 {
        self.up(n)
    }
}

#[kernel(fallback)]
fn parities(item: NdItem<1>, out: ItemMut<u32>) {
    out[item] = even(item.global_id(0) as u32);
}

#[kernel]
fn climbs(item: Item<1>, steps: Steps, out: ItemMut<u32>) {
    out[item] = steps.up(item.id(0) as u32);
}

#[test]
fn device_functions_that_call_each_other_in_a_circle_are_an_error_of_each_launch() {
    in_every_way(|queue, _| {
        let out = Buffer::from_vec(vec![7u32; 4]);
        for _ in 0..2 {
            let text = failure(queue, |h| h.parallel_for(NdRange::new(4, 2), parities(out.write(h))));
            assert_says(&text, &["kernel 'parities'", "circle: even -> odd -> even", "write the recursion as a loop"]);
            let text = failure(queue, |h| h.parallel_for(4, climbs(Steps { by: 2 }, out.write(h))));
            assert_says(&text, &["kernel 'climbs'", "circle: up -> further -> up"]);
            let text = failure(queue, |h| {
                let out = out.write(h);
                h.parallel_for(4, syclone::kernel!(|item: Item<1>| out[item] = odd(3)))
            });
            assert_says(&text, &["circle: odd -> even -> odd"]);
        }
        assert_eq!(out.host_read().expect("nothing was submitted")[..], [7; 4]);
    });
}

#[test]
fn an_integer_overflow_is_an_error_that_names_kernel_and_line_in_debug_builds_and_wraps_in_others() {
    in_every_way(|queue, way| {
        let (sums, differences) = (Buffer::from_vec(vec![250u8; 4]), Buffer::from_vec(vec![i32::MIN + 1; 4]));
        let sum = |h: &Handler<'_>| h.parallel_for(NdRange::new(4, 2), exceed(10, sums.read_write(h)));
        let difference = |h: &Handler<'_>| h.parallel_for(4, fall_below(2, differences.read_write(h)));
        if cfg!(debug_assertions) {
            let text = failure(queue, sum);
            assert_says(&text, &["kernel 'exceed'", "overflow", &format!("line {SUM}")]);
            let text = failure(queue, difference);
            assert_says(&text, &["kernel 'fall_below'", "overflow", &format!("line {DIFFERENCE}")]);
        } else {
            rig::run_with_reports(queue, sum);
            assert_eq!(sums.to_vec().expect("reads"), [4; 4], "{way:?}");
            rig::run_with_reports(queue, difference);
            assert_eq!(differences.to_vec().expect("reads"), [i32::MAX; 4], "{way:?}");
        }
    });
}

#[test]
fn an_integer_division_by_zero_is_an_error_that_names_kernel_and_line() {
    in_every_way(|queue, _| {
        macro_rules! divide {
            ($kernel:ident $x:expr, $y:expr => $says:literal) => {{
                let (x, y) = (Buffer::from_vec($x), Buffer::from_vec($y));
                let out = Buffer::from_vec($x);
                let text =
                    failure(queue, |h| h.parallel_for(NdRange::new(4, 2), $kernel(x.read(h), y.read(h), out.write(h))));
                assert_says(&text, &[concat!("kernel '", stringify!($kernel), "'"), $says]);
            }};
        }
        divide!(quotients_of_i32 vec![1, 2, 3, 4], vec![1, 2, 0, 4] => "zero");
        divide!(remainders_of_i32 vec![1, 2, 3, 4], vec![1, 2, 0, 4] => "zero");
        divide!(quotients_of_u64 vec![1u64, 2, 3, 4], vec![0u64, 2, 1, 4] => "zero");
        // The one quotient that does not fit.
        divide!(quotients_of_i32 vec![1, i32::MIN, 3, 4], vec![1, -1, 1, 1] => "overflow");
        divide!(remainders_of_i8 vec![1i8, i8::MIN, 3, 4], vec![1i8, -1, 1, 1] => "overflow");
        let out = Buffer::from_vec(vec![6u32; 4]);
        let text = failure(queue, |h| h.parallel_for(4, divide_by_an_argument(0, out.read_write(h))));
        assert_says(&text, &["kernel 'divide_by_an_argument'", "zero", &format!("line {DIVISION}")]);
        let changed = Buffer::from_vec(vec![6u32; 4]);
        let text = failure(queue, |h| h.parallel_for(4, change_by_an_argument(0, changed.read_write(h))));
        assert_says(&text, &["kernel 'change_by_an_argument'", "zero", &format!("line {CHANGE}")]);
        out.copy_from_slice(&[6; 4]).expect("copies");
        run(queue, |h| h.parallel_for(4, divide_by_an_argument(2, out.read_write(h))));
        assert_eq!(out.host_read().expect("the next kernel works")[..], [3; 4]);
    });
}

#[test]
fn a_selector_that_matches_nothing_lists_what_exists() {
    for selector in ["cuda", "cuda:0", "opencl:*", "cpu:7"] {
        let text = Device::select(selector).map(|_| ()).expect_err("no such device").to_string();
        assert_says(
            &text,
            &[&format!("no device matches '{selector}'"), "available here: cpu:0, cpu:check", "SYCLONE_DEVICE"],
        );
    }
    for selector in ["gpu", "", "cpu:", "cpu:-1", "cpu:x", "kuda:0"] {
        let text = Device::select(selector).map(|_| ()).expect_err("no selector").to_string();
        assert_says(&text, &[&format!("'{selector}' is not a device selector"), "available here: cpu:0, cpu:check;"]);
        assert!(!text.contains("opencl:"), "no device is offered that this machine lacks: {text}");
    }
    for backend in Device::unavailable_backends() {
        let reason = backend.reason;
        assert!(!reason.trim().is_empty() && reason.lines().count() == 1, "{reason}");
    }
}

#[kernel]
fn slowly(item: Item<1>, rounds: u32, out: ItemMut<u32>) {
    let mut busy = out[item];
    for k in 0..rounds {
        busy = busy.wrapping_mul(1_664_525).wrapping_add(k ^ busy >> 3);
    }
    out[item] = busy | 1;
}

#[test]
fn host_access_waits_for_the_writer_and_dropped_buffers_live_until_their_command_ends() {
    let queue = rig::queue();
    // An interpreter is slow by itself.
    let rounds = if queue.device().is_checked() { 100 } else { 20_000 };
    let out = Buffer::<u32>::new(64);
    for _ in 0..20 {
        out.host_write().expect("writes").fill(0);
        queue.submit(|h| h.parallel_for(64, slowly(rounds, out.read_write(h)))).expect("submits");
        assert!(out.host_read().expect("reads").iter().all(|word| word % 2 == 1), "read before the writer ended");
    }
    let dropped = Buffer::<u32>::new(64);
    let event = queue.submit(|h| h.parallel_for(64, slowly(5 * rounds, dropped.read_write(h)))).expect("submits");
    drop(dropped);
    event.wait().expect("its memory lives as long");
}

#[test]
fn sizes_that_overflow_are_errors_with_the_numbers() {
    let text = Buffer::<f64, 2>::try_new([usize::MAX, 2]).map(|_| ()).expect_err("too large").to_string();
    assert_says(&text, &[&usize::MAX.to_string(), "8 bytes", "use a smaller size"]);
    let text = Buffer::<f64>::try_new(usize::MAX / 8).map(|_| ()).expect_err("too large").to_string();
    assert_says(&text, &[&(usize::MAX / 8).to_string(), "8 bytes"]);
    let queue = rig::queue();
    let text = queue.alloc_device::<u64>(usize::MAX).map(|_| ()).expect_err("too large").to_string();
    assert_says(&text, &[&usize::MAX.to_string(), "8 bytes"]);
    let text = queue.alloc_device::<u8>(isize::MAX as usize - 64).map(|_| ()).expect_err("too large").to_string();
    assert_says(&text, &["cpu", "out of memory", &(isize::MAX as usize - 64).to_string()]);
    let out = Buffer::<u32>::new(4);
    let text = failure(&queue, |h| h.parallel_for(usize::MAX, over_a_range(out.write(h))));
    assert_says(&text, &["over_a_range", &usize::MAX.to_string()]);
    let text = launch_groups(NdRange::new([1 << 62, 1 << 62], [2, 2]), [1, 1]);
    assert_says(&text, &["scatter_sum", &(1u64 << 62).to_string()]);
}

#[kernel]
fn over_a_plane(item: Item<2>, out: ItemMut<u32, 2>) {
    out[item] = 1;
}

#[kernel]
fn over_a_space(item: Item<3>, out: ItemMut<u32, 3>) {
    out[item] = 1;
}

/// In several dimensions each counts for itself: as many elements in another shape are outside, too.
#[test]
fn an_output_that_is_smaller_than_the_range_in_some_dimension_is_named_with_the_kernel() {
    let queue = rig::queue();
    let device = rig::device().info().selector.clone();
    let outside = |kernel: &str| format!("kernel '{kernel}' on {device}: access outside parameter 'out' of ");
    let short = Buffer::<u32>::new(7);
    let text = failure(&queue, |h| h.parallel_for(8, over_a_range(short.write(h))));
    assert!(text.starts_with(&outside("over_a_range")), "{text}");
    let plane = Buffer::<u32, 2>::new([4, 5]);
    for range in [[5, 4], [4, 6], [5, 5]] {
        let text = failure(&queue, |h| h.parallel_for(range, over_a_plane(plane.write(h))));
        assert!(text.starts_with(&outside("over_a_plane")), "{range:?}: {text}");
    }
    let space = Buffer::<u32, 3>::new([2, 3, 4]);
    for range in [[3, 3, 4], [2, 4, 3], [2, 3, 5], [4, 3, 2]] {
        let text = failure(&queue, |h| h.parallel_for(range, over_a_space(space.write(h))));
        assert!(text.starts_with(&outside("over_a_space")), "{range:?}: {text}");
    }
    // What is larger than the range keeps what the range does not reach.
    queue.fill(&space, 7).expect("submits");
    run(&queue, |h| h.parallel_for([1, 2, 3], over_a_space(space.read_write(h))));
    let left = space.to_vec().expect("reads");
    assert!((0..24).all(|i| left[i] == if i < 12 && i / 4 < 2 && i % 4 < 3 { 1 } else { 7 }), "{left:?}");
}

#[kernel]
fn copy_all(item: Item<1>, x: View<u32>, out: ItemMut<u32>) {
    out[item] = x[item];
}

#[kernel]
fn sum_twice(item: Item<1>, x: View<u32>, first: Reducer<u32, Plus>, again: Reducer<u32, Plus>) {
    first.combine(x[item]);
    again.combine(x[item]);
}

#[test]
fn memory_of_the_wrong_command_device_or_twice_is_refused_with_the_parameters_name() {
    let queue = rig::queue();
    let (x, out) = (Buffer::<u32>::new(8), Buffer::<u32>::new(8));
    let text = failure(&queue, |h| h.parallel_for(8, copy_all(x.read(h), x.write(h))));
    assert_says(&text, &["'copy_all'", "'x' and 'out' overlap"]);
    let sum = Buffer::<u32>::new(1);
    let text = failure(&queue, |h| h.parallel_for(8, sum_twice(x.read(h), sum.reduce(h, Plus), sum.reduce(h, Plus))));
    assert_says(&text, &["'sum_twice'", "'first' and 'again' overlap"]);
    let mut kept = None;
    queue
        .submit(|h| {
            kept = Some(x.read(h));
            h.parallel_for(8, over_a_range(out.write(h)))
        })
        .expect("submits");
    let text = failure(&queue, |h| h.parallel_for(8, copy_all(kept.expect("was kept"), out.write(h))));
    assert_says(&text, &["'copy_all'", "'x' does not belong to this command group"]);
    let other = Device::cpu_with_threads(1).expect("a device");
    let foreign = UsmDevice::<u32>::new(&other, 8).expect("memory");
    let text = failure(&queue, |h| h.parallel_for(8, copy_all(foreign.view(), out.write(h))));
    assert_says(&text, &["'copy_all'", "'x' belongs to", "allocate it on the queue's device"]);
    let text = failure(&queue, |h| {
        h.parallel_for(8, over_a_range(out.write(h)))?;
        h.parallel_for(8, over_a_range(x.write(h)))
    });
    assert_says(&text, &["'over_a_range' after 'over_a_range'", "one command"]);
}

#[test]
fn waiting_for_what_this_thread_holds_up_is_an_error_and_no_hang() {
    let (queue, out) = (rig::queue(), Buffer::<u32>::new(8));
    let held = out.host_read().expect("reads");
    let event = queue.submit(|h| h.parallel_for(8, over_a_range(out.write(h)))).expect("submits");
    let text = event.wait().expect_err("it would never end").to_string();
    assert_says(&text, &["'over_a_range'", "drop the host access first"]);
    drop(held);
    event.wait().expect("now it ends");
    std::thread::sleep(Duration::from_millis(1));
    assert_eq!(out.host_read().expect("reads")[7], 7);
}

#[test]
fn an_unknown_way_to_run_kernels_is_an_error_before_the_first_launch() {
    const TEST: &str = "an_unknown_way_to_run_kernels_is_an_error_before_the_first_launch";
    const CHILD: &str = "SYCLONE_TEST_UNKNOWN_WAY";
    let device = Device::select("cpu").expect("every machine has the CPU device");
    if std::env::var_os(CHILD).is_some() {
        let text = Queue::new(&device).expect_err("there is no such way").to_string();
        assert_says(&text, &["SYCLONE_CPU_WAY", "fast", "regions, lock-step, interpreter"]);
        return;
    }
    let child = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", TEST])
        .env(CHILD, "1")
        .env("SYCLONE_CPU_WAY", "fast")
        .output()
        .expect("the program starts");
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
}
