//! The dry-run device itself: what it claims to be, how it is found, its turns, and its faults.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Words, calls, kernel};
use syclone_runtime::{
    Access, AccessMode, Aspect, Command, Device, DryRun, DryRunOptions, Error, Event, EventStatus, Fault, FaultKind,
    Graph, MemoryObject, Name, Queue, QueueOptions, Region, Trace, TracedKind,
};

fn stepped() -> DryRunOptions {
    DryRunOptions::new("card").stepped()
}

fn start(options: DryRunOptions) -> (DryRun, Queue) {
    let dry = options.build().unwrap();
    let queue = Queue::new(dry.device()).unwrap();
    (dry, queue)
}

/// Independent commands that do nothing, and their events.
fn submit(queue: &Queue, count: usize) -> Vec<Event> {
    (0..count).map(|_| queue.submit(kernel("nothing", 1, Vec::new(), |_, _| Ok(()))).unwrap()).collect()
}

#[test]
fn a_device_is_what_its_options_say_and_launches_are_checked_against_it() {
    let options = stepped().compute_units(7).work_groups(256, [256, 8, 8]).local_memory(1000).memory(1 << 20, 1 << 16);
    let dry = options.sub_groups([64, 32], 32).aspects([Aspect::Gpu]).build().unwrap();
    let device = dry.device();
    let info = device.info();
    assert_eq!((info.backend, info.name.as_str(), info.compute_units), ("dry", "card", 7));
    assert_eq!((&info.sub_group_sizes[..], info.default_sub_group_size), (&[32, 64][..], 32));
    assert!(device.has(Aspect::Gpu) && !device.has(Aspect::QueueProfiling));
    let name = Name::Borrowed("k");
    assert!(matches!(device.check_nd_range(&name, &[16], &[16]), Ok(())));
    assert!(matches!(
        device.check_nd_range(&name, &[1, 16], &[1, 16]),
        Err(Error::WorkGroupTooLarge { dimension: Some(1), limit: 8, .. })
    ));
    assert!(matches!(
        device.check_local_memory(&name, 1001, None),
        Err(Error::LocalMemoryTooLarge { limit: 1000, .. })
    ));
    assert!(matches!(device.check_sub_group_size(&name, 16), Err(Error::SubGroupSizeUnsupported { .. })));
    let options = QueueOptions { in_order: false, profiling: true };
    assert!(matches!(Queue::with(device, options), Err(Error::AspectMissing { aspect: Aspect::QueueProfiling, .. })));
    let error = MemoryObject::allocate(device, (1 << 16) + 1).unwrap_err();
    let expected = Error::AllocationTooLarge { device: info.selector.clone(), asked: 65_537, limit: 65_536 };
    assert_eq!(error, expected);
    let text = "an allocation of 65537 bytes is over the limit of 65536 bytes for one\nuse several smaller ones";
    assert!(error.to_string().starts_with(&format!("{}: {text}", info.selector)), "{error}");
    assert!(matches!(MemoryObject::allocate(device, (1 << 20) + 1), Err(Error::OutOfMemory { in_use: 0, .. })));
    let all: Vec<_> = (0..16).map(|_| MemoryObject::allocate(device, 1 << 16).unwrap()).collect();
    assert!(matches!(MemoryObject::allocate(device, 1), Err(Error::OutOfMemory { in_use: 0x10_0000, .. })));
    drop(all);
    assert_eq!(device.memory_stats().in_use, 0);
}

#[test]
fn options_that_contradict_each_other_are_refused_with_the_reason() {
    let problem = |options: DryRunOptions| options.build().unwrap_err().to_string();
    assert!(problem(stepped().compute_units(0)).contains("device 'card': compute_units is 0"));
    assert!(problem(stepped().memory(1, 2)).contains("an allocation of 2 bytes does not fit a memory of 1"));
    assert!(problem(stepped().sub_groups([8], 16)).contains("the default sub-group size 16 is none of [8]"));
    assert!(problem(stepped().fault(Fault::at(FaultKind::Copy, 0))).contains("counted from 1"));
    let never = Fault::with_probability(FaultKind::Launch, f64::NAN);
    assert!(problem(stepped().fault(never)).contains("from 0 to 1"));
}

