//! How a call tells which instance of a trait with parameters it means: by the type of the faults that it passes.
//!
//! The hidden form of each device method takes the accumulator of faults last, as an [`OobOf`] the parameters of its trait:
//! of none where the trait has none, or there is no trait. The native form passes [`Oob::of`]. Code that is only type-checked
//! passes what a [`Site`](super::site::Site) has, so that inference tells the site the instance
//! together with all else: by arguments and results, as in Rust.

use std::marker::PhantomData;

use crate::kernel::Oob;

/// The faults of a call of an instance of a trait. `I` is a tuple of the instance's parameters: pointers to its types, and
/// [`constant`]s.
#[derive(Debug)]
pub struct OobOf<'a, I> {
    /// The accumulator itself.
    pub oob: &'a mut Oob,
    instance: PhantomData<fn(I)>,
}

impl Oob {
    /// The accumulator as the function takes it that is called with it.
    #[doc(hidden)]
    #[inline(always)]
    pub fn of<I>(&mut self) -> OobOf<'_, I> {
        OobOf { oob: self, instance: PhantomData }
    }
}

/// The instance whose tree of a method is asked for.
#[derive(Debug)]
pub struct Instance<I>(PhantomData<fn() -> I>);

impl<I> Default for Instance<I> {
    fn default() -> Self {
        Instance::new()
    }
}

impl<I> Instance<I> {
    /// Of any parameters.
    pub const fn new() -> Self {
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
