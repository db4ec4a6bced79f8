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
pub trait DevicePrint {
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
pub trait DevicePrintInteger: DevicePrint {}

/// A value that `{:e}` and `{:E}` take: a float, or a vector of floats.
#[diagnostic::on_unimplemented(
    message = "`{{:e}}` and `{{:E}}` take floats, not `{Self}`",
    label = "no float",
    note = "print it with `{{}}`, or convert it: `x as f64`"
)]
pub trait DevicePrintFloat: DevicePrint {}

macro_rules! printable {
    ($($kind:ident: $($t:ty)*;)*) => { $($(
        impl DevicePrint for $t {
            fn printed(&self) -> Value {
                self.to_value()
            }
        }
        impl $kind for $t {}
    )*)* };
}
printable! {
    DevicePrintInteger: i8 i16 i32 i64 isize u8 u16 u32 u64 usize;
    DevicePrintFloat: f16 bf16 f32 f64;
}

impl DevicePrint for bool {
    fn printed(&self) -> Value {
        self.to_value()
    }
}

impl<T: DevicePrint + VectorElement, const N: usize> DevicePrint for Vector<T, N>
where
    Vector<T, N>: DeviceCopy,
{
    fn printed(&self) -> Value {
        self.to_value()
    }
}
impl<T: DevicePrintInteger + VectorElement, const N: usize> DevicePrintInteger for Vector<T, N> where
    Vector<T, N>: DeviceCopy
{
}
impl<T: DevicePrintFloat + VectorElement, const N: usize> DevicePrintFloat for Vector<T, N> where
    Vector<T, N>: DeviceCopy
{
}

impl<T: DevicePrint + ?Sized> DevicePrint for &T {
    fn printed(&self) -> Value {
        (**self).printed()
    }
}
impl<T: DevicePrintInteger + ?Sized> DevicePrintInteger for &T {}
impl<T: DevicePrintFloat + ?Sized> DevicePrintFloat for &T {}

impl<T: DevicePrint + ?Sized> DevicePrint for &mut T {
    fn printed(&self) -> Value {
        (**self).printed()
    }
}
impl<T: DevicePrintInteger + ?Sized> DevicePrintInteger for &mut T {}
impl<T: DevicePrintFloat + ?Sized> DevicePrintFloat for &mut T {}

impl<T: DevicePrint + DeviceCopy> DevicePrint for Spec<T> {
    fn printed(&self) -> Value {
        self.get().printed()
    }
}
impl<T: DevicePrintInteger + DeviceCopy> DevicePrintInteger for Spec<T> {}
impl<T: DevicePrintFloat + DeviceCopy> DevicePrintFloat for Spec<T> {}

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
/// there when the event says that the command has ended. What one item prints keeps its order. Between two barriers the
/// items of a group print in their order, and in one dimension the groups in theirs, until a launch has printed a
/// megabyte; then what workers print at the same time alternates, by whole lines. Of a command that fails, all is there that
/// was printed before, but what its workers have printed may alternate.
///
/// As with `println!` on another thread, whoever holds the lock of standard output holds up who prints: a program that waits
/// for the command meanwhile waits for itself.
///
/// A device function that prints takes the item, by value or as `&item`: one that does not see the item is evaluated once
/// for all items where its arguments are the same.
#[macro_export]
macro_rules! kprintln {
    // A kernel that calls it prints this, by the name that it calls. No other macro gives this value.
    (@in_a_kernel) => {
        $crate::abi::names::InAKernelThisNameMeansSyclonesMacro
    };
    ($($format:tt)*) => {
        ::core::compile_error!("`kprintln!` is for kernels and device functions: use `println!`")
    };
}

/// [`kprintln!`](crate::kprintln!) without the end of the line.
#[macro_export]
macro_rules! kprint {
    // A kernel that calls it prints this, by the name that it calls. No other macro gives this value.
    (@in_a_kernel) => {
        $crate::abi::names::InAKernelThisNameMeansSyclonesMacro
    };
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
///
/// On the CPU device, assertions at a kernel's begin, before which it has only read, compared and computed without
/// division or calls, cost little more than their conditions. Others keep the loop over items from being vectorised.
#[macro_export]
macro_rules! kassert {
    // A kernel that calls it prints this, by the name that it calls. No other macro gives this value.
    (@in_a_kernel) => {
        $crate::abi::names::InAKernelThisNameMeansSyclonesMacro
    };
    ($($condition:tt)*) => {
        ::core::compile_error!("`kassert!` is for kernels and device functions: use `assert!`")
    };
}
