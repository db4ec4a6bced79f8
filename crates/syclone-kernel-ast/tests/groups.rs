//! Work-groups in the interpreter: barriers, divergence, group and sub-group operations.

mod support;

use support::*;
use syclone_kernel_ast::interp::{Fault, Id};

#[test]
fn local_memory_and_barriers_reverse_each_group() {
    let text = "fn k(item: NdItem<1>, x: View<i32>, out: ItemMut<i32>) {
        let tile = local::<[i32; 8]>();
        let l = item.local_id(0);
        tile[l] = x[item];
        item.barrier();
        out[item] = tile[item.local_range(0) - 1 - l];
    }";
    let mut x: Vec<i32> = (0..24).collect();
    let mut out = vec![-1; 24];
    run_text(text, 24, 8, vec![row(&mut x), row(&mut out)]).unwrap();
    let expected: Vec<i32> = (0..24).map(|i| i / 8 * 8 + 7 - i % 8).collect();
    assert_eq!(out, expected);
}

#[test]
fn a_tree_reduction_in_a_loop_waits_at_each_barrier() {
    let text = "fn k(item: NdItem<1>, x: View<i32>, out: GroupMut<i32>, scratch: LocalAccessor<i32>) {
        let l = item.local_id(0);
        scratch[l] = x[item];
        let mut width = item.local_range(0) / 2;
        while width > 0 {
            item.barrier();
            if l < width { scratch[l] += scratch[l + width]; }
            width /= 2;
        }
        if l == 0 { out[item.group()] = scratch[0]; }
    }";
    let mut x: Vec<i32> = (0..64).map(|i| i * i).collect();
    let mut out = vec![0; 4];
    run_text(text, 64, 16, vec![row(&mut x), row(&mut out), local::<i32>(16)]).unwrap();
    let expected: Vec<i32> = x.chunks(16).map(|group| group.iter().sum()).collect();
    assert_eq!(out, expected);
}

#[test]
fn two_dimensions_number_items_with_the_last_fastest() {
    let text = "fn k(item: NdItem<2>, out: ItemMut<i32, 2>) {
        let g = item.group();
        out[item] = (item.global_id(0) * 100000 + item.global_id(1) * 10000 + item.local_linear_id() * 100 + g.linear_id() * 10
            + g.id(1) + g.range(0) + item.local_range(1)) as i32;
    }";
    let mut out = vec![0; 4 * 6];
    let mut launch = launch(&bind(text), 1, 1, vec![table(&mut out, 4, 6)]);
    (launch.global, launch.local) = ([1, 4, 6], [1, 2, 3]);
    run(&launch).unwrap();
    for (position, value) in out.iter().enumerate() {
        let (y, x) = (position / 6, position % 6);
        let (group_y, group_x) = (y / 2, x / 3);
        let local = y % 2 * 3 + x % 3;
        assert_eq!(
            *value as usize,
            y * 100000 + x * 10000 + local * 100 + (group_y * 2 + group_x) * 10 + group_x + 2 + 3
        );
    }
}

#[test]
fn a_barrier_that_some_never_reach_is_divergence_and_no_hang() {
    let text = "fn k(item: NdItem<1>, out: ItemMut<i32>) {
        out[item] = 1;
        if item.local_id(0) < 3 {
            item.barrier();
        }
        out[item] = 2;
    }";
    let mut out = vec![0; 8];
    let fault = run_text(text, 8, 8, vec![row(&mut out)]).unwrap_err();
    assert_eq!(fault, Fault::Divergence { line: 4, arrived: 3, expected: 8, group: Id::new([0; 3], 1) });
}

#[test]
fn different_barriers_are_not_one() {
    let text = "fn k(item: NdItem<1>, n: i32) {
        if item.local_id(0) % 2 == 0 {
            item.barrier();
        } else {
            item.barrier();
        }
    }";
    let fault = run_text(text, 4, 4, vec![plain(1)]).unwrap_err();
    assert_eq!(fault, Fault::Divergence { line: 3, arrived: 2, expected: 4, group: Id::new([0; 3], 1) });
}

