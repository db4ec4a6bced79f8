//! Expressions without control flow and calls.

use super::lower::{Binding, Body, Lowerer};
use super::types;
use proc_macro2::Span;
use quote::ToTokens;
use syclone_kernel_ast::tree::*;
use syn::spanned::Spanned;
use syn::{BinOp, Expr as SynExpr, UnOp};

/// The expression without parentheses and invisible groups.
pub fn strip(mut expr: &SynExpr) -> &SynExpr {
    loop {
        expr = match expr {
            SynExpr::Paren(paren) => &paren.expr,
            SynExpr::Group(group) => &group.expr,
            other => return other,
        }
    }
}

impl Lowerer {
    /// Any expression.
    pub fn expr(&mut self, expr: &SynExpr) -> Expr {
        let local_allowed = std::mem::take(&mut self.local_allowed);
        match strip(expr) {
            SynExpr::Lit(lit) => match self.literal(&lit.lit) {
                Some(value) => self.make(ExprKind::Lit(value), lit.span()),
                None => self.unit(lit.span()),
            },
            SynExpr::Path(path) => self.path(path),
            SynExpr::Unary(unary) => self.unary(unary),
            SynExpr::Binary(binary) => self.binary(binary),
            SynExpr::Assign(assign) => match strip(&assign.left) {
                SynExpr::Infer(_) | SynExpr::Tuple(_) => self.bad(
                    assign,
                    "an assignment to `_` or to a tuple must be a statement of its own: end it with `;`",
                ),
                _ => {
                    let place = self.assigned(&assign.left);
                    let value = self.expr(&assign.right);
                    self.make(ExprKind::Assign(Box::new(place), Box::new(value)), assign.eq_token.span)
                }
            },
            SynExpr::Cast(cast) => {
                let value = self.expr(&cast.expr);
                let ty = self.cast_type(&cast.ty);
                self.make(ExprKind::Cast(Box::new(value), ty), cast.as_token.span)
            }
            SynExpr::Index(index) => self.index(index),
            SynExpr::Field(field) => {
                let base = Box::new(self.expr(&field.base));
                match &field.member {
                    syn::Member::Named(name) => self.make(ExprKind::Field(base, super::hygiene::name_of(name)), name.span()),
                    syn::Member::Unnamed(position) => {
                        self.make(ExprKind::TupleField(base, position.index), position.span)
                    }
                }
            }
            SynExpr::Tuple(tuple) => {
                let parts = tuple.elems.iter().map(|part| self.expr(part)).collect();
                self.make(ExprKind::Tuple(parts), tuple.paren_token.span.open())
            }
            SynExpr::Array(array) => {
                let parts = array.elems.iter().map(|part| self.expr(part)).collect();
                self.make(ExprKind::Array(parts), array.bracket_token.span.open())
            }
            SynExpr::Repeat(repeat) => {
                let value = self.expr(&repeat.expr);
                let len = self.repeat_len(&repeat.len);
                self.make(ExprKind::Repeat(Box::new(value), Box::new(len)), repeat.bracket_token.span.open())
            }
            SynExpr::Struct(literal) => self.struct_literal(literal),
            SynExpr::Call(call) => self.call(call, local_allowed),
            SynExpr::MethodCall(call) => self.method(call),
            SynExpr::Reference(reference) => self.bad(
                reference.and_token,
                "a reference can only be an argument of a device function: keep the value itself, or index the memory where it is used",
            ),
            SynExpr::If(branch) => self.branch(branch),
            SynExpr::Match(choice) => self.choice(choice),
            SynExpr::Block(block) => {
                let label = self.open_label(block.label.as_ref(), false);
                let body = self.block(&block.block);
                self.close_label(block.label.is_some());
                self.make(ExprKind::Block(label, body), block.block.brace_token.span.open())
            }
            SynExpr::Loop(_) | SynExpr::While(_) | SynExpr::ForLoop(_) => self.looping(strip(expr)),
            SynExpr::Break(_) | SynExpr::Continue(_) | SynExpr::Return(_) => self.jump(strip(expr)),
            SynExpr::Macro(call) => self.macro_call(&call.mac),
            other => self.unsupported(other),
        }
    }

