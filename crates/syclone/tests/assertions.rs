//! Assertions in kernels: the error, what runs and what does not, in every way to run a kernel.

mod rig;

use rig::printing::Printing;
use rig::{assert_says, in_every_way};
use syclone::abi::ways::{Way, with_way};
use syclone::prelude::*;

#[kernel(fallback)]
fn checked(item: NdItem<1>, limit: u32, x: View<u32>, y: ItemMut<u32>) {
    kassert!(x[item] < limit, "{} at {}", x[item], item.global_id(0));
    y[item] = 100 / (limit - x[item]);
}

/// The line of an assertion in this file.
fn line_of(text: &str) -> u32 {
    let position = include_str!("assertions.rs").lines().position(|line| line.trim_start().starts_with(text));
    position.expect("the assertion") as u32 + 1
}

#[test]
fn an_assertion_that_fails_ends_the_command_with_kernel_item_line_and_message() {
    let values = Buffer::from_vec(vec![1u32, 2, 3, 4, 9, 5, 6, 7]);
    let y = Buffer::<u32>::new(8);
    in_every_way(|_, way| {
        let printing = Printing::new();
        let launch = |limit| {
            let (values, y) = (&values, &y);
            move |h: &Handler<'_>| h.parallel_for(NdRange::new(8, 4), checked(limit, values.read(h), y.write(h)))
        };
        let (error, _) = printing.fail(launch(9));
        let text = error.to_string();
        let Error::AssertionFailed { kernel, message, item, file, line, .. } = error else { panic!("{way:?}: {text}") };
        assert_eq!(kernel, "checked");
        assert_eq!(message, "assertion failed: 9 at 4", "{way:?}");
        assert_eq!(item, [4], "{way:?}");
        assert!(file.ends_with("assertions.rs"), "{file}");
        assert_eq!(line, line_of("kassert!(x[item] < limit"), "{way:?}");
        assert_says(
            &text,
            &["kernel 'checked' on cpu:", ": assertion failed: 9 at 4\n", "for item 4,", &format!("line {line} of")],
        );
        // The queue goes on.
        assert_eq!(printing.run(launch(10)), "");
        assert_eq!(y.to_vec().expect("the result"), [11, 12, 14, 16, 100, 20, 25, 33]);
    });
}

#[kernel]
fn plain_condition(item: Item<2>, n: usize) {
    kprintln!("{} {}", item.global_id(0), item.global_id(1));
    kassert!(item.global_id(0) + item.global_id(1) < n);
}

#[test]
fn an_assertion_without_a_message_says_its_condition_after_what_was_printed() {
    in_every_way(|_, way| {
        let (error, text) = Printing::new().fail(|h| h.parallel_for([2, 3], plain_condition(3)));
        let Error::AssertionFailed { message, item, .. } = error else { panic!("{way:?}: {error}") };
        assert_eq!(message, "assertion failed: item.global_id(0) + item.global_id(1) < n", "{way:?}");
        assert_eq!(item, [1, 2], "{way:?}");
        assert_eq!(text, "0 0\n0 1\n0 2\n1 0\n1 1\n1 2\n", "{way:?}");
    });
}

#[device_fn]
fn positive(x: i32) -> i32 {
    kassert!(x > 0, "{x} is not positive");
    x
}

#[derive(Clone, Copy, DeviceCopy)]
struct Pair {
    a: i32,
    b: i32,
}

#[device_fn]
impl Pair {
    fn check(self, bound: i32) -> i32 {
        kassert!(self.a + self.b < bound, "{} + {}", self.a, self.b);
        positive(self.a)
    }
}

#[kernel(fallback)]
fn through_others(item: NdItem<1>, n: i32, x: View<i32>, y: ItemMut<i32>) {
    let once = positive(n);
    let pair = Pair { a: x[item], b: once };
    item.barrier();
    let mut sum = 0;
    for k in 0..x.extent(0) {
        sum += x[k] + pair.check(100);
    }
    y[item] = sum;
}

