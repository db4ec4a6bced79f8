//! Memory: `accessor`, `buffer`, `host_accessor`, `local_accessor` and `usm`.

use std::time::Duration;

use syclone::prelude::*;

#[kernel]
fn add(item: Item<1>, x: View<i32>, y: ItemMut<i32>) {
    y[item] += x[item];
}

#[kernel]
fn set(item: Item<1>, value: i32, x: ItemMut<i32>) {
    x[item] = value + item.id(0) as i32;
}

#[kernel]
fn transpose(item: Item<2>, x: View<i32, 2>, y: ItemMut<i32, 2>) {
    y[item] = x[[item.id(1), item.id(0)]];
}

#[kernel]
fn in_three_dimensions(item: Item<3>, x: View<i32, 3>, y: ItemMut<i32, 3>) {
    let (a, b, c) = (item.id(0), item.id(1), item.id(2));
    y[item] = x[[x.extent(0) - 1 - a, x.extent(1) - 1 - b, c]];
}

#[kernel]
fn scatter(item: Item<1>, to: View<u32>, out: ScatterMut<u32>) {
    out[to[item] as usize] = item.id(0) as u32;
}

#[kernel]
fn sums(item: NdItem<1>, x: View<i32>, out: GroupMut<i32>) {
    let sum = item.group().reduce(x[item], Plus);
    if item.local_id(0) == 0 {
        out[item.group()] = sum;
    }
}

#[kernel]
fn beyond(item: Item<1>, x: View<i32>, out: ItemMut<i32>) {
    out[item] = x[item.id(0) + 1];
}

#[kernel]
fn matrix_in_local_memory(item: NdItem<2>, x: View<i32, 2>, y: ItemMut<i32, 2>) {
    let tile = local::<[[i32; 4]; 4]>();
    tile[item.local_id(0)][item.local_id(1)] = x[item];
    item.barrier();
    y[item] = tile[item.local_id(1)][item.local_id(0)];
}

#[kernel]
fn sized_at_launch(item: NdItem<1>, tile: LocalAccessor<i32>, x: View<i32>, y: ItemMut<i32>) {
    let lid = item.local_id(0);
    tile[lid] = x[item];
    item.barrier();
    let mut sum = 0;
    for i in 0..tile.len() {
        sum += tile[i];
    }
    y[item] = sum;
}

#[kernel]
fn plane_sized_at_launch(item: NdItem<2>, tile: LocalAccessor<i32, 2>, y: ItemMut<i32, 2>) {
    tile[[item.local_id(0), item.local_id(1)]] = item.global_linear_id() as i32;
    item.barrier();
    y[item] = tile[[tile.extent(0) - 1 - item.local_id(0), tile.extent(1) - 1 - item.local_id(1)]];
}

#[kernel]
fn two_tiles(item: NdItem<1>, a: LocalAccessor<u8>, b: LocalAccessor<u64>, y: ItemMut<u64>) {
    let lid = item.local_id(0);
    a[lid] = lid as u8 + 1;
    b[lid] = (lid as u64 + 1) << 40;
    item.barrier();
    let other = item.local_range(0) - 1 - lid;
    y[item] = b[other] + a[other] as u64;
}

#[kernel]
fn reads_local_memory_first(item: NdItem<1>, tile: LocalAccessor<u32>, y: ItemMut<u32>) {
    let own = local::<[u32; 8]>();
    y[item] = tile[item.local_id(0)] + own[item.local_id(0)] + 1;
    item.barrier();
    tile[item.local_id(0)] = 1000;
    own[item.local_id(0)] = 1000;
}

/// Numbers `0..len`.
fn counted(len: usize) -> Vec<i32> {
    (0..len as i32).collect()
}

/// What command groups declare.
pub mod accessor {
    use super::*;

