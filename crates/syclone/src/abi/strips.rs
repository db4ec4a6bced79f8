//! Strips: adjacent items of a row that run a uniform loop together.

use std::mem::MaybeUninit;

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
