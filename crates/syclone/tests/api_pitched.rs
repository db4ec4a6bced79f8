//! Memory whose rows lie apart: pitched buffers and allocations, parts side by side, and copies of rectangles.

mod rig;

use std::sync::mpsc;
use std::time::Duration;

use rig::{in_every_way, queue, run};
use syclone::PitchedBuffer;
use syclone::prelude::*;

fn numbers(len: usize) -> Vec<i32> {
    (0..len as i32).collect()
}

/// Rows of 5 elements, 7 rows.
fn matrix() -> Buffer<i32, 2> {
    Buffer::from_vec_with(numbers(35), [7, 5]).unwrap()
}

/// What a rectangle of such a matrix holds.
fn rectangle(all: &[i32], rows: std::ops::Range<usize>, columns: std::ops::Range<usize>) -> Vec<i32> {
    rows.flat_map(|row| all[row * 5 + columns.start..row * 5 + columns.end].to_vec()).collect()
}

#[kernel(fallback)]
fn add_index(item: Item<2>, x: ItemMut<i32, 2>) {
    x[item] += (1000 * item.id(0) + 100 * item.id(1)) as i32;
}

#[kernel(fallback)]
fn transpose(item: Item<2>, x: View<i32, 2>, y: ItemMut<i32, 2>) {
    y[item] = x[[item.id(1), item.id(0)]];
}

#[kernel(fallback)]
fn row_sums(item: NdItem<2>, x: View<i32, 2>, y: ScatterMut<i32, 2>) {
    let part = local::<[i32; 4]>();
    let column = item.local_id(1);
    let mut sum = 0;
    let mut at = column;
    while at < x.extent(1) {
        sum += x[[item.group_id(0), at]];
        at += 4;
    }
    part[column] = sum;
    item.barrier();
    if column == 0 {
        y[[item.group_id(0), 0]] = part[0] + part[1] + part[2] + part[3];
    }
}

#[kernel(fallback)]
fn count(item: Item<2>, hits: AtomicView<u32, 2>) {
    hits.atomic([item.id(0) % 2, item.id(1) % 3]).fetch_add(1);
}

#[test]
fn a_kernel_in_every_way_sees_rows_and_columns_and_leaves_the_gaps_alone() {
    in_every_way(|queue, way| {
        let all = matrix();
        let part = all.slice(1..6).unwrap().columns(1..4).unwrap();
        assert_eq!((part.extents(), part.pitch(), part.len()), ([5, 3], 5, 15));
        run(queue, |h| h.parallel_for([5, 3], add_index(part.read_write(h))));
        let mut expected = numbers(35);
        for (row, column) in (0..5).flat_map(|row| (0..3).map(move |column| (row, column))) {
            expected[(row + 1) * 5 + column + 1] += (1000 * row + 100 * column) as i32;
        }
        assert_eq!(all.to_vec().unwrap(), expected, "{way:?}");

        let turned = PitchedBuffer::<i32, 2>::with_pitch([3, 5], 11).unwrap();
        run(queue, |h| h.parallel_for([3, 5], transpose(part.read(h), turned.write(h))));
        let there = part.to_vec().unwrap();
        let expected: Vec<i32> = (0..15).map(|at| there[at % 5 * 3 + at / 5]).collect();
        assert_eq!(turned.to_vec().unwrap(), expected, "{way:?}");
    });
}

