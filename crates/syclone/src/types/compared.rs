//! How a program compares values of a type, if it does.
//!
//! A kernel's tree compares structs and enums field by field, and the native form by what the type implements. The
//! interpreter is told of both, so that one that is not derived is an error and no silent difference.

use core::cmp::Ordering;
use core::marker::PhantomData;

pub use syclone_kernel_ast::types::Comparison;
use syclone_kernel_ast::types::Type;

use super::device_copy::DeviceCopy;

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

impl<T: DeviceCopy> Compared<T> {
    /// The type, with what is known of it.
    pub fn with(&self, equal: Option<Equal>, order: Option<Order>) -> Option<(Type, Comparison)> {
        Some((T::device_type(), Comparison { equal, order }))
    }
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

    /// No type of device values.
    fn with(&self, _: Option<Equal>, _: Option<Order>) -> Option<(Type, Comparison)> {
        None
    }
}

impl<T: ?Sized> NotCompared for Compared<T> {}
