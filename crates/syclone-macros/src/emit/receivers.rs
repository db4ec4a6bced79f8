//! Which receivers have the built-in method that they are called with, by what the function itself spells. Of the others the
//! printed code asks rustc: a plain method of the program's may have the name too.

use std::collections::BTreeMap;

use quote::ToTokens;
use syclone_kernel_ast::analysis::walk::{Binding, each_binding};
use syclone_kernel_ast::tree::*;

use super::builtin_names::Group;
use super::found::{is_value, may_be_value};
use super::numbers::{Numbers, is_bounded};
use super::parameters::mentions_params;
use crate::frontend::{Parsed, is_library_trait, is_vector_alias, last_segment};

/// What a value is, as far as that says which methods it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Float,
    Integer,
    Number,
    Vector,
    Array,
}

impl Class {
    fn has(self, name: &str, group: Group) -> bool {
        match self {
            Class::Float => matches!(group, Group::Floats | Group::Numbers),
            Class::Integer => matches!(group, Group::Integers | Group::Numbers),
            Class::Number => group == Group::Numbers,
            Class::Vector => !matches!(group, Group::Memory | Group::Items),
            Class::Array => name == "len",
        }
    }
}

/// What is known of a function's receivers.
pub struct Receivers<'a> {
    pub numbers: Numbers<'a>,
    /// The variables whose first value says what they are.
    variables: BTreeMap<u32, Class>,
}

impl<'a> Receivers<'a> {
    /// Looks at each `let`, `for` and `match`.
    pub fn of(parsed: &'a Parsed) -> Self {
        let mut receivers = Receivers { numbers: Numbers::of(parsed), variables: BTreeMap::new() };
        each_binding(&parsed.function.body, &mut |binding| match binding {
            Binding::Let { pattern, init: value, .. } | Binding::Arm(pattern, value) => receivers.bind(pattern, value),
            Binding::For(Pattern::Bind { var, .. }) => {
                receivers.variables.insert(var.0, Class::Integer);
            }
            Binding::For(_) => {}
        });
        receivers
    }

    /// Whether rustc is to be asked which method the call of a built-in one's name means.
    pub fn is_asked(&self, receiver: &Expr, name: &str) -> bool {
        let Some(group) = Group::of(name) else { return false };
        if self.is_handle(receiver, name) || !may_be_value(self.numbers.parsed, self.behind_atomic(receiver)) {
            return false;
        }
        !self.class(receiver).is_some_and(|class| class.has(name, group))
    }

    /// Whether a receiver is memory, the item or a group, or a second name of one.
    fn is_handle(&self, receiver: &Expr, name: &str) -> bool {
        if self.numbers.roles.token(receiver).is_some() || self.numbers.roles.is_any_item(receiver) {
            return true;
        }
        let ExprKind::Var(var) = receiver.kind else { return false };
        self.numbers.roles.role(var).is_some_and(|role| match role {
            ParamRole::Spec => name == "get",
            // What an inline kernel captured is taken for memory until its type tells.
            ParamRole::ItemMut if self.numbers.parsed.is_inline => false,
            role => !is_value(role),
        })
    }

