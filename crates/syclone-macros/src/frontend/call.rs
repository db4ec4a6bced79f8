//! Calls by path: what the path means is told by its spelling, and rustc checks it against the real item.

use super::expr::strip;
use super::local_const::substitute_in_generics;
use super::lower::{Binding, Body, Lowerer};
use super::pattern::is_upper;
use super::surroundings::Surroundings;
use super::types::{self, display};
use super::{Callee, LibraryName, advice};
use proc_macro2::Span;
use quote::ToTokens;
use syclone_kernel_ast::tree::*;
use syn::{Expr as SynExpr, GenericArgument, PathArguments, Type};

/// The library's free functions.
const FREE: [&str; 4] = ["local", "fence", "min", "max"];

/// The library's traits whose functions every device has.
const BUILTIN_TRAITS: [&str; 12] = [
    "Scalar",
    "Float",
    "Integer",
    "VectorElement",
    "Math",
    "IntegerMath",
    "Geometric",
    "Upsample",
    "From",
    "DeviceCopy",
    "Lanes",
    "Default",
];

/// Traits without functions that a kernel calls by path.
const NEUTRAL_TRAITS: [&str; 6] = ["Copy", "Clone", "Send", "Sync", "PartialOrd", "PartialEq"];

/// The functions without a receiver of the library's own traits.
const BUILTIN_ASSOC: [&str; 6] = ["from", "from_f64", "from_scalar", "from_bits", "zeroed", "default"];

/// Whether a bound's name is that of a trait of the library's, or of one without methods for kernels.
pub fn is_library_trait(name: &proc_macro2::Ident) -> bool {
    BUILTIN_TRAITS.iter().chain(&NEUTRAL_TRAITS).any(|known| name == known)
}

impl Lowerer {
    /// A call by path.
    pub fn call(&mut self, call: &syn::ExprCall, local_allowed: bool) -> Expr {
        let SynExpr::Path(function) = strip(&call.func) else {
            if let SynExpr::Closure(closure) = strip(&call.func) {
                return self
                    .bad(closure, "closures do not exist on a device: write the code here, or a `#[device_fn]`");
            }
            return self.bad(&call.func, "only functions are called, by their names: write a `#[device_fn]`");
        };
        let path = &function.path;
        let (Some(last), segments) = (path.segments.last(), names(path)) else {
            return self.bad(path, "a call needs a function's name");
        };
        let span = last.ident.span();
        if function.qself.is_none()
            && segments.len() == 1
            && let Some(Binding::Var(var)) = self.lookup(&last.ident)
        {
            if self.poisoned.contains(var) {
                return self.unit(span);
            }
            return self.bad(
                path,
                "a variable cannot be called: closures and function pointers do not exist on a device; be generic over a trait with a `#[device_fn]`",
            );
        }
        if function.qself.is_none()
            && let Some(message) = advice::for_path(&segments)
        {
            return self.bad(path, message);
        }
        if let Some(builtin) = self.builtin(function, &segments) {
            return self.builtin_call(builtin, call, span, local_allowed);
        }
        if is_upper(segments.last().map(String::as_str).unwrap_or_default()) {
            let args = call.args.iter().map(|arg| self.expr(arg)).collect();
            let ty = Type::Path(syn::TypePath { attrs: Vec::new(), qself: function.qself.clone(), path: path.clone() });
            let ty = self.ty(&ty);
            return self.make(ExprKind::TupleStruct(ty, args), span);
        }
        self.check_recursion(path, &segments);
        if function.qself.is_none() {
            self.check_plain(path, &segments);
        }
        let args = call.args.iter().map(|arg| self.argument(arg)).collect();
        let id = self.callee(function);
        self.make(ExprKind::Call(id, args), span)
    }

    /// An argument: a value, the item, or a reference to a variable.
    pub fn argument(&mut self, arg: &SynExpr) -> Expr {
        if let Some((item, _)) = self.item(arg) {
            return item;
        }
        let SynExpr::Reference(reference) = strip(arg) else {
            return self.expr(arg);
        };
        let mutable = reference.mutability.is_some();
        let span = reference.and_token.span;
        if let Some((item, role)) = self.item(&reference.expr) {
            if mutable {
                return self.bad(
                    reference,
                    "the item is passed by value to a function that synchronises, and as `&item` to others",
                );
            }
            // A reference to a reference would not be what the function takes.
            if matches!(role, ParamRole::NdItemRef) {
                return item;
            }
            return self.make(ExprKind::Ref(false, Box::new(item)), span);
        }
        if indexes(&reference.expr) {
            let verb =
                if mutable { "pass a `&mut` to a variable and store it back after the call" } else { "pass the value" };
            return self.bad(
                reference.and_token,
                format!(
                    "a reference into memory cannot be passed: copy the element into a variable first, then {verb}"
                ),
            );
        }
        let value = if mutable { self.place(&reference.expr) } else { self.expr(&reference.expr) };
        self.make(ExprKind::Ref(mutable, Box::new(value)), span)
    }

