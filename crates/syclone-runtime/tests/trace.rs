//! Traces: what is recorded, and that its files are what Perfetto and Graphviz read.

mod common;

use std::collections::HashMap;
use std::sync::mpsc;

use serde_json::Value;
use syclone_runtime::{
    AccessMode, Command, Device, Graph, MemoryObject, Queue, QueueOptions, Trace, TraceReport, TracedKind,
};

use common::{Words, failing, kernel};

/// A device of the test's own, so that other tests' commands are not in its trace.
fn device() -> Device {
    Device::cpu_with_threads(2).unwrap()
}

/// The numbers of the commands called `name`.
fn named(report: &TraceReport, name: &str) -> Vec<u64> {
    report.commands().iter().filter(|command| command.name == name).map(|command| command.id).collect()
}

/// Whether the one command called `later` follows the one called `earlier`; with its results if `data`.
fn follows(report: &TraceReport, later: &str, earlier: &str) -> Option<bool> {
    let (later, earlier) = (named(report, later)[0], named(report, earlier)[0]);
    let found = report.dependencies().iter().find(|edge| (edge.command, edge.follows) == (later, earlier));
    found.map(|edge| edge.data)
}

/// Three commands on two queues, a host task, a failure and what depends on it.
fn mixed(device: &Device) -> TraceReport {
    let (a, b) = (Words::new(device, 1000), Words::new(device, 1000));
    let (first, second) = (Queue::new(device).unwrap(), Queue::new(device).unwrap());
    let trace = Trace::start_for(std::slice::from_ref(device));
    first.submit(Command::fill(&a.0, 0, 8000, &[1]).unwrap()).unwrap();
    second.submit(Command::copy(&a.0, 0, &b.0, 0, 8000).unwrap()).unwrap();
    first.submit(kernel("count", 10, vec![b.read_write()], |_, _| Ok(()))).unwrap();
    let task = Command::host_task("say \"hi\"\n\u{1}", || Ok(())).access(b.read());
    first.submit(task).unwrap().wait().unwrap();
    second.submit(failing("breaks", vec![a.write()])).unwrap();
    let skipped = second.submit(kernel("skipped", 1, vec![a.read()], |_, _| Ok(()))).unwrap();
    assert!(skipped.wait().is_err());
    let _ = (first.wait(), second.wait());
    trace.finish()
}

#[test]
fn a_trace_knows_every_command_its_memory_its_workers_and_whom_it_followed() {
    let device = device();
    let report = mixed(&device);
    let of_device = |name| report.command(named(&report, name)[0]).unwrap();
    let count = of_device("count");
    assert_eq!(count.kind, TracedKind::Kernel);
    assert_eq!(count.device.as_deref(), Some(&*device.info().selector));
    assert_eq!(count.runs.iter().map(|run| run.chunks).sum::<usize>(), 10);
    assert!(count.runs.iter().all(|run| run.worker < 2 && run.start <= run.end));
    assert_eq!((count.accesses.len(), count.accesses[0].mode), (1, AccessMode::ReadWrite));
    assert_eq!(count.accesses[0].range, 0..8000);
    let times = [Some(count.submitted), Some(count.placed), count.start, count.end];
    assert!(times.iter().all(Option::is_some) && times.is_sorted(), "{times:?}");
    assert!(count.runs.iter().all(|run| count.end.unwrap() >= run.end));

    assert_eq!(of_device("copy").kind, TracedKind::Copy);
    assert_eq!(of_device("fill").kind, TracedKind::Fill);
    assert_ne!(of_device("copy").queue, of_device("fill").queue);
    assert!(of_device("breaks").error.as_ref().unwrap().contains("breaks"));
    let skipped = of_device("skipped");
    assert!(skipped.runs.is_empty() && skipped.start.is_none() && skipped.error.as_ref().unwrap().contains("breaks"));

    assert_eq!(follows(&report, "copy", "fill"), Some(true));
    assert_eq!(follows(&report, "count", "copy"), Some(true));
    assert_eq!(follows(&report, "count", "fill"), None, "only through the copy");
    assert_eq!(follows(&report, "breaks", "copy"), Some(false), "it overwrites what the copy reads");
    assert_eq!(follows(&report, "skipped", "breaks"), Some(true));
    assert_eq!(report.dropped_steps(), 0);
}