    crate::tests! {
        fn a_reader_sees_what_the_last_writer_before_it_wrote(queue) {
            let (x, y) = (Buffer::<i32>::new(500), Buffer::from_vec(vec![0; 500]));
            let mut expected = vec![0; 500];
            for round in 0..20 {
                queue.submit(|h| h.parallel_for(500, set(round, x.write(h))))?;
                queue.submit(|h| h.parallel_for(500, add(x.read(h), y.read_write(h))))?;
                expected.iter_mut().zip(0..).for_each(|(sum, i): (&mut i32, i32)| *sum += round + i);
            }
            assert_eq!(y.to_vec()?, expected);
        }

        fn writers_of_parts_that_do_not_meet_leave_each_other_alone(queue) {
            let x = Buffer::from_vec(vec![-1; 100]);
            let parts = [x.slice(..30)?, x.slice(30..35)?, x.slice(40..)?];
            for (value, part) in [1000, 2000, 3000].into_iter().zip(&parts) {
                queue.submit(|h| h.parallel_for(part.len(), set(value, part.write(h))))?;
            }
            let mut expected = vec![-1; 100];
            (0..30).for_each(|i| expected[i] = 1000 + i as i32);
            (0..5).for_each(|i| expected[30 + i] = 2000 + i as i32);
            (0..60).for_each(|i| expected[40 + i] = 3000 + i as i32);
            assert_eq!(x.to_vec()?, expected);
        }

        fn two_accesses_of_overlapping_bytes_of_which_one_writes_are_an_error(queue) {
            let x = Buffer::from_vec(counted(10));
            let refused = queue.submit(|h| h.parallel_for(10, add(x.read(h), x.read_write(h))));
            assert!(matches!(refused, Err(Error::AccessConflict { .. })), "{refused:?}");
            let (low, high) = (x.slice(..5)?, x.slice(5..)?);
            queue.submit(|h| h.parallel_for(5, add(low.read(h), high.read_write(h))))?;
            assert_eq!(x.to_vec()?, [0, 1, 2, 3, 4, 5, 7, 9, 11, 13]);
        }

        fn one_buffer_can_be_read_twice_by_one_command(queue) {
            let (x, y) = (Buffer::from_vec(counted(9)), Buffer::<i32>::new(9));
            queue.submit(|h| {
                let (a, b, y) = (x.read(h), x.read(h), y.write(h));
                h.parallel_for(9, syclone::kernel!(|item: Item<1>| y[item] = a[item] + b[8 - item.id(0)]))
            })?;
            assert_eq!(y.to_vec()?, [8; 9]);
        }

        fn an_access_of_another_command_group_is_an_error(queue) {
            let x = Buffer::from_vec(counted(4));
            let mut kept = None;
            queue.submit(|h| {
                kept = Some(x.read_write(h));
                Ok(())
            })?;
            let refused = queue.submit(|h| h.parallel_for(4, set(1, kept.expect("kept"))));
            assert!(matches!(refused, Err(Error::StaleArgument { .. })), "{refused:?}");
            assert_eq!(x.to_vec()?, counted(4));
        }

        #[mistaken]
        fn a_read_beyond_the_end_is_an_error_that_names_kernel_and_parameter(queue) {
            let (x, out) = (Buffer::from_vec(counted(6)), Buffer::<i32>::new(6));
            let event = queue.submit(|h| h.parallel_for(6, beyond(x.read(h), out.write(h))))?;
            let error = event.wait().expect_err("the last item reads beyond the end");
            assert!(matches!(error, Error::OutOfBounds { .. }), "{error}");
            assert!(error.to_string().contains("beyond") && error.to_string().contains("'x'"), "{error}");
        }

        fn each_group_writes_its_element_of_a_group_output(queue) {
            let (x, out) = (Buffer::from_vec(counted(60)), Buffer::<i32>::new(5));
            queue.submit(|h| h.parallel_for(NdRange::new(60, 12), sums(x.read(h), out.write(h))))?;
            let expected: Vec<i32> = counted(60).chunks(12).map(|group| group.iter().sum()).collect();
            assert_eq!(out.to_vec()?, expected);
        }

        fn a_permutation_may_be_written_through_a_scatter_output(queue) {
            let to: Vec<u32> = (0..77).map(|i| i * 30 % 77).collect();
            let (input, out) = (Buffer::from_slice(&to), Buffer::<u32>::new(77));
            // SAFETY: 30 and 77 have no common divisor, so that each element has one writer.
            queue.submit(|h| unsafe { h.parallel_for_unchecked(77, scatter(input.read(h), out.scatter(h))) })?;
            let mut expected = vec![0; 77];
            to.iter().zip(0..).for_each(|(&place, i)| expected[place as usize] = i);
            assert_eq!(out.to_vec()?, expected);
        }
    }
}

