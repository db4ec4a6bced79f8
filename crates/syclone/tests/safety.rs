//! Attacks: what safe code might try against the promise that it cannot race or touch memory that is not its own.
//!
//! The compiler refuses most of them (`src/api/compile_fail.rs`, `tests/compile_fail`); these are the ones that only a running
//! program can refuse. `docs/safety.md` has the argument.

mod rig;

use rig::{assert_says, in_every_way, queue, run};
use syclone::prelude::*;

#[kernel]
fn twice(item: Item<1>, x: ItemMut<i32>) {
    x[item] *= 2;
}

#[kernel]
fn shift(item: Item<1>, x: View<i32>, y: ItemMut<i32>) {
    y[item] = x[item.id(0) + 1];
}

/// The access has no lifetime, so it can leave the scope that its buffer can't leave.
#[test]
fn an_access_of_borrowed_memory_is_worth_nothing_after_its_scope() {
    let queue = queue();
    let refused = queue.submit(|h| {
        let mut data = vec![1; 1000];
        let access = syclone::scope(|s| s.buffer_mut(&mut data, 1000).map(|buffer| buffer.read_write(h)))?;
        drop(data);
        h.parallel_for(1000, twice(access))
    });
    let text = refused.expect_err("the slice is gone").to_string();
    assert_says(&text, &["twice", "borrowed"]);

    let refused = queue.submit(|h| {
        let data = vec![1; 10];
        let access = syclone::scope(|s| s.buffer(&data, 10).map(|buffer| buffer.read(h)))?;
        drop(data);
        h.host_task(move |task| task.read(&access).map(|elements| assert_eq!(elements.len(), 10)))
    });
    assert_says(&refused.expect_err("the slice is gone").to_string(), &["borrowed"]);

    let target = Buffer::<i32>::new(10);
    let refused = queue.submit(|h| {
        let data = vec![1; 10];
        let access = syclone::scope(|s| s.buffer(&data, 10).map(|buffer| buffer.read(h)))?;
        drop(data);
        h.copy(access, &target)
    });
    assert_says(&refused.expect_err("the slice is gone").to_string(), &["borrowed"]);
    let refused = queue.submit(|h| {
        let data = vec![1; 10];
        let copied = syclone::scope(|s| h.copy(&s.buffer(&data, 10)?, &target));
        drop(data);
        copied
    });
    assert_says(&refused.expect_err("the slice is gone").to_string(), &["borrowed"]);
    assert_eq!(target.to_vec().expect("untouched"), [0; 10]);
}

/// An access of one command can't be used by another, whichever runs first.
#[test]
fn an_access_serves_its_own_command_alone() {
    let queue = queue();
    let x = Buffer::from_vec(vec![1; 8]);
    let mut kept = None;
    queue
        .submit(|h| {
            kept = Some(x.read_write(h));
            Ok(())
        })
        .expect("an empty command");
    let access = kept.take().expect("kept");
    let refused = queue.submit(|h| h.parallel_for(8, twice(access))).expect_err("another command's access");
    assert!(matches!(refused, Error::StaleArgument { .. }), "{refused}");

    let mut kept = None;
    queue
        .submit(|h| {
            kept = Some(x.read(h));
            Ok(())
        })
        .expect("an empty command");
    let access = kept.take().expect("kept");
    let event = queue.submit(|h| h.host_task(move |task| task.read(&access).map(drop))).expect("submits");
    assert_says(&event.wait().expect_err("another command's access").to_string(), &["access"]);
    assert_eq!(x.to_vec().expect("untouched"), [1; 8]);
}