#[test]
fn the_order_of_a_queue_is_in_the_trace_though_the_earlier_command_had_ended() {
    let device = device();
    let options = QueueOptions { in_order: true, ..QueueOptions::default() };
    let (in_order, other) = (Queue::with(&device, options).unwrap(), Queue::new(&device).unwrap());
    let run = |queue: &Queue, name| queue.submit(Command::host_task(name, || Ok(()))).unwrap().wait().unwrap();
    run(&in_order, "before the trace");
    let trace = Trace::start_for(std::slice::from_ref(&device));
    for name in ["one", "two", "three"] {
        run(&in_order, name);
    }
    run(&other, "a");
    run(&other, "b");
    other.barrier().unwrap().wait().unwrap();
    run(&other, "c");
    run(&other, "d");
    in_order.wait().unwrap();
    let report = trace.finish();
    assert_eq!(follows(&report, "two", "one"), Some(false));
    assert_eq!(follows(&report, "three", "two"), Some(false));
    assert_eq!(follows(&report, "three", "one"), None, "only through the second");
    assert_eq!(follows(&report, "b", "a"), None, "the queue is out of order");
    for earlier in ["a", "b"] {
        assert_eq!(follows(&report, "barrier", earlier), Some(false), "{earlier}");
    }
    for later in ["c", "d"] {
        assert_eq!(follows(&report, later, "barrier"), Some(false), "{later}");
        assert_eq!(follows(&report, later, "b"), None);
    }
    assert_eq!(report.dependencies().len(), 6);
    check_json(&report);
}

#[test]
fn a_host_access_is_in_the_trace_with_whom_it_waited_for_and_who_waited_for_it() {
    let device = device();
    let words = Words::new(&device, 4);
    let queue = Queue::new(&device).unwrap();
    let trace = Trace::start();
    queue.submit(kernel("before the host", 1, vec![words.write()], |_, _| Ok(()))).unwrap();
    let token = words.0.wait_for_host(AccessMode::ReadWrite).unwrap();
    queue.submit(kernel("after the host", 1, vec![words.read()], |_, _| Ok(()))).unwrap();
    drop(token);
    queue.wait().unwrap();
    let report = trace.finish();
    let object = words.0.id();
    let access = report.commands().iter().find(|c| c.kind == TracedKind::HostAccess && c.accesses[0].object == object);
    let access = access.unwrap();
    assert!(access.device.is_none() && access.queue.is_none() && access.start.is_some() && access.end.is_some());
    let edge = |later, earlier| report.dependencies().iter().any(|e| (e.command, e.follows) == (later, earlier));
    assert!(edge(access.id, named(&report, "before the host")[0]));
    assert!(edge(named(&report, "after the host")[0], access.id));
    check_json(&report);
}

#[test]
fn commands_before_and_after_a_trace_are_not_in_it_and_those_under_way_have_no_end() {
    let device = device();
    let queue = Queue::new(&device).unwrap();
    queue.submit(Command::empty("before")).unwrap().wait().unwrap();
    let trace = Trace::start_for(std::slice::from_ref(&device));
    let (release, blocked) = mpsc::channel::<()>();
    let event = queue
        .submit(Command::host_task("long", move || {
            blocked.recv().unwrap();
            Ok(())
        }))
        .unwrap();
    queue.submit(Command::empty("waits").after(&event)).unwrap();
    let report = trace.finish();
    release.send(()).unwrap();
    queue.submit(Command::empty("after")).unwrap();
    queue.wait().unwrap();
    let names: Vec<_> = report.commands().iter().map(|command| &*command.name).collect();
    assert_eq!(names, ["long", "waits"]);
    assert!(report.commands().iter().all(|command| command.end.is_none()));
    assert_eq!(follows(&report, "waits", "long"), Some(true));
    check_json(&report);
}

#[test]
fn traces_that_overlap_each_record_their_own_devices() {
    let (one, two) = (device(), device());
    let (first, second) = (Trace::start_for(std::slice::from_ref(&one)), Trace::start_for(std::slice::from_ref(&two)));
    for (device, name) in [(&one, "on one"), (&two, "on two")] {
        Queue::new(device).unwrap().submit(Command::empty(name)).unwrap().wait().unwrap();
    }
    for (report, name) in [(first.finish(), "on one"), (second.finish(), "on two")] {
        assert_eq!(report.commands().iter().map(|command| &*command.name).collect::<Vec<_>>(), [name]);
    }
}

#[test]
fn an_in_order_queue_shows_its_order_and_a_full_trace_counts_what_it_drops() {
    let device = device();
    let queue = Queue::with(&device, QueueOptions { in_order: true, ..QueueOptions::default() }).unwrap();
    let trace = Trace::start_for(std::slice::from_ref(&device));
    let (release, blocked) = mpsc::channel::<()>();
    queue
        .submit(Command::host_task("one", move || {
            blocked.recv().unwrap();
            Ok(())
        }))
        .unwrap();
    queue.submit(Command::empty("two")).unwrap();
    release.send(()).unwrap();
    queue.wait().unwrap();
    let report = trace.finish();
    assert!(report.commands().iter().all(|command| command.in_order));
    assert_eq!(follows(&report, "two", "one"), Some(false));

    let trace = Trace::with_capacity(3);
    (0..10).for_each(|_| drop(queue.submit(Command::empty("many")).unwrap()));
    queue.wait().unwrap();
    let report = trace.finish();
    assert!(report.dropped_steps() >= 10, "{}", report.dropped_steps());
    check_json(&report);
}

