//! The lock-step form: one item's body as a future, a barrier being one `await`.

use proc_macro2::TokenStream;
use quote::quote;
use syclone_kernel_ast::analysis::normalise::normalise;
use syclone_kernel_ast::analysis::sync::Roles;
use syclone_kernel_ast::analysis::uses::Uses;
use syclone_kernel_ast::tree::*;

use super::printer::{Form, Printer, calls_functions};
use super::{analysis_error, let_oob};
use crate::frontend::Parsed;

/// The body of a kernel's `group_lock_step`: runs a future for each item of `__g`.
pub fn lock_step_body(parsed: &Parsed, dims: usize) -> syn::Result<TokenStream> {
    let (locals, body, item) = item_body(parsed)?;
    let (note, oob) = (note_item(parsed), let_oob());
    Ok(quote! {
        #locals
        ::syclone::abi::lock_step::run(__g, |#item: ::syclone::kernel::NdItem<#dims>, __ax: ::syclone::abi::lock_step::Cx<'_, #dims>| async move {
            #oob
            #note
            #body
            __ax.report(__oob);
        });
    })
}

/// Notes the item for the device functions that the body calls, if it calls any.
pub fn note_item(parsed: &Parsed) -> Option<TokenStream> {
    let function = &parsed.function;
    let roles = Roles::of(function);
    let calls = |expr: &Expr| calls_functions(&roles, expr);
    let found =
        function.body.stmts.iter().any(|stmt| matches!(stmt, Stmt::Let { init: e, .. } | Stmt::Expr(e) if calls(e)))
            || function.body.tail.as_ref().is_some_and(|tail| calls(tail));
    found.then(|| quote!(__oob.note_item(__ax.group().global(__ax.group().local_of(__ax.index())));))
}

/// Local memory, which belongs to the group; one item's statements; and the item's name.
pub fn item_body(parsed: &Parsed) -> syn::Result<(TokenStream, TokenStream, TokenStream)> {
    let function = normalise(&parsed.function).map_err(|e| analysis_error(parsed, &e))?;
    let roles = Roles::of(&function);
    let printer = Printer::new(parsed, &function, &roles, Form::LockStep);
    let is_local = |stmt: &Stmt| matches!(stmt, Stmt::Let { init: Expr { kind: ExprKind::Builtin(name, ..), .. }, .. } if name == "local");
    let locals: TokenStream = function.body.stmts.iter().filter(|s| is_local(s)).map(|s| printer.stmt(s)).collect();
    let params: Vec<VarId> = function.params.iter().map(|p| p.var).collect();
    let uses = Uses::of(&function.vars, &function.body.stmts);
    let deferred = uses.assigned.iter().filter(|v| !uses.declared.contains(v) && !params.contains(v)).map(|v| {
        let name = printer.var(*v);
        quote!(let mut #name;)
    });
    let stmts = function.body.stmts.iter().filter(|s| !is_local(s)).map(|s| printer.stmt(s));
    let tail = function.body.tail.as_ref().map(|e| printer.expr(e));
    let body = quote!(#(#deferred)* #(#stmts)* #tail);
    let item = function.params.iter().find(|p| p.role == ParamRole::NdItem).map(|p| printer.var(p.var));
    let item = item.map_or_else(|| quote!(_), |item| quote!(#item));
    Ok((locals, body, item))
}