#[test]
fn barriers_local_memory_and_atomics_work_on_pitched_memory() {
    in_every_way(|queue, way| {
        let all = matrix();
        let (x, y) = (all.columns(2..).unwrap(), Buffer::<i32, 2>::new([7, 4]));
        let sums = y.columns(3..).unwrap();
        // SAFETY: only the first item of each group writes, its own row.
        run(queue, |h| unsafe {
            h.parallel_for_unchecked(NdRange::new([7, 4], [1, 4]), row_sums(x.read(h), sums.scatter(h)))
        });
        let expected: Vec<i32> = (0..7).map(|row| (2..5).map(|column| row * 5 + column).sum()).collect();
        assert_eq!(sums.to_vec().unwrap(), expected, "{way:?}");
        let untouched = y.columns(..3).unwrap().to_vec().unwrap();
        assert_eq!(untouched, [0; 21]);

        let hits = PitchedBuffer::<u32, 2>::with_pitch([2, 3], 10).unwrap();
        run(queue, |h| h.parallel_for([4, 6], count(hits.atomic(h))));
        assert_eq!(hits.to_vec().unwrap(), [4; 6], "{way:?}");
    });
}

#[test]
fn indices_outside_a_pitched_part_are_faults_even_where_its_memory_goes_on() {
    #[kernel(fallback)]
    fn beyond(item: Item<2>, x: View<i32, 2>, y: ItemMut<i32, 2>) {
        y[item] = x[[item.id(0), item.id(1) + 1]];
    }
    in_every_way(|queue, way| {
        let all = matrix();
        let (x, y) = (all.columns(..3).unwrap(), Buffer::<i32, 2>::new([7, 3]));
        let event = queue.submit(|h| h.parallel_for([7, 3], beyond(x.read(h), y.write(h)))).unwrap();
        assert!(matches!(event.wait(), Err(Error::OutOfBounds { count: 1.., .. })), "{way:?}");
    });
}

#[test]
fn rectangles_are_copied_between_any_shapes_and_filled() {
    let queue = queue();
    let all = matrix();
    let part = all.slice(2..5).unwrap().columns(1..5).unwrap();
    let expected = rectangle(&numbers(35), 2..5, 1..5);

    let line = Buffer::<i32>::new(12);
    queue.copy(&part, &line).unwrap();
    assert_eq!(line.to_vec().unwrap(), expected);
    let tall = PitchedBuffer::<i32, 2>::with_pitch([6, 2], 9).unwrap();
    queue.submit(|h| h.copy(part.read(h), tall.write(h))).unwrap();
    assert_eq!(tall.to_vec().unwrap(), expected);
    let solid = Buffer::<i32, 3>::pitched([2, 2, 3]).unwrap();
    queue.copy(&tall, &solid).unwrap();
    assert_eq!(solid.to_vec().unwrap(), expected);
    assert_eq!(
        solid.slice(1..).unwrap().columns(1..).unwrap().to_vec().unwrap(),
        [expected[7], expected[8], expected[10], expected[11]]
    );
    assert_eq!(queue.to_vec(&tall).unwrap(), expected);
    assert_eq!(queue.download(&solid).unwrap().wait().unwrap(), expected);

    queue.copy_from_vec((100..112).collect(), &part).unwrap();
    queue.fill(&all.columns(0..1).unwrap(), -1).unwrap();
    let mut changed = numbers(35);
    for row in 0..7 {
        changed[row * 5] = -1;
        if (2..5).contains(&row) {
            (1..5).for_each(|column| changed[row * 5 + column] = 100 + ((row - 2) * 4 + column - 1) as i32);
        }
    }
    assert_eq!(all.to_vec().unwrap(), changed);
    let unequal = queue.copy(&part, &all.columns(0..1).unwrap()).unwrap_err();
    assert_eq!(unequal, Error::LengthMismatch { command: "copy".into(), source_len: 12, target_len: 7 });
    // From one part of a buffer to another one beside it.
    queue.copy(&all.columns(1..3).unwrap(), &all.columns(3..5).unwrap()).unwrap();
    (0..7).for_each(|row| changed.copy_within(row * 5 + 1..row * 5 + 3, row * 5 + 3));
    assert_eq!(all.to_vec().unwrap(), changed);
    let overlapping = queue.copy(&all.columns(1..3).unwrap(), &all.columns(2..4).unwrap());
    assert!(matches!(overlapping, Err(Error::AccessConflict { .. })));
    queue.wait().unwrap();
}