/// Buffers.
pub mod buffer {
    use super::*;

    crate::tests! {
        fn a_new_buffer_is_zero_and_knows_its_extents(queue) {
            let _ = queue;
            let x = Buffer::<f32, 3>::new([2, 3, 4]);
            assert_eq!((x.extents(), x.len(), x.is_empty()), ([2, 3, 4], 24, false));
            assert_eq!(x.to_vec()?, [0.0; 24]);
        }

        fn a_vector_comes_back_from_its_buffer_with_what_kernels_wrote(queue) {
            let x = Buffer::from_vec(vec![0; 33]);
            queue.submit(|h| h.parallel_for(33, set(5, x.write(h))))?;
            assert_eq!(x.into_vec()?, (5..38).collect::<Vec<_>>());
        }

        fn rows_are_one_after_another_in_two_and_three_dimensions(queue) {
            let (x, y) = (Buffer::from_vec_with(counted(35), [5, 7])?, Buffer::<i32, 2>::new([7, 5]));
            queue.submit(|h| h.parallel_for([7, 5], transpose(x.read(h), y.write(h))))?;
            let expected: Vec<i32> = (0..7).flat_map(|r| (0..5).map(move |c| c * 7 + r)).collect();
            assert_eq!(y.to_vec()?, expected);

            let (x, y) = (Buffer::from_vec_with(counted(24), [2, 3, 4])?, Buffer::<i32, 3>::new([2, 3, 4]));
            queue.submit(|h| h.parallel_for([2, 3, 4], in_three_dimensions(x.read(h), y.write(h))))?;
            let flipped = |i: i32| (1 - i / 12) * 12 + (2 - i / 4 % 3) * 4 + i % 4;
            assert_eq!(y.to_vec()?, (0..24).map(flipped).collect::<Vec<_>>());
        }

        fn a_part_and_another_shape_are_the_same_memory(queue) {
            let x = Buffer::from_vec_with(counted(24), [6, 4])?;
            let middle = x.slice(2..4)?;
            assert_eq!(middle.extents(), [2, 4]);
            let flat = middle.reshape([8])?;
            queue.submit(|h| h.parallel_for(8, set(100, flat.write(h))))?;
            let mut expected = counted(24);
            (0..8).for_each(|i| expected[8 + i] = 100 + i as i32);
            assert_eq!(x.to_vec()?, expected);
        }

        fn columns_of_a_buffer_are_rows_apart_in_the_same_memory(queue) {
            let x = Buffer::from_vec_with(counted(20), [4, 5])?;
            let right = x.columns(3..)?;
            let y = Buffer::<i32, 2>::new([2, 4]);
            queue.submit(|h| h.parallel_for([2, 4], transpose(right.read(h), y.write(h))))?;
            assert_eq!(y.to_vec()?, [3, 8, 13, 18, 4, 9, 14, 19]);
        }

        fn clones_are_one_memory_and_commands_keep_it(queue) {
            let x = Buffer::from_vec(counted(1000));
            let clone = x.clone();
            queue.submit(|h| h.parallel_for(1000, set(7, x.write(h))))?;
            drop(x);
            assert_eq!(clone.to_vec()?, (7..1007).collect::<Vec<_>>());
            let unread = Buffer::from_vec(counted(1000));
            let event = queue.submit(|h| h.parallel_for(1000, set(7, unread.write(h))))?;
            drop(unread);
            event.wait()?;
        }

        fn commands_on_borrowed_memory_have_written_it_when_the_scope_ends(queue) {
            let mut data = counted(500);
            let factor = counted(500);
            syclone::scope(|s| {
                let (x, y) = (s.buffer(&factor, 500)?, s.buffer_mut(&mut data, 500)?);
                queue.submit(|h| h.parallel_for(500, add(x.read(h), y.read_write(h))))?;
                queue.submit(|h| h.parallel_for(500, add(x.read(h), y.read_write(h))))?;
                Ok::<_, Error>(())
            })?;
            assert_eq!(data, (0..500).map(|i| 3 * i).collect::<Vec<_>>());
        }

        fn data_and_extents_of_different_sizes_are_an_error_with_both(queue) {
            let _ = queue;
            let error = Buffer::from_vec_with(counted(7), [2, 3]).expect_err("six are not seven");
            assert!(matches!(error, Error::LengthMismatch { source_len: 7, target_len: 6, .. }), "{error}");
            let error = Buffer::<u64, 2>::try_new([usize::MAX, 4]).expect_err("too many");
            assert!(matches!(error, Error::SizeOverflow { .. }), "{error}");
        }
    }
}

