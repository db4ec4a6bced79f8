//! Command graphs: recorded once, replayed as one command.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use crate::common::{Words, calls, failing, is_dependency_failure, kernel, out_of_bounds};
use crate::device_with;
use syclone_runtime::{
    Access, AccessMode, Command, Device, Error, Event, EventStatus, ExecutableGraph, Graph, KernelWork, MemoryObject,
    Name, Queue, QueueOptions, Result, TextOutput, Trace, Worker,
};

fn setup(workers: usize) -> (Device, Queue, Graph) {
    let device = device_with(workers);
    let queue = Queue::new(&device).unwrap();
    let graph = Graph::new(&device, false);
    (device, queue, graph)
}

fn replay(queue: &Queue, graph: &ExecutableGraph) -> Event {
    queue.submit(Command::replay(graph)).unwrap()
}

/// `to[0] = from[0] * 10 + digit`
fn append(from: &Words, to: &Words, digit: u64) -> Command {
    let accesses = if Arc::ptr_eq(&from.0, &to.0) { vec![to.read_write()] } else { vec![from.read(), to.write()] };
    let (source, target) = (from.clone(), to.clone());
    kernel("append", 1, accesses, move |_, _| {
        target.set(0, source.get(0) * 10 + digit);
        Ok(())
    })
}

/// For each command the numbers of those that it waits for.
fn order(graph: &ExecutableGraph) -> Vec<Vec<usize>> {
    graph.order().into_iter().map(|(_, waits)| waits).collect()
}

#[test]
fn a_replay_runs_the_commands_in_the_order_of_their_memory() {
    let (device, queue, graph) = setup(2);
    let (a, b) = (Words::new(&device, 1), Words::new(&device, 1));
    graph.record(append(&a, &a, 1)).unwrap();
    graph.record(append(&a, &b, 2)).unwrap();
    graph.record(append(&a, &a, 3)).unwrap();
    graph.record(append(&b, &b, 4)).unwrap();
    let graph = graph.instantiate().unwrap();
    assert_eq!(order(&graph), [vec![], vec![0], vec![0, 1], vec![1]]);
    assert_eq!(a.host().unwrap(), [0], "recording runs nothing");
    replay(&queue, &graph).wait().unwrap();
    assert_eq!((a.host().unwrap(), b.host().unwrap()), (vec![13], vec![124]));
    replay(&queue, &graph).wait().unwrap();
    assert_eq!((a.host().unwrap(), b.host().unwrap()), (vec![1313], vec![13_124]));
}

#[test]
fn independent_commands_of_a_graph_overlap() {
    let (_device, queue, graph) = setup(2);
    let both = Arc::new(Barrier::new(2));
    for _ in 0..2 {
        let both = Arc::clone(&both);
        graph
            .record(calls("meets", Vec::new(), move || {
                both.wait();
            }))
            .unwrap();
    }
    replay(&queue, &graph.instantiate().unwrap()).wait().unwrap();
}

#[test]
fn a_kernel_of_many_chunks_is_shared_by_the_workers() {
    let (_device, queue, graph) = setup(2);
    let (both, ran) = (Arc::new(Barrier::new(2)), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&ran);
    let meets = kernel("meets", 64, Vec::new(), move |chunk, _| {
        count.fetch_add(chunk + 1, Ordering::Relaxed);
        if chunk < 2 {
            both.wait();
        }
        Ok(())
    });
    graph.record(meets).unwrap();
    let graph = graph.instantiate().unwrap();
    (0..50).for_each(|_| replay(&queue, &graph).wait().unwrap());
    assert_eq!(ran.load(Ordering::Relaxed), 50 * 64 * 65 / 2);
}

