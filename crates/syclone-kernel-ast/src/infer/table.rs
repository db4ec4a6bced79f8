//! Variables of inference and their unification.

use crate::types::{IntKind, Type};

/// What a variable may become.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    Int,
    Float,
}

enum Entry {
    Free(Kind),
    Is(Type),
}

/// The variables made so far.
#[derive(Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
}

impl Table {
    fn new_var(&mut self, kind: Kind) -> Type {
        self.entries.push(Entry::Free(kind));
        Type::Var(u32::try_from(self.entries.len() - 1).unwrap_or(u32::MAX))
    }

    /// A variable for any type.
    pub(super) fn fresh(&mut self) -> Type {
        self.new_var(Kind::Any)
    }

    /// The type of an integer literal.
    pub(super) fn fresh_int(&mut self) -> Type {
        self.new_var(Kind::Int)
    }

    /// The type of a float literal.
    pub(super) fn fresh_float(&mut self) -> Type {
        self.new_var(Kind::Float)
    }

    /// A type of the tables in the form that inference works on: variables for what is left open, and no references to
    /// handles, which are passed by value whichever way they are written.
    pub(super) fn instantiate(&mut self, ty: &Type) -> Type {
        if *ty == Type::Infer {
            return self.fresh();
        }
        normal(map(ty, &mut |part| self.instantiate(part)))
    }

    /// The type with the outermost variable replaced by what it stands for.
    pub(super) fn shallow(&self, ty: &Type) -> Type {
        let mut ty = ty;
        while let Type::Var(var) = ty {
            match self.entries.get(*var as usize) {
                Some(Entry::Is(known)) => ty = known,
                _ => break,
            }
        }
        ty.clone()
    }

    /// The type with every known variable replaced.
    pub(super) fn resolve(&self, ty: &Type) -> Type {
        let ty = self.shallow(ty);
        map(&ty, &mut |part| self.resolve(part))
    }

    /// Whether a resolved type still has variables.
    pub(super) fn has_vars(&self, ty: &Type) -> bool {
        let mut found = matches!(ty, Type::Var(_));
        map(ty, &mut |part| {
            found |= self.has_vars(part);
            Type::Unit
        });
        found
    }

