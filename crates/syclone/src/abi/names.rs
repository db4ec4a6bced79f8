//! Whether a name means the library's function where a kernel calls it.
//!
//! The tree knows such functions by their names. So the macros have rustc coerce what the name in scope means to the
//! pointer type of that name here. Only the library's function has it, even among generic ones, and the names of what it
//! mentions are the advice that rustc shows with anything else.

#![allow(non_camel_case_types)]

use syclone_macros::DeviceCopy;

use crate::kernel::Local;
use crate::kernel::atomic::FenceScope;
use crate::kernel::functions::Ordered;
use crate::types::Order;
use crate::types::ops::{Maximum, Minimum};

/// An argument that only the library's functions take. No value of it exists.
#[derive(Debug)]
pub enum InAKernelThisNameMeansSyclonesFunction {}

/// What only the library's macros give.
#[derive(Debug)]
pub struct InAKernelThisNameMeansSyclonesMacro;

/// A result that only the library's functions have, each with its own `F`.
#[derive(Clone, Copy, Debug, DeviceCopy)]
pub struct RenameYoursOrMakeItADeviceFnThatIsCalledByAPath<F> {
    of: F,
}

use InAKernelThisNameMeansSyclonesFunction as Argument;
use RenameYoursOrMakeItADeviceFnThatIsCalledByAPath as Outcome;

impl<O> Ordered<O> for Argument {
    type Chosen = Outcome<O>;

    fn choose(a: Self, _: Self) -> Outcome<O> {
        match a {}
    }
}

impl FenceScope for Argument {}

/// The type of [`min`](crate::kernel::min).
pub type min = fn(Argument, Argument) -> Outcome<Minimum>;
/// The type of [`max`](crate::kernel::max).
pub type max = fn(Argument, Argument) -> Outcome<Maximum>;
/// The type of [`fence`](crate::kernel::fence).
pub type fence = fn(Order, Argument);
/// What a kernel that calls [`local`](crate::kernel::local()) asks it for.
pub type Element = Outcome<u8>;
/// The type of [`local`](crate::kernel::local()), for that.
pub type local = fn() -> Local<Element>;
