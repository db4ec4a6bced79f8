//! Expressions.

use super::operator::is_comparison;
use super::table::normal;
use super::{InferErrorKind, Inference, Result, key};
use crate::tree::*;
use crate::types::Type;

impl Inference<'_> {
    /// The type of an expression, noted for the result.
    pub(super) fn expr(&mut self, expr: &Expr) -> Result<Type> {
        self.expr_for(expr, None)
    }

    /// The type of an expression that is cast to a type, which decides a literal's.
    fn expr_for(&mut self, expr: &Expr, cast: Option<&Type>) -> Result<Type> {
        let ty = self.expr_kind(expr, cast)?;
        if self.table.shallow(&ty) == Type::Never {
            self.diverges = true;
        }
        self.exprs.insert(key(expr), ty.clone());
        Ok(ty)
    }

    /// Infers an argument, operand or the like and makes it fit a type.
    pub(super) fn expect(&mut self, expr: &Expr, ty: &Type) -> Result<()> {
        let found = self.expr(expr)?;
        self.coerce(&found, ty, expr.span)
    }

    pub(super) fn literal(&mut self, lit: &Lit, cast: Option<&Type>, span: SpanId) -> Result<Type> {
        let suffix = match lit {
            Lit::Bool(_) => return Ok(Type::Bool),
            Lit::Int(_, suffix) | Lit::Float(_, suffix) => suffix,
        };
        if !suffix.is_empty() {
            let ty = Type::from_name(suffix);
            return ty.ok_or_else(|| {
                self.error(span, InferErrorKind::Internal(format!("a literal with suffix `{suffix}`")))
            });
        }
        Ok(match (lit, cast) {
            (Lit::Int(..), Some(ty @ Type::Int(_))) => ty.clone(),
            (Lit::Float(..), Some(ty @ (Type::F32 | Type::F64))) => ty.clone(),
            (Lit::Int(..), _) => self.table.fresh_int(),
            _ => self.table.fresh_float(),
        })
    }

    // Each kind is a function of its own: this recursion must not need kilobytes of stack for a level.
    fn expr_kind(&mut self, expr: &Expr, cast: Option<&Type>) -> Result<Type> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Lit(lit) => self.literal(lit, cast, span),
            ExprKind::Var(var) => self.var(*var, span),
            ExprKind::Const(id) => self.constant(*id, span),
            ExprKind::Unary(op, value) => self.unary(*op, value, cast, span),
            ExprKind::Binary(op, left, right) => self.binary_operator(*op, left, right, span),
            ExprKind::Assign(place, value) => self.assign(place, value, span),
            ExprKind::AssignOp(op, place, value) => self.assign_op(*op, place, value, span),
            ExprKind::Cast(value, ty) => self.cast(value, *ty),
            ExprKind::Index(base, index) => self.index(base, index, span),
            ExprKind::Field(base, name) => self.field(base, name, span),
            ExprKind::TupleField(base, position) => self.tuple_field(base, *position, span),
            ExprKind::Tuple(parts) => self.tuple(parts),
            ExprKind::Array(parts) => self.array(parts),
            ExprKind::Repeat(value, count) => self.repeat(value, count),
            ExprKind::Struct(ty, fields) => {
                let mut fields = fields.iter().map(|(name, value)| (name.as_str(), value));
                self.struct_literal(*ty, &mut fields, span)
            }
            ExprKind::TupleStruct(ty, parts) => self.tuple_struct(*ty, parts, span),
            ExprKind::Call(callee, args) => self.call(expr, *callee, args),
            ExprKind::Builtin(name, types, args) => self.builtin(name, types, args, span),
            ExprKind::Message(kind, _, operands) => self.message(*kind, operands),
            ExprKind::Method { .. } => self.method(expr),
            ExprKind::Ref(mutable, value) => self.reference(*mutable, value),
            ExprKind::Deref(value) => self.dereference(value, span),
            ExprKind::If(condition, then, otherwise) => self.branch(condition, then, otherwise.as_ref(), span),
            ExprKind::Match(value, arms) => self.match_type(value, arms),
            ExprKind::Block(None, block) => self.block(block),
            ExprKind::Block(label, block) => self.labelled_block(label, block, span),
            _ => self.control(expr),
        }
    }

    fn message(&mut self, kind: MessageKind, operands: &[Expr]) -> Result<Type> {
        let mut args = operands;
        if let (MessageKind::Assert, [condition, rest @ ..]) = (kind, operands) {
            self.expect(condition, &Type::Bool)?;
            args = rest;
        }
        // The message of an assertion may not be evaluated at all.
        let before = self.diverges;
        for arg in args {
            self.expr(arg)?;
        }
        if kind == MessageKind::Assert {
            self.diverges = before;
        }
        Ok(Type::Unit)
    }

    fn unary(&mut self, op: UnaryOp, value: &Expr, cast: Option<&Type>, span: SpanId) -> Result<Type> {
        let ty = self.expr_for(value, cast)?;
        let ty = self.value_behind(ty);
        if matches!(self.table.shallow(&ty), Type::Struct(_) | Type::Enum(_) | Type::Array(..) | Type::Tuple(_)) {
            let operation = format!("operator `{}`", if op == UnaryOp::Neg { '-' } else { '!' });
            return Err(self.error(span, InferErrorKind::NoOperation { ty, operation }));
        }
        Ok(ty)
    }

    fn binary_operator(&mut self, op: BinaryOp, left: &Expr, right: &Expr, span: SpanId) -> Result<Type> {
        let left = self.expr(left)?;
        let before = self.diverges;
        let right = self.expr(right)?;
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            self.diverges = before;
        }
        if is_comparison(op) {
            self.compared.push((op, left.clone(), span));
        }
        self.binary_type(op, &left, &right, span)
    }

    fn assign(&mut self, place: &Expr, value: &Expr, span: SpanId) -> Result<Type> {
        let place = self.expr(place)?;
        let value = self.expr(value)?;
        self.coerce(&value, &place, span)?;
        Ok(Type::Unit)
    }

    fn assign_op(&mut self, op: BinaryOp, place: &Expr, value: &Expr, span: SpanId) -> Result<Type> {
        let place = self.expr(place)?;
        let value = self.expr(value)?;
        let result = self.binary_type(op, &place, &value, span)?;
        self.unify(&result, &place, span)?;
        Ok(Type::Unit)
    }

    fn cast(&mut self, value: &Expr, ty: TypeId) -> Result<Type> {
        let ty = self.named_type(ty)?;
        self.expr_for(value, Some(&ty))?;
        Ok(ty)
    }

    fn tuple(&mut self, parts: &[Expr]) -> Result<Type> {
        if parts.is_empty() {
            return Ok(Type::Unit);
        }
        let types = parts.iter().map(|part| self.expr(part));
        Ok(Type::Tuple(types.collect::<Result<_>>()?))
    }

    fn array(&mut self, parts: &[Expr]) -> Result<Type> {
        let elem = self.table.fresh();
        parts.iter().try_for_each(|part| self.expect(part, &elem))?;
        Ok(Type::Array(Box::new(elem), parts.len()))
    }

    fn repeat(&mut self, value: &Expr, count: &Expr) -> Result<Type> {
        let elem = self.expr(value)?;
        self.expect(count, &Type::USIZE)?;
        Ok(Type::Array(Box::new(elem), self.count(count)?))
    }

    fn tuple_struct(&mut self, ty: TypeId, parts: &[Expr], span: SpanId) -> Result<Type> {
        let names: Vec<String> = (0..parts.len()).map(|position| position.to_string()).collect();
        self.struct_literal(ty, &mut names.iter().map(String::as_str).zip(parts), span)
    }

    fn reference(&mut self, mutable: bool, value: &Expr) -> Result<Type> {
        let ty = self.expr(value)?;
        Ok(normal(Type::Ref(Box::new(self.table.shallow(&ty)), mutable)))
    }

    fn dereference(&mut self, value: &Expr, span: SpanId) -> Result<Type> {
        let ty = self.expr(value)?;
        Ok(match self.known(&ty, span, "dereferenced value")? {
            Type::Ref(inner, _) | Type::Local(inner) | Type::Spec(inner) => *inner,
            // A reference to a handle is the handle.
            ty => ty,
        })
    }

    pub(super) fn constant(&self, id: ConstId, span: SpanId) -> Result<Type> {
        let value = self.bound.consts.get(id.0 as usize);
        let ty = value.map(|value| value.ty.clone());
        ty.ok_or_else(|| self.error(span, InferErrorKind::Internal("a constant outside the table".into())))
    }

    /// The value of an array's length or of a const argument.
    pub(super) fn count(&self, expr: &Expr) -> Result<usize> {
        let value = match &expr.kind {
            ExprKind::Lit(Lit::Int(value, _)) => Some(*value),
            ExprKind::Const(id) => self.bound.consts.get(id.0 as usize).and_then(|value| value.value.as_int()),
            _ => None,
        };
        let count = value.and_then(|value| usize::try_from(value).ok());
        count.ok_or_else(|| {
            self.error(expr.span, InferErrorKind::Internal("an array length that is no constant".into()))
        })
    }

    fn index(&mut self, base: &Expr, index: &Expr, span: SpanId) -> Result<Type> {
        let base = self.expr(base)?;
        let index_type = self.expr(index)?;
        let mut base = self.behind_refs(&base, span, "indexed value")?;
        if let Type::Local(inner) | Type::Spec(inner) = base {
            base = self.known(&inner, span, "indexed value")?;
        }
        match base {
            Type::Array(elem, _) | Type::Vector(elem, _) | Type::Span(elem) => {
                self.coerce(&index_type, &Type::USIZE, span)?;
                Ok(*elem)
            }
            Type::View(elem, dims)
            | Type::ItemMut(elem, dims)
            | Type::GroupMut(elem, dims)
            | Type::ScatterMut(elem, dims)
            | Type::LocalAccessor(elem, dims) => {
                self.coordinates(&index_type, dims, span)?;
                Ok(*elem)
            }
            ty => Err(self.error(span, InferErrorKind::NoOperation { ty, operation: "index".into() })),
        }
    }

    /// The index of a view: an integer, an array of them, or a token that stands for one.
    pub(super) fn coordinates(&mut self, index: &Type, dims: u8, span: SpanId) -> Result<()> {
        let index = match self.table.shallow(index) {
            Type::Ref(inner, _) => self.table.shallow(&inner),
            ty => ty,
        };
        match index {
            Type::Item(found) | Type::NdItem(found) | Type::Group(found) if found == dims => Ok(()),
            Type::Array(..) => self.unify(&index, &Type::Array(Box::new(Type::USIZE), usize::from(dims)), span),
            _ if dims == 1 => self.coerce(&index, &Type::USIZE, span),
            _ => self.unify(&index, &Type::Array(Box::new(Type::USIZE), usize::from(dims)), span),
        }
    }

    /// The type of a value as field access sees it: behind references and the handles that dereference to a value.
    fn fields_of(&mut self, base: &Expr, span: SpanId) -> Result<Type> {
        let ty = self.expr(base)?;
        let mut ty = self.behind_refs(&ty, span, "value whose field is taken")?;
        while let Type::Local(inner) | Type::Spec(inner) = ty {
            ty = self.known(&inner, span, "value whose field is taken")?;
        }
        Ok(ty)
    }

    fn field(&mut self, base: &Expr, name: &str, span: SpanId) -> Result<Type> {
        match self.fields_of(base, span)? {
            Type::Struct(ty) if ty.field(name).is_some() => {
                let field = ty.field(name).map(|position| ty.fields[position].ty.clone());
                Ok(field.unwrap_or(Type::Infer))
            }
            Type::Vector(elem, lanes) if lane_of(name).is_some_and(|lane| lane < lanes && lanes <= 4) => Ok(*elem),
            ty => Err(self.error(span, InferErrorKind::NoField { ty, name: name.to_owned() })),
        }
    }

    fn tuple_field(&mut self, base: &Expr, position: u32, span: SpanId) -> Result<Type> {
        let ty = self.fields_of(base, span)?;
        let part = match &ty {
            Type::Tuple(parts) => parts.get(position as usize).cloned(),
            Type::Struct(ty) if ty.tuple => ty.fields.get(position as usize).map(|field| field.ty.clone()),
            _ => None,
        };
        part.ok_or_else(|| self.error(span, InferErrorKind::NoField { ty, name: position.to_string() }))
    }

    fn struct_literal<'e>(
        &mut self,
        ty: TypeId,
        fields: &mut dyn Iterator<Item = (&'e str, &'e Expr)>,
        span: SpanId,
    ) -> Result<Type> {
        let named = self.named_type(ty)?;
        let Type::Struct(struct_type) = self.table.shallow(&named) else {
            return Err(self.error(span, InferErrorKind::NoOperation { ty: named, operation: "struct literal".into() }));
        };
        let mut given = 0;
        for (name, value) in fields {
            let Some(position) = struct_type.field(name) else {
                let ty = Type::Struct(struct_type.clone());
                return Err(self.error(span, InferErrorKind::NoField { ty, name: name.to_owned() }));
            };
            self.expect(value, &struct_type.fields[position].ty)?;
            given += 1;
        }
        if given != struct_type.fields.len() {
            let (name, expected) = (struct_type.name.to_owned(), struct_type.fields.len());
            return Err(self.error(span, InferErrorKind::Arguments { name, expected, found: given }));
        }
        Ok(Type::Struct(struct_type))
    }

    /// Whether a literal's type is open, and if so, whether it is an integer's.
    pub(super) fn literal_kind(&self, ty: &Type) -> Option<bool> {
        if self.table.is_int_var(ty) { Some(true) } else { self.table.is_float_var(ty).then_some(false) }
    }
}

/// The lane that a vector's field names.
pub(crate) fn lane_of(name: &str) -> Option<u8> {
    match name {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        "w" => Some(3),
        _ => None,
    }
}
