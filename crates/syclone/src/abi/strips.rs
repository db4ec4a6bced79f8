//! Strips: adjacent items of a row that run a uniform loop together.

use std::mem::MaybeUninit;
use std::ops::Range;

/// One `T` for each item of a strip, where a register would be in a loop for one item.
///
/// As with `PerItem`, an element is set before it is read: the leaf that declares the variable comes first.
pub struct Lanes<T, const W: usize>([MaybeUninit<T>; W]);

impl<T: Copy, const W: usize> Lanes<T, W> {
    /// Lanes without values.
    #[inline(always)]
    #[expect(clippy::new_without_default, reason = "a default would promise values")]
    pub fn new() -> Self {
        Lanes([MaybeUninit::uninit(); W])
    }

    /// The value of lane `lane`, which has been set.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> T {
        debug_assert!(lane < W);
        // SAFETY: strips are at most `W` wide, and the leaf that declares the variable has set the lane.
        unsafe { self.0.get_unchecked(lane).assume_init() }
    }

    /// Sets lane `lane`.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, value: T) {
        debug_assert!(lane < W);
        // SAFETY: strips are at most `W` wide.
        unsafe { *self.0.get_unchecked_mut(lane) = MaybeUninit::new(value) }
    }
}

/// Runs `strip(first, width)` for strips that cover `0..len`: as many full ones of `W` items as fit, then the rest.
///
/// A full strip's width is a constant where `strip` is inlined, so that its loops over lanes unroll and vectorise.
/// The rest is cut into powers of two for the same reason, as long as they are worth it.
#[inline(always)]
pub fn strips<const W: usize>(len: usize, mut strip: impl FnMut(usize, usize)) {
    let mut first = 0;
    while len - first >= W {
        strip(first, W);
        first += W;
    }
    if len - first >= 16 {
        strip(first, 16);
        first += 16;
    }
    if first < len {
        strip(first, len - first);
    }
}

/// The step of a loop.
///
/// # Panics
/// If it is zero, with the caller's line.
#[inline(always)]
#[track_caller]
pub fn step(step: usize) -> usize {
    assert!(step != 0, "a loop with step 0");
    step
}

/// `n`, which LLVM then knows only as at most `n`.
///
/// A loop over a constant number of items is unrolled before LLVM looks for loops to vectorise, and unrolled code with
/// masked accesses stays scalar. A loop that may be shorter is vectorised, and the bound still proves indices.
#[inline(always)]
pub fn loop_end(n: usize) -> usize {
    #[cfg(not(miri))]
    {
        let mut end = n;
        // SAFETY: the template is a comment: the register keeps its value.
        unsafe { std::arch::asm!("/* {0} */", inout(reg) end, options(pure, nomem, nostack, preserves_flags)) };
        // SAFETY: `end` is `n`.
        unsafe { std::hint::assert_unchecked(end <= n) };
        end
    }
    #[cfg(miri)]
    n
}

/// For which of the `n` items of a row some accesses are inside their bounds, from a look at a few items.
///
/// `probe` gives the accesses' indices and fault bits for an item. Indices that move by a constant step without wrapping
/// around are inside for all items between two for which they are; that is checked, not assumed. At each end a few items
/// may be outside, as in a stencil whose kernel guards them; with more than that, the answer is that none is inside.
#[inline(always)]
pub fn part_inside<const M: usize>(n: usize, probe: impl Fn(usize) -> ([usize; M], u32)) -> Range<usize> {
    const MARGINS: [usize; 5] = [0, 1, 2, 4, 8];
    let inside = |x: usize| probe(x).1 == 0;
    let start = MARGINS.into_iter().find(|&margin| margin < n && inside(margin));
    let Some(start) = start else { return 0..0 };
    let end = MARGINS.into_iter().find(|&margin| start + margin < n && inside(n - 1 - margin));
    let Some(end) = end.map(|margin| n - margin) else { return 0..0 };
    let count = end - start;
    if count > 2 {
        let ([(first, _), (second, _), (last, _)], mut steady) =
            ([probe(start), probe(start + 1), probe(end - 1)], true);
        for part in 0..M {
            let step = second[part].wrapping_sub(first[part]) as isize;
            let way = step.checked_mul(count as isize - 1);
            steady &= way.is_some_and(|way| first[part].checked_add_signed(way) == Some(last[part]));
        }
        if !steady {
            return 0..0;
        }
    }
    // SAFETY: the margins say so.
    unsafe { std::hint::assert_unchecked(start < end && end <= n) };
    start..end
}

/// The blocks of a row's items `first..end` whose assertions are looked at together: few enough that what they have read
/// is still at hand when they run.
#[inline(always)]
pub fn blocks(first: usize, end: usize) -> impl Iterator<Item = (usize, usize)> {
    const ITEMS: usize = 512;
    (first..end).step_by(ITEMS).map(move |from| (from, usize::min(end - from, ITEMS) + from))
}

/// Whether something holds for all items `first..end`. Every item is asked, without a way out: that vectorises.
#[inline(always)]
pub fn all_hold(first: usize, end: usize, holds: impl Fn(usize) -> bool) -> bool {
    let mut failed = 0u32;
    for item in first..loop_end(end) {
        failed |= u32::from(!holds(item));
    }
    failed == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_inside_only_where_its_index_moves_steadily_between_items_that_are() {
        let inside = |n, len: usize, index: &dyn Fn(usize) -> usize| {
            part_inside(n, |x| ([index(x)], u32::from(index(x) >= len)))
        };
        assert_eq!(inside(16, 100, &|x| 3 * x + 7), 0..16);
        assert_eq!(inside(16, 100, &|x| 99 - 2 * x), 0..16);
        assert_eq!(inside(16, 17, &|x| x + 2), 0..15);
        assert_eq!(inside(16, 100, &|x| x.wrapping_sub(1)), 1..16);
        assert_eq!(inside(16, 14, &|x| x.wrapping_sub(3)), 4..16);
        assert_eq!(inside(40, 100, &|x| x + 90), 0..0);
        // Inside at both ends, but once around the address space in between.
        assert_eq!(inside(3, 100, &|x| x.wrapping_mul(1 << 63)), 0..0);
        assert_eq!(inside(16, 100, &|x| if x == 5 { 1000 } else { 10 * usize::from(x == 1) }), 0..0);
        assert_eq!(inside(0, 0, &|x| x), 0..0);
        assert_eq!(inside(1, 1, &|x| x), 0..1);
        assert_eq!(inside(5, 0, &|x| x), 0..0);
    }

    #[test]
    fn blocks_cover_every_row_once_and_in_order() {
        for (first, end) in [(0, 0), (3, 3), (0, 1), (5, 517), (5, 518), (1, 2000)] {
            let items: Vec<usize> = blocks(first, end).flat_map(|(from, to)| from..to).collect();
            assert_eq!(items, (first..end).collect::<Vec<_>>());
        }
    }

    #[test]
    fn all_hold_if_none_fails() {
        assert!(all_hold(3, 3, |_| false));
        assert!(all_hold(3, 40, |item| (3..40).contains(&item)));
        (3..40).for_each(|one| assert!(!all_hold(3, 40, |item| item != one)));
    }

    #[test]
    fn strips_cover_every_length_once() {
        for len in 0..200 {
            let mut seen = vec![0; len];
            strips::<32>(len, |first, width| (first..first + width).for_each(|i| seen[i] += 1));
            assert!(seen.iter().all(|&n| n == 1), "length {len}");
        }
    }
}
