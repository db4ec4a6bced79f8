//! The state of one function's translation: scopes, tables, errors; and statements.

use super::hygiene::{self, Scope};
use super::types::{display, plain_text};
use super::{Callee, LibraryName, local_const};
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use std::collections::HashMap;
use syclone_kernel_ast::tree::*;
use syn::visit::Visit;
use syn::{Expr as SynExpr, Pat, Stmt as SynStmt};

/// What a name of the body means.
#[derive(Clone)]
pub enum Binding {
    /// A variable.
    Var(VarId),
    /// A `const` item of the body: a block that repeats it and those before it.
    Const(Box<syn::Expr>),
}

/// What a jump may lead to.
pub struct Target {
    /// Its label as written; `None` for a loop without one.
    pub label: Option<Ident>,
    /// Its label in the tree, where no two labels of one place share a name.
    pub name: Option<String>,
    /// Whether it is a loop.
    pub is_loop: bool,
}

/// The kind of function that a body belongs to, as far as its rules differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// `#[kernel]`, named or inline.
    Kernel,
    /// `#[device_fn]`
    Device,
}

/// Generics by kind, to tell types from constants where the grammar cannot.
#[derive(Default, Clone)]
pub struct GenericNames {
    /// Type parameters with the names of the traits that bound them.
    pub types: HashMap<String, Vec<String>>,
    /// Const parameters.
    pub consts: Vec<String>,
}

/// Translates one function.
pub struct Lowerer {
    /// What was wrong so far.
    pub errors: Vec<syn::Error>,
    /// Behind `Function::spans`.
    pub spans: Vec<Span>,
    /// Behind `Function::types`, with the display text.
    pub types: Table<syn::Type>,
    /// Behind `Function::consts`.
    pub consts: Table<syn::Expr>,
    /// Behind `Function::callees`.
    pub callees: Table<Callee>,
    /// What the body calls of the library by names in scope.
    pub library_names: Vec<LibraryName>,
    /// The variables.
    pub vars: Vec<Variable>,
    /// Roles of the parameters, by variable.
    pub roles: Vec<ParamRole>,
    /// Numbers of dimensions of the parameters, by variable, where they are spelled.
    pub dims: Vec<Option<usize>>,
    /// Variables that hold a group or a sub-group.
    pub group_vars: Vec<VarId>,
    /// Variables whose value was a mistake: what is done with them is no mistake of its own.
    pub poisoned: Vec<VarId>,
    /// Innermost scope last.
    pub scopes: Vec<Scope>,
    /// Loops and labelled blocks around this place.
    pub labels: Vec<Target>,
    /// Kernel or device function.
    pub body: Body,
    /// The function's kind.
    pub kind: FunctionKind,
    /// The function's own name, if it has one, and whether it is called through `Self::` or `self.`.
    pub own_name: (Option<Ident>, bool),
    /// Names of the generics in scope.
    pub generics: GenericNames,
    /// Whether `local::<T>()` may stand as the very next expression.
    pub local_allowed: bool,
    /// For inline kernels: free names found so far.
    pub captures: Option<Vec<Ident>>,
    /// For inline kernels: the variables that stand for captured ones.
    pub captured: Vec<VarId>,
}

/// Tokens with the text that they are displayed as; equal tokens are kept once.
pub struct Table<T> {
    /// The entries.
    pub values: Vec<T>,
    /// Their display text.
    pub text: Vec<String>,
    keys: HashMap<String, u32>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { values: Vec::new(), text: Vec::new(), keys: HashMap::new() }
    }
}

impl<T> Table<T> {
    /// The index of an entry that `key` identifies.
    pub fn intern(&mut self, key: String, text: String, value: T) -> u32 {
        let next = self.values.len() as u32;
        *self.keys.entry(key).or_insert_with(|| {
            self.values.push(value);
            self.text.push(text);
            next
        })
    }
}

impl Lowerer {
    /// A fresh state for a function called `own_name`.
    pub fn new(body: Body, kind: FunctionKind, own_name: (Option<Ident>, bool), generics: GenericNames) -> Lowerer {
        Lowerer {
            errors: Vec::new(),
            spans: Vec::new(),
            types: Table::default(),
            consts: Table::default(),
            callees: Table::default(),
            library_names: Vec::new(),
            vars: Vec::new(),
            roles: Vec::new(),
            dims: Vec::new(),
            group_vars: Vec::new(),
            poisoned: Vec::new(),
            scopes: vec![Scope::default()],
            labels: Vec::new(),
            body,
            kind,
            own_name,
            generics,
            local_allowed: false,
            captures: None,
            captured: Vec::new(),
        }
    }

