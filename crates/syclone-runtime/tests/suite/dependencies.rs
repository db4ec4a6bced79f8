//! Explicit dependencies, in-order queues, copies and fills, and commands that do nothing but take their place.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::common::kernel;
use crate::device_with;
use syclone_runtime::{AccessMode, Command, Device, Error, Event, EventStatus, MemoryObject, Queue, QueueOptions};

/// A kernel without accesses that applies `change` to a shared value: only dependencies order it.
fn unordered(value: &Arc<AtomicU64>, change: impl Fn(u64) -> u64 + Send + Sync + 'static) -> Command {
    let value = Arc::clone(value);
    kernel("change", 1, Vec::new(), move |_, _| {
        let before = value.load(Ordering::Relaxed);
        std::thread::yield_now();
        value.store(change(before), Ordering::Relaxed);
        Ok(())
    })
}

fn in_order(device: &Device) -> Queue {
    Queue::with(device, QueueOptions { in_order: true, profiling: false }).unwrap()
}

#[test]
fn a_chain_of_explicit_dependencies_runs_in_order_across_queues_and_devices() {
    let devices = [device_with(2), device_with(2)];
    let queues = devices.each_ref().map(|device| Queue::new(device).unwrap());
    let value = Arc::new(AtomicU64::new(0));
    let mut last = Event::completed("begin");
    for step in 0..2000u64 {
        let command = unordered(&value, move |before| before.wrapping_mul(31) + step).after(&last);
        last = queues[(step % 3 % 2) as usize].submit(command).unwrap();
    }
    last.wait().unwrap();
    let expected = (0..2000u64).fold(0u64, |before, step| before.wrapping_mul(31) + step);
    assert_eq!(value.load(Ordering::Relaxed), expected);
}

#[test]
fn the_end_of_a_diamond_sees_both_sides_even_behind_a_slow_first_kernel() {
    let device = device_with(3);
    let queue = Queue::new(&device).unwrap();
    for round in 0..500 {
        let [top, left, right, sum] = [0; 4].map(|value| Arc::new(AtomicU64::new(value)));
        let slow = round == 0;
        let first = unordered(&top, move |_| {
            if slow {
                std::thread::sleep(Duration::from_millis(60));
            }
            5
        });
        let e1 = queue.submit(first).unwrap();
        let from_top = Arc::clone(&top);
        let e2 = queue.submit(unordered(&left, move |_| from_top.load(Ordering::Relaxed) + 1).after(&e1)).unwrap();
        let from_top = Arc::clone(&top);
        let e3 = queue.submit(unordered(&right, move |_| from_top.load(Ordering::Relaxed) * 2).after(&e1)).unwrap();
        let join = queue.submit(Command::empty("join").after(&e2).after(&e3)).unwrap();
        let (l, r) = (Arc::clone(&left), Arc::clone(&right));
        let last = unordered(&sum, move |_| l.load(Ordering::Relaxed) * 100 + r.load(Ordering::Relaxed));
        queue.submit(last.after(&join)).unwrap().wait().unwrap();
        assert_eq!(sum.load(Ordering::Relaxed), 610);
    }
}

#[test]
fn an_in_order_queue_needs_no_events() {
    let device = device_with(3);
    let queue = in_order(&device);
    assert!(queue.is_in_order());
    let value = Arc::new(AtomicU64::new(1));
    for step in 0..3000u64 {
        queue.submit(unordered(&value, move |before| before.wrapping_mul(7) ^ step)).unwrap();
        if step % 1000 == 500 {
            queue.wait().unwrap();
        }
    }
    queue.wait().unwrap();
    let expected = (0..3000u64).fold(1u64, |before, step| before.wrapping_mul(7) ^ step);
    assert_eq!(value.load(Ordering::Relaxed), expected);
}

/// Upload, kernel twice, download, as commands on untyped memory that are ordered by `link` alone.
fn upload_double_twice_download(
    queue: &Queue,
    device: &Device,
    link: impl Fn(Command, &Option<Event>) -> Command,
) -> Vec<u32> {
    let source = MemoryObject::from_vec(vec![1u32, 2, 3]);
    let middle = MemoryObject::allocate(device, 12).unwrap();
    let back = MemoryObject::from_vec(vec![0u32; 3]);
    let mut last = None;
    let mut submit = |command| last = Some(queue.submit(link(command, &last)).unwrap());
    submit(Command::copy(&source, 0, &middle, 0, 12).unwrap());
    // The kernel changes a shared copy of the address only, so no access orders it.
    let address = middle.ptr().addr();
    let keep = Arc::clone(&middle);
    let double = move || {
        let keep = Arc::clone(&keep);
        kernel("double", 3, Vec::new(), move |chunk, _| {
            assert_eq!(keep.ptr().addr(), address);
            // SAFETY: inside the object; the dependencies under test order this with every other access.
            unsafe { *keep.ptr().cast::<u32>().add(chunk) *= 2 };
            Ok(())
        })
    };
    submit(double());
    submit(double());
    submit(Command::copy(&middle, 0, &back, 0, 12).unwrap());
    last.unwrap().wait().unwrap();
    back.try_into_vec().expect("a command that has ended holds no memory")
}

