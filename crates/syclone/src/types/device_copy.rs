//! What may cross between the host and a kernel.
//!
//! [`DeviceCopy`] is plain data with one layout everywhere; [`DeviceConst`] is anything that may be a constant of a
//! kernel, the operator tokens included. Tuples are neither: their layout is Rust's own business, so kernels have
//! them only as local values.

use syclone_kernel_ast::bound::ConstValue;
use syclone_kernel_ast::types::{IntKind, Op, Order as TreeOrder, Scope as TreeScope, Type};
use syclone_kernel_ast::value::Value;

use super::half::{bf16, f16};
use super::order::{Order, Scope};
use super::scalar::VectorElement;
use super::vector::{Lanes, Vector};

/// Plain data that kernels take by value and buffers hold.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel or lie in device memory",
    label = "is not `DeviceCopy`",
    note = "write `#[derive(Clone, Copy, DeviceCopy)]` on a struct or enum, take such a struct instead of a tuple, and write the \
            bound `T: DeviceCopy`, or `T: Scalar` for numbers, on a generic parameter"
)]
///
/// Implemented for numbers, `bool`, arrays, [`Vector`]s, and by `#[derive(DeviceCopy)]` for structs of such and
/// for enums without data.
///
/// ```
/// use syclone::types::DeviceCopy;
/// assert_eq!(<[f32; 3]>::device_type().to_string(), "[f32; 3]");
/// assert_eq!(<[f32; 3]>::zeroed(), [0.0; 3]);
/// ```
///
/// # Safety
/// [`device_type`](DeviceCopy::device_type) describes the size, the alignment and every field of `Self` exactly:
/// other code reads and writes values of `Self` through that description. Bytes outside of the fields are never
/// read. Code that makes a value from bytes checks `bool` and enums first, as not every byte is one of theirs.
pub unsafe trait DeviceCopy: Copy + Send + Sync + 'static {
    /// Whether kernels compute with values by operators: numbers, `bool` and vectors.
    #[doc(hidden)]
    const HAS_OPERATORS: bool = false;

    /// Whether the type is the language's or the library's own: one with operators, or an array.
    #[doc(hidden)]
    const IS_OF_THE_LANGUAGE: bool = Self::HAS_OPERATORS;

    /// The type as the kernel tree knows it.
    fn device_type() -> Type;

    /// Zero: all numbers zero, `false`, and the first variant of enums.
    fn zeroed() -> Self;

    /// The value as the kernel tree knows it.
    fn to_value(&self) -> Value;
}

/// A value that may be a constant of a kernel: a `const`, a const generic, an operator token, an order, a scope.
pub trait DeviceConst {
    /// The constant as the kernel tree knows it.
    fn device_const(&self) -> ConstValue;
}

impl<T: DeviceCopy> DeviceConst for T {
    fn device_const(&self) -> ConstValue {
        // The type comes from `T`: a value need not know all of it, such as an empty array's.
        ConstValue { ty: T::device_type(), value: self.to_value() }
    }
}

/// A token of the tree as a constant.
pub(super) fn op_const(op: Op) -> ConstValue {
    ConstValue::from(Value::Op(op))
}

impl DeviceConst for Order {
    fn device_const(&self) -> ConstValue {
        ConstValue::from(Value::Order(match self {
            Order::Relaxed => TreeOrder::Relaxed,
            Order::Acquire => TreeOrder::Acquire,
            Order::Release => TreeOrder::Release,
            Order::AcqRel => TreeOrder::AcqRel,
            Order::SeqCst => TreeOrder::SeqCst,
        }))
    }
}

impl DeviceConst for Scope {
    fn device_const(&self) -> ConstValue {
        ConstValue::from(Value::Scope(match self {
            Scope::WorkItem => TreeScope::WorkItem,
            Scope::SubGroup => TreeScope::SubGroup,
            Scope::WorkGroup => TreeScope::WorkGroup,
            Scope::Device => TreeScope::Device,
            Scope::System => TreeScope::System,
        }))
    }
}

/// [`DeviceCopy`] of a primitive.
macro_rules! primitive {
    ($($t:ty: $ty:expr, $zero:expr, |$x:ident| $value:expr;)*) => {$(
        // SAFETY: the tree's type of the same name has the primitive's size and alignment.
        unsafe impl DeviceCopy for $t {
            const HAS_OPERATORS: bool = true;

            #[inline]
            fn device_type() -> Type {
                $ty
            }
            #[inline(always)]
            fn zeroed() -> Self {
                $zero
            }
            fn to_value(&self) -> Value {
                let $x = *self;
                $value
            }
        }
    )*};
}

primitive! {
    bool: Type::Bool, false, |x| Value::Bool(x);
    i8: Type::Int(IntKind::I8), 0, |x| Value::Int(IntKind::I8, x.into());
    i16: Type::Int(IntKind::I16), 0, |x| Value::Int(IntKind::I16, x.into());
    i32: Type::Int(IntKind::I32), 0, |x| Value::Int(IntKind::I32, x.into());
    i64: Type::Int(IntKind::I64), 0, |x| Value::Int(IntKind::I64, x.into());
    isize: Type::Int(IntKind::Isize), 0, |x| Value::Int(IntKind::Isize, x as i128);
    u8: Type::Int(IntKind::U8), 0, |x| Value::Int(IntKind::U8, x.into());
    u16: Type::Int(IntKind::U16), 0, |x| Value::Int(IntKind::U16, x.into());
    u32: Type::Int(IntKind::U32), 0, |x| Value::Int(IntKind::U32, x.into());
    u64: Type::Int(IntKind::U64), 0, |x| Value::Int(IntKind::U64, x.into());
    usize: Type::Int(IntKind::Usize), 0, |x| Value::Int(IntKind::Usize, x as i128);
    f16: Type::F16, f16::ZERO, |x| Value::F16(x.to_bits());
    bf16: Type::Bf16, bf16::ZERO, |x| Value::Bf16(x.to_bits());
    f32: Type::F32, 0.0, |x| Value::F32(x);
    f64: Type::F64, 0.0, |x| Value::F64(x);
}

// SAFETY: an array is its elements one after another, as the tree's array type says.
unsafe impl<T: DeviceCopy, const N: usize> DeviceCopy for [T; N] {
    const IS_OF_THE_LANGUAGE: bool = true;

    fn device_type() -> Type {
        Type::Array(Box::new(T::device_type()), N)
    }
    #[inline(always)]
    fn zeroed() -> Self {
        [T::zeroed(); N]
    }
    fn to_value(&self) -> Value {
        Value::Array(T::device_type(), self.iter().map(T::to_value).collect())
    }
}

// SAFETY: a vector is `repr(C)` around the array of its lanes, as the tree's vector type says.
unsafe impl<T: VectorElement, const N: usize> DeviceCopy for Vector<T, N>
where
    [(); N]: Lanes,
{
    const HAS_OPERATORS: bool = true;

    fn device_type() -> Type {
        Type::Vector(Box::new(T::device_type()), N as u8)
    }
    #[inline(always)]
    fn zeroed() -> Self {
        Vector::new([T::zeroed(); N])
    }
    fn to_value(&self) -> Value {
        Value::Vector(self.to_array().iter().map(T::to_value).collect())
    }
}
