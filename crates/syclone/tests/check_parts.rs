//! What counts as written where one command takes several parts of one memory, whose rows lie between each other's, and of
//! what reductions begin with and leave.

mod check_rig;

use check_rig::*;
use syclone::check::ReportKind::*;
use syclone::{PitchedBuffer, prelude::*};

fn line(name: &str) -> u32 {
    line_of(include_str!("check_parts.rs"), name)
}

/// A matrix of 6 rows, and its halves side by side.
fn halves() -> [PitchedBuffer<u32, 2>; 2] {
    let matrix = Buffer::from_vec_with((0..48).collect::<Vec<u32>>(), [6, 8]).unwrap();
    [matrix.columns(..4).unwrap(), matrix.columns(4..).unwrap()]
}

#[kernel]
fn copy(item: Item<2>, from: View<u32, 2>, to: ItemMut<u32, 2>) {
    to[item] = from[item]; // fault: copy
}

#[kernel]
fn first_row(item: Item<2>, from: View<u32, 2>, to: ItemMut<u32, 2>) {
    if item.id(0) == 0 {
        to[item] = from[item];
    }
}

#[test]
fn a_half_that_is_read_is_not_overwritten_with_the_half_beside_it() {
    let queue = queue();
    let [left, right] = halves();
    queue.submit(|h| h.parallel_for([6, 4], copy(left.read(h), right.write(h)))).unwrap();
    queue.submit(|h| h.parallel_for([6, 4], copy(right.read(h), left.write(h)))).unwrap();
    // In the other order of declarations.
    let declared_last = |h: &Handler<'_>| {
        let to = left.write(h);
        h.parallel_for([6, 4], copy(right.read(h), to))
    };
    queue.submit(declared_last).unwrap();
    queue.wait().unwrap();
    expect_clean(&queue.device().take_reports());
}

#[test]
fn what_a_command_leaves_out_of_one_half_is_unwritten_beside_the_half_that_it_reads() {
    let queue = queue();
    let [left, right] = halves();
    let out = Buffer::<u32, 2>::new([6, 4]);
    queue.submit(|h| h.parallel_for([6, 4], first_row(left.read(h), right.write(h)))).unwrap();
    queue.submit(|h| h.parallel_for([6, 4], copy(left.read(h), out.write(h)))).unwrap();
    expect_clean(&queue.device().take_reports());
    queue.submit(|h| h.parallel_for([6, 4], copy(right.read(h), out.write(h)))).unwrap().wait().unwrap();
    let report = expect_only(&queue.device().take_reports(), Unwritten, line("copy"), &[[0, 1, 0]]);
    assert_eq!(report.count, 20);
}

#[kernel]
fn total(item: Item<1>, x: View<u32>, sum: Reducer<u32, Plus>) {
    sum.combine(x[item]);
}

#[kernel]
fn take(item: Item<1>, x: View<u32>, y: ItemMut<u32>) {
    y[item] = x[item];
}

#[test]
fn a_reduction_writes_device_memory_that_nobody_has_written_before() {
    let queue = queue();
    let (x, y) = (numbers(8), numbers(1));
    for items in [8, 0] {
        let mut sum = queue.alloc_device::<u32>(1).unwrap();
        queue.submit(|h| h.parallel_for(items, total(x.read(h), sum.reducer(Plus, false)?))).unwrap();
        queue.submit(|h| h.parallel_for(1, take(sum.view(), y.write(h)))).unwrap();
        // Begins with what the first one has left.
        queue.submit(|h| h.parallel_for(8, total(x.read(h), sum.reducer(Plus, true)?))).unwrap();
        queue.wait().unwrap();
        expect_clean(&queue.device().take_reports());
        assert_eq!(y.to_vec().unwrap(), [if items == 8 { 28 } else { 0 }]);
    }
}

#[test]
fn a_reduction_that_begins_with_what_nobody_has_written() {
    let queue = queue();
    let x = numbers(8);
    let mut sum = queue.alloc_device::<u32>(1).unwrap();
    queue.submit(|h| h.parallel_for(8, total(x.read(h), sum.reducer(Plus, true)?))).unwrap().wait().unwrap();
    let report = expect_only(&queue.device().take_reports(), Unwritten, 0, &[]);
    assert_eq!((&*report.kernel, report.parameter.as_deref()), ("total", Some("sum")));
    assert!(
        report.to_string().contains("`sum` begins with what its memory holds, which nobody has written"),
        "{report}"
    );
}
