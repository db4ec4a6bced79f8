use std::sync::Arc;

use super::*;
use crate::types::{Field, IntKind, StructType};

const U8: Type = Type::Int(IntKind::U8);
const U16: Type = Type::Int(IntKind::U16);

fn record(size: usize, align: usize, fields: &[(&'static str, Type, usize)]) -> Type {
    let field = |(name, ty, offset): &(&'static str, Type, usize)| Field { name, ty: ty.clone(), offset: *offset };
    let fields = fields.iter().map(field).collect();
    Type::Struct(Arc::new(StructType {
        name: "S",
        path: "S",
        size,
        align,
        fields,
        tuple: false,
        methods: Vec::new(),
        comparison: Default::default(),
    }))
}

/// One letter for each byte of two elements: `.` for padding, and a letter for a number.
fn picture(elem: &Type, grain: usize) -> String {
    let elements = Elements::new(elem, 0..2 * elem.size(), grain);
    (0..2 * elem.size()).map(|byte| if elements.pads(byte) { '.' } else { 'n' }).collect()
}

#[test]
fn padding_is_what_no_number_covers_at_any_depth() {
    let inner = record(4, 2, &[("flag", U8, 2), ("count", U16, 0)]);
    assert_eq!(picture(&inner, 1), "nnn.nnn.");
    let pairs = Type::Array(Box::new(inner.clone()), 2);
    assert_eq!(picture(&pairs, 1), "nnn.".repeat(4));
    let outer = record(16, 4, &[("first", U8, 0), ("pairs", pairs, 2), ("x", Type::F32, 12)]);
    assert_eq!(picture(&outer, 1), "n.nnn.nnn...nnnn".repeat(2));
    // Looked at in larger pieces, of which each is a number's or padding.
    let wide = record(16, 8, &[("a", Type::F32, 8), ("b", Type::F64, 0)]);
    assert_eq!(picture(&wide, 4), "nnnnnnnnnnnn....".repeat(2));
    let tuple = Type::Tuple(vec![U8, Type::Vector(Box::new(U16), 3), Type::Tuple(vec![U8, Type::F32])]);
    assert_eq!(picture(&tuple, 1), "n.nnnnnnn...nnnn".repeat(2));
    assert_eq!(picture(&Type::Vector(Box::new(Type::F32), 3), 4), "n".repeat(24));
    let nothing = record(4, 4, &[("nothing", Type::Array(Box::new(Type::Unit), usize::MAX), 0), ("x", U16, 0)]);
    assert_eq!(picture(&nothing, 2), "nn..".repeat(2));
}

#[test]
fn a_byte_has_the_name_of_its_field() {
    let inner = record(8, 2, &[("flag", U8, 6), ("lanes", Type::Vector(Box::new(U16), 3), 0)]);
    let outer = record(28, 4, &[("pairs", Type::Array(Box::new(inner.clone()), 3), 4), ("x", Type::F32, 0)]);
    let elements = Elements::new(&outer, 64..64 + 56, 1);
    let field = |byte: usize| elements.field(64 + byte);
    assert_eq!(field(3).as_deref(), Some("x"));
    assert_eq!(field(28 + 4 + 8 + 4).as_deref(), Some("pairs[1].lanes[2]"));
    assert_eq!(field(4 + 16 + 6).as_deref(), Some("pairs[2].flag"));
    assert_eq!((field(11), field(56), elements.field(0)), (None, None, None));
    // An index into the memory itself is not the name of a field.
    let numbers = Elements::new(&Type::Array(Box::new(Type::F32), 8), 0..32, 4);
    assert_eq!(numbers.field(8), None);
    let pair = Elements::new(&Type::Tuple(vec![U8, inner]), 0..10, 1);
    assert_eq!((pair.field(0).as_deref(), pair.field(8).as_deref()), (Some("0"), Some("1.flag")));
}
