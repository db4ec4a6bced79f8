//! Checked places: what `a[i]` in a kernel becomes.
//!
//! A [`Place`] is an address and a word of fault bits. The address is computed without looking at the bounds, so
//! that it stays affine in the index and loops over it vectorise; whether it may be touched is in the fault word,
//! which is zero inside. Reading a place that is outside gives zero, writing there does nothing, and both or the
//! fault word into the item's [`Oob`], an integer that lives in a register and is reported once a group.
//!
//! Bit `n` of a fault word (`0..=29`) is the kernel's parameter `n`, bit 30 stands for all later parameters, and
//! bit 31 for local and private arrays, which have no parameter.

use crate::abi::message::ItemId;
use crate::types::DeviceCopy;

/// The fault bit of local and private arrays.
pub const ARRAY_FAULT: u32 = 1 << 31;

/// The fault bit of the kernel's parameter number `parameter`.
#[inline(always)]
pub const fn parameter_fault(parameter: usize) -> u32 {
    if parameter < 30 { 1 << parameter } else { 1 << 30 }
}

/// The faults that a run of items has met so far.
#[derive(Debug)]
pub struct Oob {
    bits: u32,
    /// The item that runs, where somebody may ask: see [`Oob::note_item`].
    item: ItemId,
}

impl Oob {
    /// No faults yet, of items that run.
    ///
    /// Handles and the places that they give are safe to use with an `Oob`: who has one is a kernel.
    ///
    /// # Safety
    /// The value lives while a group of a launch runs, on its thread, and is used with that launch's memory; or it is used
    /// with no handle to memory at all.
    #[doc(hidden)]
    #[inline(always)]
    pub const unsafe fn new() -> Self {
        Oob { bits: 0, item: ItemId::UNKNOWN }
    }

    /// For tests, which see to the promise of [`Oob::new`] themselves.
    #[cfg(test)]
    pub(crate) const fn in_a_test() -> Self {
        Oob { bits: 0, item: ItemId::UNKNOWN }
    }

    /// The bits of everything that was touched out of bounds.
    #[inline(always)]
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// Adds fault bits; zero adds nothing.
    #[inline(always)]
    pub fn note(&mut self, bits: u32) {
        self.bits |= bits;
    }

    /// Notes which item runs, for the device functions that it calls: their assertions name it. Where none has any, and
    /// all are inlined, that costs nothing.
    #[inline(always)]
    pub fn note_item<const D: usize>(&mut self, global: [usize; D]) {
        self.item = ItemId::new(global);
    }

    /// The item that was noted last.
    #[inline(always)]
    pub const fn item_id(&self) -> ItemId {
        self.item
    }
}

/// The fault word of an access: `bit` when it is outside, zero when inside, without a branch.
#[inline(always)]
pub(crate) fn fault_unless(inside: bool, bit: u32) -> u32 {
    (!inside as u32).wrapping_neg() & bit
}

/// An address that may be outside of what it was computed from.
///
/// Invariant: if `fault` is zero, `ptr` is aligned and valid for reads, and for writes if it came from something
/// that can be written.
#[derive(Debug)]
pub struct Place<T> {
    ptr: *mut T,
    fault: u32,
}

impl<T> Clone for Place<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Place<T> {}

impl<T> Place<T> {
    /// A place at `ptr`, which may be touched if `fault` is zero.
    ///
    /// # Safety
    /// If `fault` is zero, `ptr` must be aligned and valid for reads (and for writes, if the place is written) for
    /// as long as the place is used.
    #[inline(always)]
    pub const unsafe fn new(ptr: *mut T, fault: u32) -> Self {
        Place { ptr, fault }
    }

    /// Zero inside; outside, the bit of what was indexed out of bounds.
    #[inline(always)]
    pub const fn fault(self) -> u32 {
        self.fault
    }

    /// The address, null when outside.
    #[inline(always)]
    pub fn as_ptr(self) -> *mut T {
        if self.fault == 0 { self.ptr } else { std::ptr::null_mut() }
    }

    /// The same place without a fault, which is read and written without a check.
    ///
    /// # Safety
    /// The place is inside.
    #[inline(always)]
    pub const unsafe fn inside(self) -> Self {
        Place { ptr: self.ptr, fault: 0 }
    }

    /// The place of a part of the value, such as `|p| &raw mut (*p).x`.
    #[inline(always)]
    pub fn field<F>(self, part: impl FnOnce(*mut T) -> *mut F) -> Place<F> {
        // An address outside an allocation may not be projected, not even if it is never touched.
        let ptr = if self.fault == 0 { part(self.ptr) } else { std::ptr::null_mut() };
        Place { ptr, fault: self.fault }
    }

    /// The place of an element of the array or vector at this place.
    #[inline(always)]
    pub fn at<I>(self, index: I) -> Place<T::Elem>
    where
        T: Inline<I>,
    {
        // SAFETY: an `Inline` type only computes an address from its argument.
        let element = unsafe { T::place(self.ptr, index) };
        Place { ptr: element.ptr, fault: element.fault | self.fault }
    }

