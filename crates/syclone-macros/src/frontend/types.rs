//! Which types a kernel may name, and how a type is displayed.

use super::lower::Lowerer;

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, Type};

/// The primitive types of the kernel language, `f16` and `bf16` included.
pub const PRIMITIVES: [&str; 15] =
    ["bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f16", "bf16", "f32", "f64"];

/// Source-like text of tokens: `[f32; B]`, not `[f32 ; B]`.
pub fn display(tokens: &impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string().replace('\n', " ");
    for (from, to) in [
        (" ::", "::"),
        (":: ", "::"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        (" ;", ";"),
        ("& ", "&"),
        ("[ ", "["),
        (" ]", "]"),
        ("( ", "("),
        (" )", ")"),
        (" (", "("),
    ] {
        text = text.replace(from, to);
    }
    // A qualified path keeps its spaces around `as`; a tuple after a comma keeps one before it.
    text.replace(",(", ", (").replace(" as<", " as <").trim().to_string()
}

/// The name of a type that is a plain path, without its generics.
pub fn last_segment(ty: &Type) -> Option<&syn::PathSegment> {
    match strip(ty) {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        _ => None,
    }
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

impl Lowerer {
    /// Reports what the type names that devices do not have. `infer` says whether `_` may stand in it.
    pub fn check_type(&mut self, ty: &Type, infer: bool) {
        match strip(ty) {
            Type::Array(array) => self.check_type(&array.elem, infer),
            Type::Tuple(tuple) => tuple.elems.iter().for_each(|elem| self.check_type(elem, infer)),
            Type::Path(path) => {
                if let Some(qself) = &path.qself {
                    self.check_type(&qself.ty, infer);
                }
                for segment in &path.path.segments {
                    self.check_generics(&segment.arguments, infer);
                }
                if let Some(advice) = last_segment(ty).and_then(|segment| advice(&segment.ident.to_string())) {
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
fn advice(name: &str) -> Option<&'static str> {
    Some(match name {
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
