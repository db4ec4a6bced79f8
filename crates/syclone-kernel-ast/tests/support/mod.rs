//! What the tests of the tree share: kernels written as text, parsed and bound, and launches over host memory.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod lexer;
pub mod parser;

use std::sync::Arc;

use syclone_kernel_ast::bound::{BoundFunction, BoundMethod, ConstValue};
use syclone_kernel_ast::builtins::NoBuiltins;
use syclone_kernel_ast::interp::{self, Arg, Fault, Global, Launch, Slot};
use syclone_kernel_ast::types::{BindFn, IntKind, Op, Type};
use syclone_kernel_ast::value::Value;

/// The names that a kernel's text may use besides the language's own.
#[derive(Clone, Default)]
pub struct Names {
    pub types: Vec<(&'static str, Type)>,
    pub consts: Vec<(&'static str, ConstValue)>,
    pub callees: Vec<(&'static str, BindFn)>,
    pub methods: Vec<BoundMethod>,
}

/// A function from its text.
pub fn bind(text: &str) -> Arc<BoundFunction> {
    bind_with(text, &Names::default())
}

/// A function from its text and the meanings of its names.
pub fn bind_with(text: &str, names: &Names) -> Arc<BoundFunction> {
    Arc::new(parser::parse(text, names))
}

/// Types that have a [`Value`] form in tests.
pub trait Data: Copy {
    fn ty() -> Type;
    fn value(self) -> Value;
}

macro_rules! data {
    ($($rust:ty: $ty:expr, $value:expr;)*) => { $(impl Data for $rust {
        fn ty() -> Type {
            $ty
        }
        fn value(self) -> Value {
            let value: fn($rust) -> Value = $value;
            value(self)
        }
    })* };
}
data! {
    i8: Type::Int(IntKind::I8), |x| Value::Int(IntKind::I8, x.into());
    i16: Type::Int(IntKind::I16), |x| Value::Int(IntKind::I16, x.into());
    i32: Type::Int(IntKind::I32), |x| Value::Int(IntKind::I32, x.into());
    i64: Type::Int(IntKind::I64), |x| Value::Int(IntKind::I64, x.into());
    u8: Type::Int(IntKind::U8), |x| Value::Int(IntKind::U8, x.into());
    u16: Type::Int(IntKind::U16), |x| Value::Int(IntKind::U16, x.into());
    u32: Type::Int(IntKind::U32), |x| Value::Int(IntKind::U32, x.into());
    u64: Type::Int(IntKind::U64), |x| Value::Int(IntKind::U64, x.into());
    usize: Type::Int(IntKind::Usize), |x| Value::Int(IntKind::Usize, x as i128);
    f32: Type::F32, Value::F32;
    f64: Type::F64, Value::F64;
    bool: Type::Bool, Value::Bool;
}

/// An argument over a row of host memory.
pub fn row<T: Data>(data: &mut [T]) -> Arg {
    let extents = [1, 1, data.len()];
    Arg::Global(Global { ptr: data.as_mut_ptr().cast(), extents, pitch: data.len(), elem: T::ty() })
}

/// An argument over the bytes of a row of a type's values.
pub fn bytes_row(elem: &Type, bytes: &mut [u8]) -> Arg {
    let len = bytes.len() / elem.size();
    Arg::Global(Global { ptr: bytes.as_mut_ptr(), extents: [1, 1, len], pitch: len, elem: elem.clone() })
}

/// An argument over a table of host memory.
pub fn table<T: Data>(data: &mut [T], rows: usize, columns: usize) -> Arg {
    assert_eq!(data.len(), rows * columns);
    Arg::Global(Global { ptr: data.as_mut_ptr().cast(), extents: [1, rows, columns], pitch: columns, elem: T::ty() })
}

/// A plain value as an argument.
pub fn plain<T: Data>(value: T) -> Arg {
    Arg::Value(value.value())
}

/// Local memory as an argument.
pub fn local<T: Data>(len: usize) -> Arg {
    Arg::LocalAccessor { extents: [1, 1, len], elem: T::ty() }
}

/// A reduction as an argument.
pub fn reducer<T: Data>(op: Op, value: &mut T) -> Arg {
    Arg::Reducer { op, ty: T::ty(), slot: Slot(std::ptr::from_mut(value).cast()) }
}

/// A launch in one dimension, with sub-groups of 4 and overflow checked.
pub fn launch(function: &Arc<BoundFunction>, global: usize, local: usize, args: Vec<Arg>) -> Launch {
    Launch {
        function: function.clone(),
        args,
        global: [1, 1, global],
        local: [1, 1, local],
        sub_group_size: 4,
        overflow_checks: true,
    }
}

/// Runs a launch whose arguments point to memory that the test holds.
pub fn run(launch: &Launch) -> Result<(), Fault> {
    // SAFETY: the helpers above make arguments from `&mut` slices that live in the calling test, with their own extents
    // and types.
    unsafe { interp::run(launch, &NoBuiltins) }
}

/// Runs a text in one dimension.
pub fn run_text(text: &str, global: usize, local: usize, args: Vec<Arg>) -> Result<(), Fault> {
    run(&launch(&bind(text), global, local, args))
}
