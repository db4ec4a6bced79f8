//! Planted races between work-items: each is found, at its line, with the items that make it. Orders that hold are silent.

mod check_rig;

use check_rig::*;
use syclone::check::ReportKind::{DataRace, Unwritten};
use syclone::prelude::*;

fn line(name: &str) -> u32 {
    line_of(include_str!("check_races.rs"), name)
}

/// 16 items in groups of 8.
fn groups() -> NdRange<1> {
    NdRange::new([16], [8])
}

#[kernel]
fn neighbour(item: NdItem<1>, x: ItemMut<u32>) {
    let tile = local::<[u32; 8]>();
    let i = item.local_id(0);
    tile[i] = x[item];
    x[item] = tile[(i + 7) % 8]; // fault: neighbour
}

#[test]
fn a_neighbour_in_local_memory_without_a_barrier() {
    let reports = reports(|h| h.parallel_for(groups(), neighbour(numbers(16).read_write(h))));
    let report = expect(&reports, DataRace, line("neighbour"), &ids([1, 0]));
    assert_eq!(report.kernel, "neighbour");
    assert!(report.notes[0].contains("item.barrier()"), "{report}");
    // The first item of each group reads what nobody has written yet.
    expect(&reports, Unwritten, line("neighbour"), &ids([0]));
}

#[kernel]
fn one_cell(item: NdItem<1>, x: ItemMut<u32>) {
    let cell = local::<[u32; 1]>();
    cell[0] = x[item]; // fault: one cell
    item.barrier();
    x[item] = cell[0];
}

#[test]
fn all_items_write_one_cell() {
    let reports = reports(|h| h.parallel_for(groups(), one_cell(numbers(16).read_write(h))));
    let report = expect_only(&reports, DataRace, line("one cell"), &ids([1, 0]));
    // Seven of each group.
    assert_eq!(report.count, 14);
    assert_eq!(report.other.as_ref().map(|(place, _)| place.line), Some(line("one cell")));
}

#[kernel]
fn tree(item: NdItem<1>, x: ItemMut<u32>) {
    let sums = local::<[u32; 8]>();
    let i = item.local_id(0);
    sums[i] = x[item];
    item.barrier();
    for step in 0..3 {
        let half = 4usize >> step;
        if i < half {
            sums[i] += sums[i + half]; // fault: tree
        }
    }
    item.barrier();
    x[item] = sums[0];
}

#[test]
fn a_tree_without_a_barrier_between_its_steps() {
    let reports = reports(|h| h.parallel_for(groups(), tree(numbers(16).read_write(h))));
    // Item 0 runs its three steps before the others: item 1 then writes what item 0 has read.
    expect(&reports, DataRace, line("tree"), &ids([1, 0]));
}

#[kernel]
fn sized(item: NdItem<1>, x: ItemMut<u32>, tile: LocalAccessor<u32>) {
    let i = item.local_id(0);
    tile[i / 2] = x[item]; // fault: sized
    item.barrier();
    x[item] = tile[i / 2];
}

#[test]
fn two_items_share_a_cell_of_sized_local_memory() {
    let reports =
        reports(|h| h.parallel_for(groups(), sized(numbers(16).read_write(h), LocalAccessor::<u32>::new([4]))));
    expect_only(&reports, DataRace, line("sized"), &ids([1, 0]));
}

#[kernel]
fn second_round(item: NdItem<1>, x: ItemMut<u32>) {
    let tile = local::<[u32; 8]>();
    let i = item.local_id(0);
    let mut v = x[item];
    for _ in 0..2 {
        tile[i] = v; // fault: second round
        item.barrier();
        v = tile[7 - i];
    }
    x[item] = v;
}

#[test]
fn a_loop_that_overwrites_what_others_still_read() {
    let reports = reports(|h| h.parallel_for(groups(), second_round(numbers(16).read_write(h))));
    expect(&reports, DataRace, line("second round"), &ids([4, 3]));
}

