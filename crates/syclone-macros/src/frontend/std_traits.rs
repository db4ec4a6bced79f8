//! `#[device_fn] impl` of std's traits: comparisons, which kernels call by their operators, and all others, which they do
//! not call at all.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use quote::ToTokens;
use syn::{Error, Ident, ImplItem, ItemImpl, Path, PathArguments};

use super::add_error;

/// What a `#[device_fn] impl` block implements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImplOf {
    /// Methods of the type alone.
    Values,
    /// A device trait.
    Trait,
    /// std's trait of this name, `PartialEq` or `PartialOrd`.
    Comparison(&'static str),
    /// A trait whose functions no kernel calls.
    Refused,
}

impl ImplOf {
    /// Whether a function of the block is none of a device: `partial_cmp` gives an `Option`.
    pub fn is_of_the_host(self, function: &Ident) -> bool {
        self == ImplOf::Comparison("PartialOrd") && function == "partial_cmp"
    }
}

/// std's traits that people implement for numbers of their own. What is not here rustc refuses by the hidden functions, which
/// are no members of the trait.
#[rustfmt::skip]
const STD_TRAITS: &[&str] = &[
    "PartialEq", "PartialOrd", "Eq", "Ord", "Hash", "Default", "Clone", "Copy", "Drop", "Debug", "Display", "From", "Into",
    "TryFrom", "TryInto", "AsRef", "AsMut", "Deref", "DerefMut", "Index", "IndexMut", "Iterator", "IntoIterator", "Sum",
    "Product", "FromStr", "ToString",
];

/// Those of operators on numbers.
#[rustfmt::skip]
const OPERATORS: &[&str] = &[
    "Add", "Sub", "Mul", "Div", "Rem", "BitAnd", "BitOr", "BitXor", "Shl", "Shr", "Neg", "Not", "AddAssign", "SubAssign",
    "MulAssign", "DivAssign", "RemAssign", "BitAndAssign", "BitOrAssign", "BitXorAssign", "ShlAssign", "ShrAssign",
];

/// The names of the crate's device traits so far: a program may have a trait `Add` of its own.
static OWN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Notes a device trait.
pub fn note_trait(name: &Ident) {
    OWN.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_string());
}

/// What a block implements, and what is wrong with that.
pub fn impl_of(item: &ItemImpl, errors: &mut Option<Error>) -> ImplOf {
    let Some((path, _)) = &item.trait_ else { return ImplOf::Values };
    let Some(name) = std_trait(path) else { return ImplOf::Trait };
    let mut refuse = |error: Error| {
        add_error(errors, error);
        ImplOf::Refused
    };
    if OPERATORS.contains(&name) {
        let message = format!(
            "kernels do not call `{name}`: operators are for numbers and vectors\nwrite a method in a `#[device_fn] impl` without a trait, \
             such as `a.plus(b)`; for the host alone, leave `#[device_fn]` out here"
        );
        return refuse(Error::new_spanned(path, message));
    }
    if name != "PartialEq" && name != "PartialOrd" {
        let message = format!(
            "kernels do not call `{name}`\nwrite what they call in a `#[device_fn] impl` without a trait, and leave `#[device_fn]` out here; a \
             trait of your own by such a name is implemented as `self::{name}`"
        );
        return refuse(Error::new_spanned(path, message));
    }
    let last = path.segments.last().map(|last| &last.arguments);
    if let Some(arguments @ PathArguments::AngleBracketed(list)) = last {
        let own = item.self_ty.to_token_stream().to_string();
        let is_own = |argument: &syn::GenericArgument| {
            let text = argument.to_token_stream().to_string();
            text == "Self" || text == own
        };
        if !list.args.iter().all(is_own) {
            let message = "kernels compare values of one type\nwrite a method in a `#[device_fn] impl` without a trait, such as `a.equals(b)`";
            return refuse(Error::new_spanned(arguments, message));
        }
    }
    let functions = || {
        item.items.iter().filter_map(|member| match member {
            ImplItem::Fn(function) => Some(&function.sig.ident),
            _ => None,
        })
    };
    if let Some(ne) = functions().find(|function| *function == "ne") {
        return refuse(Error::new_spanned(ne, "in kernels `!=` is what `==` is not\nleave `ne` out"));
    }
    if name == "PartialOrd" && !functions().any(|function| ["lt", "le", "gt", "ge"].iter().any(|own| function == own)) {
        let message = "kernels do not call `partial_cmp`, which gives an `Option`\nwrite `lt` beside it, and `le`, `gt` and `ge` where they are not \
                       what `lt` and `==` say; for the host alone, leave `#[device_fn]` out";
        return refuse(Error::new_spanned(path, message));
    }
    ImplOf::Comparison(name)
}

/// The name of std's trait that a path means: by its name alone, unless a device trait has it, or in a module of std's.
fn std_trait(path: &Path) -> Option<&'static str> {
    let (first, last) = (path.segments.first()?, path.segments.last()?);
    let is_plain = path.segments.len() == 1 && path.leading_colon.is_none();
    let of_std = path.segments.len() > 1 && ["std", "core"].iter().any(|name| first.ident == name);
    if !is_plain && !of_std {
        return None;
    }
    let name = STD_TRAITS.iter().chain(OPERATORS).find(|name| last.ident == **name)?;
    let is_own = is_plain && OWN.lock().unwrap_or_else(PoisonError::into_inner).contains(*name);
    (!is_own).then_some(*name)
}