#[test]
fn the_json_keeps_every_rule_of_the_trace_event_format() {
    check_json(&mixed(&device()));
    // Many commands at once: workers' slices must still not overlap on their tracks.
    let device = device();
    let queue = Queue::new(&device).unwrap();
    let objects: Vec<_> = (0..8).map(|_| Words::new(&device, 64)).collect();
    let trace = Trace::start_for(std::slice::from_ref(&device));
    for step in 0..200 {
        let (from, to) = (&objects[step % 8], &objects[(step * 3 + 1) % 8]);
        let command = if step % 8 == (step * 3 + 1) % 8 {
            kernel("in place", 4, vec![to.read_write()], |_, _| Ok(()))
        } else {
            kernel("between", 3, vec![from.read(), to.write()], |_, _| Ok(()))
        };
        queue.submit(command).unwrap();
    }
    queue.wait().unwrap();
    let report = trace.finish();
    assert_eq!(report.commands().len(), 200);
    // Each reads what the one before it on its source has written, from the ninth on at the latest.
    let last = report.commands().last().unwrap().id;
    assert!(report.dependencies().iter().any(|edge| edge.command == last && edge.data));
    check_json(&report);
}

/// Checks the JSON against the rules that Perfetto's importer keeps, with a strict parser.
fn check_json(report: &TraceReport) {
    let root: Value = serde_json::from_str(&report.to_json()).expect("strict JSON");
    let events = root["traceEvents"].as_array().expect("a list of events");
    let number = |event: &Value, key: &str| event[key].as_f64().unwrap_or_else(|| panic!("no {key}: {event}"));
    // In nanoseconds, which the microseconds with three decimals hold exactly.
    let nanoseconds = |event: &Value, key: &str| (number(event, key) * 1000.0).round() as u64;
    let mut slices: HashMap<(u64, u64), Vec<(u64, u64)>> = HashMap::new();
    let mut open: HashMap<(String, String), u64> = HashMap::new();
    let mut flows: HashMap<u64, (Option<&Value>, Option<&Value>)> = HashMap::new();
    for event in events {
        let track = (event["pid"].as_u64().expect("pid"), event["tid"].as_u64().expect("tid"));
        let text = |key: &str| event[key].as_str().unwrap_or_else(|| panic!("no {key}: {event}")).to_owned();
        match &*text("ph") {
            "M" => {
                assert!(["process_name", "thread_name"].contains(&&*text("name")) && event["args"]["name"].is_string())
            }
            "X" => {
                assert!(!text("cat").is_empty() && event["args"]["id"].is_u64());
                let start = nanoseconds(event, "ts");
                slices.entry(track).or_default().push((start, start + nanoseconds(event, "dur")));
            }
            "b" => assert!(open.insert((text("cat"), text("id")), nanoseconds(event, "ts")).is_none()),
            "e" => {
                let begin = open.remove(&(text("cat"), text("id"))).expect("an end has a beginning");
                assert!(begin <= nanoseconds(event, "ts"));
            }
            "s" => assert!(flows.entry(number(event, "id") as u64).or_default().0.replace(event).is_none()),
            "f" => {
                assert_eq!(event["bp"], "e");
                assert!(flows.entry(number(event, "id") as u64).or_default().1.replace(event).is_none());
            }
            other => panic!("no such phase: {other}"),
        }
    }
    assert!(open.is_empty(), "spans without an end: {open:?}");
    for (&(pid, tid), track) in &mut slices {
        track.sort_unstable();
        let workers = pid > 0 && tid > 0;
        for pair in track.windows(2) {
            assert!(!workers || pair[0].1 <= pair[1].0, "slices of worker {tid} overlap: {pair:?}");
        }
    }
    for (id, (start, finish)) in flows {
        let (start, finish) = (start.expect("a flow starts"), finish.expect("a flow ends"));
        assert_eq!((&start["cat"], &start["name"]), (&finish["cat"], &finish["name"]), "flow {id}");
        assert!(nanoseconds(start, "ts") <= nanoseconds(finish, "ts"), "flow {id} goes back in time");
        for end in [start, finish] {
            let track = &slices[&(end["pid"].as_u64().unwrap(), end["tid"].as_u64().unwrap())];
            let at = nanoseconds(end, "ts");
            assert!(track.iter().any(|&(start, stop)| start <= at && at < stop), "flow {id} meets no slice: {end}");
        }
    }
    // Every command is there, with its name unharmed and its dependencies.
    for command in report.commands() {
        let found = events.iter().find(|event| event["ph"] == "b" && event["args"]["id"] == command.id);
        let found = found.expect("every command has a span");
        assert_eq!(found["name"], *command.name);
        let edges = report.dependencies().iter().filter(|edge| edge.command == command.id).map(|edge| edge.follows);
        assert_eq!(found["args"]["follows"], Value::from(edges.collect::<Vec<_>>()));
    }
}

