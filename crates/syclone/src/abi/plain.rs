//! What rustc would let a kernel do by plain Rust that the program wrote, and no tree says: methods by names of built-in
//! ones, conversions, `*` and comparisons of two types. Macro output asks of the values' types whether it is the library's.
//!
//! A method that is a device function is found by its hidden `__find_…`. Where there is none, one of a trait of the macro's
//! is found instead, whose types are those of one of these [groups](Floats), or which asks [`HasMethods`] of an instance.

use crate::kernel::{
    AtomicRef, AtomicView, GroupMut, ItemMut, Local, LocalAccessor, Reducer, ScatterMut, Span, SpanMut, Spec, View,
};
use crate::types::{DeviceCopy, Float, Integer, Lanes, Scalar, Vector, VectorElement};

macro_rules! group {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[diagnostic::on_unimplemented(
            message = "this method of `{Self}` is not a device function",
            label = "a kernel cannot call it",
            note = "put `#[device_fn]` on the `impl` that it is in, and on its trait if it has one"
        )]
        pub trait $name {}
    };
}

macro_rules! of_numbers {
    ($($(#[$doc:meta])* $name:ident $($bound:ident)?;)*) => {$(
        group!($(#[$doc])* $name);
        $(
            #[diagnostic::do_not_recommend]
            impl<T: $bound> $name for T {}
        )?
        #[diagnostic::do_not_recommend]
        impl<T: VectorElement, const N: usize> $name for Vector<T, N> where [(); N]: Lanes {}
    )*};
}
of_numbers! {
    /// What has the methods of floats.
    Floats Float;
    /// What has the methods of integers.
    Integers Integer;
    /// What has the methods of all numbers.
    Numbers Scalar;
    /// What has the methods of vectors alone.
    Vectors;
}
#[diagnostic::do_not_recommend]
impl Numbers for bool {}

group! {
    /// What has the methods of memory.
    Memory
}
#[diagnostic::do_not_recommend]
impl<T, const N: usize> Memory for [T; N] {}

group! {
    /// What has the methods of items and groups: no value.
    Items
}

macro_rules! memory {
    ($($name:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T, const D: usize> Memory for $name<T, D> {}
        impl<T, const D: usize> HasMethods for $name<T, D> {
            const HAS_METHODS: bool = true;
        }
    )*};
}
memory!(View ItemMut GroupMut ScatterMut AtomicView LocalAccessor);

macro_rules! handles {
    ($($name:ident<$($param:ident),*>)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($param),*> Memory for $name<$($param),*> {}
        impl<$($param),*> HasMethods for $name<$($param),*> {
            const HAS_METHODS: bool = true;
        }
    )*};
}
handles!(AtomicRef<T> Local<T> Span<T> SpanMut<T> Spec<T> Reducer<T, O>);
// `get` is also a specialised argument's.
#[diagnostic::do_not_recommend]
impl<T> Vectors for Spec<T> {}

/// What may have methods in a kernel, as only an instance of a generic function tells.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no methods in a kernel",
    label = "methods are for numbers, vectors and types that are `DeviceCopy`"
)]
pub trait HasMethods {
    /// Whether the type has built-in methods.
    const HAS_METHODS: bool;
}
#[diagnostic::do_not_recommend]
impl<T: DeviceCopy> HasMethods for T {
    const HAS_METHODS: bool = T::IS_OF_THE_LANGUAGE;
}

/// Refuses an instance whose type has no built-in methods.
///
/// ```
/// use syclone::prelude::*;
///
/// #[derive(Clone, Copy, DeviceCopy)]
/// struct Rank(u32);
///
/// #[kernel]
/// fn highest<T: DeviceCopy + Ord>(item: Item<1>, x: View<T>, y: ItemMut<T>) {
///     y[item] = x[item].max(x[0]);
/// }
///
/// let queue = Queue::new(&Device::from_env()?)?;
/// let (x, y) = (Buffer::from_vec(vec![2, 1]), Buffer::new(2));
/// queue.submit(|h| h.parallel_for(2, highest::<u32>(x.read(h), y.write(h))))?;
/// assert_eq!(*y.host_read()?, [2, 2]);
/// # let _ = Rank(0);
/// # Ok::<(), syclone::Error>(())
/// ```
/// ```compile_fail,E0080
/// use syclone::prelude::*;
///
/// #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, DeviceCopy)]
/// struct Rank(u32);
///
/// #[kernel]
/// fn highest<T: DeviceCopy + Ord>(item: Item<1>, x: View<T>, y: ItemMut<T>) {
///     y[item] = x[item].max(x[0]);
/// }
///
/// let queue = Queue::new(&Device::from_env()?)?;
/// let (x, y) = (Buffer::from_vec(vec![Rank(2), Rank(1)]), Buffer::new(2));
/// queue.submit(|h| h.parallel_for(2, highest::<Rank>(x.read(h), y.write(h))))?;
/// # Ok::<(), syclone::Error>(())
/// ```
#[inline(always)]
pub fn method_of_instance<T: HasMethods>(_: &T) {
    const { assert!(T::HAS_METHODS, "this method is not a device function: put `#[device_fn]` on its `impl`") }
}

