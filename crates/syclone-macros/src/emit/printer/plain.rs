//! Asking rustc whether what a kernel does to a value by plain Rust is the device's: see the library's `abi::plain`.
//!
//! What asks stands where the value is used, and where only an instance knows the value's type it is code that is run, and
//! does nothing. Receivers, operands and arguments of which the function itself says enough are not asked about.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syclone_kernel_ast::tree::*;

use super::super::builtin_names::Group;
use super::super::found::finder_name;
use super::super::parameters::is_generic;
use super::super::receivers::Receivers;
use super::{Form, Printed, Printer};

impl<'a> Printer<'a> {
    /// What is known of receivers; `None` in a probe, which asks nothing.
    fn receivers(&self) -> Option<&Receivers<'a>> {
        (self.form != Form::Probe).then(|| self.receivers.get_or_init(|| Receivers::of(self.parsed)))
    }

    /// The statement that asks whether a method by the name of a built-in one is that, or a device function. `value` is the
    /// receiver, once more.
    pub(super) fn method_check(
        &self,
        call: &Expr,
        receiver: &Expr,
        name: &str,
        (types, consts): (&[TypeId], &[ConstId]),
        value: &TokenStream,
    ) -> Option<TokenStream> {
        let receivers = self.receivers()?;
        if !receivers.is_asked(receiver, name) || !consts.is_empty() {
            return None;
        }
        let group = Ident::new(Group::of(name)?.trait_name(), Span::call_site());
        let behind = receivers.refers(receiver).then(|| quote!(*));
        // All of it stands at the method's name for rustc.
        let span = self.span(call.span);
        let (finder, found) = (finder_name(name, span), finder_name(name, Span::call_site()));
        let arguments = (!types.is_empty()).then(|| self.turbofish(types, consts));
        let params = (0..types.len()).map(|position| format_ident!("__T{}", position));
        let signature = quote!(fn #found <#(#params),*> (&self, _: ::syclone::abi::Instance<()>));
        let ask = quote_spanned! {span=>
            let __asked = &#behind #value;
            __asked.#finder #arguments (::syclone::abi::Instance::new());
        };
        let only_instances = self.parsed.is_inline || is_generic(self.parsed);
        Some(match only_instances && !receivers.is_spelled(receiver) {
            true => quote!({
                trait __BuiltIn {
                    #signature;
                }
                impl<__T: ::syclone::abi::plain::HasMethods> __BuiltIn for &__T {
                    #[inline(always)]
                    #signature {
                        ::syclone::abi::plain::method_of_instance(*self);
                    }
                }
                #ask
            }),
            false => quote!(if false {
                trait __BuiltIn {
                    type Value;
                    #signature
                    where
                        Self::Value: ::syclone::abi::plain::#group,
                    {
                    }
                }
                impl<__T> __BuiltIn for &__T {
                    type Value = __T;
                }
                #ask
            }),
        })
    }

    /// The argument of a conversion: by the library, where it may be what only the program converts.
    pub(super) fn converted(&self, arg: &Expr) -> Printed {
        let value = self.expr(arg);
        if self.receivers().is_none_or(|receivers| receivers.is_converted(arg)) {
            return value;
        }
        let only_instances = self.parsed.is_inline || is_generic(self.parsed);
        let function = if only_instances { "converted_of_instance" } else { "converted" };
        self.by_library(function, &value, arg.span)
    }

    /// What `*` is of: by the library, where it may be no reference.
    pub(super) fn dereferenced(&self, value: &Expr) -> Printed {
        if self.receivers().is_none_or(|receivers| receivers.refers(value)) {
            return self.operand(value);
        }
        self.by_library("dereferenced", &self.expr(value), value.span)
    }

    fn by_library(&self, function: &str, value: &Printed, span: SpanId) -> Printed {
        // All of it is the user's own for rustc, which then reports there what is refused.
        let span = self.users(span);
        let function = Ident::new(function, span.resolved_at(Span::call_site()));
        quote_spanned!(span=> ::syclone::abi::plain::#function(#value)).into()
    }

    /// The statement that asks whether two values that are compared are of one type.
    pub(super) fn comparison_check(&self, comparison: &Expr) -> Option<TokenStream> {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let ExprKind::Binary(Eq | Ne | Lt | Le | Gt | Ge, left, right) = &comparison.kind else { return None };
        if self.receivers()?.are_numbers(left, right) {
            return None;
        }
        let (span, left, right) = (self.span(comparison.span), self.operand(left), self.operand(right));
        Some(quote_spanned! {span=>
            if false {
                use ::syclone::abi::plain::NoValues as _;
                let __pair = ::syclone::abi::plain::Pair(&#left, &#right);
                __pair.is_of_one_type();
            }
        })
    }
}
