//! What the code that `#[derive(DeviceCopy)]` writes calls, so that it writes little.
//!
//! A struct's derive is
//! ```text
//! unsafe impl DeviceCopy for Ray {
//!     fn device_type() -> Type {
//!         struct_type::<Self>("Ray", false, &[("origin", offset_of!(Ray, origin), <[f32; 3]>::device_type)], &[], …)
//!     }
//!     fn zeroed() -> Self { Ray { origin: DeviceCopy::zeroed() } }
//!     fn to_value(&self) -> Value { struct_value::<Self>(vec![self.origin.to_value()]) }
//! }
//! ```
//! and an enum's, which must have an explicit integer `repr`,
//! ```text
//! unsafe impl DeviceCopy for Side {
//!     fn device_type() -> Type { enum_type::<Self>("Side", &[("Left", Side::Left as i128), …], &[], …) }
//!     fn zeroed() -> Self { Side::Left }
//!     fn to_value(&self) -> Value { enum_value::<Self>(*self as i128) }
//! }
//! ```
//! Types are built once for each concrete type and then shared.

use core::any::{TypeId, type_name};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

pub use syclone_kernel_ast::types::{BindFn, Comparison, Type};
pub use syclone_kernel_ast::value::Value;

use syclone_kernel_ast::types::{EnumType, Field, IntKind, StructType};

use super::device_copy::DeviceCopy;

/// A field for [`struct_type`]: its name (a tuple struct's is its position), byte offset, and type.
pub type FieldSpec = (&'static str, usize, fn() -> Type);

/// A method for [`struct_type`] and [`enum_type`]: its name and how its function is bound.
pub type MethodSpec = (&'static str, BindFn);

/// The methods of one `#[device_fn] impl` block.
pub type MethodList = fn() -> Vec<MethodSpec>;

macro_rules! no_device_methods {
    ($($list:ident)*) => {
        /// The lists of methods of the `#[device_fn] impl` blocks that a type does not have: empty.
        ///
        /// Each such block gives its type a function of one of these names, which comes before a trait's.
        pub trait NoDeviceMethods {
            $(
                /// Nothing.
                fn $list() -> Vec<MethodSpec> {
                    Vec::new()
                }
            )*
        }
    };
}

no_device_methods! {
    __device_fn_block_0_of_at_most_8 __device_fn_block_1_of_at_most_8 __device_fn_block_2_of_at_most_8
    __device_fn_block_3_of_at_most_8 __device_fn_block_4_of_at_most_8 __device_fn_block_5_of_at_most_8
    __device_fn_block_6_of_at_most_8 __device_fn_block_7_of_at_most_8
}

impl<T> NoDeviceMethods for T {}

/// The types built so far. A static in the derived code could not do it: a generic struct has one for all instances.
static TYPES: LazyLock<RwLock<HashMap<TypeId, Type>>> = LazyLock::new(RwLock::default);

/// The type of `T`, built on first use. No lock is held while building, as a struct's fields come back here.
fn shared<T: 'static>(build: impl FnOnce() -> Type) -> Type {
    let id = TypeId::of::<T>();
    // Nothing that runs under the lock can panic half-way, so a poisoned map is still whole.
    if let Some(ty) = TYPES.read().unwrap_or_else(PoisonError::into_inner).get(&id) {
        return ty.clone();
    }
    let built = build();
    TYPES.write().unwrap_or_else(PoisonError::into_inner).entry(id).or_insert(built).clone()
}

/// The type of a device struct.
pub fn struct_type<T: DeviceCopy>(
    name: &'static str,
    tuple: bool,
    fields: &[FieldSpec],
    methods: &[MethodList],
    comparison: Comparison,
) -> Type {
    shared::<T>(|| {
        let field = |&(name, offset, ty): &FieldSpec| Field { name, ty: ty(), offset };
        Type::Struct(Arc::new(StructType {
            name,
            path: type_name::<T>(),
            size: size_of::<T>(),
            align: align_of::<T>(),
            fields: fields.iter().map(field).collect(),
            tuple,
            methods: methods.iter().flat_map(|list| list()).collect(),
            comparison,
        }))
    })
}

/// The value of a device struct from those of its fields, in order of declaration.
pub fn struct_value<T: DeviceCopy>(fields: Vec<Value>) -> Value {
    match T::device_type() {
        Type::Struct(ty) => Value::Struct(ty, fields),
        // Only reached if a hand-written `device_type` is no struct's; its fields still make a value.
        _ => Value::Tuple(fields),
    }
}

/// The type of a device enum with an explicit integer `repr`, from its variants and their discriminants.
pub fn enum_type<T: DeviceCopy>(
    name: &'static str,
    variants: &[(&'static str, i128)],
    methods: &[MethodList],
    comparison: Comparison,
) -> Type {
    shared::<T>(|| {
        let negative = variants.iter().any(|variant| variant.1 < 0);
        let fits = |kind: &IntKind| kind.bytes() == size_of::<T>() && kind.signed() == negative;
        let repr = IntKind::ALL.into_iter().find(fits).unwrap_or(IntKind::U8);
        let (path, methods) = (type_name::<T>(), methods.iter().flat_map(|list| list()).collect());
        Type::Enum(Arc::new(EnumType { name, path, repr, variants: variants.to_vec(), methods, comparison }))
    })
}

/// The value of a device enum from its discriminant.
pub fn enum_value<T: DeviceCopy>(discriminant: i128) -> Value {
    match T::device_type() {
        Type::Enum(ty) => {
            let position = ty.variants.iter().position(|variant| variant.1 == discriminant);
            // Every value of a fieldless enum has one of the discriminants that the derive listed.
            Value::Enum(ty, position.unwrap_or(0))
        }
        // Only reached if a hand-written `device_type` is no enum's.
        _ => Value::Int(IntKind::I64, discriminant),
    }
}