#[test]
fn a_replay_has_its_place_among_other_commands() {
    let (device, queue, graph) = setup(2);
    let other = Queue::new(&device_with(1)).unwrap();
    let (a, b) = (Words::new(&device, 1), Words::new(&device, 1));
    graph.record(append(&a, &b, 1)).unwrap();
    graph.record(append(&b, &b, 2)).unwrap();
    let graph = graph.instantiate().unwrap();
    for round in 0..20 {
        let target = a.clone();
        let slow = kernel("slow", 1, vec![a.write()], move |_, _| {
            std::thread::sleep(Duration::from_millis(2));
            target.set(0, round);
            Ok(())
        });
        other.submit(slow).unwrap();
        replay(&queue, &graph);
        let seen = Words::new(&device, 1);
        other.submit(append(&b, &seen, 3)).unwrap();
        assert_eq!(seen.host().unwrap(), [round * 1000 + 123]);
    }
}

#[test]
fn pending_replays_keep_the_commands_that_they_were_submitted_with() {
    let (device, queue, graph) = setup(2);
    let a = Words::new(&device, 1);
    let digit = graph.record(append(&a, &a, 1)).unwrap();
    let graph = graph.instantiate().unwrap();
    let token = a.0.wait_for_host(AccessMode::Write).unwrap();
    for next in 2..=5 {
        replay(&queue, &graph);
        graph.update(&digit, append(&a, &a, next)).unwrap();
    }
    drop(token);
    assert_eq!(a.host().unwrap(), [1234]);
    replay(&queue, &graph).wait().unwrap();
    assert_eq!(a.host().unwrap(), [12345]);
}

#[test]
fn an_update_with_other_memory_changes_the_order() {
    let (device, queue, graph) = setup(2);
    let (a, b, c) = (Words::new(&device, 1), Words::new(&device, 1), Words::new(&device, 1));
    graph.record(append(&a, &a, 1)).unwrap();
    let second = graph.record(append(&a, &b, 2)).unwrap();
    let graph = graph.instantiate().unwrap();
    assert_eq!(order(&graph), [vec![], vec![0]]);
    graph.update(&second, append(&c, &b, 3)).unwrap();
    assert_eq!(order(&graph), [Vec::<usize>::new(), vec![]]);
    c.host_set(&[7]);
    replay(&queue, &graph).wait().unwrap();
    assert_eq!((a.host().unwrap(), b.host().unwrap()), (vec![1], vec![73]));
    // The replay now waits for what the new command reads.
    let target = c.clone();
    let slow = kernel("slow", 1, vec![c.write()], move |_, _| {
        std::thread::sleep(Duration::from_millis(10));
        target.set(0, 9);
        Ok(())
    });
    queue.submit(slow).unwrap();
    replay(&queue, &graph).wait().unwrap();
    assert_eq!(b.host().unwrap(), [93]);
}

#[test]
fn a_failed_command_fails_the_replay_and_what_needs_it_and_the_rest_goes_on() {
    let (device, queue, graph) = setup(2);
    let (a, b, c) = (Words::new(&device, 1), Words::new(&device, 1), Words::new(&device, 1));
    let bad = graph.record(failing("bad", vec![a.write()])).unwrap();
    graph.record(append(&a, &b, 1)).unwrap();
    graph.record(append(&b, &b, 2)).unwrap();
    graph.record(append(&c, &c, 3)).unwrap();
    let graph = graph.instantiate().unwrap();
    b.host_set(&[5]);
    let event = replay(&queue, &graph);
    assert_eq!(event.wait(), Err(out_of_bounds("bad")));
    assert_eq!(event.status(), EventStatus::Failed);
    assert_eq!(queue.wait(), Err(out_of_bounds("bad")));
    assert_eq!((b.get(0), c.get(0)), (5, 3));
    // What the graph would have written is no result, for commands and the host.
    let reader = queue.submit(append(&b, &Words::new(&device, 1), 1)).unwrap();
    assert!(is_dependency_failure(&reader.wait().unwrap_err(), "append", "bad"));
    assert!(is_dependency_failure(&b.host().unwrap_err(), "host access", "bad"));
    let _ = queue.wait();
    // The graph itself can be mended and used again: it writes `a` and `b` before it reads them, but not `c`.
    let target = a.clone();
    let good = calls("good", vec![a.write()], move || target.set(0, 8));
    graph.update(&bad, good).unwrap();
    assert!(is_dependency_failure(&replay(&queue, &graph).wait().unwrap_err(), "graph", "bad"));
    c.host_set(&[0]);
    replay(&queue, &graph).wait().unwrap();
    assert_eq!((b.host().unwrap(), c.host().unwrap()), (vec![812], vec![3]));
}

