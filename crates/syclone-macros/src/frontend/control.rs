//! Branches, loops and jumps.

use super::expr::strip;
use super::hygiene;
use super::lower::{Body, Lowerer, Target};
use syclone_kernel_ast::tree::*;
use syn::{Expr as SynExpr, Pat};

impl Lowerer {
    /// `if … { … } else …`
    pub fn branch(&mut self, branch: &syn::ExprIf) -> Expr {
        let cond = match strip(&branch.cond) {
            SynExpr::Let(token) => {
                let advice = "`if let` is not part of the kernel language: use `match` on an integer or an enum without data, or a comparison";
                self.bad(token.let_token, advice)
            }
            cond => self.expr(cond),
        };
        let then = self.block(&branch.then_branch);
        let other = branch.else_branch.as_ref().map(|(_, other)| match strip(other) {
            SynExpr::Block(block) if block.label.is_none() => self.block(&block.block),
            other => Block { stmts: Vec::new(), tail: Some(Box::new(self.expr(other))) },
        });
        self.make(ExprKind::If(Box::new(cond), then, other), branch.if_token.span)
    }

    /// `match … { … }`
    pub fn choice(&mut self, choice: &syn::ExprMatch) -> Expr {
        let value = self.expr(&choice.expr);
        let arms = choice
            .arms
            .iter()
            .map(|arm| {
                self.scoped(|this| {
                    let (pat, guard) = match &arm.pat {
                        Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
                        pat => (pat, None),
                    };
                    let pattern = this.match_pattern(pat, &mut Vec::new());
                    let guard = guard.map(|guard| this.expr(guard));
                    Arm { pattern, guard, body: this.expr(&arm.body) }
                })
            })
            .collect();
        self.make(ExprKind::Match(Box::new(value), arms), choice.match_token.span)
    }

    /// `loop`, `while`, `for`.
    pub fn looping(&mut self, expr: &SynExpr) -> Expr {
        match expr {
            SynExpr::Loop(expr) => {
                let label = self.open_label(expr.label.as_ref(), true);
                let body = self.block(&expr.body);
                self.close_label(true);
                self.make(ExprKind::Loop(label, body), expr.loop_token.span)
            }
            SynExpr::While(expr) => {
                let label = self.open_label(expr.label.as_ref(), true);
                let cond = match strip(&expr.cond) {
                    SynExpr::Let(token) => {
                        let advice = "`while let` is not part of the kernel language: use `while` with a comparison, or `loop` with `match` and `break`";
                        self.bad(token.let_token, advice)
                    }
                    cond => self.expr(cond),
                };
                let body = self.block(&expr.body);
                self.close_label(true);
                self.make(ExprKind::While(label, Box::new(cond), body), expr.while_token.span)
            }
            SynExpr::ForLoop(expr) => {
                let range = self.for_range(&expr.expr);
                let label = self.open_label(expr.label.as_ref(), true);
                let (pattern, body) = self.scoped(|this| {
                    let pattern = match &*expr.pat {
                        Pat::Ident(_) | Pat::Wild(_) => this.let_pattern(&expr.pat),
                        other => {
                            this.error(other, "the variable of a `for` loop is a name or `_`");
                            Pattern::Wild(this.span(expr.for_token.span))
                        }
                    };
                    (pattern, this.block(&expr.body))
                });
                self.close_label(true);
                self.make(ExprKind::For { label, pattern, range, body }, expr.for_token.span)
            }
            other => self.bad(other, "this loop is not part of the kernel language: use `for`, `while` or `loop`"),
        }
    }

