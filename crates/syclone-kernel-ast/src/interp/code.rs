//! The instructions that the interpreter runs.
//!
//! Operands are byte offsets in the running function's frame ([`At`]); values lie there as they lie in memory. An
//! *address* is a 64-bit number that says which memory it is in and where (see `machine::memory`); zero is the address of an
//! element that does not exist: reads there give zero and writes are dropped.

use super::local::LocalLayout;
use crate::tree::{BinaryOp, Span};
use crate::types::{Comparison, IntKind, Op, Type};

/// Byte offset in the frame.
pub(super) type At = u32;
/// Index of a type in [`Code::types`].
pub(super) type TypeAt = u32;
/// Index of a name in [`Code::names`].
pub(super) type NameAt = u32;
/// Position of an instruction.
pub(super) type Target = u32;

/// The types that arithmetic instructions work on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    Bool,
    Int(IntKind),
    F16,
    Bf16,
    F32,
    F64,
}

impl Scalar {
    /// The scalar of a type; an enum's is the integer that holds it.
    pub(super) fn of(ty: &Type) -> Option<Scalar> {
        Some(match ty {
            Type::Bool => Scalar::Bool,
            Type::Int(kind) => Scalar::Int(*kind),
            Type::Enum(ty) => Scalar::Int(ty.repr),
            Type::F16 => Scalar::F16,
            Type::Bf16 => Scalar::Bf16,
            Type::F32 => Scalar::F32,
            Type::F64 => Scalar::F64,
            _ => return None,
        })
    }

    /// Bytes.
    pub(super) fn size(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::Int(kind) => kind.bits() / 8,
            Scalar::F16 | Scalar::Bf16 => 2,
            Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }
}

/// An operand of a lane-wise instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    /// The first lane, or the scalar that stands for all.
    pub(super) at: At,
    /// Its scalar type.
    pub(super) scalar: Scalar,
    /// Whether there is a lane for each, or one scalar for all.
    pub(super) vector: bool,
}

/// What a view is indexed by.
#[derive(Clone, Copy, Debug)]
pub(super) enum Coordinates {
    /// That many `usize`s, one after another.
    Numbers(At, u8),
    /// The item's global id.
    Item,
    /// The group's id.
    Group,
}

/// What an item can ask about itself; with a dimension counted from the first of `dims`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Query {
    GlobalId,
    LocalId,
    GroupId,
    GlobalRange,
    LocalRange,
    GroupRange,
    GlobalLinear,
    LocalLinear,
    GroupLinear,
    GroupSize,
    SubGroupId,
    SubGroupLocalId,
    SubGroupSize,
    SubGroupMaxSize,
    SubGroupCount,
}

/// Atomic operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AtomicOp {
    Load,
    Store,
    Exchange,
    CompareExchange,
    Sub,
    Fetch(Op),
}

/// Operations that a group or sub-group does together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Together {
    Barrier,
    Reduce(Op),
    Inclusive(Op),
    Exclusive(Op),
    /// With an initial value as the second operand.
    InclusiveFrom(Op),
    /// With an initial value as the second operand.
    ExclusiveFrom(Op),
    /// From the one item that the first item's second operand names; zero for all if there is none.
    Broadcast,
    /// From the lane that the second operand, which should be the same for all, names.
    BroadcastLane,
    /// From the lane that the second operand names.
    Select,
    /// From the lane so much higher.
    Down,
    /// From the lane so much lower.
    Up,
    /// From the lane whose position differs in these bits.
    Xor,
    Any,
    All,
    None,
    Ballot,
    /// Over a span.
    JointReduce(Op),
    /// From the span that is the first operand to the second.
    JointInclusive(Op),
    /// From the span that is the first operand to the second.
    JointExclusive(Op),
    JointAny,
    JointAll,
    JointNone,
}

impl Together {
    /// What the second operand is, if it has to be the same for all members.
    pub(super) fn shared_argument(self) -> Option<&'static str> {
        Some(match self {
            Together::InclusiveFrom(_) | Together::ExclusiveFrom(_) => "initial value",
            Together::Broadcast | Together::BroadcastLane => "source's id",
            Together::Down | Together::Up => "delta",
            Together::Xor => "mask",
            _ => return None,
        })
    }
}

