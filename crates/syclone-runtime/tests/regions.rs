//! Rows in memory: what waits for what, what is copied, and what a failure leaves.

mod common;

use std::sync::{Arc, mpsc};
use std::time::Duration;

use syclone_runtime::{
    Access, AccessMode, Command, Device, Error, EventStatus, Graph, MemoryObject, Queue, QueueOptions, Region,
};

use common::{Chunks, failing, kernel, out_of_bounds};

fn queue() -> Queue {
    Queue::new(&Device::cpu_with_threads(2).unwrap()).unwrap()
}

/// 8 rows of 16 bytes.
fn matrix(queue: &Queue) -> Arc<MemoryObject> {
    MemoryObject::allocate(queue.device(), 128).unwrap()
}

/// The rows and columns given, of that matrix.
fn part(rows: std::ops::Range<usize>, columns: std::ops::Range<usize>) -> Region {
    Region::rows(rows.start * 16 + columns.start, columns.len(), rows.len(), 16)
}

fn access(object: &Arc<MemoryObject>, mode: AccessMode, region: Region) -> Access {
    Access::region(object, mode, region, "part")
}

fn contents(object: &Arc<MemoryObject>) -> Vec<u8> {
    let _token = object.wait_for_host(AccessMode::Read).unwrap();
    // SAFETY: the token keeps writers off.
    unsafe { std::slice::from_raw_parts(object.ptr(), object.bytes()) }.to_vec()
}

#[test]
fn parts_side_by_side_do_not_wait_for_each_other_and_parts_that_share_a_byte_do() {
    let queue = queue();
    let object = matrix(&queue);
    let (release, blocked) = mpsc::channel::<()>();
    let held = Command::host_task("left", move || {
        blocked.recv().unwrap();
        Ok(())
    })
    .access(access(&object, AccessMode::Write, part(0..8, 0..8)));
    let held = queue.submit(held).unwrap();
    let write = |name, region| kernel(name, 1, vec![access(&object, AccessMode::Write, region)], |_, _| Ok(()));
    // On the other worker, though their ranges of bytes meet.
    queue.submit(write("right", part(0..8, 8..16))).unwrap().wait().unwrap();
    drop(object.wait_for_host_region(AccessMode::ReadWrite, part(2..6, 8..16)).unwrap());
    queue.submit(write("gap", Region::range(8..16))).unwrap().wait().unwrap();
    let waits = queue.submit(write("one byte", part(3..4, 7..9))).unwrap();
    let range = queue.submit(write("range", Region::range(40..64))).unwrap();
    assert!(waits.wait_timeout(Duration::from_millis(30)).is_none());
    assert_eq!((held.status(), range.status()), (EventStatus::Running, EventStatus::Submitted));
    release.send(()).unwrap();
    queue.wait().unwrap();
}

#[test]
fn one_command_may_write_one_part_and_read_the_one_beside_it_but_not_one_that_it_shares() {
    let queue = queue();
    let object = matrix(&queue);
    let two = |other| {
        let accesses =
            vec![access(&object, AccessMode::Write, part(0..8, 0..8)), access(&object, AccessMode::Read, other)];
        queue.submit(kernel("two", 1, accesses, |_, _| Ok(())))
    };
    two(part(0..8, 8..16)).unwrap();
    assert!(matches!(two(part(7..8, 7..16)), Err(Error::AccessConflict { .. })));
    assert!(matches!(two(Region::rows(8, 8, 4, 20)), Err(Error::AccessConflict { .. })), "another pitch");
    assert!(matches!(two(Region::rows(8, 8, 9, 16)), Err(Error::RangeOutsideObject { end: 144, bytes: 128, .. })));
}

