//! How a call tells which instance of a trait with parameters it means: by the type of the faults that it passes.
//!
//! The hidden form of each device method takes the accumulator of faults last: a method of a trait with parameters as an
//! [`OobOf`] them, and others as the [`Oob`] that it is. The native form passes [`Oob::of`], which becomes either. Code that
//! is only type-checked passes what a [`Site`](super::site::Site) has, so that inference tells the site the instance
//! together with all else: by arguments and results, as in Rust.

use std::marker::PhantomData;

use crate::kernel::Oob;

/// The faults of a call of an instance of a trait. `I` is a tuple of the instance's parameters: pointers to its types, and
/// [`constant`]s.
#[derive(Debug)]
pub struct OobOf<'a, I> {
    oob: &'a mut Oob,
    instance: PhantomData<fn(I)>,
}

/// A form in which hidden functions take the accumulator of faults.
pub trait Faults<'a> {
    /// The accumulator in this form.
    fn of(oob: &'a mut Oob) -> Self;

    /// The accumulator itself.
    fn plain(self) -> &'a mut Oob;
}

impl<'a> Faults<'a> for &'a mut Oob {
    #[inline(always)]
    fn of(oob: &'a mut Oob) -> Self {
        oob
    }

    #[inline(always)]
    fn plain(self) -> &'a mut Oob {
        self
    }
}

impl<'a, I> Faults<'a> for OobOf<'a, I> {
    #[inline(always)]
    fn of(oob: &'a mut Oob) -> Self {
        OobOf { oob, instance: PhantomData }
    }

    #[inline(always)]
    fn plain(self) -> &'a mut Oob {
        self.oob
    }
}

impl Oob {
    /// The accumulator as the function takes it that is called with it.
    #[doc(hidden)]
    #[inline(always)]
    pub fn of<'a, F: Faults<'a>>(&'a mut self) -> F {
        F::of(self)
    }
}

/// The instance of which a method's tree is asked for: by the form of faults that the method takes.
#[derive(Debug)]
pub struct Instance<F>(PhantomData<fn() -> F>);

impl<F> Instance<F> {
    pub(super) const fn new() -> Self {
        Instance(PhantomData)
    }
}

/// Constant parameters as types, by the names of their own types.
#[allow(non_camel_case_types)]
pub mod constant {
    macro_rules! constants {
        ($($name:ident)*) => { $(
            #[doc = concat!("A constant `", stringify!($name), "`.")]
            #[derive(Debug)]
            pub struct $name<const VALUE: ::core::primitive::$name>;
        )* };
    }

    constants!(bool char i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);
}
