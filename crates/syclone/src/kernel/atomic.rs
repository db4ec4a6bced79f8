//! Atomic operations: [`AtomicView`], the [`AtomicRef`] that its elements give, and [`fence`].
//!
//! Integers wrap on overflow, floats follow these rules:
//! - `compare_exchange` compares bits, so a NaN equals itself and −0.0 differs from 0.0; no loop can hang on a NaN.
//! - `fetch_min` and `fetch_max` compare values. A NaN loses against any number, as in `f32::min`; of −0.0 and 0.0,
//!   which are equal, the stored one stays.
//! - `fetch_add` and `fetch_sub` round as usual, and a NaN that is added stays.

use std::sync::atomic::{
    AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence as atomic_fence,
};

use super::memory::{Position, memory_handle};
use super::place::{Oob, Place};
use crate::types::{DeviceCopy, Order, Scope};

memory_handle! {
    /// Global memory that all items read and write at any index by atomic operations: `x.atomic(i).fetch_add(1)`.
    ///
    /// ```
    /// use syclone::prelude::*;
    /// #[kernel]
    /// fn histogram(item: Item<1>, x: View<u32>, bins: AtomicView<u32>) {
    ///     bins.atomic(x[item] as usize).fetch_add(1);
    /// }
    /// # fn main() -> Result<()> {
    /// # let queue = Queue::new(&Device::select("cpu")?)?;
    /// let (x, bins) = (Buffer::from_vec(vec![1, 0, 1, 1]), Buffer::<u32>::new(2));
    /// queue.submit(|h| h.parallel_for(4, histogram(x.read(h), bins.atomic(h))))?;
    /// assert_eq!(bins.host_read()?[..], [1, 3]);
    /// # Ok(())
    /// # }
    /// ```
    AtomicView,
    /// While a kernel uses the handle, the memory must be aligned, initialised and valid for reads and writes, and
    /// nothing may touch it otherwise than atomically.
    fn from_raw(ptr: *mut T)
}

impl<T: AtomicScalar, const D: usize> AtomicView<T, D> {
    /// The element at `index` for atomic operations. In a kernel, write `x.atomic(i)`.
    #[inline(always)]
    pub fn atomic(&self, index: impl Position<D>, oob: &mut Oob) -> AtomicRef<T> {
        // SAFETY: the launch keeps the memory.
        AtomicRef::new(unsafe { self.0.place(index.position()) }, oob)
    }
}

/// One element of global or local memory, for atomic operations.
///
/// The operations are [`Order::Relaxed`] and of [`Scope::Device`] unless [`order`](AtomicRef::order) and
/// [`scope`](AtomicRef::scope) say otherwise. An element out of bounds reads zero and drops what is written, and is
/// reported.
#[derive(Debug)]
pub struct AtomicRef<T> {
    /// Null if out of bounds; else aligned, and valid while the kernel runs.
    ptr: *mut T,
    order: Order,
}

impl<T> Clone for AtomicRef<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for AtomicRef<T> {}

/// The order of an operation that reads and writes.
#[inline(always)]
fn ordering(order: Order) -> Ordering {
    match order {
        Order::Relaxed => Ordering::Relaxed,
        Order::Acquire => Ordering::Acquire,
        Order::Release => Ordering::Release,
        Order::AcqRel => Ordering::AcqRel,
        Order::SeqCst => Ordering::SeqCst,
    }
}

/// The part of an order that a read can have.
#[inline(always)]
fn read_ordering(order: Order) -> Ordering {
    match order {
        Order::Relaxed | Order::Release => Ordering::Relaxed,
        Order::Acquire | Order::AcqRel => Ordering::Acquire,
        Order::SeqCst => Ordering::SeqCst,
    }
}

/// The part of an order that a write can have.
#[inline(always)]
fn write_ordering(order: Order) -> Ordering {
    match order {
        Order::Relaxed | Order::Acquire => Ordering::Relaxed,
        Order::Release | Order::AcqRel => Ordering::Release,
        Order::SeqCst => Ordering::SeqCst,
    }
}

/// Methods that change the element by one value and give the value before.
macro_rules! changes {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(self, value: T) -> T {
            // SAFETY: the pointer is valid (see the field).
            self.on(|ptr| unsafe { T::$name(ptr, value, ordering(self.order)) })
        }
    )*};
}

impl<T: AtomicScalar> AtomicRef<T> {
    /// The element at `place`.
    #[inline(always)]
    pub(crate) fn new(place: Place<T>, oob: &mut Oob) -> Self {
        oob.note(place.fault());
        AtomicRef { ptr: place.as_ptr(), order: Order::Relaxed }
    }

    /// The same element, with this order for the operations that follow. An order that an operation cannot have,
    /// such as a releasing load, counts for the part that it can have.
    #[inline(always)]
    #[must_use]
    pub fn order(self, order: Order) -> Self {
        AtomicRef { order, ..self }
    }

