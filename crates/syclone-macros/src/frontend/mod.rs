//! The front end: from the user's tokens to the tree.
//!
//! One pass resolves names, checks that every construct belongs to the kernel language, and fills the tree's
//! tables. What only rustc can know (types, the values of constants, what a path means) stays as tokens beside the
//! tree, in tables with the same indices: [`Parsed::types`], [`Parsed::consts`], [`Parsed::callees`] and
//! [`Parsed::spans`].
//!
//! Errors are gathered, not thrown: a body with three wrong constructs gives three errors, each at its own token,
//! and nothing is ever dropped.
//!
//! - `signature.rs`: kinds, parameters and their roles; `types.rs`: which types may be named.
//! - `lower.rs`: scopes, tables, statements; `expr.rs`, `control.rs`, `call.rs`, `method.rs`, `place.rs`, `pattern.rs`: one
//!   family of constructs each; `advice.rs`: what to write instead of what the language lacks.
//! - `surroundings.rs`: what stands around the function, for advice only.
//! - `message.rs`: what a kernel prints and asserts.
//! - `hygiene.rs`: which identifiers mean the same variable.
//! - `options.rs`: the arguments of `#[kernel(…)]`.
//! - `items.rs`: free functions, `impl` blocks, traits; `std_traits.rs`: which of std's may be among these; `inline.rs`:
//!   `kernel!` closures.

mod advice;
mod call;
mod control;
mod dimension;
mod expr;
mod hygiene;
mod inline;
mod items;
mod local_const;
mod lower;
mod message;
mod method;
mod options;
mod pattern;
mod place;
mod signature;
mod std_traits;
mod surroundings;
#[cfg(test)]
mod tests;
mod tokens;
mod types;

pub use call::{is_library_trait, is_vector_alias};
pub use hygiene::name_of;
pub use inline::{Inline, parse_inline};
pub use items::{
    ParsedImpl, ParsedTrait, no_device_item, parse_device_fn, parse_device_impl, parse_device_trait, parse_kernel,
};
pub use method::names_const;
pub use options::Options;
pub use signature::role_by_name;
pub use std_traits::{ImplOf, note_trait};
pub use surroundings::Inside;
pub use tokens::is_of_handles;
pub use types::{PRIMITIVES, elements, last_segment, type_arguments};

use proc_macro2::{Ident, Span, TokenStream};
use syclone_kernel_ast::tree::{Block, Expr, ExprKind, Function, ParamRole, SpanId, VarId};

/// One function after parsing: its tree and the tokens behind the tree's tables.
pub struct Parsed {
    /// The tree.
    pub function: Function,
    /// Visibility as written; inherited for trait functions.
    pub vis: syn::Visibility,
    /// The name.
    pub ident: Ident,
    /// Generics with their where clause.
    pub generics: syn::Generics,
    /// Generics of the `impl` block or trait around it; where that is a trait's, `Self: Trait` is one of the predicates.
    pub outer: syn::Generics,
    /// Attributes to keep on what the macro emits (documentation, lints, cfg).
    pub attrs: Vec<syn::Attribute>,
    /// The signature as written.
    pub sig: syn::Signature,
    /// Parameters in order, `self` included; they match [`Function::params`].
    pub params: Vec<ParamTokens>,
    /// Declared return type, `None` for `()`.
    pub ret: Option<syn::Type>,
    /// Behind [`Function::types`]. A type may hold `_` where the source leaves it to inference.
    pub types: Vec<syn::Type>,
    /// Behind [`Function::consts`]: paths, literals, or blocks that repeat a `const` item of the body.
    pub consts: Vec<syn::Expr>,
    /// Behind [`Function::callees`].
    pub callees: Vec<Callee>,
    /// What the body calls of the library by names in scope, each once.
    pub library_names: Vec<LibraryName>,
    /// Behind [`Function::spans`]; they carry the hygiene of the tokens that they were taken from.
    pub spans: Vec<Span>,
    /// Arguments of the attribute.
    pub options: Options,
    /// Whether it is a `kernel!` closure.
    pub is_inline: bool,
    /// The `impl` block or trait that it stands in, where the attribute cannot stand.
    pub misplaced: Option<Inside>,
    /// False for a trait's function without a default body: the tree's body is then empty.
    pub has_body: bool,
    /// What was wrong with the body, which is then a [stub](Parsed::make_stub). The macro emits the stub beside the
    /// errors, so that the uses of the function are not errors too.
    pub errors: Option<syn::Error>,
}

impl Parsed {
    /// Replaces the body by one that does nothing, and notes why.
    pub fn make_stub(&mut self, error: syn::Error) {
        let span = SpanId(self.spans.len() as u32);
        self.spans.push(self.ident.span());
        self.function.spans.push(Default::default());
        let body = match self.ret {
            None => Block::default(),
            Some(_) => {
                let forever = Expr { kind: ExprKind::Loop(None, Block::default()), span };
                Block { stmts: Vec::new(), tail: Some(Box::new(forever)) }
            }
        };
        self.function.body = body;
        self.function.vars.truncate(self.params.len());
        // The entries of the tables that only the body used may be what is wrong with it.
        let types = self.function.params.iter().map(|param| param.ty).chain(self.function.ret);
        let kept = types.map(|ty| ty.0 as usize + 1).max().unwrap_or(0);
        self.types.truncate(kept);
        self.function.types.truncate(kept);
        self.consts.clear();
        self.function.consts.clear();
        self.callees.clear();
        self.function.callees.clear();
        self.library_names.clear();
        add_error(&mut self.errors, error);
    }
}

/// Adds an error to those found so far.
fn add_error(errors: &mut Option<syn::Error>, error: syn::Error) {
    match errors {
        Some(errors) => errors.combine(error),
        None => *errors = Some(error),
    }
}

/// One parameter as tokens.
#[derive(Clone)]
pub struct ParamTokens {
    /// Its name; `self` for a receiver.
    pub ident: Ident,
    /// The variable that it is in the tree. Two parameters may have names of one text, one of them a macro's own.
    pub var: VarId,
    /// Its type; `Self`, `&Self` or `&mut Self` for a receiver, `_` for a captured variable.
    pub ty: syn::Type,
    /// What kind of thing it is.
    pub role: ParamRole,
}

/// A name by which a body calls one of the library's functions or macros. What it is in the tree is told by its spelling.
pub struct LibraryName {
    /// The path as written, without arguments.
    pub path: syn::Path,
    /// Whether a macro is called.
    pub is_macro: bool,
}

/// What a call by path leads to.
#[derive(Clone)]
pub enum Callee {
    /// A free device function.
    Free {
        /// The path, without the last segment's turbofish.
        path: syn::Path,
        /// The last segment's turbofish.
        generics: Option<syn::AngleBracketedGenericArguments>,
    },
    /// A function of a type or a trait.
    Assoc {
        /// What stands before the last `::`, such as `A`, `Self`, `Pair::<f32>` or `<A as Activation>`.
        prefix: TokenStream,
        /// Whether that names a trait, as in `<A as Activation>`.
        of_trait: bool,
        /// The function's name.
        name: Ident,
        /// The turbofish after the name.
        generics: Option<syn::AngleBracketedGenericArguments>,
    },
}

/// The identifier that a name of the tree stands for, raw identifiers included.
pub fn make_ident(name: &str, span: Span) -> Ident {
    match name.strip_prefix("r#") {
        Some(raw) => Ident::new_raw(raw, span),
        None => Ident::new(name, span),
    }
}