#[test]
fn a_fill_of_many_rows_and_chunks_reaches_each_element_once() {
    let queue = queue();
    let large = Buffer::<u16, 2>::new([1000, 333]);
    queue.fill(&large.columns(100..301).unwrap(), 7).unwrap();
    let there = large.to_vec().unwrap();
    let expected = |at: usize| if (100..301).contains(&(at % 333)) { 7 } else { 0 };
    assert!(there.iter().enumerate().all(|(at, value)| *value == expected(at)));
}

#[test]
fn parts_side_by_side_are_independent_and_parts_that_overlap_are_ordered() {
    let device = Device::cpu_with_threads(2).unwrap();
    let queue = Queue::new(&device).unwrap();
    let all = matrix();
    let (left, right) = (all.columns(..2).unwrap(), all.columns(2..).unwrap());
    let (release, blocked) = mpsc::channel::<()>();
    queue
        .submit(|h| {
            let _left = left.write(h);
            h.host_task(move |_| blocked.recv().unwrap())
        })
        .unwrap();
    // While the left part is being written, the right one is written, read by the host, and read.
    queue.fill(&right, 9).unwrap().wait().unwrap();
    assert_eq!(right.host_read_rows().unwrap().rows()[6], [9, 9, 9]);
    let middle = queue.fill(&all.columns(1..3).unwrap(), 5).unwrap();
    assert!(middle.wait_timeout(Duration::from_millis(30)).is_none(), "it shares a column with the left part");
    // One command may write one part and read the other.
    let both = queue.submit(|h| h.copy(right.columns(..2)?.read(h), left.write(h))).unwrap();
    release.send(()).unwrap();
    both.wait().unwrap();
    let rows = all.columns(..3).unwrap().to_vec().unwrap();
    assert_eq!(rows, [5, 9, 5].repeat(7));
}

#[test]
fn the_host_reads_and_writes_rows() {
    let pitched = Buffer::<f64, 3>::pitched([2, 2, 3]).unwrap();
    assert_eq!((pitched.pitch(), pitched.to_vec().unwrap()), (8, vec![0.0; 12]), "zeros, a cache line a row");
    let mut guard = pitched.host_write_rows().unwrap();
    guard.rows_mut()[3][2] = 1.5;
    for (row, values) in guard.rows_mut().iter_mut().enumerate() {
        values[0] = row as f64;
    }
    assert_eq!(guard.rows().get(4), None);
    assert!(guard.rows_mut().get_mut(4).is_none());
    assert_eq!((guard.rows().count(), guard.rows().iter().len(), guard.rows().extents()), (4, 4, [2, 2, 3]));
    drop(guard);
    let guard = pitched.host_read_rows().unwrap();
    assert_eq!(format!("{guard:?}"), "[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 1.5]]");
    drop(guard);
    let values: Vec<f64> = (0..12).map(f64::from).collect();
    pitched.copy_from_slice(&values).unwrap();
    assert_eq!(pitched.to_vec().unwrap(), values);
    assert!(matches!(pitched.copy_from_slice(&values[1..]), Err(Error::LengthMismatch { source_len: 11, .. })));
}