    fn kind(&self, ty: &Type) -> Option<Kind> {
        match ty {
            Type::Var(var) => match self.entries.get(*var as usize) {
                Some(Entry::Free(kind)) => Some(*kind),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it is an integer literal's type that is still open.
    pub(super) fn is_int_var(&self, ty: &Type) -> bool {
        self.kind(&self.shallow(ty)) == Some(Kind::Int)
    }

    /// Whether it is a float literal's type that is still open.
    pub(super) fn is_float_var(&self, ty: &Type) -> bool {
        self.kind(&self.shallow(ty)) == Some(Kind::Float)
    }

    /// Whether nothing at all is known of it.
    pub(super) fn is_open(&self, ty: &Type) -> bool {
        self.kind(&self.shallow(ty)) == Some(Kind::Any)
    }

    /// Makes two types one; false if they cannot be.
    pub(super) fn unify(&mut self, left: &Type, right: &Type) -> bool {
        let (left, right) = (self.shallow(left), self.shallow(right));
        if let (Type::Var(a), Type::Var(b)) = (&left, &right)
            && a == b
        {
            return true;
        }
        match (self.kind(&left), self.kind(&right)) {
            // The more general variable takes the other's place.
            (Some(Kind::Any), _) => self.assign(&left, right),
            (_, Some(Kind::Any)) => self.assign(&right, left),
            (Some(a), Some(b)) => a == b && self.assign(&left, right),
            (Some(kind), None) => fits(kind, &right) && self.assign(&left, right),
            (None, Some(kind)) => fits(kind, &left) && self.assign(&right, left),
            (None, None) => self.unify_known(&left, &right),
        }
    }

    /// Whether a value's type, as far as it is known, may turn out to be one of the tables' types.
    pub(super) fn may_become(&self, found: &Type, expected: &Type) -> bool {
        let (found, expected) = (normal(self.shallow(found)), normal(expected.clone()));
        match (&found, &expected) {
            (Type::Never, _) | (_, Type::Infer) => true,
            (Type::Var(_), expected) => fits(self.kind(&found).unwrap_or(Kind::Any), expected),
            (Type::Ref(a, n), Type::Ref(b, m)) => (n == m || *n) && self.may_become(a, b),
            (Type::Vector(a, n), Type::Vector(b, m)) => n == m && self.may_become(a, b),
            (Type::Array(a, n), Type::Array(b, m)) => n == m && self.may_become(a, b),
            (Type::Tuple(a), Type::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.may_become(a, b))
            }
            _ => self.resolve(&found) == expected,
        }
    }

    fn assign(&mut self, var: &Type, ty: Type) -> bool {
        let Type::Var(index) = var else { return false };
        if self.occurs(*index, &ty) {
            return false;
        }
        match self.entries.get_mut(*index as usize) {
            Some(entry) => {
                *entry = Entry::Is(ty);
                true
            }
            None => false,
        }
    }

    fn occurs(&self, var: u32, ty: &Type) -> bool {
        let ty = self.shallow(ty);
        let mut found = ty == Type::Var(var);
        map(&ty, &mut |part| {
            found |= self.occurs(var, part);
            Type::Unit
        });
        found
    }

    fn unify_known(&mut self, left: &Type, right: &Type) -> bool {
        match (left, right) {
            (Type::Vector(a, n), Type::Vector(b, m)) => n == m && self.unify(a, b),
            (Type::Array(a, n), Type::Array(b, m)) => n == m && self.unify(a, b),
            (Type::Tuple(a), Type::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.unify(a, b)),
            (Type::Ref(a, n), Type::Ref(b, m)) => n == m && self.unify(a, b),
            (Type::View(a, n), Type::View(b, m))
            | (Type::ItemMut(a, n), Type::ItemMut(b, m))
            | (Type::GroupMut(a, n), Type::GroupMut(b, m))
            | (Type::ScatterMut(a, n), Type::ScatterMut(b, m))
            | (Type::AtomicView(a, n), Type::AtomicView(b, m))
            | (Type::LocalAccessor(a, n), Type::LocalAccessor(b, m)) => n == m && self.unify(a, b),
            (Type::Reducer(a, n), Type::Reducer(b, m)) => n == m && self.unify(a, b),
            (Type::AtomicRef(a), Type::AtomicRef(b))
            | (Type::Local(a), Type::Local(b))
            | (Type::Span(a), Type::Span(b))
            | (Type::Spec(a), Type::Spec(b)) => self.unify(a, b),
            _ => left == right,
        }
    }

    /// Gives a literal's open type its default; leaves every other type alone.
    pub(super) fn default_var(&mut self, ty: &Type) {
        let ty = self.shallow(ty);
        let default = match self.kind(&ty) {
            Some(Kind::Int) => Type::Int(IntKind::I32),
            Some(Kind::Float) => Type::F64,
            _ => return,
        };
        self.assign(&ty, default);
    }

    /// Gives every literal whose type is still open its default.
    pub(super) fn apply_defaults(&mut self) {
        for index in 0..self.entries.len() {
            self.default_var(&Type::Var(index as u32));
        }
    }
}

fn fits(kind: Kind, ty: &Type) -> bool {
    match kind {
        Kind::Any => true,
        Kind::Int => ty.is_int(),
        // Literals never are 16-bit floats.
        Kind::Float => matches!(ty, Type::F32 | Type::F64),
    }
}

/// A reference to a handle or token is the handle itself.
pub(super) fn normal(ty: Type) -> Type {
    match ty {
        Type::Ref(inner, _) if is_handle(&inner) => *inner,
        ty => ty,
    }
}

/// Whether it is one of the things that kernels are handed, which have no address.
pub(super) fn is_handle(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Item(_)
            | Type::NdItem(_)
            | Type::Group(_)
            | Type::SubGroup
            | Type::View(..)
            | Type::ItemMut(..)
            | Type::GroupMut(..)
            | Type::ScatterMut(..)
            | Type::AtomicView(..)
            | Type::AtomicRef(_)
            | Type::Local(_)
            | Type::LocalAccessor(..)
            | Type::Span(_)
            | Type::Reducer(..)
            | Type::Op(_)
    )
}

/// The type with its direct parts replaced.
fn map(ty: &Type, change: &mut dyn FnMut(&Type) -> Type) -> Type {
    match ty {
        Type::Vector(elem, lanes) => Type::Vector(Box::new(change(elem)), *lanes),
        Type::Array(elem, len) => Type::Array(Box::new(change(elem)), *len),
        Type::Tuple(parts) => Type::Tuple(parts.iter().map(change).collect()),
        Type::Ref(inner, mutable) => Type::Ref(Box::new(change(inner)), *mutable),
        Type::View(elem, dims) => Type::View(Box::new(change(elem)), *dims),
        Type::ItemMut(elem, dims) => Type::ItemMut(Box::new(change(elem)), *dims),
        Type::GroupMut(elem, dims) => Type::GroupMut(Box::new(change(elem)), *dims),
        Type::ScatterMut(elem, dims) => Type::ScatterMut(Box::new(change(elem)), *dims),
        Type::AtomicView(elem, dims) => Type::AtomicView(Box::new(change(elem)), *dims),
        Type::AtomicRef(elem) => Type::AtomicRef(Box::new(change(elem))),
        Type::Local(inner) => Type::Local(Box::new(change(inner))),
        Type::LocalAccessor(elem, dims) => Type::LocalAccessor(Box::new(change(elem)), *dims),
        Type::Span(elem) => Type::Span(Box::new(change(elem))),
        Type::Reducer(inner, op) => Type::Reducer(Box::new(change(inner)), *op),
        Type::Spec(inner) => Type::Spec(Box::new(change(inner))),
        _ => ty.clone(),
    }
}