/// Host accesses.
pub mod host_accessor {
    use super::*;

    crate::tests! {
        fn the_host_reads_what_was_submitted_before(queue) {
            let x = Buffer::<i32>::new(700);
            queue.submit(|h| h.parallel_for(700, set(3, x.write(h))))?;
            assert_eq!(x.host_read()?[..], (3..703).collect::<Vec<_>>());
        }

        fn a_command_waits_until_the_host_has_written(queue) {
            let (x, y) = (Buffer::from_vec(vec![0; 50]), Buffer::from_vec(counted(50)));
            let mut guard = x.host_write()?;
            let event = queue.submit(|h| h.parallel_for(50, add(x.read(h), y.read_write(h))))?;
            assert!(event.wait_timeout(Duration::from_millis(20)).is_none(), "the host still writes");
            guard.fill(1000);
            drop(guard);
            event.wait()?;
            assert_eq!(y.to_vec()?, (1000..1050).collect::<Vec<_>>());
        }

        fn readers_do_not_wait_for_a_reading_host(queue) {
            let (x, y) = (Buffer::from_vec(counted(50)), Buffer::from_vec(counted(50)));
            let guard = x.host_read()?;
            queue.submit(|h| h.parallel_for(50, add(x.read(h), y.read_write(h))))?.wait()?;
            assert_eq!(guard[..], counted(50));
            assert_eq!(y.to_vec()?, (0..50).map(|i| 2 * i).collect::<Vec<_>>());
        }

        fn waiting_for_a_command_that_waits_for_this_thread_is_an_error(queue) {
            let x = Buffer::from_vec(counted(4));
            let guard = x.host_read()?;
            let event = queue.submit(|h| h.parallel_for(4, set(9, x.write(h))))?;
            assert!(matches!(event.wait(), Err(Error::WaitWouldDeadlock { .. })));
            assert_eq!(guard[..], [0, 1, 2, 3]);
            drop(guard);
            event.wait()?;
            assert_eq!(x.to_vec()?, [9, 10, 11, 12]);
        }

        fn slices_are_copied_in_and_out(queue) {
            let x = Buffer::<i32>::new(12);
            x.copy_from_slice(&counted(12))?;
            let y = Buffer::from_vec(vec![1; 12]);
            queue.submit(|h| h.parallel_for(12, add(x.read(h), y.read_write(h))))?;
            let mut out = [0; 12];
            y.copy_to_slice(&mut out)?;
            assert_eq!(out, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
            assert!(matches!(y.copy_to_slice(&mut [0; 11]), Err(Error::LengthMismatch { .. })));
        }
    }
}

/// Local memory.
pub mod local_accessor {
    use super::*;