#[test]
fn assertions_of_device_functions_name_the_calling_item() {
    in_every_way(|_, way| {
        let y = Buffer::<i32>::new(6);
        let fails = |n: i32, x: Vec<i32>| {
            let x = Buffer::from_vec(x);
            let launch = |h: &Handler<'_>| h.parallel_for(NdRange::new(6, 3), through_others(n, x.read(h), y.write(h)));
            let (error, _) = Printing::new().fail(launch);
            let Error::AssertionFailed { message, item, line, .. } = error else { panic!("{way:?}: {error}") };
            (message, item, line)
        };
        let (line, inner) = (line_of("kassert!(x > 0"), line_of("kassert!(self.a + self.b"));
        let says = |what: &str| format!("assertion failed: {what}");
        assert_eq!(fails(1, vec![1, 2, 3, 4, -5, 6]), (says("-5 is not positive"), vec![4], line), "{way:?}");
        assert_eq!(fails(90, vec![1, 2, 3, 4, 5, 10]), (says("10 + 90"), vec![5], inner), "{way:?}");
        assert_eq!(fails(0, vec![1; 6]).0, says("0 is not positive"), "{way:?}");
    });
}

#[kernel(fallback)]
fn in_a_divergent_loop(item: NdItem<1>, x: View<u32>) {
    let mut k = 0;
    while k <= item.local_id(0) {
        kassert!(x[k] != 3, "{k}");
        k += 1;
    }
    item.barrier();
    kprintln!("never, for those who wait");
}

#[test]
fn an_assertion_before_a_barrier_leaves_nobody_waiting() {
    in_every_way(|_, way| {
        let x = Buffer::from_vec(vec![1u32, 3, 5]);
        let (error, text) =
            Printing::new().fail(|h| h.parallel_for(NdRange::new(3, 3), in_a_divergent_loop(x.read(h))));
        let Error::AssertionFailed { item, .. } = error else { panic!("{way:?}: {error}") };
        assert_eq!((item, text.as_str()), (vec![1], ""), "{way:?}");
    });
}

#[kernel]
fn looked_up(item: Item<1>, x: View<u32>, table: View<u32>, y: ItemMut<u32>) {
    let i = x[item] as usize;
    kassert!(i < table.len(), "{i} is no index");
    let value = table[i];
    kassert!(value != 7, "{value} at {i}");
    y[item] = value + 1;
    kassert!(value != 8, "late: {value}");
}

#[kernel(fallback)]
fn looked_up_in_a_loop(item: NdItem<1>, rounds: u32, x: View<u32>, table: View<u32>, y: ItemMut<u32>) {
    let mut sum = 0;
    for round in 0..rounds {
        let i = (x[item] + round) as usize;
        kassert!(i < table.len(), "{i} is no index");
        sum += table[i];
    }
    y[item] = sum;
}