/// An inline kernel may be copied, with the access that it has captured.
#[test]
fn a_copied_inline_kernel_runs_in_its_own_command_alone() {
    let queue = queue();
    let x = Buffer::from_vec(vec![1; 4]);
    let mut kept = None;
    run(&queue, |h| {
        let out = x.read_write(h);
        let kernel = syclone::kernel!(|item: Item<1>| out[item] += 1);
        kept = Some(kernel);
        h.parallel_for(4, kernel)
    });
    let again = kept.expect("kept");
    let refused = queue.parallel_for(4, again).expect_err("another command's access");
    assert!(matches!(refused, Error::StaleArgument { .. }), "{refused}");
    assert_eq!(x.to_vec().expect("reads"), [2; 4]);
}

/// A kernel with USM arguments keeps no borrow, so it may be launched when they are gone.
#[test]
fn a_kernel_whose_usm_memory_is_gone_is_refused() {
    let queue = queue();
    let mut x = queue.alloc_shared::<i32>(4).expect("memory");
    let kernel = twice(x.item_mut());
    drop(x);
    let refused = queue.parallel_for(4, kernel).expect_err("the memory is gone");
    assert!(matches!(refused, Error::StaleArgument { .. }), "{refused}");
}

#[test]
fn two_parameters_of_one_command_cannot_share_bytes_that_one_of_them_writes() {
    let queue = queue();
    let x = Buffer::from_vec(vec![1; 8]);
    let whole = queue.submit(|h| h.parallel_for(7, shift(x.read(h), x.write(h)))).expect_err("an alias");
    assert!(matches!(whole, Error::AccessConflict { .. }), "{whole}");
    let part = x.slice(3..).expect("a part");
    let overlap = queue.submit(|h| h.parallel_for(5, shift(x.read(h), part.write(h)))).expect_err("an alias");
    assert!(matches!(overlap, Error::AccessConflict { .. }), "{overlap}");
    let shaped = x.reshape([2, 4]).expect("the same memory").reshape([8]).expect("again");
    let reshaped = queue.submit(|h| h.parallel_for(7, shift(x.read(h), shaped.write(h)))).expect_err("an alias");
    assert!(matches!(reshaped, Error::AccessConflict { .. }), "{reshaped}");
    let (low, high) = (x.slice(..5).expect("a part"), x.slice(5..).expect("a part"));
    run(&queue, |h| h.parallel_for(3, shift(low.read(h), high.write(h))));
}

#[kernel]
fn strided(item: Item<1>, stride: usize, x: View<u32>, y: ItemMut<u32>) {
    y[item] = x[item.id(0).wrapping_mul(stride)];
}

#[kernel]
fn strided_by_operators(item: Item<1>, stride: usize, x: View<u32>, y: ItemMut<u32>) {
    y[item] = x[item.id(0) * stride];
}

/// Inside at both ends of a row, and far outside between: the index goes around the address space.
#[test]
fn an_index_that_wraps_between_the_ends_of_a_row_is_out_of_bounds() {
    let items = 4096usize;
    // The inverse of an odd number modulo 2^64: the last item's index is 1.
    let last = items - 1;
    let stride = (0..6).fold(last, |inverse, _| inverse.wrapping_mul(2usize.wrapping_sub(last.wrapping_mul(inverse))));
    assert_eq!(last.wrapping_mul(stride), 1);
    in_every_way(|queue, way| {
        let (x, y) = (Buffer::from_vec(vec![7u32, 9]), Buffer::from_vec(vec![77u32; items]));
        let event = queue.submit(|h| h.parallel_for(items, strided(stride, x.read(h), y.write(h)))).expect("submits");
        assert!(matches!(event.wait(), Err(Error::OutOfBounds { .. })), "{way:?}");
        if !cfg!(debug_assertions) {
            let event = queue.submit(|h| h.parallel_for(items, strided_by_operators(stride, x.read(h), y.write(h))));
            assert!(matches!(event.expect("submits").wait(), Err(Error::OutOfBounds { .. })), "{way:?}");
        }
    });
}