    fn for_range(&mut self, expr: &SynExpr) -> ForRange {
        match strip(expr) {
            SynExpr::Range(range) => {
                let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
                let mut end = |end: &Option<Box<SynExpr>>, message: &str| match end {
                    Some(end) => Box::new(self.expr(end)),
                    None => Box::new(self.bad(range, message)),
                };
                let start = end(&range.start, "the range of a `for` loop needs a start: write `0..n`");
                let end =
                    end(&range.end, "the range of a `for` loop needs an end: write `0..n`, or use `loop` with `break`");
                ForRange { start, end, inclusive, adaptors: Vec::new() }
            }
            SynExpr::MethodCall(call) if is_range(&call.receiver) => {
                let mut range = self.for_range(&call.receiver);
                let name = call.method.to_string();
                match (name.as_str(), call.args.len()) {
                    ("rev", 0) => range.adaptors.push(RangeAdaptor::Rev),
                    ("step_by", 1) => {
                        let step = self.expr(&call.args[0]);
                        if matches!(step.kind, ExprKind::Lit(Lit::Int(0, _))) {
                            self.error(&call.args[0], "a step of zero would never end: step by at least one");
                        }
                        range.adaptors.push(RangeAdaptor::StepBy(Box::new(step)));
                    }
                    _ => self.error(&call.method, super::advice::for_range_method(&name)),
                }
                range
            }
            SynExpr::MethodCall(call) if super::advice::for_method(&call.method.to_string()).is_some() => {
                let span = call.method.span();
                let _ = self.method(call);
                self.no_range(span)
            }
            other => {
                self.error(other, "a `for` loop runs over a range: write `for i in 0..n` and index with `i`");
                self.no_range(proc_macro2::Span::call_site())
            }
        }
    }

    fn no_range(&mut self, span: proc_macro2::Span) -> ForRange {
        let (start, end) = (Box::new(self.unit(span)), Box::new(self.unit(span)));
        ForRange { start, end, inclusive: false, adaptors: Vec::new() }
    }

    /// `break`, `continue`, `return`.
    pub fn jump(&mut self, expr: &SynExpr) -> Expr {
        match expr {
            SynExpr::Break(jump) => {
                let label = self.target(jump.label.as_ref(), jump.break_token.span, "break");
                let value = jump.expr.as_deref().map(|value| Box::new(self.expr(value)));
                self.make(ExprKind::Break(label, value), jump.break_token.span)
            }
            SynExpr::Continue(jump) => {
                let label = self.target(jump.label.as_ref(), jump.continue_token.span, "continue");
                self.make(ExprKind::Continue(label), jump.continue_token.span)
            }
            SynExpr::Return(jump) => {
                let value = jump.expr.as_deref().map(|value| Box::new(self.expr(value)));
                if let (Some(_), Body::Kernel) = (&value, self.body) {
                    let advice = "a kernel returns nothing: write the value to an output, then `return`";
                    self.error(&jump.expr, advice);
                }
                self.make(ExprKind::Return(value), jump.return_token.span)
            }
            other => self.bad(other, "this jump is not part of the kernel language"),
        }
    }

    /// Enters a loop, or a labelled block; unlabelled blocks are nothing that a jump can mean.
    pub fn open_label(&mut self, label: Option<&syn::Label>, is_loop: bool) -> Option<String> {
        let label = label.map(|label| label.name.ident.clone());
        let name = label.as_ref().map(|label| {
            // A label of the same name that another context wrote stays visible behind this one.
            let mut name = label.to_string();
            while self.labels.iter().any(|target| target.name.as_ref() == Some(&name)) {
                name.push('_');
            }
            name
        });
        if is_loop || name.is_some() {
            self.labels.push(Target { label, name: name.clone(), is_loop });
        }
        name
    }

    /// Leaves it again.
    pub fn close_label(&mut self, opened: bool) {
        if opened {
            self.labels.pop();
        }
    }

    /// Checks a jump's target here, because the item loops around the body would catch a jump that has none.
    fn target(&mut self, label: Option<&syn::Lifetime>, span: proc_macro2::Span, verb: &str) -> Option<String> {
        let Some(label) = label else {
            if !self.labels.iter().any(|target| target.is_loop) {
                self.error_at(span, format!("`{verb}` outside of a loop: use `return` to end this item's work"));
            }
            return None;
        };
        let is_it = |target: &&Target| target.label.as_ref().is_some_and(|known| hygiene::is_same(known, &label.ident));
        let Some(target) = self.labels.iter().rev().find(is_it) else {
            self.error(label, format!("no loop or block around this is labelled `{label}`"));
            return None;
        };
        let (is_loop, name) = (target.is_loop, target.name.clone());
        if !is_loop && verb == "continue" {
            self.error(label, format!("`{label}` labels a block, which `continue` cannot repeat: use `break {label}`"));
        }
        name
    }
}

/// Whether the expression is a range, or a chain of methods on one.
fn is_range(expr: &SynExpr) -> bool {
    match strip(expr) {
        SynExpr::Range(_) => true,
        SynExpr::MethodCall(call) => is_range(&call.receiver),
        _ => false,
    }
}