#[test]
fn loops_with_different_numbers_of_barriers_diverge() {
    let text = "fn k(item: NdItem<1>, n: i32) {
        for i in 0..item.local_id(0) {
            item.barrier();
        }
    }";
    let fault = run_text(text, 4, 4, vec![plain(1)]).unwrap_err();
    assert!(matches!(fault, Fault::Divergence { line: 3, arrived: 3, expected: 4, .. }), "{fault}");
}

#[test]
fn returning_before_a_barrier_is_divergence_unless_all_do() {
    let text = "fn k(item: NdItem<1>, n: i32) {
        if n > 0 { return; }
        if item.local_id(0) == 1 { return; }
        item.barrier();
    }";
    assert_eq!(run_text(text, 4, 4, vec![plain(1)]), Ok(()));
    let fault = run_text(text, 4, 4, vec![plain(0)]).unwrap_err();
    assert_eq!(fault, Fault::Divergence { line: 4, arrived: 3, expected: 4, group: Id::new([0; 3], 1) });
}

#[test]
fn barriers_in_helper_functions_belong_to_the_call() {
    fn rotate() -> std::sync::Arc<syclone_kernel_ast::bound::BoundFunction> {
        bind(
            "device fn rotate(item: NdItem<1>, x: i32, tile: Local<[i32; 4]>) -> i32 {
                tile[item.local_id(0)] = x;
                item.barrier();
                let y = tile[(item.local_id(0) + 1) % 4];
                item.barrier();
                y
            }",
        )
    }
    let names = Names { callees: vec![("rotate", rotate)], ..Names::default() };
    let text = "fn k(item: NdItem<1>, out: ItemMut<i32>) {
        let tile = local::<[i32; 4]>();
        let mut x = item.local_id(0) as i32;
        for i in 0..3 { x = rotate(item, x, tile); }
        out[item] = x;
    }";
    let mut out = vec![0; 4];
    run(&launch(&bind_with(text, &names), 4, 4, vec![row(&mut out)])).unwrap();
    assert_eq!(out, [3, 0, 1, 2]);

    let diverging = "fn k(item: NdItem<1>, out: ItemMut<i32>) {
        let tile = local::<[i32; 4]>();
        if item.local_id(0) == 0 { out[item] = rotate(item, 1, tile); } else { out[item] = rotate(item, 2, tile); }
    }";
    let fault = run(&launch(&bind_with(diverging, &names), 4, 4, vec![row(&mut out)])).unwrap_err();
    assert!(matches!(fault, Fault::Divergence { line: 3, arrived: 1, expected: 4, .. }), "{fault}");
}

/// Runs `out[item] = expression` for groups of a size; `x` is the item's input.
fn each(expression: &str, x: &[i32], group: usize) -> Vec<i32> {
    let text = format!(
        "fn k(item: NdItem<1>, input: View<i32>, out: ItemMut<i32>) {{
            let x = input[item]; let g = item.group(); let sg = item.sub_group();
            out[item] = {expression};
        }}"
    );
    let mut x = x.to_vec();
    let mut out = vec![i32::MIN; x.len()];
    let len = x.len();
    run_text(&text, len, group, vec![row(&mut x), row(&mut out)]).unwrap();
    out
}

#[test]
fn group_reductions_give_every_item_the_result() {
    let x = [3, -1, 4, 1, -5, 9, 2];
    assert_eq!(each("g.reduce(x, Plus)", &x, 7), [13; 7]);
    assert_eq!(each("g.reduce(x, Minimum)", &x, 7), [-5; 7]);
    assert_eq!(each("g.reduce(x, Maximum)", &x, 7), [9; 7]);
    assert_eq!(each("g.reduce(x, BitOr)", &x, 7), [-1; 7]);
    assert_eq!(each("g.reduce(x, Multiplies)", &x, 7), [1080; 7]);
}