    crate::tests! {
        fn static_local_memory_is_shared_by_the_items_of_a_group(queue) {
            let (x, y) = (Buffer::from_vec_with(counted(96), [8, 12])?, Buffer::<i32, 2>::new([8, 12]));
            let shape = NdRange::new([8, 12], [4, 4]);
            queue.submit(|h| h.parallel_for(shape, matrix_in_local_memory(x.read(h), y.write(h))))?;
            let expected = (0..96i32).map(|i| {
                let (r, c) = (i / 12, i % 12);
                (r / 4 * 4 + c % 4) * 12 + (c / 4 * 4 + r % 4)
            });
            assert_eq!(y.to_vec()?, expected.collect::<Vec<_>>());
        }

        fn local_memory_may_get_its_size_at_the_launch(queue) {
            for size in [1, 3, 16] {
                let (x, y) = (Buffer::from_vec(counted(48)), Buffer::<i32>::new(48));
                let shape = NdRange::new(48, size);
                queue.submit(|h| {
                    h.parallel_for(shape, sized_at_launch(LocalAccessor::new(size), x.read(h), y.write(h)))
                })?;
                let sums = counted(48).chunks(size).flat_map(|g| vec![g.iter().sum::<i32>(); size]).collect::<Vec<_>>();
                assert_eq!(y.to_vec()?, sums, "groups of {size}");
            }
        }

        fn local_memory_may_have_two_dimensions(queue) {
            let y = Buffer::<i32, 2>::new([4, 6]);
            let shape = NdRange::new([4, 6], [2, 3]);
            queue.submit(|h| h.parallel_for(shape, plane_sized_at_launch(LocalAccessor::new([2, 3]), y.write(h))))?;
            let mirrored = |i: i32| (i / 12 * 2 + 1 - i / 6 % 2) * 6 + (i % 6 / 3 * 3 + 2 - i % 3);
            assert_eq!(y.to_vec()?, (0..24).map(mirrored).collect::<Vec<_>>());
        }

        fn pieces_of_local_memory_of_several_types_do_not_meet(queue) {
            let y = Buffer::<u64>::new(21);
            let tiles = || (LocalAccessor::new(7), LocalAccessor::new(7));
            queue.submit(|h| {
                let (a, b) = tiles();
                h.parallel_for(NdRange::new(21, 7), two_tiles(a, b, y.write(h)))
            })?;
            let expected: Vec<u64> = (0..21).map(|i| 7 - i % 7).map(|v| (v << 40) + v).collect();
            assert_eq!(y.to_vec()?, expected);
        }

        #[mistaken]
        fn local_memory_shows_nothing_of_earlier_groups(queue) {
            let y = Buffer::<u32>::new(800);
            let shape = NdRange::new(800, 8);
            let event = queue.submit(|h| {
                h.parallel_for(shape, reads_local_memory_first(LocalAccessor::new(8), y.write(h)))
            })?;
            if !queue.device().is_checked() {
                event.wait()?;
                assert_eq!(y.to_vec()?, [1; 800]);
            }
        }

        fn more_local_memory_than_a_group_has_is_an_error_with_the_limit(queue) {
            let limit = queue.device().info().local_memory_bytes;
            let (x, y) = (Buffer::from_vec(counted(4)), Buffer::<i32>::new(4));
            let refused = queue.submit(|h| {
                h.parallel_for(NdRange::new(4, 4), sized_at_launch(LocalAccessor::new(limit), x.read(h), y.write(h)))
            });
            let error = refused.expect_err("four times the limit");
            assert!(matches!(error, Error::LocalMemoryTooLarge { .. }), "{error}");
            assert!(error.to_string().contains("sized_at_launch"), "{error}");
        }
    }
}

/// Unified shared memory.
pub mod usm {
    use super::*;

