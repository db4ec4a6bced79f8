//! What runs once for a group or a strip: uniform statements, barriers and group operations.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syclone_kernel_ast::analysis::plan::{Argument, Collective, Operation, Storage};
use syclone_kernel_ast::analysis::sync::{Token, is_uniform_result, takes_operator};
use syclone_kernel_ast::analysis::uses::Uses;
use syclone_kernel_ast::tree::*;

use super::super::printer::callee_path;
use super::{At, Regions, per_item};

impl Regions<'_> {
    pub(super) fn scalar(&self, stmt: &Stmt, at: At) -> TokenStream {
        let mut tokens = self.note_first(stmt, at).unwrap_or_default();
        tokens.extend(self.scalar_statement(stmt, at));
        tokens
    }

    /// Notes the first of the items for which something runs once.
    fn note_first(&self, stmt: &Stmt, at: At) -> Option<TokenStream> {
        match at {
            At::Strip(_) => self.note(std::slice::from_ref(stmt), quote!(__x0)),
            _ => self.note(std::slice::from_ref(stmt), quote!(0)).map(|_| {
                let zeros = (0..self.dims).map(|_| quote!(0usize));
                quote!(__oob.note_item(__g.global([#(#zeros),*]));)
            }),
        }
    }

    fn scalar_statement(&self, stmt: &Stmt, at: At) -> TokenStream {
        let vars = &self.plan.function.vars;
        match stmt {
            Stmt::Let { pattern, ty, init, span } => {
                let prologue = self.scalar_prologue(&Uses::of_expr(vars, init), at);
                if prologue.is_empty() {
                    return self.printer.stmt(stmt);
                }
                let span = self.printer.span(*span);
                let (pattern, init) = (self.printer.pattern(pattern), self.printer.expr(init));
                let ty = ty.map(|ty| self.printer.declared_type(ty));
                quote_spanned!(span=> let #pattern #ty = { #prologue #init };)
            }
            Stmt::Expr(expr) => {
                let prologue = self.scalar_prologue(&Uses::of_expr(vars, expr), at);
                let expr = self.printer.expr(expr);
                if prologue.is_empty() { quote!(#expr;) } else { quote!({ #prologue #expr; }) }
            }
        }
    }

    pub(super) fn scalar_expr(&self, expr: &Expr, at: At) -> TokenStream {
        let mut prologue = self.note_first(&Stmt::Expr(expr.clone()), at).unwrap_or_default();
        prologue.extend(self.scalar_prologue(&Uses::of_expr(&self.plan.function.vars, expr), at));
        let expr = self.printer.expr(expr);
        if prologue.is_empty() { expr.into_token_stream() } else { quote!({ #prologue #expr }) }
    }

    /// Values that a uniform expression reads of some item: any will do, the first is taken.
    pub(super) fn scalar_prologue(&self, uses: &Uses, at: At) -> TokenStream {
        match at {
            At::Group => {
                let needs = self.needs_item(uses)
                    || uses.mentioned.iter().any(|v| {
                        matches!(self.storage(*v), Storage::PerItem | Storage::Remat(_)) || self.item_args.contains(v)
                    });
                if !needs {
                    return TokenStream::new();
                }
                let zeros = (0..self.dims).map(|_| quote!(0usize));
                let first = if self.plan.needs_alive { quote!(__alive.first(__g)) } else { quote!(0usize) };
                let item = self.item_binding(quote!([#(#zeros),*]));
                let loads = self.loads(uses, At::Item { region: usize::MAX, strip: false }, false);
                quote!(let __i: usize = #first; #item #loads)
            }
            At::Strip(region) => {
                let in_lanes = |v: &VarId| self.plan.lanes[region].contains(v);
                let needs = self.needs_item(uses)
                    || uses.mentioned.iter().any(|v| {
                        in_lanes(v)
                            || matches!(self.storage(*v), Storage::PerItem | Storage::Remat(_))
                            || self.item_args.contains(v)
                    });
                if !needs {
                    return TokenStream::new();
                }
                let item = self.item_binding(self.local_id(quote!((__x0 + __l))));
                let loads = self.loads(uses, At::Item { region, strip: true }, false);
                let first = if self.plan.needs_alive {
                    // Items that have returned have no values; a strip of such has nothing to do.
                    quote!(let ::core::option::Option::Some(__l) = (0..__w).find(|__l| __alive.is(__row + __x0 + __l)) else { return };)
                } else {
                    quote!(let __l: usize = 0;)
                };
                quote!(#first let __i = __row + __x0 + __l; #item #loads)
            }
            At::Item { .. } => unreachable!("items run their own statements"),
        }
    }

    /// Whether code looks at the item or at what stands for it: a sub-group is an item's.
    fn needs_item(&self, uses: &Uses) -> bool {
        let is_item =
            |p: &Param| matches!(p.role, ParamRole::Item | ParamRole::NdItem) && uses.mentioned.contains(&p.var);
        self.plan.function.params.iter().any(is_item) || uses.mentioned.iter().any(|v| self.plan.roles.is_token(*v))
    }

    pub(super) fn barrier(&self, span: SpanId) -> TokenStream {
        if !self.plan.needs_alive {
            return TokenStream::new();
        }
        let line = self.printer.line(span);
        quote!(if __alive.at_barrier(__g, #line) != ::syclone::abi::Flow::Continue { break '__group; })
    }

    pub(super) fn collective(&self, collective: &Collective) -> TokenStream {
        let span = self.printer.span(collective.span);
        let barrier = self.barrier(collective.span);
        let mut temporaries = TokenStream::new();
        let operator = match &collective.operation {
            Operation::Method(_, name) if takes_operator(name) => collective.args.len().checked_sub(1),
            _ => None,
        };
        let args: Vec<TokenStream> = collective
            .args
            .iter()
            .enumerate()
            .filter_map(|(position, arg)| match arg {
                Argument::Item => None,
                Argument::Uniform(expr) => {
                    let tokens = self.scalar_expr(expr, At::Group);
                    let plain = operator == Some(position);
                    Some(if plain { tokens } else { quote!(::syclone::abi::Uniform(#tokens)) })
                }
                Argument::PerItem(var) => {
                    let name = per_item(*var);
                    Some(quote!(#name))
                }
            })
            .collect();
        let (call, uniform_value) = match &collective.operation {
            Operation::Method(token, name) => {
                let function = Ident::new(name, span);
                let module = if *token == Token::Group { quote!(group) } else { quote!(sub_group) };
                (
                    quote_spanned!(span=> ::syclone::abi::#module::#function(__g, #(#args),*)),
                    *token == Token::Group && is_uniform_result(name),
                )
            }
            Operation::Call(callee) => {
                let function = callee_path(&self.printer.parsed.callees[callee.0 as usize], "__group");
                (quote_spanned!(span=> #function(__g, #(#args),*)), false)
            }
        };
        let is_call = matches!(collective.operation, Operation::Call(_));
        // A helper may have ended the group: some items missed a barrier of its.
        let stop = is_call.then(|| {
            quote!(if __g.has_diverged() {
                break '__group;
            })
        });
        let ty = collective.ty.map(|ty| self.printer.ty(ty));
        let store = match collective.target {
            Some(var) if collective.uniform => {
                let name = self.printer.var(var);
                let mutable = self.plan.function.vars[var.0 as usize].mutable.then(|| quote!(mut));
                let ty = ty.map(|ty| quote!(: #ty));
                return quote_spanned!(span=> #barrier let #mutable #name #ty = #call;);
            }
            Some(var) if self.storage(var) == Storage::PerItem => {
                let name = per_item(var);
                if uniform_value {
                    quote!(#name.fill(__t, __g.size());)
                } else {
                    quote!(#name.copy_from(__t, __g.size());)
                }
            }
            // Nobody looks at the result, but the operation has its effects.
            _ => quote!(let _ = __t;),
        };
        let ty = ty.map(|ty| if uniform_value { quote!(: #ty) } else { quote!(: ::syclone::abi::PerItem<#ty>) });
        temporaries.extend(quote_spanned!(span=> #barrier { let __mark = __g.mark(); let __t #ty = #call; #store __g.release(__mark); } #stop));
        temporaries
    }
}