    /// The same element, ordered for the items of `scope`. The CPU device orders for the whole system always.
    #[inline(always)]
    #[must_use]
    pub fn scope(self, scope: Scope) -> Self {
        let _ = scope;
        self
    }

    /// `operation` on the element, or zero if there is none.
    #[inline(always)]
    fn on(self, operation: impl FnOnce(*mut T) -> T) -> T {
        if self.ptr.is_null() { T::zeroed() } else { operation(self.ptr) }
    }

    /// The value.
    #[inline(always)]
    pub fn load(self) -> T {
        // SAFETY: the pointer is valid (see the field).
        self.on(|ptr| unsafe { T::load(ptr, read_ordering(self.order)) })
    }

    /// Writes `value`.
    #[inline(always)]
    pub fn store(self, value: T) {
        if !self.ptr.is_null() {
            // SAFETY: the pointer is valid (see the field).
            unsafe { T::store(self.ptr, value, write_ordering(self.order)) }
        }
    }

    /// Writes `new` if the value is `current`, bit for bit; gives the value before, and whether `new` was written.
    #[inline(always)]
    pub fn compare_exchange(self, current: T, new: T) -> (T, bool) {
        if self.ptr.is_null() {
            return (T::zeroed(), false);
        }
        // SAFETY: the pointer is valid (see the field).
        unsafe { T::compare_exchange(self.ptr, current, new, ordering(self.order), read_ordering(self.order)) }
    }

    changes! {
        /// Writes `value` and gives the value before.
        exchange
        /// Adds `value` and gives the value before.
        fetch_add
        /// Subtracts `value` and gives the value before.
        fetch_sub
        /// Writes the lesser of the two values and gives the value before.
        fetch_min
        /// Writes the greater of the two values and gives the value before.
        fetch_max
    }
}

impl<T: AtomicInteger> AtomicRef<T> {
    changes! {
        /// Ands `value` in, bit by bit, and gives the value before.
        fetch_and
        /// Ors `value` in, bit by bit, and gives the value before.
        fetch_or
        /// Xors `value` in, bit by bit, and gives the value before.
        fetch_xor
    }
}

/// Declares the operations once for both traits and all types: each is an unsafe function on a pointer.
macro_rules! operations {
    ($(#[$doc:meta])* $trait:ident: $super:path { $($name:ident($($arg:ident),*))* }) => {
        $(#[$doc])*
        pub trait $trait: $super {
            $(
                /// The operation of this name in [`AtomicRef`].
                ///
                /// # Safety
                /// `ptr` must be aligned, valid for reads and writes, and touched only atomically meanwhile.
                #[doc(hidden)]
                unsafe fn $name(ptr: *mut Self, $($arg: Self,)* ordering: Ordering) -> Self;
            )*
        }
    };
}

/// What [`AtomicRef`] needs of every type, for which there is no common shape.
#[doc(hidden)]
pub trait AtomicBase: DeviceCopy {
    /// Writes a value.
    ///
    /// # Safety
    /// As for the operations of [`AtomicScalar`].
    unsafe fn store(ptr: *mut Self, value: Self, ordering: Ordering);

    /// Compares bits and exchanges.
    ///
    /// # Safety
    /// As for the operations of [`AtomicScalar`].
    unsafe fn compare_exchange(
        ptr: *mut Self,
        current: Self,
        new: Self,
        success: Ordering,
        failure: Ordering,
    ) -> (Self, bool);
}

operations! {
    /// The types of atomic elements: 32 and 64-bit integers and floats.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no atomic operations",
        note = "atomics work on i32, u32, i64, u64, isize, usize, f32 and f64"
    )]
    AtomicScalar: AtomicBase {
        load() exchange(value) fetch_add(value) fetch_sub(value) fetch_min(value) fetch_max(value)
    }
}

operations! {
    /// The types of atomic elements with bit operations: 32 and 64-bit integers.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no atomic bit operations",
        note = "they work on i32, u32, i64, u64, isize and usize"
    )]
    AtomicInteger: AtomicScalar { fetch_and(value) fetch_or(value) fetch_xor(value) }
}

