//! Methods of items and groups, of memory and of short vectors.

use super::expr::lanes_of;
use super::{Compiler, Place, Result, internal};
use crate::interp::code::*;
use crate::tree::*;
use crate::types::{Op, Type};
use crate::vector::{Selection, swizzle};

impl Compiler<'_> {
    /// Methods of items, groups and sub-groups.
    #[allow(clippy::too_many_arguments, reason = "the parts of one call")]
    pub(super) fn token_method(
        &mut self,
        expr: &Expr,
        receiver: &Expr,
        ty: &Type,
        dims: u8,
        name: &str,
        args: &[Expr],
        to: At,
    ) -> Result<()> {
        self.value(receiver)?;
        let query = match (ty, name) {
            (Type::SubGroup, "id") => Query::SubGroupId,
            (Type::SubGroup, "local_id") => Query::SubGroupLocalId,
            (Type::SubGroup, "size") => Query::SubGroupSize,
            (Type::SubGroup, "max_size") => Query::SubGroupMaxSize,
            (Type::SubGroup, "count") => Query::SubGroupCount,
            (Type::Group(_), "id") => Query::GroupId,
            (Type::Group(_), "linear_id") => Query::GroupLinear,
            (Type::Group(_), "range") => Query::GroupRange,
            (Type::Group(_), "size") => Query::GroupSize,
            (Type::Item(_), "id") | (_, "global_id") => Query::GlobalId,
            (Type::Item(_), "range") | (_, "global_range") => Query::GlobalRange,
            (Type::Item(_), "linear_id") | (_, "global_linear_id") => Query::GlobalLinear,
            (_, "local_id") => Query::LocalId,
            (_, "group_id") => Query::GroupId,
            (_, "local_range") => Query::LocalRange,
            (_, "group_range") => Query::GroupRange,
            (_, "local_linear_id") => Query::LocalLinear,
            (_, "group_linear_id") => Query::GroupLinear,
            (_, "group" | "sub_group") => return Ok(()),
            _ => return self.together(expr, matches!(ty, Type::SubGroup), name, args, to),
        };
        let dim = match args.first() {
            Some(dim) => self.operand(dim)?,
            None => 0,
        };
        self.at_line(expr.span);
        self.emit(Instr::Ask { query, to, dim, dims });
        Ok(())
    }

    /// Operations that synchronise the items of a group or sub-group.
    fn together(&mut self, expr: &Expr, sub_group: bool, name: &str, args: &[Expr], to: At) -> Result<()> {
        let op = || -> Result<Op> {
            match args.last().map(|arg| self.operand_type(arg)) {
                Some(Type::Op(op)) => Ok(op),
                _ => internal(format!("`{name}` without an operator")),
            }
        };
        let what = match name {
            "barrier" => Together::Barrier,
            "reduce" => Together::Reduce(op()?),
            "inclusive_scan" => Together::Inclusive(op()?),
            "exclusive_scan" => Together::Exclusive(op()?),
            "inclusive_scan_init" => Together::InclusiveFrom(op()?),
            "exclusive_scan_init" => Together::ExclusiveFrom(op()?),
            "broadcast" if !sub_group => Together::Broadcast,
            "broadcast" => Together::BroadcastLane,
            "select" | "shuffle" => Together::Select,
            "shift_left" | "shuffle_down" => Together::Down,
            "shift_right" | "shuffle_up" => Together::Up,
            "permute_xor" | "shuffle_xor" => Together::Xor,
            "any" => Together::Any,
            "all" => Together::All,
            "none" => Together::None,
            "ballot" => Together::Ballot,
            "joint_reduce" => Together::JointReduce(op()?),
            "joint_inclusive_scan" => Together::JointInclusive(op()?),
            "joint_exclusive_scan" => Together::JointExclusive(op()?),
            "joint_any" => Together::JointAny,
            "joint_all" => Together::JointAll,
            "joint_none" => Together::JointNone,
            _ => return internal(format!("a group has no `{name}`")),
        };
        let (operands, ty) = self.together_operands(what, args)?;
        let ty = self.type_at(&ty);
        self.at_line(expr.span);
        self.emit(Instr::Together { what, sub_group, ty, to, args: operands });
        Ok(())
    }

    /// The operands in the frame, and the type of the values that are worked on.
    fn together_operands(&mut self, what: Together, args: &[Expr]) -> Result<([At; 2], Type)> {
        match (what, args) {
            (Together::Barrier, _) => {
                args.iter().try_for_each(|arg| self.value(arg).map(|_| ()))?;
                Ok(([0; 2], Type::Unit))
            }
            (Together::InclusiveFrom(_) | Together::ExclusiveFrom(_), [x, init, _]) => {
                let first = self.stable(x, &[init])?;
                Ok(([first, self.operand(init)?], self.operand_type(x)))
            }
            (
                Together::Broadcast
                | Together::BroadcastLane
                | Together::Select
                | Together::Down
                | Together::Up
                | Together::Xor,
                [x, which],
            ) => {
                let first = self.stable(x, &[which])?;
                Ok(([first, self.operand(which)?], self.operand_type(x)))
            }
            (Together::JointInclusive(_) | Together::JointExclusive(_), [source, target, _]) => {
                let (source, elem) = self.span(source)?;
                let (target, _) = self.span(target)?;
                Ok(([source, target], elem))
            }
            (
                Together::JointReduce(_) | Together::JointAny | Together::JointAll | Together::JointNone,
                [source, ..],
            ) => {
                let (source, elem) = self.span(source)?;
                Ok(([source, 0], elem))
            }
            (_, [x, ..]) => Ok(([self.operand(x)?, 0], self.operand_type(x))),
            _ => internal("a group operation without operands"),
        }
    }

    /// A run of memory as a span in the frame, and the type of its elements.
    fn span(&mut self, expr: &Expr) -> Result<(At, Type)> {
        let mut ty = self.type_of(expr);
        while let Type::Ref(inner, _) = ty {
            ty = *inner;
        }
        match ty {
            Type::Span(elem) => Ok((self.operand(expr)?, *elem)),
            Type::View(elem, _) | Type::ScatterMut(elem, _) | Type::LocalAccessor(elem, _) => {
                let handle = self.operand(expr)?;
                let to = self.temp_bytes(16)?;
                self.emit(Instr::HandleSpan { to, handle });
                Ok((to, *elem))
            }
            Type::Local(inner) => {
                let Type::Array(elem, len) = *inner else {
                    return internal(format!("a span of {inner}"));
                };
                let address = self.operand(expr)?;
                let to = self.temp_bytes(16)?;
                self.emit(Instr::ArraySpan { to, address, count: len as u64 });
                Ok((to, *elem))
            }
            ty => internal(format!("a span of {ty}")),
        }
    }

    pub(super) fn atomic(
        &mut self,
        expr: &Expr,
        receiver: &Expr,
        elem: &Type,
        name: &str,
        args: &[Expr],
        to: At,
    ) -> Result<()> {
        let op = match name {
            "order" | "scope" => {
                let [value] = args else {
                    return internal(format!("the arguments of `{name}`"));
                };
                let address = self.stable(receiver, &[value])?;
                let value = self.operand(value)?;
                self.emit(Instr::Ordered { to, address, value, is_scope: name == "scope" });
                return Ok(());
            }
            "load" => AtomicOp::Load,
            "store" => AtomicOp::Store,
            "exchange" => AtomicOp::Exchange,
            "compare_exchange" => AtomicOp::CompareExchange,
            "fetch_add" => AtomicOp::Fetch(Op::Plus),
            "fetch_sub" => AtomicOp::Sub,
            "fetch_and" => AtomicOp::Fetch(Op::BitAnd),
            "fetch_or" => AtomicOp::Fetch(Op::BitOr),
            "fetch_xor" => AtomicOp::Fetch(Op::BitXor),
            "fetch_min" => AtomicOp::Fetch(Op::Minimum),
            "fetch_max" => AtomicOp::Fetch(Op::Maximum),
            _ => return internal(format!("an atomic has no `{name}`")),
        };
        let address = self.operand(receiver)?;
        let mut operands = [0; 2];
        for (position, arg) in args.iter().enumerate().take(2) {
            let later: Vec<&Expr> = args[position + 1..].iter().collect();
            operands[position] = self.stable(arg, &later)?;
        }
        let ty = self.type_at(elem);
        self.at_line(expr.span);
        self.emit(Instr::Atomic { op, ty, to, address, args: operands });
        Ok(())
    }

    /// Methods of views, local memory, spans and arrays.
    pub(super) fn memory_method(
        &mut self,
        expr: &Expr,
        receiver: &Expr,
        name: &str,
        args: &[Expr],
        to: At,
    ) -> Result<()> {
        let mut ty = self.type_of(receiver);
        while let Type::Ref(inner, _) | Type::Spec(inner) = ty {
            ty = *inner;
        }
        let result = self.type_of(expr);
        match (&ty, name, args) {
            (_, "len" | "is_empty", []) => {
                let len = self.len(receiver, &ty)?;
                if name == "len" {
                    self.copy(to, len, &Type::USIZE);
                } else {
                    let zero = self.usize_constant(0)?;
                    self.compare(BinaryOp::Eq, &Type::USIZE, to, len, zero);
                }
            }
            (_, "atomic", [index]) => {
                let address = if let Type::Local(_) = &ty {
                    let (place, inner) = self.behind(receiver)?;
                    self.element_of(place, &inner, receiver, index, expr.span)?
                } else {
                    let handle = self.operand(receiver)?;
                    self.element_of(Place::Frame(handle), &ty, receiver, index, expr.span)?
                };
                let address = self.whole_address(address)?;
                self.copy(to, address, &Type::USIZE);
            }
            (_, "extent", [dim]) => {
                let Some(dims) = ty.dims() else {
                    return internal(format!("the extent of {ty}"));
                };
                let handle = self.stable(receiver, &[dim])?;
                let dim = self.operand(dim)?;
                self.at_line(expr.span);
                self.emit(Instr::Extent { to, handle, dim, dims });
            }
            (_, "load_vector", [index]) => {
                let handle = self.stable(receiver, &[index])?;
                let index = self.operand(index)?;
                let (elem, lanes) = lanes_of(&result);
                self.at_line(expr.span);
                self.emit(Instr::LoadVector { to, handle, index, lanes, stride: elem.size() as u32 });
            }
            (_, "store_vector", [index, value]) => {
                let handle = self.stable(receiver, &[index, value])?;
                let index = self.stable(index, &[value])?;
                let from = self.operand(value)?;
                let value_type = self.operand_type(value);
                let (elem, lanes) = lanes_of(&value_type);
                self.at_line(expr.span);
                self.emit(Instr::StoreVector { from, handle, index, lanes, stride: elem.size() as u32 });
            }
            (_, "span", [start, len]) => {
                let (span, elem) = self.span(receiver)?;
                let start = self.stable(start, &[len])?;
                let len = self.operand(len)?;
                let name = self.name_of(receiver);
                self.at_line(expr.span);
                self.emit(Instr::PartOfSpan { to, span, start, len, stride: elem.size() as u32, name });
            }
            _ => {
                let all: Vec<&Expr> = std::iter::once(receiver).chain(args).collect();
                return self.numeric(name, &all, &result, to, expr.span);
            }
        }
        Ok(())
    }

    fn len(&mut self, receiver: &Expr, ty: &Type) -> Result<At> {
        match ty {
            Type::Array(_, len) => self.usize_constant(*len),
            Type::Local(inner) => match &**inner {
                Type::Array(_, len) => self.usize_constant(*len),
                inner => internal(format!("the length of {inner}")),
            },
            // A span is its address and its length.
            Type::Span(_) => Ok(self.operand(receiver)? + 8),
            _ => {
                let handle = self.operand(receiver)?;
                let to = self.temp_bytes(8)?;
                self.emit(Instr::Len { to, handle });
                Ok(to)
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one call")]
    pub(super) fn vector_method(
        &mut self,
        expr: &Expr,
        receiver: &Expr,
        elem: &Type,
        lanes: u8,
        name: &str,
        args: &[Expr],
        to: At,
    ) -> Result<()> {
        let result = self.type_of(expr);
        let size = elem.size() as u32;
        match (name, args) {
            ("get", [index]) => {
                let (place, ty) = self.behind(receiver)?;
                let place = self.element_of(place, &ty, receiver, index, expr.span)?;
                let from = self.load(place, size)?;
                self.copy(to, from, elem);
            }
            ("with", [index, value]) => {
                let ty = Type::Vector(Box::new(elem.clone()), lanes);
                let from = self.stable(receiver, &[index, value])?;
                self.copy(to, from, &ty);
                let place = self.element_of(Place::Frame(to), &ty, receiver, index, expr.span)?;
                let value = self.operand(value)?;
                self.store(place, value, elem);
            }
            ("to_array", []) => {
                let from = self.operand(receiver)?;
                self.copy(to, from, &result);
            }
            ("convert", []) => {
                let from = self.operand(receiver)?;
                let (to_elem, _) = lanes_of(&result);
                self.cast(lanes, to, to_elem, from, elem);
            }
            ("lanes_eq" | "lanes_ne" | "lanes_lt" | "lanes_le" | "lanes_gt" | "lanes_ge", [other]) => {
                let op = match name {
                    "lanes_eq" => BinaryOp::Eq,
                    "lanes_ne" => BinaryOp::Ne,
                    "lanes_lt" => BinaryOp::Lt,
                    "lanes_le" => BinaryOp::Le,
                    "lanes_gt" => BinaryOp::Gt,
                    _ => BinaryOp::Ge,
                };
                let Some(scalar) = Scalar::of(elem) else {
                    return internal("a vector of no scalars");
                };
                let left = self.stable(receiver, &[other])?;
                let right = self.operand(other)?;
                let other_is_vector = matches!(self.operand_type(other), Type::Vector(..));
                self.emit(Instr::LaneCompare {
                    op,
                    lanes,
                    to,
                    left: Lanes { at: left, scalar, vector: true },
                    right: Lanes { at: right, scalar, vector: other_is_vector },
                });
            }
            ("any" | "all", []) if *elem == Type::Bool => {
                let from = self.operand(receiver)?;
                let op = if name == "any" { BinaryOp::BitOr } else { BinaryOp::BitAnd };
                self.copy(to, from, elem);
                for lane in 1..u32::from(lanes) {
                    self.emit(Instr::Binary { op, scalar: Scalar::Bool, to, left: to, right: from + lane });
                }
            }
            _ => {
                let consts = self.const_arguments(expr);
                let chosen = if args.is_empty() { swizzle(name, &consts, lanes) } else { None };
                let chosen = match chosen {
                    Some(Selection::Lane(lane)) => vec![lane],
                    Some(Selection::Lanes(lanes)) => lanes,
                    None => {
                        let all: Vec<&Expr> = std::iter::once(receiver).chain(args).collect();
                        return self.numeric(name, &all, &result, to, expr.span);
                    }
                };
                let from = self.operand(receiver)?;
                for (position, lane) in chosen.into_iter().enumerate() {
                    self.copy(to + position as u32 * size, from + u32::from(lane) * size, elem);
                }
            }
        }
        Ok(())
    }

    /// The lanes in a method's turbofish.
    fn const_arguments(&self, expr: &Expr) -> Vec<u8> {
        let ExprKind::Method { consts, .. } = &expr.kind else {
            return Vec::new();
        };
        let value = |id: &ConstId| self.typed.bound.consts.get(id.0 as usize)?.value.as_int();
        consts.iter().filter_map(|id| value(id).and_then(|value| u8::try_from(value).ok())).collect()
    }
}