#[test]
fn copies_and_kernels_that_depend_on_each_other_give_the_same_result_every_time() {
    let device = device_with(2);
    let out_of_order = Queue::new(&device).unwrap();
    let in_order = in_order(&device);
    let chained = |command: Command, last: &Option<Event>| match last {
        Some(event) => command.after(event),
        None => command,
    };
    for _ in 0..2000 {
        assert_eq!(upload_double_twice_download(&out_of_order, &device, chained), [4, 8, 12]);
        assert_eq!(upload_double_twice_download(&in_order, &device, |command, _| command), [4, 8, 12]);
    }
}

#[test]
fn a_fill_a_kernel_and_a_copy_give_ones() {
    let device = device_with(2);
    let queue = Queue::new(&device).unwrap();
    let (first, second) = (crate::common::Words::new(&device, 1000), crate::common::Words::new(&device, 1000));
    for _ in 0..200 {
        first.host_set(&[77; 1000]);
        queue.submit(Command::fill(&first.0, 0, 8000, &0u64.to_ne_bytes()).unwrap()).unwrap();
        let target = first.clone();
        let add = kernel("add", 10, vec![first.read_write()], move |chunk, _| {
            (chunk * 100..(chunk + 1) * 100).for_each(|idx| target.set(idx, target.get(idx) + 1));
            Ok(())
        });
        queue.submit(add).unwrap();
        queue.submit(Command::copy(&first.0, 0, &second.0, 0, 8000).unwrap()).unwrap();
        assert!(second.host().unwrap().iter().all(|&word| word == 1));
    }
}

#[test]
fn large_copies_and_patterned_fills_reach_every_byte_and_none_outside() {
    let device = device_with(2);
    let queue = Queue::new(&device).unwrap();
    let bytes = 3 * 300_001;
    let (a, b) =
        (MemoryObject::allocate(&device, bytes + 20).unwrap(), MemoryObject::allocate(&device, bytes + 40).unwrap());
    queue.submit(Command::fill(&a, 10, bytes, &[1, 2, 3]).unwrap()).unwrap();
    queue.submit(Command::fill(&b, 0, bytes + 40, &[9]).unwrap()).unwrap();
    queue.submit(Command::copy(&a, 10, &b, 17, bytes).unwrap()).unwrap();
    let _token = b.wait_for_host(AccessMode::Read).unwrap();
    // SAFETY: inside the object, under a host access.
    let found = unsafe { std::slice::from_raw_parts(b.ptr(), bytes + 40) };
    assert!(found[..17].iter().chain(&found[17 + bytes..]).all(|&byte| byte == 9));
    assert!(found[17..17 + bytes].iter().enumerate().all(|(idx, &byte)| byte as usize == idx % 3 + 1));
}

#[test]
fn zero_bytes_and_zero_chunks_are_commands_that_do_nothing_but_keep_the_order() {
    let device = device_with(2);
    let queue = Queue::new(&device).unwrap();
    let empty = MemoryObject::allocate(&device, 0).unwrap();
    let value = Arc::new(AtomicU64::new(0));
    let slow = unordered(&value, |_| {
        std::thread::sleep(Duration::from_millis(20));
        1
    });
    let mut last = queue.submit(slow).unwrap();
    let nothing = [
        Command::copy(&empty, 0, &MemoryObject::allocate(&device, 8).unwrap(), 8, 0).unwrap(),
        Command::fill(&empty, 0, 0, &[1, 2]).unwrap(),
        kernel("no_items", 0, Vec::new(), |_, _| panic!("there is no chunk to run")),
    ];
    for command in nothing {
        last = queue.submit(command.after(&last)).unwrap();
    }
    queue.submit(unordered(&value, |before| before + 10).after(&last)).unwrap().wait().unwrap();
    assert_eq!(value.load(Ordering::Relaxed), 11);
}

