//! `#[kernel]`: a constructor function, the struct that it makes, and its `Kernel` implementation.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syclone_kernel_ast::analysis::plan::{Plan, Verdict, plan, plan_item_by_item};
use syclone_kernel_ast::analysis::walk::each_expr;
use syclone_kernel_ast::tree::{ExprKind, FunctionKind, ParamRole, TypeId};

use super::bound::{calls_field, encoded, tables_field};
use super::callable::with_callable;
use super::device_types::{DeviceTypes, Granted, is_primitive};
use super::library_names::name_checks;
use super::lock_step::lock_step_body;
use super::operands::operand_checks;
use super::printer::printed_name;
use super::regions::Regions;
use super::{allowances, analysis_error, hidden_type, let_oob, may_optimise, passed};
use crate::frontend::{ParamTokens, Parsed, make_ident};

/// Both forms of a kernel's body, as functions of the group `__g`.
pub struct Bodies {
    /// Item loops, where every barrier is proven uniform.
    pub regions: Option<TokenStream>,
    /// The lock-step form, where asked for or needed.
    pub lock_step: Option<TokenStream>,
    /// Why the lock-step form is needed, and the operation that needs it.
    pub reason: Option<(Span, String)>,
}

/// Prints the forms of a kernel's body.
pub fn bodies(parsed: &Parsed, extents: Option<TokenStream>) -> syn::Result<Bodies> {
    let dims = dims(parsed.function.kind);
    let verdict = if may_optimise() { plan(&parsed.function) } else { plan_item_by_item(&parsed.function) };
    let verdict = verdict.map_err(|e| analysis_error(parsed, &e))?;
    let (regions, reason) = match verdict {
        Verdict::Split(plan) => (Some(region_form(parsed, &plan, dims, extents)), None),
        Verdict::LockStep { span, reason } => {
            let line = parsed.function.spans.get(span.0 as usize).map_or(0, |s| s.line);
            let at = parsed.spans.get(span.0 as usize).copied().unwrap_or_else(Span::call_site);
            (None, Some((at, format!("line {line}: {reason}"))))
        }
    };
    let nd = matches!(parsed.function.kind, FunctionKind::NdRange { .. });
    let lock_step =
        if nd && (parsed.options.fallback || regions.is_none()) { Some(lock_step_body(parsed, dims)?) } else { None };
    Ok(Bodies { regions, lock_step, reason })
}

