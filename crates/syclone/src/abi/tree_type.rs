//! The tree's name for each type that a kernel can mention, and the marks that check a parameter's role.

use syclone_kernel_ast::types::{Op, Type};

use crate::kernel::{
    AtomicView, Group, GroupMut, Item, ItemMut, Local, LocalAccessor, NdItem, Reducer, ScatterMut, Spec, SubGroup, View,
};
use crate::types::ops::ReduceOp;
use crate::types::{DeviceCopy, Order, Scope};

/// A type that a kernel can mention.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in a kernel",
    note = "kernels know numbers, `bool`, arrays, vectors, the handles to memory, and types that derive DeviceCopy"
)]
pub trait TreeType {
    /// Its descriptor.
    fn tree_type() -> Type;
}

impl<T: DeviceCopy> TreeType for T {
    fn tree_type() -> Type {
        T::device_type()
    }
}

impl TreeType for () {
    fn tree_type() -> Type {
        Type::Unit
    }
}

macro_rules! tuples {
    ($($part:ident)*) => {
        impl<$($part: TreeType),*> TreeType for ($($part,)*) {
            fn tree_type() -> Type {
                Type::Tuple(vec![$($part::tree_type()),*])
            }
        }
    };
}
tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);

macro_rules! handles {
    ($($name:ident)*) => {$(
        impl<T: DeviceCopy, const D: usize> TreeType for $name<T, D> {
            fn tree_type() -> Type {
                Type::$name(Box::new(T::device_type()), D as u8)
            }
        }
    )*};
}
handles!(View ItemMut GroupMut ScatterMut AtomicView LocalAccessor);

macro_rules! tokens {
    ($($name:ident)*) => {$(
        impl<const D: usize> TreeType for $name<D> {
            fn tree_type() -> Type {
                Type::$name(D as u8)
            }
        }
    )*};
}
tokens!(Item NdItem Group);

impl TreeType for SubGroup {
    fn tree_type() -> Type {
        Type::SubGroup
    }
}

impl TreeType for Order {
    fn tree_type() -> Type {
        Type::Order
    }
}

impl TreeType for Scope {
    fn tree_type() -> Type {
        Type::Scope
    }
}

impl<T: DeviceCopy> TreeType for Local<T> {
    fn tree_type() -> Type {
        Type::Local(Box::new(T::device_type()))
    }
}

impl<T: DeviceCopy> TreeType for Spec<T> {
    fn tree_type() -> Type {
        Type::Spec(Box::new(T::device_type()))
    }
}

impl<T: DeviceCopy, O: ReduceOp<T>> TreeType for Reducer<T, O> {
    fn tree_type() -> Type {
        Type::Reducer(Box::new(T::device_type()), op::<T, O>())
    }
}

/// An operator's name in the tree.
fn op<T: DeviceCopy, O: ReduceOp<T>>() -> Op {
    Op::from_name(O::NAME).expect("the tree knows all operators of `types::ops`")
}

/// What each parameter's type must be: the macro goes by the name of the type, and asks for the trait of that name of the
/// type that rustc resolved.
pub mod role {
    use crate::abi::Capture;
    use crate::types::ops::ReduceOp;
    use crate::types::{DeviceCopy, Lanes, Scalar, Vector, VectorElement};