    crate::tests! {
        needs UsmDeviceAllocations; fn device_memory_is_copied_in_and_out(queue) {
            let mut x = queue.alloc_device::<i32>(100)?;
            queue.copy_from_slice(&counted(100), &mut x)?;
            assert_eq!(queue.to_vec(&x)?, counted(100));
            queue.parallel_for(100, set(50, x.item_mut()))?;
            assert_eq!(queue.to_vec(&x)?, (50..150).collect::<Vec<_>>());
        }

        needs UsmSharedAllocations; fn host_and_device_take_turns_at_shared_memory(queue) {
            let (mut x, mut y) = (queue.alloc_shared::<i32>(64)?, queue.alloc_shared::<i32>(64)?);
            x.host_mut()?.copy_from_slice(&counted(64));
            for _ in 0..3 {
                queue.parallel_for(64, add(x.view(), y.item_mut()))?;
            }
            assert_eq!(y.host()?[..], (0..64).map(|i| 3 * i).collect::<Vec<_>>());
            y.host_mut()?.fill(0);
            queue.parallel_for(64, add(x.view(), y.item_mut()))?;
            assert_eq!(y.host()?[..], counted(64));
        }

        needs UsmHostAllocations; fn kernels_reach_host_memory(queue) {
            let mut x = queue.alloc_host::<i32>(31)?;
            queue.parallel_for(31, set(1, x.item_mut()))?;
            assert_eq!(x.host()?[..], (1..32).collect::<Vec<_>>());
        }

        needs UsmDeviceAllocations; fn halves_of_an_allocation_may_be_read_and_written_by_one_kernel(queue) {
            let mut x = queue.alloc_device::<i32>(20)?;
            queue.parallel_for(20, set(0, x.item_mut()))?;
            {
                let (low, mut high) = x.split_at_mut(10)?;
                queue.parallel_for(10, add(low.view(), high.item_mut()))?;
            }
            let expected: Vec<i32> = (0..10).chain((0..10).map(|i| 10 + 2 * i)).collect();
            assert_eq!(queue.to_vec(&x)?, expected);
        }

        needs UsmDeviceAllocations; fn fill_and_copy_are_ordered_like_kernels(queue) {
            let (mut x, mut y) = (queue.alloc_device::<i32>(1000)?, queue.alloc_device::<i32>(1000)?);
            queue.fill(&mut y, 0)?;
            for value in 1..6 {
                queue.fill(&mut x, value)?;
                queue.parallel_for(1000, add(x.view(), y.item_mut()))?;
            }
            queue.copy(&y, &mut x)?;
            queue.fill(&mut y, 0)?;
            assert_eq!(queue.to_vec(&x)?, [15; 1000]);
            assert_eq!(queue.to_vec(&y)?, [0; 1000]);
        }

        needs UsmDeviceAllocations; fn an_allocation_may_be_dropped_while_commands_use_it(queue) {
            let out = Buffer::from_vec(vec![0; 100]);
            {
                let mut x = queue.alloc_device::<i32>(100)?;
                queue.parallel_for(100, set(9, x.item_mut()))?;
                queue.submit(|h| h.parallel_for(100, add(x.view(), out.read_write(h))))?;
            }
            assert_eq!(out.to_vec()?, (9..109).collect::<Vec<_>>());
        }

        needs UsmDeviceAllocations; fn rows_may_lie_apart(queue) {
            let mut x = UsmDevice::<i32, 2>::pitched(queue.device(), [3, 5])?;
            assert!(x.pitch() >= 5);
            queue.copy_from_slice(&counted(15), &mut x)?;
            let y = Buffer::<i32, 2>::new([5, 3]);
            queue.submit(|h| h.parallel_for([5, 3], transpose(x.view(), y.write(h))))?;
            let expected: Vec<i32> = (0..5).flat_map(|r| (0..3).map(move |c| c * 5 + r)).collect();
            assert_eq!(y.to_vec()?, expected);
        }

        needs UsmSharedAllocations; fn hints_change_no_contents(queue) {
            let mut x = queue.alloc_shared::<i32>(256)?;
            queue.parallel_for(256, set(2, x.item_mut()))?;
            queue.prefetch(&x)?.wait()?;
            queue.advise(&x, syclone::Advice::MostlyRead)?.wait()?;
            assert_eq!(x.host()?[..], (2..258).collect::<Vec<_>>());
        }
    }
}
