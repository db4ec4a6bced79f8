//! What kernels print: the text and its order, in every way to run a kernel.

mod rig;

use rig::printing::Printing;
use rig::{assert_says, in_every_way};
use syclone::prelude::*;

/// Runs a launch in every way and compares what it prints.
#[track_caller]
fn prints(expected: &str, launch: impl Fn(&Handler<'_>) -> Result<()>) {
    in_every_way(|_, way| assert_eq!(Printing::new().run(&launch), expected, "{way:?}"));
}

#[kernel(fallback)]
fn squares(item: NdItem<1>, x: View<f32>) {
    let i = item.global_id(0);
    kprintln!("{}: {:.2} squared is {:8.3}|", i, x[item], x[item] * x[item]);
}

#[test]
fn each_item_prints_its_line_in_the_order_of_the_items() {
    let x: Vec<f32> = (0..12).map(|i| i as f32 / 4.0).collect();
    let lines = x.iter().enumerate().map(|(i, x)| format!("{i}: {x:.2} squared is {:8.3}|\n", x * x));
    let expected: String = lines.collect();
    let x = Buffer::from_vec(x);
    prints(&expected, |h| h.parallel_for(NdRange::new(12, 4), squares(x.read(h))));
}

#[kernel]
fn plain(item: Item<2>, x: View<i32, 2>, out: ItemMut<i32, 2>) {
    let (row, column) = (item.global_id(0), item.global_id(1));
    let value = x[[row, column]];
    out[item] = value + 1;
    kprint!("({row}, {column})");
    kprintln!(" = {value:#06x} {0} {0:>+5} {name}", value, name = value > 2);
}

#[test]
fn a_range_kernel_prints_item_by_item_with_captured_named_and_numbered_values() {
    let mut expected = String::new();
    for value in 0..6 {
        let more = format!("({}, {}) = {value:#06x} {value} {value:>+5} {}\n", value / 3, value % 3, value > 2);
        expected.push_str(&more);
    }
    let x = Buffer::<i32, 2>::from_vec_with((0..6).collect(), [2, 3]).expect("six elements");
    let out = Buffer::<i32, 2>::new([2, 3]);
    prints(&expected, |h| h.parallel_for([2, 3], plain(x.read(h), out.write(h))));
}

#[kernel]
fn once(n: u32, v: F32x4, flag: bool, half: f16, scale: Spec<i64>) {
    kprintln!();
    kprintln!("{{{n}}} {n:b} {:?} {v:.1} {flag:>6} {half} {scale} {:e}", 1.0, 1500.0f64);
}

#[kernel]
fn in_parts(n: u32) {
    for i in 0..n {
        kprint!("{i} ");
    }
    kprintln!("end");
}

#[test]
fn a_single_task_prints_every_kind_of_value() {
    prints("0 1 2 end\n", |h| h.single_task(in_parts(3)));
    let v = F32x4::new([1.0, -2.5, 0.25, 1e10]);
    prints("\n{6} 110 1.0 [1.0, -2.5, 0.2, 10000000000.0]   true 1.5 -8 1.5e3\n", |h| {
        h.single_task(once(6, v, true, f16::from_f32(1.5), -8))
    });
}

#[kernel(fallback)]
fn between_barriers(item: NdItem<1>, x: View<u32>, rounds: u32) {
    let shared = local::<[u32; 4]>();
    let i = item.local_id(0);
    shared[i] = x[item];
    item.barrier();
    for round in 0..rounds {
        let next = shared[(i + 1) % 4];
        kprintln!("round {round}: {i} sees {next}");
        item.barrier();
        shared[i] = next;
        item.barrier();
    }
    if i == 2 {
        kprintln!("last {}", shared[i]);
    }
}

#[test]
fn between_two_barriers_all_items_print_before_any_goes_on() {
    let mut expected = String::new();
    for round in 0..3 {
        for i in 0..4 {
            expected.push_str(&format!("round {round}: {i} sees {}\n", 10 + (i + 1 + round) % 4));
        }
    }
    expected.push_str("last 11\n");
    let x = Buffer::from_vec(vec![10, 11, 12, 13]);
    prints(&expected, |h| h.parallel_for(NdRange::new(4, 4), between_barriers(x.read(h), 3)));
}

#[kernel(fallback)]
fn in_a_loop_over_memory(item: NdItem<1>, x: View<f32>, y: ItemMut<f32>) {
    let mut sum = 0.0f32;
    for k in 0..x.extent(0) {
        sum += x[k] * (item.global_id(0) as f32);
        if k % 2 == 1 {
            kprintln!("{} {k} {sum}", item.global_id(0));
        }
    }
    y[item] = sum;
}

#[test]
fn a_loop_that_a_strip_could_share_prints_item_by_item() {
    let mut expected = String::new();
    for i in 0..8 {
        expected.push_str(&format!("{i} 1 {}\n{i} 3 {}\n", 3.0 * i as f32, 10.0 * i as f32));
    }
    let (x, y) = (Buffer::from_vec(vec![1.0f32, 2.0, 3.0, 4.0]), Buffer::new(8));
    prints(&expected, |h| h.parallel_for(NdRange::new(8, 8), in_a_loop_over_memory(x.read(h), y.write(h))));
    assert_eq!(y.to_vec().expect("the result"), (0..8).map(|i| 10.0 * i as f32).collect::<Vec<f32>>());
}

#[kernel]
fn at_the_edge(item: Item<1>, x: View<u32>, y: ItemMut<u32>) {
    let i = item.global_id(0);
    // Out of bounds for the last items: the row is not all alike.
    y[item] = if i + 2 < x.extent(0) { x[i + 2] } else { 0 };
    kprintln!("{i}");
}

#[test]
fn the_lines_of_a_long_row_come_in_order_from_all_workers() {
    let n = 5000;
    let expected: String = (0..n).map(|i| format!("{i}\n")).collect();
    let (x, y) = (Buffer::<u32>::new(n), Buffer::<u32>::new(n));
    prints(&expected, |h| h.parallel_for(n, at_the_edge(x.read(h), y.write(h))));
    let device = Device::cpu_with_threads(4).expect("four workers");
    for _ in 0..20 {
        assert_eq!(Printing::on(&device).run(|h| h.parallel_for(n, at_the_edge(x.read(h), y.write(h)))), expected);
    }
}

#[kernel]
fn much(item: Item<1>) {
    kprintln!("{:>100}", item.global_id(0));
}

#[test]
fn of_more_text_than_is_kept_back_every_line_is_whole() {
    let device = Device::cpu_with_threads(3).expect("three workers");
    let n = 100_000;
    let text = Printing::on(&device).run(|h| h.parallel_for(n, much()));
    let mut seen = vec![false; n];
    for line in text.lines() {
        assert_eq!(line.len(), 100);
        let item: usize = line.trim().parse().expect("a number");
        assert!(!std::mem::replace(&mut seen[item], true), "item {item} once");
    }
    assert!(seen.into_iter().all(|seen| seen));
}

#[device_fn]
fn note(item: &NdItem<1>, what: u32) -> u32 {
    kprintln!("{} of item {}", what, item.global_id(0));
    what + 1
}

#[device_fn]
fn together(item: NdItem<1>, value: u32) -> u32 {
    kprintln!("{value} before");
    let sum = item.group().reduce(value, Plus);
    kprintln!("{sum} after");
    sum
}

#[kernel(fallback)]
fn through_functions(item: NdItem<1>, n: u32) {
    let sum = together(item, n + item.local_id(0) as u32);
    item.barrier();
    let more = note(&item, sum);
    if item.local_id(0) == 1 {
        kprintln!("and {more}");
    }
}

#[test]
fn device_functions_print_for_the_item_that_they_are_given() {
    let expected = "8 before\n9 before\n10 before\n27 after\n27 after\n27 after\n\
                    27 of item 0\n27 of item 1\nand 28\n27 of item 2\n";
    prints(expected, |h| h.parallel_for(NdRange::new(3, 3), through_functions(8)));
}

#[test]
fn an_inline_kernel_prints_what_it_captured() {
    let (x, factor) = (Buffer::from_vec(vec![1i64, -2]), 10i64);
    prints("10 = 1 * 10\n-20 = -2 * 10\n", |h| {
        let x = x.read(h);
        h.parallel_for(
            2,
            syclone::kernel!(|item: Item<1>| {
                let value = x[item];
                kprintln!("{} = {value} * {factor}", value * factor);
            }),
        )
    });
}

macro_rules! made {
    ($name:ident, $format:literal, $value:ident) => {
        #[kernel]
        fn $name(n: u32) {
            let $value = n + 1;
            let value = n + 2;
            kprintln!($format, $value, last = value + 1);
            kprintln!("{value} {0:?} {0}", 2.0);
        }
    };
}
made!(made_by_a_macro, "{} {0} {value} {last}", value);

#[test]
fn names_in_a_format_string_are_those_of_who_wrote_it() {
    prints("", |h| h.parallel_for(0, much()));
    prints("6 6 6 8\n7 2.0 2\n", |h| h.single_task(made_by_a_macro(5)));
}

#[test]
fn the_checked_device_prints_as_others_do() {
    let printing = Printing::on(&Device::select("cpu:check").expect("the checked device"));
    let x = Buffer::from_vec(vec![0.5f32, 1.5]);
    let text = printing.run(|h| h.parallel_for(NdRange::new(2, 2), squares(x.read(h))));
    assert_eq!(text, "0: 0.50 squared is    0.250|\n1: 1.50 squared is    2.250|\n");
}

#[test]
fn a_recorded_kernel_prints_at_each_replay_where_the_recording_queue_does() {
    let printing = Printing::new();
    let (graph, _) = printing.queue.record(|queue| queue.submit(|h| h.single_task(in_parts(2)))).expect("a graph");
    let graph = graph.instantiate().expect("an executable graph");
    for _ in 0..3 {
        printing.queue.replay(&graph).expect("a replay").wait().expect("it ends well");
    }
    assert_eq!(*printing.text.lock().expect("no panics"), "0 1 end\n".repeat(3));
}

#[test]
fn kernels_of_a_graph_print_where_the_queue_that_replays_it_prints() {
    let device = rig::device();
    let (first, second) = (Printing::on(&device), Printing::on(&device));
    let text = |printing: &Printing| std::mem::take(&mut *printing.text.lock().expect("no panics"));
    let replay =
        |queue: &Queue, graph: &ExecutableGraph| queue.replay(graph).expect("a replay").wait().expect("it ends");
    let built = Graph::in_order(first.queue.device());
    for parts in [1, 3] {
        built.add(|h| h.single_task(in_parts(parts))).expect("a command");
    }
    let built = built.instantiate().expect("an executable graph");
    replay(&first.queue, &built);
    replay(&second.queue, &built);
    replay(&first.queue, &built);
    assert_eq!((text(&first), text(&second)), ("0 end\n0 1 2 end\n".repeat(2), "0 end\n0 1 2 end\n".to_owned()));

    // What was recorded from a queue prints as it would there, if the replaying queue says nothing.
    let (recorded, _) = first.queue.record(|queue| queue.submit(|h| h.single_task(in_parts(2)))).expect("a graph");
    let recorded = recorded.instantiate().expect("an executable graph");
    replay(&second.queue, &recorded);
    replay(&Queue::new(first.queue.device()).expect("a queue"), &recorded);
    assert_eq!((text(&first), text(&second)), ("0 1 end\n".to_owned(), "0 1 end\n".to_owned()));
}

#[test]
fn the_output_of_two_queues_does_not_mix() {
    let (a, b) = (Printing::new(), Printing::new());
    let first = a.queue.submit(|h| h.single_task(in_parts(1))).expect("a launch");
    let second = b.queue.submit(|h| h.single_task(in_parts(2))).expect("a launch");
    first.wait().expect("it ends well");
    second.wait().expect("it ends well");
    assert_eq!(*a.text.lock().expect("no panics"), "0 end\n");
    assert_eq!(*b.text.lock().expect("no panics"), "0 1 end\n");
}

#[kernel]
fn within(item: Item<1>, limit: View<u32>, y: ItemMut<u32>) {
    kprintln!("{}", item.global_id(0));
    kassert!((item.global_id(0) as u32) < limit[0]);
    y[item] = 1;
}

#[test]
fn replays_print_in_order_after_one_whose_assertion_failed() {
    const N: usize = 20_000;
    let device = Device::cpu_with_threads(3).expect("three workers");
    for device in [&device, &Device::cpu_checked().expect("the checked device")] {
        let printing = Printing::on(device);
        let (limit, y) = (Buffer::from_vec(vec![N as u32]), Buffer::<u32>::new(N));
        let graph = Graph::new(device);
        graph.add(|h| h.parallel_for(N, within(limit.read(h), y.write(h)))).expect("a command");
        let graph = graph.instantiate().expect("an executable graph");
        let expected: String = (0..N).map(|i| format!("{i}\n")).collect();
        for bad in [None, Some(5000), None, Some(0), Some(N as u32 - 1), None] {
            limit.copy_from_slice(&[bad.unwrap_or(N as u32)]).expect("the host's turn");
            let ended = printing.queue.replay(&graph).expect("a replay").wait();
            let text = std::mem::take(&mut *printing.text.lock().expect("no panics"));
            match bad {
                None => assert!(ended.is_ok() && text == expected, "{ended:?}, {} bytes", text.len()),
                Some(bad) => {
                    let Err(Error::AssertionFailed { kernel, .. }) = ended else { panic!("{ended:?}") };
                    assert_eq!(kernel, "within");
                    // The item that failed had printed; and no line is in two.
                    assert!(text.lines().any(|line| line == bad.to_string()), "{bad}");
                    assert!(text.lines().all(|line| line.parse::<usize>().is_ok_and(|i| i < N)));
                }
            }
        }
        let _ = printing.queue.wait();
    }
}

#[test]
fn many_queues_print_at_once_and_each_gets_its_own_lines_in_order() {
    const N: usize = 3000;
    let device = Device::cpu_with_threads(4).expect("four workers");
    let printing: Vec<Printing> = (0..6).map(|_| Printing::on(&device)).collect();
    std::thread::scope(|threads| {
        for (number, printing) in printing.iter().enumerate() {
            threads.spawn(move || {
                for round in 0..5 {
                    let expected: String = (0..N).map(|i| format!("{number} {round} {i}\n")).collect();
                    let text = printing.run(|h| h.parallel_for(N, tagged(number as u32, round)));
                    assert!(text == expected, "queue {number}, round {round}: {} bytes", text.len());
                }
            });
        }
    });
}

#[kernel]
fn tagged(item: Item<1>, queue: u32, round: u32) {
    kprintln!("{queue} {round} {}", item.global_id(0));
}

#[test]
fn an_output_that_panics_fails_no_kernel() {
    let device = rig::device();
    let queue =
        QueueOptions::new().on_print(|_| std::panic::resume_unwind(Box::new(1))).build(&device).expect("a queue");
    rig::run(&queue, |h| h.single_task(in_parts(1)));
}

#[test]
fn the_readable_tree_shows_what_is_printed() {
    let text = syclone::Launch::<1>::text(&much());
    assert_says(&text, &["kprint!(\"{0:>100}\\n\", item.global_id(0));"]);
}