#[test]
fn bytes_that_the_graph_writes_first_need_no_earlier_result() {
    let (device, queue, graph) = setup(2);
    let a = Words::new(&device, 4);
    let range = |mode, range| Access::range(&a.0, mode, range, "x");
    graph.record(kernel("fills", 1, vec![range(AccessMode::Write, 0..16)], |_, _| Ok(()))).unwrap();
    graph.record(kernel("reads", 1, vec![range(AccessMode::Read, 8..16)], |_, _| Ok(()))).unwrap();
    let inside = graph.instantiate().unwrap();
    queue.submit(failing("bad", vec![a.write()])).unwrap();
    replay(&queue, &inside).wait().unwrap();
    graph.record(kernel("reads_more", 1, vec![range(AccessMode::Read, 8..24)], |_, _| Ok(()))).unwrap();
    let outside = graph.instantiate().unwrap();
    assert!(is_dependency_failure(&replay(&queue, &outside).wait().unwrap_err(), "graph", "bad"));
}

#[test]
fn recorded_events_order_the_graph_and_are_nothing_to_wait_for() {
    let (device, queue, graph) = setup(2);
    let a = Words::new(&device, 1);
    let first = graph.record(append(&a, &a, 1)).unwrap();
    let free = graph.record(kernel("free", 1, Vec::new(), |_, _| Ok(()))).unwrap();
    graph.record(kernel("follows", 1, Vec::new(), |_, _| Ok(())).after(&first).after(&free)).unwrap();
    assert_eq!(order(&graph.instantiate().unwrap()), [vec![], vec![], vec![0, 1]]);
    let recorded = Error::Recorded { command: "append".into() };
    assert_eq!(first.wait(), Err(recorded.clone()));
    let outside = queue.submit(Command::empty("outside").after(&first)).unwrap();
    assert_eq!(outside.wait(), Err(Error::DependencyFailed { command: "outside".into(), first: Arc::new(recorded) }));
    let submitted = queue.submit(Command::empty("submitted")).unwrap();
    let stranger = graph.record(Command::empty("inside").after(&submitted));
    assert_eq!(stranger.unwrap_err(), Error::NotInGraph { command: "inside".into(), event: "submitted".into() });
    let _ = queue.wait();
}

#[test]
fn what_cannot_be_replayed_is_refused_when_it_is_recorded() {
    let (device, _queue, graph) = setup(1);
    let once = graph.record(Command::host_task("once", || Ok(())));
    assert!(matches!(once.unwrap_err(), Error::NotReplayable { command, .. } if command == "once"));
    let inner = Graph::new(&device, false).instantiate().unwrap();
    assert!(matches!(graph.record(Command::replay(&inner)).unwrap_err(), Error::NotReplayable { .. }));
    let a = Words::new(&device, 1);
    let twice = graph.record(kernel("twice", 1, vec![a.read(), a.write()], |_, _| Ok(())));
    assert!(matches!(twice.unwrap_err(), Error::AccessConflict { .. }));
    assert!(graph.is_empty());
    let other = Queue::new(&device_with(1)).unwrap();
    let foreign = other.submit(Command::replay(&graph.instantiate().unwrap()));
    let (device, owner) = (other.device().info().selector.clone(), device.info().selector.clone());
    let error = foreign.unwrap_err();
    assert_eq!(error, Error::ForeignGraph { command: "graph".into(), device: device.clone(), owner: owner.clone() });
    let text =
        format!("'graph': the graph was made for {owner}, not for {device}\nreplay it in a queue of {owner}, or ");
    assert!(error.to_string().starts_with(&text), "{error}");
}