    /// Reports a mistake at some tokens.
    pub fn error(&mut self, tokens: impl ToTokens, message: impl Into<String>) {
        self.errors.push(syn::Error::new_spanned(tokens, message.into()));
    }

    /// Reports a mistake at one place.
    pub fn error_at(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(syn::Error::new(span, message.into()));
    }

    /// All that was wrong, as one.
    pub fn take_errors(&mut self) -> Option<syn::Error> {
        self.errors.drain(..).reduce(|mut first, next| {
            first.combine(next);
            first
        })
    }

    /// Reports a mistake and stands in for the expression, so that the rest is still checked.
    pub fn bad(&mut self, tokens: impl ToTokens, message: impl Into<String>) -> Expr {
        self.error(tokens, message);
        self.unit(Span::call_site())
    }

    /// `()`
    pub fn unit(&mut self, span: Span) -> Expr {
        self.make(ExprKind::Tuple(Vec::new()), span)
    }

    /// An expression whose telling token is at `span`.
    pub fn make(&mut self, kind: ExprKind, span: Span) -> Expr {
        Expr { kind, span: self.span(span) }
    }

    /// Notes a place.
    pub fn span(&mut self, span: Span) -> SpanId {
        self.spans.push(span);
        SpanId(self.spans.len() as u32 - 1)
    }

    /// Notes a type, after checking it.
    pub fn ty(&mut self, ty: &syn::Type) -> TypeId {
        self.check_type(ty, true);
        self.intern_type(ty)
    }

    /// Notes a type that needs no check.
    pub fn intern_type(&mut self, ty: &syn::Type) -> TypeId {
        let mut value = super::types::strip(ty).clone();
        let text = plain_text(&value).unwrap_or_else(|| display(&value));
        let mut key = text.clone();
        if local_const::has_consts(&self.scopes) {
            local_const::substitute_in_type(&mut value, &self.scopes);
            key = value.to_token_stream().to_string();
        }
        TypeId(self.types.intern(key, text, value))
    }

    /// Notes a constant.
    pub fn intern_const(&mut self, expr: syn::Expr) -> ConstId {
        let text = display(&expr);
        self.intern_const_as(expr, text)
    }

    /// Notes a constant under a given display text.
    pub fn intern_const_as(&mut self, expr: syn::Expr, text: String) -> ConstId {
        ConstId(self.consts.intern(expr.to_token_stream().to_string(), text, expr))
    }

    /// Declares a variable in the innermost scope.
    pub fn declare(&mut self, ident: &Ident, mutable: bool) -> VarId {
        let mut name = ident.to_string();
        if hygiene::has_namesake(&self.scopes, ident) {
            // In the tree the two are told apart by their names alone.
            name = self.unused_name(&name);
        }
        let var = self.fresh(name, mutable, ident.span());
        self.bind(ident.clone(), Binding::Var(var));
        var
    }

    /// Makes a variable that no name refers to.
    pub fn fresh(&mut self, name: String, mutable: bool, span: Span) -> VarId {
        let span = self.span(span);
        self.vars.push(Variable { name, mutable, span });
        VarId(self.vars.len() as u32 - 1)
    }

    fn unused_name(&self, name: &str) -> String {
        let plain = name.trim_start_matches("r#");
        let mut number = self.vars.len();
        loop {
            let numbered = format!("{plain}_{number}");
            if !self.vars.iter().any(|var| var.name == numbered) {
                return numbered;
            }
            number += 1;
        }
    }