#[test]
fn what_a_failed_command_left_in_its_part_ends_where_it_is_overwritten() {
    let queue = queue();
    let object = matrix(&queue);
    let read = |region| {
        let command = kernel("reader", 1, vec![access(&object, AccessMode::Read, region)], |_, _| Ok(()));
        queue.submit(command).unwrap().wait().is_ok()
    };
    queue.submit(Command::fill(&object, 0, 128, &[1]).unwrap()).unwrap();
    let failed = access(&object, AccessMode::Write, part(0..8, 0..8));
    assert!(queue.submit(failing("breaks", vec![failed])).unwrap().wait().is_err());
    assert!(read(part(0..8, 8..16)), "the other columns are whole");
    assert!(!read(part(5..6, 0..1)) && !read(Region::range(0..128)));
    let tile =
        Command::copy_region(&MemoryObject::from_vec(vec![7u8; 12]), Region::range(0..12), &object, part(2..5, 2..6));
    queue.submit(tile.unwrap()).unwrap();
    assert!(read(part(2..5, 2..6)) && read(part(2..5, 2..6)));
    for still in [part(1..3, 2..6), part(4..6, 2..6), part(2..5, 1..3), part(2..5, 5..7)] {
        assert!(!read(still), "{still:?}");
    }
    let rows =
        Command::copy_region(&MemoryObject::from_vec(vec![7u8; 64]), Region::range(0..64), &object, part(0..8, 0..8));
    queue.submit(rows.unwrap()).unwrap();
    assert!(read(Region::range(0..128)));
    let _ = queue.wait();
}

#[test]
fn a_failed_writer_is_gone_once_good_rows_of_other_pitches_have_overwritten_its_bytes() {
    // Failed rows, and rows that together have all of their bytes and others too.
    let cases: [(Region, &[Region]); 5] = [
        // Rows of half the pitch.
        (Region::rows(0, 4, 8, 16), &[Region::rows(0, 4, 16, 8)]),
        // Every second row, and then the others.
        (Region::rows(3, 4, 12, 10), &[Region::rows(2, 6, 6, 20), Region::rows(12, 6, 6, 20)]),
        // Pitches without a common divisor.
        (Region::rows(1, 2, 12, 9), &[Region::rows(0, 5, 16, 7), Region::rows(4, 4, 15, 7)]),
        // A range by rows of two pitches, and rows by ranges.
        (Region::range(8..40), &[Region::rows(8, 8, 3, 16), Region::rows(16, 8, 2, 15), Region::range(30..40)]),
        (
            Region::rows(0, 2, 3, 8),
            &[Region::range(0..2), Region::range(7..11), Region::rows(16, 1, 2, 3), Region::range(17..18)],
        ),
    ];
    for in_lane in [false, true] {
        for (failed, good) in &cases {
            let options = QueueOptions { in_order: true, ..QueueOptions::default() };
            let queue = Queue::with(&Device::cpu_with_threads(2).unwrap(), options).unwrap();
            let object = matrix(&queue);
            let write = |region: &Region, fails| {
                let work =
                    Chunks::new("writer", 1, move |_, _| if fails { Err(out_of_bounds("writer")) } else { Ok(()) });
                let access = access(&object, AccessMode::Write, *region);
                if in_lane {
                    // SAFETY: the work touches no memory.
                    unsafe { queue.launch(work, &mut [Some(access)]) }.unwrap();
                } else {
                    // SAFETY: as above.
                    queue.submit(unsafe { Command::kernel(Box::new(work), vec![access]) }).unwrap();
                }
            };
            let readable =
                |byte: usize| object.wait_for_host_region(AccessMode::Read, Region::range(byte..byte + 1)).is_ok();
            write(failed, true);
            let mut written = Vec::new();
            for region in good.iter() {
                write(region, false);
                written.push(Access::region(&object, AccessMode::Read, *region, "x").bytes());
                let is_failed = |byte: usize| {
                    let byte = Region::range(byte..byte + 1);
                    failed.overlaps(&byte) && !written.iter().any(|good| good.overlaps(&byte))
                };
                for byte in 0..128 {
                    assert_eq!(readable(byte), !is_failed(byte), "byte {byte} after {written:?} over {failed:?}");
                }
            }
            drop(object.wait_for_host(AccessMode::Read).expect("every byte has a result"));
            assert!(queue.wait().is_err());
        }
    }
}

#[test]
fn rows_of_other_pitches_that_share_no_byte_neither_wait_for_each_other_nor_inherit_a_failure() {
    let queue = queue();
    let object = matrix(&queue);
    let (sixteens, eights) = (Region::rows(0, 2, 8, 16), Region::rows(4, 3, 15, 8));
    let failed = access(&object, AccessMode::Write, sixteens);
    assert!(queue.submit(failing("breaks", vec![failed])).unwrap().wait().is_err());
    let read = access(&object, AccessMode::ReadWrite, eights);
    queue.submit(kernel("reader", 1, vec![read], |_, _| Ok(()))).unwrap().wait().unwrap();

    // A graph that uses both, and one that uses the other rows only.
    let write = |region| kernel("writer", 1, vec![access(&object, AccessMode::Write, region)], |_, _| Ok(()));
    let graph = Graph::new(queue.device(), false);
    graph.record(write(Region::rows(8, 2, 7, 16))).unwrap();
    graph.record(kernel("reader", 1, vec![access(&object, AccessMode::Read, eights)], |_, _| Ok(()))).unwrap();
    queue.submit(Command::replay(&graph.instantiate().unwrap())).unwrap().wait().unwrap();
    let _ = queue.wait();
}