#[test]
fn kernels_have_no_effect_unless_asked_for_but_copies_fills_and_host_tasks_do() {
    for runs in [false, true] {
        let options = if runs { stepped().run_kernels() } else { stepped() };
        let (dry, queue) = start(options);
        let (a, b) = (Words::new(dry.device(), 1), Words::new(dry.device(), 1));
        let target = a.clone();
        let set = kernel("set", 1, vec![a.write()], move |_, _| {
            target.set(0, 5);
            Ok(())
        });
        queue.submit(Command::fill(&a.0, 0, 8, &3u64.to_ne_bytes()).unwrap()).unwrap();
        queue.submit(set).unwrap();
        queue.submit(Command::copy(&a.0, 0, &b.0, 0, 8).unwrap()).unwrap();
        let target = b.clone();
        let add = Command::host_task("add", move || {
            target.set(0, target.get(0) + 100);
            Ok(())
        });
        queue.submit(add.access(b.read_write())).unwrap();
        // Each command has two turns, one after the other.
        assert_eq!(dry.run_until_idle(), 8);
        assert_eq!(b.host().unwrap(), [if runs { 105 } else { 103 }]);
    }
}

#[test]
fn a_command_runs_in_one_step_and_ends_in_another() {
    let (dry, queue) = start(stepped());
    let event = submit(&queue, 1).remove(0);
    assert_eq!((event.status(), dry.pending(), dry.running()), (EventStatus::Submitted, 1, 0));
    assert!(dry.step());
    assert_eq!((event.status(), dry.pending(), dry.running()), (EventStatus::Running, 1, 1));
    assert!(dry.step());
    assert_eq!((event.status(), dry.pending(), dry.step()), (EventStatus::Complete, 0, false));
}

/// In which order independent commands end.
fn order(seed: u64) -> Vec<usize> {
    let (dry, queue) = start(stepped().seed(seed));
    let events = submit(&queue, 8);
    let mut order = Vec::new();
    while dry.step() {
        let ended = (0..8).filter(|&idx| events[idx].status() == EventStatus::Complete);
        let new: Vec<usize> = ended.filter(|idx| !order.contains(idx)).collect();
        order.extend(new);
    }
    order
}

#[test]
fn a_seed_decides_the_order_in_which_commands_end() {
    let orders: Vec<Vec<usize>> = (0..20).map(order).collect();
    for (seed, first) in (0..).zip(&orders) {
        assert_eq!(*first, order(seed), "seed {seed}");
        assert_eq!(first.len(), 8);
    }
    assert!(orders.iter().any(|order| !order.is_sorted()), "{orders:?}");
    assert!(orders.windows(2).any(|pair| pair[0] != pair[1]), "{orders:?}");
}

#[test]
fn each_kind_of_fault_happens_where_and_when_it_was_asked_for() {
    let device = || "dry-run device 'card'".to_owned();
    let reason = || "a fault was asked for".to_owned();
    for count in 1..4 {
        let (dry, _queue) = start(stepped().fault(Fault::at(FaultKind::Allocation, count)));
        let results: Vec<bool> = (0..4).map(|_| MemoryObject::allocate(dry.device(), 8).is_err()).collect();
        assert_eq!(results.iter().position(|&failed| failed), Some(count as usize - 1));
        assert_eq!(results.iter().filter(|&&failed| failed).count(), 1);
    }
    // A build that failed is tried again; one that succeeded is not.
    let (_dry, queue) = start(stepped().fault(Fault::at(FaultKind::Build, 2)));
    let launch = |name| queue.submit(kernel(name, 1, Vec::new(), |_, _| Ok(())));
    let refused = Error::BuildFailed { kernel: "b".into(), device: device(), log: reason() };
    assert!(launch("a").is_ok() && launch("a").is_ok());
    assert_eq!(launch("b").unwrap_err(), refused);
    assert!(launch("b").is_ok());

    let (dry, queue) = start(stepped().fault(Fault::at(FaultKind::Launch, 2)));
    let a = Words::new(dry.device(), 1);
    let fill = || Command::fill(&a.0, 0, 8, &[1]).unwrap();
    queue.submit(fill()).unwrap();
    let refused = Error::LaunchFailed { command: "fill".into(), device: device(), reason: reason() };
    assert_eq!(queue.submit(fill()).unwrap_err(), refused);
    queue.submit(fill()).unwrap();

    let (dry, queue) = start(stepped().fault(Fault::at(FaultKind::Copy, 1)).fault(Fault::at(FaultKind::Completion, 3)));
    let a = Words::new(dry.device(), 1);
    let fill = || queue.submit(Command::fill(&a.0, 0, 8, &[1]).unwrap()).unwrap();
    let (copy, other, task) = (fill(), fill(), queue.submit(calls("task", Vec::new(), || {})).unwrap());
    dry.run_until_idle();
    let failed = |command: &'static str, reason: &str| {
        Err(Error::ExecutionFailed { command: command.into(), device: device(), reason: reason.to_owned() })
    };
    assert_eq!(copy.wait(), failed("fill", "a fault of the copy was asked for"));
    assert_eq!(other.wait(), Ok(()));
    assert_eq!(task.wait(), failed("task", "a fault at its completion was asked for"));
    let _ = queue.wait();
}

