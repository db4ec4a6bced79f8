//! Finding the methods that a function calls on values.
//!
//! Only rustc knows which method a call means. The function's tables have its body a second time, in a closure that is
//! never called, in which each call goes by a [`Site`]. So inference gives the site the receiver's type and the
//! [instance](super::instance) of the method's trait, and the site, outside of the closure, the method that rustc finds.

use std::marker::PhantomData;

use syclone_kernel_ast::bound::BoundMethod;

use super::bind::found_of;
use super::instance::{Instance, OobOf};
use crate::types::DeviceCopy;

/// How the method of a value in an instance `I` of a trait is found; nothing where the type has none.
pub type Find<T, I> = fn(&T, Instance<I>) -> Option<syclone_kernel_ast::types::BindFn>;

/// A call on a `T` of a method of an instance `I`, both of which inference tells.
pub struct Site<T, I>(PhantomData<fn() -> (T, I)>);

impl<T, I> Clone for Site<T, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, I> Copy for Site<T, I> {}

impl<T, I> Default for Site<T, I> {
    fn default() -> Self {
        Site::new()
    }
}

impl<T, I> Site<T, I> {
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
    pub fn faults(self) -> OobOf<'static, I> {
        any()
    }
}

impl<T> Site<T, ()> {
    /// A site of any type, of a call by the name of a built-in method, which passes no faults.
    pub const fn built_in() -> Self {
        Site(PhantomData)
    }
}

impl<T: DeviceCopy, I> Site<T, I> {
    /// The method that is called here.
    pub fn found(self, name: &'static str, find: Find<T, I>) -> Vec<BoundMethod> {
        found_of(&T::zeroed(), &[(name, find)])
    }
}

/// What a [`Site`] of anything but a value finds: nothing. Its own method comes first where it has one.
pub trait NoSite<T, I>: Sized {
    /// No method.
    fn found(self, _: &'static str, _: Find<T, I>) -> Vec<BoundMethod> {
        Vec::new()
    }
}

impl<T, I> NoSite<T, I> for Site<T, I> {}

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
