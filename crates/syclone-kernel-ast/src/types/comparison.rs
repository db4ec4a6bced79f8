//! How a program compares values of a struct or an enum, and which device functions say it to a tree.

use std::cmp::Ordering;

use super::{BindFn, Type};
use crate::tree::BinaryOp;

/// How the program itself compares values of a type: by its `PartialEq` and `PartialOrd`, derived or not, where it has them.
///
/// By itself the tree knows comparisons field by field only. `equal` and `order` say whether that is what the type's own
/// do; `device` has those that are device functions, which a tree calls instead.
#[derive(Clone, Copy, Default, Debug)]
pub struct Comparison {
    /// Whether two values are equal, each given by its bytes.
    ///
    /// # Safety
    /// Both point to the bytes of a valid value of the type, however aligned.
    pub equal: Option<unsafe fn(*const u8, *const u8) -> bool>,
    /// The order of two values, each given by its bytes.
    ///
    /// # Safety
    /// As that of `equal`.
    pub order: Option<unsafe fn(*const u8, *const u8) -> Option<Ordering>>,
    /// The comparisons that are device functions.
    pub device: DeviceComparison,
}

impl Comparison {
    /// What one of two sources knows, the first before the second.
    #[must_use]
    pub fn or(self, other: Comparison) -> Comparison {
        let (own, others) = (self.device, other.device);
        Comparison {
            equal: self.equal.or(other.equal),
            order: self.order.or(other.order),
            device: DeviceComparison {
                eq: own.eq.or(others.eq),
                lt: own.lt.or(others.lt),
                le: own.le.or(others.le),
                gt: own.gt.or(others.gt),
                ge: own.ge.or(others.ge),
            },
        }
    }

    /// How the program compares values of a type, by what the type knows itself, and else by a list.
    pub(crate) fn of(ty: &Type, known: &[(Type, Comparison)]) -> Comparison {
        let own = match ty {
            Type::Struct(ty) => ty.comparison,
            Type::Enum(ty) => ty.comparison,
            _ => return Comparison::default(),
        };
        known.iter().filter(|(known, _)| known == ty).fold(own, |found, (_, other)| found.or(*other))
    }
}

/// The methods of `impl PartialEq` and `impl PartialOrd` blocks that are device functions.
#[derive(Clone, Copy, Default, Debug)]
#[allow(missing_docs, reason = "the names are those of the methods")]
pub struct DeviceComparison {
    pub eq: Option<BindFn>,
    pub lt: Option<BindFn>,
    pub le: Option<BindFn>,
    pub gt: Option<BindFn>,
    pub ge: Option<BindFn>,
}

/// How an operator is computed by one of a type's device functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Composed {
    /// The operator that the function is.
    pub(crate) op: BinaryOp,
    /// The function.
    pub(crate) function: BindFn,
    /// Whether it takes the operands in the other order.
    pub(crate) swapped: bool,
    /// What besides must hold: `<=` of a `<` is "or equal", `<` of a `<=` is "and not equal".
    pub(crate) besides: Option<Besides>,
}

/// How equality completes another operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Besides {
    OrEqual,
    AndNotEqual,
}

impl DeviceComparison {
    /// How `==` or an operator of order is computed, if any device function says it. Those that the type does not have
    /// itself are made of those that it has.
    pub(crate) fn composed(&self, op: BinaryOp) -> Option<Composed> {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt};
        let (strict, other) = match op {
            Lt => ([(Lt, self.lt), (Gt, self.gt)], [(Le, self.le), (Ge, self.ge)]),
            Gt => ([(Gt, self.gt), (Lt, self.lt)], [(Ge, self.ge), (Le, self.le)]),
            Le => ([(Le, self.le), (Ge, self.ge)], [(Lt, self.lt), (Gt, self.gt)]),
            Ge => ([(Ge, self.ge), (Le, self.le)], [(Gt, self.gt), (Lt, self.lt)]),
            Eq => return self.eq.map(|function| Composed { op, function, swapped: false, besides: None }),
            _ => return None,
        };
        let besides = if matches!(op, Lt | Gt) { Besides::AndNotEqual } else { Besides::OrEqual };
        let candidates = strict.map(|found| (found, None)).into_iter().chain(other.map(|found| (found, Some(besides))));
        let mut with_order = candidates.enumerate();
        with_order.find_map(|(position, ((op, function), besides))| {
            // Of each two, the second has its operands the other way round.
            Some(Composed { op, function: function?, swapped: position % 2 == 1, besides })
        })
    }
}

/// The parts that a comparison of two values looks at in turn, with their offsets; a struct's are its fields.
pub(crate) fn compared_parts(ty: &Type) -> Vec<(&Type, usize)> {
    match ty {
        Type::Array(elem, len) => (0..*len).map(|position| (&**elem, position * elem.size())).collect(),
        Type::Tuple(parts) => {
            let offset = |position| Type::tuple_offset(parts, position);
            parts.iter().enumerate().map(|(position, part)| (part, offset(position))).collect()
        }
        Type::Struct(ty) => ty.fields.iter().map(|field| (&field.ty, field.offset)).collect(),
        _ => Vec::new(),
    }
}

/// The structs and enums that a comparison of two values compares as a whole.
pub(crate) fn compared_whole(ty: &Type) -> Vec<&Type> {
    match ty {
        Type::Struct(_) | Type::Enum(_) => vec![ty],
        Type::Array(elem, _) => compared_whole(elem),
        Type::Tuple(parts) => parts.iter().flat_map(compared_whole).collect(),
        _ => Vec::new(),
    }
}

/// The operator that says which of two unequal values is first.
pub(crate) fn strict(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Le => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Gt,
        op => op,
    }
}

/// Whether device functions have a say in a comparison of two values: of their type, or of what it is made of.
pub(crate) fn is_composed(op: BinaryOp, ty: &Type, known: &[(Type, Comparison)]) -> bool {
    ty.any(&|part| {
        matches!(part, Type::Struct(_) | Type::Enum(_)) && Comparison::of(part, known).device.composed(op).is_some()
    })
}

/// Notes the device functions that a comparison of two values calls, each once, with the type that it compares.
pub(crate) fn composing(
    op: BinaryOp,
    ty: &Type,
    known: &[(Type, Comparison)],
    found: &mut Vec<(Type, BinaryOp, BindFn)>,
) {
    let op = if op == BinaryOp::Ne { BinaryOp::Eq } else { op };
    if !is_composed(op, ty, known) {
        return;
    }
    if let Some(composed) = Comparison::of(ty, known).device.composed(op) {
        if found.iter().all(|(of, op, _)| of != ty || *op != composed.op) {
            found.push((ty.clone(), composed.op, composed.function));
        }
        if composed.besides.is_some() {
            composing(BinaryOp::Eq, ty, known, found);
        }
        return;
    }
    if let (Type::Tuple(parts), true) = (ty, op != BinaryOp::Eq) {
        // Of a tuple's last part the operator itself is asked.
        parts.last().into_iter().for_each(|last| composing(op, last, known, found));
    }
    let mut parts = compared_parts(ty);
    parts.dedup_by_key(|(part, _)| *part);
    for (part, _) in parts {
        // The order of several parts asks which of them are equal.
        composing(strict(op), part, known, found);
        composing(BinaryOp::Eq, part, known, found);
    }
}
