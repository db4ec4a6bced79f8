//! Values of kernels: what launches pass in, what constants hold, what built-in functions of upper crates compute on.
//!
//! The interpreter itself works on bytes in memory; a [`Value`] is the form at its edges.

use std::fmt;
use std::sync::Arc;

use crate::types::{EnumType, IntKind, Op, Order, Scope, StructType, Type};

/// A value with its type.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// `()`
    Unit,
    /// `true` or `false`.
    Bool(bool),
    /// An integer, within its type's range.
    Int(IntKind, i128),
    /// The bits of an `f16`.
    F16(u16),
    /// The bits of a `bf16`.
    Bf16(u16),
    /// An `f32`.
    F32(f32),
    /// An `f64`.
    F64(f64),
    /// The lanes of a `Vector`: 2, 3, 4, 8 or 16 scalars of one type.
    Vector(Vec<Value>),
    /// An array: the type of its elements and they.
    Array(Type, Vec<Value>),
    /// A tuple.
    Tuple(Vec<Value>),
    /// A struct and its fields in order of declaration.
    Struct(Arc<StructType>, Vec<Value>),
    /// An enum and the position of its variant.
    Enum(Arc<EnumType>, usize),
    /// An operator's token.
    Op(Op),
    /// A memory order.
    Order(Order),
    /// A memory scope.
    Scope(Scope),
}

/// Bytes that no value of the type has, or too few of them.
#[derive(Clone, PartialEq, Debug)]
pub struct InvalidBytes {
    /// The type that was read.
    pub ty: Type,
}

impl fmt::Display for InvalidBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "memory that should hold a value of type {} does not\ncheck what wrote it, or whether it was written at all",
            self.ty
        )
    }
}

impl std::error::Error for InvalidBytes {}

impl Value {
    /// The value's type.
    pub fn ty(&self) -> Type {
        match self {
            Value::Unit => Type::Unit,
            Value::Bool(_) => Type::Bool,
            Value::Int(kind, _) => Type::Int(*kind),
            Value::F16(_) => Type::F16,
            Value::Bf16(_) => Type::Bf16,
            Value::F32(_) => Type::F32,
            Value::F64(_) => Type::F64,
            Value::Vector(lanes) => {
                let elem = lanes.first().map_or(Type::Infer, Value::ty);
                Type::Vector(Box::new(elem), u8::try_from(lanes.len()).unwrap_or(u8::MAX))
            }
            Value::Array(elem, values) => Type::Array(Box::new(elem.clone()), values.len()),
            Value::Tuple(parts) => Type::Tuple(parts.iter().map(Value::ty).collect()),
            Value::Struct(ty, _) => Type::Struct(ty.clone()),
            Value::Enum(ty, _) => Type::Enum(ty.clone()),
            Value::Op(op) => Type::Op(*op),
            Value::Order(_) => Type::Order,
            Value::Scope(_) => Type::Scope,
        }
    }

    /// The value of an integer.
    pub fn as_int(&self) -> Option<i128> {
        if let Value::Int(_, value) = self { Some(*value) } else { None }
    }

    /// Writes the value as Rust lays it out. `bytes` is at least the type's size; what does not fit is not written.
    pub fn write(&self, bytes: &mut [u8]) {
        fn put(bytes: &mut [u8], source: &[u8]) {
            if let Some(target) = bytes.get_mut(..source.len()) {
                target.copy_from_slice(source);
            }
        }
        fn put_at(bytes: &mut [u8], offset: usize, value: &Value) {
            if let Some(rest) = bytes.get_mut(offset..) {
                value.write(rest);
            }
        }
        match self {
            Value::Unit | Value::Op(_) => {}
            Value::Bool(value) => put(bytes, &[u8::from(*value)]),
            Value::Int(kind, value) => put(bytes, &value.to_le_bytes()[..kind.bytes()]),
            Value::F16(bits) | Value::Bf16(bits) => put(bytes, &bits.to_le_bytes()),
            Value::F32(value) => put(bytes, &value.to_le_bytes()),
            Value::F64(value) => put(bytes, &value.to_le_bytes()),
            Value::Vector(values) | Value::Array(_, values) => {
                let stride = values.first().map_or(0, |value| value.ty().size());
                for (position, value) in values.iter().enumerate() {
                    put_at(bytes, position * stride, value);
                }
            }
            Value::Tuple(parts) => {
                let types: Vec<Type> = parts.iter().map(Value::ty).collect();
                for (position, value) in parts.iter().enumerate() {
                    put_at(bytes, Type::tuple_offset(&types, position), value);
                }
            }
            Value::Struct(ty, values) => {
                for (field, value) in ty.fields.iter().zip(values) {
                    put_at(bytes, field.offset, value);
                }
            }
            Value::Enum(ty, variant) => {
                let discriminant = ty.variants.get(*variant).map_or(0, |variant| variant.1);
                put(bytes, &discriminant.to_le_bytes()[..ty.repr.bytes()]);
            }
            Value::Order(order) => put(bytes, &[*order as u8]),
            Value::Scope(scope) => put(bytes, &[*scope as u8]),
        }
    }