/// Poisons what lies between the rows, runs the kernel on pitched memory of a kind, and looks at its rows.
macro_rules! usm_rows {
    ($kind:ident) => {
        in_every_way(|queue, way| {
            let mut x = $kind::<i32, 2>::pitched(queue.device(), [7, 5]).unwrap();
            assert_eq!((x.pitch(), x.extents(), x.len()), (16, [7, 5], 35), "a cache line a row");
            assert!(x.host_rows().unwrap().rows().iter().all(|row| *row == [0; 5]));
            for (number, row) in x.host_rows_mut().unwrap().rows_mut().iter_mut().enumerate() {
                row.fill(number as i32);
            }
            queue.parallel_for([7, 5], add_index(x.item_mut())).unwrap().wait().unwrap();
            let expected: Vec<i32> = (0..35).map(|at| at / 5 + 1000 * (at / 5) + 100 * (at % 5)).collect();
            assert_eq!(queue.to_vec(&x).unwrap(), expected, "{way:?}");
            assert_eq!(x.host_rows().unwrap().rows()[6], expected[30..], "{way:?}");

            // Copies move the elements, and parts keep the pitch.
            let mut y = $kind::<i32, 2>::pitched(queue.device(), [5, 7]).unwrap();
            queue.parallel_for([5, 7], transpose(x.view(), y.item_mut())).unwrap();
            let turned: Vec<i32> = (0..35).map(|at| expected[at % 7 * 5 + at / 7]).collect();
            assert_eq!(y.host_rows().unwrap().rows().to_vec(), turned, "{way:?}");
            queue.fill(&mut y.columns_mut(1..3).unwrap(), -1).unwrap();
            let row = y.host_rows().unwrap().rows()[4].to_vec();
            assert_eq!((row[0], &row[1..3], row[3]), (turned[28], &[-1, -1][..], turned[31]), "{way:?}");

            // As one slice only where nothing lies between the rows.
            let apart = Error::RowsApart { command: "host access".into(), row: 5, pitch: 16 };
            assert_eq!(x.host().err(), Some(apart.clone()));
            assert_eq!(x.host_mut().err(), Some(apart));
            let dense = $kind::<i32, 2>::pitched(queue.device(), [2, 16]).unwrap();
            assert_eq!(dense.host().unwrap()[..], [0; 32]);
        });
    };
}

#[test]
fn host_and_shared_allocations_may_be_pitched_and_the_host_sees_their_rows() {
    usm_rows!(UsmHost);
    usm_rows!(UsmShared);
}

#[test]
fn columns_of_borrowed_data_are_written_in_place_and_apart_from_each_other() {
    in_every_way(|queue, way| {
        let mut data = numbers(35);
        let (input, mut expected) = (numbers(14), numbers(35));
        syclone::scope(|s| {
            let all = s.buffer_mut(&mut data, [7, 5])?;
            let source = s.buffer(&input, [7, 2])?;
            let (left, right) = (all.columns(..2)?, all.columns(2..)?);
            assert_eq!((right.extents(), right.pitch(), right.len()), ([7, 3], 5, 21));
            queue.submit(|h| h.parallel_for([7, 3], add_index(right.read_write(h))))?;
            queue.copy(&source, &left)?;
            let tile = right.slice(1..3)?.columns(1..)?;
            queue.fill(&tile, -5)?;
            assert_eq!(tile.to_vec()?, [-5; 4], "{way:?}");
            tile.host_write_rows()?.rows_mut()[1][1] = 7;
            right.slice(6..)?.copy_from_slice(&[1, 2, 3])?;
            assert_eq!(source.columns(1..)?.host_read_rows()?.rows().to_vec(), [1, 3, 5, 7, 9, 11, 13]);
            assert!(matches!(all.columns(3..6), Err(Error::PartOutside { start: 3, end: 6, extent: 5, .. })));
            Ok::<_, Error>(())
        })
        .unwrap();
        for (at, value) in expected.iter_mut().enumerate() {
            let (row, column) = (at / 5, at % 5);
            *value = match (row, column) {
                (_, 0 | 1) => (2 * row + column) as i32,
                (2, 4) => 7,
                (1 | 2, 3..) => -5,
                (6, _) => column as i32 - 1,
                _ => *value + (1000 * row + 100 * (column - 2)) as i32,
            };
        }
        assert_eq!(data, expected, "{way:?}");
    });
}