/// Assertions at a kernel's begin are looked at for many items at once; nobody can tell.
#[test]
fn an_assertion_that_one_item_of_a_long_row_fails_names_that_item_and_guards_what_follows() {
    const N: usize = 2000;
    let table: Vec<u32> = (0..20)
        .map(|i| {
            if i == 3 {
                7
            } else if i == 4 {
                8
            } else {
                10 + i
            }
        })
        .collect();
    let device = Device::cpu_with_threads(1).expect("a device");
    for way in Way::ALL {
        let printing = Printing::on(&device);
        let table = Buffer::from_slice(&table);
        for failing in [0, 1, 511, 512, 700, 1023, 1535, 1536, N - 1] {
            for (index, says) in
                [(20, "20 is no index"), (u32::MAX, "4294967295 is no index"), (3, "7 at 3"), (4, "late: 8")]
            {
                let mut x = vec![0; N];
                x[failing] = index;
                // Another one fails later, which is not the first.
                x[N - 1] = index;
                let (x, y) = (Buffer::from_vec(x), Buffer::from_vec(vec![0; N]));
                let launch = |h: &Handler<'_>| h.parallel_for(N, looked_up(x.read(h), table.read(h), y.read_write(h)));
                let (error, _) = with_way(way, || printing.fail(launch));
                let Error::AssertionFailed { message, item, .. } = error else { panic!("{way:?}: {error}") };
                assert_eq!((message, item), (format!("assertion failed: {says}"), vec![failing]), "{way:?}");
            }
            let (mut x, y) = (vec![5; N], Buffer::from_vec(vec![0; N]));
            x[failing] = 18;
            let x = Buffer::from_vec(x);
            let launch = |rounds| {
                let (x, table, y) = (&x, &table, &y);
                move |h: &Handler<'_>| {
                    let shape = NdRange::new(N, N / 2);
                    h.parallel_for(shape, looked_up_in_a_loop(rounds, x.read(h), table.read(h), y.write(h)))
                }
            };
            let (error, _) = with_way(way, || printing.fail(launch(3)));
            let Error::AssertionFailed { message, item, .. } = error else { panic!("{way:?}: {error}") };
            assert_eq!((message.as_str(), item), ("assertion failed: 20 is no index", vec![failing]), "{way:?}");
            with_way(way, || printing.run(launch(2)));
            let expected: Vec<u32> = (0..N).map(|i| if i == failing { 28 + 29 } else { 15 + 16 }).collect();
            assert_eq!(y.to_vec().expect("the result"), expected, "{way:?}");
        }
    }
}

#[kernel]
fn guarded_division(item: Item<1>, n: u32, m: u32, y: ItemMut<u32>) {
    kassert!(n > 0, "n is zero");
    let quotient = m / n;
    y[item] = quotient;
}

#[test]
fn what_an_assertion_guards_does_not_run_before_it() {
    in_every_way(|_, way| {
        let y = Buffer::<u32>::new(2);
        let (error, _) = Printing::new().fail(|h| h.parallel_for(2, guarded_division(0, 5, y.write(h))));
        let Error::AssertionFailed { message, item, .. } = error else { panic!("{way:?}: {error}") };
        assert_eq!((message.as_str(), item), ("assertion failed: n is zero", vec![0]), "{way:?}");
    });
}

#[kernel]
fn single(n: u32) {
    kassert!(n == 1, "{:#x} instead", n);
}

#[test]
fn a_single_task_has_no_item_to_name() {
    in_every_way(|queue, way| {
        let (error, _) = Printing::new().fail(|h| h.single_task(single(255)));
        assert_eq!(
            error.to_string(),
            format!(
                "kernel 'single' on {}: assertion failed: 0xff instead\nin line {} of {}; its outputs hold no result; the \
                 device goes on",
                queue.device().info().selector,
                line_of("kassert!(n == 1"),
                file!()
            ),
            "{way:?}"
        );
    });
}

#[test]
fn the_checked_device_asserts_as_others_do() {
    let printing = Printing::on(&Device::select("cpu:check").expect("the checked device"));
    let (error, _) = printing.fail(|h| h.single_task(single(7)));
    assert_says(&error.to_string(), &["kernel 'single' on cpu:check: assertion failed: 0x7 instead"]);
}

#[test]
fn on_the_host_a_device_function_panics_as_any_function_does() {
    assert_eq!(positive(3), 3);
    let panic = std::panic::catch_unwind(|| positive(-3)).expect_err("it must panic");
    let message = panic.downcast_ref::<String>().expect("a text");
    assert_says(message, &["assertion failed: -3 is not positive", "assertions.rs", "line "]);
}

#[test]
fn the_readable_tree_shows_what_is_asserted() {
    let text = syclone::Launch::<0>::text(&single(1));
    assert_says(&text, &["kassert!(n == 1, \"assertion failed: {0:#x} instead\", n);"]);
}
