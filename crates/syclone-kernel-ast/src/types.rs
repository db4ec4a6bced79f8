//! The types of kernels at run time, with the memory layout that rustc gives them.
//!
//! A [`Type`] describes what a kernel's body can mention: scalars, vectors, arrays, device structs and enums, and the
//! handles that kernels receive (items, views, local memory, …). Values in memory are laid out as Rust lays them out,
//! because kernels run on real host memory; handles have no layout that users could see.

pub(crate) mod comparison;

use std::fmt;
use std::sync::Arc;

pub use comparison::{Comparison, DeviceComparison};

use crate::bound::BoundFunction;

/// A function that gives a bound device function; macro output names it, one for every concrete instance.
pub type BindFn = fn() -> Arc<BoundFunction>;

/// The integer types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum IntKind {
    I8,
    I16,
    I32,
    I64,
    Isize,
    U8,
    U16,
    U32,
    U64,
    Usize,
}

impl IntKind {
    /// All integer types.
    pub const ALL: [IntKind; 10] = [
        IntKind::I8,
        IntKind::I16,
        IntKind::I32,
        IntKind::I64,
        IntKind::Isize,
        IntKind::U8,
        IntKind::U16,
        IntKind::U32,
        IntKind::U64,
        IntKind::Usize,
    ];

    /// Number of bits; kernels run where `usize` has 64.
    pub fn bits(self) -> u32 {
        match self {
            IntKind::I8 | IntKind::U8 => 8,
            IntKind::I16 | IntKind::U16 => 16,
            IntKind::I32 | IntKind::U32 => 32,
            IntKind::I64 | IntKind::U64 | IntKind::Isize | IntKind::Usize => 64,
        }
    }

    /// Number of bytes.
    pub fn bytes(self) -> usize {
        self.bits() as usize / 8
    }

    /// Whether it holds negative numbers.
    pub fn signed(self) -> bool {
        matches!(self, IntKind::I8 | IntKind::I16 | IntKind::I32 | IntKind::I64 | IntKind::Isize)
    }

    /// Rust's name of the type.
    pub fn name(self) -> &'static str {
        ["i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize"][self as usize]
    }

    /// The type with this name.
    pub fn from_name(name: &str) -> Option<IntKind> {
        IntKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Smallest value.
    pub fn min_value(self) -> i128 {
        if self.signed() { -(1i128 << (self.bits() - 1)) } else { 0 }
    }

    /// Largest value.
    pub fn max_value(self) -> i128 {
        if self.signed() { (1i128 << (self.bits() - 1)) - 1 } else { (1i128 << self.bits()) - 1 }
    }

    /// The value modulo two to the number of bits, as a value of the type.
    pub fn wrap(self, value: i128) -> i128 {
        let shift = 128 - self.bits();
        if self.signed() { (value << shift) >> shift } else { ((value as u128) << shift >> shift) as i128 }
    }
}

/// The operators of reductions, scans and the like: the zero-sized values that SYCL 2020 names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Op {
    Plus,
    Multiplies,
    Minimum,
    Maximum,
    BitAnd,
    BitOr,
    BitXor,
    LogicalAnd,
    LogicalOr,
}

impl Op {
    /// All operators.
    pub const ALL: [Op; 9] = [
        Op::Plus,
        Op::Multiplies,
        Op::Minimum,
        Op::Maximum,
        Op::BitAnd,
        Op::BitOr,
        Op::BitXor,
        Op::LogicalAnd,
        Op::LogicalOr,
    ];

    /// The operator's name, as kernels write it.
    pub fn name(self) -> &'static str {
        ["Plus", "Multiplies", "Minimum", "Maximum", "BitAnd", "BitOr", "BitXor", "LogicalAnd", "LogicalOr"]
            [self as usize]
    }

    /// The operator with this name.
    pub fn from_name(name: &str) -> Option<Op> {
        Op::ALL.into_iter().find(|op| op.name() == name)
    }
}

/// The memory order of an atomic operation or a fence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    /// All orders.
    pub const ALL: [Order; 5] = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
}

/// How far an atomic operation or a fence is ordered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Scope {
    WorkItem,
    SubGroup,
    WorkGroup,
    Device,
    System,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Scope; 5] = [Scope::WorkItem, Scope::SubGroup, Scope::WorkGroup, Scope::Device, Scope::System];
}