#[test]
fn a_host_task_takes_pitched_memory_row_by_row_and_not_as_a_slice() {
    let queue = queue();
    let all = matrix();
    let (left, right) = (all.columns(..2).unwrap(), all.columns(3..).unwrap());
    queue
        .submit(|h| {
            let (from, mut to) = (left.read(h), right.write(h));
            h.host_task(move |task| {
                assert_eq!(
                    task.read(&from).unwrap_err(),
                    Error::RowsApart { command: "host task".into(), row: 2, pitch: 5 }
                );
                assert!(matches!(task.write(&mut to), Err(Error::RowsApart { .. })));
                let from = task.read_rows(&from)?;
                let mut to = task.write_rows(&mut to)?;
                to.iter_mut().zip(from.iter()).for_each(|(to, from)| to.copy_from_slice(from));
                Ok::<(), Error>(())
            })
        })
        .unwrap()
        .wait()
        .unwrap();
    assert_eq!(right.to_vec().unwrap(), left.to_vec().unwrap());
}

#[test]
fn pitches_are_whole_lines_no_page_apart_and_never_less_than_a_row() {
    assert_eq!(Buffer::<f32, 2>::pitched([4, 100]).unwrap().pitch(), 112);
    assert_eq!(Buffer::<f32, 2>::pitched([4, 1024]).unwrap().pitch(), 1040, "rows a page apart meet in the caches");
    assert_eq!(Buffer::<[u8; 3], 2>::pitched([4, 10]).unwrap().pitch(), 64);
    assert_eq!(Buffer::<f32>::pitched(100).unwrap().pitch(), 100, "a single row needs none");
    let short = PitchedBuffer::<f32, 2>::with_pitch([4, 10], 9).unwrap_err();
    assert_eq!(short, Error::PitchTooSmall { command: "pitched buffer".into(), row: 10, pitch: 9 });
    let text = "pitched buffer: rows of 10 elements do not fit a pitch of 9\ngive a pitch of at least 10";
    assert_eq!(short.to_string(), text);
    let overflow = PitchedBuffer::<f32, 2>::with_pitch([usize::MAX, 1], usize::MAX).unwrap_err();
    assert!(matches!(overflow, Error::SizeOverflow { .. }));
    assert!(matches!(Buffer::<f32, 2>::pitched([usize::MAX, usize::MAX]), Err(Error::SizeOverflow { .. })));
}

#[test]
fn memory_without_elements_may_have_any_number_of_rows() {
    const MANY: usize = usize::MAX;
    let queue = queue();
    let none = Buffer::<u64, 2>::pitched([MANY, 0]).unwrap();
    assert_eq!(
        (none.extents(), none.len(), none.pitch()),
        (Buffer::<u64, 2>::try_new([MANY, 0]).unwrap().extents(), 0, 0)
    );
    let wide = PitchedBuffer::<u64, 3>::with_pitch([MANY, MANY, 0], 8).unwrap();
    let shared = UsmShared::<u64, 2>::pitched(queue.device(), [MANY, 0]).unwrap();
    assert_eq!((wide.to_vec().unwrap(), queue.to_vec(&shared).unwrap()), (vec![], vec![]));
    let part = wide.slice(MANY - 1..).unwrap().slice(..).unwrap();
    assert_eq!((part.extents(), part.to_vec().unwrap()), ([1, MANY, 0], vec![]));
    {
        let mut guard = none.host_write_rows().unwrap();
        assert_eq!(
            (guard.rows().count(), guard.rows().get(MANY - 1), guard.rows().get(MANY)),
            (MANY, Some(&[][..]), None)
        );
        assert_eq!((guard.rows_mut().iter_mut().take(3).count(), format!("{:?}", guard.rows())), (3, "[]".to_owned()));
    }
    queue.fill(&none, 1).unwrap().wait().unwrap();
    none.copy_from_slice(&[]).unwrap();
    assert!(matches!(Buffer::<u64, 2>::pitched([MANY, 1]), Err(Error::SizeOverflow { .. })));
}

