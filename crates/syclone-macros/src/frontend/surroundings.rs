//! What stands around a function in its source file, for advice that the function's own tokens cannot give.
//!
//! A macro sees only what its attribute stands on. Whether that is part of an `impl` block, and whether a function that it
//! calls lacks `#[device_fn]`, rustc would say only in its own words, or in several errors. So the source file is read
//! once, for its shape. It decides nothing but what an error says: where the file cannot be read, and for what macros make,
//! nothing is known and rustc speaks. What is said is certain: only functions are told of that a name cannot but mean, since
//! an item of a module or block goes before all that is imported.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use proc_macro2::{Ident, LineColumn, Span};
use syn::visit::{self, Visit};
use syn::{Attribute, Type};

use super::types::last_segment;

/// What a function belongs to that is no module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inside {
    /// An `impl` block of a type.
    Impl,
    /// An `impl` block of a trait.
    ImplOfTrait,
    /// A trait.
    Trait,
}

/// What stands around a function or an inline kernel.
pub struct Surroundings {
    file: Arc<File>,
    scope: usize,
    inside: Option<Inside>,
}

impl Surroundings {
    /// Those of the function of this name, where a file has it as its own tokens. A file that has none of these words is not
    /// looked at closer.
    pub fn of_function(name: &Ident, words: &[&str]) -> Option<Self> {
        let (file, at) = (Source::at(name.span())?.shape(words)?, name.span().start());
        let found = file.functions.iter().find(|function| function.at == at && name == &function.name)?;
        let (scope, inside) = (found.scope, found.inside);
        Some(Surroundings { file, scope, inside })
    }

    /// Those of the inline kernel that has a token at this place.
    pub fn of_inline(token: Span, words: &[&str]) -> Option<Self> {
        let (file, at) = (Source::at(token)?.shape(words)?, token.start());
        let (_, scope) = file.inline.iter().rev().find(|((start, end), _)| (*start..*end).contains(&at))?;
        let scope = *scope;
        Some(Surroundings { file, scope, inside: None })
    }

    /// What the function belongs to, if it is no module.
    pub fn inside(&self) -> Option<Inside> {
        self.inside
    }

    /// Whether a function of this name is one without `#[device_fn]`.
    pub fn is_plain_function(&self, name: &str) -> bool {
        self.found(|scope| scope.functions.get(name).copied()).unwrap_or(false)
    }

    /// Whether `ty::name` is a function without `#[device_fn]` of an `impl` block without it.
    pub fn is_plain_method(&self, ty: &str, name: &str) -> bool {
        let of = |scope: &Scope| {
            scope.types.get(ty).map(|is_generic| !is_generic && scope.methods.contains(&(ty.into(), name.into())))
        };
        self.found(of).unwrap_or(false)
    }

    /// Whether a trait of this name is one without `#[device_fn]`.
    pub fn is_plain_trait(&self, name: &str) -> bool {
        self.found(|scope| scope.traits.get(name).copied()).unwrap_or(false)
    }

    /// The answer of the innermost scope that has one, as far as names are looked up in it and those around it.
    fn found<T>(&self, answer: impl Fn(&Scope) -> Option<T>) -> Option<T> {
        let mut scope = self.file.scopes.get(self.scope)?;
        loop {
            if let Some(found) = answer(scope) {
                return Some(found);
            }
            if scope.imports {
                return None;
            }
            scope = self.file.scopes.get(scope.around?)?;
        }
    }
}

/// The shape of a source file: text and numbers only, since tokens do not outlive the call of a macro.
#[derive(Default)]
struct File {
    scopes: Vec<Scope>,
    functions: Vec<Place>,
    /// Where inline kernels stand, outer ones first, and their scopes.
    inline: Vec<((LineColumn, LineColumn), usize)>,
}

/// A module or a block.
#[derive(Default)]
struct Scope {
    /// The scope around it, which a module does not see.
    around: Option<usize>,
    /// Whether it imports names.
    imports: bool,
    /// Its functions, and whether each is a plain one.
    functions: BTreeMap<String, bool>,
    /// Its traits, and whether each is a plain one.
    traits: BTreeMap<String, bool>,
    /// Its structs and enums, and whether each has generics.
    types: BTreeMap<String, bool>,
    /// Plain functions of plain `impl` blocks, with the type's name.
    methods: BTreeSet<(String, String)>,
}

