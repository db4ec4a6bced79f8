//! What stands around a function in its source file, for advice that the function's own tokens cannot give.
//!
//! A macro sees only what its attribute stands on. Whether that is part of an `impl` block, and whether a function that it
//! calls lacks `#[device_fn]`, rustc would say only in its own words, or in several errors. So the source file is read
//! once, for its shape. It decides nothing but what an error says: where the file cannot be read, and for what macros make,
//! nothing is known and rustc speaks. What is said is certain: only functions are told of that a name cannot but mean, since
//! an item of a module or block goes before all that is imported. So nothing is told of what stands in an item with an
//! attribute that may change it, nor by way of a block that has names which are not seen: imports, and what macros make.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use proc_macro2::{Ident, LineColumn, Span};
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Stmt, Type};

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
        self.found(|scope| scope.functions.get(plain_name(name)).copied()).unwrap_or(false)
    }

    /// Whether `ty::name` is a function without `#[device_fn]` of an `impl` block without it.
    pub fn is_plain_method(&self, ty: &str, name: &str) -> bool {
        let (ty, name) = (plain_name(ty), plain_name(name));
        let of = |scope: &Scope| {
            scope.types.get(ty).map(|is_generic| !is_generic && scope.methods.contains(&(ty.into(), name.into())))
        };
        self.found(of).unwrap_or(false)
    }

    /// Whether a trait of this name is one without `#[device_fn]`.
    pub fn is_plain_trait(&self, name: &str) -> bool {
        self.found(|scope| scope.traits.get(plain_name(name)).copied()).unwrap_or(false)
    }

    /// The answer of the innermost scope that has one, as far as names are looked up in it and those around it.
    fn found<T>(&self, answer: impl Fn(&Scope) -> Option<T>) -> Option<T> {
        let mut scope = self.file.scopes.get(self.scope)?;
        loop {
            if let Some(found) = answer(scope) {
                return Some(found);
            }
            if scope.has_others {
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
    /// Whether it may have names that are not seen here: imports, and what macros make.
    has_others: bool,
    /// Its functions, and whether each is a plain one. A struct, which may be called like one, is none.
    functions: BTreeMap<String, bool>,
    /// Its traits, and whether each is a plain one.
    traits: BTreeMap<String, bool>,
    /// Its types and modules, and whether each is anything but a struct or enum without generics.
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
    /// An editor's server of macros sees more than one text of a file.
    modified: Option<SystemTime>,
    /// Made when somebody asks: in unoptimised macros that takes as long as a few kernels do.
    shape: OnceLock<Arc<File>>,
}

impl Source {
    /// The file that a token is of.
    fn at(span: Span) -> Option<Arc<Source>> {
        static READ: Mutex<Option<HashMap<PathBuf, Arc<Source>>>> = Mutex::new(None);
        let path = span.local_file()?;
        let modified = std::fs::metadata(&path).and_then(|file| file.modified()).ok();
        let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
        let known = read.get_or_insert_default();
        if let Some(source) = known.get(&path).filter(|source| source.modified == modified) {
            return Some(source.clone());
        }
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let source = Arc::new(Source { text, modified, shape: OnceLock::new() });
        known.insert(path, source.clone());
        Some(source)
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
        self.now().types.insert(name.unraw().to_string(), !generics.params.is_empty());
    }

    /// A type or module of which nothing more is known.
    fn note_other(&mut self, name: &Ident) {
        self.now().types.insert(name.unraw().to_string(), true);
    }

    /// Whether an item is what it says. Where an attribute may change it, it may also make others.
    fn is_as_written(&mut self, attrs: &[Attribute]) -> bool {
        const OF_ITEMS: [&str; 8] =
            ["cfg", "test", "should_panic", "ignore", "kernel", "device_fn", "macro_use", "path"];
        let is_known = |attr: &Attribute| is_neutral(attr) || OF_ITEMS.iter().any(|name| attr.path().is_ident(name));
        let as_written = attrs.iter().all(is_known);
        self.now().has_others |= !as_written;
        as_written
    }

    fn note(&mut self, name: &Ident) {
        let (scope, inside) = (self.scope, self.inside);
        self.file.functions.push(Place { name: name.to_string(), at: name.span().start(), scope, inside });
    }
}

/// A name without the sign of a raw one, which means the same.
fn plain_name(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// Whether the call of a macro as a statement may make items.
fn may_make_items(call: &syn::Macro) -> bool {
    const MAKE_NONE: [&str; 18] = [
        "assert",
        "assert_eq",
        "assert_ne",
        "dbg",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
        "eprint",
        "eprintln",
        "kernel",
        "panic",
        "print",
        "println",
        "todo",
        "unimplemented",
        "unreachable",
        "write",
        "writeln",
    ];
    call.path.segments.last().is_none_or(|last| !MAKE_NONE.iter().any(|name| last.ident == name))
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Macro(syn::StmtMacro { mac, .. }) | Stmt::Expr(Expr::Macro(syn::ExprMacro { mac, .. }), _) =
            statement
        {
            self.now().has_others |= may_make_items(mac);
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        self.now().has_others |= !item.mac.path.is_ident("macro_rules");
        visit::visit_item_macro(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.note_other(&item.ident);
    }

    fn visit_item_union(&mut self, item: &'ast syn::ItemUnion) {
        self.note_other(&item.ident);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.note_other(&module.ident);
        if !self.is_as_written(&module.attrs) {
            return;
        }
        self.scoped(None, |reader| visit::visit_item_mod(reader, module));
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.scoped(Some(self.scope), |reader| visit::visit_block(reader, block));
    }

    fn visit_item_use(&mut self, _: &'ast syn::ItemUse) {
        self.now().has_others = true;
    }

    fn visit_item_extern_crate(&mut self, _: &'ast syn::ItemExternCrate) {
        self.now().has_others = true;
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.note(&function.sig.ident);
        let name = function.sig.ident.unraw().to_string();
        self.now().functions.insert(name, is_plain(&function.attrs));
        if !self.is_as_written(&function.attrs) {
            return;
        }
        visit::visit_item_fn(self, function);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        let name = item.ident.unraw().to_string();
        self.now().functions.entry(name).or_insert(false);
        self.note_type(&item.ident, &item.generics);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.note_type(&item.ident, &item.generics);
    }

    fn visit_item_impl(&mut self, block: &'ast syn::ItemImpl) {
        if !self.is_as_written(&block.attrs) {
            return;
        }
        let is_path = matches!(&*block.self_ty, Type::Path(path) if path.path.get_ident().is_some());
        let ty = last_segment(&block.self_ty).filter(|_| is_path && block.trait_.is_none() && is_plain(&block.attrs));
        let outer = (
            self.inside.replace(if block.trait_.is_some() { Inside::ImplOfTrait } else { Inside::Impl }),
            std::mem::replace(&mut self.plain_block_of, ty.map(|last| last.ident.unraw().to_string())),
        );
        visit::visit_item_impl(self, block);
        (self.inside, self.plain_block_of) = outer;
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.note(&function.sig.ident);
        if let Some(ty) = self.plain_block_of.clone().filter(|_| is_plain(&function.attrs)) {
            let name = function.sig.ident.unraw().to_string();
            self.now().methods.insert((ty, name));
        }
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let name = item.ident.unraw().to_string();
        self.now().traits.insert(name, is_plain(&item.attrs));
        if !self.is_as_written(&item.attrs) {
            return;
        }
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
    attrs.iter().all(is_neutral)
}

fn is_neutral(attr: &Attribute) -> bool {
    const NEUTRAL: [&str; 9] = ["doc", "inline", "allow", "expect", "warn", "deny", "must_use", "cold", "track_caller"];
    NEUTRAL.iter().any(|name| attr.path().is_ident(name))
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
    fn names_that_are_not_seen_may_stand_before_those_around() {
        let text = "
            fn plain() {} struct S; impl S { fn new() {} } trait Plain {}
            fn a() { make!(); fn k1() {} }
            fn b() { make! {} fn k2() {} }
            fn c() { fn k3() {} make!() }
            fn d() { #[make] fn f() {} fn k4() {} }
            fn e() { #[device_fn] fn r#plain() {} type S = T; #[device_fn] trait r#Plain {} fn k5() {} }
            fn f() { struct plain(f32); mod S {} use other::Plain; fn k6() {} }
        ";
        for function in ["k1", "k2", "k3", "k4", "k5", "k6"] {
            let around = around(text, function);
            let is_told =
                [around.is_plain_function("plain"), around.is_plain_method("S", "new"), around.is_plain_trait("Plain")];
            assert_eq!(is_told, [false; 3], "{function}");
        }
    }

    #[test]
    fn statements_that_make_no_names_hide_none() {
        let text = "fn plain() {} fn f() { println!(); macro_rules! m { () => {} } #[test] fn g() {} fn k() {} assert!(true) }";
        assert!(around(text, "k").is_plain_function("plain") && around(text, "k").is_plain_function("r#plain"));
    }

    #[test]
    fn nothing_is_told_within_what_an_attribute_may_change() {
        for item in ["mod m { fn k() {} }", "fn f() { fn k() {} }", "impl S { fn k() {} }", "trait T { fn k(); }"] {
            let file = File::read(&format!("#[cfg(all())] #[change] {item}"));
            assert!(file.functions.iter().all(|place| place.name != "k"), "{item}");
            let file = File::read(&format!("#[cfg(all())] {item}"));
            assert!(file.functions.iter().any(|place| place.name == "k"), "{item}");
        }
    }

    #[test]
    fn what_is_no_rust_has_no_shape() {
        assert!(File::read("fn {").functions.is_empty());
    }
}