#[test]
fn a_replay_is_a_command_and_so_is_each_command_of_its_graph() {
    let device = device();
    let queue = Queue::new(&device).unwrap();
    let (a, b) = (Words::new(&device, 8), Words::new(&device, 8));
    let graph = Graph::new(&device, false);
    graph.record(Command::fill(&a.0, 0, 64, &[1]).unwrap()).unwrap();
    graph.record(Command::copy(&a.0, 0, &b.0, 0, 64).unwrap()).unwrap();
    graph.record(Command::empty("joins").access(b.read())).unwrap();
    let graph = graph.instantiate().unwrap();
    let trace = Trace::start_for(std::slice::from_ref(&device));
    queue.submit(Command::replay(&graph)).unwrap();
    queue.submit(kernel("after", 1, vec![b.read_write()], |_, _| Ok(()))).unwrap();
    queue.wait().unwrap();
    let report = trace.finish();
    let kinds: Vec<_> = report.commands().iter().map(|command| command.kind).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == TracedKind::Graph).count(), 1);
    assert_eq!(report.commands().len(), 5, "{kinds:?}");
    assert!(report.commands().iter().all(|command| command.end.is_some()));
    assert_eq!(follows(&report, "copy", "fill"), Some(true));
    assert_eq!(follows(&report, "joins", "copy"), Some(true));
    let replay = report.commands().iter().find(|command| command.kind == TracedKind::Graph).unwrap();
    let after = named(&report, "after")[0];
    assert!(report.dependencies().iter().any(|edge| (edge.command, edge.follows) == (after, replay.id)));
    let within = |id: u64| {
        let command = report.command(id).unwrap();
        replay.submitted <= command.submitted && command.end <= replay.end
    };
    assert!(within(named(&report, "fill")[0]) && within(named(&report, "joins")[0]));
    check_json(&report);
}

#[test]
fn commands_of_a_graph_that_must_not_run_are_in_the_trace_with_the_first_cause() {
    let device = device();
    let queue = Queue::new(&device).unwrap();
    let a = Words::new(&device, 8);
    let graph = Graph::new(&device, false);
    graph.record(Command::empty("starts")).unwrap();
    graph.record(failing("breaks", vec![a.write()])).unwrap();
    graph.record(kernel("skipped", 1, vec![a.read_write()], |_, _| Ok(()))).unwrap();
    let graph = graph.instantiate().unwrap();
    let trace = Trace::start_for(std::slice::from_ref(&device));
    assert!(queue.submit(Command::replay(&graph)).unwrap().wait().is_err());
    let report = trace.finish();
    let skipped = report.command(named(&report, "skipped")[0]).unwrap();
    assert!(skipped.runs.is_empty() && skipped.error.as_ref().unwrap().contains("'breaks'"), "{skipped:?}");
    assert_eq!(follows(&report, "skipped", "breaks"), Some(true));
    assert!(report.command(named(&report, "starts")[0]).unwrap().end.is_some());
    check_json(&report);
    let _ = queue.wait();
}

#[test]
fn the_graph_has_each_command_once_in_its_queue_and_an_edge_for_each_dependency() {
    let device = device();
    let queue = Queue::new(&device).unwrap();
    let object = MemoryObject::allocate(&device, 64).unwrap();
    let trace = Trace::start_for(std::slice::from_ref(&device));
    queue.submit(Command::fill(&object, 0, 64, &[1]).unwrap()).unwrap();
    queue.submit(Command::host_task("a \"quoted\" task", || Ok(())).access(Words(object.clone()).read())).unwrap();
    queue.submit(Command::fill(&object, 0, 64, &[2]).unwrap()).unwrap();
    queue.wait().unwrap();
    let report = trace.finish();
    let ids: Vec<_> = report.commands().iter().map(|command| command.id).collect();
    let dot = report.to_dot();
    assert!(dot.starts_with("digraph commands {") && dot.ends_with("}\n"), "{dot}");
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    assert_eq!(dot.matches("subgraph cluster_0 {").count(), 1);
    for id in &ids {
        assert_eq!(dot.matches(&format!("        c{id} [label=\"")).count(), 1, "{dot}");
    }
    assert!(dot.contains(r#"a \"quoted\" task\nhost task"#), "{dot}");
    assert!(dot.contains(&format!("    c{} -> c{};\n", ids[0], ids[1])), "{dot}");
    assert!(dot.contains(&format!("    c{} -> c{} [style=dashed];\n", ids[1], ids[2])), "{dot}");
}