#[test]
fn copies_between_ranges_and_rows_of_any_lengths_keep_the_order_of_the_bytes() {
    let queue = queue();
    // 5 rows of 7 bytes, 12 apart; 7 rows of 5, 9 apart; and a range.
    let shapes = [Region::rows(3, 7, 5, 12), Region::rows(1, 5, 7, 9), Region::range(20..55)];
    let numbers: Vec<u8> = (1..=35).collect();
    for from in &shapes {
        for to in &shapes {
            let (source, target) = (MemoryObject::from_vec(vec![0u8; 100]), MemoryObject::from_vec(vec![255u8; 100]));
            let first =
                Command::copy_region(&MemoryObject::from_vec(numbers.clone()), Region::range(0..35), &source, *from);
            queue.submit(first.unwrap()).unwrap();
            queue.submit(Command::copy_region(&source, *from, &target, *to).unwrap()).unwrap();
            let mut expected = vec![255u8; 100];
            for (number, value) in numbers.iter().enumerate() {
                let (row, column) = (number / to.row_bytes(), number % to.row_bytes());
                expected[to.bounds().start + row * to.pitch() + column] = *value;
            }
            assert_eq!(contents(&target), expected, "{from:?} to {to:?}");
        }
    }
    let object = matrix(&queue);
    let unequal = Command::copy_region(&object, part(0..2, 0..3), &object, Region::range(64..71));
    assert!(matches!(unequal, Err(Error::LengthMismatch { source_len: 6, target_len: 7, .. })));
    let inside = Command::copy_region(&object, part(0..8, 0..8), &object, part(0..8, 4..12)).unwrap();
    assert!(matches!(queue.submit(inside), Err(Error::AccessConflict { .. })));
    queue.submit(Command::copy_region(&object, part(0..8, 0..8), &object, part(0..8, 8..16)).unwrap()).unwrap();
    queue.wait().unwrap();
}

#[test]
fn copies_of_many_chunks_between_devices_move_every_byte_once() {
    let (one, two) = (Device::cpu_with_threads(2).unwrap(), Device::cpu_with_threads(1).unwrap());
    let (first, second) = (Queue::new(&one).unwrap(), Queue::new(&two).unwrap());
    let numbers: Vec<u8> = (0..3_000_000u32).map(|n| (n * 7 / 5) as u8).collect();
    let rows = Region::rows(0, 1000, 3000, 1024);
    let (a, b) = (MemoryObject::allocate(&one, 3000 * 1024).unwrap(), MemoryObject::allocate(&two, 3_000_000).unwrap());
    let source = MemoryObject::from_vec(numbers.clone());
    first.submit(Command::copy_region(&source, Region::range(0..3_000_000), &a, rows).unwrap()).unwrap();
    second.submit(Command::copy_region(&a, rows, &b, Region::range(0..3_000_000)).unwrap()).unwrap();
    assert_eq!(contents(&b), numbers);
}

#[test]
fn a_prefetch_takes_a_readers_turn_and_changes_nothing() {
    let queue = queue();
    let object = MemoryObject::allocate(queue.device(), 20 << 20).unwrap();
    let region = Region::range(1000..(20 << 20) - 1000);
    let (release, blocked) = mpsc::channel::<()>();
    let writer = Command::host_task("writer", move || {
        blocked.recv().unwrap();
        Ok(())
    });
    queue.submit(writer.access(access(&object, AccessMode::Write, Region::range(0..2000)))).unwrap();
    let event = queue.submit(Command::prefetch(&object, region).unwrap()).unwrap();
    assert!(event.wait_timeout(Duration::from_millis(20)).is_none(), "it waits for the writer");
    release.send(()).unwrap();
    event.wait().unwrap();
    queue.submit(Command::fill(&object, 0, 20 << 20, &[3]).unwrap()).unwrap();
    queue.submit(Command::prefetch(&object, Region::rows(0, 100, 1000, 5000)).unwrap()).unwrap().wait().unwrap();
    assert!(contents(&object).iter().all(|byte| *byte == 3));
    let outside = Command::prefetch(&object, Region::range(0..(20 << 20) + 1));
    assert!(matches!(outside, Err(Error::RangeOutsideObject { .. })));
}

