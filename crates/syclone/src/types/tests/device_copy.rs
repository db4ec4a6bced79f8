//! Values and types as the kernel tree sees them.

use core::mem::offset_of;

use syclone_kernel_ast::types::{IntKind, Type};
use syclone_kernel_ast::value::Value;

use crate::types::derive_support::{Comparison, enum_type, enum_value, struct_type, struct_value};
use crate::types::{DeviceConst, DeviceCopy, Vector, bf16, f16};

/// The bytes of a value of a type without padding.
fn bytes_of<T: DeviceCopy>(value: &T) -> &[u8] {
    // SAFETY: callers pass types without padding, so every byte is initialised.
    unsafe { core::slice::from_raw_parts(core::ptr::from_ref(value).cast(), size_of::<T>()) }
}

/// Checks that the tree's size, alignment and bytes are Rust's.
fn check<T: DeviceCopy>(value: T) {
    let ty = T::device_type();
    assert_eq!((ty.size(), ty.align()), (size_of::<T>(), align_of::<T>()), "{ty}");
    assert_eq!(value.to_value().ty(), ty);
    assert_eq!(value.to_value().to_bytes(), bytes_of(&value), "{ty}");
    assert_eq!(T::zeroed().to_value().to_bytes(), vec![0; size_of::<T>()], "{ty}");
}

#[test]
fn layouts_of_the_tree_are_those_of_rust() {
    check(true);
    check(-5i8);
    check(-500i16);
    check(-70_000i32);
    check(i64::MIN);
    check(-1isize);
    check(5u8);
    check(500u16);
    check(70_000u32);
    check(u64::MAX);
    check(usize::MAX);
    check(f16::from_f32(1.5));
    check(bf16::from_f32(-1.5));
    check(1.5f32);
    check(-2.5f64);
    check([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    check(Vector::new([1.0f32, 2.0, 3.0]));
    check(Vector::new([1u8; 16]));
    check(Vector::new([true, false]));
    check([Vector::new([f16::ONE; 4]); 3]);
}

#[test]
fn the_type_of_a_constant_is_known_without_its_value() {
    let empty: [f32; 0] = [];
    assert_eq!(empty.device_const().ty.to_string(), "[f32; 0]");
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Pair<T> {
    first: T,
    second: u32,
}

// SAFETY: the fields and their offsets are those of the struct.
unsafe impl<T: DeviceCopy> DeviceCopy for Pair<T> {
    fn device_type() -> Type {
        struct_type::<Self>(
            "Pair",
            false,
            &[
                ("first", offset_of!(Self, first), T::device_type),
                ("second", offset_of!(Self, second), u32::device_type),
            ],
            &[],
            Comparison::default(),
        )
    }
    fn zeroed() -> Self {
        Pair { first: T::zeroed(), second: 0 }
    }
    fn to_value(&self) -> Value {
        struct_value::<Self>(vec![self.first.to_value(), self.second.to_value()])
    }
}

#[repr(i16)]
#[derive(Clone, Copy)]
enum Side {
    Left = -1,
    Right = 1,
}

// SAFETY: the variants and the size are those of the enum.
unsafe impl DeviceCopy for Side {
    fn device_type() -> Type {
        enum_type::<Self>(
            "Side",
            &[("Left", Side::Left as i128), ("Right", Side::Right as i128)],
            &[],
            Comparison::default(),
        )
    }
    fn zeroed() -> Self {
        Side::Left
    }
    fn to_value(&self) -> Value {
        enum_value::<Self>(*self as i128)
    }
}

#[test]
fn structs_describe_their_fields_and_instances_of_a_generic_one_differ() {
    check(Pair { first: [1u16, 2], second: 3 });
    let wide = Pair { first: 1.0f64, second: 7 };
    let ty = Pair::<f64>::device_type();
    assert_eq!((ty.size(), ty.align()), (16, 8));
    let mut bytes = wide.to_value().to_bytes();
    assert_eq!(bytes.len(), 16);
    bytes.truncate(12);
    assert_eq!(bytes, [1f64.to_le_bytes().as_slice(), &7u32.to_le_bytes()].concat());
    assert_ne!(Pair::<f64>::device_type(), Pair::<f32>::device_type());
    let (Type::Struct(first), Type::Struct(second)) = (Pair::<f64>::device_type(), Pair::<f64>::device_type()) else {
        panic!("a struct's type is a struct");
    };
    assert!(std::sync::Arc::ptr_eq(&first, &second), "built once");
}

#[test]
fn enums_carry_their_discriminants() {
    let Type::Enum(ty) = Side::device_type() else { panic!("an enum's type is an enum") };
    assert_eq!(ty.repr, IntKind::I16);
    assert_eq!(Side::Right.to_value(), Value::Enum(ty.clone(), 1));
    assert_eq!(Side::Left.to_value().to_bytes(), (-1i16).to_le_bytes());
    assert_eq!(Side::zeroed().to_value(), Value::Enum(ty, 0));
}