#[test]
fn a_replayed_host_task_runs_in_every_replay_and_keeps_its_state() {
    let (device, queue, graph) = setup(2);
    let a = Words::new(&device, 1);
    let (target, mut calls) = (a.clone(), 0);
    let task = Command::replayed_host_task("counts", move || {
        calls += 1;
        target.set(0, calls);
        Ok(())
    });
    graph.record(task.access(a.write())).unwrap();
    let graph = graph.instantiate().unwrap();
    (0..7).for_each(|_| drop(replay(&queue, &graph)));
    assert_eq!(a.host().unwrap(), [7]);
}

#[test]
fn barriers_and_in_order_recordings_order_the_graph() {
    let (device, _queue, graph) = setup(1);
    let nothing = || kernel("nothing", 1, Vec::new(), |_, _| Ok(()));
    let first = graph.record(nothing()).unwrap();
    graph.record(nothing()).unwrap();
    graph.record_barrier(None).unwrap();
    graph.record(nothing()).unwrap();
    graph.record_barrier(Some(&[first])).unwrap();
    graph.record(nothing()).unwrap();
    assert_eq!(order(&graph.instantiate().unwrap()), [vec![], vec![], vec![0, 1], vec![2], vec![0, 2], vec![4]]);
    let graph = Graph::new(&device, true);
    (0..3).for_each(|_| drop(graph.record(nothing()).unwrap()));
    assert_eq!(order(&graph.instantiate().unwrap()), [vec![], vec![0], vec![1]]);
}

#[test]
fn the_times_of_a_replay_span_its_commands() {
    let (device, _queue, graph) = setup(1);
    let queue = Queue::with(&device, QueueOptions { in_order: false, profiling: true }).unwrap();
    for _ in 0..3 {
        graph.record(calls("pause", Vec::new(), || std::thread::sleep(Duration::from_millis(5)))).unwrap();
    }
    let pause = calls("before", Vec::new(), || std::thread::sleep(Duration::from_millis(20)));
    let before = queue.submit(pause).unwrap();
    let event = queue.submit(Command::replay(&graph.instantiate().unwrap()).after(&before)).unwrap();
    event.wait().unwrap();
    let (times, before) = (event.profiling().unwrap(), before.profiling().unwrap());
    assert!(times.end - times.start >= 15_000_000, "{times:?}");
    assert!(times.submitted < before.end && before.end <= times.start, "{times:?} after {before:?}");
}