    /// The name and the type of a call of the library's own, if it is one.
    fn builtin(&mut self, function: &syn::ExprPath, segments: &[String]) -> Option<(String, Option<Type>)> {
        let name = segments.last()?.clone();
        if let Some(qself) = &function.qself {
            let of_trait = qself.position.checked_sub(1).and_then(|idx| segments.get(idx));
            let known = match of_trait {
                Some(of_trait) => BUILTIN_TRAITS.contains(&of_trait.as_str()),
                None => self.is_builtin_of(&qself.ty, &name),
            };
            return (known && segments.len() == qself.position + 1).then(|| (name, Some((*qself.ty).clone())));
        }
        match segments {
            // A device function that is called like one of them is called by another path.
            [only] if FREE.contains(&only.as_str()) => Some((name, None)),
            [first, .., only] if first == "syclone" && FREE.contains(&only.as_str()) => Some((name, None)),
            [_] => None,
            [.., _, _] => {
                let mut path = function.path.clone();
                path.segments.pop();
                // `a::b::` would keep its last `::`.
                path.segments.pop_punct();
                let ty = Type::Path(syn::TypePath { attrs: Vec::new(), qself: None, path });
                self.is_builtin_of(&ty, &name).then(|| (name, Some(complete_vector(ty))))
            }
            [] => None,
        }
    }

    /// Whether `ty::name` is one of the library's functions.
    fn is_builtin_of(&self, ty: &Type, name: &str) -> bool {
        let Some(segment) = types::last_segment(ty) else {
            return false;
        };
        let of = segment.ident.to_string();
        if types::PRIMITIVES.contains(&of.as_str()) || of == "Vector" || is_vector_alias(&of) {
            return true;
        }
        let Some(bounds) = self.generics.types.get(&of) else {
            return false;
        };
        let ours = |bound: &String| BUILTIN_TRAITS.contains(&bound.as_str());
        let neutral = |bound: &String| NEUTRAL_TRAITS.contains(&bound.as_str());
        // Where a user's trait bounds the parameter too, the name decides.
        bounds.iter().any(ours)
            && (BUILTIN_ASSOC.contains(&name) || bounds.iter().all(|bound| ours(bound) || neutral(bound)))
    }

    fn builtin_call(
        &mut self,
        (name, of): (String, Option<Type>),
        call: &syn::ExprCall,
        span: Span,
        local_allowed: bool,
    ) -> Expr {
        let SynExpr::Path(function) = strip(&call.func) else {
            return self.unit(span);
        };
        if of.is_none() {
            self.note_library_name(&function.path, false);
            if name == "local" {
                self.check_local(call, function, span, local_allowed);
            }
        }
        let mut types: Vec<TypeId> = of.iter().map(|ty| self.ty(ty)).collect();
        if let Some(PathArguments::AngleBracketed(list)) =
            function.path.segments.last().map(|segment| &segment.arguments)
        {
            for argument in &list.args {
                match argument {
                    GenericArgument::Type(ty) => types.push(self.ty(ty)),
                    other => self.error(other, format!("`{name}` takes only types between its angle brackets")),
                }
            }
        }
        let args = call.args.iter().map(|arg| self.expr(arg)).collect();
        self.make(ExprKind::Builtin(name, types, args), span)
    }

    /// Notes that the body calls the library's function or macro by this path.
    pub(super) fn note_library_name(&mut self, path: &syn::Path, is_macro: bool) {
        let mut path = path.clone();
        if let Some(last) = path.segments.last_mut() {
            last.arguments = PathArguments::None;
        }
        let text = display(&path);
        let is_same = |known: &LibraryName| known.is_macro == is_macro && display(&known.path) == text;
        if !self.library_names.iter().any(is_same) {
            self.library_names.push(LibraryName { path, is_macro });
        }
    }

    fn check_local(&mut self, call: &syn::ExprCall, function: &syn::ExprPath, span: Span, allowed: bool) {
        if !allowed {
            let message = match (self.body, self.kind) {
                (Body::Device, _) => {
                    "local memory is declared in the kernel: take a `Local<T>` parameter, or a `LocalAccessor`, here"
                }
                (Body::Kernel, FunctionKind::Range { .. }) => {
                    "a range kernel has no work-groups, so no local memory: take `item: NdItem<…>` and launch over an `NdRange`"
                }
                (Body::Kernel, FunctionKind::SingleTask) => {
                    "a single task has no work-group, so no local memory: use an array `[value; N]`"
                }
                _ => {
                    "`local` stands alone after a `let` at the top level of the kernel: write `let tile = local::<[f32; 64]>();` there"
                }
            };
            self.error_at(span, message);
        }
        let types = match function.path.segments.last().map(|segment| &segment.arguments) {
            Some(PathArguments::AngleBracketed(list)) => list.args.len(),
            _ => 0,
        };
        if types != 1 {
            self.error_at(span, "say what the local memory holds: `local::<[f32; 64]>()`");
        }
        if !call.args.is_empty() {
            self.error(
                &call.args,
                "`local` takes no arguments: local memory starts undefined, and items write it before a barrier",
            );
        }
    }