#[test]
fn a_prefetch_is_neither_a_build_nor_a_copy_for_the_faults_but_a_launch_it_is() {
    let faults = [Fault::at(FaultKind::Build, 1), Fault::at(FaultKind::Copy, 1), Fault::at(FaultKind::Launch, 3)];
    let (dry, queue) = start(faults.into_iter().fold(stepped(), DryRunOptions::fault));
    let words = Words::new(dry.device(), 4);
    let all = Region::range(0..32);
    let prefetch = || queue.submit(Command::prefetch(&words.0, all).unwrap());
    let trace = Trace::start_for(std::slice::from_ref(dry.device()));
    let hints = [prefetch().unwrap(), prefetch().unwrap()];
    assert!(matches!(prefetch(), Err(Error::LaunchFailed { .. })));
    let copy = queue.submit(Command::fill(&words.0, 0, 32, &[1]).unwrap()).unwrap();
    assert!(matches!(queue.submit(calls("first kernel", Vec::new(), || ())), Err(Error::BuildFailed { .. })));
    dry.run_until_idle();
    assert!(hints.iter().all(|hint| hint.wait() == Ok(())));
    assert!(matches!(copy.wait(), Err(Error::ExecutionFailed { .. })));
    let kinds: Vec<TracedKind> = trace.finish().commands().iter().map(|command| command.kind).collect();
    assert_eq!(kinds, [TracedKind::Prefetch, TracedKind::Prefetch, TracedKind::Fill]);
    let _ = queue.wait();
}

#[test]
fn times_of_a_graphs_commands_are_refused_by_a_device_without_profiling() {
    let (dry, _queue) = start(stepped().aspects([]));
    let refused = Graph::new(dry.device(), false).instantiate_with_times();
    assert!(matches!(refused, Err(Error::AspectMissing { aspect: Aspect::QueueProfiling, .. })), "{refused:?}");
}

#[test]
fn a_lost_device_fails_what_has_not_run_and_refuses_everything_later_but_others_go_on() {
    let (dry, queue) = start(stepped().fault(Fault::at(FaultKind::DeviceLost, 3)));
    let (other, other_queue) = start(stepped());
    let object = MemoryObject::allocate(dry.device(), 8).unwrap();
    let lost = |what: &'static str| Error::DeviceLost { what: what.into(), device: "dry-run device 'card'".into() };
    let events = submit(&queue, 2);
    dry.run_until_idle();
    let dies = queue.submit(calls("third", Vec::new(), || {})).unwrap();
    let later = submit(&queue, 1).remove(0).clone();
    let behind = Command::host_task("behind", || Ok(())).after(&dies);
    let behind = other_queue.submit(behind).unwrap();
    assert!(!dry.is_lost());
    dry.run_until_idle();
    other.run_until_idle();
    assert!(dry.is_lost());
    assert!(events.iter().all(|event| event.wait().is_ok()));
    assert_eq!(dies.wait(), Err(lost("third")));
    // It may have run before or after the loss.
    assert!(matches!(later.wait(), Ok(()) | Err(Error::DeviceLost { .. })));
    assert_eq!(behind.wait().unwrap_err().first_cause(), &lost("third"));
    assert_eq!(queue.submit(Command::empty("late")).unwrap_err(), lost("late"));
    assert_eq!(MemoryObject::allocate(dry.device(), 8).unwrap_err(), lost("an allocation"));
    assert_eq!(Queue::new(dry.device()).unwrap_err(), lost("making a queue"));
    drop(object);
    assert_eq!(dry.device().memory_stats().in_use, 0);
    other_queue.submit(Command::host_task("independent", || Ok(()))).unwrap();
    other.run_until_idle();
    let _ = (queue.wait(), other_queue.wait());
}

