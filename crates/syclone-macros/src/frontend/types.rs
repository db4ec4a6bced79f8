//! Which types a kernel may name, and how a type is displayed.

use super::lower::{Binding, Lowerer};
use super::signature::role_by_name;

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, Type};

/// The primitive types of the kernel language, `f16` and `bf16` included.
pub const PRIMITIVES: [&str; 15] =
    ["bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f16", "bf16", "f32", "f64"];

/// Source-like text of tokens: `[f32; B]`, not `[f32 ; B]`.
pub fn display(tokens: &impl ToTokens) -> String {
    tidy(&tokens.to_token_stream().to_string())
}

/// What [`display`] gives for a name with names and numbers as arguments, which most types are, without asking the
/// compiler for a text.
pub fn plain_text(ty: &Type) -> Option<String> {
    let Type::Path(syn::TypePath { qself: None, path, .. }) = ty else { return None };
    let (None, 1, Some(segment)) = (path.leading_colon, path.segments.len(), path.segments.first()) else {
        return None;
    };
    let mut text = segment.ident.to_string();
    match &segment.arguments {
        PathArguments::None => return Some(text),
        PathArguments::AngleBracketed(args) if args.colon2_token.is_none() => {
            for (at, arg) in args.args.iter().enumerate() {
                text.push_str(if at == 0 { "<" } else { ", " });
                match arg {
                    GenericArgument::Type(ty) => text.push_str(&plain_text(ty)?),
                    GenericArgument::Const(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. })) => {
                        text.push_str(&number.to_string());
                    }
                    _ => return None,
                }
            }
        }
        _ => return None,
    }
    text.push('>');
    Some(text)
}

/// The text of tokens without the spaces that nobody writes.
fn tidy(text: &str) -> String {
    let bytes = text.as_bytes();
    let is_space = |byte: u8| byte == b' ' || byte == b'\n';
    let mut tidy = Vec::with_capacity(bytes.len());
    for (at, &byte) in bytes.iter().enumerate() {
        if !is_space(byte) {
            tidy.push(byte);
            continue;
        }
        let next = bytes[at + 1..].iter().copied().find(|byte| !is_space(*byte));
        let (Some(next), Some(&last)) = (next, tidy.last()) else { continue };
        let kept = match (last, next) {
            (b' ', _) => false,
            (b',', b'(') => true,
            // A qualified path keeps its spaces around `as`.
            (b's', b'<') => tidy.ends_with(b" as"),
            (b'<' | b'&' | b'[' | b'(', _) | (_, b'<' | b'>' | b',' | b';' | b']' | b')' | b'(') => false,
            _ => !tidy.ends_with(b"::") && !bytes[at + 1..].trim_ascii_start().starts_with(b"::"),
        };
        if kept {
            tidy.push(b' ');
        }
    }
    // Only whole spaces were left out.
    String::from_utf8(tidy).unwrap_or_default()
}

/// The name of a type that is a plain path, without its generics.
pub fn last_segment(ty: &Type) -> Option<&syn::PathSegment> {
    match strip(ty) {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        _ => None,
    }
}

