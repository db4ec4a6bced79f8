//! Finding the methods that a function calls on values.
//!
//! Only rustc knows which method a call means. The function's tables have its body a second time, in a closure that is
//! never called, in which each call goes by a [`Site`]. So inference gives the site the receiver's type and the
//! [instance](super::instance) of the method's trait, and the site, outside of the closure, the method that rustc finds.

use std::marker::PhantomData;

use syclone_kernel_ast::bound::BoundMethod;

use super::bind::found_of;
use super::instance::Instance;
use crate::kernel::Oob;
use crate::types::DeviceCopy;

/// How the method of a value that takes its faults as an `F` is found; nothing where the type has none.
pub type Find<T, F> = fn(&T, Instance<F>) -> Option<syclone_kernel_ast::types::BindFn>;

/// A call on a `T` of a method that takes its faults as an `F`, both of which inference tells.
pub struct Site<T, F>(PhantomData<fn() -> (T, F)>);

impl<T, F> Clone for Site<T, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, F> Copy for Site<T, F> {}

impl<T, F> Default for Site<T, F> {
    fn default() -> Self {
        Site::new()
    }
}

impl<T, F> Site<T, F> {
    /// A site of any type and any instance.
    pub const fn new() -> Self {
        Site(PhantomData)
    }

    /// The receiver is a place.
    pub fn is(self, _: &T) {}

    /// The receiver is this value.
    pub fn through(self, receiver: T) -> T {
        receiver
    }

    /// The faults that the call passes, in code that is never run.
    ///
    /// # Panics
    /// If it is.
    pub fn faults(self) -> F {
        any()
    }
}

impl<T> Site<T, &'static mut Oob> {
    /// A site of any type, of a call by the name of a built-in method, which passes no faults.
    pub const fn built_in() -> Self {
        Site(PhantomData)
    }
}

impl<T: DeviceCopy, F> Site<T, F> {
    /// The method that is called here.
    pub fn found(self, name: &'static str, find: Find<T, F>) -> Vec<BoundMethod> {
        found_of(&T::zeroed(), &[(name, find)])
    }
}

/// What a [`Site`] of anything but a value finds: nothing. Its own method comes first where it has one.
pub trait NoSite<T, F>: Sized {
    /// No method.
    fn found(self, _: &'static str, _: Find<T, F>) -> Vec<BoundMethod> {
        Vec::new()
    }
}

impl<T, F> NoSite<T, F> for Site<T, F> {}

/// A value in code that is never run.
///
/// # Panics
/// If it is.
pub fn any<T>() -> T {
    unreachable!("the code around it is only type-checked")
}

/// What an inline kernel captured, by its type.
pub struct Captures<P>(PhantomData<fn() -> P>);

impl<P> Captures<P> {
    pub(super) const fn new() -> Self {
        Captures(PhantomData)
    }

    /// The values, in code that is never run.
    ///
    /// # Panics
    /// If it is.
    pub fn any(&self) -> P {
        any()
    }
}