/// A field of a [`StructType`].
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Its name; the position of a tuple struct's field.
    pub name: &'static str,
    /// Its type.
    pub ty: Type,
    /// Byte offset in the struct.
    pub offset: usize,
}

/// A struct that derives `DeviceCopy`.
#[derive(Clone, Debug)]
pub struct StructType {
    /// Its name.
    pub name: &'static str,
    /// Its path with its arguments, by which instances of one struct differ whose fields are the same.
    pub path: &'static str,
    /// Bytes, padding included.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// Fields in order of declaration.
    pub fields: Vec<Field>,
    /// Whether it is a tuple struct.
    pub tuple: bool,
    /// Methods that kernels may call.
    pub methods: Vec<(&'static str, BindFn)>,
    /// How its values are compared, unless only an instance of a generic struct knows.
    pub comparison: Comparison,
}

impl StructType {
    /// Position of a field.
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }
}

impl PartialEq for StructType {
    /// Methods do not count: they are the same wherever the path and the fields are.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
            || (self.path == other.path
                && self.size == other.size
                && self.align == other.align
                && self.fields == other.fields)
    }
}

/// An enum without data that derives `DeviceCopy`.
#[derive(Clone, Debug)]
pub struct EnumType {
    /// Its name.
    pub name: &'static str,
    /// Its path with its arguments, by which enums of one name differ.
    pub path: &'static str,
    /// The integer that holds it in memory.
    pub repr: IntKind,
    /// Variants and their discriminants, in order of declaration.
    pub variants: Vec<(&'static str, i128)>,
    /// Methods that kernels may call.
    pub methods: Vec<(&'static str, BindFn)>,
    /// How its values are compared.
    pub comparison: Comparison,
}

impl PartialEq for EnumType {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
            || (self.path == other.path && self.repr == other.repr && self.variants == other.variants)
    }
}

/// A type in a kernel.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    /// `()`
    Unit,
    /// `!`
    Never,
    /// `bool`
    Bool,
    /// An integer.
    Int(IntKind),
    /// `f16`
    F16,
    /// `bf16`
    Bf16,
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `Vector<T, N>`
    Vector(Box<Type>, u8),
    /// `[T; N]`
    Array(Box<Type>, usize),
    /// A tuple of at least one part.
    Tuple(Vec<Type>),
    /// A device struct.
    Struct(Arc<StructType>),
    /// A device enum.
    Enum(Arc<EnumType>),
    /// `&T`, or `&mut T` if true.
    Ref(Box<Type>, bool),
    /// `Item<D>`
    Item(u8),
    /// `NdItem<D>`
    NdItem(u8),
    /// `Group<D>`
    Group(u8),
    /// `SubGroup`
    SubGroup,
    /// `View<T, D>`
    View(Box<Type>, u8),
    /// `ItemMut<T, D>`
    ItemMut(Box<Type>, u8),
    /// `GroupMut<T, D>`
    GroupMut(Box<Type>, u8),
    /// `ScatterMut<T, D>`
    ScatterMut(Box<Type>, u8),
    /// `AtomicView<T, D>`
    AtomicView(Box<Type>, u8),
    /// What `atomic(i)` gives.
    AtomicRef(Box<Type>),
    /// `Local<T>`
    Local(Box<Type>),
    /// `LocalAccessor<T, D>`
    LocalAccessor(Box<Type>, u8),
    /// `Span<T>`: a run of elements of a view or of local memory.
    Span(Box<Type>),
    /// `Reducer<T, Op>`
    Reducer(Box<Type>, Op),
    /// `Spec<T>`
    Spec(Box<Type>),
    /// The type of an operator's value.
    Op(Op),
    /// `Order`
    Order,
    /// `Scope`
    Scope,
    /// Left to inference: `_`.
    Infer,
    /// A variable of inference; never seen outside of it.
    #[doc(hidden)]
    Var(u32),
}

impl Type {
    /// `usize`
    pub const USIZE: Type = Type::Int(IntKind::Usize);
    /// `i32`
    pub const I32: Type = Type::Int(IntKind::I32);
    /// `u32`
    pub const U32: Type = Type::Int(IntKind::U32);

