//! What lies where in memory that is checked: which bytes of an element are numbers, which are padding, and whose they are.
//!
//! Nobody need ever write padding, and a read of a whole struct takes it along: what is unwritten there is no mistake.

use std::fmt::Write;
use std::ops::Range;

use crate::types::Type;

/// Elements of one type in a row.
#[derive(Debug)]
pub(super) struct Elements {
    bytes: Range<usize>,
    elem: Type,
    /// For each grain of an element whether it is padding; empty if none is.
    padding: Vec<bool>,
    grain: usize,
}

impl Elements {
    /// What lies at `bytes`, looked at in pieces of `grain` bytes, which divide every number there.
    pub(super) fn new(mut elem: &Type, bytes: Range<usize>, grain: usize) -> Elements {
        while let Type::Array(part, _) = elem {
            elem = part;
        }
        let mut padding = Vec::new();
        if matches!(elem, Type::Struct(_) | Type::Tuple(_)) {
            padding.resize(elem.size() / grain, true);
            numbers(elem, 0, &mut |number| padding[number.start / grain..number.end / grain].fill(false));
            if !padding.contains(&true) {
                padding = Vec::new();
            }
        }
        Elements { bytes, elem: elem.clone(), padding, grain }
    }

    /// Behind the last byte.
    pub(super) fn end(&self) -> usize {
        self.bytes.end
    }

    /// Whether a byte lies here and is padding.
    pub(super) fn pads(&self, byte: usize) -> bool {
        !self.padding.is_empty()
            && self.bytes.contains(&byte)
            && self.padding[(byte - self.bytes.start) / self.grain % self.padding.len()]
    }

    /// The field that a byte belongs to, as one would write it: `position.lanes[1]`. None if it is not here, or if elements
    /// have no fields.
    pub(super) fn field(&self, byte: usize) -> Option<String> {
        if !self.bytes.contains(&byte) {
            return None;
        }
        let mut path = String::new();
        let mut at = (byte - self.bytes.start) % self.elem.size();
        let mut ty = &self.elem;
        loop {
            let inside = |offset: usize, part: &Type| (offset..offset + part.size()).contains(&at);
            match ty {
                Type::Struct(of) => {
                    let field = of.fields.iter().find(|field| inside(field.offset, &field.ty))?;
                    let dot = if path.is_empty() { "" } else { "." };
                    let _ = write!(path, "{dot}{}", field.name);
                    (at, ty) = (at - field.offset, &field.ty);
                }
                Type::Tuple(parts) => {
                    let offset = |part| Type::tuple_offset(parts, part);
                    let part = (0..parts.len()).find(|&part| inside(offset(part), &parts[part]))?;
                    let dot = if path.is_empty() { "" } else { "." };
                    let _ = write!(path, "{dot}{part}");
                    (at, ty) = (at - offset(part), &parts[part]);
                }
                Type::Array(part, _) | Type::Vector(part, _) if !path.is_empty() => {
                    let _ = write!(path, "[{}]", at / part.size());
                    (at, ty) = (at % part.size(), part);
                }
                _ => return (!path.is_empty()).then_some(path),
            }
        }
    }
}

/// Calls `found` with the bytes of all numbers of a value that begins at `at`.
fn numbers(ty: &Type, at: usize, found: &mut dyn FnMut(Range<usize>)) {
    match ty {
        _ if ty.size() == 0 => {}
        Type::Vector(part, _) | Type::Array(part, _) if !part.is_scalar() => {
            for part_at in (at..at + ty.size()).step_by(part.size()) {
                numbers(part, part_at, found);
            }
        }
        Type::Tuple(parts) => {
            for (position, part) in parts.iter().enumerate() {
                numbers(part, at + Type::tuple_offset(parts, position), found);
            }
        }
        Type::Struct(of) => of.fields.iter().for_each(|field| numbers(&field.ty, at + field.offset, found)),
        _ => found(at..at + ty.size()),
    }
}

#[cfg(test)]
mod tests;