#[test]
fn each_command_of_a_replay_has_its_times_if_the_graph_was_made_to_tell() {
    let (device, queue, graph) = setup(2);
    let x = Words::new(&device, 1);
    let pause = |name, accesses| calls(name, accesses, || std::thread::sleep(Duration::from_millis(2)));
    graph.record(pause("first", vec![x.write()])).unwrap();
    let second = graph.record(pause("second", vec![x.read()])).unwrap();
    graph.record(pause("beside", Vec::new())).unwrap();
    graph.record(Command::empty("empty").after(&second)).unwrap();
    let broken = graph.record(failing("breaks", Vec::new())).unwrap();
    graph.record(pause("skipped", Vec::new()).after(&broken)).unwrap();
    graph.record(kernel("chunks", 5, Vec::new(), |_, _| Ok(()))).unwrap();
    let silent = graph.instantiate().unwrap();
    let telling = graph.instantiate_with_times().unwrap();
    assert_eq!(telling.command_times(), None, "nothing was replayed");
    let mut before = 0;
    for round in 0..3 {
        // With nodes, as a trace wants them, and without.
        let trace = (round == 1).then(|| Trace::start_for(std::slice::from_ref(&device)));
        assert!(replay(&queue, &telling).wait().is_err());
        drop(trace);
        let times = telling.command_times().unwrap();
        let names: Vec<&str> = times.iter().map(|times| &*times.name).collect();
        assert_eq!(names, ["first", "second", "beside", "empty", "breaks", "skipped", "chunks"]);
        assert!(times.iter().all(|times| before < times.start && times.start <= times.end), "{times:?}");
        assert!([0, 1, 2].iter().all(|&pause| times[pause].end - times[pause].start >= 2_000_000), "{times:?}");
        assert!(times[0].end <= times[1].start && times[1].end <= times[3].end, "{times:?}");
        assert!([3, 5].iter().all(|&idle| times[idle].start == times[idle].end), "{times:?}");
        assert!(times[4].end <= times[5].end, "{times:?}");
        before = times.iter().map(|times| times.end).max().unwrap();
    }
    assert!(replay(&queue, &silent).wait().is_err());
    assert_eq!(silent.command_times(), None);
    assert_eq!(telling.command_times().unwrap().iter().map(|times| times.end).max(), Some(before));
    let _ = queue.wait();
}

#[test]
fn independent_commands_run_once_in_each_replay_however_short_or_long_they_have_been() {
    let (device, queue, graph) = setup(2);
    let counts = Words::new(&device, 150);
    let slow = Arc::new(AtomicUsize::new(0));
    for word in 0..150 {
        let (counts, slow) = (counts.clone(), Arc::clone(&slow));
        let access = Access::range(&counts.0, AccessMode::ReadWrite, word * 8..word * 8 + 8, "count");
        let count = calls("count", vec![access], move || {
            std::thread::sleep(Duration::from_micros(slow.load(Ordering::Relaxed) as u64));
            counts.set(word, counts.get(word) + 1);
        });
        graph.record(count).unwrap();
    }
    let graph = graph.instantiate().unwrap();
    for round in 0..60 {
        slow.store(if round % 20 == 19 { 50 } else { 0 }, Ordering::Relaxed);
        replay(&queue, &graph).wait().unwrap();
    }
    queue.wait().unwrap();
    assert_eq!(counts.host().unwrap(), [60; 150]);
}

#[test]
fn an_empty_graph_and_one_of_empty_commands_complete() {
    let (_device, queue, graph) = setup(1);
    replay(&queue, &graph.instantiate().unwrap()).wait().unwrap();
    let first = graph.record(Command::empty("first")).unwrap();
    graph.record(Command::empty("second").after(&first)).unwrap();
    replay(&queue, &graph.instantiate().unwrap()).wait().unwrap();
    queue.wait().unwrap();
}

#[test]
fn a_graph_may_be_dropped_while_it_is_replayed_and_then_keeps_no_memory() {
    let (device, queue, graph) = setup(1);
    let a = Words::new(&device, 1000);
    let target = a.clone();
    let fill = kernel("fill", 1000, vec![a.write()], move |chunk, _| {
        target.set(chunk, 1);
        Ok(())
    });
    graph.record(fill).unwrap();
    let executable = graph.instantiate().unwrap();
    replay(&queue, &executable);
    drop((executable, graph));
    assert_eq!(a.host().unwrap(), [1; 1000]);
    queue.wait().unwrap();
    assert_eq!(Arc::strong_count(&a.0), 1);
    drop(a);
    assert_eq!(device.memory_stats().in_use, 0);
}

/// A kernel that can't run twice without being rewound.
struct Fused {
    blown: AtomicUsize,
}

impl KernelWork for Fused {
    fn name(&self) -> Name {
        "fused".into()
    }

    fn chunks(&self) -> usize {
        1
    }

    unsafe fn run(&self, _chunk: usize, _worker: &mut Worker) -> Result<()> {
        assert_eq!(self.blown.fetch_add(1, Ordering::Relaxed), 0);
        Ok(())
    }

