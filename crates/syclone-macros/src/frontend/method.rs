//! Method calls: which method it is, the receiver's type tells later; here only what is never allowed is told apart.

use super::advice;
use super::expr::strip;
use super::hygiene::name_of;
use super::lower::{Body, Lowerer};
use super::pattern::is_upper;
use super::types::PRIMITIVES;
use syclone_kernel_ast::analysis::sync::COLLECTIVES;
use syclone_kernel_ast::tree::*;
use syn::{Expr as SynExpr, GenericArgument, Type};

/// Whether all items of a group or sub-group must reach its method of this name.
pub fn is_collective(name: &str) -> bool {
    name == "barrier" || COLLECTIVES.contains(&name)
}

impl Lowerer {
    /// A method call.
    pub fn method(&mut self, call: &syn::ExprMethodCall) -> Expr {
        let name = name_of(&call.method);
        let span = call.method.span();
        if matches!(strip(&call.receiver), SynExpr::Range(_)) {
            return self.bad(&call.method, advice::for_range_method(&name));
        }
        if let Some(message) = advice::for_method(&name) {
            return self.bad(&call.method, format!("`.{name}()` cannot be used in a kernel: {message}"));
        }
        let before = self.errors.len();
        let item = self.item(&call.receiver);
        let receiver = match item {
            Some((item, _)) => item,
            None => self.expr(&call.receiver),
        };
        self.check_collective(&receiver, &name, span);
        self.check_own_method(&receiver, &name, span);
        let (mut types, mut consts) = (Vec::new(), Vec::new());
        for argument in call.turbofish.iter().flat_map(|list| &list.args) {
            self.turbofish(argument, &mut types, &mut consts);
        }
        // A chain of iterator methods is one mistake, not one for each link and closure.
        if self.errors.len() > before && call.args.iter().all(|arg| matches!(strip(arg), SynExpr::Closure(_))) {
            return self.unit(span);
        }
        let values: Vec<&SynExpr> = call.args.iter().map(strip).collect();
        self.check_dimension(&receiver, &name, &values);
        let args = call.args.iter().map(|arg| self.argument(arg)).collect();
        let kind = ExprKind::Method { receiver: Box::new(receiver), name, types, consts, args };
        self.make(kind, span)
    }

    fn turbofish(&mut self, argument: &GenericArgument, types: &mut Vec<TypeId>, consts: &mut Vec<ConstId>) {
        match argument {
            GenericArgument::Type(Type::Path(path)) if self.names_const(path) => {
                let path = syn::ExprPath { attrs: Vec::new(), qself: path.qself.clone(), path: path.path.clone() };
                let mut value = SynExpr::Path(path);
                let text = super::types::display(&value);
                super::local_const::substitute_in_expr(&mut value, &self.scopes);
                consts.push(self.intern_const_as(value, text));
            }
            GenericArgument::Type(ty) => types.push(self.ty(ty)),
            GenericArgument::Const(value) => {
                let mut value = value.clone();
                let text = super::types::display(&value);
                super::local_const::substitute_in_expr(&mut value, &self.scopes);
                consts.push(self.intern_const_as(value, text));
            }
            other => self.error(other, "only types and constants can stand between a method's angle brackets"),
        }
    }

    /// Whether a const argument's path, which the grammar takes for a type, names a constant.
    fn names_const(&self, path: &syn::TypePath) -> bool {
        let Some(last) = path.path.segments.last() else {
            return false;
        };
        if path.path.segments.len() == 1 {
            let name = last.ident.to_string();
            if self.generics.consts.contains(&name) {
                return true;
            }
            if self.generics.types.contains_key(&name) || PRIMITIVES.contains(&name.as_str()) {
                return false;
            }
        }
        names_const(&path.path)
    }

    /// Whether an expression is a group or a sub-group, as far as names tell.
    pub fn is_group(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Var(var) => {
                self.group_vars.contains(var) || matches!(self.role(*var), Some(ParamRole::Group | ParamRole::SubGroup))
            }
            ExprKind::Method { receiver, name, .. } => {
                matches!(name.as_str(), "group" | "sub_group") && self.is_item(receiver)
            }
            _ => false,
        }
    }

    fn is_item(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Var(var) => {
                matches!(self.role(*var), Some(ParamRole::Item | ParamRole::NdItem | ParamRole::NdItemRef))
            }
            _ => false,
        }
    }

    /// A function that does not hold the item by value runs for one item, so it cannot wait for the others.
    fn check_collective(&mut self, receiver: &Expr, name: &str, span: proc_macro2::Span) {
        let on_item = self.is_item(receiver);
        if matches!(self.kind, FunctionKind::Range { .. })
            && on_item
            && matches!(
                name,
                "barrier"
                    | "group"
                    | "sub_group"
                    | "local_id"
                    | "group_id"
                    | "local_range"
                    | "group_range"
                    | "local_linear_id"
                    | "group_linear_id"
            )
        {
            self.error_at(
                span,
                format!("a range kernel has no work-groups, so `{name}` means nothing: take `item: NdItem<…>` and launch over an `NdRange`"),
            );
            return;
        }
        let synchronises = (on_item && name == "barrier") || (self.is_group(receiver) && is_collective(name));
        if synchronises && self.body == Body::Device && self.kind != FunctionKind::Collective {
            self.error_at(
                span,
                format!("`{name}` waits for the other items of the group, so the function must take the item by value: write `item: NdItem<…>`, and call it with `item`"),
            );
        }
    }

    fn check_own_method(&mut self, receiver: &Expr, name: &str, span: proc_macro2::Span) {
        let (Some(own), of_self) = &self.own_name else { return };
        let on_self = matches!(&receiver.kind, ExprKind::Var(var) if self.vars[var.0 as usize].name == "self");
        if *of_self && on_self && own == name {
            self.error_at(span, "recursion does not exist on a device: write a loop");
        }
    }
}

/// Whether a path between angle brackets names a constant by convention: `WIDTH` is one, `T` and `F32x4` are types.
pub fn names_const(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|last| {
        let name = last.ident.to_string();
        last.arguments.is_none() && is_upper(&name) && name.len() > 1 && name == name.to_uppercase()
    })
}