#[test]
fn a_copy_or_fill_that_does_not_fit_is_refused_with_the_numbers() {
    let device = device_with(1);
    let (a, b) = (MemoryObject::allocate(&device, 16).unwrap(), MemoryObject::allocate(&device, 8).unwrap());
    let error = Command::copy(&a, 0, &b, 4, 8).unwrap_err();
    assert_eq!(error, Error::RangeOutsideObject { command: "copy".into(), start: 4, end: 12, bytes: 8 });
    let error = Command::copy(&a, usize::MAX, &b, 0, 8).unwrap_err();
    assert_eq!(
        error,
        Error::RangeOutsideObject { command: "copy".into(), start: usize::MAX, end: usize::MAX, bytes: 16 }
    );
    let error = Command::fill(&a, 0, 16, &[1, 2, 3]).unwrap_err();
    assert_eq!(error, Error::PatternDoesNotDivide { command: "fill".into(), pattern: 3, bytes: 16 });
    assert!(Command::fill(&a, 0, 0, &[]).is_err());
    let queue = Queue::new(&device).unwrap();
    assert!(matches!(queue.submit(Command::copy(&a, 0, &a, 4, 8).unwrap()), Err(Error::AccessConflict { .. })));
    queue.submit(Command::copy(&a, 0, &a, 8, 8).unwrap()).unwrap().wait().unwrap();
}

#[test]
fn host_tasks_take_their_turn_in_the_graph_and_may_submit() {
    let device = device_with(1);
    let queue = Arc::new(Queue::new(&device).unwrap());
    let a = crate::common::Words::new(&device, 1);
    let target = a.clone();
    let set = kernel("set", 1, vec![a.write()], move |_, _| {
        target.set(0, 20);
        Ok(())
    });
    queue.submit(set).unwrap();
    let (target, inner) = (a.clone(), Arc::clone(&queue));
    let task = Command::host_task("add", move || {
        target.set(0, target.get(0) + 1);
        let again = target.clone();
        let double = kernel("double", 1, vec![target.read_write()], move |_, _| {
            again.set(0, again.get(0) * 2);
            Ok(())
        });
        inner.submit(double)?;
        Ok(())
    });
    queue.submit(task.access(a.read_write())).unwrap().wait().unwrap();
    assert_eq!(a.host().unwrap(), [42]);
}

#[test]
fn an_event_tells_how_far_its_command_is() {
    let device = device_with(1);
    let queue = Queue::with(&device, QueueOptions { in_order: false, profiling: true }).unwrap();
    let (begun, has_begun) = std::sync::mpsc::channel();
    let (go, may_go) = std::sync::mpsc::channel::<()>();
    let task = Command::host_task("task", move || {
        begun.send(()).unwrap();
        may_go.recv().unwrap();
        Ok(())
    });
    let first = queue.submit(task).unwrap();
    has_begun.recv().unwrap();
    // Behind the first, since even one worker may run a command before it ends another one.
    let second = queue.submit(Command::host_task("second", || Ok(())).after(&first)).unwrap();
    assert_eq!((first.status(), second.status()), (EventStatus::Running, EventStatus::Submitted));
    assert_eq!(first.wait_timeout(Duration::from_millis(5)), None);
    assert_eq!(first.profiling(), None);
    go.send(()).unwrap();
    assert_eq!(first.wait_timeout(Duration::from_secs(60)), Some(Ok(())));
    second.wait().unwrap();
    assert_eq!((first.status(), second.status()), (EventStatus::Complete, EventStatus::Complete));
    let (one, two) = (first.profiling().unwrap(), second.profiling().unwrap());
    assert!(one.submitted <= one.start && one.start + 5_000_000 <= one.end, "{one:?}");
    assert!(one.end <= two.start && two.start <= two.end && two.submitted <= one.end, "{one:?} {two:?}");
    let plain = Queue::new(&device).unwrap().submit(Command::empty("x")).unwrap();
    plain.wait().unwrap();
    assert_eq!(plain.profiling(), None);
}

#[test]
fn an_event_can_be_awaited() {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    fn block_on<F: Future>(future: F) -> F::Output {
        let waker = Arc::new(Unpark(std::thread::current())).into();
        let mut context = std::task::Context::from_waker(&waker);
        let mut future = std::pin::pin!(future);
        loop {
            match future.as_mut().poll(&mut context) {
                std::task::Poll::Ready(output) => return output,
                std::task::Poll::Pending => std::thread::park(),
            }
        }
    }
    let device = device_with(2);
    let queue = Queue::new(&device).unwrap();
    let slow = || {
        Command::host_task("slow", || {
            std::thread::sleep(Duration::from_millis(10));
            Ok(())
        })
    };
    let result = block_on(async {
        queue.submit(slow())?.await?;
        let failing = queue.submit(crate::common::failing("bad", Vec::new()))?;
        let dependent = queue.submit(slow().after(&failing))?;
        assert_eq!(failing.await, Err(crate::common::out_of_bounds("bad")));
        dependent.await
    });
    assert!(crate::common::is_dependency_failure(&result.unwrap_err(), "slow", "bad"));
}
