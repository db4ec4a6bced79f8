//! Printing the region tree: item loops, strips, and what runs once for the group between them.
//!
//! Here is the tree as a whole; `items.rs` has the loops over items, `leaf.rs` what is in them, and `once.rs` what is
//! between them.

mod items;
mod leaf;
mod once;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syclone_kernel_ast::analysis::plan::{ItemBody, Items, Node, Plan, Storage};
use syclone_kernel_ast::analysis::uses::Uses;
use syclone_kernel_ast::tree::*;

use super::may_optimise;
use super::printer::{Form, Printer};
use crate::frontend::Parsed;

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
                body = quote!(__g.with_local::<#ty, _>(#[inline(always)] |__storage| { let #name = unsafe { ::syclone::kernel::Local::of(__storage) }; #body }));
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

    // ---- what runs for items -------------------------------------------------------------------------------------
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