#[kernel(fallback)]
fn far(item: NdItem<1>, at: View<usize>, tile: LocalAccessor<u64>, y: ItemMut<u64>) {
    let array = local::<[u64; 4]>();
    let mut own = [1u64; 4];
    let i = at[item];
    array[i] = 5;
    tile[i] = 6;
    own[i] = 7;
    y[item] = array[i] + tile[i] + own[i] + own[0];
}

/// Every kind of memory has its bounds, for every index that a `usize` can be.
#[test]
fn no_index_reaches_beyond_local_private_or_global_memory() {
    let at = vec![4, 5, 1 << 20, usize::MAX, usize::MAX / 8 + 1, usize::MAX - 7, 1 << 61, 1 << 63];
    in_every_way(|queue, way| {
        for &index in &at {
            let (x, y) = (Buffer::from_vec(vec![index; 4]), Buffer::from_vec(vec![9u64; 4]));
            let shape = NdRange::new(4, 4);
            let group = |h: &Handler<'_>| h.parallel_for(shape, far(x.read(h), LocalAccessor::new(4), y.write(h)));
            let event = queue.submit(group).expect("submits");
            assert!(matches!(event.wait(), Err(Error::OutOfBounds { .. })), "{way:?} at {index}");
        }
    });
}

#[kernel(fallback)]
fn loads(item: NdItem<1>, at: View<usize>, x: View<f32>, y: ItemMut<f32>) {
    let v = x.load_vector::<4>(at[item]);
    y[item] = v.x + v.y + v.z + v.w;
}

#[kernel(fallback)]
fn spans(item: NdItem<1>, at: usize, len: usize, x: View<u32>, y: ItemMut<u32>) {
    let sum = item.group().joint_reduce(x.span(at, len), Plus);
    y[item] = sum;
}

#[kernel(fallback)]
fn counts(item: NdItem<1>, at: View<usize>, x: AtomicView<u32>) {
    x.atomic(at[item]).fetch_add(1);
}

#[test]
fn vector_loads_spans_and_atomics_have_the_bounds_of_their_memory() {
    let far = [2, 3, usize::MAX, usize::MAX / 4, usize::MAX / 4 + 1, 1 << 62, 1 << 63];
    in_every_way(|queue, way| {
        for &index in &far {
            let (at, x, y) = (Buffer::from_vec(vec![index; 2]), Buffer::from_vec(vec![1f32; 8]), Buffer::new(2));
            let load = |h: &Handler<'_>| h.parallel_for(NdRange::new(2, 2), loads(at.read(h), x.read(h), y.write(h)));
            let event = queue.submit(load).expect("submits");
            assert!(matches!(event.wait(), Err(Error::OutOfBounds { .. })), "{way:?} at {index}");

            let (x, y) = (Buffer::from_vec(vec![1u32; 2]), Buffer::new(2));
            for (start, len) in [(index, 1), (1, index), (index, index)] {
                let shape = NdRange::new(2, 2);
                let sum = |h: &Handler<'_>| h.parallel_for(shape, spans(start, len, x.read(h), y.write(h)));
                let event = queue.submit(sum).expect("submits");
                assert!(matches!(event.wait(), Err(Error::OutOfBounds { .. })), "{way:?} from {start}, {len} elements");
            }
            let add = |h: &Handler<'_>| h.parallel_for(NdRange::new(2, 2), counts(at.read(h), x.atomic(h)));
            let event = queue.submit(add).expect("submits");
            assert!(matches!(event.wait(), Err(Error::OutOfBounds { .. })), "{way:?} at {index}");
        }
    });
}

/// Memory that is used again never shows what was in it before.
#[test]
fn new_memory_shows_nothing_of_its_earlier_owners() {
    let queue = queue();
    for round in 0..20usize {
        for len in [1, 63, 4096, 100_003] {
            let mut x = queue.alloc_device::<u64>(len).expect("memory");
            assert!(queue.to_vec(&x).expect("copied").iter().all(|&value| value == 0), "round {round}, {len}");
            queue.fill(&mut x, u64::MAX).expect("submits");
            let y = Buffer::<u64>::try_new(len).expect("memory");
            assert!(y.to_vec().expect("copied").iter().all(|&value| value == 0), "round {round}, {len}");
            queue.submit(|h| h.fill(y.write(h), 7)).expect("submits").wait().expect("filled");
        }
    }
}