    /// What is left of the grammar: never part of the language, except in the few places that handle it themselves.
    fn unsupported(&mut self, expr: &SynExpr) -> Expr {
        match expr {
            SynExpr::Range(range) => self.bad(
                range,
                "a range is only for `for` loops: write `for i in a..b`, or keep the two ends in two variables",
            ),
            SynExpr::Let(token) => self.bad(
                token.let_token,
                "`let` in a condition is not part of the kernel language: use `match`, or a comparison",
            ),
            SynExpr::Closure(closure) => self.bad(
                closure,
                "closures do not exist on a device: write the code here, or a `#[device_fn]`; pass behaviour through a generic `T: Trait`",
            ),
            SynExpr::Async(block) => self.bad(block.async_token, "`async` is not part of the kernel language: a kernel runs to its end"),
            SynExpr::Await(expr) => self.bad(expr.await_token, "`.await` is not part of the kernel language: use `barrier()` to wait for the group"),
            SynExpr::Unsafe(block) => self.bad(
                block.unsafe_token,
                "`unsafe` blocks are not part of the kernel language: what needs one is a parameter, such as `ScatterMut`, and the launch is `unsafe`",
            ),
            SynExpr::Const(block) => self.bad(block.const_token, "`const` blocks are not part of the kernel language: declare a `const` item"),
            SynExpr::Try(expr) => self.bad(
                expr.question_token,
                "`?` is not part of the kernel language: compare and `return`",
            ),
            SynExpr::TryBlock(block) => self.bad(block.try_token, "`try` is not part of the kernel language: compare and branch"),
            SynExpr::Yield(expr) => self.bad(expr.yield_token, "`yield` is not part of the kernel language"),
            SynExpr::RawAddr(expr) => self.bad(
                expr,
                "raw pointers are not part of the kernel language: index the view, or use a `ScatterMut`",
            ),
            SynExpr::Infer(underscore) => self.bad(underscore, "`_` is not a value: write it out"),
            other => self.bad(other, "this is not part of the kernel language: see the crate's page for what is"),
        }
    }

    /// A macro call.
    pub fn macro_call(&mut self, mac: &syn::Macro) -> Expr {
        if let Some(message) = self.message(mac) {
            return message;
        }
        let name = mac.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        self.bad(&mac.path, super::advice::for_macro(&name))
    }

    /// A literal, or nothing after reporting one that devices lack.
    pub fn literal(&mut self, lit: &syn::Lit) -> Option<Lit> {
        match lit {
            syn::Lit::Int(int) => {
                let suffix = int.suffix();
                match suffix {
                    "" => {}
                    "f32" | "f64" => {
                        return Some(Lit::Float(int.base10_digits().to_string(), suffix.to_string()));
                    }
                    _ if types::PRIMITIVES.contains(&suffix) => {}
                    _ => {
                        self.error(
                            int,
                            format!("`{suffix}` literals do not exist on a device: use a type of at most 64 bits"),
                        );
                        return None;
                    }
                }
                match int.base10_parse::<i128>() {
                    Ok(value) => Some(Lit::Int(value, suffix.to_string())),
                    Err(_) => {
                        self.error(int, "this number does not fit into any integer type of the kernel language");
                        None
                    }
                }
            }
            syn::Lit::Float(float) => match float.suffix() {
                "" | "f32" | "f64" => Some(Lit::Float(float.base10_digits().to_string(), float.suffix().to_string())),
                suffix => {
                    self.error(float, format!("`{suffix}` literals do not exist: write `{suffix}::from_f32(…)`"));
                    None
                }
            },
            syn::Lit::Bool(value) => Some(Lit::Bool(value.value)),
            syn::Lit::Str(_) | syn::Lit::ByteStr(_) | syn::Lit::CStr(_) => {
                self.error(lit, "strings do not exist on a device: use numbers or an array");
                None
            }
            syn::Lit::Char(value) => {
                self.error(
                    lit,
                    format!("`char` is not part of the kernel language: write `{}u32`", value.value() as u32),
                );
                None
            }
            syn::Lit::Byte(value) => {
                self.error(
                    lit,
                    format!("byte literals are not part of the kernel language: write `{}u8`", value.value()),
                );
                None
            }
            _ => {
                self.error(lit, "this literal is not part of the kernel language: use integers, floats and `bool`");
                None
            }
        }
    }