#[test]
fn floats_are_reduced_by_a_halving_tree() {
    let text = "fn k(item: NdItem<1>, x: View<f32>, out: GroupMut<f32>) { let s = item.group().reduce(x[item], Plus); out[item.group()] = s; }";
    let mut x: Vec<f32> = (0..13).map(|i| 0.1 + i as f32 * 1e7).collect();
    let mut out = vec![0.0f32];
    run_text(text, 13, 13, vec![row(&mut x), row(&mut out)]).unwrap();
    let (mut v, mut s) = (x.clone(), 8);
    while s > 0 {
        for i in 0..s {
            if i + s < 13.min(2 * s) {
                v[i] += v[i + s];
            }
        }
        s /= 2;
    }
    assert_eq!(out[0].to_bits(), v[0].to_bits());
}

#[test]
fn scans_include_or_exclude_the_items_own_value() {
    assert_eq!(each("g.inclusive_scan(x, Plus)", &[1, 2, 3, 4], 4), [1, 3, 6, 10]);
    assert_eq!(each("g.exclusive_scan(x, Plus)", &[5, 0], 2), [0, 5]);
    assert_eq!(each("g.exclusive_scan(x, Multiplies)", &[2, 3, 4], 3), [1, 2, 6]);
    assert_eq!(each("g.inclusive_scan_init(x, 10, Plus)", &[1, 2, 3], 3), [11, 13, 16]);
    assert_eq!(each("g.exclusive_scan_init(x, 10, Plus)", &[1, 2, 3], 3), [10, 11, 13]);
    assert_eq!(each("g.exclusive_scan(x, Maximum)", &[-3, -5, -1], 3), [i32::MIN, -3, -3]);
    assert_eq!(each("sg.exclusive_scan(x, Plus)", &[1; 10], 10), [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]);
}

#[test]
fn sub_groups_are_runs_of_items_and_the_last_may_be_short() {
    let x = [0; 10];
    assert_eq!(each("sg.id() as i32", &x, 10), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]);
    assert_eq!(each("sg.local_id() as i32", &x, 10), [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]);
    assert_eq!(each("sg.size() as i32", &x, 10), [4, 4, 4, 4, 4, 4, 4, 4, 2, 2]);
    assert_eq!(each("(sg.max_size() * 10 + sg.count()) as i32", &x, 10), [43; 10]);
    assert_eq!(each("sg.reduce(1, Plus)", &x, 10), [4, 4, 4, 4, 4, 4, 4, 4, 2, 2]);
}

#[test]
fn shuffles_move_values_and_keep_the_own_where_there_is_no_lane() {
    let x = [0, 1, 2, 3, 4, 5];
    assert_eq!(each("sg.shuffle_down(x, 1)", &x, 6), [1, 2, 3, 3, 5, 5]);
    assert_eq!(each("sg.shuffle_up(x, 1)", &x, 6), [0, 0, 1, 2, 4, 4]);
    assert_eq!(each("sg.shuffle_xor(x, 3)", &x, 6), [3, 2, 1, 0, 4, 5]);
    assert_eq!(each("sg.shuffle(x, 2)", &x, 6), [2, 2, 2, 2, 4, 5]);
    assert_eq!(each("sg.broadcast(x, 0)", &x, 6), [0, 0, 0, 0, 4, 4]);
    assert_eq!(each("g.shift_left(x, 2)", &x, 6), [2, 3, 4, 5, 4, 5]);
    assert_eq!(each("g.shift_right(x, 2)", &x, 6), [0, 1, 0, 1, 2, 3]);
    assert_eq!(each("g.permute_xor(x, 1)", &x, 6), [1, 0, 3, 2, 5, 4]);
    assert_eq!(each("g.select(x, 5 - item.local_id(0))", &x, 6), [5, 4, 3, 2, 1, 0]);
}

#[test]
fn votes_count_every_item() {
    let x = [1, 1, 0, 1, 1, 1];
    assert_eq!(each("g.any(x == 0) as i32 + 2 * g.all(x == 0) as i32 + 4 * g.none(x == 7) as i32", &x, 6), [5; 6]);
    assert_eq!(each("sg.all(x == 1) as i32", &x, 6), [0, 0, 0, 0, 1, 1]);
    assert_eq!(each("sg.ballot(x == 1) as i32", &x, 6), [0b1011, 0b1011, 0b1011, 0b1011, 0b11, 0b11]);
}

