//! The loops over items: of a region's rows, of strips, and of the pieces of a strip.
//!
//! Where it can be told before a loop that its accesses are in bounds, a copy of the loop runs without checks.

use proc_macro2::TokenStream;
use quote::quote;
use syclone_kernel_ast::analysis::plan::{ItemBody, Items, Storage};
use syclone_kernel_ast::analysis::sync::prints;
use syclone_kernel_ast::analysis::uses::root;
use syclone_kernel_ast::tree::*;

use super::super::assertions::{ahead, condition};
use super::super::ends::{affine_accesses, probe_uses, steps};
use super::super::may_optimise;
use super::{At, Regions, lanes_of, per_item};

/// Items of a row that run a uniform loop together.
const STRIP: usize = 32;
/// The same for kernels over plain ranges, whose rows are long.
const RANGE_STRIP: usize = 64;
/// With reducers, a strip has as many items as a reducer has partial results.
const REDUCER_STRIP: usize = 64;

impl Regions<'_> {
    pub(super) fn region(&self, items: &Items) -> TokenStream {
        let uses_reducer =
            self.plan.uses[items.id].mentioned.iter().any(|v| self.plan.roles.role(*v) == Some(ParamRole::Reducer));
        let last = self.row();
        let inner = match &items.body {
            ItemBody::Straight(stmts) if !uses_reducer => {
                let end = match &items.bound {
                    Some(bound) => {
                        let bound = self.scalar_expr(bound, At::Group);
                        quote!(usize::min(#last, #bound))
                    }
                    None => quote!(#last),
                };
                self.row_loop(items, stmts, end)
            }
            ItemBody::Straight(stmts) => self.reducing_row(items, stmts),
            ItemBody::Strips(nodes) => {
                let width = match self.plan.function.kind {
                    _ if uses_reducer => REDUCER_STRIP,
                    FunctionKind::Range { .. } => RANGE_STRIP,
                    _ => STRIP,
                };
                let lanes = &self.plan.lanes[items.id];
                let declarations = lanes.iter().map(|v| {
                    let name = lanes_of(*v);
                    quote!(let mut #name = ::syclone::abi::Lanes::<_, #width>::new();)
                });
                let uses = &self.plan.uses[items.id];
                let carried: Vec<VarId> =
                    lanes.iter().copied().filter(|v| self.storage(*v) == Storage::PerItem).collect();
                let load = carried.iter().filter(|v| !uses.declared.contains(v)).map(|v| {
                    let (lanes, array) = (lanes_of(*v), per_item(*v));
                    quote!(for __l in 0..__w { #lanes.set(__l, #array.get(__row + __x0 + __l)); })
                });
                let store =
                    carried.iter().filter(|v| uses.declared.contains(v) || uses.assigned.contains(v)).map(|v| {
                        let (lanes, array) = (lanes_of(*v), per_item(*v));
                        quote!(for __l in 0..__w { #array.set(__row + __x0 + __l, #lanes.get(__l)); })
                    });
                let nodes = self.nodes(nodes, At::Strip(items.id));
                let strip_ends = self.strip_ends();
                quote! {
                    ::syclone::abi::strips::<#width>(#last, #[inline(always)] |__x0: usize, __w: usize| {
                        #strip_ends #(#declarations)* #(#load)* #nodes #(#store)*
                    });
                }
            }
        };
        let (r0, r1) = (self.extent(0), self.extent(1));
        let mut tokens = match self.dims {
            0 | 1 if self.in_one_piece => inner,
            0 | 1 => quote!({ let __row: usize = 0; #inner }),
            2 => quote!(for __y in 0..#r0 { let __row = __y * #last; #inner }),
            _ => quote!(for __z in 0..#r0 { for __y in 0..#r1 { let __row = (__z * #r1 + __y) * #last; #inner } }),
        };
        if items.returns && self.plan.needs_alive {
            tokens.extend(quote!(if __alive.none(__g) {
                break '__group;
            }));
        }
        tokens
    }

    /// The loop over a row.
    fn row_loop(&self, items: &Items, stmts: &[Stmt], end: TokenStream) -> TokenStream {
        let at = At::Item { region: items.id, strip: false };
        let item = self.item_binding(self.local_id(quote!(__x)));
        if self.in_one_piece {
            let body = self.leaf(items, stmts, at);
            let label = items.returns.then(|| quote!('__item:));
            return quote!(#label for __x in 0..#end { #item #body });
        }
        let print = |first: TokenStream, end: TokenStream| {
            let body = self.leaf(items, stmts, at);
            quote!('__item: for __x in #first..::syclone::abi::loop_end(#end) { let __i = __row + __x; #item #body })
        };
        let all = || print(quote!(0), quote!(__end));
        let accesses = affine_accesses(self.plan, stmts);
        // The items inside would run, and print, before those at the row's begin.
        let prints = stmts.iter().any(|stmt| matches!(stmt, Stmt::Let { init: e, .. } | Stmt::Expr(e) if prints(e)));
        if accesses.is_empty() || prints || !may_optimise() {
            let all = all();
            return quote!(let __end: usize = #end; #all);
        }
        let part = self.part_inside(&accesses, at, quote!(__end), quote!(__x), quote!(let __i = __row + __x; #item));
        let head = quote!(let __i = __row + __x; #item);
        let inside = self.printer.with_inside(&accesses, || {
            let (from, to) = (quote!(__from), quote!(__to));
            let block = || print(from.clone(), to.clone());
            match self.asserting_ahead(stmts, at, (&from, &to), (&quote!(__x), &head), &block) {
                Some(block) => quote! {
                    for (__from, __to) in ::syclone::abi::blocks(__part.start, __part.end) { #block }
                },
                None => print(quote!(__part.start), quote!(__part.end)),
            }
        });
        let (around, all) = (print(quote!(__first), quote!(__last)), all());
        quote! {
            let __end: usize = #end;
            #[cfg(not(debug_assertions))]
            {
                #part
                #inside
                for (__first, __last) in [(0, __part.start), (__part.end, __end)] { #around }
            }
            #[cfg(debug_assertions)]
            { #all }
        }
    }

    /// The loop over a row that adds to reducers: in strips of as many items as a reducer has partial results.
    fn reducing_row(&self, items: &Items, stmts: &[Stmt]) -> TokenStream {
        let row = self.row();
        let at = At::Item { region: items.id, strip: true };
        let item = self.item_binding(self.local_id(quote!(__x)));
        let print = || {
            let body = self.leaf(items, stmts, at);
            quote! {
                ::syclone::abi::strips::<#REDUCER_STRIP>(#row, #[inline(always)] |__x0: usize, __w: usize| {
                    '__item: for __l in 0..__w { let __x = __x0 + __l; let __i = __row + __x; #item #body }
                });
            }
        };
        let checked = print();
        let accesses = affine_accesses(self.plan, stmts);
        if accesses.is_empty() || !may_optimise() {
            return checked;
        }
        let head = quote!(let __i = __row + __x; #item);
        let part = self.part_inside(&accesses, at, row.clone(), quote!(__x), head);
        let inside = self.printer.with_inside(&accesses, print);
        quote! {
            #[cfg(not(debug_assertions))]
            {
                #part
                if __part.start == 0 && __part.end == #row { #inside } else { #checked }
            }
            #[cfg(debug_assertions)]
            { #checked }
        }
    }

    /// A loop over the items `first..end` behind a look at the assertions that can be looked at ahead, if there are any.
    ///
    /// `index` is what numbers the items of the loop, and `head` what makes an item of it.
    fn asserting_ahead(
        &self,
        stmts: &[Stmt],
        at: At,
        (first, end): (&TokenStream, &TokenStream),
        (index, head): (&TokenStream, &TokenStream),
        print: &dyn Fn() -> TokenStream,
    ) -> Option<TokenStream> {
        let ahead = ahead(self.plan, stmts)?;
        let loads = self.loads(&ahead.uses(self.plan), at, true);
        let looks = ahead.stmts.iter().map(|stmt| match condition(stmt) {
            Some((_, condition)) => {
                let condition = self.printer.expr(condition);
                quote!(__holds &= ::syclone::abi::message::holds(#condition);)
            }
            None => self.printer.stmt(stmt),
        });
        let looks: TokenStream = looks.collect();
        let without = self.printer.with_held(&ahead.assertions, print);
        let with = print();
        // What is out of bounds there the items find themselves, if they come to it.
        Some(quote! {
            let __all_hold = ::syclone::abi::all_hold(#first, #end, #[inline(always)] |#index: usize| {
                let mut __oob = unsafe { ::syclone::abi::Oob::new() };
                let mut __holds = true;
                #head #loads #looks
                __holds
            });
            if __all_hold { #without } else { #with }
        })
    }

    /// `__part`: for which of `count` items, numbered by `index`, all of some accesses are inside their bounds.
    fn part_inside(
        &self,
        accesses: &[&Expr],
        at: At,
        count: TokenStream,
        index: TokenStream,
        head: TokenStream,
    ) -> TokenStream {
        let loads = self.loads(&probe_uses(self.plan, accesses), at, false);
        let (mut indices, mut faults) = (Vec::new(), Vec::new());
        for access in accesses {
            let place = self.printer.place(access, false);
            // What is no index at all is the place's error, not one of these too.
            indices.extend(steps(self.plan, access).into_iter().map(|part| {
                let part = self.printer.operand(part);
                quote!(#part as usize)
            }));
            faults.push(quote!(#place.fault()));
        }
        quote! {
            let __part = ::syclone::abi::part_inside(#count, #[inline(always)] |#index: usize| {
                #head #loads
                ([#(#indices),*], #(#faults)|*)
            });
        }
    }

    pub(super) fn local_id(&self, x: TokenStream) -> TokenStream {
        match self.dims {
            0 => quote!([]),
            1 => quote!([#x]),
            2 => quote!([__y, #x]),
            _ => quote!([__z, __y, #x]),
        }
    }

    pub(super) fn item_binding(&self, local: TokenStream) -> TokenStream {
        match (&self.item, self.nd) {
            (Some(item), true) => quote!(let #item = __g.nd_item(#local);),
            (Some(item), false) => quote!(let #item = __g.range_item(#local);),
            (None, _) => TokenStream::new(),
        }
    }

    pub(super) fn piece(&self, items: &Items, region: usize) -> TokenStream {
        let ItemBody::Straight(stmts) = &items.body else { unreachable!("pieces are straight") };
        let mut tokens = self.straight_piece(items, stmts, region);
        if items.returns {
            tokens.extend(self.strip_ends());
        }
        tokens
    }

    /// Leaves a strip whose items have all returned: what is next may hold for those only that have not.
    fn strip_ends(&self) -> Option<TokenStream> {
        self.plan.needs_alive.then(|| {
            quote!(if !(0..__w).any(|__l| __alive.is(__row + __x0 + __l)) {
                return;
            })
        })
    }

    fn straight_piece(&self, items: &Items, stmts: &[Stmt], region: usize) -> TokenStream {
        let at = At::Item { region, strip: true };
        let item = self.item_binding(self.local_id(quote!(__x)));
        let print = || {
            let body = self.leaf(items, stmts, at);
            quote!('__item: for __l in 0..__w { let __x = __x0 + __l; let __i = __row + __x; #item #body })
        };
        // Local arrays have constant extents, which LLVM checks by itself.
        let is_global =
            |access: &&Expr| !matches!(root(access).and_then(|var| self.plan.roles.role(var)), Some(ParamRole::Local));
        let accesses: Vec<&Expr> = affine_accesses(self.plan, stmts).into_iter().filter(is_global).collect();
        let checked = print();
        if accesses.is_empty() || !may_optimise() {
            return checked;
        }
        let head = quote!(let __x = __x0 + __l; let __i = __row + __x; #item);
        let part = self.part_inside(&accesses, at, quote!(__w), quote!(__l), head.clone());
        // All or nothing: a strip's loops must keep their constant width.
        let inside = self.printer.with_inside(&accesses, || {
            let ends = (&quote!(0), &quote!(__w));
            self.asserting_ahead(stmts, at, ends, (&quote!(__l), &head), &print).unwrap_or_else(print)
        });
        quote! {
            #[cfg(not(debug_assertions))]
            {
                #part
                if __part.start == 0 && __part.end == __w { #inside } else { #checked }
            }
            #[cfg(debug_assertions)]
            { #checked }
        }
    }
}