/// A host access and a command exclude each other, from whichever thread either comes.
#[test]
fn the_host_and_a_command_never_hold_one_element_at_the_same_time() {
    let queue = queue();
    let x = Buffer::from_vec(vec![0u64; 1024]);
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                for _ in 0..200 {
                    let mut guard = x.host_write().expect("the host's turn");
                    let first = guard[0];
                    // Torn if anybody else writes between.
                    guard.iter_mut().for_each(|value| {
                        assert_eq!(*value, first);
                        *value += 1;
                    });
                }
            });
            threads.spawn(|| {
                for _ in 0..200 {
                    queue.submit(|h| h.parallel_for(1024, increment(x.read_write(h)))).expect("submits");
                }
            });
        }
    });
    assert_eq!(x.to_vec().expect("waits"), [800; 1024]);
}

#[kernel]
fn increment(item: Item<1>, x: ItemMut<u64>) {
    x[item] += 1;
}

/// A way out of a kernel that the macro can't see: a comparison of the program's own of a captured handle that comes by a
/// name of which the macro does not know that it is one.
static LEAKED: std::sync::Mutex<Option<View<i32>>> = std::sync::Mutex::new(None);

#[derive(Clone, Copy, DeviceCopy)]
struct Taker(i32);

impl PartialEq<Taker> for View<i32> {
    fn eq(&self, taker: &Taker) -> bool {
        *LEAKED.lock().expect("nobody panics with it") = Some(*self);
        taker.0 == 1
    }
}

#[device_fn]
fn first_of(x: View<i32>) -> i32 {
    x[0]
}

#[test]
fn a_handle_that_leaves_its_kernel_is_worth_nothing() {
    // In native code: an interpreter knows no comparisons of others, and says so.
    let queue = Queue::new(&Device::select("cpu").expect("every machine has the CPU device")).expect("a queue");
    let (x, y) = (Buffer::from_vec(vec![41; 4]), Buffer::<i32>::new(4));
    run(&queue, |h| {
        let (x, y, taker) = (x.read(h), y.write(h), Taker(1));
        let kernel = syclone::kernel!(|item: Item<1>| {
            let (own, by) = (x, taker);
            y[item] = (own == by) as i32;
        });
        h.parallel_for(4, kernel)
    });
    let checked = Queue::new(&Device::cpu_checked().expect("every machine has it")).expect("a queue");
    let refused = checked.submit(|h| {
        let (x, y, taker) = (x.read(h), y.write(h), Taker(1));
        let kernel = syclone::kernel!(|item: Item<1>| {
            let (own, by) = (x, taker);
            y[item] = (own == by) as i32;
        });
        h.parallel_for(4, kernel)
    });
    let Err(Error::BuildFailed { log, device, .. }) = refused else { panic!("{refused:?}") };
    assert!(log.contains("safety.rs") && log.contains("found type Taker where View<i32, 1> is expected"), "{log}");
    assert!(device.starts_with("cpu:check"), "{device}");
    drop(x);
    let leaked = LEAKED.lock().expect("nobody panics with it").take().expect("leaked");
    assert_eq!(leaked.len(), 4, "what it knows of itself is no memory");
    std::panic::catch_unwind(|| first_of(leaked)).expect_err("nothing is read on the host");
    // In another command it would be an undeclared access.
    let z = Buffer::<i32>::new(4);
    let refused = queue.submit(|h| {
        let z = z.write(h);
        h.parallel_for(4, syclone::kernel!(|item: Item<1>| z[item] = leaked[item]))
    });
    assert!(matches!(refused, Err(Error::StaleArgument { .. })), "{refused:?}");
}

