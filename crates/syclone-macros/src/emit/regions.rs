//! Printing the region tree: item loops, strips, and what runs once for the group between them.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syclone_kernel_ast::analysis::plan::{Argument, Collective, ItemBody, Items, Node, Operation, Plan, Storage};
use syclone_kernel_ast::analysis::sync::{Token, is_uniform_result};
use syclone_kernel_ast::analysis::uses::{Uses, pattern_vars, root};
use syclone_kernel_ast::tree::*;

use super::ends::{affine_accesses, probe_uses, steps};
use super::may_optimise;
use super::printer::{Form, Printer, callee_path};
use crate::frontend::Parsed;

/// Items of a row that run a uniform loop together.
const STRIP: usize = 32;
/// The same for kernels over plain ranges, whose rows are long.
const RANGE_STRIP: usize = 64;
/// With reducers, a strip has as many items as a reducer has partial results.
const REDUCER_STRIP: usize = 64;

/// Prints the nodes of a plan.
pub struct Regions<'a> {
    plan: &'a Plan,
    printer: Printer<'a>,
    dims: usize,
    item: Option<Ident>,
    nd: bool,
    /// Parameters whose value differs between items: the arguments of a collective function.
    item_args: Vec<VarId>,
    /// Whether items run the whole body one after the other, so that nothing has to be kept for them.
    in_one_piece: bool,
}

/// Where code runs.
#[derive(Clone, Copy)]
enum At {
    /// Once for the group.
    Group,
    /// Once for a strip of the region with this id.
    Strip(usize),
    /// For an item, in a leaf of the region with this id (strips) or in a straight region.
    Item { region: usize, strip: bool },
}

impl<'a> Regions<'a> {
    pub fn new(parsed: &'a Parsed, plan: &'a Plan, dims: usize, item_args: Vec<VarId>) -> Self {
        let printer = Printer::new(parsed, &plan.function, &plan.roles, Form::Loops { alive: plan.needs_alive });
        let item = plan.function.params.iter().find(|p| matches!(p.role, ParamRole::Item | ParamRole::NdItem));
        let nd = item.is_some_and(|p| p.role == ParamRole::NdItem);
        let item = item.map(|p| printer.var(p.var).clone());
        // Sub-groups and reducers ask for the item's place in its group.
        let needs_place = nd || plan.function.params.iter().any(|p| p.role == ParamRole::Reducer);
        let in_one_piece = matches!(plan.nodes.as_slice(), [Node::Items(Items { body: ItemBody::Straight(_), .. })])
            && item_args.is_empty()
            && !needs_place
            && !may_optimise();
        Self { plan, printer, dims, item, nd, item_args, in_one_piece }
    }