/// The types among a type's arguments.
pub fn type_arguments(ty: &Type) -> impl Iterator<Item = &Type> {
    let list = match last_segment(ty).map(|last| &last.arguments) {
        Some(syn::PathArguments::AngleBracketed(list)) => Some(list),
        _ => None,
    };
    list.into_iter().flat_map(|list| &list.args).filter_map(|argument| match argument {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// What an array holds in the end; any other type itself.
pub fn elements(mut ty: &Type) -> &Type {
    while let Type::Array(array) = strip(ty) {
        ty = &array.elem;
    }
    strip(ty)
}

/// The type without parentheses and invisible groups.
pub fn strip(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            other => return other,
        }
    }
}

/// The types of [`advice`] that have parameters.
const GENERIC: [&str; 16] = [
    "Vec", "VecDeque", "Box", "Rc", "Arc", "Cow", "HashMap", "BTreeMap", "HashSet", "BTreeSet", "Option", "Result",
    "Cell", "RefCell", "Mutex", "RwLock",
];

impl Lowerer {
    /// Reports what the type names that devices do not have. `infer` says whether `_` may stand in it.
    pub fn check_type(&mut self, ty: &Type, infer: bool) {
        match strip(ty) {
            Type::Array(array) => self.check_array(array, infer),
            Type::Tuple(tuple) => tuple.elems.iter().for_each(|elem| self.check_type(elem, infer)),
            Type::Path(path) => {
                if let Some(qself) = &path.qself {
                    self.check_type(&qself.ty, infer);
                }
                for segment in &path.path.segments {
                    self.check_generics(&segment.arguments, infer);
                }
                if let Some(advice) = last_segment(ty).and_then(advice) {
                    self.error(path, advice);
                }
            }
            Type::Infer(_) if infer => {}
            Type::Infer(underscore) => self.error(underscore, "this type must be written out"),
            Type::Reference(reference) if matches!(strip(&reference.elem), Type::Slice(_)) => self.error(
                reference,
                "slices do not exist on a device: take a `View<T>` of global memory, or an array `[T; N]` by value",
            ),
            Type::Reference(reference) => match last_segment(&reference.elem).filter(|segment| segment.ident == "str") {
                Some(_) => self.error(reference, "strings do not exist on a device: pass numbers"),
                None => self.error(
                    reference,
                    "references are only for the parameters of a `#[device_fn]`: pass and keep values, which are copied",
                ),
            },
            Type::Slice(slice) => {
                self.error(slice, "slices do not exist on a device: take a `View<T>` of global memory, or an array `[T; N]`")
            }
            Type::ImplTrait(ty) => {
                self.error(ty, "`impl Trait` is not supported here: name a generic parameter, `fn f<T: Trait>(x: T)`")
            }
            Type::TraitObject(ty) => self.error(
                ty,
                "trait objects do not exist on a device: make the function generic over the trait, `fn f<T: Trait>(…)`",
            ),
            Type::FnPtr(ty) => self.error(
                ty,
                "function pointers do not exist on a device: make the function generic over a trait with a `#[device_fn]`",
            ),
            Type::Ptr(ty) => self.error(ty, "raw pointers are not part of the kernel language: take a `View` or a `ScatterMut`"),
            Type::Never(ty) => self.error(ty, "the type `!` is not part of the kernel language: every function returns"),
            other => self.error(other, "this type is not part of the kernel language: use scalars, vectors, arrays, tuples and `DeviceCopy` structs"),
        }
    }

    fn check_array(&mut self, array: &syn::TypeArray, infer: bool) {
        if let Some(name) = last_segment(&array.elem).map(|last| &last.ident)
            && role_by_name(&array.elem).is_handle()
        {
            self.error(&array.elem, format!("a `{name}` cannot lie in an array: make each a parameter of its own"));
        }
        if let syn::Expr::Path(length) = &array.len
            && let Some(variable) = length.path.get_ident()
            && let Some(Binding::Var(_)) = self.lookup(variable)
        {
            let message = format!(
                "an array's length is a constant, and `{variable}` is a variable: use a literal, a `const` or a const generic; local memory that is sized at launch is a parameter, a `LocalAccessor`"
            );
            self.error(&array.len, message);
        }
        self.check_type(&array.elem, infer);
    }

    fn check_generics(&mut self, arguments: &PathArguments, infer: bool) {
        match arguments {
            PathArguments::None => {}
            PathArguments::AngleBracketed(list) => {
                for argument in &list.args {
                    match argument {
                        GenericArgument::Type(ty) => self.check_type(ty, infer),
                        GenericArgument::Lifetime(lifetime) => {
                            self.error(lifetime, "lifetimes do not exist on a device: handles and values are copied");
                        }
                        _ => {}
                    }
                }
            }
            PathArguments::Parenthesized(list) => {
                self.error_at(
                    list.span(),
                    "closures do not exist on a device: be generic over a trait with a `#[device_fn]`",
                );
            }
        }
    }
}

/// What to use instead of a type that exists on the host only.
///
/// The standard library's generic types are written with their arguments. Without, a name such as `Cell` or `Box` is one of
/// the program's own types.
fn advice(segment: &syn::PathSegment) -> Option<&'static str> {
    let name = segment.ident.to_string();
    if segment.arguments.is_none() && GENERIC.contains(&name.as_str()) {
        return None;
    }
    Some(match name.as_str() {
        "String" | "str" | "CString" | "OsString" => "strings do not exist on a device: pass numbers",
        "char" => "`char` is not part of the kernel language: use `u32` or `u8`",
        "Vec" | "VecDeque" => {
            "`Vec` does not exist on a device: take a `View<T>` of a buffer, or use an array `[T; N]` for private memory"
        }
        "Box" | "Rc" | "Arc" | "Cow" => "there is no heap on a device: use values, arrays and views",
        "HashMap" | "BTreeMap" | "HashSet" | "BTreeSet" => "collections do not exist on a device: use arrays and views",
        "Option" | "Result" => {
            "`Option` and `Result` hold data, which device enums do not: use a `bool` beside the value, or a special value"
        }
        "Cell" | "RefCell" | "Mutex" | "RwLock" => {
            "host cells do not exist on a device: use local memory or an `AtomicView`"
        }
        "AtomicU32" | "AtomicI32" | "AtomicU64" | "AtomicI64" | "AtomicUsize" | "AtomicBool" => {
            "host atomics do not exist on a device: take an `AtomicView`, or use local memory with `.atomic(i)`"
        }
        "i128" | "u128" => "128-bit integers do not exist on a device: use two 64-bit ones",
        _ => return None,
    })
}