    fn path(&mut self, path: &syn::ExprPath) -> Expr {
        let span = path.path.segments.last().map_or_else(Span::call_site, |segment| segment.ident.span());
        let single = if path.qself.is_none() { path.path.get_ident() } else { None };
        if let Some(ident) = single {
            let name = ident.to_string();
            match self.lookup(ident).cloned() {
                Some(Binding::Var(var)) => {
                    if matches!(self.role(var), Some(ParamRole::Item | ParamRole::NdItem | ParamRole::NdItemRef)) {
                        return self.bad(
                            ident,
                            format!("the item is not a value to keep: call its methods, index with it, or pass it to a device function (`&{name}` if that only reads ids)"),
                        );
                    }
                    return self.make(ExprKind::Var(var), span);
                }
                Some(Binding::Const(block)) => {
                    let id = self.intern_const_as(*block, name);
                    return self.make(ExprKind::Const(id), span);
                }
                None => {}
            }
            if name == "self" {
                return self.bad(ident, "`self` does not exist here: pass the value as a parameter, or bind the field to a variable before the kernel");
            }
            if let Some(captures) = &mut self.captures
                && !super::pattern::is_upper(&name)
                && !self.generics.consts.contains(&name)
            {
                if !captures.iter().any(|known| super::hygiene::is_same(known, ident)) {
                    captures.push(ident.clone());
                }
                return self.unit(span);
            }
            if !super::pattern::is_upper(&name)
                && !self.generics.consts.contains(&name)
                && super::hygiene::has_namesake(&self.scopes, ident)
            {
                return self.bad(ident, format!("this is not the variable `{name}` that is visible here: one of the two was written in a macro, the other by its caller; hand the name to the macro as an argument"));
            }
        }
        let segments: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if segments.last().is_some_and(|last| last == "None")
            && let Some(message) = super::advice::for_path(&segments)
        {
            return self.bad(path, message);
        }
        let mut value = SynExpr::Path(syn::ExprPath { attrs: Vec::new(), ..path.clone() });
        let text = types::display(&value);
        super::local_const::substitute_in_expr(&mut value, &self.scopes);
        let id = self.intern_const_as(value, text);
        self.make(ExprKind::Const(id), span)
    }

    /// The item, where it may stand: as a receiver, an index or an argument. `None` if it is something else.
    pub fn item(&mut self, expr: &SynExpr) -> Option<(Expr, ParamRole)> {
        let SynExpr::Path(path) = strip(expr) else {
            return None;
        };
        let ident = path.path.get_ident()?;
        let Some(Binding::Var(var)) = self.lookup(ident) else {
            return None;
        };
        let var = *var;
        let role = self.role(var)?;
        if !matches!(role, ParamRole::Item | ParamRole::NdItem | ParamRole::NdItemRef) {
            return None;
        }
        Some((self.make(ExprKind::Var(var), ident.span()), role))
    }

    fn unary(&mut self, unary: &syn::ExprUnary) -> Expr {
        let (span, op) = match &unary.op {
            UnOp::Neg(token) => (token.span, UnaryOp::Neg),
            UnOp::Not(token) => (token.span, UnaryOp::Not),
            UnOp::Deref(token) => {
                let value = self.expr(&unary.expr);
                return self.make(ExprKind::Deref(Box::new(value)), token.span);
            }
            other => return self.bad(other, "this operator is not part of the kernel language"),
        };
        let value = self.expr(&unary.expr);
        self.make(ExprKind::Unary(op, Box::new(value)), span)
    }

