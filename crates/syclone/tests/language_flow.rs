//! Control flow, bindings and calls in kernels and device functions. Each body runs in every way and as plain Rust.

#![allow(clippy::all, reason = "the bodies are written as in kernels, where clippy's advice does not hold")]
#![allow(redundant_semicolons, reason = "one test is about them")]

mod rig;

use syclone::prelude::*;
use syclone_test_helpers::inner::twice_the_power;
use syclone_test_helpers::{Activation, Relu};

trait Inputs: Sized {
    fn inputs() -> Vec<Self>;
}

impl Inputs for u32 {
    fn inputs() -> Vec<u32> {
        (0..40).chain([99, 1000, 65_535]).collect()
    }
}

impl Inputs for i32 {
    fn inputs() -> Vec<i32> {
        (-20..20).chain([i32::MIN, i32::MAX, 1000]).collect()
    }
}

code! {
    function an_early_return_leaves_the_function_and_not_its_caller(x: u32) -> u32 {
        let mut n = x + 1;
        for step in 0..200 {
            if n == 1 {
                return step;
            }
            if n % 2 == 0 {
                n /= 2;
                continue;
            }
            n = 3 * n + 1;
        }
        1000
    }
}

code! {
    function returns_stand_in_branches_matches_and_nested_loops(x: u32) -> i32 {
        if x > 900 {
            return -1;
        }
        match x % 4 {
            0 => return 10,
            1 if x > 20 => {
                return 11;
            }
            _ => {}
        }
        let mut last = 0;
        loop {
            while last < 100 {
                for i in 0..x {
                    if i * i > x {
                        return i as i32;
                    }
                }
                last += 1;
                if last == 50 {
                    return if x == 2 { 2 } else { -2 };
                }
            }
        }
    }
}

code! {
    fn labels_name_the_loop_to_leave_or_to_go_on_with(x: u32) -> [u32; 4] {
        let mut count = [0u32; 4];
        'outer: for i in 0..8u32 {
            'middle: for j in 0..8u32 {
                let mut k = 0;
                'inner: loop {
                    k += 1;
                    if k > 6 { break; }
                    if k == 2 { continue; }
                    if (i * j + k) % 11 == x % 11 { continue 'middle; }
                    if i + j + k > x { break 'outer; }
                    if k == j { break 'inner; }
                    count[0] += 1;
                }
                count[1] += k;
            }
            count[2] += i;
        }
        let mut w = x;
        'count: while w > 0 {
            w -= 1;
            while w % 3 != 0 {
                if w % 5 == 0 { continue 'count; }
                count[3] += 1;
                w -= 1;
            }
        }
        count
    }
}