/// Where a function stands.
struct Place {
    name: String,
    at: LineColumn,
    scope: usize,
    inside: Option<Inside>,
}

/// A source file.
struct Source {
    text: String,
    /// Made when somebody asks: in unoptimised macros that takes as long as a few kernels do.
    shape: OnceLock<Arc<File>>,
}

impl Source {
    /// The file that a token is of.
    fn at(span: Span) -> Option<Arc<Source>> {
        static READ: Mutex<Option<HashMap<PathBuf, Arc<Source>>>> = Mutex::new(None);
        let path = span.local_file()?;
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        let source = read.get_or_insert_default().entry(path).or_insert_with_key(|path| {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            Arc::new(Source { text, shape: OnceLock::new() })
        });
        Some(source.clone())
    }

    /// Its shape, if one of the words is in it.
    fn shape(&self, words: &[&str]) -> Option<Arc<File>> {
        let has_word = words.iter().any(|word| self.text.contains(word));
        has_word.then(|| self.shape.get_or_init(|| Arc::new(File::read(&self.text))).clone())
    }
}

impl File {
    /// The shape of this text, empty if it is no Rust.
    fn read(text: &str) -> File {
        let mut reader = Reader { file: File::default(), scope: 0, inside: None, plain_block_of: None };
        // The compiler's own tokens of a text do not say where they stand in it.
        proc_macro2::fallback::force();
        let parsed = syn::parse_file(text);
        proc_macro2::fallback::unforce();
        if let Ok(parsed) = parsed {
            reader.scoped(None, |reader| visit::visit_file(reader, &parsed));
        }
        reader.file
    }
}

struct Reader {
    file: File,
    scope: usize,
    inside: Option<Inside>,
    /// The type whose `impl` block, without a trait and attributes that may matter, is read.
    plain_block_of: Option<String>,
}

impl Reader {
    fn scoped(&mut self, around: Option<usize>, read: impl FnOnce(&mut Self)) {
        let scope = self.file.scopes.len();
        self.file.scopes.push(Scope { around, ..Scope::default() });
        let outer = (self.inside.take(), self.plain_block_of.take(), std::mem::replace(&mut self.scope, scope));
        read(self);
        (self.inside, self.plain_block_of, self.scope) = outer;
    }

    fn now(&mut self) -> &mut Scope {
        &mut self.file.scopes[self.scope]
    }

    fn note_type(&mut self, name: &Ident, generics: &syn::Generics) {
        self.now().types.insert(name.to_string(), !generics.params.is_empty());
    }

    fn note(&mut self, name: &Ident) {
        let (scope, inside) = (self.scope, self.inside);
        self.file.functions.push(Place { name: name.to_string(), at: name.span().start(), scope, inside });
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.scoped(None, |reader| visit::visit_item_mod(reader, module));
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.scoped(Some(self.scope), |reader| visit::visit_block(reader, block));
    }

    fn visit_item_use(&mut self, _: &'ast syn::ItemUse) {
        self.now().imports = true;
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.note(&function.sig.ident);
        let name = function.sig.ident.to_string();
        self.now().functions.insert(name, is_plain(&function.attrs));
        visit::visit_item_fn(self, function);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.note_type(&item.ident, &item.generics);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.note_type(&item.ident, &item.generics);
    }