    /// What the order and the scope of an atomic operation are asked of.
    fn behind_atomic<'e>(&self, receiver: &'e Expr) -> &'e Expr {
        match &receiver.kind {
            ExprKind::Method { receiver, name, .. } if matches!(name.as_str(), "order" | "scope") => {
                self.behind_atomic(receiver)
            }
            _ => receiver,
        }
    }

    /// Whether a receiver leads to the value: by a reference, or as a specialised argument.
    pub fn refers(&self, receiver: &Expr) -> bool {
        let role = if let ExprKind::Var(var) = receiver.kind { self.numbers.roles.role(var) } else { None };
        role == Some(ParamRole::Spec) || self.numbers.spelled.refers(receiver)
    }

    /// Whether the function itself spells the receiver's type, without any of its parameters.
    pub fn is_spelled(&self, receiver: &Expr) -> bool {
        self.numbers
            .spelled
            .type_of(receiver)
            .is_some_and(|ty| !mentions_params(self.numbers.parsed, &ty.to_token_stream()))
    }

    /// Whether `from` of the value is surely the language's or the library's.
    pub fn is_converted(&self, value: &Expr) -> bool {
        self.numbers.is_number(value) || self.class(value) == Some(Class::Array)
    }

    /// Whether two values that are compared are surely numbers: no program compares those in a way of its own.
    pub fn are_numbers(&self, left: &Expr, right: &Expr) -> bool {
        self.numbers.is_number(left) && self.numbers.is_number(right)
    }

    fn class(&self, expr: &Expr) -> Option<Class> {
        if let Some(ty) = self.numbers.spelled.type_of(expr) {
            return self.class_of_type(ty);
        }
        match &expr.kind {
            ExprKind::Lit(Lit::Float(..)) => Some(Class::Float),
            ExprKind::Lit(Lit::Int(..)) => Some(Class::Integer),
            ExprKind::Var(var) => self.variables.get(&var.0).copied(),
            ExprKind::Field(base, name) if self.class(base) == Some(Class::Vector) => {
                matches!(name.as_str(), "x" | "y" | "z" | "w").then(|| self.class_of_lanes(base))?
            }
            ExprKind::Unary(_, value) => self.class(value),
            ExprKind::Binary(op, left, right) => self.class_of_result(*op, left, right),
            ExprKind::Const(id) => self.class_of_constant(&self.numbers.parsed.consts[id.0 as usize]),
            ExprKind::Builtin(_, types, args) => match types.first() {
                Some(ty) => self.class_of_type(&self.numbers.parsed.types[ty.0 as usize]),
                None => args.iter().find_map(|arg| self.class(arg)),
            },
            ExprKind::Method { receiver, name, args, .. } => self.class_of_call(receiver, name, args),
            ExprKind::Block(None, block) => self.class(block.tail.as_ref()?),
            ExprKind::If(_, then, otherwise) => {
                let tails = [Some(then), otherwise.as_ref()].into_iter().flatten().filter_map(|b| b.tail.as_ref());
                tails.into_iter().find_map(|tail| self.class(tail))
            }
            ExprKind::Match(_, arms) => arms.iter().find_map(|arm| self.class(&arm.body)),
            _ => None,
        }
    }

    fn class_of_result(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<Class> {
        use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or, Shl, Shr};
        match op {
            Eq | Ne | Lt | Le | Gt | Ge | And | Or => None,
            Shl | Shr => self.class(left),
            _ => {
                let classes = (self.class(left), self.class(right));
                // A number stands for all lanes of a vector, which has the methods of its lanes, too.
                if classes.0 == Some(Class::Vector) { classes.0 } else { classes.1.or(classes.0) }
            }
        }
    }

    /// Methods of numbers that give numbers of their kind.
    fn class_of_call(&self, receiver: &Expr, name: &str, args: &[Expr]) -> Option<Class> {
        match name {
            "reduce" | "broadcast" if self.numbers.roles.token(receiver).is_some() => return self.class(args.first()?),
            "to_f32" | "to_f64" => return Some(Class::Float),
            "convert" => return self.class(receiver).filter(|class| *class == Class::Vector),
            "length" | "distance" | "fast_length" | "fast_distance" => return Some(Class::Float),
            _ => {}
        }
        if self.is_handle(receiver, name) {
            // Ids and extents.
            let is_count = |group| group == Some(Group::Items) || matches!(name, "len" | "extent");
            return is_count(Group::of(name)).then_some(Class::Integer);
        }
        let class = self.class(receiver)?;
        let is_tuple = |parts: &[&str]| parts.iter().any(|part| name.starts_with(part));
        match (class, Group::of(name)?) {
            (Class::Float | Class::Vector, Group::Floats) => {
                let others =
                    ["is_", "sin_cos", "frexp", "modf", "floor_fract", "remquo", "lgamma_r", "ilogb", "to_bits"];
                if class == Class::Vector && name == "dot" {
                    return self.class_of_lanes(receiver);
                }
                (!is_tuple(&others)).then_some(class)
            }
            (Class::Integer | Class::Vector, Group::Integers) => (!is_tuple(&["is_", "overflowing_"])).then_some(class),
            (_, Group::Numbers) => Some(class),
            (Class::Vector, Group::Vectors) => match name {
                "x" | "y" | "z" | "w" | "get" | "sum" => self.class_of_lanes(receiver),
                "all" | "any" | "select" | "to_array" => None,
                name => (!name.starts_with("lanes_")).then_some(class),
            },
            _ => None,
        }
    }

    /// What the lanes of a vector are.
    fn class_of_lanes(&self, vector: &Expr) -> Option<Class> {
        let last = last_segment(self.numbers.spelled.type_of(vector)?)?;
        match &last.arguments {
            syn::PathArguments::AngleBracketed(list) => match list.args.first()? {
                syn::GenericArgument::Type(ty) => self.class_of_type(ty),
                _ => None,
            },
            _ => match last.ident.to_string().as_bytes().first()? {
                b'F' => Some(Class::Float),
                b'I' | b'U' => Some(Class::Integer),
                _ => None,
            },
        }
    }

    fn class_of_type(&self, ty: &syn::Type) -> Option<Class> {
        if let syn::Type::Array(_) = ty {
            return Some(Class::Array);
        }
        let syn::Type::Path(path) = ty else { return None };
        let name = last_segment(ty)?.ident.to_string();
        if let Some(ident) = path.path.get_ident() {
            for generics in [&self.numbers.parsed.generics, &self.numbers.parsed.outer] {
                if generics.type_params().any(|param| param.ident == *ident) {
                    return class_of_param(generics, ident);
                }
            }
        }
        match name.as_str() {
            "f16" | "bf16" | "f32" | "f64" => Some(Class::Float),
            "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => Some(Class::Integer),
            name => (name == "Vector" || is_vector_alias(name)).then_some(Class::Vector),
        }
    }

    /// A constant of a primitive type, or a const parameter.
    fn class_of_constant(&self, value: &syn::Expr) -> Option<Class> {
        let syn::Expr::Path(path) = value else { return None };
        let is_param = |generics: &syn::Generics| generics.const_params().any(|param| path.path.is_ident(&param.ident));
        if is_param(&self.numbers.parsed.generics) || is_param(&self.numbers.parsed.outer) {
            return Some(Class::Integer);
        }
        let mut before = path.path.segments.iter().rev().skip(1);
        before.find_map(|segment| {
            let ident = &segment.ident;
            self.class_of_type(&syn::parse_quote!(#ident))
        })
    }

    fn bind(&mut self, pattern: &Pattern, value: &Expr) {
        match (pattern, &value.kind) {
            (Pattern::Tuple(patterns, _), ExprKind::Tuple(values)) => {
                patterns.iter().zip(values).for_each(|(pattern, value)| self.bind(pattern, value));
            }
            (Pattern::Bind { var, .. }, _) => self.variables.extend(self.class(value).map(|class| (var.0, class))),
            _ => {}
        }
    }
}

/// What the bounds say of a type parameter, if all of them are the library's: others may bring methods.
fn class_of_param(generics: &syn::Generics, ident: &syn::Ident) -> Option<Class> {
    let params = generics.type_params().filter(|param| param.ident == *ident);
    let is_foreign = |bound: &syn::TypeParamBound| match bound {
        syn::TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|last| !is_library_trait(&last.ident))
        }
        _ => false,
    };
    if params.flat_map(|param| &param.bounds).any(is_foreign) {
        return None;
    }
    let is_of = |names: &[&str]| is_bounded(generics, ident, names);
    if is_of(&["Float"]) {
        Some(Class::Float)
    } else if is_of(&["Integer"]) {
        Some(Class::Integer)
    } else {
        is_of(&["Scalar"]).then_some(Class::Number)
    }
}
