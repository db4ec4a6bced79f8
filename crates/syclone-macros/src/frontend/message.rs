//! `kprint!`, `kprintln!` and `kassert!`: texts for the host.

use super::lower::{Body, Lowerer};
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syclone_kernel_ast::message::{Argument, Piece, Template};
use syclone_kernel_ast::tree::*;
use syn::parse::{Parse, ParseStream};
use syn::{Expr as SynExpr, LitStr, Result, Token};

/// A format string and its values.
#[derive(Default)]
struct Format {
    /// The string; `None` where nothing is written.
    text: Option<LitStr>,
    /// The values, those with a name last.
    values: Vec<(Option<Ident>, SynExpr)>,
}

impl Parse for Format {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut format = Format::default();
        if input.is_empty() {
            return Ok(format);
        }
        format.text = Some(input.parse().map_err(|error| {
            syn::Error::new(error.span(), "a format string comes first: write `\"{}\"`, then the values")
        })?);
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let named = input.peek(syn::Ident) && input.peek2(Token![=]) && !input.peek2(Token![==]);
            let name = if named { Some(input.parse()?) } else { None };
            if named {
                input.parse::<Token![=]>()?;
            }
            format.values.push((name, input.parse()?));
        }
        Ok(format)
    }
}

/// `condition, "format", values`
struct Assertion {
    condition: SynExpr,
    format: Format,
}

impl Parse for Assertion {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let condition = input.parse()?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        Ok(Assertion { condition, format: input.parse()? })
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "value" } else { "values" }
}

/// An expression as it is written, on one line.
fn source(expr: &SynExpr) -> String {
    expr.to_token_stream().to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Lowerer {
    /// A call of one of the three macros; `None` if it is another macro's.
    pub(super) fn message(&mut self, mac: &syn::Macro) -> Option<Expr> {
        let ident = &mac.path.segments.last()?.ident;
        let span = ident.span();
        let lowered = match ident.to_string().as_str() {
            "kprint" => self.print(mac, "", span),
            "kprintln" => self.print(mac, "\n", span),
            "kassert" => self.assertion(mac, span),
            _ => return None,
        };
        self.note_library_name(&mac.path, true);
        Some(lowered.unwrap_or_else(|error| {
            self.errors.push(error);
            self.unit(span)
        }))
    }

    fn print(&mut self, mac: &syn::Macro, end: &str, span: Span) -> Result<Expr> {
        let format: Format = mac.parse_body()?;
        let sees_item = |role: &ParamRole| matches!(role, ParamRole::Item | ParamRole::NdItem | ParamRole::NdItemRef);
        if self.body == Body::Device && !self.roles.iter().any(sees_item) {
            // Where its arguments are the same for all items, it would be evaluated, and print, once for all of them.
            return Err(syn::Error::new(
                span,
                "a device function that prints takes the item, for which it prints: add a parameter \
                 `item: &NdItem<1>` (or `&Item<1>`) and call it with `&item`",
            ));
        }
        let (mut template, args) = self.template(format)?;
        template.pieces.push(Piece::Text(end.to_owned()));
        Ok(self.make(ExprKind::Message(MessageKind::Print, template.to_string(), args), span))
    }

    fn assertion(&mut self, mac: &syn::Macro, span: Span) -> Result<Expr> {
        if mac.tokens.is_empty() {
            return Err(syn::Error::new(span, "`kassert!` takes a condition: write `kassert!(i < n)`"));
        }
        let Assertion { condition, format } = mac.parse_body()?;
        let says = format.text.is_some();
        let mut operands = vec![self.expr(&condition)];
        let (mut template, args) = self.template(format)?;
        operands.extend(args);
        let text = format!("assertion failed: {}", if says { String::new() } else { source(&condition) });
        template.pieces.insert(0, Piece::Text(text));
        Ok(self.make(ExprKind::Message(MessageKind::Assert, template.to_string(), operands), span))
    }

    /// The template with numbers for its arguments, and these.
    fn template(&mut self, format: Format) -> Result<(Template, Vec<Expr>)> {
        let Some(text) = format.text else { return Ok((Template::default(), Vec::new())) };
        let error = |message: String| syn::Error::new(text.span(), message);
        let mut template = Template::parse(&text.value()).map_err(|wrong| error(wrong.to_string()))?;
        let positional = format.values.iter().take_while(|(name, _)| name.is_none()).count();
        if let Some((_, late)) = format.values[positional..].iter().find(|(name, _)| name.is_none()) {
            return Err(syn::Error::new_spanned(late, "values without a name come before those with one"));
        }
        let mut used = vec![false; format.values.len()];
        let mut captured: Vec<Ident> = Vec::new();
        let (mut next, mut missing) = (0, 0);
        for piece in &mut template.pieces {
            let Piece::Argument(argument, _) = piece else { continue };
            let number = match argument {
                Argument::Next => {
                    next += 1;
                    missing = missing.max(next);
                    next - 1
                }
                Argument::Number(number) => {
                    missing = missing.max(*number + 1);
                    *number
                }
                Argument::Name(name) => {
                    let given = format.values.iter().position(|(given, _)| given.as_ref().is_some_and(|g| g == name));
                    let known = |captured: &[Ident]| captured.iter().position(|known| known == name);
                    match given.or_else(|| known(&captured).map(|known| format.values.len() + known)) {
                        Some(number) => number,
                        None => {
                            let mut ident: Ident = syn::parse_str(name)
                                .map_err(|_| error(format!("`{name}` in the format string is no variable's name")))?;
                            ident.set_span(text.span());
                            captured.push(ident);
                            format.values.len() + captured.len() - 1
                        }
                    }
                }
            };
            if let Some(used) = used.get_mut(number) {
                *used = true;
            }
            *argument = Argument::Number(number);
        }
        if missing > positional {
            let (values, there) = (plural(missing), if positional == 1 { "is" } else { "are" });
            return Err(error(format!(
                "the format string takes {missing} {values} without a name, but there {there} {positional}"
            )));
        }
        if let Some(unused) = used.iter().position(|used| !used) {
            let (_, value) = &format.values[unused];
            return Err(syn::Error::new_spanned(value, "no `{}` of the format string takes this value"));
        }
        let mut args: Vec<Expr> = format.values.iter().map(|(_, value)| self.expr(value)).collect();
        args.extend(captured.iter().map(|name| {
            let path: SynExpr = syn::parse_quote!(#name);
            self.expr(&path)
        }));
        Ok((template, args))
    }
}