    /// [`Place::at`] for writing.
    #[inline(always)]
    pub fn at_mut<I>(self, index: I) -> Place<T::Elem>
    where
        T: Inline<I> + IndexableMut<I>,
    {
        self.at(index)
    }
}

/// What a place can hold: every [`DeviceCopy`] type, and tuples of them in private arrays.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot lie in device memory",
    label = "is not `DeviceCopy`",
    note = "write `#[derive(Clone, Copy, DeviceCopy)]` on a struct or enum, and the bound `T: DeviceCopy`, or `T: Scalar` for \
            numbers, on a generic parameter"
)]
pub trait PlaceValue: Copy {
    /// What reading out of bounds gives.
    fn zero() -> Self;
}

impl<T: DeviceCopy> PlaceValue for T {
    #[inline(always)]
    fn zero() -> Self {
        T::zeroed()
    }
}

macro_rules! tuples {
    ($($part:ident)*) => {
        impl<$($part: PlaceValue),*> PlaceValue for ($($part,)*) {
            #[inline(always)]
            fn zero() -> Self {
                ($($part::zero(),)*)
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C E);
tuples!(A B C E F);
tuples!(A B C E F G);

// The bounds are the methods': one that fails is the error that advises what to write, not that of a missing method.
impl<T> Place<T> {
    /// The value, or zero if the place is outside.
    #[inline(always)]
    pub fn get(self, oob: &mut Oob) -> T
    where
        T: PlaceValue,
    {
        oob.note(self.fault);
        if self.fault == 0 {
            // SAFETY: the type's invariant.
            unsafe { self.ptr.read() }
        } else {
            T::zero()
        }
    }

    /// Writes the value, or drops it if the place is outside.
    #[inline(always)]
    pub fn set(self, value: T, oob: &mut Oob)
    where
        T: PlaceValue,
    {
        oob.note(self.fault);
        if self.fault == 0 {
            // SAFETY: the type's invariant; only what can be written makes places that are written.
            unsafe { self.ptr.write(value) }
        }
    }
}

/// What a kernel can index for reading with an `I`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be indexed by `{I}` in a kernel",
    label = "not an index of `{Self}`",
    note = "index with `usize`, with `[usize; D]` for D dimensions, or with the item or group itself",
    note = "index an ItemMut with the item and a GroupMut with the group: each element has one writer"
)]
pub trait Indexable<I> {
    /// The type of an element.
    type Elem;

    /// The place of the element at `index`.
    ///
    /// # Safety
    /// `this` must be valid for reads, unless `Self` is [`Inline`]; then it is not read. The place may only be
    /// used while what `this` refers to lives, and written only through [`IndexableMut`].
    unsafe fn place(this: *const Self, index: I) -> Place<Self::Elem>;
}

/// What a kernel can index for writing with an `I`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written at an index of type `{I}`",
    label = "not writable at this index",
    note = "a View is read-only: take ItemMut, AtomicView or ScatterMut",
    note = "index an ItemMut with the item and a GroupMut with the group: each element has one writer"
)]
///
/// # Safety
/// A place that [`Indexable::place`] gives may be written, by the item that has the index, whatever other items do at
/// theirs.
pub unsafe trait IndexableMut<I>: Indexable<I> {}

/// What holds its elements in itself: arrays and vectors.
///
/// # Safety
/// [`Indexable::place`] must not touch memory, and must give fault zero only for an element inside `*this`.
pub unsafe trait Inline<I>: Indexable<I> {}

/// The place of `(*this)[index]` for reading.
///
/// # Safety
/// As for [`Indexable::place`].
#[inline(always)]
pub unsafe fn at<C: Indexable<I>, I>(this: *const C, index: I) -> Place<C::Elem> {
    // SAFETY: the caller's promise.
    unsafe { C::place(this, index) }
}

/// The place of `(*this)[index]` for writing.
///
/// # Safety
/// As for [`Indexable::place`]; an [`Inline`] `*this` must be valid for writes.
#[inline(always)]
pub unsafe fn at_mut<C: IndexableMut<I>, I>(this: *const C, index: I) -> Place<C::Elem> {
    // SAFETY: the caller's promise.
    unsafe { C::place(this, index) }
}

/// The place of element `index` of `len` that begin at `first`.
#[inline(always)]
fn element<T>(first: *const T, len: usize, index: usize) -> Place<T> {
    Place { ptr: first.cast_mut().wrapping_add(index), fault: fault_unless(index < len, ARRAY_FAULT) }
}

impl<T, const N: usize> Indexable<usize> for [T; N] {
    type Elem = T;

    #[inline(always)]
    unsafe fn place(this: *const Self, index: usize) -> Place<T> {
        element(this.cast::<T>(), N, index)
    }
}

// SAFETY: an array is written where it may be.
unsafe impl<T, const N: usize> IndexableMut<usize> for [T; N] {}

// SAFETY: the address is arithmetic on `this`, and fault is zero only for `index < N`.
unsafe impl<T, const N: usize> Inline<usize> for [T; N] {}
