//! What kernels print and assert: [`kprint!`](crate::kprint!), [`kprintln!`](crate::kprintln!) and
//! [`kassert!`](crate::kassert!), and which values they take.

use syclone_kernel_ast::value::Value;

use super::Spec;
use crate::types::{DeviceCopy, Vector, VectorElement, bf16, f16};

/// A value that a kernel can print: a number, a `bool`, or a [`Vector`].
#[diagnostic::on_unimplemented(
    message = "a kernel cannot print a value of type `{Self}`",
    label = "no number, `bool` or vector",
    note = "print a struct's fields and an array's elements one by one"
)]
pub trait Printable {
    /// The value as the formatter takes it.
    #[doc(hidden)]
    fn printed(&self) -> Value;
}

/// A value that `{:x}`, `{:X}`, `{:b}` and `{:o}` take: an integer, or a vector of integers.
#[diagnostic::on_unimplemented(
    message = "`{{:x}}`, `{{:X}}`, `{{:b}}` and `{{:o}}` take integers, not `{Self}`",
    label = "no integer",
    note = "print it with `{{}}`, or its bits: `x.to_bits()`"
)]
pub trait PrintableInteger: Printable {}

/// A value that `{:e}` and `{:E}` take: a float, or a vector of floats.
#[diagnostic::on_unimplemented(
    message = "`{{:e}}` and `{{:E}}` take floats, not `{Self}`",
    label = "no float",
    note = "print it with `{{}}`, or convert it: `x as f64`"
)]
pub trait PrintableFloat: Printable {}

macro_rules! printable {
    ($($kind:ident: $($t:ty)*;)*) => { $($(
        impl Printable for $t {
            fn printed(&self) -> Value {
                self.to_value()
            }
        }
        impl $kind for $t {}
    )*)* };
}
printable! {
    PrintableInteger: i8 i16 i32 i64 isize u8 u16 u32 u64 usize;
    PrintableFloat: f16 bf16 f32 f64;
}

impl Printable for bool {
    fn printed(&self) -> Value {
        self.to_value()
    }
}

impl<T: Printable + VectorElement, const N: usize> Printable for Vector<T, N>
where
    Vector<T, N>: DeviceCopy,
{
    fn printed(&self) -> Value {
        self.to_value()
    }
}
impl<T: PrintableInteger + VectorElement, const N: usize> PrintableInteger for Vector<T, N> where
    Vector<T, N>: DeviceCopy
{
}
impl<T: PrintableFloat + VectorElement, const N: usize> PrintableFloat for Vector<T, N> where Vector<T, N>: DeviceCopy {}

impl<T: Printable + ?Sized> Printable for &T {
    fn printed(&self) -> Value {
        (**self).printed()
    }
}
impl<T: PrintableInteger + ?Sized> PrintableInteger for &T {}
impl<T: PrintableFloat + ?Sized> PrintableFloat for &T {}

impl<T: Printable + ?Sized> Printable for &mut T {
    fn printed(&self) -> Value {
        (**self).printed()
    }
}
impl<T: PrintableInteger + ?Sized> PrintableInteger for &mut T {}
impl<T: PrintableFloat + ?Sized> PrintableFloat for &mut T {}

impl<T: Printable + DeviceCopy> Printable for Spec<T> {
    fn printed(&self) -> Value {
        self.get().printed()
    }
}
impl<T: PrintableInteger + DeviceCopy> PrintableInteger for Spec<T> {}
impl<T: PrintableFloat + DeviceCopy> PrintableFloat for Spec<T> {}

/// Prints a line from a kernel, as `println!` does on the host.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use syclone::prelude::*;
///
/// #[kernel]
/// fn show(item: Item<1>, x: View<f32>) {
///     if x[item] < 0.0 {
///         kprintln!("item {}: {:.2}", item.global_id(0), x[item]);
///     }
/// }
///
/// # fn main() -> Result<()> {
/// let lines = Arc::new(Mutex::new(String::new()));
/// let sink = lines.clone();
/// let queue = QueueOptions::new()
///     .on_print(move |text| sink.lock().unwrap().push_str(text))
///     .build(&Device::select("cpu")?)?;
/// let x = Buffer::from_vec(vec![1.0, -0.125, 2.0, -3.0]);
/// queue.submit(|h| h.parallel_for(4, show(x.read(h))))?.wait()?;
/// assert_eq!(*lines.lock().unwrap(), "item 1: -0.12\nitem 3: -3.00\n");
/// # Ok(())
/// # }
/// ```
///
/// The format string is one of Rust's: `{}`, `{0}`, `{name}` with a fill, an alignment, `+`, `#`, `0`, a width, a precision
/// and `?`, `x`, `X`, `b`, `o`, `e` or `E`. Values are numbers, `bool` and vectors.
///
/// The text goes to standard output, or to where [`QueueOptions::on_print`](crate::QueueOptions::on_print) says, and is
/// there when the event says that the command has ended. What one item prints keeps its order; between two barriers the
/// items of a group print in their order, and groups in theirs, until a launch prints more than a megabyte.
#[macro_export]
macro_rules! kprintln {
    ($($format:tt)*) => {
        ::core::compile_error!("`kprintln!` is for kernels and device functions: use `println!`")
    };
}

/// [`kprintln!`](crate::kprintln!) without the end of the line.
#[macro_export]
macro_rules! kprint {
    ($($format:tt)*) => {
        ::core::compile_error!("`kprint!` is for kernels and device functions: use `print!`")
    };
}

/// Ends a kernel's command as an error if a condition does not hold.
///
/// ```
/// use syclone::prelude::*;
///
/// #[kernel]
/// fn gather(item: Item<1>, index: View<u32>, x: View<f32>, y: ItemMut<f32>) {
///     let i = index[item] as usize;
///     kassert!(i < x.extent(0), "index {} of {}", i, x.extent(0));
///     y[item] = x[i];
/// }
///
/// # fn main() -> Result<()> {
/// # let queue = Queue::new(&Device::select("cpu")?)?;
/// let (index, x) = (Buffer::from_vec(vec![1, 7]), Buffer::from_vec(vec![0.5, 0.25]));
/// let y = Buffer::new(2);
/// let event = queue.submit(|h| h.parallel_for(2, gather(index.read(h), x.read(h), y.write(h))))?;
/// let Err(Error::AssertionFailed { message, item, .. }) = event.wait() else { panic!("index 7 is too large") };
/// assert_eq!((message.as_str(), item), ("assertion failed: index 7 of 2", vec![1]));
/// # let _ = queue.wait();
/// # Ok(())
/// # }
/// ```
///
/// The event's error, [`Error::AssertionFailed`](crate::Error::AssertionFailed), names the kernel, the item and the line,
/// and has the message, whose values are computed only then. The item does not go on; others may or may not. Without a
/// message the condition's text is the message.
#[macro_export]
macro_rules! kassert {
    ($($condition:tt)*) => {
        ::core::compile_error!("`kassert!` is for kernels and device functions: use `assert!`")
    };
}
