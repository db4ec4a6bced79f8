//! Texts for the host.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syclone_kernel_ast::message::{Argument, Piece, Template};
use syclone_kernel_ast::tree::*;

use super::Printer;

impl Printer<'_> {
    pub(super) fn message(&self, kind: MessageKind, template: &str, operands: &[Expr], span: SpanId) -> TokenStream {
        let at = self.span(span);
        let (condition, args) = operands.split_at(usize::from(kind == MessageKind::Assert));
        let args = args.iter().zip(conversions(template, args.len())).map(|(arg, conversion)| {
            let at = self.span(arg.span);
            let (value, conversion) = (self.expr(arg), proc_macro2::Ident::new(conversion, at));
            quote_spanned!(at=> ::syclone::abi::message::#conversion(&(#value)))
        });
        let args = quote!(&[#(#args),*]);
        let [condition] = condition else {
            return quote_spanned!(at=> ::syclone::abi::message::print(#template, #args));
        };
        let (condition, file, line) = (self.expr(condition), &self.function.file, self.line(span));
        let is_item = |param: &&Param| matches!(param.role, ParamRole::Item | ParamRole::NdItem | ParamRole::NdItemRef);
        let item = match self.function.params.iter().find(is_item) {
            Some(param) => {
                let item = self.var(param.var);
                quote!(::syclone::abi::message::ItemId::of(&#item))
            }
            // Whoever called the function has noted for which item.
            None => quote!(__oob.item_id()),
        };
        quote_spanned! {at=>
            if !::syclone::abi::message::holds(#condition) {
                ::syclone::abi::message::fail(#item, #file, #line, #template, #args)
            }
        }
    }
}

/// The function that takes each of `count` arguments, by how the template writes it: what only integers can be, such as
/// hexadecimal, takes only those.
fn conversions(template: &str, count: usize) -> Vec<&'static str> {
    let mut conversions = vec!["any"; count];
    for piece in Template::parse(template).unwrap_or_default().pieces {
        if let Piece::Argument(Argument::Number(number), spec) = piece
            && let Some(conversion) = conversions.get_mut(number)
        {
            if spec.notation.is_for_integers() {
                *conversion = "integer";
            } else if spec.notation.is_for_floats() {
                *conversion = "float";
            }
        }
    }
    conversions
}
