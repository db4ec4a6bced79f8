//! Methods of the handles that kernels get, and of short vectors.

use super::{InferErrorKind, Inference, Pending, Result};
use crate::tree::{ConstId, Expr, SpanId, TypeId};
use crate::types::Type;
use crate::vector::{Selection, swizzle};

impl Inference<'_> {
    /// Methods of items, groups, views, local memory and the like; `None` if the type has no such method.
    pub(super) fn handle_method(
        &mut self,
        ty: &Type,
        name: &str,
        consts: &[ConstId],
        args: &[Expr],
        span: SpanId,
    ) -> Result<Option<Type>> {
        let found = match (ty, name, args) {
            (
                Type::NdItem(_),
                "global_id" | "local_id" | "group_id" | "global_range" | "local_range" | "group_range",
                [dim],
            )
            | (Type::Item(_), "global_id" | "id" | "global_range" | "range", [dim])
            | (Type::Group(_), "id" | "range" | "local_range", [dim])
            | (
                Type::View(..)
                | Type::ItemMut(..)
                | Type::GroupMut(..)
                | Type::ScatterMut(..)
                | Type::AtomicView(..)
                | Type::LocalAccessor(..),
                "extent",
                [dim],
            ) => {
                self.expect(dim, &Type::USIZE)?;
                Type::USIZE
            }
            (Type::NdItem(_), "global_linear_id" | "local_linear_id" | "group_linear_id", [])
            | (Type::Item(_), "global_linear_id" | "linear_id", [])
            | (Type::Group(_), "linear_id" | "size", [])
            | (Type::SubGroup, "id" | "local_id" | "size" | "max_size" | "count", []) => Type::USIZE,
            (Type::NdItem(dims), "group", []) => Type::Group(*dims),
            (Type::NdItem(_), "sub_group", []) => Type::SubGroup,
            (Type::NdItem(_) | Type::Group(_) | Type::SubGroup, "barrier", _) => {
                args.iter().try_for_each(|arg| self.expr(arg).map(|_| ()))?;
                Type::Unit
            }
            (Type::Group(_) | Type::SubGroup, ..) => return self.collective(name, args, span),
            (Type::Reducer(value, _), "combine", [x]) => {
                self.expect(x, value)?;
                Type::Unit
            }
            (Type::Spec(value), "get", []) => (**value).clone(),
            (Type::AtomicRef(value), ..) => return self.atomic_method(value, name, args),
            _ => return self.memory_method(ty, name, consts, args, span),
        };
        Ok(Some(found))
    }

    fn memory_method(
        &mut self,
        ty: &Type,
        name: &str,
        consts: &[ConstId],
        args: &[Expr],
        span: SpanId,
    ) -> Result<Option<Type>> {
        let is_memory = matches!(
            ty,
            Type::View(..)
                | Type::ItemMut(..)
                | Type::GroupMut(..)
                | Type::ScatterMut(..)
                | Type::AtomicView(..)
                | Type::LocalAccessor(..)
                | Type::Local(_)
                | Type::Span(_)
                | Type::Array(..)
        );
        let found = match (ty, name, args) {
            _ if !is_memory => return Ok(None),
            (_, "len", []) => Type::USIZE,
            (_, "is_empty", []) => Type::Bool,
            (Type::AtomicView(elem, dims) | Type::LocalAccessor(elem, dims), "atomic", [index]) => {
                let index = self.expr(index)?;
                self.coordinates(&index, *dims, span)?;
                Type::AtomicRef(elem.clone())
            }
            (Type::Local(inner), "atomic", [index]) => {
                let index = self.expr(index)?;
                self.coerce(&index, &Type::USIZE, span)?;
                match self.known(inner, span, "local memory's content")? {
                    Type::Array(elem, _) => Type::AtomicRef(elem),
                    ty => {
                        return Err(self.error(span, InferErrorKind::NoMethod { ty, name: name.to_owned() }));
                    }
                }
            }
            (
                Type::View(elem, 1) | Type::ScatterMut(elem, 1) | Type::LocalAccessor(elem, 1),
                "load_vector",
                [index],
            ) => {
                self.expect(index, &Type::USIZE)?;
                match consts.first() {
                    Some(lanes) => Type::Vector(elem.clone(), self.lanes(*lanes, span)?),
                    None => {
                        let vector = self.table.fresh();
                        self.pending.push(Pending::Vector { vector: vector.clone(), elem: (**elem).clone(), span });
                        vector
                    }
                }
            }
            (Type::ScatterMut(elem, 1) | Type::LocalAccessor(elem, 1), "store_vector", [index, value]) => {
                self.expect(index, &Type::USIZE)?;
                let vector = self.expr(value)?;
                self.pending.push(Pending::Vector { vector, elem: (**elem).clone(), span });
                self.work_off()?;
                Type::Unit
            }
            (_, "span", [start, len]) => {
                self.expect(start, &Type::USIZE)?;
                self.expect(len, &Type::USIZE)?;
                Type::Span(Box::new(self.span_elem(ty, span)?))
            }
            _ => return Ok(None),
        };
        Ok(Some(found))
    }

    fn lanes(&self, id: ConstId, span: SpanId) -> Result<u8> {
        let value = self.bound.consts.get(id.0 as usize).and_then(|value| value.value.as_int());
        let lanes = value.and_then(|value| u8::try_from(value).ok());
        lanes.ok_or_else(|| self.error(span, InferErrorKind::Internal("a number of lanes that is no constant".into())))
    }

    /// The elements of a run of memory.
    fn span_elem(&mut self, ty: &Type, span: SpanId) -> Result<Type> {
        let ty = self.behind_refs(ty, span, "span")?;
        match ty {
            Type::Span(elem) | Type::View(elem, 1) | Type::ScatterMut(elem, 1) | Type::LocalAccessor(elem, 1) => {
                Ok(*elem)
            }
            Type::Local(inner) => match self.known(&inner, span, "local memory's content")? {
                Type::Array(elem, _) => Ok(*elem),
                ty => Err(self.error(span, InferErrorKind::NoOperation { ty, operation: "span".into() })),
            },
            ty => Err(self.error(span, InferErrorKind::NoOperation { ty, operation: "span".into() })),
        }
    }

    /// Methods of groups and sub-groups that all their items call together.
    fn collective(&mut self, name: &str, args: &[Expr], span: SpanId) -> Result<Option<Type>> {
        let found = match (name, args) {
            ("reduce" | "inclusive_scan" | "exclusive_scan", [x, op]) => {
                let ty = self.expr(x)?;
                self.expr(op)?;
                self.value_behind(ty)
            }
            ("inclusive_scan_init" | "exclusive_scan_init", [x, init, op]) => {
                let ty = self.expr(x)?;
                let ty = self.value_behind(ty);
                self.expect(init, &ty)?;
                self.expr(op)?;
                ty
            }
            (
                "broadcast" | "shift_left" | "shift_right" | "permute_xor" | "select" | "shuffle" | "shuffle_up"
                | "shuffle_down" | "shuffle_xor",
                [x, id],
            ) => {
                let ty = self.expr(x)?;
                self.expect(id, &Type::USIZE)?;
                self.value_behind(ty)
            }
            ("any" | "all" | "none", [predicate]) => {
                self.expect(predicate, &Type::Bool)?;
                Type::Bool
            }
            ("ballot", [predicate]) => {
                self.expect(predicate, &Type::Bool)?;
                Type::U32
            }
            ("joint_any" | "joint_all" | "joint_none", [source]) => {
                self.expr(source)?;
                Type::Bool
            }
            ("joint_reduce", [source, op]) => {
                let source = self.expr(source)?;
                self.expr(op)?;
                self.span_elem(&source, span)?
            }
            ("joint_inclusive_scan" | "joint_exclusive_scan", [source, target, op]) => {
                self.expr(source)?;
                self.expr(target)?;
                self.expr(op)?;
                Type::Unit
            }
            _ => return Ok(None),
        };
        Ok(Some(found))
    }

    pub(super) fn value_behind(&self, ty: Type) -> Type {
        match self.table.shallow(&ty) {
            Type::Ref(inner, _) => *inner,
            ty => ty,
        }
    }

    fn atomic_method(&mut self, value: &Type, name: &str, args: &[Expr]) -> Result<Option<Type>> {
        let found = match (name, args) {
            ("load", []) => value.clone(),
            ("store", [x]) => {
                self.expect(x, value)?;
                Type::Unit
            }
            (
                "exchange" | "fetch_add" | "fetch_sub" | "fetch_and" | "fetch_or" | "fetch_xor" | "fetch_min"
                | "fetch_max",
                [x],
            ) => {
                self.expect(x, value)?;
                value.clone()
            }
            ("compare_exchange", [current, new]) => {
                self.expect(current, value)?;
                self.expect(new, value)?;
                Type::Tuple(vec![value.clone(), Type::Bool])
            }
            ("order" | "scope", [x]) => {
                self.expr(x)?;
                Type::AtomicRef(Box::new(value.clone()))
            }
            _ => return Ok(None),
        };
        Ok(Some(found))
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one call")]
    pub(super) fn vector_method(
        &mut self,
        elem: &Type,
        lanes: u8,
        name: &str,
        types: &[TypeId],
        consts: &[ConstId],
        args: &[Expr],
        span: SpanId,
    ) -> Result<Option<Type>> {
        let elem = Box::new(elem.clone());
        let found = match (name, args) {
            ("get", [index]) => {
                self.expect(index, &Type::USIZE)?;
                *elem
            }
            ("with", [index, value]) => {
                self.expect(index, &Type::USIZE)?;
                self.expect(value, &elem)?;
                Type::Vector(elem, lanes)
            }
            ("to_array", []) => Type::Array(elem, usize::from(lanes)),
            ("convert", []) => {
                let to = types.first().map(|ty| self.named_type(*ty)).transpose()?;
                Type::Vector(Box::new(to.unwrap_or_else(|| self.table.fresh())), lanes)
            }
            ("lanes_eq" | "lanes_ne" | "lanes_lt" | "lanes_le" | "lanes_gt" | "lanes_ge", [other]) => {
                let other = self.expr(other)?;
                // A bare literal stands for all lanes, and takes their type instead of its default.
                if self.literal_kind(&other).is_some() {
                    self.unify(&other, &elem, span)?;
                }
                match self.behind_refs(&other, span, "operand")? {
                    Type::Vector(other, _) => self.unify(&other, &elem, span)?,
                    other => self.unify(&other, &elem, span)?,
                }
                Type::Vector(Box::new(Type::Bool), lanes)
            }
            ("gather", [positions]) => {
                let positions = self.expr(positions)?;
                match self.behind_refs(&positions, span, "positions of lanes")? {
                    Type::Array(position, len) => {
                        self.unify(&position, &Type::USIZE, span)?;
                        self.lanes_of_array(elem, len, span)?
                    }
                    ty => return Err(self.error(span, InferErrorKind::NoOperation { ty, operation: "lanes".into() })),
                }
            }
            ("any" | "all", []) if *elem == Type::Bool => Type::Bool,
            (_, []) => {
                let values = consts.iter().map(|id| self.lanes(*id, span)).collect::<Result<Vec<u8>>>()?;
                match swizzle(name, &values, lanes) {
                    Some(Selection::Lane(_)) => *elem,
                    Some(Selection::Lanes(chosen)) => Type::Vector(elem, u8::try_from(chosen.len()).unwrap_or(lanes)),
                    None => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(found))
    }
}