#[test]
fn faults_with_a_probability_repeat_with_the_seed_and_come_about_as_often_as_asked_for() {
    let failures = |seed| -> Vec<bool> {
        let fault = Fault::with_probability(FaultKind::Launch, 0.25);
        let (_dry, queue) = start(stepped().seed(seed).fault(fault));
        (0..1000).map(|_| queue.submit(kernel("k", 1, Vec::new(), |_, _| Ok(()))).is_err()).collect()
    };
    let (first, again, other) = (failures(1), failures(1), failures(2));
    assert_eq!(first, again);
    assert_ne!(first, other);
    let count = first.iter().filter(|&&failed| failed).count();
    assert!((180..320).contains(&count), "{count} of 1000");
}

#[test]
fn a_fault_may_be_asked_for_while_the_device_runs() {
    let (dry, queue) = start(stepped());
    submit(&queue, 5);
    dry.fail_next(FaultKind::Completion);
    dry.inject(Fault::at(FaultKind::Completion, 7)).unwrap();
    let events = submit(&queue, 3);
    dry.run_until_idle();
    assert_eq!(events.iter().map(|event| event.wait().is_err()).collect::<Vec<_>>(), [true, true, false]);
    let _ = queue.wait();
}

#[test]
fn a_fault_that_cannot_happen_is_refused_while_the_device_runs_too() {
    let (dry, queue) = start(stepped());
    let never = |fault, text: &str| {
        let error = dry.inject(fault).unwrap_err();
        assert!(matches!(&error, Error::InvalidDryRun { place, .. } if place == "device 'card'"), "{error}");
        assert!(error.to_string().starts_with(&format!("device 'card': fault 'completion' {text}")), "{error}");
    };
    never(Fault::at(FaultKind::Completion, 0), "at 0: opportunities are counted from 1\n");
    for (probability, text) in [(f64::NAN, "NaN"), (-0.5, "-0.5"), (1.5, "1.5"), (f64::INFINITY, "inf")] {
        let text = format!("with probability {text}: it must be from 0 to 1\n");
        never(Fault::with_probability(FaultKind::Completion, probability), &text);
    }
    // Nothing of it is left, and the bounds themselves will do.
    dry.inject(Fault::with_probability(FaultKind::Completion, 0.0)).unwrap();
    let fine = submit(&queue, 3);
    dry.inject(Fault::with_probability(FaultKind::Completion, 1.0)).unwrap();
    let failing = submit(&queue, 3);
    dry.run_until_idle();
    assert!(fine.iter().all(|event| event.wait().is_ok()) && failing.iter().all(|event| event.wait().is_err()));
    let _ = queue.wait();
}

#[test]
fn one_command_of_a_replay_meets_its_fault_and_the_next_replay_is_whole_again() {
    let (dry, queue) = start(stepped().run_kernels().fault(Fault::at(FaultKind::Completion, 2)));
    let a = Words::new(dry.device(), 3);
    let graph = Graph::new(dry.device(), false);
    for idx in 0..3 {
        let target = a.clone();
        let access = Access::range(&a.0, AccessMode::ReadWrite, idx * 8..idx * 8 + 8, "x");
        let add = kernel("add", 1, vec![access], move |_, _| {
            target.set(idx, target.get(idx) + 1);
            Ok(())
        });
        graph.record(add).unwrap();
    }
    let graph = graph.instantiate().unwrap();
    let replay = || {
        let event = queue.submit(Command::replay(&graph)).unwrap();
        dry.run_until_idle();
        event.wait()
    };
    assert_eq!(replay(), Ok(()));
    assert_eq!(a.host().unwrap(), [1; 3]);
    assert!(matches!(replay(), Err(Error::ExecutionFailed { command, .. }) if command == "add"));
    assert!(a.host().is_err());
    a.host_set(&[7; 3]);
    assert_eq!(replay(), Ok(()));
    assert_eq!(a.host().unwrap(), [8; 3]);
    let _ = queue.wait();
}

#[test]
fn commands_of_a_stepped_device_end_even_if_nobody_can_step_it_any_more() {
    let (dry, queue) = start(stepped());
    let before = submit(&queue, 20);
    let clone = dry.clone();
    drop(dry);
    assert_eq!(clone.pending(), 20);
    drop(clone);
    before.iter().for_each(|event| event.wait().unwrap());
    submit(&queue, 20).iter().for_each(|event| event.wait().unwrap());
    queue.wait().unwrap();
}