/// What a graph has recorded lives as long as the graph, and nobody else gets its memory.
#[test]
fn a_graph_keeps_the_memory_of_its_commands_from_being_used_again() {
    let queue = queue();
    let graph = Graph::new(queue.device());
    let (mut x, y) = (queue.alloc_shared::<i32>(1000).expect("memory"), Buffer::<i32>::new(1000));
    queue.fill(&mut x, 1).expect("submits");
    queue.fill(&y, 1).expect("submits").wait().expect("filled");
    graph.add(|h| h.parallel_for(1000, twice(x.item_mut()))).expect("records");
    graph.add(|h| h.parallel_for(1000, twice(y.read_write(h)))).expect("records");
    drop((x, y));
    let executable = graph.instantiate().expect("an order");
    drop(graph);
    // Of the size that was dropped, which is where the pool would hand the memory out again.
    let others: Vec<Buffer<i32>> = (0..8).map(|_| Buffer::new(1000)).collect();
    others.iter().for_each(|other| drop(queue.fill(other, 5).expect("submits")));
    let replays: Vec<Event> = (0..10).map(|_| queue.replay(&executable).expect("submits")).collect();
    drop(executable);
    replays.iter().for_each(|replay| replay.wait().expect("replays"));
    others.iter().for_each(|other| assert_eq!(other.to_vec().expect("reads"), [5; 1000]));
}

/// The host's access is exclusive, whatever is replayed and updated meanwhile.
#[test]
fn replays_and_updates_take_turns_with_the_host() {
    let queue = queue();
    let (x, y) = (Buffer::from_vec(vec![1u64; 512]), Buffer::from_vec(vec![1u64; 512]));
    let graph = Graph::new(queue.device());
    let step = graph.add(|h| h.parallel_for(512, increment(x.read_write(h)))).expect("records");
    let executable = graph.instantiate().expect("an order");
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for round in 0..100 {
                let next = if round % 2 == 0 { &y } else { &x };
                queue.replay(&executable).expect("submits");
                executable.update(&step, |h| h.parallel_for(512, increment(next.read_write(h)))).expect("updates");
            }
        });
        threads.spawn(|| {
            for buffer in [&x, &y].repeat(50) {
                let mut guard = buffer.host_write().expect("the host's turn");
                let first = guard[0];
                // Torn if a replay writes between.
                guard.iter_mut().for_each(|value| {
                    assert_eq!(*value, first);
                    *value = 1;
                });
            }
        });
    });
    queue.wait().expect("all replays");
}

/// An access belongs to the command that it was recorded with, and an update is a command of its own.
#[test]
fn an_access_serves_its_own_recorded_command_alone() {
    let queue = queue();
    let x = Buffer::from_vec(vec![1; 8]);
    let graph = Graph::new(queue.device());
    let keep = |kept: &mut Option<_>| {
        let recorded = graph.add(|h| {
            *kept = Some(x.read_write(h));
            h.fill(x.write(h), 3)
        });
        assert!(matches!(recorded, Err(Error::AccessConflict { .. })), "{recorded:?}");
        kept.take().expect("kept")
    };
    let stale = |result: Result<Event>| assert!(matches!(result, Err(Error::StaleArgument { .. })), "{result:?}");
    let mut kept = None;
    let access = keep(&mut kept);
    stale(graph.add(|h| h.parallel_for(8, twice(access))));
    let access = keep(&mut kept);
    stale(queue.submit(|h| h.parallel_for(8, twice(access))));
    let step = graph.add(|h| h.parallel_for(8, twice(x.read_write(h)))).expect("records");
    let executable = graph.instantiate().expect("an order");
    let access = keep(&mut kept);
    stale(executable.update(&step, |h| h.parallel_for(8, twice(access))).map(|()| step.clone()));
    let part = x.slice(3..).expect("a part");
    let alias = executable.update(&step, |h| h.parallel_for(5, shift(x.read(h), part.write(h))));
    assert!(matches!(alias, Err(Error::AccessConflict { .. })), "{alias:?}");
    // A refused update leaves the command as it was.
    queue.replay(&executable).expect("submits").wait().expect("replays");
    assert_eq!(x.to_vec().expect("reads"), [2; 8]);
}