    macro_rules! roles {
        ($($name:ident)*) => {$(
            /// Is the library's type of this name.
            #[diagnostic::on_unimplemented(
                message = "`{Self}` has the name of a kernel parameter type of syclone but is another type",
                note = "rename it, or take syclone's"
            )]
            pub trait $name {}
        )*};
    }
    roles!(View ItemMut GroupMut ScatterMut AtomicView LocalAccessor Reducer Spec);

    macro_rules! impls {
        ($($name:ident)*) => {$(
            // What the elements are is asked elsewhere, so that a wrong type is not an error here too.
            impl<T, const D: usize> $name for crate::kernel::$name<T, D> {}
        )*};
    }
    impls!(View ItemMut GroupMut ScatterMut AtomicView LocalAccessor);
    impl<T> Spec for crate::kernel::Spec<T> {}
    impl<T, O> Reducer for crate::kernel::Reducer<T, O> {}

    /// Accepts plain values, and what lies in memory.
    pub fn device_copy<T: DeviceCopy>() {}

    /// Can be reduced by an operator.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be reduced by `{O}`",
        label = "no `{O}` of two such values",
        note = "a `Reducer` is of numbers, with Plus, Multiplies, Minimum or Maximum; of integers also with BitAnd, BitOr or BitXor; \
                and of `bool` with LogicalAnd or LogicalOr: reduce the fields of a struct each by itself"
    )]
    pub trait Reduced<O> {}
    #[diagnostic::do_not_recommend]
    impl<T: DeviceCopy, O: ReduceOp<T>> Reduced<O> for T {}

    /// Accepts what can be reduced by the operator.
    pub fn reduced<T: Reduced<O>, O>() {}

    /// Has the operators of the kernel language.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no operators in a kernel",
        label = "operators are for numbers and vectors",
        note = "write a method in a `#[device_fn] impl`, such as `a.plus(b)`"
    )]
    pub trait Operand {}
    #[diagnostic::do_not_recommend]
    impl<T: Scalar> Operand for T {}
    impl Operand for bool {}
    impl<T: VectorElement, const N: usize> Operand for Vector<T, N> where [(); N]: Lanes {}

    /// An [`Operand`] of a type that is known. It is implemented for one after the other, because rustc takes an
    /// implementation for all `T: Scalar` for the one that is meant, and goes on with the type as if it had operators.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no operators in a kernel",
        label = "operators are for numbers and vectors",
        note = "write a method in a `#[device_fn] impl`, such as `a.plus(b)`"
    )]
    pub trait KnownOperand: Sized {
        /// The type itself, which nothing that has no operators has.
        type Itself;

        /// The value itself.
        fn itself(self) -> Self::Itself;
    }

    macro_rules! known_operands {
        ($([$($generics:tt)*] $ty:ty, [$($bounds:tt)*];)*) => { $(
            impl<$($generics)*> KnownOperand for $ty where $($bounds)*
            {
                type Itself = Self;

                #[inline(always)]
                fn itself(self) -> Self {
                    self
                }
            }
        )* };
    }
    known_operands! {
        [] bool, [];
        [] i8, []; [] i16, []; [] i32, []; [] i64, []; [] isize, [];
        [] u8, []; [] u16, []; [] u32, []; [] u64, []; [] usize, [];
        [] f32, []; [] f64, []; [] half::f16, []; [] half::bf16, [];
        [T: VectorElement, const N: usize] Vector<T, N>, [[(); N]: Lanes];
    }

    /// Accepts what has operators.
    pub fn operand<T: Operand>() {}

    /// An operand as it is, whose type is known where it stands.
    #[inline(always)]
    pub fn known_number<T: KnownOperand>(value: T) -> T::Itself {
        value.itself()
    }

    /// An operand as it is, whose type no token of its function spells.
    #[inline(always)]
    pub fn number<T: Operand>(value: T) -> T {
        value
    }

    /// An operand as it is, where only an instance of the function knows its type: it is refused when that is compiled.
    ///
    /// ```
    /// use syclone::prelude::*;
    /// use std::ops::Add;
    ///
    /// #[derive(Clone, Copy, DeviceCopy)]
    /// struct Turns(f32);
    ///
    /// impl Add for Turns {
    ///     type Output = Turns;
    ///
    ///     fn add(self, other: Turns) -> Turns {
    ///         Turns((self.0 + other.0) % 1.0)
    ///     }
    /// }
    ///
    /// #[kernel]
    /// fn sums<T: DeviceCopy + Add<Output = T>>(item: Item<1>, x: View<T>, y: ItemMut<T>) {
    ///     y[item] = x[item] + x[0];
    /// }
    ///
    /// let queue = Queue::new(&Device::from_env()?)?;
    /// let (x, y) = (Buffer::from_vec(vec![0.25, 0.75]), Buffer::new(2));
    /// queue.submit(|h| h.parallel_for(2, sums::<f32>(x.read(h), y.write(h))))?;
    /// assert_eq!(*y.host_read()?, [0.5, 1.0]);
    /// # let _ = Turns(0.0) + Turns(0.0);
    /// # Ok::<(), syclone::Error>(())
    /// ```
    /// ```compile_fail,E0080
    /// use syclone::prelude::*;
    /// use std::ops::Add;
    ///
    /// #[derive(Clone, Copy, DeviceCopy)]
    /// struct Turns(f32);
    ///
    /// impl Add for Turns {
    ///     type Output = Turns;
    ///
    ///     fn add(self, other: Turns) -> Turns {
    ///         Turns((self.0 + other.0) % 1.0)
    ///     }
    /// }
    ///
    /// #[kernel]
    /// fn sums<T: DeviceCopy + Add<Output = T>>(item: Item<1>, x: View<T>, y: ItemMut<T>) {
    ///     y[item] = x[item] + x[0];
    /// }
    ///
    /// let queue = Queue::new(&Device::from_env()?)?;
    /// let (x, y) = (Buffer::from_vec(vec![Turns(0.25), Turns(0.75)]), Buffer::new(2));
    /// queue.submit(|h| h.parallel_for(2, sums::<Turns>(x.read(h), y.write(h))))?;
    /// # Ok::<(), syclone::Error>(())
    /// ```
    #[inline(always)]
    pub fn number_of_instance<T: DeviceCopy>(value: T) -> T {
        const { assert!(T::HAS_OPERATORS, "{}", NO_OPERATORS) }
        value
    }

    /// [`number_of_instance`] of what is referred to.
    #[inline(always)]
    pub fn number_behind<T: DeviceCopy>(value: &T) -> &T {
        const { assert!(T::HAS_OPERATORS, "{}", NO_OPERATORS) }
        value
    }

    /// What rustc says of an instance whose operands are no numbers.
    const NO_OPERATORS: &str =
        "operators are for numbers and vectors: write a method in a `#[device_fn] impl`, such as `a.plus(b)`";

    /// Accepts a value that has operators.
    pub fn operand_of<T: Operand>(_: &T) {}

    /// Accepts what is captured and has operators.
    pub fn computed<T: Capture<Param: Operand>>(_: &T) {}

    /// Can be compared in a kernel.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be compared in a kernel",
        label = "comparisons are for values",
        note = "compare its elements"
    )]
    pub trait Comparand {}
    #[diagnostic::do_not_recommend]
    impl<T: DeviceCopy> Comparand for T {}

    /// Accepts what is captured and can be compared.
    pub fn compared<T: Capture<Param: Comparand>>(_: &T) {}
}