#[kernel]
fn across_sub_groups(item: NdItem<1>, x: ItemMut<u32>) {
    let tile = local::<[u32; 8]>();
    let i = item.local_id(0);
    tile[i] = x[item];
    item.sub_group().barrier();
    x[item] = tile[7 - i]; // fault: across sub-groups
}

#[kernel]
fn inside_sub_groups(item: NdItem<1>, x: ItemMut<u32>) {
    let tile = local::<[u32; 8]>();
    let i = item.local_id(0);
    tile[i] = x[item];
    item.sub_group().barrier();
    x[item] = tile[i / 4 * 4 + 3 - i % 4];
}

#[test]
fn a_sub_groups_barrier_orders_that_sub_group_only() {
    let shape = || groups().sub_group_size(4);
    let across = reports(|h| h.parallel_for(shape(), across_sub_groups(numbers(16).read_write(h))));
    expect(&across, DataRace, line("across sub-groups"), &ids([0, 7]));
    expect_clean(&reports(|h| h.parallel_for(shape(), inside_sub_groups(numbers(16).read_write(h)))));
}

#[kernel]
fn count_and_look(item: NdItem<1>, out: ItemMut<u32>) {
    let count = local::<[u32; 1]>();
    count.atomic(0).fetch_add(1);
    out[item] = count[0]; // fault: count and look
}

#[test]
fn a_plain_read_of_an_atomic_counter() {
    let reports = reports(|h| h.parallel_for(groups(), count_and_look(numbers(16).write(h))));
    expect(&reports, DataRace, line("count and look"), &ids([1, 0]));
}

#[kernel]
fn clear_and_count(item: NdItem<1>, out: ItemMut<u32>) {
    let count = local::<[u32; 1]>();
    if item.local_id(0) == 0 {
        count[0] = 0;
    }
    count.atomic(0).fetch_add(1); // fault: clear and count
    item.barrier();
    out[item] = count[0];
}

#[test]
fn a_counter_that_is_cleared_without_a_barrier() {
    let reports = reports(|h| h.parallel_for(groups(), clear_and_count(numbers(16).write(h))));
    expect_only(&reports, DataRace, line("clear and count"), &ids([1, 0]));
}

#[kernel]
fn narrow(item: NdItem<1>, count: AtomicView<u32>) {
    count.atomic(0).scope(Scope::WorkGroup).fetch_add(item.local_id(0) as u32); // fault: narrow
}

#[kernel]
fn narrower(item: NdItem<1>, count: AtomicView<u32>) {
    let group = item.group_id(0);
    count.atomic(group).scope(Scope::SubGroup).fetch_add(1); // fault: narrower
}

#[test]
fn atomics_whose_scope_does_not_hold_the_other_item() {
    let found = reports(|h| h.parallel_for(groups(), narrow(numbers(2).atomic(h))));
    let report = expect_only(&found, DataRace, line("narrow"), &ids([8, 0]));
    assert!(report.notes[0].contains("WorkGroup"), "{report}");
    let found = reports(|h| h.parallel_for(groups().sub_group_size(4), narrower(numbers(2).atomic(h))));
    expect_only(&found, DataRace, line("narrower"), &ids([4, 0]));
}

#[kernel]
fn same_element(item: Item<1>, out: ScatterMut<u32>) {
    out[item.id(0) / 2] = item.id(0) as u32; // fault: same element
}

#[test]
fn two_items_scatter_to_one_element() {
    // SAFETY: none; on this device items take turns.
    let reports = reports(|h| unsafe { h.parallel_for_unchecked(6, same_element(numbers(3).scatter(h))) });
    let report = expect_only(&reports, DataRace, line("same element"), &ids([1, 0]));
    assert_eq!((report.parameter.as_deref(), report.count), (Some("out"), 3));
    assert!(report.notes[0].contains("different work-groups"), "{report}");
}

