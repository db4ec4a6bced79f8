//! Which identifiers mean the same variable.
//!
//! In a kernel that a `macro_rules!` macro makes, a variable of the macro's own and one that its caller named are two
//! variables for rustc, even if both are called `x`. The tree must agree, so scopes are searched by name *and* by the
//! place that the name was written in: its [`Context`].
//!
//! Stable Rust does not compare contexts. It does show them: a compiler's `Span` prints as `#4 bytes(12..13)`, where `#4`
//! is the number of the context. Where that text is another one, such as outside of the compiler, all names are of one
//! context, and a test of kernels made by macros fails if a compiler changes it.

use super::lower::Binding;
use proc_macro2::{Ident, Span};
use std::collections::HashMap;

/// Where a name was written: by whom, if not at which place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Context(Option<u32>);

impl Context {
    /// The context of a token.
    pub fn of(span: Span) -> Context {
        Context(number(&format!("{span:?}")))
    }
}

/// `4` of `#4 bytes(12..13)`.
fn number(text: &str) -> Option<u32> {
    text.strip_prefix('#')?.split_once(' ')?.0.parse().ok()
}

/// The name that an identifier writes: `r#x` is `x`, but `r#type` cannot be written in another way.
pub fn name_of(ident: &Ident) -> String {
    let text = ident.to_string();
    match text.strip_prefix("r#") {
        Some(plain) if syn::parse_str::<Ident>(plain).is_ok() => plain.to_owned(),
        _ => text,
    }
}

/// Whether two identifiers mean the same variable where both are visible.
pub fn is_same(a: &Ident, b: &Ident) -> bool {
    name_of(a) == name_of(b) && (a == "self" || Context::of(a.span()) == Context::of(b.span()))
}

/// Whether a procedural macro made the identifier: it is then placed at that macro's call, not at its own text.
///
/// Most such names see their caller's, and there is no telling those that do not.
fn is_made_up(ident: &Ident) -> bool {
    ident.span().source_text().is_some_and(|text| *ident != text)
}

/// A declared name, with the context that it is asked for again and again.
struct Name {
    ident: Ident,
    context: Context,
}

impl Name {
    fn new(ident: Ident) -> Self {
        Name { context: Context::of(ident.span()), ident }
    }

    /// Whether another name of the same text means the same variable.
    fn is(&self, text: &str, context: Context) -> bool {
        self.context == context || text == "self"
    }
}

/// The names that one block declares.
#[derive(Default)]
pub struct Scope {
    /// For each text, the latest declaration last.
    names: HashMap<String, Vec<(Name, Binding)>>,
}

impl Scope {
    /// Declares a name.
    pub fn insert(&mut self, ident: Ident, binding: Binding) {
        self.names.entry(name_of(&ident)).or_default().push((Name::new(ident), binding));
    }

    /// Whether the block declares constants.
    pub fn has_consts(&self) -> bool {
        self.names.values().flatten().any(|(_, binding)| matches!(binding, Binding::Const(_)))
    }

    /// What a name means, by a test of its declaration.
    fn find(&self, text: &str, is_it: &dyn Fn(&Name) -> bool) -> Option<&Binding> {
        let (_, binding) = self.names.get(text)?.iter().rev().find(|(declared, binding)| match binding {
            // Items are visible to every context.
            Binding::Const(_) => true,
            Binding::Var(_) => is_it(declared),
        })?;
        Some(binding)
    }
}

/// What a name means in these scopes, innermost last.
pub fn resolve<'a>(scopes: &'a [Scope], ident: &Ident) -> Option<&'a Binding> {
    let (text, context) = (name_of(ident), Context::of(ident.span()));
    let search = |is_it: &dyn Fn(&Name) -> bool| scopes.iter().rev().find_map(|scope| scope.find(&text, is_it));
    search(&|declared| declared.is(&text, context))
        .or_else(|| search(&|declared| is_made_up(&declared.ident) || is_made_up(ident)))
}

/// Whether a variable of this text, but of another context, is visible.
pub fn has_namesake(scopes: &[Scope], ident: &Ident) -> bool {
    let text = name_of(ident);
    // Most names are new, and a context costs a question to the compiler.
    if !scopes.iter().any(|scope| scope.names.contains_key(&text)) {
        return false;
    }
    let context = Context::of(ident.span());
    scopes.iter().any(|scope| scope.find(&text, &|declared| !declared.is(&text, context)).is_some())
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn a_context_is_the_number_before_the_place() {
        assert_eq!(number("#0 bytes(1..2)"), Some(0));
        assert_eq!(number("#123 bytes(1..2)"), Some(123));
        assert_eq!(number("bytes(1..2)"), None);
        assert_eq!(number("Span"), None);
    }
}
