//! Elements as the receivers of device methods.
//!
//! A method that changes its receiver would change only a copy of the element. rustc refuses that with the name of the type
//! that cannot be changed, which is where the advice stands; a method that does not exist is missed in an `Element<f32>`.

use std::ops::{Deref, DerefMut};

/// A copy of an element of memory or of an array, as the receiver of a device method.
#[derive(Clone, Copy, Debug)]
pub struct Element<T>(CopyOfElementChangeItInAVariableAndStoreItBack<T>);

/// What a method that changes its receiver cannot get: it has no `DerefMut`.
#[derive(Clone, Copy, Debug)]
pub struct CopyOfElementChangeItInAVariableAndStoreItBack<T>(T);

impl<T> Element<T> {
    /// The element of this value.
    #[inline(always)]
    pub fn of(value: T) -> Self {
        Element(CopyOfElementChangeItInAVariableAndStoreItBack(value))
    }
}

impl<T> Deref for Element<T> {
    type Target = CopyOfElementChangeItInAVariableAndStoreItBack<T>;

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T> DerefMut for Element<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<T> Deref for CopyOfElementChangeItInAVariableAndStoreItBack<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}