#[kernel]
fn in_place(item: Item<1>, x: ScatterMut<u32>) {
    let i = item.id(0);
    let left = if i == 0 { 0 } else { x[i - 1] }; // fault: in place
    x[i] += left;
}

#[test]
fn a_stencil_in_place() {
    let x = numbers(5);
    // SAFETY: none; on this device items take turns.
    let reports = reports(|h| unsafe { h.parallel_for_unchecked(5, in_place(x.scatter(h))) });
    expect_only(&reports, DataRace, line("in place"), &ids([1, 0]));
}

#[kernel]
fn beyond_the_group(item: NdItem<1>, x: ScatterMut<u32>) {
    let i = item.global_id(0);
    x[i] = i as u32;
    item.barrier();
    let next = x[(i + 1) % 16]; // fault: beyond the group
    item.barrier();
    x[i] = next; // fault: beyond the group, written
}

#[test]
fn a_barrier_orders_its_own_group_only() {
    let x = numbers(16);
    // SAFETY: none; on this device items take turns.
    let reports = reports(|h| unsafe { h.parallel_for_unchecked(groups(), beyond_the_group(x.scatter(h))) });
    let report = expect(&reports, DataRace, line("beyond the group"), &ids([15, 0]));
    assert_eq!(report.other.as_ref().map(|(place, _)| place.line), Some(line("beyond the group, written")));
    let report = expect(&reports, DataRace, line("beyond the group") - 2, &ids([8, 7]));
    assert_eq!(report.other.as_ref().map(|(place, _)| place.line), Some(line("beyond the group")));
    assert!(reports.iter().all(|report| report.kind == DataRace), "{reports:?}");
}

#[kernel]
fn every_item_for_its_group(item: NdItem<1>, out: GroupMut<u32>) {
    out[item.group()] = item.local_id(0) as u32; // fault: group
}

#[kernel]
fn one_sum_for_its_group(item: NdItem<1>, x: View<u32>, out: GroupMut<u32>) {
    let sum = item.group().reduce(x[item], Plus);
    out[item.group()] = sum;
}

#[kernel]
fn one_after_another_for_its_group(item: NdItem<1>, out: GroupMut<u32>) {
    for round in 0..item.local_range(0) {
        if item.local_id(0) == round {
            out[item] = round as u32;
        }
        item.barrier();
    }
    out[item.group()] = 100;
}

#[kernel]
fn all_read_of_their_group(item: NdItem<1>, y: ItemMut<u32>, out: GroupMut<u32>) {
    if item.local_id(0) == 0 {
        out[item] = 7;
    }
    y[item] = out[item]; // fault: all read
}

#[kernel]
fn one_flag_for_all(item: NdItem<1>, x: View<u32>, out: ItemMut<u32>) {
    let flag = local::<[u32; 1]>();
    flag[0] = 1; // fault: flag
    item.barrier();
    out[item] = flag[0] + x[item];
}

#[test]
fn all_items_may_write_the_same_to_their_groups_element() {
    let sums = reports(|h| h.parallel_for(groups(), one_sum_for_its_group(numbers(16).read(h), numbers(2).write(h))));
    expect_clean(&sums);
    let turns = reports(|h| h.parallel_for(groups(), one_after_another_for_its_group(numbers(2).write(h))));
    expect_clean(&turns);
}

#[test]
fn items_that_write_different_values_to_their_groups_element() {
    let different = reports(|h| h.parallel_for(groups(), every_item_for_its_group(numbers(2).write(h))));
    let report = expect_only(&different, DataRace, line("group"), &ids([1, 0]));
    assert!(report.notes[0].contains("these wrote different ones"), "{report}");
}

#[test]
fn items_that_read_their_groups_element_while_others_write_it() {
    let (y, out) = (numbers(16), numbers(2));
    let reads = reports(|h| h.parallel_for(groups(), all_read_of_their_group(y.write(h), out.write(h))));
    let report = expect_only(&reads, DataRace, line("all read"), &ids([1, 0]));
    assert!(report.notes[0].contains("`item.barrier()`"), "{report}");
}