#[test]
fn waiting_inside_a_host_task_is_refused_and_stepping_there_is_not() {
    let (dry, queue) = start(stepped());
    let queue = Arc::new(queue);
    let done = Arc::new(AtomicUsize::new(0));
    let (inner, inner_dry, count) = (Arc::clone(&queue), dry.clone(), Arc::clone(&done));
    let task = Command::host_task("outer", move || {
        let count_inner = Arc::clone(&count);
        let event = inner.submit(Command::host_task("inner", move || {
            count_inner.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }))?;
        assert_eq!(event.wait(), Err(Error::WaitInsideCommand { command: "inner".into() }));
        inner_dry.run_until_idle();
        assert_eq!(event.wait(), Ok(()));
        Ok(())
    });
    let event = queue.submit(task).unwrap();
    dry.run_until_idle();
    assert_eq!((event.wait(), done.load(Ordering::Relaxed)), (Ok(()), 1));
}

#[test]
fn registered_devices_are_found_by_their_selectors() {
    let first = stepped().register().unwrap();
    let second = stepped().register().unwrap();
    let (one, two) = (first.device(), second.device());
    assert_ne!(one.info().selector, two.info().selector);
    for dry in [&first, &second] {
        assert_eq!(Device::select(&dry.device().info().selector).unwrap(), *dry.device());
        assert!(Device::all().contains(dry.device()));
    }
    assert_eq!(Device::select("dry").unwrap(), Device::select("dry:0").unwrap());
    assert!(matches!(Device::select("dry:1000"), Err(Error::NoDevice { .. })));
    assert_eq!(Device::select("*").unwrap().info().backend, "cpu");
    assert!(Device::unavailable_backends().iter().all(|entry| entry.backend != "dry"));
    assert_eq!(Device::check_settings(), Ok(()));
    assert!(DryRun::of(two).is_some() && DryRun::of(&Device::default_device().unwrap()).is_none());
}

/// Runs a test of this file in a process of its own, whose `SYCLONE_DRY_RUN` names a file with this text.
fn in_child(test: &str, text: &str) {
    let path = std::env::temp_dir().join(format!("syclone-{test}-{}.toml", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--ignored", "--nocapture"])
        .env("SYCLONE_DRY_RUN", &path)
        .env("SYCLONE_DEVICE", "dry:1")
        .output()
        .unwrap();
    std::fs::remove_file(&path).unwrap();
    let stdout = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && stdout.contains("1 passed"), "{stdout}");
}

#[test]
fn a_file_gives_devices_that_a_program_selects_by_the_environment() {
    let text = "[[device]]\nname = 'a'\n[[device]]\nname = 'b'\nfaults = [{ kind = 'launch', at = 2 }]\n";
    in_child("child_has_the_devices_of_the_file", text);
    in_child("child_is_told_what_is_wrong_with_the_file", "[[device]]\nname = 'a'\nspeed = 3\n");
}

#[test]
#[ignore = "run by a_file_gives_devices_that_a_program_selects_by_the_environment"]
fn child_has_the_devices_of_the_file() {
    let all = Device::all();
    let dry = all.iter().filter(|device| device.info().backend == "dry");
    let names: Vec<&str> = dry.map(|device| device.info().name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    let device = Device::default_device().unwrap();
    assert_eq!((device.info().name.as_str(), device.info().selector.as_str()), ("b", "dry:1"));
    let queue = Queue::new(&device).unwrap();
    let launch = || queue.submit(kernel("k", 1, Vec::new(), |_, _| panic!("kernels don't run")));
    launch().unwrap().wait().unwrap();
    assert!(matches!(launch(), Err(Error::LaunchFailed { .. })));
    assert_eq!(stepped().register().unwrap().device().info().selector, "dry:2");
}

#[test]
#[ignore = "run by a_file_gives_devices_that_a_program_selects_by_the_environment"]
fn child_is_told_what_is_wrong_with_the_file() {
    let error = Device::default_device().unwrap_err();
    assert!(matches!(&error, Error::InvalidDryRun { .. }), "{error}");
    assert!(error.to_string().contains(", line 3: a device has no 'speed'"), "{error}");
    let missing = Device::unavailable_backends();
    let dry = missing.iter().find(|entry| entry.backend == "dry").unwrap();
    assert!(dry.reason.contains("line 3") && !dry.reason.contains('\n'));
    assert_eq!(Device::select("cpu").unwrap().info().backend, "cpu");
    assert_eq!(Device::check_settings(), Err(error));
}