    /// The primitive type or half-precision float with this name.
    pub fn from_name(name: &str) -> Option<Type> {
        Some(match name {
            "bool" => Type::Bool,
            "f16" => Type::F16,
            "bf16" => Type::Bf16,
            "f32" => Type::F32,
            "f64" => Type::F64,
            _ => Type::Int(IntKind::from_name(name)?),
        })
    }

    /// Whether it, or a type that it is made of, passes the test.
    pub fn any(&self, test: &dyn Fn(&Type) -> bool) -> bool {
        test(self)
            || match self {
                Type::Vector(elem, _)
                | Type::Array(elem, _)
                | Type::Ref(elem, _)
                | Type::View(elem, _)
                | Type::ItemMut(elem, _)
                | Type::GroupMut(elem, _)
                | Type::ScatterMut(elem, _)
                | Type::AtomicView(elem, _)
                | Type::AtomicRef(elem)
                | Type::Local(elem)
                | Type::LocalAccessor(elem, _)
                | Type::Span(elem)
                | Type::Reducer(elem, _)
                | Type::Spec(elem) => elem.any(test),
                Type::Tuple(parts) => parts.iter().any(|part| part.any(test)),
                Type::Struct(ty) => ty.fields.iter().any(|field| field.ty.any(test)),
                _ => false,
            }
    }

    /// Whether it is an integer.
    pub fn is_int(&self) -> bool {
        matches!(self, Type::Int(_))
    }

    /// Whether it is a float of any width.
    pub fn is_float(&self) -> bool {
        matches!(self, Type::F16 | Type::Bf16 | Type::F32 | Type::F64)
    }

    /// Whether it is `bool`, an integer or a float.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Type::Bool) || self.is_int() || self.is_float()
    }

    /// Whether values of it lie in memory as Rust's own do, so that it can be an element of a buffer.
    pub fn is_data(&self) -> bool {
        match self {
            Type::Vector(elem, _) | Type::Array(elem, _) => elem.is_data(),
            Type::Tuple(parts) => parts.iter().all(Type::is_data),
            Type::Unit | Type::Struct(_) | Type::Enum(_) => true,
            _ => self.is_scalar(),
        }
    }

    /// How many dimensions a handle to memory has.
    pub fn dims(&self) -> Option<u8> {
        match self {
            Type::View(_, dims)
            | Type::ItemMut(_, dims)
            | Type::GroupMut(_, dims)
            | Type::ScatterMut(_, dims)
            | Type::AtomicView(_, dims)
            | Type::LocalAccessor(_, dims) => Some(*dims),
            _ => None,
        }
    }

    /// Bytes of a value. Handles are one machine word, tokens (items, groups, operators) nothing.
    ///
    /// A size that does not fit `usize` is `usize::MAX`: rustc has refused such a type before.
    pub fn size(&self) -> usize {
        match self {
            Type::Unit | Type::Never | Type::Infer | Type::Var(_) => 0,
            Type::Bool => 1,
            Type::Int(kind) => kind.bytes(),
            Type::F16 | Type::Bf16 => 2,
            Type::F32 => 4,
            Type::F64 => 8,
            Type::Vector(elem, lanes) => elem.size().saturating_mul(usize::from(*lanes)),
            Type::Array(elem, len) => elem.size().saturating_mul(*len),
            Type::Tuple(parts) => tuple_layout(parts).1,
            Type::Struct(ty) => ty.size,
            Type::Enum(ty) => ty.repr.bytes(),
            Type::Item(_) | Type::NdItem(_) | Type::Group(_) | Type::SubGroup | Type::Op(_) => 0,
            Type::Order | Type::Scope => 1,
            Type::Spec(ty) => ty.size(),
            Type::Span(_) => 16,
            Type::Ref(..)
            | Type::View(..)
            | Type::ItemMut(..)
            | Type::GroupMut(..)
            | Type::ScatterMut(..)
            | Type::AtomicView(..)
            | Type::AtomicRef(_)
            | Type::Local(_)
            | Type::LocalAccessor(..)
            | Type::Reducer(..) => 8,
        }
    }

    /// Alignment in bytes.
    pub fn align(&self) -> usize {
        match self {
            Type::Vector(elem, _) | Type::Array(elem, _) | Type::Spec(elem) => elem.align(),
            Type::Tuple(parts) => parts.iter().map(Type::align).max().unwrap_or(1),
            Type::Struct(ty) => ty.align.max(1),
            Type::Span(_) => 8,
            _ => self.size().max(1),
        }
    }

    /// Bytes of the smallest number in a value: every access to a part of one begins at a multiple of it and is a multiple
    /// of it long.
    pub fn grain(&self) -> usize {
        let least = |parts: &mut dyn Iterator<Item = &Type>| {
            parts.filter(|part| part.size() > 0).map(Type::grain).min().unwrap_or(1)
        };
        match self {
            Type::Vector(elem, _) | Type::Array(elem, _) | Type::Spec(elem) => elem.grain(),
            Type::Tuple(parts) => least(&mut parts.iter()),
            Type::Struct(ty) => least(&mut ty.fields.iter().map(|field| &field.ty)),
            _ => self.size().clamp(1, 8),
        }
    }

    /// Byte offset of a tuple's part.
    pub fn tuple_offset(parts: &[Type], position: usize) -> usize {
        tuple_layout(parts).0.get(position).copied().unwrap_or(0)
    }
}