#[kernel]
fn copy_2d(item: Item<2>, x: View<u64, 2>, y: ItemMut<u64, 2>) {
    y[item] = x[item];
}

#[kernel]
fn copy_3d(item: Item<3>, x: View<u64, 3>, y: ItemMut<u64, 3>) {
    y[item] = x[item];
}

/// Bytes, rows and pitches of memory without elements may be more than can be counted, also on the way to a kernel.
#[test]
fn memory_without_elements_may_have_extents_and_pitches_of_any_size_in_kernels_copies_parts_and_host_tasks() {
    const MANY: usize = usize::MAX;
    let queue = queue();
    macro_rules! check {
        ($kernel:ident $dims:literal: $($extents:expr),*) => {$(
            let extents: [usize; $dims] = $extents;
            let (dense, other) = (Buffer::<u64, $dims>::new(extents), Buffer::<u64, $dims>::new(extents));
            run(&queue, |h| h.parallel_for(extents, $kernel(dense.read(h), other.write(h))));
            queue.fill(&dense, 1).unwrap().wait().unwrap();
            queue.copy(&dense, &other).unwrap().wait().unwrap();
            let middle = extents.map(|extent| extent / 2);
            let half = dense.columns(middle[$dims - 1]..).unwrap();
            assert_eq!(half.extents()[$dims - 1], extents[$dims - 1] - middle[$dims - 1]);
            assert_eq!(dense.slice(middle[0]..).unwrap().to_vec().unwrap(), half.to_vec().unwrap());
            for pitch in [extents[$dims - 1], MANY / 2, MANY].into_iter().filter(|&pitch| pitch >= extents[$dims - 1]) {
                let pitched = PitchedBuffer::<u64, $dims>::with_pitch(extents, pitch).unwrap();
                let target = PitchedBuffer::<u64, $dims>::with_pitch(extents, pitch).unwrap();
                run(&queue, |h| h.parallel_for(extents, $kernel(pitched.read(h), target.write(h))));
                queue.copy(&pitched, &target).unwrap().wait().unwrap();
                let seen = std::sync::Arc::new(std::sync::Mutex::new(None));
                let tell = seen.clone();
                run(&queue, |h| {
                    let access = pitched.read(h);
                    h.host_task(move |task| {
                        let elements = task.read(&access)?.len() + task.read_rows(&access)?.to_vec().len();
                        *tell.lock().unwrap() = Some(elements);
                        Ok::<_, Error>(())
                    })
                });
                assert_eq!(*seen.lock().unwrap(), Some(0), "{extents:?}, pitch {pitch}");
                assert!(pitched.to_buffer().unwrap().to_vec().unwrap().is_empty());
            }
            let mut shared = UsmShared::<u64, $dims>::pitched(queue.device(), extents).unwrap();
            let (left, right) = shared.split_columns_at_mut(middle[$dims - 1]).unwrap();
            assert_eq!(left.extents()[$dims - 1] + right.extents()[$dims - 1], extents[$dims - 1]);
            queue.parallel_for(extents, $kernel(dense_view(&queue, extents).view(), shared.item_mut())).unwrap();
            assert!(shared.host().unwrap().is_empty());
        )*};
    }
    check!(copy_2d 2: [0, 0], [0, MANY], [MANY, 0], [0, MANY / 8 + 1]);
    check!(copy_3d 3: [MANY, MANY, 0], [0, MANY, MANY], [MANY, 0, MANY], [1 << 40, 1 << 40, 0], [3, 0, MANY]);
    queue.wait().unwrap();
}

/// Memory without elements that a kernel may read.
fn dense_view<const D: usize>(queue: &Queue, extents: [usize; D]) -> UsmHost<u64, D> {
    UsmHost::new(queue.device(), extents).unwrap()
}