#[test]
fn items_that_write_the_same_to_local_memory() {
    let flags = reports(|h| h.parallel_for(groups(), one_flag_for_all(numbers(16).read(h), numbers(16).write(h))));
    expect_only(&flags, DataRace, line("flag"), &ids([1, 0]));
}

#[kernel]
fn overlapping_rows(item: Item<2>, out: ScatterMut<u8, 2>) {
    out[[item.id(0), item.id(1) / 3]] = 1; // fault: rows
}

#[test]
fn items_of_two_dimensions() {
    let out = Buffer::<u8, 2>::new([2, 2]);
    // SAFETY: none; on this device items take turns.
    let reports = reports(|h| unsafe { h.parallel_for_unchecked([2, 4], overlapping_rows(out.scatter(h))) });
    let report = expect_only(&reports, DataRace, line("rows"), &[[0, 0, 1], [0, 0, 0]]);
    assert!(report.message.contains("item [0, 1] writes byte 0 of `out`"), "{report}");
}

#[kernel]
fn wide_steps(item: Item<1>, out: ScatterMut<f32>) {
    let i = item.id(0);
    out.store_vector(i, F32x2::splat(1.0)); // fault: vector
    out[i * 2 + 1] = 0.0;
    out[(i * 2 + 2) % 8] = 0.0; // fault: after the vector
}

#[test]
fn a_vector_and_an_element_of_it() {
    let out = Buffer::<f32>::new(8);
    // SAFETY: none; on this device items take turns.
    let reports = reports(|h| unsafe { h.parallel_for_unchecked(4, wide_steps(out.scatter(h))) });
    expect(&reports, DataRace, line("vector"), &ids([1, 0]));
    expect(&reports, DataRace, line("after the vector"), &ids([3, 0]));
}

#[kernel]
fn relaxed(item: NdItem<1>, data: ScatterMut<u32>, flag: AtomicView<u32>) {
    if item.global_id(0) == 0 {
        data[0] = 42;
        flag.atomic(0).store(1);
    } else if item.global_id(0) == 9 && flag.atomic(0).load() == 1 {
        data[1] = data[0]; // fault: relaxed
    }
}

#[kernel]
fn half_released(item: NdItem<1>, data: ScatterMut<u32>, flag: AtomicView<u32>) {
    if item.global_id(0) == 0 {
        data[0] = 42;
        flag.atomic(0).order(Order::Release).store(1);
    } else if item.global_id(0) == 9 && flag.atomic(0).load() == 1 {
        data[1] = data[0]; // fault: half released
    }
}

#[kernel]
fn released(item: NdItem<1>, data: ScatterMut<u32>, flag: AtomicView<u32>) {
    if item.global_id(0) == 0 {
        data[0] = 42;
        flag.atomic(0).order(Order::Release).store(1);
    } else if item.global_id(0) == 9 && flag.atomic(0).order(Order::Acquire).load() == 1 {
        data[1] = data[0];
    }
}

#[kernel]
fn released_to_few(item: NdItem<1>, data: ScatterMut<u32>, flag: AtomicView<u32>) {
    if item.global_id(0) == 0 {
        data[0] = 42;
        flag.atomic(0).order(Order::Release).scope(Scope::WorkGroup).store(1); // few
    } else if item.global_id(0) == 9 && flag.atomic(0).order(Order::Acquire).load() == 1 {
        data[1] = data[0]; // fault: released to few
    }
}

#[kernel]
fn fenced(item: NdItem<1>, data: ScatterMut<u32>, flag: AtomicView<u32>) {
    if item.global_id(0) == 0 {
        data[0] = 42;
        fence(Order::Release, Scope::Device);
        flag.atomic(0).store(1);
    } else if item.global_id(0) == 9 && flag.atomic(0).load() == 1 {
        fence(Order::Acquire, Scope::Device);
        data[1] = data[0];
    }
}