    /// The bytes of the value as Rust lays it out; padding is zero.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.ty().size()];
        self.write(&mut bytes);
        bytes
    }

    /// The value of a type that lies in `bytes`.
    pub fn read(ty: &Type, bytes: &[u8]) -> Result<Value, InvalidBytes> {
        let invalid = || InvalidBytes { ty: ty.clone() };
        let at = |offset: usize| bytes.get(offset..).ok_or_else(invalid);
        let raw = |len: usize| -> Result<[u8; 16], InvalidBytes> {
            let mut raw = [0; 16];
            raw[..len].copy_from_slice(bytes.get(..len).ok_or_else(invalid)?);
            Ok(raw)
        };
        let int = |kind: IntKind| Ok(kind.wrap(i128::from_le_bytes(raw(kind.bytes())?)));
        let sequence = |elem: &Type, len: usize| -> Result<Vec<Value>, InvalidBytes> {
            let stride = elem.size();
            (0..len).map(|position| Value::read(elem, at(position * stride)?)).collect()
        };
        Ok(match ty {
            Type::Unit => Value::Unit,
            Type::Bool => match raw(1)?[0] {
                0 => Value::Bool(false),
                1 => Value::Bool(true),
                _ => return Err(invalid()),
            },
            Type::Int(kind) => Value::Int(*kind, int(*kind)?),
            Type::F16 => Value::F16(int(IntKind::U16)? as u16),
            Type::Bf16 => Value::Bf16(int(IntKind::U16)? as u16),
            Type::F32 => Value::F32(f32::from_bits(int(IntKind::U32)? as u32)),
            Type::F64 => Value::F64(f64::from_bits(int(IntKind::U64)? as u64)),
            Type::Vector(elem, lanes) => Value::Vector(sequence(elem, usize::from(*lanes))?),
            Type::Array(elem, len) => Value::Array((**elem).clone(), sequence(elem, *len)?),
            Type::Tuple(parts) => {
                let read = |position: usize| Value::read(&parts[position], at(Type::tuple_offset(parts, position))?);
                Value::Tuple((0..parts.len()).map(read).collect::<Result<_, _>>()?)
            }
            Type::Struct(ty) => {
                let read = |field: &crate::types::Field| Value::read(&field.ty, at(field.offset)?);
                Value::Struct(ty.clone(), ty.fields.iter().map(read).collect::<Result<_, _>>()?)
            }
            Type::Enum(enum_type) => {
                let discriminant = int(enum_type.repr)?;
                let same = |variant: &(&str, i128)| enum_type.repr.wrap(variant.1) == discriminant;
                Value::Enum(enum_type.clone(), enum_type.variants.iter().position(same).ok_or_else(invalid)?)
            }
            Type::Spec(ty) => Value::read(ty, bytes)?,
            Type::Op(op) => Value::Op(*op),
            Type::Order => Value::Order(*Order::ALL.get(usize::from(raw(1)?[0])).ok_or_else(invalid)?),
            Type::Scope => Value::Scope(*Scope::ALL.get(usize::from(raw(1)?[0])).ok_or_else(invalid)?),
            _ => return Err(invalid()),
        })
    }
}