    fn rewind(&self, _output: Option<&TextOutput>) {
        self.blown.store(0, Ordering::Relaxed);
    }
}

#[test]
fn work_is_rewound_before_each_replay() {
    let (_device, queue, graph) = setup(2);
    // SAFETY: the kernel touches no memory.
    graph.record(unsafe { Command::kernel(Box::new(Fused { blown: AtomicUsize::new(0) }), Vec::new()) }).unwrap();
    let graph = graph.instantiate().unwrap();
    (0..100).for_each(|_| drop(replay(&queue, &graph)));
    queue.wait().unwrap();
}

#[test]
fn random_graphs_leave_what_their_commands_leave_one_after_another() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = move |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    for round in 0..200 {
        let (device, queue, graph) = setup(3);
        let objects: Vec<Words> = (0..4).map(|_| Words::new(&device, 1)).collect();
        let mut model = [0u64; 4];
        let mut steps = Vec::new();
        for step in 0..20 {
            let (from, to) = (next(4), next(4));
            graph.record(mix(&objects[from], &objects[to], step)).unwrap();
            steps.push((from, to, step));
        }
        let graph = graph.instantiate().unwrap();
        for _ in 0..3 {
            replay(&queue, &graph);
            for &(from, to, step) in &steps {
                model[to] = mixed(model[from], step);
            }
        }
        let left: Vec<u64> = objects.iter().map(|words| words.host().unwrap()[0]).collect();
        assert_eq!(left, model, "round {round}: {steps:?}");
    }
}

fn mixed(value: u64, step: u64) -> u64 {
    value.wrapping_mul(31).wrapping_add(step + 1)
}

fn mix(from: &Words, to: &Words, step: u64) -> Command {
    let accesses = if Arc::ptr_eq(&from.0, &to.0) { vec![to.read_write()] } else { vec![from.read(), to.write()] };
    let (source, target) = (from.clone(), to.clone());
    calls("mix", accesses, move || target.set(0, mixed(source.get(0), step)))
}

#[test]
fn memory_is_the_callers_again_as_soon_as_a_replay_has_been_waited_for() {
    let device = device_with(2);
    let queue = Queue::new(&device).unwrap();
    for round in 0..4000u64 {
        let object = MemoryObject::from_vec(vec![0u64; 4]);
        let graph = Graph::new(&device, false);
        for part in 0..4 {
            graph.record(Command::fill(&object, part * 8, 8, &round.to_ne_bytes()).unwrap()).unwrap();
        }
        let executable = graph.instantiate().unwrap();
        // Behind another command, so that a worker begins it.
        let before = queue.submit(calls("before", Vec::new(), || {})).unwrap();
        let event = queue.submit(Command::replay(&executable).after(&before)).unwrap();
        drop((graph, executable));
        event.wait().unwrap();
        assert_eq!(object.try_into_vec::<u64>().expect("nobody else holds it"), [round; 4]);
    }
}

#[test]
fn replays_of_two_graphs_from_one_recording_do_not_overlap_since_they_share_its_kernels() {
    let (device, queue, graph) = setup(2);
    let inside = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (count, seen) = (Arc::clone(&inside), Arc::clone(&most));
    let alone = calls("alone", Vec::new(), move || {
        seen.fetch_max(count.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_micros(200));
        count.fetch_sub(1, Ordering::SeqCst);
    });
    graph.record(alone).unwrap();
    let graphs = [graph.instantiate().unwrap(), graph.instantiate().unwrap()];
    let other = Queue::new(&device).unwrap();
    for round in 0..50 {
        replay(if round % 3 == 0 { &other } else { &queue }, &graphs[round % 2]);
    }
    queue.wait().unwrap();
    other.wait().unwrap();
    assert_eq!(most.load(Ordering::SeqCst), 1);
}
