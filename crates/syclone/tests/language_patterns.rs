//! What a `match` can look at, and arms that leave it. Each body runs in every way and as plain Rust.

#![allow(clippy::all, reason = "the bodies are written as in kernels, where clippy's advice does not hold")]

mod rig;

use syclone::prelude::*;

trait Inputs: Sized {
    fn inputs() -> Vec<Self>;
}

impl Inputs for u32 {
    fn inputs() -> Vec<u32> {
        (0..40).chain([99, 1000, 65_535]).collect()
    }
}

impl Inputs for i64 {
    fn inputs() -> Vec<i64> {
        (-12..12).chain([i64::MIN, i64::MIN + 1, i64::MAX, i64::MAX - 1, 1 << 40, -(1 << 40)]).collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, DeviceCopy)]
#[repr(i8)]
enum Signal {
    Low = -5,
    Off,
    High = 7,
}

use Signal::{High, Low, Off};

impl Signal {
    const START: Signal = Signal::Off;
}

impl Inputs for Signal {
    fn inputs() -> Vec<Signal> {
        vec![Low, Off, High, Low]
    }
}

mod limits {
    pub const SMALL: i64 = -4;
    pub const LARGE: i64 = 1 << 40;
}

code! {
    fn integers_of_64_bits_match_up_to_their_ends(x: i64) -> [i32; 4] {
        let a = match x {
            i64::MIN => 1,
            -9223372036854775807 => 2,
            -1_099_511_627_776 => 3,
            limits::LARGE => 4,
            i64::MAX => 5,
            limits::SMALL..=-1 => 6,
            0..5 => 7,
            _ => 8,
        };
        let b = match x as u64 {
            0 => 1,
            1..=0xff => 2,
            18446744073709551615 => 3,
            0x8000_0000_0000_0000.. => 4,
            _ => 5,
        };
        let c = match x as i8 {
            i8::MIN..=-100 => 1,
            -99..0 => 2,
            0 | 2 | 4 | 6..=8 => 3,
            _ => 4,
        };
        let d = match x as u8 {
            0b1111_0000..=0o377 => 1,
            b if b & 1 == 1 && b > 3 => b as i32,
            _ => 0,
        };
        [a, b, c, d]
    }
}

code! {
    fn bindings_hold_whole_values_and_may_be_changed(x: u32) -> [u32; 4] {
        let a = match x { mut n => { n += 1; n * 2 } };
        let b = match (x, x % 3) {
            t @ (0..=9, _) => t.0 + t.1,
            (n @ 10..=20, m @ (0 | 1)) => n * m,
            (mut n, 2) => { n /= 2; n }
            whole => whole.0 ^ whole.1,
        };
        let c = match (x & 1 == 0, (x & 2, (x & 4, x & 8))) {
            (true, (0, (a, 0))) | (false, (2, (a, _))) => a + 100,
            (e, (_, (_, o @ (0 | 8)))) if e || o == 8 => o + 1,
            (_, (t, p)) => t + p.0 + p.1,
        };
        let d = match ((), x) { ((), 0) => 1, ((), n) => n };
        [a, b, c, d]
    }
}

code! {
    fn arms_leave_loops_blocks_and_the_match_itself(x: u32) -> [u32; 3] {
        let mut log = [0u32; 3];
        'outer: for i in 0..20u32 {
            let step = match (i + x) % 7 {
                0 => continue,
                1 if x > 5 => break,
                2 => {
                    log[1] += 1;
                    continue 'outer;
                }
                3 => 'value: {
                    if i > 10 { break 'value 50; }
                    i
                }
                n => n * 10,
            };
            log[0] += step;
            let kept = if step > 30 { step } else { log[2] += 1; continue };
            log[1] ^= kept;
        }
        log
    }
}

code! {
    function arms_return(x: u32) -> u32 {
        let n = match x {
            0 => return 7,
            1..=9 => x,
            n if n % 2 == 0 => { if n > 500 { return n; } n / 2 }
            _ => return 9,
        };
        for i in 0..n {
            match i * i {
                s if s > x => return s,
                4 => {}
                _ => continue,
            }
        }
        n
    }
}

code! {
    fn variants_match_by_short_names_paths_and_constants(x: Signal) -> [i32; 5] {
        let a = match x { Low => 1, Off => 2, High => 3 };
        let b = match x { Signal::START => 10, self::Signal::Low | crate::High => 20 };
        let c = match (x, x as i32 > 0) { (Low, false) => 5, (High, true) => 6, (_, _) => 7 };
        let d = match x { s if s == Low => -1, s => s as i32 };
        let next = match x { Low => Off, Off => High, High => Low };
        [a, b, c, d, next as i32]
    }
}

code! {
    fn matches_nest_in_conditions_operands_indices_and_arguments(x: u32) -> [u32; 4] {
        let table = [3u32, 1, 4, 1, 5];
        let a = if match x { 0..=9 => true, _ => false } { 1 } else { 2 };
        let b = 10 * match x % 3 { 0 => 1, n => n + 5 } + match x { 7 => 1, _ => 0 };
        let c = table[match x { 0..=4 => x as usize, _ => 2 }];
        let d = u32::max(match x { 3 => 50, _ => 0 }, match match x { 0 => 1, n => n } { 1 => 9, n => n % 100 });
        while match x { 5 => false, _ => false } {}
        [a, b, c, d]
    }
}

code! {
    fn floats_and_booleans_match_literals(x: u32) -> [u32; 2] {
        let f = x as f32 * 0.5;
        let a = match f { 0.0 => 1, -1.5 => 2, 2.5 => 3, 3.0..=8.0 => 4, _ => 5 };
        let b = match (x > 3, x > 6) { (true, true) => 1, (true, false) => 2, (false, b) => b as u32 + 3 };
        [a, b]
    }
}

#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, DeviceCopy)]
#[repr(u8)]
enum Level {
    Low,
    Mid,
    High,
}

#[device_fn]
impl Level {
    const FIRST: Self = Self::Low;

    fn next(self) -> Self {
        match self {
            Self::Low => Self::Mid,
            Level::Mid | Self::High => Self::High,
        }
    }

    fn rank(&self) -> u32 {
        if *self == Self::FIRST {
            return 100;
        }
        match *self {
            Self::Mid => 1,
            _ => *self as u32 * 10,
        }
    }

    fn of(x: u32) -> Level {
        match x % 3 {
            0 => Level::Low,
            1 => Level::Mid,
            _ => Level::High,
        }
    }
}

code! {
    fn enums_match_themselves_in_their_methods_and_have_an_order(x: u32) -> [u32; 5] {
        let level = Level::of(x);
        let order = (level < Level::High) as u32 + (level >= Level::Mid) as u32 * 2;
        [level.rank(), level.next().rank(), Level::FIRST.next() as u32, Level::of(x + 1).next().next() as u32, order]
    }
}