/// Offsets and size of a tuple, its parts in order; tuples never lie in memory that the host sees.
fn tuple_layout(parts: &[Type]) -> (Vec<usize>, usize) {
    let mut end = 0usize;
    let mut align = 1;
    let mut offsets = Vec::with_capacity(parts.len());
    for part in parts {
        let part_align = part.align();
        align = align.max(part_align);
        end = end.next_multiple_of(part_align);
        offsets.push(end);
        end = end.saturating_add(part.size());
    }
    (offsets, end.checked_next_multiple_of(align).unwrap_or(usize::MAX))
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Unit => write!(f, "()"),
            Type::Never => write!(f, "!"),
            Type::Bool => write!(f, "bool"),
            Type::Int(kind) => write!(f, "{}", kind.name()),
            Type::F16 => write!(f, "f16"),
            Type::Bf16 => write!(f, "bf16"),
            Type::F32 => write!(f, "f32"),
            Type::F64 => write!(f, "f64"),
            Type::Vector(elem, lanes) => write!(f, "Vector<{elem}, {lanes}>"),
            Type::Array(elem, len) => write!(f, "[{elem}; {len}]"),
            Type::Tuple(parts) => {
                write!(f, "(")?;
                for (position, part) in parts.iter().enumerate() {
                    let comma = if position > 0 { ", " } else { "" };
                    write!(f, "{comma}{part}")?;
                }
                write!(f, "{})", if parts.len() == 1 { "," } else { "" })
            }
            Type::Struct(ty) => write!(f, "{}", ty.name),
            Type::Enum(ty) => write!(f, "{}", ty.name),
            Type::Ref(ty, mutable) => write!(f, "&{}{ty}", if *mutable { "mut " } else { "" }),
            Type::Item(dims) => write!(f, "Item<{dims}>"),
            Type::NdItem(dims) => write!(f, "NdItem<{dims}>"),
            Type::Group(dims) => write!(f, "Group<{dims}>"),
            Type::SubGroup => write!(f, "SubGroup"),
            Type::View(elem, dims) => write!(f, "View<{elem}, {dims}>"),
            Type::ItemMut(elem, dims) => write!(f, "ItemMut<{elem}, {dims}>"),
            Type::GroupMut(elem, dims) => write!(f, "GroupMut<{elem}, {dims}>"),
            Type::ScatterMut(elem, dims) => write!(f, "ScatterMut<{elem}, {dims}>"),
            Type::AtomicView(elem, dims) => write!(f, "AtomicView<{elem}, {dims}>"),
            Type::AtomicRef(elem) => write!(f, "AtomicRef<{elem}>"),
            Type::Local(ty) => write!(f, "Local<{ty}>"),
            Type::LocalAccessor(elem, dims) => write!(f, "LocalAccessor<{elem}, {dims}>"),
            Type::Span(elem) => write!(f, "Span<{elem}>"),
            Type::Reducer(ty, op) => write!(f, "Reducer<{ty}, {}>", op.name()),
            Type::Spec(ty) => write!(f, "Spec<{ty}>"),
            Type::Op(op) => write!(f, "{}", op.name()),
            Type::Order => write!(f, "Order"),
            Type::Scope => write!(f, "Scope"),
            Type::Infer | Type::Var(_) => write!(f, "_"),
        }
    }
}