#[test]
fn sub_groups_go_their_own_ways_between_barriers() {
    let text = "fn k(item: NdItem<1>, out: ItemMut<i32>) {
        let sg = item.sub_group();
        let mut x = item.local_id(0) as i32;
        for i in 0..sg.id() { x += sg.reduce(1, Plus); }
        item.barrier();
        out[item] = x;
    }";
    let mut out = vec![0; 12];
    run_text(text, 12, 12, vec![row(&mut out)]).unwrap();
    let expected: Vec<i32> = (0..12).map(|i| i + i / 4 * 4).collect();
    assert_eq!(out, expected);

    let diverging = "fn k(item: NdItem<1>, n: i32) { let sg = item.sub_group(); if sg.local_id() > 0 { let s = sg.reduce(1, Plus); } }";
    let fault = run_text(diverging, 8, 8, vec![plain(0)]).unwrap_err();
    assert!(matches!(fault, Fault::Divergence { arrived: 3, expected: 4, .. }), "{fault}");
}

#[test]
fn joint_operations_work_on_spans_of_any_length() {
    let text = "fn k(item: NdItem<1>, x: View<i32>, out: ScatterMut<i32>, sums: GroupMut<i32>) {
        let g = item.group();
        g.joint_exclusive_scan(x, out.span(1, 10), Plus);
        let tile = local::<[i32; 10]>();
        g.joint_inclusive_scan(x.span(2, 3), tile, Multiplies);
        let s = g.joint_reduce(x, Maximum) * 1000 + tile[2];
        sums[g] = s;
    }";
    let mut x: Vec<i32> = (1..=10).collect();
    let mut out = vec![-1; 12];
    let mut sums = vec![0];
    run_text(text, 5, 5, vec![row(&mut x), row(&mut out), row(&mut sums)]).unwrap();
    assert_eq!(out, [-1, 0, 1, 3, 6, 10, 15, 21, 28, 36, 45, -1]);
    assert_eq!(sums, [10_000 + 3 * 4 * 5]);
}

#[test]
fn joint_votes_read_a_span_of_bools() {
    let text = "fn k(item: NdItem<1>, x: View<bool>, out: ItemMut<i32>) {
        let g = item.group();
        out[item] = g.joint_any(x) as i32 + 2 * g.joint_all(x) as i32 + 4 * g.joint_none(x.span(0, 2)) as i32;
    }";
    let mut x = vec![false, false, true];
    let mut out = vec![0; 2];
    run_text(text, 2, 2, vec![row(&mut x), row(&mut out)]).unwrap();
    assert_eq!(out, [5, 5]);
}

#[test]
fn joint_operations_of_sub_groups_take_a_span_each() {
    let text = "fn k(item: NdItem<1>, x: View<i32>, out: ScatterMut<i32>, sums: ItemMut<i32>) {
        let sg = item.sub_group();
        let own = x.span(sg.id() * 3, 3 - sg.id());
        sg.joint_inclusive_scan(own, out.span(sg.id() * 3, 3), Plus);
        let odd = sg.joint_any(x.span(0, 0)) as i32;
        sums[item] = sg.joint_reduce(own, Maximum) * 10 + odd;
    }";
    let mut x: Vec<i32> = (1..=9).collect();
    let mut out = vec![-1; 9];
    let mut sums = vec![0; 10];
    // Sub-groups of 4, 4 and 2 items, with spans of 3, 2 and 1 elements.
    run_text(text, 10, 10, vec![row(&mut x), row(&mut out), row(&mut sums)]).unwrap();
    assert_eq!(out, [1, 3, 6, 4, 9, -1, 7, -1, -1]);
    assert_eq!(sums, [30, 30, 30, 30, 50, 50, 50, 50, 70, 70]);
}