fn region_form(parsed: &Parsed, plan: &Plan, dims: usize, extents: Option<TokenStream>) -> TokenStream {
    let extents = match parsed.function.kind {
        FunctionKind::SingleTask => quote!([0usize; 0]),
        _ => extents.unwrap_or_else(|| quote!(__g.local_range)),
    };
    let body = Regions::new(parsed, plan, dims, Vec::new()).body(extents, TokenStream::new());
    quote!({ #body })
}

/// The number of dimensions of a kernel; a single task has none.
pub fn dims(kind: FunctionKind) -> usize {
    match kind {
        FunctionKind::Range { dims } | FunctionKind::NdRange { dims } => usize::from(dims),
        _ => 0,
    }
}

/// `let (a, b, …) = __params;` with local memory and reducers bound to the group.
pub fn unpack(parsed: &Parsed) -> TokenStream {
    let names: Vec<Ident> = passed(parsed).iter().map(|p| local_name(parsed, p)).collect();
    let binds = passed(parsed).into_iter().zip(&names).filter_map(|(p, name)| match p.role {
        ParamRole::LocalAccessor => Some(quote!(let #name = __g.bind_local(&#name);)),
        ParamRole::Reducer => Some(quote!(let #name = #name.bind(__g);)),
        _ => None,
    });
    let item = item_check(parsed);
    quote!(let (#(#names,)*) = __params; #item #(#binds)*)
}

/// The item's type as the user wrote it, so that an import of its is used and its name does not lie.
pub fn item_check(parsed: &Parsed) -> Option<TokenStream> {
    let item = parsed.params.iter().find(|p| matches!(p.role, ParamRole::Item | ParamRole::NdItem))?;
    let ty = &item.ty;
    Some(quote!(let _: #ty;))
}

/// The name under which the printer prints a parameter.
pub fn local_name(parsed: &Parsed, param: &ParamTokens) -> Ident {
    let name = printed_name(&parsed.function, param.var.0 as usize);
    make_ident(&name, param.ident.span().resolved_at(Span::call_site()))
}

/// The whole expansion.
pub fn kernel(parsed: &Parsed) -> syn::Result<TokenStream> {
    let Parsed { vis, ident, generics, attrs, .. } = parsed;
    let dims = dims(parsed.function.kind);
    let form = match parsed.function.kind {
        FunctionKind::Range { .. } => quote!(::syclone::abi::RangeForm),
        FunctionKind::NdRange { .. } => quote!(::syclone::abi::NdRangeForm),
        _ => quote!(::syclone::abi::SingleTaskForm),
    };
    let params = passed(parsed);
    let types: Vec<&syn::Type> = params.iter().map(|p| &p.ty).collect();
    let arguments: Vec<TokenStream> = params
        .iter()
        .map(|p| {
            let (name, ty) = (&p.ident, &p.ty);
            match argument_trait(p.role) {
                Some(role) => {
                    let role = Ident::new(role, Span::call_site());
                    quote!(#name: impl ::syclone::abi::arg::#role<#ty>)
                }
                None => quote!(#name: #ty),
            }
        })
        .collect();
    let values = params.iter().map(|p| match (&p.ident, p.role == ParamRole::Value && !is_primitive(&p.ty)) {
        (name, true) => quote!(::syclone::abi::PlainValue(#name)),
        (name, false) => quote!(#name),
    });
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let unsafety = &parsed.sig.safety;
    // `'static` stands with the parameter, wherever the user's own bounds stand.
    let bounds = where_clause.as_ref().map(|_| quote!(#[allow(clippy::multiple_bound_locations)]));
    let span = ident.span();
    let constructor = |code: TokenStream, body: TokenStream| {
        quote_spanned! {span=>
            #(#attrs)*
            #[allow(clippy::too_many_arguments, clippy::type_complexity)]
            #bounds
            #vis #unsafety fn #ident #impl_generics (#(#arguments),*)
                -> ::syclone::abi::KernelCall<#dims, #form, #code, (#(#types,)*)> #where_clause
            { #body }
        }
    };
    if parsed.misplaced.is_some() {
        // Nothing but the function can stand there.
        let constructor = constructor(quote!(::syclone::abi::NoCode<(#(#types,)*)>), quote!(loop {}));
        return Ok(quote!(#[allow(unused)] #constructor));
    }
    // Not the kernel's own name: a type or module may have that too.
    let code = hidden_type("kernel", ident);
    let device_types = DeviceTypes::of(parsed);
    let checks = device_types.checks();
    let Granted { where_clause: granted, names: granted_names } = device_types.granted(&code);
    let code_type = code_type(parsed, &code);
    let extents = declared_extents(parsed);
    let bodies = bodies(parsed, extents.clone())?;
    let unpack = unpack(parsed);
    let sizes = size_options(parsed, extents);
    let local_bytes = local_bytes(parsed);
    let method = |name: TokenStream| {
        let allow = allowances();
        quote!(#[inline(always)] #allow unsafe fn #name(__params: Self::Params, __g: &::syclone::abi::GroupCx<#dims>))
    };
    let regions = bodies.regions.map(|body| {
        let (method, oob) = (method(quote!(group)), let_oob());
        quote!(#method { #unpack #oob #body __g.report(__oob); })
    });
    let has_lock_step = bodies.lock_step.is_some().then(|| quote!(lock_step: true,));
    let lock_step = bodies.lock_step.map(|body| {
        let method = method(quote!(group_lock_step));
        quote!(#method { #unpack #body })
    });
    let warning = bodies
        .reason
        .as_ref()
        .filter(|_| !parsed.options.fallback)
        .map(|(span, reason)| slow_way_warning(ident, *span, reason));
    let reason = bodies.reason.as_ref().map(|(_, r)| quote!(not_split: ::core::option::Option::Some(#r),));
    let options = quote!(#has_lock_step #sizes #local_bytes #reason);
    let meta = meta(parsed, dims, options);
    let constructor =
        constructor(quote!(#code #type_generics), quote!(#checks ::syclone::abi::KernelCall::new((#(#values,)*))));
    let implementation = quote_spanned! {span=>
        impl #impl_generics ::syclone::abi::KernelCode<#dims> for #code #type_generics #granted {
            type Params = (#(#types,)*);
            #meta
            #regions
            #lock_step
        }
    };
    let implementation = with_callable([parsed], implementation);
    Ok(quote_spanned! {span=>
        #constructor
        #code_type
        #granted_names

        #implementation
        #warning
    })
}

/// The work-group size that the kernel is declared for.
pub fn declared_extents(parsed: &Parsed) -> Option<TokenStream> {
    parsed.options.work_group_size.as_ref().map(|sizes| quote!([#(#sizes),*]))
}

/// The fields of a kernel's description for the sizes that it is declared with.
pub fn size_options(parsed: &Parsed, extents: Option<TokenStream>) -> TokenStream {
    let work_group = extents.map(|e| quote!(work_group_size: ::core::option::Option::Some(#e),));
    let sub_group = &parsed.options.sub_group_size;
    let sub_group = sub_group.as_ref().map(|s| quote!(sub_group_size: ::core::option::Option::Some(#s),));
    quote!(#work_group #sub_group)
}

/// The method that describes the kernel. `options` are fields that differ from their defaults.
fn meta(parsed: &Parsed, dims: usize, mut options: TokenStream) -> TokenStream {
    let text = encoded(parsed);
    let params = passed(parsed).iter().map(|p| p.ident.to_string()).collect::<Vec<_>>().join(" ");
    let name = parsed.ident.to_string();
    options.extend(calls_field(parsed));
    options.extend(tables_field(parsed));
    let meta = quote!(::syclone::abi::KernelMeta::new(#name, #params, #text));
    let meta = if options.is_empty() { meta } else { quote!(::syclone::abi::KernelMeta { #options ..#meta }) };
    let (names, operands) = (name_checks(parsed), operand_checks(parsed));
    quote!(fn meta() -> ::syclone::abi::KernelMeta<#dims> { #names #operands #meta })
}

/// The type without values that stands for the kernel's code.
fn code_type(parsed: &Parsed, name: &Ident) -> TokenStream {
    let Parsed { vis, generics, .. } = parsed;
    if generics.params.is_empty() {
        return quote!(#[doc(hidden)] #[allow(non_camel_case_types)] #vis enum #name {});
    }
    let types: Vec<&Ident> = generics.type_params().map(|param| &param.ident).collect();
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    quote! {
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #name #impl_generics #where_clause { instance: ::core::marker::PhantomData<fn() -> (#(#types,)*)> }
    }
}

/// A warning at the operation that forces the slow form. Stable Rust has no warnings from macros; using a deprecated
/// constant is the one way to show the user one.
fn slow_way_warning(kernel: &Ident, span: Span, reason: &str) -> TokenStream {
    let note = format!(
        "kernel `{kernel}` runs in lock-step, which is slow: {reason}; `#[kernel(fallback)]` accepts that and silences this"
    );
    let name = Ident::new("lock_step", span.resolved_at(Span::call_site()));
    // In a block of its own: a module may have several such kernels.
    quote! {
        const _: () = {
            #[deprecated(note = #note)]
            #[allow(non_upper_case_globals)]
            const #name: () = ();
            #name
        };
    }
}

/// The static local memory that a kernel asks for, so that a launch can check it before it runs.
pub fn local_bytes(parsed: &Parsed) -> TokenStream {
    let mut types: Vec<TypeId> = Vec::new();
    each_expr(&parsed.function.body, &mut |expr| {
        if let ExprKind::Builtin(name, of, _) = &expr.kind
            && name == "local"
        {
            types.extend(of.first());
        }
    });
    if types.is_empty() {
        return TokenStream::new();
    }
    let sizes = types.iter().map(|ty| {
        let ty = &parsed.types[ty.0 as usize];
        quote!(::core::mem::size_of::<#ty>().next_multiple_of(64))
    });
    quote!(local_bytes: 0 #(+ #sizes)*,)
}

/// The trait of `abi::arg` for a parameter. The analysis knows its role by the name of its type; rustc checks that the name
/// did not lie.
fn argument_trait(role: ParamRole) -> Option<&'static str> {
    Some(match role {
        ParamRole::View => "View",
        ParamRole::ItemMut => "ItemMut",
        ParamRole::GroupMut => "GroupMut",
        ParamRole::ScatterMut => "ScatterMut",
        ParamRole::AtomicView => "AtomicView",
        ParamRole::LocalAccessor => "LocalAccessor",
        ParamRole::Reducer => "Reducer",
        ParamRole::Spec => "Spec",
        _ => return None,
    })
}
