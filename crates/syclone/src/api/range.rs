//! Index spaces: how many work-items a kernel runs, and in which groups.
//!
//! Dimensions are written slowest first, as SYCL and Rust's nested arrays have them: in `[rows, columns]` the
//! columns are adjacent in memory.

/// The extents of an index space or of a buffer in `D` dimensions, 1 to 3.
///
/// Made from a number, an array or a tuple, so that one is rarely spelled out:
///
/// ```
/// use syclone::Range;
/// assert_eq!(Range::from(7), Range::from([7]));
/// assert_eq!(Range::from((2, 3)).extents(), [2, 3]);
/// assert_eq!(Range::from([2, 3, 4]).size(), Some(24));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Range<const D: usize>([usize; D]);

impl<const D: usize> Range<D> {
    /// An index space with these extents.
    pub const fn new(extents: [usize; D]) -> Self {
        const { assert!(D >= 1 && D <= 3, "a range has 1, 2 or 3 dimensions") };
        Range(extents)
    }

    /// The extent of each dimension.
    pub const fn extents(self) -> [usize; D] {
        self.0
    }

    /// How many indices there are, or `None` when that does not fit a `usize`.
    pub fn size(self) -> Option<usize> {
        checked_product(self.0)
    }
}

/// The product of `extents`. A zero makes it zero, however large the others are.
pub(crate) fn checked_product<const D: usize>(extents: [usize; D]) -> Option<usize> {
    if extents.contains(&0) {
        return Some(0);
    }
    extents.into_iter().try_fold(1usize, usize::checked_mul)
}

/// An index space that is cut into work-groups of equal size.
///
/// ```
/// use syclone::NdRange;
/// let shape = NdRange::new([1024, 512], [16, 16]).sub_group_size(8);
/// assert_eq!((shape.global(), shape.local()), ([1024, 512], [16, 16]));
/// ```
///
/// Whether the group size divides the global size, and whether the device takes groups of that size, is checked
/// when a kernel is launched with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NdRange<const D: usize> {
    global: [usize; D],
    local: [usize; D],
    sub_group_size: Option<usize>,
}

impl<const D: usize> NdRange<D> {
    /// `global` work-items in groups of `local`.
    pub fn new(global: impl Into<Range<D>>, local: impl Into<Range<D>>) -> Self {
        NdRange { global: global.into().extents(), local: local.into().extents(), sub_group_size: None }
    }

    /// The same index space with sub-groups of `size` work-items instead of the device's default.
    ///
    /// The device lists the sizes that it offers; launching with another one is an error.
    pub const fn sub_group_size(mut self, size: usize) -> Self {
        self.sub_group_size = Some(size);
        self
    }

    /// How many work-items there are in each dimension.
    pub const fn global(self) -> [usize; D] {
        self.global
    }

    /// How many work-items a group has in each dimension.
    pub const fn local(self) -> [usize; D] {
        self.local
    }
}

/// What a kernel is launched over: a plain range, or a range cut into work-groups.
///
/// Launching functions take anything that turns into one: a number, an array, a tuple, a [`Range`] or an
/// [`NdRange`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LaunchShape<const D: usize> {
    /// The number of work-items in each dimension.
    pub global: [usize; D],
    /// The number of work-items of a group in each dimension; `None` for a plain range.
    pub local: Option<[usize; D]>,
    /// The sub-group size that was asked for; `None` for the device's default.
    pub sub_group_size: Option<usize>,
}

impl LaunchShape<0> {
    /// What a single task is launched over: one run, without an index.
    pub(crate) fn single() -> Self {
        LaunchShape { global: [], local: None, sub_group_size: None }
    }
}

impl<const D: usize> From<[usize; D]> for Range<D> {
    fn from(extents: [usize; D]) -> Self {
        Range::new(extents)
    }
}

impl<const D: usize> From<Range<D>> for LaunchShape<D> {
    fn from(range: Range<D>) -> Self {
        LaunchShape { global: range.extents(), local: None, sub_group_size: None }
    }
}

impl<const D: usize> From<[usize; D]> for LaunchShape<D> {
    fn from(extents: [usize; D]) -> Self {
        Range::new(extents).into()
    }
}

impl<const D: usize> From<NdRange<D>> for LaunchShape<D> {
    fn from(range: NdRange<D>) -> Self {
        LaunchShape { global: range.global, local: Some(range.local), sub_group_size: range.sub_group_size }
    }
}

macro_rules! from_numbers {
    ($($dims:literal: $from:ty, |$value:ident| $extents:expr;)*) => {$(
        impl From<$from> for Range<$dims> {
            fn from($value: $from) -> Self {
                Range::new($extents)
            }
        }

        impl From<$from> for LaunchShape<$dims> {
            fn from($value: $from) -> Self {
                Range::from($value).into()
            }
        }
    )*};
}

from_numbers! {
    1: usize, |n| [n];
    1: (usize,), |n| [n.0];
    2: (usize, usize), |n| [n.0, n.1];
    3: (usize, usize, usize), |n| [n.0, n.1, n.2];
}
