//! Planted mistakes around joint algorithms of sub-groups and groups: each is found, at its line, with the items that
//! make it. What a sub-group orders is silent.

mod check_rig;

use check_rig::*;
use syclone::check::ReportKind::{DataRace, DifferentSpans, OutOfBounds, SubGroupDivergence, Unwritten};
use syclone::prelude::*;

fn line(name: &str) -> u32 {
    line_of(include_str!("check_joint.rs"), name)
}

/// 8 items in one group, sub-groups of 4.
fn group() -> NdRange<1> {
    NdRange::new([8], [8]).sub_group_size(4)
}

/// Reports of a kernel of eight items that takes the numbers from 0 to 7.
macro_rules! of_eight {
    ($kernel:ident) => {
        reports(|h| h.parallel_for(group(), $kernel(numbers(8).read_write(h))))
    };
}

#[kernel(fallback)]
fn reduce_in_a_branch(item: NdItem<1>, x: ItemMut<u32>, all: View<u32>) {
    if x[item] != 6 {
        x[item] = item.sub_group().joint_reduce(all, Plus); // fault: reduce
    }
}

#[kernel(fallback)]
fn scan_in_a_loop(item: NdItem<1>, x: ItemMut<u32>) {
    let tile = local::<[u32; 2]>();
    tile.atomic(item.sub_group().id()).store(1);
    item.barrier();
    for _ in 0..x[item] % 4 {
        let own = tile.span(item.sub_group().id(), 1);
        item.sub_group().joint_inclusive_scan(own, own, Plus); // fault: scan
    }
}

#[kernel(fallback)]
fn vote_after_a_return(item: NdItem<1>, x: ItemMut<u32>, flags: View<bool>) {
    if x[item] == 1 {
        return;
    }
    x[item] = item.sub_group().joint_any(flags) as u32; // fault: vote
}

#[test]
fn joint_algorithms_that_some_items_of_a_sub_group_never_reach() {
    let all = numbers(3);
    let found = reports(|h| h.parallel_for(group(), reduce_in_a_branch(numbers(8).read_write(h), all.read(h))));
    let report = expect_only(&found, SubGroupDivergence, line("reduce"), &ids([4, 6]));
    assert!(report.message.contains("3 of the 4 items of a sub-group"), "{report}");
    expect_only(&of_eight!(scan_in_a_loop), SubGroupDivergence, line("scan"), &ids([1, 0]));
    let flags = Buffer::from_vec(vec![true; 2]);
    let found = reports(|h| h.parallel_for(group(), vote_after_a_return(numbers(8).read_write(h), flags.read(h))));
    expect_only(&found, SubGroupDivergence, line("vote"), &ids([0, 1]));
}

#[kernel]
fn read_anothers_output(item: NdItem<1>, x: ItemMut<u32>) {
    let tile = local::<[u32; 8]>();
    let (sg, me) = (item.sub_group(), item.local_id(0));
    tile[me] = x[item];
    let own = tile.span(sg.id() * 4, 4);
    sg.joint_inclusive_scan(own, own, Plus); // output
    x[item] = tile[7 - me]; // fault: anothers output
}

#[kernel]
fn read_own_output(item: NdItem<1>, x: ItemMut<u32>) {
    let tile = local::<[u32; 8]>();
    let (sg, me) = (item.sub_group(), item.local_id(0));
    tile[me] = x[item];
    let own = tile.span(sg.id() * 4, 4);
    sg.joint_inclusive_scan(own, own, Plus);
    x[item] = tile[me / 4 * 4 + 3 - me % 4];
    sg.joint_exclusive_scan(own, own, Plus);
    tile[me] += 1;
}

#[kernel]
fn read_anothers_output_after_a_barrier(item: NdItem<1>, x: ItemMut<u32>) {
    let tile = local::<[u32; 8]>();
    let (sg, me) = (item.sub_group(), item.local_id(0));
    tile[me] = x[item];
    let own = tile.span(sg.id() * 4, 4);
    sg.joint_inclusive_scan(own, own, Plus);
    item.barrier();
    x[item] = tile[7 - me] + sg.joint_reduce(tile, Maximum);
}

#[test]
fn an_output_span_is_ordered_for_its_own_sub_group_only() {
    let found = of_eight!(read_anothers_output);
    // The second sub-group scans before the first one's items go on.
    let report = expect(&found, DataRace, line("anothers output"), &ids([0, 4]));
    assert_eq!(report.other.as_ref().map(|(place, _)| place.line), Some(line("anothers output") - 1));
    expect_clean(&of_eight!(read_own_output));
    expect_clean(&of_eight!(read_anothers_output_after_a_barrier));
}