/// What may be passed for a parameter of each role: any [`KernelArg`](crate::kernel::KernelArg). As part of the argument's
/// own bound the check of the [`role`] costs no compile time of its own.
pub mod arg {
    use super::role;
    use crate::kernel::KernelArg;

    /// A value. It stands for its parameter, as [`View`] and the others do, because rustc has two errors for a type that
    /// it does not know where that stands once alone and once as another's parameter.
    pub type Value<P> = P;

    macro_rules! args {
        ($($name:ident $advice:literal)*) => {$(
            /// What may be passed for the parameter of this name.
            #[diagnostic::on_unimplemented(
                message = "`{Self}` cannot be passed for a kernel's `{P}`",
                label = "is nothing that becomes a `{P}`",
                note = $advice
            )]
            pub trait $name<P: role::$name>: KernelArg<P> {}
            #[diagnostic::do_not_recommend]
            impl<A: KernelArg<P>, P: role::$name> $name<P> for A {}
        )*};
    }
    args! {
        View "pass an access, `buffer.read(h)`, or `memory.view()` of USM memory, with elements and dimensions as the kernel has them"
        ItemMut "pass an access, `buffer.write(h)` or `buffer.read_write(h)`, or `memory.item_mut()` of USM memory, with elements and dimensions as the kernel has them"
        GroupMut "pass an access, `buffer.write(h)` or `buffer.read_write(h)`, or `memory.group_mut()` of USM memory, with elements and dimensions as the kernel has them"
        ScatterMut "pass an access, `buffer.scatter(h)`, or `memory.scatter_mut()` of USM memory, with elements and dimensions as the kernel has them"
        AtomicView "pass an access, `buffer.atomic(h)`, or `memory.atomic_view()` of USM memory, with elements and dimensions as the kernel has them"
        LocalAccessor "pass `LocalAccessor::new(extents)`, with as many dimensions as the kernel has"
        Reducer "pass `reduction(&buffer, h, Plus)`, with the operator that the kernel has"
        Spec "pass the value itself, of the type that the kernel has"
    }
}
