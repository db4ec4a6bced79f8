//! How a program compares values of a type, if it does.
//!
//! A kernel's tree compares structs and enums field by field, and the native form by what the type implements. The
//! interpreter is told of both, so that one that is not derived is an error and no silent difference. Comparisons that are
//! device functions it calls: `#[device_fn]` on an `impl PartialEq` block also writes an [`DevicePartialEq`].

use core::cell::Cell;
use core::cmp::Ordering;
use core::marker::PhantomData;

use syclone_kernel_ast::types::{BindFn, Type};
pub use syclone_kernel_ast::types::{Comparison, DeviceComparison};

use super::device_copy::DeviceCopy;
use crate::abi::{Oob, message};

/// A type whose `PartialEq` is made of device functions.
pub trait DevicePartialEq: PartialEq {
    /// The one that is `eq`.
    const EQ: BindFn;
}

/// A type whose `PartialOrd` has device functions for some of its operators.
pub trait DevicePartialOrd: PartialOrd {
    /// Those that it has; no `eq`.
    const OPERATORS: DeviceComparison;
}

/// Of no type.
pub const NO_OPERATORS: DeviceComparison = DeviceComparison { eq: None, lt: None, le: None, gt: None, ge: None };

thread_local! {
    /// What comparisons of the chunk that the thread runs touched out of bounds.
    static FAULTS: Cell<u32> = const { Cell::new(0) };
}

/// Calls a comparison's device function where Rust compares values. Nobody passes it the kernel's accumulator of faults,
/// so what it touched out of bounds waits for [`take_faults`].
///
/// # Safety
/// The function uses no handle to memory.
#[inline(always)]
pub unsafe fn compare(function: impl FnOnce(&mut Oob) -> bool) -> bool {
    // SAFETY: there is no handle to use it with.
    let mut oob = unsafe { Oob::new() };
    let result = function(&mut oob);
    if oob.bits() != 0 {
        note(oob.bits());
    }
    result
}

#[cold]
fn note(faults: u32) {
    // On the host they concern nobody, as those of any device function.
    if message::is_in_kernel() {
        FAULTS.set(FAULTS.get() | faults);
    }
}

/// The fault bits of comparisons on this thread since the last call.
pub fn take_faults() -> u32 {
    FAULTS.take()
}

/// Asks rustc what a type implements: where it lacks a trait, the method of [`NotCompared`] is found in its place.
pub struct Compared<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: ?Sized> Default for Compared<T> {
    fn default() -> Self {
        Compared::new()
    }
}

impl<T: ?Sized> Compared<T> {
    /// Of any type.
    pub const fn new() -> Self {
        Compared(PhantomData)
    }
}

/// See [`Comparison::equal`].
pub type Equal = unsafe fn(*const u8, *const u8) -> bool;

/// See [`Comparison::order`].
pub type Order = unsafe fn(*const u8, *const u8) -> Option<Ordering>;

impl<T: DeviceCopy + PartialEq> Compared<T> {
    /// The type's `PartialEq`.
    pub fn equal(&self) -> Option<Equal> {
        // SAFETY: the caller passes bytes of valid values, which are `Copy`.
        Some(|left, right| unsafe { left.cast::<T>().read_unaligned() == right.cast::<T>().read_unaligned() })
    }
}

impl<T: DeviceCopy + PartialOrd> Compared<T> {
    /// The type's `PartialOrd`.
    pub fn order(&self) -> Option<Order> {
        Some(|left, right| {
            // SAFETY: as for `equal`.
            let (left, right) = unsafe { (left.cast::<T>().read_unaligned(), right.cast::<T>().read_unaligned()) };
            left.partial_cmp(&right)
        })
    }
}

impl<T: DeviceCopy + DevicePartialEq> Compared<T> {
    /// The device function of the type's `PartialEq`.
    pub fn device_equal(&self) -> Option<BindFn> {
        Some(T::EQ)
    }
}

impl<T: DeviceCopy + DevicePartialOrd> Compared<T> {
    /// The device functions of the type's `PartialOrd`.
    pub fn device_order(&self) -> DeviceComparison {
        T::OPERATORS
    }
}

impl<T: DeviceCopy> Compared<T> {
    /// The type, with what is known of it.
    pub fn with(&self, comparison: Comparison) -> Option<(Type, Comparison)> {
        Some((T::device_type(), comparison))
    }
}

/// What is known of a type, put together.
pub fn comparison(
    equal: Option<Equal>,
    order: Option<Order>,
    device_equal: Option<BindFn>,
    device_order: DeviceComparison,
) -> Comparison {
    Comparison { equal, order, device: DeviceComparison { eq: device_equal, ..device_order } }
}

/// What a type lacks.
pub trait NotCompared {
    /// No `PartialEq` that is known here.
    fn equal(&self) -> Option<Equal> {
        None
    }

    /// No `PartialOrd` that is known here.
    fn order(&self) -> Option<Order> {
        None
    }

    /// No device function that is known here.
    fn device_equal(&self) -> Option<BindFn> {
        None
    }

    /// No device functions that are known here.
    fn device_order(&self) -> DeviceComparison {
        DeviceComparison::default()
    }

    /// No type of device values.
    fn with(&self, _: Comparison) -> Option<(Type, Comparison)> {
        None
    }
}

impl<T: ?Sized> NotCompared for Compared<T> {}