#[kernel]
fn one_output(item: NdItem<1>, x: View<u32>, out: ScatterMut<u32>) {
    item.sub_group().joint_inclusive_scan(x, out, Plus); // fault: one output
}

#[test]
fn two_sub_groups_write_one_output_span() {
    let (x, out) = (numbers(5), numbers(5));
    // SAFETY: none; on this device items take turns.
    let found = reports(|h| unsafe { h.parallel_for_unchecked(group(), one_output(x.read(h), out.scatter(h))) });
    let report = expect_only(&found, DataRace, line("one output"), &ids([4, 0]));
    assert_eq!((report.parameter.as_deref(), report.count), (Some("out"), 5));
}

#[kernel]
fn read_anothers_items(item: NdItem<1>, x: ItemMut<u32>) {
    let tile = local::<[u32; 8]>();
    tile[item.local_id(0)] = x[item];
    x[item] = item.sub_group().joint_reduce(tile, Plus); // fault: anothers items
}

#[kernel]
fn read_nobodys(item: NdItem<1>, x: ItemMut<u32>) {
    let tile = local::<[u32; 9]>();
    tile[item.local_id(0)] = x[item];
    item.barrier();
    x[item] = item.sub_group().joint_reduce(tile, Plus); // fault: nobodys
}

#[test]
fn an_input_span_that_other_sub_groups_or_nobody_wrote() {
    expect(&of_eight!(read_anothers_items), DataRace, line("anothers items"), &ids([0, 4]));
    let report = expect_only(&of_eight!(read_nobodys), Unwritten, line("nobodys"), &ids([0]));
    assert_eq!(report.count, 2);
}

#[kernel]
fn too_far(item: NdItem<1>, x: ItemMut<u32>, all: View<u32>) {
    let sg = item.sub_group();
    x[item] = sg.joint_reduce(all.span(sg.id() * 4, 4), Plus); // fault: too far
}

#[test]
fn a_span_that_is_too_far_for_one_sub_group() {
    let all = numbers(7);
    let found = reports(|h| h.parallel_for(group(), too_far(numbers(8).read_write(h), all.read(h))));
    let report = expect_only(&found, OutOfBounds, line("too far"), &ids([4]));
    assert_eq!((report.parameter.as_deref(), report.count), (Some("all"), 4));
}

#[kernel]
fn each_its_own(item: NdItem<1>, x: ItemMut<u32>, all: View<u32>) {
    x[item] = item.sub_group().joint_reduce(all.span(item.local_id(0) / 2, 4), Plus); // fault: each its own
}

#[kernel]
fn one_a_sub_group(item: NdItem<1>, x: ItemMut<u32>, all: View<u32>) {
    let sg = item.sub_group();
    let own = sg.joint_reduce(all.span(sg.id(), 4), Plus);
    x[item] = own + item.group().joint_reduce(all.span(0, 3 + sg.id()), Plus); // fault: one a sub-group
}

#[kernel]
fn outputs_apart(item: NdItem<1>, x: ItemMut<u32>) {
    let tile = local::<[u32; 16]>();
    let me = item.local_id(0);
    tile[me] = x[item];
    tile[me + 8] = 0;
    item.group().joint_inclusive_scan(tile.span(0, 2), tile.span(2 + me / 7, 2), Plus); // fault: outputs apart
    x[item] = tile[me];
}

#[test]
fn items_of_a_group_that_pass_different_spans() {
    let all = numbers(8);
    let launch = |h: &Handler<'_>| h.parallel_for(group(), each_its_own(numbers(8).read_write(h), all.read(h)));
    let report = expect_only(&reports(launch), DifferentSpans, line("each its own"), &ids([0, 2]));
    assert!(report.message.contains("the whole sub-group's, and item 2 passes another"), "{report}");
    assert_eq!(report.count, 2);
    let launch = |h: &Handler<'_>| h.parallel_for(group(), one_a_sub_group(numbers(8).read_write(h), all.read(h)));
    expect_only(&reports(launch), DifferentSpans, line("one a sub-group"), &ids([0, 4]));
    expect_only(&of_eight!(outputs_apart), DifferentSpans, line("outputs apart"), &ids([0, 7]));
}