#[test]
fn parts_outside_are_errors_and_parts_of_nothing_are_nothing() {
    let queue = queue();
    let all = matrix();
    let error = all.columns(2..6).unwrap_err();
    assert!(matches!(error, Error::PartOutside { start: 2, end: 6, extent: 5, .. }), "{error}");
    #[allow(clippy::reversed_empty_ranges, reason = "that is the mistake")]
    let backwards = all.columns(3..2);
    assert!(backwards.is_err());
    let none = all.columns(5..).unwrap();
    assert!(none.is_empty());
    queue.fill(&none, 1).unwrap().wait().unwrap();
    queue.copy(&none, &Buffer::new(0)).unwrap().wait().unwrap();
    assert_eq!(none.to_vec().unwrap(), []);
    let no_rows = all.slice(7..).unwrap().columns(1..3).unwrap();
    assert_eq!(queue.to_vec(&no_rows).unwrap(), []);
    assert_eq!(all.to_vec().unwrap(), numbers(35));
    assert!(matches!(all.columns(1..).unwrap().to_buffer(), Err(Error::RowsApart { row: 4, pitch: 5, .. })));
    assert_eq!(all.columns(..).unwrap().to_buffer().unwrap().to_vec().unwrap(), numbers(35));
    let one_row = all.slice(2..3).unwrap().columns(1..3).unwrap().to_buffer().unwrap();
    assert_eq!(one_row.reshape(2).unwrap().to_vec().unwrap(), [11, 12]);
}

#[test]
fn device_allocations_are_pitched_and_split_by_columns_for_one_kernel() {
    #[kernel(fallback)]
    fn move_over(item: Item<2>, from: View<i32, 2>, to: ItemMut<i32, 2>) {
        to[item] = from[item] + 1;
    }
    in_every_way(|queue, way| {
        let mut x = UsmDevice::<i32, 2>::pitched(queue.device(), [7, 6]).unwrap();
        assert_eq!((x.pitch(), x.extents()), (16, [7, 6]));
        queue.copy_from_vec(numbers(42), &mut x).unwrap();
        let (from, mut to) = x.split_columns_at_mut(3).unwrap();
        queue.parallel_for([7, 3], move_over(from.view(), to.item_mut())).unwrap();
        queue.fill(&mut x.columns_mut(2..3).unwrap(), 0).unwrap();
        let expected: Vec<i32> = (0..42)
            .map(|at| match at % 6 {
                2 => 0,
                column @ 3.. => at - column + column - 3 + 1,
                _ => at,
            })
            .collect();
        assert_eq!(queue.to_vec(&x).unwrap(), expected, "{way:?}");
        assert_eq!(queue.to_vec(&x.columns(3..5).unwrap()).unwrap().len(), 14);
    });
}

#[test]
fn hints_take_their_turn_and_refuse_memory_of_another_device() {
    let (one, two) = (Device::cpu_with_threads(1).unwrap(), Device::cpu_with_threads(1).unwrap());
    let (first, second) = (Queue::new(&one).unwrap(), Queue::new(&two).unwrap());
    let mut x = first.alloc_device::<u8>(10 << 20).unwrap();
    first.fill(&mut x, 3).unwrap();
    first.prefetch(&x).unwrap().wait().unwrap();
    first.prefetch(&x.slice(100..200).unwrap()).unwrap();
    first.advise(&x, syclone::Advice::PreferDevice).unwrap();
    for refused in [second.prefetch(&x), second.advise(&x, syclone::Advice::MostlyRead)] {
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::ForeignArgument { .. }), "{error}");
    }
    let buffer = matrix();
    second.prefetch(&buffer.columns(1..3).unwrap()).unwrap().wait().unwrap();
    // Copies between devices are what such memory is for.
    let mut y = second.alloc_device::<u8>(10 << 20).unwrap();
    second.copy(&x, &mut y).unwrap();
    assert!(second.to_vec(&y).unwrap().iter().all(|byte| *byte == 3));
    first.wait().unwrap();
}