#[test]
fn a_graph_on_very_many_parts_has_nothing_to_do_with_the_bytes_between_them() {
    let queue = queue();
    let object = MemoryObject::allocate(queue.device(), 64 * 64).unwrap();
    queue.submit(Command::fill(&object, 0, 64 * 64, &[1]).unwrap()).unwrap();
    // 2 rows of 2 bytes each, along the diagonal.
    let tile = |n: usize| Region::rows(n * 2 * 64 + n * 2, 2, 2, 64);
    let graph = Graph::new(queue.device(), false);
    let source = MemoryObject::from_vec(vec![5u8; 4]);
    for n in 0..32 {
        graph.record(Command::copy_region(&source, Region::range(0..4), &object, tile(n)).unwrap()).unwrap();
    }
    let graph = graph.instantiate().unwrap();
    let (release, blocked) = mpsc::channel::<()>();
    let held = Command::host_task("holds", move || {
        blocked.recv().unwrap();
        Ok(())
    });
    let between = access(&object, AccessMode::Write, Region::rows(40, 20, 8, 64));
    let held = queue.submit(held.access(between.clone())).unwrap();
    queue.submit(Command::replay(&graph)).unwrap().wait().unwrap();
    assert_ne!(held.status(), EventStatus::Complete);
    release.send(()).unwrap();
    held.wait().unwrap();
    // Nor does it need what failed there.
    assert!(queue.submit(failing("breaks", vec![between])).unwrap().wait().is_err());
    queue.submit(Command::replay(&graph)).unwrap().wait().unwrap();
    drop((graph, source));
    let written = |byte: usize| (0..32).any(|n| tile(n).overlaps(&Region::range(byte..byte + 1)));
    for byte in (0..64 * 64).filter(|&byte| written(byte)) {
        let _token = object.wait_for_host_region(AccessMode::Read, Region::range(byte..byte + 1)).unwrap();
        // SAFETY: the token keeps writers off.
        assert_eq!(unsafe { object.ptr().add(byte).read() }, 5);
    }
    let _ = queue.wait();
}

#[test]
fn graphs_on_parts_side_by_side_are_independent_and_need_nothing_of_each_other() {
    let queue = queue();
    let object = matrix(&queue);
    queue.submit(Command::fill(&object, 0, 128, &[1]).unwrap()).unwrap();
    let graph = |region, second| {
        let graph = Graph::new(queue.device(), false);
        let source = MemoryObject::from_vec(vec![5u8; 64]);
        graph.record(Command::copy_region(&source, Region::range(0..64), &object, region).unwrap()).unwrap();
        graph.record(second).unwrap();
        graph.instantiate().unwrap()
    };
    let (release, blocked) = mpsc::channel::<()>();
    let held = Command::replayed_host_task("holds", move || {
        blocked.recv().unwrap();
        Ok(())
    });
    let left = graph(part(0..8, 0..8), held.access(access(&object, AccessMode::Read, part(0..8, 0..8))));
    let right =
        graph(part(0..8, 8..16), Command::empty("reads").access(access(&object, AccessMode::Read, part(0..8, 8..16))));
    let pending = queue.submit(Command::replay(&left)).unwrap();
    queue.submit(Command::replay(&right)).unwrap().wait().unwrap();
    assert_ne!(pending.status(), EventStatus::Complete);
    release.send(()).unwrap();
    pending.wait().unwrap();

    // A failure beside it is none of the graph's.
    let failed = access(&object, AccessMode::Write, part(0..8, 0..8));
    assert!(queue.submit(failing("breaks", vec![failed])).unwrap().wait().is_err());
    queue.submit(Command::replay(&right)).unwrap().wait().unwrap();
    release.send(()).unwrap();
    queue.submit(Command::replay(&left)).unwrap().wait().unwrap();
    assert_eq!(contents(&object), [5; 128]);
    let _ = queue.wait();
}
