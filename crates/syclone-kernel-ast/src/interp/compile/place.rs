//! Places: what can be assigned to, borrowed or read in part.

use super::{Compiler, Place, Result, internal, variable_name};
use crate::infer::lane_of;
use crate::interp::code::*;
use crate::tree::*;
use crate::types::Type;

impl Compiler<'_> {
    /// The place of an expression; a temporary for one that is none.
    pub(super) fn place(&mut self, expr: &Expr) -> Result<Place> {
        match &expr.kind {
            ExprKind::Var(var) => Ok(Place::Frame(self.var(*var))),
            ExprKind::Field(base, name) => {
                let (place, ty) = self.behind(base)?;
                let offset = match &ty {
                    Type::Struct(ty) => ty.field(name).map(|position| ty.fields[position].offset),
                    Type::Vector(elem, _) => lane_of(name).map(|lane| usize::from(lane) * elem.size()),
                    _ => None,
                };
                self.part(place, offset, name)
            }
            ExprKind::TupleField(base, position) => {
                let (place, ty) = self.behind(base)?;
                let offset = match &ty {
                    Type::Struct(ty) => ty.fields.get(*position as usize).map(|field| field.offset),
                    Type::Tuple(parts) => Some(Type::tuple_offset(parts, *position as usize)),
                    _ => None,
                };
                self.part(place, offset, &position.to_string())
            }
            ExprKind::Index(base, index) => self.element(base, index, expr.span),
            ExprKind::Deref(inner) => match self.type_of(inner) {
                Type::Ref(..) | Type::Local(_) => Ok(Place::Memory(self.value(inner)?, 0)),
                _ => self.place(inner),
            },
            _ => {
                let ty = self.type_of(expr);
                let to = self.temp(&ty)?;
                self.value_to(expr, to)?;
                Ok(Place::Frame(to))
            }
        }
    }

    fn part(&mut self, place: Place, offset: Option<usize>, name: &str) -> Result<Place> {
        let Some(offset) = offset else {
            return internal(format!("no field `{name}`"));
        };
        let offset = offset as u32;
        Ok(match place {
            Place::Frame(at) => Place::Frame(at + offset),
            Place::Memory(address, before) => Place::Memory(address, before + offset),
        })
    }

    /// The place behind an expression's references, and the type of what is there.
    pub(super) fn behind(&mut self, expr: &Expr) -> Result<(Place, Type)> {
        let mut ty = self.type_of(expr);
        let mut place = self.place(expr)?;
        loop {
            match ty {
                Type::Ref(inner, _) | Type::Local(inner) => {
                    let address = self.load(place, 8)?;
                    place = Place::Memory(address, 0);
                    ty = *inner;
                }
                Type::Spec(inner) => ty = *inner,
                ty => return Ok((place, ty)),
            }
        }
    }

    /// The bytes at a place, in the frame.
    pub(super) fn load(&mut self, place: Place, len: u32) -> Result<At> {
        match place {
            Place::Frame(at) => Ok(at),
            Place::Memory(address, offset) => {
                let to = self.temp_bytes(len as usize)?;
                if len > 0 {
                    self.emit(Instr::Load { to, address, offset, len });
                }
                Ok(to)
            }
        }
    }

    /// Writes bytes of the frame to a place.
    pub(super) fn store(&mut self, place: Place, from: At, ty: &Type) {
        match place {
            Place::Frame(to) => self.copy(to, from, ty),
            Place::Memory(address, offset) => {
                let len = ty.size() as u32;
                if len > 0 {
                    self.emit(Instr::Store { address, offset, from, len });
                }
            }
        }
    }

    /// A place's address and the offset to add to it.
    pub(super) fn address(&mut self, place: Place) -> Result<(At, u32)> {
        match place {
            Place::Frame(at) => {
                let to = self.temp_bytes(8)?;
                self.emit(Instr::FrameAddress { to, place: at });
                Ok((to, 0))
            }
            Place::Memory(address, offset) => Ok((address, offset)),
        }
    }

    /// A place's address with the offset added.
    pub(super) fn whole_address(&mut self, place: Place) -> Result<At> {
        let (address, offset) = self.address(place)?;
        if offset == 0 {
            return Ok(address);
        }
        let to = self.temp_bytes(8)?;
        self.emit(Instr::AddOffset { to, address, offset });
        Ok(to)
    }

    fn element(&mut self, base: &Expr, index: &Expr, span: SpanId) -> Result<Place> {
        let (place, ty) = self.behind(base)?;
        self.element_of(place, &ty, base, index, span)
    }

    /// The place of an element of an array, a vector or a handle's memory.
    pub(super) fn element_of(
        &mut self,
        place: Place,
        ty: &Type,
        base: &Expr,
        index: &Expr,
        span: SpanId,
    ) -> Result<Place> {
        let (elem, count) = match ty {
            Type::Array(elem, len) => (elem, *len),
            Type::Vector(elem, lanes) => (elem, usize::from(*lanes)),
            Type::Span(elem) => {
                let span_at = self.load(place, 16)?;
                let index = self.operand(index)?;
                let name = self.name_of(base);
                self.at_line(span);
                let to = self.temp_bytes(8)?;
                self.emit(Instr::SpanElement { to, span: span_at, index, stride: elem.size() as u32, name });
                return Ok(Place::Memory(to, 0));
            }
            Type::View(..)
            | Type::ItemMut(..)
            | Type::GroupMut(..)
            | Type::ScatterMut(..)
            | Type::AtomicView(..)
            | Type::LocalAccessor(..) => {
                let handle = self.load(place, 8)?;
                let coordinates = match self.coordinates(index)? {
                    // An item stands for its group here.
                    Coordinates::Item if matches!(ty, Type::GroupMut(..)) => Coordinates::Group,
                    coordinates => coordinates,
                };
                self.at_line(span);
                let to = self.temp_bytes(8)?;
                self.emit(Instr::HandleElement { to, handle, coordinates });
                return Ok(Place::Memory(to, 0));
            }
            ty => return internal(format!("an index into {ty}")),
        };
        // An index that is a literal inside the array needs no address.
        if let (ExprKind::Lit(Lit::Int(value, _)), Place::Frame(at)) = (&index.kind, place)
            && let Ok(value) = usize::try_from(*value)
            && value < count
        {
            return Ok(Place::Frame(at + (value * elem.size()) as u32));
        }
        let (address, offset) = self.address(place)?;
        let index = self.operand(index)?;
        let name = self.name_of(base);
        self.at_line(span);
        let to = self.temp_bytes(8)?;
        self.emit(Instr::Element { to, address, offset, index, count: count as u64, stride: elem.size() as u32, name });
        Ok(Place::Memory(to, 0))
    }

    /// The index of a view.
    pub(super) fn coordinates(&mut self, index: &Expr) -> Result<Coordinates> {
        let mut ty = self.type_of(index);
        while let Type::Ref(inner, _) = ty {
            ty = *inner;
        }
        Ok(match ty {
            Type::Item(_) | Type::NdItem(_) => {
                self.value(index)?;
                Coordinates::Item
            }
            Type::Group(_) => {
                self.value(index)?;
                Coordinates::Group
            }
            Type::Array(_, dims) if (1..=3).contains(&dims) => Coordinates::Numbers(self.operand(index)?, dims as u8),
            _ => Coordinates::Numbers(self.operand(index)?, 1),
        })
    }

    /// The name to report for an index outside of an array.
    pub(super) fn name_of(&mut self, base: &Expr) -> NameAt {
        let mut base = base;
        loop {
            match &base.kind {
                ExprKind::Var(var) => {
                    let name = variable_name(self.typed.tree(), *var);
                    return self.name_at(&name);
                }
                ExprKind::Index(inner, _)
                | ExprKind::Field(inner, _)
                | ExprKind::TupleField(inner, _)
                | ExprKind::Deref(inner)
                | ExprKind::Method { receiver: inner, .. } => base = inner,
                _ => return self.name_at("array"),
            }
        }
    }
}
