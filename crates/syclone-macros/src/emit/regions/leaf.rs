//! The inside of a loop over items: what others computed is loaded, the user's statements run, results are stored.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syclone_kernel_ast::analysis::plan::{Items, Storage};
use syclone_kernel_ast::analysis::uses::{Uses, pattern_vars};
use syclone_kernel_ast::tree::*;

use super::super::printer::calls_functions;
use super::{At, Regions, lanes_of, per_item};

impl Regions<'_> {
    /// A leaf for one item: loads, the user's statements, stores.
    pub(super) fn leaf(&self, items: &Items, stmts: &[Stmt], at: At) -> TokenStream {
        let uses = Uses::of(&self.plan.function.vars, stmts);
        let alive = self.plan.needs_alive.then(|| {
            quote!(if !__alive.is(__i) {
                continue '__item;
            })
        });
        let defined_first = self.defined_first(stmts);
        let mut loads_of = uses.clone();
        for var in uses.declared.iter().chain(&defined_first) {
            loads_of.mentioned.remove(var);
        }
        let declarations = defined_first.iter().map(|var| {
            let name = self.printer.var(*var);
            quote!(let mut #name;)
        });
        let loads = self.loads(&loads_of, at, true);
        let note = self.note(stmts, quote!(__x));
        let body = stmts.iter().map(|s| self.printer.stmt(s));
        let stores = uses
            .mentioned
            .iter()
            .filter(|v| uses.declared.contains(v) || uses.assigned.contains(v))
            .filter_map(|v| self.store(*v, at));
        debug_assert!(items.id < self.plan.uses.len());
        quote!(#alive #note #(#declarations)* #loads #(#body)* #(#stores)*)
    }

    /// Notes the item for the device functions that statements call, if they call any. Where none of them asserts, that is
    /// a value that nobody reads.
    pub(super) fn note(&self, stmts: &[Stmt], x: TokenStream) -> Option<TokenStream> {
        let calls = |stmt: &Stmt| matches!(stmt, Stmt::Let { init: e, .. } | Stmt::Expr(e) if calls_functions(&self.plan.roles, e));
        stmts.iter().any(calls).then(|| {
            let local = self.local_id(x);
            quote!(__oob.note_item(__g.global(#local));)
        })
    }

    /// Variables without a `let` that a leaf assigns before it looks at them.
    fn defined_first(&self, stmts: &[Stmt]) -> Vec<VarId> {
        let vars = &self.plan.function.vars;
        self.plan.deferred.iter().copied().filter(|var| assigns_first(vars, *var, stmts)).collect()
    }

    /// Locals for what a leaf mentions and others computed: arguments, values computed again, stored values.
    pub(super) fn loads(&self, uses: &Uses, at: At, in_leaf: bool) -> TokenStream {
        let mut tokens = TokenStream::new();
        let remat = self.needed_remat(uses);
        let mut mentioned = uses.mentioned.clone();
        for index in &remat {
            mentioned.extend(Uses::of(&self.plan.function.vars, [&self.plan.remat[*index]]).mentioned);
        }
        for var in &mentioned {
            let name = self.printer.var(*var);
            if self.item_args.contains(var) {
                let arg = format_ident!("__arg_{}", var.0);
                tokens.extend(quote!(let #name = ::syclone::abi::GroupArg::get(&#arg, __i);));
                continue;
            }
            let mutable = (in_leaf && self.plan.function.vars[var.0 as usize].mutable).then(|| quote!(mut));
            let At::Item { region, strip } = at else { unreachable!("loads are for items") };
            if strip && self.plan.lanes[region].contains(var) {
                let lanes = lanes_of(*var);
                tokens.extend(quote!(let #mutable #name = #lanes.get(__l);));
            } else if self.storage(*var) == Storage::PerItem {
                let array = per_item(*var);
                tokens.extend(quote!(let #mutable #name = #array.get(__i);));
            }
        }
        for index in remat {
            tokens.extend(self.printer.stmt(&self.plan.remat[index]));
        }
        tokens
    }

    fn store(&self, var: VarId, at: At) -> Option<TokenStream> {
        let At::Item { region, strip } = at else { return None };
        let name = self.printer.var(var);
        if strip && self.plan.lanes[region].contains(&var) {
            let lanes = lanes_of(var);
            return Some(quote!(#lanes.set(__l, #name);));
        }
        (self.storage(var) == Storage::PerItem).then(|| {
            let array = per_item(var);
            quote!(#array.set(__i, #name);)
        })
    }

    /// The cheap `let`s behind what is mentioned, in their order.
    fn needed_remat(&self, uses: &Uses) -> Vec<usize> {
        let mut needed: Vec<usize> = Vec::new();
        let mut queue: Vec<VarId> = uses.mentioned.iter().copied().collect();
        while let Some(var) = queue.pop() {
            if let Storage::Remat(index) = self.storage(var)
                && !needed.contains(&index)
            {
                needed.push(index);
                let stmt = &self.plan.remat[index];
                let mut bound = Vec::new();
                if let Stmt::Let { pattern, .. } = stmt {
                    pattern_vars(pattern, &mut |v| bound.push(v));
                }
                queue.extend(
                    Uses::of(&self.plan.function.vars, [stmt]).mentioned.into_iter().filter(|v| !bound.contains(v)),
                );
            }
        }
        needed.sort_unstable();
        needed
    }
}

/// Whether statements assign a variable on every way to their end, before they look at it.
fn assigns_first(vars: &[Variable], var: VarId, stmts: &[Stmt]) -> bool {
    let mentions = |expr: &Expr| Uses::of_expr(vars, expr).mentioned.contains(&var);
    let of_block = |block: &Block| {
        let tail = block.tail.as_ref().map(|tail| Stmt::Expr((**tail).clone()));
        let stmts: Vec<Stmt> = block.stmts.iter().cloned().chain(tail).collect();
        let leaves = matches!(
            stmts.last(),
            Some(Stmt::Expr(Expr { kind: ExprKind::Return(_) | ExprKind::Break(..) | ExprKind::Continue(_), .. }))
        );
        assigns_first(vars, var, &stmts) || leaves && !Uses::of(vars, &stmts).mentioned.contains(&var)
    };
    match stmts.iter().find(|stmt| Uses::of(vars, [*stmt]).mentioned.contains(&var)) {
        Some(Stmt::Expr(expr)) => match &expr.kind {
            ExprKind::Assign(place, value) => matches!(place.kind, ExprKind::Var(v) if v == var) && !mentions(value),
            ExprKind::If(cond, then, Some(otherwise)) => !mentions(cond) && of_block(then) && of_block(otherwise),
            ExprKind::Match(scrutinee, arms) => {
                let of_arm = |arm: &Arm| {
                    let body = Block { stmts: vec![Stmt::Expr(arm.body.clone())], tail: None };
                    !arm.guard.as_ref().is_some_and(mentions) && of_block(&body)
                };
                !mentions(scrutinee) && arms.iter().all(of_arm)
            }
            ExprKind::Block(None, block) => of_block(block),
            _ => false,
        },
        _ => false,
    }
}