    /// The whole body as an expression: storage, the nodes, then `result`. `__g` is the group, `__oob` its faults.
    ///
    /// Each local array and each per-item array comes as the `&mut` argument of a closure. Rust promises LLVM that
    /// nothing else points there, so that loops need no checks at run time before they run as vectors.
    pub fn body(&self, extents: TokenStream, result: TokenStream) -> TokenStream {
        let ranges = (0..self.dims).map(|dim| self.extent(dim));
        let mut inner = quote!(let [#(#ranges),*] = #extents;);
        for var in &self.plan.deferred {
            if self.storage(*var) == Storage::Scalar {
                let name = self.printer.var(*var);
                inner.extend(quote!(let mut #name;));
            }
        }
        if self.plan.needs_alive {
            inner.extend(quote!(let __alive = ::syclone::abi::Alive::new(__g);));
        }
        let nodes = self.nodes(&self.plan.nodes, At::Group);
        let mut body =
            if self.in_one_piece { quote!(#inner #nodes #result) } else { quote!(#inner '__group: { #nodes } #result) };
        for (index, storage) in self.plan.storage.iter().enumerate().rev() {
            if *storage == Storage::PerItem {
                let name = per_item(VarId(index as u32));
                body = quote!(__g.with_per_item(#[inline(always)] |__storage| { let #name = ::syclone::abi::PerItem::of(__storage); #body }));
            }
        }
        for node in self.plan.nodes.iter().rev() {
            if let Some((var, ty)) = local_memory(node) {
                let (name, ty) = (self.printer.var(var), self.printer.ty(ty));
                body = quote!(__g.with_local::<#ty, _>(#[inline(always)] |__storage| { let #name = ::syclone::kernel::Local::of(__storage); #body }));
            }
        }
        body
    }

    fn storage(&self, var: VarId) -> Storage {
        self.plan.storage[var.0 as usize]
    }

    fn extent(&self, dim: usize) -> Ident {
        format_ident!("__r{}", dim)
    }

    /// The number of items in a row; a single task is a row of one.
    fn row(&self) -> TokenStream {
        match self.dims {
            0 => quote!(1usize),
            dims => {
                let extent = self.extent(dims - 1);
                quote!(#extent)
            }
        }
    }

    fn nodes(&self, nodes: &[Node], at: At) -> TokenStream {
        nodes.iter().map(|node| self.node(node, at)).collect()
    }

    fn node(&self, node: &Node, at: At) -> TokenStream {
        match node {
            Node::Items(items) => match at {
                At::Strip(region) => self.piece(items, region),
                _ => self.region(items),
            },
            Node::Scalar(_) if local_memory(node).is_some() => TokenStream::new(),
            Node::Scalar(stmt) => self.scalar(stmt, at),
            Node::Barrier { span } => self.barrier(*span),
            Node::Collective(collective) => self.collective(collective),
            Node::If { cond, then, otherwise } => {
                let cond = self.scalar_expr(cond, at);
                let then = self.nodes(then, at);
                let otherwise = (!otherwise.is_empty()).then(|| {
                    let otherwise = self.nodes(otherwise, at);
                    quote!(else { #otherwise })
                });
                quote!(if #cond { #then } #otherwise)
            }
            Node::Match { scrutinee, arms } => {
                let scrutinee = self.scalar_expr(scrutinee, at);
                let arms = arms.iter().map(|(pattern, guard, body)| {
                    let pattern = self.printer.pattern(pattern);
                    let guard = guard.as_ref().map(|g| {
                        let g = self.scalar_expr(g, at);
                        quote!(if #g)
                    });
                    let body = self.nodes(body, at);
                    quote!(#pattern #guard => { #body })
                });
                quote!(match #scrutinee { #(#arms)* })
            }
            Node::Block { label, body } => {
                let (label, body) = (Printer::label(label).map(|l| quote!(#l:)), self.nodes(body, at));
                quote!(#label { #body })
            }
            Node::Loop { label, body } => {
                let (label, body) = (Printer::label(label).map(|l| quote!(#l:)), self.nodes(body, at));
                quote!(#label loop { #body })
            }
            Node::While { label, cond, body } => {
                let label = Printer::label(label).map(|l| quote!(#l:));
                let (cond, body) = (self.scalar_expr(cond, at), self.nodes(body, at));
                quote!(#label while #cond { #body })
            }
            Node::For { label, pattern, range, body } => {
                let label = Printer::label(label).map(|l| quote!(#l:));
                let pattern = self.printer.pattern(pattern);
                let mut uses = Uses::default();
                let vars = &self.plan.function.vars;
                uses.expr(vars, &range.start);
                uses.expr(vars, &range.end);
                for adaptor in &range.adaptors {
                    if let RangeAdaptor::StepBy(step) = adaptor {
                        uses.expr(vars, step);
                    }
                }
                let range = self.printer.range(range);
                let prologue = self.scalar_prologue(&uses, at);
                let range = if prologue.is_empty() { range } else { quote!({ #prologue #range }) };
                let body = self.nodes(body, at);
                quote!(#label for #pattern in #range { #body })
            }
            Node::Break(label) => {
                let label = Printer::label(label);
                quote!(break #label;)
            }
            Node::Continue(label) => {
                let label = Printer::label(label);
                quote!(continue #label;)
            }
            Node::Return => quote!(break '__group;),
        }
    }

    // ---- what runs once -----------------------------------------------------------------------------------------

    fn scalar(&self, stmt: &Stmt, at: At) -> TokenStream {
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

    fn scalar_expr(&self, expr: &Expr, at: At) -> TokenStream {
        let prologue = self.scalar_prologue(&Uses::of_expr(&self.plan.function.vars, expr), at);
        let expr = self.printer.expr(expr);
        if prologue.is_empty() { expr.into_token_stream() } else { quote!({ #prologue #expr }) }
    }

    /// Values that a uniform expression reads of some item: any will do, the first is taken.
    fn scalar_prologue(&self, uses: &Uses, at: At) -> TokenStream {
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

    fn barrier(&self, span: SpanId) -> TokenStream {
        if !self.plan.needs_alive {
            return TokenStream::new();
        }
        let line = self.printer.line(span);
        quote!(if __alive.at_barrier(__g, #line) != ::syclone::abi::Flow::Continue { break '__group; })
    }

    fn collective(&self, collective: &Collective) -> TokenStream {
        let span = self.printer.span(collective.span);
        let barrier = self.barrier(collective.span);
        let mut temporaries = TokenStream::new();
        let args: Vec<TokenStream> = collective
            .args
            .iter()
            .filter_map(|arg| match arg {
                Argument::Item => None,
                Argument::Uniform(expr) => {
                    let tokens = self.scalar_expr(expr, At::Group);
                    let plain = match &collective.operation {
                        Operation::Method(..) => {
                            matches!(expr.kind, ExprKind::Const(_)) && self.is_operator(expr) || self.is_span(expr)
                        }
                        Operation::Call(_) => false,
                    };
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

    /// Whether an argument is the operator of a reduction or scan.
    fn is_operator(&self, expr: &Expr) -> bool {
        let ExprKind::Const(id) = expr.kind else { return false };
        let text = &self.plan.function.consts[id.0 as usize];
        let last = text.rsplit("::").next().unwrap_or(text).trim();
        matches!(
            last,
            "Plus" | "Multiplies" | "Minimum" | "Maximum" | "BitAnd" | "BitOr" | "BitXor" | "LogicalAnd" | "LogicalOr"
        )
    }

    fn is_span(&self, expr: &Expr) -> bool {
        let var = match &expr.kind {
            ExprKind::Var(var) => *var,
            ExprKind::Method { receiver, name, .. } if name == "span" => return self.is_span(receiver),
            _ => return false,
        };
        self.plan
            .roles
            .role(var)
            .is_some_and(|role| !matches!(role, ParamRole::Value | ParamRole::Spec | ParamRole::Reference { .. }))
    }

    // ---- what runs for items -------------------------------------------------------------------------------------

    fn region(&self, items: &Items) -> TokenStream {
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
        if accesses.is_empty() || !may_optimise() {
            let all = all();
            return quote!(let __end: usize = #end; #all);
        }
        let part = self.part_inside(&accesses, at, quote!(__end), quote!(__x), quote!(let __i = __row + __x; #item));
        let inside = self.printer.with_inside(&accesses, || print(quote!(__part.start), quote!(__part.end)));
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
            indices.extend(steps(self.plan, access).into_iter().map(|part| self.printer.expr(part)));
            faults.push(quote!(#place.fault()));
        }
        quote! {
            let __part = ::syclone::abi::part_inside(#count, #[inline(always)] |#index: usize| {
                #head #loads
                ([#(#indices),*], #(#faults)|*)
            });
        }
    }

    fn local_id(&self, x: TokenStream) -> TokenStream {
        match self.dims {
            0 => quote!([]),
            1 => quote!([#x]),
            2 => quote!([__y, #x]),
            _ => quote!([__z, __y, #x]),
        }
    }

    fn item_binding(&self, local: TokenStream) -> TokenStream {
        match (&self.item, self.nd) {
            (Some(item), true) => quote!(let #item = __g.nd_item(#local);),
            (Some(item), false) => quote!(let #item = __g.range_item(#local);),
            (None, _) => TokenStream::new(),
        }
    }

    fn piece(&self, items: &Items, region: usize) -> TokenStream {
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
        let part = self.part_inside(&accesses, at, quote!(__w), quote!(__l), head);
        // All or nothing: a strip's loops must keep their constant width.
        let inside = self.printer.with_inside(&accesses, print);
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

    /// A leaf for one item: loads, the user's statements, stores.
    fn leaf(&self, items: &Items, stmts: &[Stmt], at: At) -> TokenStream {
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
        let body = stmts.iter().map(|s| self.printer.stmt(s));
        let stores = uses
            .mentioned
            .iter()
            .filter(|v| uses.declared.contains(v) || uses.assigned.contains(v))
            .filter_map(|v| self.store(*v, at));
        debug_assert!(items.id < self.plan.uses.len());
        quote!(#alive #(#declarations)* #loads #(#body)* #(#stores)*)
    }

    /// Variables without a `let` that a leaf assigns before it looks at them.
    fn defined_first(&self, stmts: &[Stmt]) -> Vec<VarId> {
        let vars = &self.plan.function.vars;
        self.plan.deferred.iter().copied().filter(|var| assigns_first(vars, *var, stmts)).collect()
    }

    /// Locals for what a leaf mentions and others computed: arguments, values computed again, stored values.
    fn loads(&self, uses: &Uses, at: At, in_leaf: bool) -> TokenStream {
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

/// The variable and type of a `let x = local::<T>();`.
fn local_memory(node: &Node) -> Option<(VarId, TypeId)> {
    match node {
        Node::Scalar(Stmt::Let {
            pattern: Pattern::Bind { var, .. },
            init: Expr { kind: ExprKind::Builtin(name, types, _), .. },
            ..
        }) if name == "local" => Some((*var, *types.first()?)),
        _ => None,
    }
}

/// The array of a variable that lives across regions.
pub fn per_item(var: VarId) -> Ident {
    Ident::new(&format!("__p{}", var.0), Span::call_site())
}

fn lanes_of(var: VarId) -> Ident {
    Ident::new(&format!("__l{}", var.0), Span::call_site())
}
