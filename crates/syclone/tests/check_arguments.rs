//! Planted mistakes in what operations are given: arguments that have to be the same for all items of a group, bounds
//! in the wrong order, dimensions that do not exist. Each is found, at its line, with the items that make it.

mod check_rig;

use check_rig::*;
use syclone::check::ReportKind::{ClampBounds, DifferentArguments, NoDimension};
use syclone::prelude::*;

fn line(name: &str) -> u32 {
    line_of(include_str!("check_arguments.rs"), name)
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

/// A kernel for each operation on the items' numbers.
macro_rules! kernels {
    ($($name:ident($item:ident, $x:ident, $own:ident, $me:ident) $body:block)*) => {$(
        #[kernel(fallback)]
        fn $name($item: NdItem<1>, $x: ItemMut<u32>) {
            let $own = $x[$item];
            let $me = $own as usize;
            $x[$item] = $body;
        }
    )*};
}

kernels! {
    broadcast(item, x, own, me) {
        item.group().broadcast(own, me) // fault: broadcast
    }
    broadcast_in_sub_groups(item, x, own, me) {
        item.sub_group().broadcast(own, me % 4) // fault: broadcast in sub-groups
    }
    shift(item, x, own, me) {
        item.group().shift_left(own, 1 + me / 5) // fault: shift
    }
    shift_back(item, x, own, me) {
        item.sub_group().shift_right(own, me / 7) // fault: shift back
    }
    shuffle(item, x, own, me) {
        item.sub_group().shuffle_down(own, me / 6) // fault: shuffle
    }
    permute(item, x, own, me) {
        item.group().permute_xor(own, me & 1) // fault: permute
    }
    initial(item, x, own, me) {
        item.group().inclusive_scan_init(own, own / 2, Plus) // fault: initial
    }
    initial_in_sub_groups(item, x, own, me) {
        item.sub_group().exclusive_scan_init(own, own / 7, Plus) // fault: initial in sub-groups
    }
    the_same(item, x, own, me) {
        let (group, sg) = (item.group(), item.sub_group());
        let all = group.broadcast(own, 3) + group.shift_left(own, 2) + group.permute_xor(own, 1);
        let some = sg.broadcast(own, sg.id()) + sg.shift_right(own, sg.id()) + sg.permute_xor(own, 1 + sg.id());
        let scans = group.inclusive_scan_init(own, 5, Plus) + sg.exclusive_scan_init(own, sg.id() as u32, Plus);
        all + some + scans + group.select(own, 7 - me) + sg.select(own, 3 - me % 4) + sg.shuffle(own, me % 4)
    }
}

#[test]
fn arguments_that_have_to_be_the_same_for_all_items() {
    let report = expect_only(&of_eight!(broadcast), DifferentArguments, line("broadcast"), &ids([0, 1]));
    assert!(
        report.message.contains("its source's id is 0, and item 1, which is of the same work-group, passes 1"),
        "{report}"
    );
    assert!(report.notes[0].contains("use `select`"), "{report}");
    let found = of_eight!(broadcast_in_sub_groups);
    let report = expect_only(&found, DifferentArguments, line("broadcast in sub-groups"), &ids([0, 1]));
    assert_eq!(report.count, 2, "one in each sub-group");
    let report = expect_only(&of_eight!(shift), DifferentArguments, line("shift"), &ids([0, 5]));
    assert!(
        report.message.contains("its delta is 1, and item 5, which is of the same work-group, passes 2"),
        "{report}"
    );
    // The first sub-group's are equal.
    let report = expect_only(&of_eight!(shift_back), DifferentArguments, line("shift back"), &ids([4, 7]));
    assert!(report.message.contains("of the same sub-group"), "{report}");
    expect_only(&of_eight!(shuffle), DifferentArguments, line("shuffle"), &ids([4, 6]));
    let report = expect_only(&of_eight!(permute), DifferentArguments, line("permute"), &ids([0, 1]));
    assert!(report.message.contains("its mask is 0"), "{report}");
    let report = expect_only(&of_eight!(initial), DifferentArguments, line("initial"), &ids([0, 2]));
    assert!(report.message.contains("its initial value is 0, and item 2"), "{report}");
    expect_only(&of_eight!(initial_in_sub_groups), DifferentArguments, line("initial in sub-groups"), &ids([4, 7]));
}

#[test]
fn arguments_that_are_the_same_or_each_items_own_are_silent() {
    expect_clean(&of_eight!(the_same));
}

kernels! {
    bounds(item, x, own, me) {
        own.clamp(3, own) // fault: bounds
    }
    bounds_of_lanes(item, x, own, me) {
        Vector::<u32, 2>::splat(own).clamp(7, own).x // fault: bounds of lanes
    }
    bounds_with_nan(item, x, own, me) {
        (own as f32).clamp(0.0, f32::NAN) as u32 // fault: bounds with nan
    }
    id(item, x, own, me) {
        item.local_id(me / 4) as u32 // fault: id
    }
    extent(item, x, own, me) {
        x.extent(me / 2) as u32 // fault: extent
    }
}

#[test]
fn bounds_in_the_wrong_order() {
    let report = expect_only(&of_eight!(bounds), ClampBounds, line("bounds"), &ids([0]));
    assert!(report.message.contains("`clamp` to what is at least 3 and at most 0"), "{report}");
    // Vectors go on with one of the bounds.
    let report = expect_only(&of_eight!(bounds_of_lanes), ClampBounds, line("bounds of lanes"), &ids([0]));
    assert_eq!(report.count, 14, "two lanes of all items but the last");
    expect_only(&of_eight!(bounds_with_nan), ClampBounds, line("bounds with nan"), &ids([0]));
}

#[test]
fn dimensions_that_do_not_exist() {
    let report = expect_only(&of_eight!(id), NoDimension, line("id"), &ids([4]));
    assert!(report.message.contains("dimension 1 of what has 1"), "{report}");
    expect_only(&of_eight!(extent), NoDimension, line("extent"), &ids([2]));
}

#[test]
#[should_panic(expected = "no test asserts the faults [\"forgotten\"]")]
fn a_marked_fault_that_no_test_names_fails_every_test_of_its_file() {
    let source = ["let x = 1; // fault: known", "let y = 2; // fault: forgotten", "line(\"known\")"].join("\n");
    line_of(&source, "known");
}
