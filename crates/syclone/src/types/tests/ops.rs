//! The operator tokens.

use syclone_kernel_ast::types::{Op, Type};
use syclone_kernel_ast::value::Value;

use crate::types::ops::{
    BitAnd, BitOr, BitXor, LogicalAnd, LogicalOr, Maximum, Minimum, Multiplies, Plus, ReduceOp, ReduceToken,
};
use crate::types::{DeviceConst, DeviceCopy, Order, Scope, Vector, f16};

/// Checks that an identity changes none of the values.
fn check<T: DeviceCopy + PartialEq + std::fmt::Debug, O: ReduceOp<T>>(_: O, values: &[T]) {
    for &x in values {
        assert_eq!(O::apply(O::identity(), x), x, "{}", O::NAME);
        assert_eq!(O::apply(x, O::identity()), x, "{}", O::NAME);
    }
}

#[test]
fn identities_change_nothing() {
    let floats = [0.0f32, -1.5, f32::MAX, f32::MIN, f32::INFINITY, f32::NEG_INFINITY];
    check(Plus, &floats[..4]);
    check(Multiplies, &floats);
    check(Minimum, &floats);
    check(Maximum, &floats);
    let integers = [0i8, -1, 1, i8::MIN, i8::MAX];
    check(Plus, &integers);
    check(Multiplies, &integers);
    check(Minimum, &integers);
    check(Maximum, &integers);
    check(BitAnd, &integers);
    check(BitOr, &integers);
    check(BitXor, &integers);
    let flags = [true, false];
    check(BitAnd, &flags);
    check(BitXor, &flags);
    check(LogicalAnd, &flags);
    check(LogicalOr, &flags);
    check(Plus, &[f16::ONE, f16::NEG_ONE]);
    check(Maximum, &[Vector::new([1u64, 2, u64::MAX])]);
    check(LogicalOr, &[Vector::new([true, false])]);
}

#[test]
fn minimum_and_maximum_ignore_nan_and_vectors_combine_lane_by_lane() {
    assert_eq!(<Minimum as ReduceOp<f64>>::apply(f64::NAN, 2.0), 2.0);
    assert_eq!(<Maximum as ReduceOp<f64>>::apply(2.0, f64::NAN), 2.0);
    let (a, b) = (Vector::new([1, 5, -3, 0]), Vector::new([2, 4, -4, 0]));
    assert_eq!(<Maximum as ReduceOp<Vector<i32, 4>>>::apply(a, b), Vector::new([2, 5, -3, 0]));
    assert_eq!(<Plus as ReduceOp<Vector<i32, 4>>>::apply(a, b), Vector::new([3, 9, -7, 0]));
}

#[test]
fn tokens_are_constants_of_the_tree() {
    assert_eq!((Plus::OP, Plus::NAME, LogicalOr::NAME), (Op::Plus, "Plus", "LogicalOr"));
    let constant = BitXor.device_const();
    assert_eq!((constant.ty, constant.value), (Type::Op(Op::BitXor), Value::Op(Op::BitXor)));
    assert_eq!(Order::AcqRel.device_const().value, Value::Order(syclone_kernel_ast::types::Order::AcqRel));
    assert_eq!(Scope::System.device_const().value, Value::Scope(syclone_kernel_ast::types::Scope::System));
    assert_eq!(7usize.device_const().value, Value::Int(syclone_kernel_ast::types::IntKind::Usize, 7));
}