    fn check_recursion(&mut self, path: &syn::Path, segments: &[String]) {
        let (Some(own), of_self) = &self.own_name else { return };
        let recursive = match segments {
            [only] => !of_self && own == only,
            [first, last] => *of_self && first == "Self" && own == last,
            _ => false,
        };
        if recursive {
            self.error(path, "recursion does not exist on a device: write a loop");
        }
    }

    /// Functions that are seen to be the host's.
    fn check_plain(&mut self, path: &syn::Path, segments: &[String]) {
        let around = || {
            let (name, words) = (path.segments.last()?, format!("fn {}", segments.last()?));
            match &self.own_name.0 {
                Some(own) => Surroundings::of_function(own, &[&words]),
                None => Surroundings::of_inline(name.ident.span(), &[&words]),
            }
        };
        let message = match segments {
            [only] if around().is_some_and(|around| around.is_plain_function(only)) => {
                format!("`{only}` is a function of the host only: write `#[device_fn]` over it to call it in kernels")
            }
            [ty, name]
                if !self.generics.types.contains_key(ty)
                    && around().is_some_and(|around| around.is_plain_method(ty, name)) =>
            {
                format!(
                    "`{ty}::{name}` is a function of the host only: write `#[device_fn]` over its `impl` block to call it in kernels"
                )
            }
            _ => return,
        };
        self.error(path, message);
    }

    fn callee(&mut self, function: &syn::ExprPath) -> CalleeId {
        let text = display(function);
        let mut path = function.path.clone();
        let mut generics = None;
        if let Some(last) = path.segments.last_mut()
            && let PathArguments::AngleBracketed(mut list) = std::mem::replace(&mut last.arguments, PathArguments::None)
        {
            for argument in &list.args {
                if let GenericArgument::Type(ty) = argument {
                    self.check_type(ty, true);
                }
            }
            substitute_in_generics(&mut list, &self.scopes);
            generics = Some(list);
        }
        let names = names(&path);
        let assoc = function.qself.is_some() || names.len().checked_sub(2).is_some_and(|idx| is_upper(&names[idx]));
        let key = format!("{} {}", function.to_token_stream(), generics.to_token_stream());
        let callee = match path.segments.last().cloned() {
            Some(last) if assoc => {
                let prefix = match &function.qself {
                    Some(qself) if qself.position + 1 == names.len() => {
                        let ty = &qself.ty;
                        let as_trait = qself.as_token.map(|token| {
                            let segments = path.segments.iter().take(qself.position);
                            let colons = path.leading_colon;
                            quote::quote!(#token #colons #(#segments)::*)
                        });
                        quote::quote!(<#ty #as_trait>)
                    }
                    qself => {
                        let mut prefix = path.clone();
                        prefix.segments.pop();
                        prefix.segments.pop_punct();
                        syn::TypePath { attrs: Vec::new(), qself: qself.clone(), path: prefix }.to_token_stream()
                    }
                };
                let of_trait = function.qself.as_ref().is_some_and(|qself| qself.position > 0);
                Callee::Assoc { prefix, of_trait, name: last.ident, generics }
            }
            _ => Callee::Free { path, generics },
        };
        CalleeId(self.callees.intern(key, text, callee))
    }
}

fn names(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

/// Whether a place goes through an index.
fn indexes(expr: &SynExpr) -> bool {
    match strip(expr) {
        SynExpr::Index(_) => true,
        SynExpr::Field(field) => indexes(&field.base),
        _ => false,
    }
}

/// `F32x4`, `U8x16` and the like: the vector aliases.
pub fn is_vector_alias(name: &str) -> bool {
    let Some((scalar, lanes)) = name.split_once('x') else {
        return false;
    };
    matches!(lanes, "2" | "3" | "4" | "8" | "16")
        && matches!(
            scalar,
            "F16"
                | "Bf16"
                | "BF16"
                | "F32"
                | "F64"
                | "I8"
                | "I16"
                | "I32"
                | "I64"
                | "U8"
                | "U16"
                | "U32"
                | "U64"
                | "Bool"
        )
}

/// `Vector::splat(x)` leaves its parameters to inference; as a type that must be said.
fn complete_vector(mut ty: Type) -> Type {
    if let Type::Path(path) = &mut ty
        && let Some(last) = path.path.segments.last_mut()
        && last.ident == "Vector"
        && last.arguments.is_none()
    {
        last.arguments = PathArguments::AngleBracketed(syn::parse_quote!(<_, _>));
    }
    ty
}
