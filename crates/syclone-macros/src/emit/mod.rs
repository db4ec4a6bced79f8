//! The back end of the macros: what `#[kernel]`, `#[device_fn]` and `kernel!` expand to.
//!
//! - `printer.rs` prints expressions, `regions.rs` the region tree around them (`ends.rs` says which of its loops need no
//!   checks, `assertions.rs` which need not assert one by one), `lock_step.rs` the form for kernels whose barriers cannot be proven uniform.
//! - `kernel.rs`, `device_fn.rs`, `device_impl.rs` and `inline.rs` assemble the items.
//! - `bound.rs` prints the tree as one string and the tables that bind it to concrete types; `found.rs` and `sites.rs` let
//!   rustc find the methods that are called on values, `comparisons.rs` how values are compared; `operands.rs` lets it
//!   refuse operators on structs (`numbers.rs` sees without it that most operands are none), `printer/plain.rs` what only
//!   plain Rust means (`receivers.rs` sees that most methods are built in), `library_names.rs` names of the library that mean
//!   something else, `callable.rs` calls of functions of types that are no device functions, and `device_types.rs` values that cannot be a kernel's.
//!
//! All names that start with two underscores belong to the macro; the user's tokens keep their own spans.

mod assertions;
mod bound;
mod builtin_names;
mod callable;
mod comparisons;
mod device_fn;
mod device_impl;
mod device_types;
mod ends;
mod found;
mod inline;
mod kernel;
mod library_names;
mod lock_step;
mod numbers;
mod operands;
mod parameters;
mod printer;
mod receivers;
mod regions;
mod sites;
mod spelled;

pub use builtin_names::is_builtin_method;
pub use comparisons::{comparison_impl, comparison_of};
pub use device_fn::device_fn;
pub use device_impl::{device_impl, device_trait, own_lists};
pub use inline::inline;
pub use kernel::kernel;

use std::sync::OnceLock;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syclone_kernel_ast::analysis::AnalysisError;
use syclone_kernel_ast::tree::ParamRole;

use crate::frontend::Parsed;

/// Whether the code may be compiled with optimisation, by the arguments of the compiler that this macro runs in.
///
/// Without it nothing vectorises, and what is printed only for speed would cost compile time for nothing: `cargo check`
/// and debug builds get the plain loops, which a debugger steps through. In doubt (no compiler's arguments, or arguments in
/// a file) the answer is yes; either answer gives right code in any build.
fn may_optimise() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let args: Vec<String> = std::env::args().collect();
        let known = args.iter().any(|arg| arg == "--crate-name") && !args.iter().any(|arg| arg.starts_with('@'));
        let optimises = |arg: &String| {
            let level = arg.rsplit_once("opt-level=").map(|(_, level)| level);
            arg == "-O" || level.is_some_and(|level| level != "0")
        };
        !known || args.iter().any(optimises)
    })
}

/// An error of the analysis at the user's token.
fn analysis_error(parsed: &Parsed, error: &AnalysisError) -> syn::Error {
    let span = parsed.spans.get(error.span.0 as usize).copied().unwrap_or_else(proc_macro2::Span::call_site);
    syn::Error::new(span, &error.message)
}

/// Lints that printed code cannot avoid: parentheses, names and statements that the user's own code does not have; and
/// that Rust may have `erf` and `erfc` one day, which will then mean the same.
fn allowances() -> TokenStream {
    quote!(#[allow(
        unused,
        trivial_numeric_casts,
        unstable_name_collisions,
        non_snake_case,
        clippy::all,
        clippy::pedantic,
        clippy::undocumented_unsafe_blocks,
        unsafe_op_in_unsafe_fn
    )])
}

/// Declares the flag that accesses out of bounds set. Its `unsafe` is never the user's own token: a crate may forbid that.
fn let_oob() -> TokenStream {
    quote!(let mut __oob = unsafe { ::syclone::abi::Oob::new() };)
}

/// The name of a function's hidden type. No other function of the module has it, also if it has the same name: that is one
/// error of rustc's then.
fn hidden_type(kind: &str, ident: &Ident) -> Ident {
    format_ident!("__{}_{}_{}", kind, ident, ident.span().start().line, span = ident.span())
}

/// Parameters that a launch passes: all but the item.
fn passed(parsed: &Parsed) -> Vec<&crate::frontend::ParamTokens> {
    parsed.params.iter().filter(|p| !matches!(p.role, ParamRole::Item | ParamRole::NdItem)).collect()
}

/// The `D` of an item's or a handle's type, as its first generic argument.
fn dims_of(ty: &syn::Type) -> TokenStream {
    if let syn::Type::Path(path) = ty
        && let Some(segment) = path.path.segments.last()
        && let syn::PathArguments::AngleBracketed(args) = &segment.arguments
        && let Some(first) = args.args.first()
    {
        return quote!(#first);
    }
    quote!(1)
}