    /// A place that is assigned to.
    pub(super) fn assigned(&mut self, expr: &SynExpr) -> Expr {
        let place = self.place(expr);
        let (mut base, mut is_indexed) = (&place, false);
        while let ExprKind::Field(inner, _) | ExprKind::TupleField(inner, _) | ExprKind::Index(inner, _) = &base.kind {
            is_indexed |= matches!(base.kind, ExprKind::Index(..));
            base = inner;
        }
        match base.kind {
            // What is indexed may be memory.
            ExprKind::Var(var) if !is_indexed && self.captured.contains(&var) => self.bad(
                expr,
                "a captured value cannot be assigned to: the kernel has a copy of it; start a variable with it, `let mut x = x;`, \
                 or write to memory that all items share",
            ),
            ExprKind::Var(var) if !self.captured.contains(&var) => match self.role(var) {
                Some(ParamRole::Value) if self.body == Body::Kernel => {
                    self.bad(expr, "a kernel's parameters are the same for all items: start a variable with it, `let mut x = x;`")
                }
                Some(ParamRole::Spec) => self.bad(
                    expr,
                    "a specialised argument is the same for all items: start a variable with it, `let mut x = x.get();`",
                ),
                _ => place,
            },
            ExprKind::Const(_) => {
                self.bad(expr, "a constant cannot be assigned to: start a variable with it, `let mut x = X;`")
            }
            _ => place,
        }
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Expr {
        let span = binary.op.to_token_stream().into_iter().next().map_or_else(Span::call_site, |token| token.span());
        let Some((op, assign)) = operator(&binary.op) else {
            return self.bad(binary.op, "this operator is not part of the kernel language");
        };
        if assign {
            let place = self.assigned(&binary.left);
            let value = self.expr(&binary.right);
            return self.make(ExprKind::AssignOp(op, Box::new(place), Box::new(value)), span);
        }
        let left = self.expr(&binary.left);
        let right = self.expr(&binary.right);
        self.make(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)
    }

    fn repeat_len(&mut self, len: &SynExpr) -> Expr {
        let len = strip(len);
        match len {
            SynExpr::Lit(_) => self.expr(len),
            SynExpr::Path(path) => {
                match path.path.get_ident().and_then(|name| self.lookup(name)) {
                    Some(Binding::Var(_)) => {
                        self.bad(len, "an array's length is a constant: use a literal, a `const` or a const generic")
                    }
                    _ => {
                        // A lower-case path is a constant too here, never a captured variable.
                        let captures = self.captures.take();
                        let value = self.expr(len);
                        self.captures = captures;
                        value
                    }
                }
            }
            // `[0.0; M * N]`: any constant expression is one entry of the table.
            _ => {
                let mut value = len.clone();
                let text = types::display(&value);
                super::local_const::substitute_in_expr(&mut value, &self.scopes);
                let id = self.intern_const_as(value, text);
                self.make(ExprKind::Const(id), len.span())
            }
        }
    }

    fn struct_literal(&mut self, literal: &syn::ExprStruct) -> Expr {
        if let Some(dots) = &literal.dot2_token {
            self.error(dots, "`..` in a struct literal is not part of the kernel language: give every field");
        }
        let mut fields = Vec::new();
        for field in &literal.fields {
            let value = self.expr(&field.expr);
            match &field.member {
                syn::Member::Named(name) => fields.push((super::hygiene::name_of(name), value)),
                syn::Member::Unnamed(position) => {
                    self.error_at(position.span, "write a tuple struct as a call, `T(a, b)`");
                }
            }
        }
        let ty = syn::Type::Path(syn::TypePath {
            attrs: Vec::new(),
            qself: literal.qself.clone(),
            path: literal.path.clone(),
        });
        let ty = self.ty(&ty);
        self.make(ExprKind::Struct(ty, fields), literal.path.span())
    }

    fn cast_type(&mut self, ty: &syn::Type) -> TypeId {
        match types::strip(ty) {
            syn::Type::Path(path) => {
                let scalar = path.path.segments.iter().all(|segment| segment.arguments.is_none());
                let name = path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
                match name.as_str() {
                    "f16" | "bf16" => {
                        self.error(ty, format!("`as` does not make an `{name}`: write `{name}::from_f32(x)`"));
                    }
                    _ if !scalar => {
                        self.error(ty, "`as` converts to a scalar type: for vectors write `v.convert::<T>()`");
                    }
                    _ => self.check_type(ty, false),
                }
            }
            _ => self.error(ty, "`as` converts to a scalar type: write its name"),
        }
        self.intern_type(ty)
    }
}

/// The operator, and whether it assigns.
fn operator(op: &BinOp) -> Option<(BinaryOp, bool)> {
    Some(match op {
        BinOp::Add(_) => (BinaryOp::Add, false),
        BinOp::Sub(_) => (BinaryOp::Sub, false),
        BinOp::Mul(_) => (BinaryOp::Mul, false),
        BinOp::Div(_) => (BinaryOp::Div, false),
        BinOp::Rem(_) => (BinaryOp::Rem, false),
        BinOp::And(_) => (BinaryOp::And, false),
        BinOp::Or(_) => (BinaryOp::Or, false),
        BinOp::BitXor(_) => (BinaryOp::BitXor, false),
        BinOp::BitAnd(_) => (BinaryOp::BitAnd, false),
        BinOp::BitOr(_) => (BinaryOp::BitOr, false),
        BinOp::Shl(_) => (BinaryOp::Shl, false),
        BinOp::Shr(_) => (BinaryOp::Shr, false),
        BinOp::Eq(_) => (BinaryOp::Eq, false),
        BinOp::Lt(_) => (BinaryOp::Lt, false),
        BinOp::Le(_) => (BinaryOp::Le, false),
        BinOp::Ne(_) => (BinaryOp::Ne, false),
        BinOp::Ge(_) => (BinaryOp::Ge, false),
        BinOp::Gt(_) => (BinaryOp::Gt, false),
        BinOp::AddAssign(_) => (BinaryOp::Add, true),
        BinOp::SubAssign(_) => (BinaryOp::Sub, true),
        BinOp::MulAssign(_) => (BinaryOp::Mul, true),
        BinOp::DivAssign(_) => (BinaryOp::Div, true),
        BinOp::RemAssign(_) => (BinaryOp::Rem, true),
        BinOp::BitXorAssign(_) => (BinaryOp::BitXor, true),
        BinOp::BitAndAssign(_) => (BinaryOp::BitAnd, true),
        BinOp::BitOrAssign(_) => (BinaryOp::BitOr, true),
        BinOp::ShlAssign(_) => (BinaryOp::Shl, true),
        BinOp::ShrAssign(_) => (BinaryOp::Shr, true),
        _ => return None,
    })
}