/// A graph would outlive what a scope borrows, also when only an access of it leaves the scope.
#[test]
fn nothing_that_a_scope_borrows_gets_into_a_graph() {
    let queue = queue();
    let x = Buffer::from_vec(vec![1; 100]);
    let graph = Graph::new(queue.device());
    let step = graph.add(|h| h.parallel_for(100, twice(x.read_write(h)))).expect("records");
    let executable = graph.instantiate().expect("an order");
    let escape = |h: &Handler<'_>| {
        let mut data = vec![1; 100];
        let access = syclone::scope(|s| s.buffer_mut(&mut data, 100).map(|buffer| buffer.read_write(h)))?;
        drop(data);
        h.parallel_for(100, twice(access))
    };
    assert_says(&graph.add(escape).expect_err("the slice is gone").to_string(), &["borrowed"]);
    assert_says(&executable.update(&step, escape).expect_err("the slice is gone").to_string(), &["borrowed"]);
    let mut data = vec![1; 100];
    syclone::scope(|s| {
        let buffer = s.buffer_mut(&mut data, 100)?;
        let update = executable.update(&step, |h| h.parallel_for(100, twice(buffer.read_write(h))));
        assert!(matches!(update, Err(Error::NotReplayable { .. })), "{update:?}");
        Ok::<_, Error>(())
    })
    .expect("nothing was submitted");
}

#[derive(Clone, Copy, DeviceCopy)]
struct Nothing {}

#[kernel(fallback)]
fn counts_nothing(item: NdItem<1>, nothing: LocalAccessor<Nothing>, y: ItemMut<usize>) {
    let mine = nothing[item.local_id(0)];
    nothing[item.local_id(0)] = mine;
    item.barrier();
    y[item] = nothing.len();
}

#[kernel(fallback)]
fn looks_into_a_space(item: NdItem<1>, space: LocalAccessor<u32, 3>, y: ItemMut<u32>) {
    y[item] = space[[0, item.local_id(0), 0]];
}

/// Local memory whose number of elements is no number, or whose elements have no bytes.
#[test]
fn local_memory_of_absurd_extents_is_an_error_or_works() {
    in_every_way(|queue, way| {
        let y = Buffer::<usize>::new(4);
        let shape = NdRange::new(4, 4);
        let many = LocalAccessor::new(isize::MAX as usize);
        run(queue, |h| h.parallel_for(shape, counts_nothing(many, y.write(h))));
        assert_eq!(y.to_vec().expect("reads"), [isize::MAX as usize; 4], "{way:?}");
        let refused =
            queue.submit(|h| h.parallel_for(shape, counts_nothing(LocalAccessor::new(usize::MAX), y.write(h))));
        assert!(matches!(refused, Err(Error::LocalMemoryTooLarge { .. })), "{way:?}: {refused:?}");
        let y = Buffer::<u32>::new(4);
        for extents in [[usize::MAX; 3], [1 << 62, 1 << 2, 1], [1 << 32, 1 << 32, 1 << 32]] {
            let refused =
                queue.submit(|h| h.parallel_for(shape, looks_into_a_space(LocalAccessor::new(extents), y.write(h))));
            assert!(matches!(refused, Err(Error::LocalMemoryTooLarge { .. })), "{way:?}: {refused:?}");
        }
        let none = LocalAccessor::new([usize::MAX, usize::MAX, 0]);
        let event = queue.submit(|h| h.parallel_for(shape, looks_into_a_space(none, y.write(h)))).expect("submits");
        assert!(matches!(event.wait(), Err(Error::OutOfBounds { .. })), "{way:?}");
    });
}
