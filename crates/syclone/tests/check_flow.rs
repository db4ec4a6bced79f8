//! Planted mistakes of control flow and arithmetic: divergent barriers and sub-groups, overflow, division, shifts, casts.

mod check_rig;

use check_rig::*;
use syclone::check::ReportKind::{
    Divergence, DivisionByZero, LossyCast, Overflow, ShiftTooFar, SubGroupDivergence, ZeroStep,
};
use syclone::prelude::*;

fn line(name: &str) -> u32 {
    line_of(include_str!("check_flow.rs"), name)
}

/// 8 items in one group, sub-groups of 4.
fn group() -> NdRange<1> {
    NdRange::new([8], [8]).sub_group_size(4)
}

#[kernel(fallback)]
fn in_a_branch(item: NdItem<1>, x: ItemMut<u32>) {
    if x[item] < 3 {
        item.barrier(); // fault: branch
    }
    x[item] = 1;
}

#[kernel(fallback)]
fn two_barriers(item: NdItem<1>, x: ItemMut<u32>) {
    if x[item] % 2 == 0 {
        item.barrier(); // fault: even
    } else {
        item.barrier(); // the other one
    }
}

#[kernel(fallback)]
fn early_return(item: NdItem<1>, x: ItemMut<u32>) {
    if x[item] == 5 {
        return;
    }
    item.barrier(); // fault: return
    x[item] = 1;
}

#[kernel(fallback)]
fn rounds(item: NdItem<1>, x: ItemMut<u32>) {
    let mut k = 0;
    while k < x[item] {
        item.barrier(); // fault: rounds
        k += 1;
    }
}

#[kernel(fallback)]
fn reduce_in_a_branch(item: NdItem<1>, x: ItemMut<u32>) {
    if x[item] != 0 {
        x[item] = item.group().reduce(x[item], Plus); // fault: reduce
    }
}

#[kernel(fallback)]
fn shuffle_in_a_branch(item: NdItem<1>, x: ItemMut<u32>) {
    if x[item] != 6 {
        x[item] = item.sub_group().shuffle_xor(x[item], 1); // fault: shuffle
    }
}

#[kernel(fallback)]
fn sub_group_barrier_in_a_loop(item: NdItem<1>, x: ItemMut<u32>) {
    let mut k = x[item] % 4;
    while k > 0 {
        item.sub_group().barrier(); // fault: sub-group barrier
        k -= 1;
    }
}

/// Reports of a kernel of eight items that takes the numbers from 0 to 7.
macro_rules! of_eight {
    ($kernel:ident) => {
        reports(|h| h.parallel_for(group(), $kernel(numbers(8).read_write(h))))
    };
}

#[test]
fn barriers_that_some_items_never_reach() {
    let report = expect_only(&of_eight!(in_a_branch), Divergence, line("branch"), &ids([0, 3]));
    assert!(report.message.contains("3 of the 8 items of a work-group"), "{report}");
    let report = expect_only(&of_eight!(two_barriers), Divergence, line("even"), &ids([0, 1]));
    assert_eq!(report.other.as_ref().map(|(place, _)| place.line), Some(line("even") + 2));
    expect_only(&of_eight!(early_return), Divergence, line("return"), &ids([0, 5]));
    expect_only(&of_eight!(rounds), Divergence, line("rounds"), &ids([1, 0]));
    expect_only(&of_eight!(reduce_in_a_branch), Divergence, line("reduce"), &ids([1, 0]));
}

#[test]
fn sub_group_operations_in_divergent_flow() {
    let report = expect_only(&of_eight!(shuffle_in_a_branch), SubGroupDivergence, line("shuffle"), &ids([4, 6]));
    assert!(report.message.contains("3 of the 4 items of a sub-group"), "{report}");
    let reports = of_eight!(sub_group_barrier_in_a_loop);
    expect_only(&reports, SubGroupDivergence, line("sub-group barrier"), &ids([1, 0]));
}

/// One kernel of one statement on an element `v`, over the given values.
macro_rules! arithmetic {
    ($($name:ident($v:ident: $ty:ty) $body:block)*) => {$(
        #[kernel]
        fn $name(item: Item<1>, x: ItemMut<$ty>) {
            let $v = x[item];
            x[item] = $body;
        }
    )*};
}