macro_rules! integers {
    ($($type:ident $atomic:ident)*) => {$(
        impl AtomicBase for $type {
            #[inline(always)]
            unsafe fn store(ptr: *mut Self, value: Self, ordering: Ordering) {
                // SAFETY: the caller's promise.
                unsafe { $atomic::from_ptr(ptr) }.store(value, ordering)
            }

            #[inline(always)]
            unsafe fn compare_exchange(
                ptr: *mut Self,
                current: Self,
                new: Self,
                success: Ordering,
                failure: Ordering,
            ) -> (Self, bool) {
                // SAFETY: the caller's promise.
                match unsafe { $atomic::from_ptr(ptr) }.compare_exchange(current, new, success, failure) {
                    Ok(old) => (old, true),
                    Err(old) => (old, false),
                }
            }
        }

        impl AtomicScalar for $type {
            #[inline(always)]
            unsafe fn load(ptr: *mut Self, ordering: Ordering) -> Self {
                // SAFETY: the caller's promise.
                unsafe { $atomic::from_ptr(ptr) }.load(ordering)
            }

            integers!(@ $atomic exchange swap);
            integers!(@ $atomic fetch_add fetch_add);
            integers!(@ $atomic fetch_sub fetch_sub);
            integers!(@ $atomic fetch_min fetch_min);
            integers!(@ $atomic fetch_max fetch_max);
        }

        impl AtomicInteger for $type {
            integers!(@ $atomic fetch_and fetch_and);
            integers!(@ $atomic fetch_or fetch_or);
            integers!(@ $atomic fetch_xor fetch_xor);
        }
    )*};
    (@ $atomic:ident $name:ident $std:ident) => {
        #[inline(always)]
        unsafe fn $name(ptr: *mut Self, value: Self, ordering: Ordering) -> Self {
            // SAFETY: the caller's promise.
            unsafe { $atomic::from_ptr(ptr) }.$std(value, ordering)
        }
    };
}

integers!(i32 AtomicI32 u32 AtomicU32 i64 AtomicI64 u64 AtomicU64 isize AtomicIsize usize AtomicUsize);

macro_rules! floats {
    ($($type:ident $atomic:ident)*) => {$(
        impl AtomicBase for $type {
            #[inline(always)]
            unsafe fn store(ptr: *mut Self, value: Self, ordering: Ordering) {
                // SAFETY: the caller's promise; a float and its bits have one layout.
                unsafe { $atomic::from_ptr(ptr.cast()) }.store(value.to_bits(), ordering)
            }

            #[inline(always)]
            unsafe fn compare_exchange(
                ptr: *mut Self,
                current: Self,
                new: Self,
                success: Ordering,
                failure: Ordering,
            ) -> (Self, bool) {
                // SAFETY: the caller's promise; a float and its bits have one layout.
                let atomic = unsafe { $atomic::from_ptr(ptr.cast()) };
                match atomic.compare_exchange(current.to_bits(), new.to_bits(), success, failure) {
                    Ok(old) => ($type::from_bits(old), true),
                    Err(old) => ($type::from_bits(old), false),
                }
            }
        }

        impl AtomicScalar for $type {
            #[inline(always)]
            unsafe fn load(ptr: *mut Self, ordering: Ordering) -> Self {
                // SAFETY: the caller's promise; a float and its bits have one layout.
                $type::from_bits(unsafe { $atomic::from_ptr(ptr.cast()) }.load(ordering))
            }

            #[inline(always)]
            unsafe fn exchange(ptr: *mut Self, value: Self, ordering: Ordering) -> Self {
                // SAFETY: the caller's promise; a float and its bits have one layout.
                $type::from_bits(unsafe { $atomic::from_ptr(ptr.cast()) }.swap(value.to_bits(), ordering))
            }

            floats!(@ $type $atomic fetch_add(old, value) old + value);
            floats!(@ $type $atomic fetch_sub(old, value) old - value);
            floats!(@ $type $atomic fetch_min(old, value) if value < old || old.is_nan() { value } else { old });
            floats!(@ $type $atomic fetch_max(old, value) if value > old || old.is_nan() { value } else { old });
        }
    )*};
    (@ $type:ident $atomic:ident $name:ident($old:ident, $value:ident) $new:expr) => {
        #[inline(always)]
        unsafe fn $name(ptr: *mut Self, $value: Self, ordering: Ordering) -> Self {
            // SAFETY: the caller's promise; a float and its bits have one layout.
            let atomic = unsafe { $atomic::from_ptr(ptr.cast()) };
            // The exchange compares bits, so it goes through in the end whatever the values are.
            let mut seen = atomic.load(Ordering::Relaxed);
            loop {
                let $old = $type::from_bits(seen);
                let new = $new;
                match atomic.compare_exchange_weak(seen, new.to_bits(), ordering, Ordering::Relaxed) {
                    Ok(_) => return $old,
                    Err(now) => seen = now,
                }
            }
        }
    };
}

floats!(f32 AtomicU32 f64 AtomicU64);

/// Orders the item's accesses before the fence against those after it, for the items of `scope`.
///
/// The CPU device orders for the whole system always; [`Order::Relaxed`] orders nothing.
#[inline(always)]
pub fn fence<S: FenceScope>(order: Order, scope: S) {
    let _ = scope;
    if order != Order::Relaxed {
        atomic_fence(ordering(order));
    }
}

/// What a [`fence`] takes as its scope: a [`Scope`]. A trait, so that [`names`](crate::abi::names) tells the function from
/// any other.
#[doc(hidden)]
pub trait FenceScope {}

impl FenceScope for Scope {}
