//! Finding the methods that a function calls on values whose types no token of it spells: fields, results, captures.
//!
//! Only rustc knows such a type. The function's tables have its body a second time, in a closure that is never called, in
//! which each such receiver goes by a [`Site`]. So inference gives the site the receiver's type, and the site, outside of
//! the closure, the method that rustc finds on it.

use std::marker::PhantomData;

use syclone_kernel_ast::bound::BoundMethod;

use super::bind::{Finder, found};
use crate::types::DeviceCopy;
use crate::types::derive_support::TraitMethodList;

/// A call of a method on a `T`, which inference tells.
pub struct Site<T>(PhantomData<fn() -> T>);

impl<T> Clone for Site<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Site<T> {}

impl<T> Default for Site<T> {
    fn default() -> Self {
        Site::new()
    }
}

impl<T> Site<T> {
    /// A site of any type.
    pub const fn new() -> Self {
        Site(PhantomData)
    }

    /// The receiver is a place.
    pub fn is(self, _: &T) {}

    /// The receiver is this value.
    pub fn through(self, receiver: T) -> T {
        receiver
    }
}

impl<T: DeviceCopy> Site<T> {
    /// The method that is called here, or all of several instances of a trait.
    pub fn found(self, finder: Finder<T>, listed: TraitMethodList<T>) -> Vec<BoundMethod> {
        found(&[finder], &[listed])
    }
}

/// What a [`Site`] of anything but a value finds: nothing. Its own method comes first where it has one.
pub trait NoSite<T>: Sized {
    /// No method.
    fn found(self, _: Finder<T>, _: TraitMethodList<T>) -> Vec<BoundMethod> {
        Vec::new()
    }
}

impl<T> NoSite<T> for Site<T> {}

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