/// Converts by `from` in a kernel.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not converted in a kernel",
    label = "`from` is for numbers, vectors and arrays",
    note = "write a method in a `#[device_fn] impl`, such as `a.to_number()`"
)]
pub trait Convertible {}
#[diagnostic::do_not_recommend]
impl<T: Scalar> Convertible for T {}
#[diagnostic::do_not_recommend]
impl Convertible for bool {}
#[diagnostic::do_not_recommend]
impl<T: VectorElement, const N: usize> Convertible for Vector<T, N> where [(); N]: Lanes {}
#[diagnostic::do_not_recommend]
impl<T: VectorElement, const N: usize> Convertible for [T; N] {}

/// A value that `from` converts, as it is.
#[inline(always)]
pub fn converted<T: Convertible>(value: T) -> T {
    value
}

/// A value that `from` converts, as it is, where only an instance of the function knows its type.
///
/// ```
/// use syclone::prelude::*;
///
/// #[kernel]
/// fn doubles<T: DeviceCopy>(item: Item<1>, x: View<T>, y: ItemMut<f64>)
/// where
///     f64: From<T>,
/// {
///     y[item] = f64::from(x[item]) * 2.0;
/// }
///
/// let queue = Queue::new(&Device::from_env()?)?;
/// let (x, y) = (Buffer::from_vec(vec![2i16, 1]), Buffer::new(2));
/// queue.submit(|h| h.parallel_for(2, doubles::<i16>(x.read(h), y.write(h))))?;
/// assert_eq!(*y.host_read()?, [4.0, 2.0]);
/// # Ok::<(), syclone::Error>(())
/// ```
/// ```compile_fail,E0080
/// use syclone::prelude::*;
///
/// #[derive(Clone, Copy, DeviceCopy)]
/// struct Mine(i16);
///
/// impl From<Mine> for f64 {
///     fn from(mine: Mine) -> f64 {
///         f64::from(mine.0)
///     }
/// }
///
/// #[kernel]
/// fn doubles<T: DeviceCopy>(item: Item<1>, x: View<T>, y: ItemMut<f64>)
/// where
///     f64: From<T>,
/// {
///     y[item] = f64::from(x[item]) * 2.0;
/// }
///
/// let queue = Queue::new(&Device::from_env()?)?;
/// let (x, y) = (Buffer::from_vec(vec![Mine(2), Mine(1)]), Buffer::new(2));
/// queue.submit(|h| h.parallel_for(2, doubles::<Mine>(x.read(h), y.write(h))))?;
/// # Ok::<(), syclone::Error>(())
/// ```
#[inline(always)]
pub fn converted_of_instance<T: DeviceCopy>(value: T) -> T {
    const {
        assert!(
            T::IS_OF_THE_LANGUAGE,
            "`from` is for numbers, vectors and arrays: write a method in a `#[device_fn] impl`, such as `a.to_number()`"
        )
    }
    value
}

/// Leads to a value by `*` in a kernel.
#[diagnostic::on_unimplemented(
    message = "`*` of a `{Self}` does not exist in a kernel",
    label = "`*` is for references",
    note = "take the field, or write a method in a `#[device_fn] impl`, such as `a.value()`"
)]
pub trait Reference {}
#[diagnostic::do_not_recommend]
impl<T> Reference for &T {}
#[diagnostic::do_not_recommend]
impl<T> Reference for &mut T {}
#[diagnostic::do_not_recommend]
impl<T> Reference for Spec<T> {}
#[diagnostic::do_not_recommend]
impl<T> Reference for Local<T> {}

/// What `*` is of, as it is.
#[inline(always)]
pub fn dereferenced<T: Reference>(value: T) -> T {
    value
}

/// Is compared with a value of the other type in a kernel: with one of its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` and `{Other}` are not compared in a kernel",
    label = "kernels compare values of one type",
    note = "write a method in a `#[device_fn] impl`, such as `a.equals(b)`"
)]
pub trait ComparedWith<Other> {}
#[diagnostic::do_not_recommend]
impl<T> ComparedWith<T> for T {}

/// Two values that are compared.
#[derive(Debug)]
pub struct Pair<'a, A, B>(pub &'a A, pub &'a B);

impl<A: DeviceCopy, B> Pair<'_, A, B> {
    /// Accepts values of one type.
    pub fn is_of_one_type(&self)
    where
        A: ComparedWith<B>,
    {
    }
}

/// What is no value, or refers to one, is asked elsewhere what it is: the method of [`Pair`]'s own comes first.
pub trait NoValues {
    /// Accepts anything.
    fn is_of_one_type(&self) {}
}
impl<A, B> NoValues for Pair<'_, A, B> {}