arithmetic! {
    add(v: i32) {
        v + 1 // fault: add
    }
    below_zero(v: usize) {
        v - 1 // fault: below zero
    }
    multiply(v: u8) {
        v * 16 // fault: multiply
    }
    negate(v: i16) {
        -v // fault: negate
    }
    absolute(v: i8) {
        v.abs() // fault: absolute
    }
    power(v: i64) {
        v.pow(3) // fault: power
    }
    divide(v: i32) {
        100 / v // fault: divide
    }
    remainder(v: u64) {
        7 % v // fault: remainder
    }
    least_by_minus_one(v: i32) {
        i32::MIN / v // fault: least
    }
    shift_left(v: u32) {
        1 << v // fault: shift left
    }
    shift_right(v: i64) {
        -8 >> v // fault: shift right
    }
    wrapped(v: u32) {
        v.wrapping_add(u32::MAX).wrapping_mul(2654435761)
    }
}

/// Reports of a kernel over these values.
macro_rules! over {
    ($kernel:ident, $values:expr) => {{
        let values = $values;
        let n = values.len();
        let x = Buffer::from_vec(values);
        reports(|h| h.parallel_for(n, $kernel(x.read_write(h))))
    }};
}

#[test]
fn integers_that_do_not_fit_their_type() {
    let report = expect_only(&over!(add, vec![1, i32::MAX]), Overflow, line("add"), &ids([1]));
    assert_eq!(report.message, "item 1: 2147483647 + 1 does not fit i32");
    expect_only(&over!(below_zero, vec![2usize, 1, 0]), Overflow, line("below zero"), &ids([2]));
    expect_only(&over!(multiply, vec![15u8, 16]), Overflow, line("multiply"), &ids([1]));
    expect_only(&over!(negate, vec![i16::MAX, i16::MIN]), Overflow, line("negate"), &ids([1]));
    let report = expect_only(&over!(absolute, vec![-127i8, -128]), Overflow, line("absolute"), &ids([1]));
    assert_eq!(report.message, "item 1: `abs` of -128 does not fit i8");
    expect_only(&over!(power, vec![1i64 << 20, 1 << 21]), Overflow, line("power"), &ids([1]));
    expect_only(&over!(least_by_minus_one, vec![1, -1]), Overflow, line("least"), &ids([1]));
    expect_clean(&over!(wrapped, vec![1, 2, u32::MAX]));
}

#[test]
fn divisions_by_zero() {
    expect_only(&over!(divide, vec![3, 2, 0, 1]), DivisionByZero, line("divide"), &ids([2]));
    expect_only(&over!(remainder, vec![3u64, 0]), DivisionByZero, line("remainder"), &ids([1]));
}

#[test]
fn shifts_by_all_bits_and_more() {
    let report = expect_only(&over!(shift_left, vec![31u32, 32]), ShiftTooFar, line("shift left"), &ids([1]));
    assert!(report.message.contains("a shift by 32 of u32"), "{report}");
    expect_only(&over!(shift_right, vec![63i64, 64]), ShiftTooFar, line("shift right"), &ids([1]));
}

#[device_fn]
fn scaled(v: u16) -> u16 {
    v * 1000 // fault: device function
}

#[kernel]
fn calls(item: Item<1>, x: ItemMut<u16>) {
    x[item] = scaled(x[item]);
}

#[test]
fn a_mistake_in_a_device_function_is_reported_there() {
    let report = expect_only(&over!(calls, vec![65u16, 66]), Overflow, line("device function"), &ids([1]));
    assert_eq!((report.kernel.as_ref(), report.function.as_str()), ("calls", "scaled"));
    let text = report.to_string();
    assert!(text.contains("in kernel `calls`, function `scaled`"), "{text}");
    assert!(text.contains("v * 1000 // fault: device function\n"), "{text}");
}

#[kernel]
fn lanes(item: Item<1>, x: ItemMut<i32>) {
    let v = Vector::new([1, x[item]]) * 1_000_000; // fault: lanes
    x[item] = v.get(1);
}

#[kernel]
fn sum_of_lanes(item: Item<1>, x: ItemMut<i32>) {
    let v = Vector::new([i32::MAX - 2, 1, x[item], -7]);
    x[item] = v.sum(); // fault: sum
}