code! {
    fn loops_and_blocks_have_values(x: u32) -> [u32; 4] {
        let mut n = x;
        let root = loop {
            if n * n <= x { break n; }
            n -= 1;
        };
        let kind = 'kind: {
            if x < 3 { break 'kind 1; }
            for i in 2..x {
                if i * i > x { break 'kind 2; }
                if x % i == 0 { break 'kind 3 + i; }
            }
            4
        };
        let nested = 'a: loop {
            let inner = 'b: loop {
                n += 7;
                if n % 3 == 0 { break 'a n; }
                if n % 2 == 0 { break 'b n + 1; }
            };
            if inner % 5 == 0 { break inner; }
        };
        let block = { let a = x; let b = a + 1; a ^ b };
        [root, kind, nested, block]
    }
}

code! {
    fn ranges_go_up_down_by_steps_and_to_their_end(x: i32) -> [i32; 9] {
        let n = x & 15;
        let mut s = [0i32; 9];
        for i in 0..n { s[0] = s[0] * 3 % 1000 + i; }
        for i in 0..=n { s[1] = s[1] * 3 % 1000 + i; }
        for i in (0..n).rev() { s[2] = s[2] * 3 % 1000 + i; }
        for i in (0..=n).rev() { s[3] = s[3] * 3 % 1000 + i; }
        for i in (0..n).step_by(3) { s[4] = s[4] * 3 % 1000 + i; }
        for i in (0..n).rev().step_by(3) { s[5] = s[5] * 3 % 1000 + i; }
        for i in (0..n).step_by(4).rev() { s[6] = s[6] * 3 % 1000 + i; }
        for i in -3..n - 7 { s[7] = s[7] * 3 % 1000 + i; }
        for i in i32::MAX - 2..=i32::MAX { s[8] ^= i & 0xff; }
        for i in (250u8..=255).step_by(2) { s[8] += i as i32; }
        for _ in 5..2 { s[8] = 0; }
        s
    }
}

code! {
    fn the_bounds_of_a_range_are_evaluated_once(x: u32) -> [u32; 2] {
        let mut end = x % 10;
        let mut turns = 0;
        for i in 0..end {
            end += i;
            turns += 1;
        }
        [end, turns]
    }
}

const SPECIAL: i32 = 11;

code! {
    fn matches_take_literals_ranges_alternatives_bindings_and_guards(x: i32) -> [i32; 5] {
        let by_value = match x {
            i32::MIN => 1,
            -20..=-10 => 2,
            n @ -9..0 => n * 2,
            0 => 3,
            n @ (1 | 3 | 5) if n > 2 => n * 100,
            1 | 2 => 4,
            SPECIAL => 5,
            n if n % 2 == 0 => n / 2,
            12..=13 | 15 => 6,
            ..=14 => 7,
            20.. => 8,
            _ => 9,
        };
        let by_tuple = match (x % 3, x > 0, x as u8) {
            (0, true, _) => 1,
            (a, false, b) if a < 0 => a + b as i32,
            (1, _, b @ 0..=20) => b as i32 * 3,
            (_, flag, 7 | 8) => flag as i32 + 70,
            _ => -1,
        };
        let by_bool = match x > 3 { true => 1, false => 2 };
        let mut by_effect = 0;
        match x & 3 {
            0 => by_effect = 5,
            1 => { by_effect += 1; by_effect *= 9; }
            _ => (),
        }
        let nested = match (x & 1, (x & 2, x & 4)) { (0, (a, 0)) => a, (1, (_, b)) => b + 10, _ => 20 };
        [by_value, by_tuple, by_bool, by_effect, nested]
    }
}

code! {
    fn the_first_arm_that_fits_wins_and_guards_run_in_order(x: u32) -> [u32; 2] {
        let mut log = 0;
        let value = match x {
            _ if { log += 1; x % 2 == 0 } => 1,
            n if { log += 10; n % 3 == 0 } => 2,
            _ if { log += 100; x % 5 == 0 } => 3,
            _ => 4,
        };
        [value, log]
    }
}

code! {
    fn chains_of_else_if_are_expressions(x: i32) -> [i32; 3] {
        let a = if x < -10 { 1 } else if x < 0 { let y = x * x; y + 1 } else if x == 7 { 70 } else { x };
        let mut b = 0;
        if x > 3 { b += 1; } else if x > 2 { b += 2; } else if x > 1 { b += 3; }
        if x > 0 { if x > 1 { b += 10; } } else { b += 20; }
        let c = 3 + if a > b { if b > 1 { 1 } else { 2 } } else { 3 } * 2;
        [a, b, c]
    }
}

code! {
    fn names_are_shadowed_and_come_back(x: u32) -> [u32; 5] {
        let a = x;
        let first = { let a = a + 1; let a = a * 2; a };
        let b = a;
        let a = a as f32 + 0.5;
        let c = if b > 3 { let b = 7; b } else { b };
        let mut sum = 0;
        for a in 0..3 { let sum2 = sum + a; let a = sum2; sum = a + 1; }
        let a = a as u32;
        let b = match b { b if b > 5 => { let b = b + 1; b } other => other };
        [a, b, c, first, sum]
    }
}

code! {
    fn tuples_are_made_taken_apart_swapped_and_nested(x: u32) -> [u32; 6] {
        let pair = (x, x as f32 * 0.5);
        let ((a, b), c) = ((pair.0 + 1, pair.1 as u32), x % 3);
        let mut t = (a, (b, c));
        t.0 += 5;
        (t.1).1 = t.0 + t.1.0;
        let (mut p, mut q) = (t.1.1, t.0);
        (p, q) = (q, p);
        let (_, r) = (1, 2);
        let mut array = [p, q, r];
        (array[0], array[2]) = (array[2], array[0]);
        [t.0, t.1.0, t.1.1, array[0], array[1], array[2]]
    }
}

code! {
    fn arrays_are_nested_copied_and_assigned(x: u32) -> [u32; 6] {
        const ROWS: usize = 3;
        let mut grid = [[0u32; 4]; ROWS];
        for r in 0..ROWS {
            for c in 0..4 { grid[r][c] = x + (r * 4 + c) as u32; }
        }
        let copy = grid;
        grid[1] = [9; 4];
        grid[2][3] += grid[1][0];
        grid[(x % 3) as usize][1] ^= 5;
        let row = grid[(x as usize + 1) % ROWS];
        let mut list = [1, 2, 3];
        list[(x % 3) as usize] <<= 2;
        [copy[1][2], grid[2][3], grid[1][1], row[1], list[0] + list[1] * 10 + list[2] * 100, grid.len() as u32]
    }
}

code! {
    fn expressions_are_evaluated_from_left_to_right(x: u32) -> [u32; 4] {
        let mut n = x % 100;
        let a = { n += 1; n } * 10 + { n *= 2; n };
        let pair = ({ n += 3; n }, { n ^= 1; n });
        let mut array = [0u32; 4];
        array[{ n += 1; (n % 4) as usize }] = { n += 2; n };
        [a, pair.0 + pair.1 * 7, array[0] + array[1] * 2 + array[2] * 3 + array[3] * 4, n]
    }
}

code! {
    fn variables_are_declared_first_and_assigned_later(x: u32) -> [u32; 2] {
        let mut a = 0;
        let b = if x > 5 { a = 3; x } else { a += 4; a };
        a += b;
        let _unused = a * 2;
        let _ = x;
        ;
        [a, b]
    }
}

code! {
    function jumps_are_values_that_are_never_there(x: u32) -> u32 {
        let mut n = 0;
        for i in 0..50u32 {
            let _ = i < 30 || break;
            let _ = (i % 2 == 0) && { n += 1; true };
            let y = if i > x { break } else { i };
            n += y;
            while { n += 1; n % 3 != 0 } {}
        }
        let z = { if x == 3 { return 5; } x };
        loop { if n > z { break n - z } else { n += 7 } }
    }
}

code! {
    fn types_are_left_open_in_part(x: u32) -> [u32; 5] {
        let a: [_; 3] = [x, 1, 2];
        let b: (u32, _) = (x, a[1] as u8);
        let (c, d): (u32, [_; 2]) = (3, [x, x]);
        let _ = a;
        let unit = ();
        let _e: () = unit;
        [a[0], b.1 as u32, c, d[1], (1u32 << 3).count_ones() + !x.is_power_of_two() as u32]
    }
}

mod place {
    pub(crate) mod inner {
        use syclone::prelude::*;

        #[device_fn]
        pub(in crate::place) fn hidden(mut x: u32, _n: u32) -> u32 {
            x += 1;
            x
        }

        #[device_fn]
        pub fn shown(x: u32) -> u32 {
            self::hidden(x, 3) + super::beside(x) + crate::one_or_two(x)
        }
    }

    use syclone::prelude::*;

    #[device_fn]
    fn beside(x: u32) -> u32 {
        inner::hidden(x, 1) * 2
    }

    pub use inner::shown as renamed;
}

use place::renamed;

#[device_fn]
fn one_or_two(x: u32) -> u32 {
    loop {
        if x > 3 {
            return 1;
        }
        return 2;
    }
}

type Real = f32;
type Small = (u8, [u16; 2]);

#[device_fn]
fn aliased(x: Real, s: Small) -> Small {
    (x as u8, [s.1[1], s.0 as u16])
}

code! {
    fn functions_and_types_have_paths_new_names_and_aliases(x: u32) -> [u32; 3] {
        let s = aliased(x as Real, (3, [x as u16, 7]));
        [renamed(x), crate::place::inner::shown(x), s.1[0] as u32 + s.0 as u32]
    }
}

#[device_fn]
fn increase(value: &mut u32, by: &u32) -> u32 {
    *value += *by;
    *value * 2
}

#[device_fn]
fn fill(values: &mut [u32; 4], from: u32) {
    for i in 0..4 {
        values[i] = from + i as u32;
    }
    values[0] *= 2;
}

/// Called through two names of functions.
#[device_fn]
fn power<const N: u32>(x: u32) -> u32 {
    let mut result = 1u32;
    for _ in 0..N {
        result = result.wrapping_mul(x);
    }
    result
}

#[kernel(fallback)]
fn calls(
    /// Attributes and comments stand on parameters.
    item: NdItem<1>,
    x: View<u32>,
    #[allow(unused)] unused: View<f32>,
    _ignored: f64,
    out: ItemMut<[u32; 8]>,
) {
    let n = x[item];
    let mut total = n;
    let doubled = increase(&mut total, &3);
    let mut list = [0u32; 4];
    fill(&mut list, n);
    let by = 5;
    let mut third = list[2];
    increase(&mut third, &by);
    list[2] = third;
    let greatest = syclone_test_helpers::greatest_of_group(item, n);
    out[item] = [
        doubled,
        total,
        list[0] + list[2] * 3,
        syclone_test_helpers::first_power(n + 2, 50),
        twice_the_power(2, n),
        power::<3>(n) + power::<0>(n),
        syclone_test_helpers::sum_of::<f32, 3>([1.0, 2.0, n as f32]) as u32 + syclone_test_helpers::STRIDE as u32,
        greatest,
    ];
}

#[test]
fn functions_of_other_modules_and_crates_are_called_with_values_and_references() {
    let first_power = |base: u32, limit: u32| {
        let powers = std::iter::successors(Some(1u32), |p| Some(p.saturating_mul(base)));
        powers.take(32).find(|&p| p >= limit).unwrap_or(0)
    };
    let values = [7u32, 0, 3, 40, 12, 100, 1, 2, 60, 33];
    let expected: Vec<[u32; 8]> = (0..10)
        .map(|i| {
            let n = values[i];
            let greatest = *values[i / 5 * 5..][..5].iter().max().expect("five values");
            let list2 = (n + 2 + 5) * 3;
            [
                2 * (n + 3),
                n + 3,
                2 * n + list2,
                first_power(n + 2, 50),
                2 * first_power(2, n),
                n * n * n + 1,
                3 + n + 3,
                greatest,
            ]
        })
        .collect();
    rig::in_every_way(|queue, way| {
        let (x, unused, out) = (Buffer::from_slice(&values), Buffer::<f32>::new(1), Buffer::<[u32; 8]>::new(10));
        rig::run(queue, |h| h.parallel_for(NdRange::new(10, 5), calls(x.read(h), unused.read(h), 0.0, out.write(h))));
        assert_eq!(out.host_read().expect("the result")[..], expected, "{way:?}");
    });
}

#[derive(Clone, Copy, DeviceCopy)]
struct Steep {
    slope: f32,
}

#[device_fn]
impl Activation for Steep {
    const SLOPE: f32 = 0.25;

    fn apply(self, x: f32) -> f32 {
        x * self.slope
    }
}

#[kernel(fallback)]
fn activate<A: Activation>(item: NdItem<1>, act: A, x: View<f32>, out: ItemMut<f32>) {
    let bias = local::<[f32; 1]>();
    if item.local_id(0) == 0 {
        bias[0] = act.apply(4.0);
    }
    item.barrier();
    out[item] = act.apply_twice(x[item]) + bias[0] + A::SLOPE;
}

#[test]
fn a_generic_value_of_another_crates_trait_is_called_by_its_methods() {
    let values = [-2.0f32, -0.5, 0.0, 3.0];
    rig::in_every_way(|queue, way| {
        let x = Buffer::from_slice(&values);
        let (relu, steep) = (Buffer::<f32>::new(4), Buffer::<f32>::new(4));
        let shape = NdRange::new(4, 2);
        rig::run(queue, |h| h.parallel_for(shape, activate(Relu, x.read(h), relu.write(h))));
        rig::run(queue, |h| h.parallel_for(shape, activate(Steep { slope: 3.0 }, x.read(h), steep.write(h))));
        assert_eq!(relu.host_read().expect("the result")[..], values.map(|x| x.max(0.0) + 4.0), "{way:?}");
        assert_eq!(steep.host_read().expect("the result")[..], values.map(|x| x * 9.0 + 12.5), "{way:?}");
    });
}