    fn visit_item_impl(&mut self, block: &'ast syn::ItemImpl) {
        let is_path = matches!(&*block.self_ty, Type::Path(path) if path.path.get_ident().is_some());
        let ty = last_segment(&block.self_ty).filter(|_| is_path && block.trait_.is_none() && is_plain(&block.attrs));
        let outer = (
            self.inside.replace(if block.trait_.is_some() { Inside::ImplOfTrait } else { Inside::Impl }),
            std::mem::replace(&mut self.plain_block_of, ty.map(|last| last.ident.to_string())),
        );
        visit::visit_item_impl(self, block);
        (self.inside, self.plain_block_of) = outer;
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.note(&function.sig.ident);
        if let Some(ty) = self.plain_block_of.clone().filter(|_| is_plain(&function.attrs)) {
            let name = function.sig.ident.to_string();
            self.now().methods.insert((ty, name));
        }
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let name = item.ident.to_string();
        self.now().traits.insert(name, is_plain(&item.attrs));
        let outer = self.inside.replace(Inside::Trait);
        visit::visit_item_trait(self, item);
        self.inside = outer;
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.note(&function.sig.ident);
        visit::visit_trait_item_fn(self, function);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if call.path.segments.last().is_some_and(|last| last.ident == "kernel") {
            let span = call.delimiter.span();
            self.file.inline.push(((span.open().start(), span.close().end()), self.scope));
        }
    }
}

/// Whether no attribute makes of the item what it does not say.
fn is_plain(attrs: &[Attribute]) -> bool {
    const NEUTRAL: [&str; 9] = ["doc", "inline", "allow", "expect", "warn", "deny", "must_use", "cold", "track_caller"];
    attrs.iter().all(|attr| NEUTRAL.iter().any(|name| attr.path().is_ident(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(text: &str, function: &str) -> Surroundings {
        let file = Arc::new(File::read(text));
        let found = file.functions.iter().find(|place| place.name == function).expect("the text has the function");
        let (scope, inside) = (found.scope, found.inside);
        Surroundings { file, scope, inside }
    }

    #[test]
    fn functions_know_what_they_belong_to() {
        let text = "fn a() {} struct S; impl S { fn b() { fn c() {} } } trait T { fn d(); } mod m { fn e() {} } impl T for S { fn f() {} }";
        let inside = |function| around(text, function).inside();
        assert_eq!(
            ["a", "b", "c", "d", "e", "f"].map(inside),
            [None, Some(Inside::Impl), None, Some(Inside::Trait), None, Some(Inside::ImplOfTrait)]
        );
    }

    #[test]
    fn plain_functions_are_told_by_the_scope_that_names_are_looked_up_in() {
        let text = "
            fn plain() {}
            #[inline] #[doc = \"\"] fn inlined() {}
            #[device_fn] fn device() {}
            #[other] fn unknown() {}
            fn k() {}
            mod m { fn j() {} }
            fn f() { #[device_fn] fn plain() {} fn i() {} }
            fn g() { use other::*; fn h() {} }
        ";
        for (function, of_it) in [("k", [true, true, false, false]), ("j", [false; 4]), ("h", [false; 4])] {
            let around = around(text, function);
            let names = ["plain", "inlined", "device", "unknown"];
            assert_eq!(names.map(|name| around.is_plain_function(name)), of_it, "{function}");
        }
        let of_inner = around(text, "i");
        assert!(!of_inner.is_plain_function("plain") && of_inner.is_plain_function("inlined"));
    }

    #[test]
    fn plain_methods_are_those_of_the_types_own_blocks() {
        let text = "
            struct S; struct G<T>(T);
            impl S { fn new() {} #[device_fn] fn marked() {} }
            #[device_fn] impl S { fn device() {} }
            impl Default for S { fn default() {} }
            impl G<f32> { fn new() {} }
            impl Far { fn new() {} }
            fn k() {}
        ";
        let around = around(text, "k");
        let calls = [("S", "new"), ("S", "marked"), ("S", "device"), ("S", "default"), ("G", "new"), ("Far", "new")];
        let told = calls.map(|(ty, name)| around.is_plain_method(ty, name));
        assert_eq!(told, [true, false, false, false, false, false]);
    }

    #[test]
    fn plain_traits_are_told_too() {
        let around = around("trait Plain {} #[device_fn] trait Device {} fn k() {}", "k");
        assert_eq!(["Plain", "Device", "Far"].map(|name| around.is_plain_trait(name)), [true, false, false]);
    }

    #[test]
    fn what_is_no_rust_has_no_shape() {
        assert!(File::read("fn {").functions.is_empty());
    }
}