/// One instruction. The result goes to `to`.
#[derive(Clone, Debug)]
pub(super) enum Instr {
    /// Moves bytes in the frame.
    Copy { to: At, from: At, len: u32 },
    /// The lowest `len` bytes of `bits`.
    Number { to: At, bits: u64, len: u8 },
    /// Bytes of [`Code::bytes`].
    Bytes { to: At, start: u32, len: u32 },
    /// An arithmetic, bit or shift operator on scalars of one type.
    Binary { op: BinaryOp, scalar: Scalar, to: At, left: At, right: At },
    /// The same on vectors, or on a shift's operands of different types.
    LaneBinary { op: BinaryOp, lanes: u8, to: At, left: Lanes, right: Lanes },
    /// `-` or, if `not`, `!`.
    Unary { not: bool, scalar: Scalar, lanes: u8, to: At, from: At },
    /// A comparison of scalars.
    Compare { op: BinaryOp, scalar: Scalar, to: At, left: At, right: At },
    /// A comparison of scalars lane by lane.
    LaneCompare { op: BinaryOp, lanes: u8, to: At, left: Lanes, right: Lanes },
    /// A comparison of values with parts.
    CompareValue { op: BinaryOp, ty: TypeAt, to: At, left: At, right: At },
    /// Sees to it that the comparison of two values is the one field by field.
    CheckComparison { op: BinaryOp, ty: TypeAt, left: At, right: At },
    /// Sees to it that the program's own comparison of two values has the result that was computed.
    CheckCompared { op: BinaryOp, ty: TypeAt, result: At, left: At, right: At },
    /// `as`, lane by lane; the target's type is `ty`.
    Cast { lanes: u8, to: At, ty: TypeAt, from: At, from_ty: TypeAt },
    /// Goes on elsewhere.
    Jump { target: Target },
    /// Goes on elsewhere if the bool is false.
    JumpUnless { condition: At, target: Target },
    /// Goes on elsewhere if the bool is true.
    JumpIf { condition: At, target: Target },
    /// Reads from an address plus an offset.
    Load { to: At, address: At, offset: u32, len: u32 },
    /// Writes to an address plus an offset.
    Store { address: At, offset: u32, from: At, len: u32 },
    /// The address of a place in the frame.
    FrameAddress { to: At, place: At },
    /// An address plus an offset; of nothing if the base is.
    AddOffset { to: At, address: At, offset: u32 },
    /// The address of an element of an array.
    Element { to: At, address: At, offset: u32, index: At, count: u64, stride: u32, name: NameAt },
    /// The address of an element that a handle gives access to.
    HandleElement { to: At, handle: At, coordinates: Coordinates },
    /// The address of an element of a span.
    SpanElement { to: At, span: At, index: At, stride: u32, name: NameAt },
    /// The address of a `local::<T>()`.
    LocalAddress { to: At, offset: u32 },
    /// A span of all elements of a handle.
    HandleSpan { to: At, handle: At },
    /// A span of an array at an address.
    ArraySpan { to: At, address: At, count: u64 },
    /// A part of a span.
    PartOfSpan { to: At, span: At, start: At, len: At, stride: u32, name: NameAt },
    /// The extent of a handle in a dimension; `dims` tells which of three is the first.
    Extent { to: At, handle: At, dim: At, dims: u8 },
    /// The number of elements of a handle.
    Len { to: At, handle: At },
    /// Adjacent elements as a vector.
    LoadVector { to: At, handle: At, index: At, lanes: u8, stride: u32 },
    /// A vector to adjacent elements.
    StoreVector { from: At, handle: At, index: At, lanes: u8, stride: u32 },
    /// The item's own place in the launch.
    Ask { query: Query, to: At, dim: At, dims: u8 },
    /// A method of the primitive types, on scalars or lane by lane.
    Math { name: NameAt, to: At, args: Box<[(At, TypeAt)]>, lanes: u8 },
    /// A function that is lent.
    Lent { name: NameAt, to: At, args: Box<[(At, TypeAt)]>, ty: TypeAt },
    /// An atomic operation on an address.
    Atomic { op: AtomicOp, ty: TypeAt, to: At, address: At, args: [At; 2] },
    /// The address of an atomic with another order, or another scope, of its operations.
    Ordered { to: At, address: At, value: At, is_scope: bool },
    /// A fence; the operands are an order and a scope.
    Fence { order: At, scope: At },
    /// Adds to a reduction.
    Combine { handle: At, from: At },
    /// Calls a function: arguments go from the caller's frame to the callee's.
    Call { function: u32, args: Box<[(At, At, u32)]>, to: At },
    /// Ends a call; the value is here.
    Return { from: At, len: u32 },
    /// Begins a `for`: its state is three 128-bit numbers (next value, step, values left).
    Range { state: At, start: At, end: At, kind: IntKind, inclusive: bool },
    /// `.rev()`
    RangeRev { state: At },
    /// `.step_by(step)`
    RangeStep { state: At, step: At },
    /// The next value, or on to `done`.
    RangeNext { state: At, to: At, kind: IntKind, done: Target },
    /// Waits for the group, or the sub-group, and does this together.
    Together { what: Together, sub_group: bool, ty: TypeAt, to: At, args: [At; 2] },
    /// Sends the host a text: a template and its arguments. If it `fails`, that ends the launch.
    Message { template: NameAt, args: Box<[(At, TypeAt)]>, fails: bool },
    /// Control cannot come here.
    Unreachable,
}

/// One function's instructions.
#[derive(Debug, Default)]
pub(super) struct FunctionCode {
    pub(super) instrs: Vec<Instr>,
    /// The source place of each.
    pub(super) spans: Vec<Span>,
    /// The first one's [`Site`](super::Site).
    pub(super) first_site: u32,
    /// The function's name and the file that it is written in.
    pub(super) name: String,
    pub(super) file: String,
    /// Where each parameter is in the frame, and its type.
    pub(super) params: Vec<(At, Type)>,
    /// Bytes of the frame.
    pub(super) frame: u32,
    /// Positions of the functions that it calls.
    pub(super) calls: Vec<u32>,
}

/// A compiled program.
#[derive(Debug, Default)]
pub(super) struct Code {
    /// The kernel first.
    pub(super) functions: Vec<FunctionCode>,
    pub(super) types: Vec<Type>,
    /// How values are compared whose types do not know it themselves.
    pub(super) comparisons: Vec<(Type, Comparison)>,
    pub(super) names: Vec<String>,
    pub(super) bytes: Vec<u8>,
    /// Static local memory.
    pub(super) local: LocalLayout,
    /// What kind of launch it takes.
    pub(super) kind: Option<crate::tree::FunctionKind>,
    /// Names of the kernel's parameters.
    pub(super) param_names: Vec<String>,
}

impl Code {
    /// How the program compares values of a struct or an enum.
    pub(super) fn comparison(&self, ty: &Type) -> Comparison {
        Comparison::of(ty, &self.comparisons)
    }
}