#[kernel]
fn product_of_lanes(item: Item<1>, x: ItemMut<u8>) {
    let v = U8x2::new([15, x[item]]);
    x[item] = v.dot(U8x2::new([1, 16])); // fault: dot
}

#[kernel]
fn no_step(item: Item<1>, x: ItemMut<usize>) {
    let mut sum = 0;
    for i in (0..10).step_by(x[item]) {
        // fault: step
        sum += i;
    }
    x[item] = sum;
}

#[test]
fn lanes_of_vectors_and_steps_of_loops() {
    expect_only(&over!(lanes, vec![3, 3000]), Overflow, line("lanes"), &ids([1]));
    let report = expect_only(&over!(sum_of_lanes, vec![1, 2]), Overflow, line("sum"), &ids([1]));
    assert_eq!(report.message, "item 1: `sum` of [2147483645, 1, 2, -7] does not fit i32");
    expect_only(&over!(product_of_lanes, vec![15u8, 16]), Overflow, line("dot"), &ids([1]));
    expect_only(&over!(no_step, vec![2usize, 0]), ZeroStep, line("step") - 1, &ids([1]));
}

#[kernel]
fn to_byte(item: Item<1>, x: View<u32>, y: ItemMut<u8>) {
    y[item] = x[item] as u8; // fault: byte
}

#[kernel]
fn to_unsigned(item: Item<1>, x: View<i32>, y: ItemMut<u64>) {
    y[item] = x[item] as u64; // fault: unsigned
}

#[kernel]
fn to_integer(item: Item<1>, x: View<f32>, y: ItemMut<i32>) {
    y[item] = x[item] as i32; // fault: integer
}

#[kernel]
fn to_single(item: Item<1>, x: View<f64>, y: ItemMut<f32>) {
    y[item] = x[item] as f32; // fault: single
}

#[test]
fn casts_that_lose_the_value_are_notes() {
    macro_rules! casts {
        ($kernel:ident, $values:expr, $to:ty) => {{
            let values = $values;
            let n = values.len();
            let (x, y) = (Buffer::from_vec(values), Buffer::<$to>::new(n));
            reports(|h| h.parallel_for(n, $kernel(x.read(h), y.write(h))))
        }};
    }
    let report = expect_only(&casts!(to_byte, vec![255u32, 300], u8), LossyCast, line("byte"), &ids([1]));
    assert!(report.kind.is_note() && report.to_string().starts_with("note: "), "{report}");
    assert_eq!(report.message, "item 1: 300 becomes 44 as u8");
    expect_only(&casts!(to_unsigned, vec![1, -1], u64), LossyCast, line("unsigned"), &ids([1]));
    // A fraction is cut off silently, as always; what no integer is near is not.
    let report = expect_only(
        &casts!(to_integer, vec![2.75f32, -0.5, 3e9, f32::NAN], i32),
        LossyCast,
        line("integer"),
        &ids([2]),
    );
    assert_eq!(report.count, 2);
    expect_only(&casts!(to_single, vec![0.1f64, f64::INFINITY, 1e300], f32), LossyCast, line("single"), &ids([2]));
}

#[test]
fn assert_clean_lets_notes_pass_unless_told_otherwise() {
    let queue = queue();
    let (x, y) = (Buffer::from_vec(vec![300u32]), Buffer::<u8>::new(1));
    let cast = || queue.submit(|h| h.parallel_for(1, to_byte(x.read(h), y.write(h)))).unwrap().wait().unwrap();
    cast();
    syclone::assert_clean!(queue.device());
    cast();
    let device = queue.device().clone();
    let strict = std::thread::spawn(move || syclone::assert_clean!(device, notes)).join();
    let text = strict.unwrap_err().downcast::<String>().unwrap();
    assert!(text.contains("300 becomes 44 as u8"), "{text}");
    // Taken once.
    syclone::assert_clean!(queue.device(), notes);
}

#[test]
#[should_panic(expected = "makes no checks")]
fn assert_clean_of_a_device_without_checks_is_a_mistake() {
    syclone::assert_clean!(Device::select("cpu").unwrap());
}
