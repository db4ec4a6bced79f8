//! Variables that live across regions: one value for each item of the group.

use std::mem::MaybeUninit;

/// One `T` for each item of a group, in the group's storage.
///
/// The elements are uninitialised at first. Macro output sets a variable's element before it reads it, because rustc
/// has checked the same tokens for definite assignment; that is what the safe-looking [`PerItem::get`] stands on.
#[derive(Debug)]
pub struct PerItem<T> {
    ptr: *mut MaybeUninit<T>,
}

impl<T> Clone for PerItem<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PerItem<T> {}

impl<T> PerItem<T> {
    /// The storage that begins at `ptr`.
    ///
    /// # Safety
    /// `ptr` must be aligned and valid for as many elements as the group has items, while the group runs.
    #[inline(always)]
    pub unsafe fn from_raw(ptr: *mut u8) -> Self {
        PerItem { ptr: ptr.cast() }
    }

    /// The storage that a slice borrows, for as long as the borrow.
    #[inline(always)]
    pub fn of(storage: &mut [MaybeUninit<T>]) -> Self {
        PerItem { ptr: storage.as_mut_ptr() }
    }

    /// Where item `i` keeps its value.
    #[inline(always)]
    pub fn as_ptr(self, i: usize) -> *mut T {
        self.ptr.wrapping_add(i).cast()
    }
}

impl<T: Copy> PerItem<T> {
    /// The value of item `i`, which has been set.
    #[inline(always)]
    pub fn get(self, i: usize) -> T {
        // SAFETY: `i` is an item of the group, and the item has set its element (see the type).
        unsafe { (*self.ptr.add(i)).assume_init() }
    }

    /// Sets the value of item `i`.
    #[inline(always)]
    pub fn set(self, i: usize, value: T) {
        // SAFETY: `i` is an item of the group.
        unsafe { *self.ptr.add(i) = MaybeUninit::new(value) }
    }

    /// Sets the values of the first `n` items, all there are, to `value`.
    #[inline(always)]
    pub fn fill(self, value: T, n: usize) {
        for i in 0..n {
            self.set(i, value);
        }
    }

    /// Copies the values of the first `n` items, all there are, from another variable.
    #[inline(always)]
    pub fn copy_from(self, values: PerItem<T>, n: usize) {
        for i in 0..n {
            // As they are: an item that has returned may have set none.
            // SAFETY: `i` is an item of the group.
            unsafe { *self.ptr.add(i) = *values.ptr.add(i) }
        }
    }

    /// The values of the first `n` items.
    ///
    /// # Safety
    /// They have been set, and nothing else touches the storage while the slice lives.
    #[inline(always)]
    pub unsafe fn as_mut_slice<'a>(self, n: usize) -> &'a mut [T] {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.cast(), n) }
    }
}

/// A value that is the same for all items of the group.
#[derive(Clone, Copy, Debug)]
pub struct Uniform<T>(pub T);

/// An argument of a collective: a value for each item.
pub trait GroupArg<T> {
    /// The value of item `i`.
    fn get(&self, i: usize) -> T;
}

impl<T: Copy> GroupArg<T> for PerItem<T> {
    #[inline(always)]
    fn get(&self, i: usize) -> T {
        PerItem::get(*self, i)
    }
}

impl<T: Copy> GroupArg<T> for Uniform<T> {
    #[inline(always)]
    fn get(&self, _: usize) -> T {
        self.0
    }
}