#[kernel]
fn fenced_too_late(item: NdItem<1>, data: ScatterMut<u32>, flag: AtomicView<u32>) {
    if item.global_id(0) == 0 {
        data[0] = 42;
        flag.atomic(0).store(1);
        fence(Order::Release, Scope::Device);
    } else if item.global_id(0) == 9 && flag.atomic(0).load() == 1 {
        fence(Order::Acquire, Scope::Device);
        data[1] = data[0]; // fault: fenced too late
    }
}

#[kernel]
fn after_a_ticket(item: NdItem<1>, data: ScatterMut<u32>, ticket: AtomicView<u32>) {
    let last = local::<[u32; 1]>();
    data[item.global_id(0)] = 1;
    item.barrier();
    if item.local_id(0) == 0 {
        last[0] = ticket.atomic(0).order(Order::AcqRel).fetch_add(1);
    }
    item.barrier();
    if last[0] == 1 && item.local_id(0) == 3 {
        let mut sum = 0;
        for i in 0..16 {
            sum += data[i];
        }
        data[16] = sum;
    }
}

/// Reports of a kernel that takes data and a flag.
macro_rules! messages {
    ($kernel:ident) => {{
        let (data, flag) = (numbers(17), Buffer::<u32>::new(1));
        // SAFETY: none; on this device items take turns.
        reports(|h| unsafe { h.parallel_for_unchecked(groups(), $kernel(data.scatter(h), flag.atomic(h))) })
    }};
}

#[test]
fn relaxed_atomics_order_nothing_else() {
    expect_only(&messages!(relaxed), DataRace, line("relaxed"), &ids([9, 0]));
    expect_only(&messages!(half_released), DataRace, line("half released"), &ids([9, 0]));
}

#[test]
fn a_scope_bounds_what_a_release_orders() {
    let reports = messages!(released_to_few);
    expect(&reports, DataRace, line("released to few"), &ids([9, 0]));
}

#[test]
fn fences_order_what_is_on_their_side() {
    expect_only(&messages!(fenced_too_late), DataRace, line("fenced too late"), &ids([9, 0]));
    expect_clean(&messages!(fenced));
}

#[test]
fn what_is_released_and_acquired_is_ordered() {
    expect_clean(&messages!(released));
    // The last group to take a ticket has acquired what all groups did before their barriers.
    expect_clean(&messages!(after_a_ticket));
}

#[kernel]
fn released_in_its_group(item: NdItem<1>, data: ScatterMut<u32>) {
    let flag = local::<[u32; 1]>();
    if item.local_id(0) == 0 {
        flag[0] = 0;
        // In local memory, where an earlier group has released something.
        data[0] = flag.atomic(0).order(Order::Acquire).load(); // fault: other group's flag
        flag.atomic(0).order(Order::Release).store(1);
    }
}

#[test]
fn what_one_group_releases_in_its_local_memory_no_other_group_acquires() {
    let data = numbers(1);
    // SAFETY: none; on this device items take turns.
    let reports = reports(|h| unsafe { h.parallel_for_unchecked(groups(), released_in_its_group(data.scatter(h))) });
    expect_only(&reports, DataRace, line("other group's flag"), &ids([8, 0]));
}

#[kernel]
fn bytes_side_by_side(item: NdItem<1>, out: ScatterMut<u8>) {
    let tile = local::<[u8; 8]>();
    let i = item.local_id(0);
    tile[i] = i as u8;
    item.barrier();
    out[item.global_id(0)] = tile[7 - i];
}

#[test]
fn neighbouring_bytes_are_not_shared() {
    let out = Buffer::<u8>::new(16);
    // SAFETY: each item writes its own byte.
    expect_clean(&reports(|h| unsafe { h.parallel_for_unchecked(groups(), bytes_side_by_side(out.scatter(h))) }));
}