    /// Makes a name known in the innermost scope.
    pub fn bind(&mut self, ident: Ident, binding: Binding) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(ident, binding);
        }
    }

    /// What a name means here.
    pub fn lookup(&self, ident: &Ident) -> Option<&Binding> {
        hygiene::resolve(&self.scopes, ident)
    }

    /// The parameter role of a variable, if it is a parameter.
    pub fn role(&self, var: VarId) -> Option<ParamRole> {
        self.roles.get(var.0 as usize).copied()
    }

    /// Runs `inner` in a new scope.
    pub fn scoped<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Scope::default());
        let value = inner(self);
        self.scopes.pop();
        value
    }

    /// The function's body.
    pub fn body(&mut self, block: &syn::Block) -> Block {
        // Anywhere in the body: nothing there could honour an attribute, and a dropped `cfg` changes the meaning.
        Attributes(self).visit_block(block);
        let body = self.block(block);
        self.check_tokens(&body);
        body
    }

    /// A block in a scope of its own.
    pub fn block(&mut self, block: &syn::Block) -> Block {
        self.scoped(|this| this.statements(&block.stmts))
    }

    fn statements(&mut self, stmts: &[SynStmt]) -> Block {
        self.local_items(stmts);
        let mut lowered = Vec::with_capacity(stmts.len());
        for (idx, stmt) in stmts.iter().enumerate() {
            match stmt {
                SynStmt::Local(local) => lowered.extend(self.local_variable(local)),
                SynStmt::Item(_) => {}
                // A semicolon that ends nothing.
                SynStmt::Expr(SynExpr::Verbatim(tokens), _) if tokens.is_empty() => {}
                SynStmt::Macro(stmt) => {
                    let expr = self.macro_call(&stmt.mac);
                    lowered.push(Stmt::Expr(expr));
                }
                SynStmt::Expr(expr, None) if idx + 1 == stmts.len() => {
                    if let Some(stmts) = self.special_assignment(expr) {
                        lowered.extend(stmts);
                    } else {
                        let tail = Some(Box::new(self.expr(expr)));
                        return Block { stmts: lowered, tail };
                    }
                }
                SynStmt::Expr(expr, _) => match self.special_assignment(expr) {
                    Some(stmts) => lowered.extend(stmts),
                    None => {
                        let expr = self.expr(expr);
                        lowered.push(Stmt::Expr(expr));
                    }
                },
            }
        }
        Block { stmts: lowered, tail: None }
    }

    /// `const` items are kept; other items of a body are errors.
    fn local_items(&mut self, stmts: &[SynStmt]) {
        let mut consts: Vec<&syn::ItemConst> = Vec::new();
        for stmt in stmts {
            let SynStmt::Item(item) = stmt else { continue };
            match item {
                syn::Item::Const(item) => consts.push(item),
                syn::Item::Fn(item) => self.error(
                    &item.sig,
                    "functions cannot be declared inside a kernel: move it out and mark it `#[device_fn]`",
                ),
                syn::Item::Struct(item) => self.error(
                    &item.ident,
                    "structs cannot be declared inside a kernel: move it out and mark it `#[derive(Clone, Copy, DeviceCopy)]`",
                ),
                syn::Item::Enum(item) => self.error(
                    &item.ident,
                    "enums cannot be declared inside a kernel: move it out and mark it `#[derive(Clone, Copy, DeviceCopy)]`",
                ),
                syn::Item::Use(item) => self.error(item, "`use` cannot stand inside a kernel: move it to the module"),
                syn::Item::Static(item) => {
                    self.error(&item.ident, "statics do not exist on a device: use a `const`, a buffer, or `local::<T>()`");
                }
                syn::Item::Macro(item) => {
                    self.error(&item.mac.path, "macros cannot be declared inside a kernel: write a `#[device_fn]`");
                }
                other => self.error(other, "items cannot be declared inside a kernel: move it to the module"),
            }
        }
        for (name, binding) in local_const::bindings(&consts, &self.scopes) {
            self.bind(name, Binding::Const(Box::new(binding)));
        }
    }

    fn local_variable(&mut self, local: &syn::Local) -> Option<Stmt> {
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pat => (pat, None),
        };
        let Some(init) = &local.init else {
            self.error(
                local,
                "a variable needs its first value here: write `let x = …;`, or `let mut x = 0.0;` and assign later",
            );
            // Declared all the same, so that its uses are not errors too.
            self.let_pattern(pat);
            return None;
        };
        let init_fails = init.diverge.is_some();
        if let Some((token, _)) = &init.diverge {
            self.error(token, "`let … else` is not part of the kernel language: there are no patterns that can fail in a `let`; use `match` or `if`");
        }
        let before = self.errors.len();
        let ty = ty.map(|ty| self.ty(ty));
        let ty_errors = self.errors.len();
        self.local_allowed = self.body == Body::Kernel
            && matches!(self.kind, FunctionKind::NdRange { .. })
            && self.scopes.len() == 2
            && matches!(pat, Pat::Ident(_));
        let init = self.expr(&init.expr);
        self.local_allowed = false;
        if ty_errors > before || init_fails {
            // A value of a type that does not exist, or that may not match, is part of the same mistake.
            self.errors.truncate(ty_errors);
        }
        let init_is_wrong = self.errors.len() > before || init_fails;
        let span = self.span(local.let_token.span);
        let before = self.errors.len();
        let pattern = self.let_pattern(pat);
        if init_fails {
            // The pattern of a `let … else` is part of the same mistake.
            self.errors.truncate(before);
        }
        if let (Pattern::Tuple(patterns, _), ExprKind::Tuple(parts)) = (&pattern, &init.kind) {
            for (pattern, part) in patterns.iter().zip(parts) {
                if let (Pattern::Bind { var, .. }, true) = (pattern, self.is_group(part)) {
                    self.group_vars.push(*var);
                }
            }
        }
        if let Pattern::Bind { var, .. } = &pattern {
            if self.is_group(&init) {
                self.group_vars.push(*var);
            }
            if self.vars[var.0 as usize].mutable && self.is_handle(&init) {
                self.error(pat, "a handle never changes: leave `mut` out; what it refers to is written through it");
            }
            if init_is_wrong {
                self.poisoned.push(*var);
            }
        }
        Some(Stmt::Let { pattern, ty, init, span })
    }

    /// Whether an expression is a parameter that refers to memory.
    fn is_handle(&self, expr: &Expr) -> bool {
        let ExprKind::Var(var) = expr.kind else {
            return false;
        };
        let value = |role| matches!(role, ParamRole::Value | ParamRole::Reference { .. } | ParamRole::Spec);
        self.role(var).is_some_and(|role| !value(role))
    }

    /// `_ = value;` and `(a, b) = value;`, which are statements of their own.
    fn special_assignment(&mut self, expr: &SynExpr) -> Option<Vec<Stmt>> {
        let SynExpr::Assign(assign) = expr else {
            return None;
        };
        match &*assign.left {
            SynExpr::Infer(underscore) => {
                let init = self.expr(&assign.right);
                let span = self.span(underscore.underscore_token.span);
                Some(vec![Stmt::Let { pattern: Pattern::Wild(span), ty: None, init, span }])
            }
            SynExpr::Tuple(places) => {
                let init = self.expr(&assign.right);
                let span = assign.eq_token.span;
                let span_id = self.span(span);
                // Rust evaluates the right side first, then assigns left to right.
                let mut parts = Vec::new();
                let mut assigns = Vec::new();
                for place in &places.elems {
                    match place {
                        SynExpr::Infer(underscore) => {
                            parts.push(Pattern::Wild(self.span(underscore.underscore_token.span)))
                        }
                        place => {
                            let var = self.fresh(format!("part_{}", parts.len()), false, span);
                            parts.push(Pattern::Bind { var, sub: None });
                            let place = self.assigned(place);
                            let value = self.make(ExprKind::Var(var), span);
                            let kind = ExprKind::Assign(Box::new(place), Box::new(value));
                            assigns.push(Stmt::Expr(self.make(kind, span)));
                        }
                    }
                }
                let pattern = Pattern::Tuple(parts, span_id);
                let swap = Block {
                    stmts: [Stmt::Let { pattern, ty: None, init, span: span_id }].into_iter().chain(assigns).collect(),
                    tail: None,
                };
                let block = self.make(ExprKind::Block(None, swap), span);
                Some(vec![Stmt::Expr(block)])
            }
            _ => None,
        }
    }
}

/// Reports every attribute of a body.
struct Attributes<'a>(&'a mut Lowerer);

impl Visit<'_> for Attributes<'_> {
    fn visit_attribute(&mut self, attribute: &syn::Attribute) {
        let message = if attribute.path().is_ident("doc") {
            "documentation comments cannot stand inside a kernel: use `//`"
        } else {
            "attributes cannot stand inside a kernel: put lint attributes on the function, and use a const generic with `if` for `cfg`"
        };
        self.0.error(attribute, message);
    }

    // The tokens of a macro are not Rust yet.
    fn visit_macro(&mut self, _: &syn::Macro) {}
}
